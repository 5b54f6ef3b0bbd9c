/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_SPOOL_H
#define OP_SPOOL_H

#include "ngc/cache.h"

/*
 * Entries of archives that are needed again, in another order: what was read of them is
 * kept in a temporary file that has no name.  All zero is an empty one.
 */
struct spool {
	struct ngc_stream stream; /* the first: of the entry in hand */
	int fd;
	bool open;
	off_t end;
	off_t pos; /* of the entry in hand: what comes next, and how much */
	size_t left;
};

/* Keep an entry, without its body; *at is where. */
enum ngc_code spool_put(struct spool *s, struct ngc_entry *e, off_t *at,
    struct ngc_error *err);

/* One that was kept; it is valid until the next one. */
enum ngc_code spool_get(struct spool *s, off_t at, struct ngc_reader *r,
    struct ngc_entry *out, struct ngc_error *err);

void spool_close(struct spool *s);

#endif
