/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_LABEL_H
#define OP_LABEL_H

#include "ngc/mem.h"
#include "ngc/pattern.h"
#include "ngc/stats.h"

/*
 * The label of an entry: the value of each thing that is grouped by, in order, as its
 * length and its bytes.
 */

/* What a thread needs to make labels. */
struct labeller {
	const struct ngc_by *by;
	const struct ngc_select_run *run;
	struct ngc_pattern_room *room;
	struct ngc_buf label;
	struct ngc_entry *e; /* the entry in hand */
	bool read;           /* reading is that of e */
	struct ngc_reading reading;
	struct ngc_bytes tag; /* the one in hand */
};

/* False: no memory; labeller_free() all the same. */
bool labeller_init(struct labeller *l, const struct ngc_by *by,
    const struct ngc_select_run *run);
void labeller_free(struct labeller *l);

/*
 * Hand each label of an entry to each().  Returns what that returns when it is not
 * NGC_OK. NGC_DENIED, NGC_DAMAGED: the entry's labels cannot be told.
 */
enum ngc_code label_entry(struct labeller *l, struct ngc_entry *e,
    enum ngc_code (*each)(void *arg, struct ngc_bytes label, struct ngc_error *err),
    void *arg, struct ngc_error *err);

/* By their values, in the order of their bytes; an absent one comes first. */
int label_compare(struct ngc_bytes a, struct ngc_bytes b);

#endif
