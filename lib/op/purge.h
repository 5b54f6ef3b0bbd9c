/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_PURGE_H
#define OP_PURGE_H

#include <pthread.h>

#include "ngc/purge.h"

/* What the files of a purge share: purge.c acts and counts, backup.c archives first. */

struct purge {
	const struct ngc_purge_request *req;
	struct ngc_purge_result *out;
	struct timespec began; /* by the clock of file systems */
	bool again;            /* this is the second pass */
	pthread_mutex_t lock; /* for out and the request's callbacks */
};

bool purge_stopped(const struct ngc_purge_request *req);

/* How the entries are found. */
struct ngc_select_run purge_run(struct purge *p);

/* Act on an entry and count it; a visitor.  arg: the struct purge. */
enum ngc_code purge_visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err);

/* Count what became of an entry. */
void purge_count(struct purge *p, struct ngc_entry *e, enum ngc_outcome outcome,
    struct ngc_error *err);

/* The first errors are kept for the answer; file: may be NULL. */
void purge_keep_error(struct ngc_purge_result *r, const char *file,
    const struct ngc_error *err);

/* Archive what is selected, then purge what is in the archive. */
enum ngc_code purge_with_backup(struct purge *p, struct ngc_error *err);

#endif
