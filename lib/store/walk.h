/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WALK_H
#define WALK_H

#include <pthread.h>

#include "store.h"

/* What the two halves of a walk share: walk.c has the threads, walk_dir.c a directory. */

struct level_dir {
	char path[NGC_LEVELS_TEXT];
};

struct crew {
	const struct ngc_walk *walk;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t more;
	struct level_dir *stack;
	size_t n, cap;
	unsigned busy; /* threads that may still push */
	enum ngc_code code; /* not NGC_OK: everybody stops */
	struct ngc_error err;
};

struct worker {
	struct crew *crew;
	pthread_t thread;
	unsigned number;
	struct dir_reader *dir;
	struct ngc_reader *reader;
	struct batch *batch; /* of the directory at hand */
	char tail[NGC_LEVELS_TEXT]; /* how its candidates' names end */
	size_t tail_len;
	struct ngc_walk_totals totals;
	uint64_t told; /* of the candidates, to who asks for progress */
	int64_t woke;  /* when it last rested */
	struct ngc_error err;
};

/* walk.c */

/* A directory is to be looked at, name in up. */
enum ngc_code walk_push(struct worker *w, const struct level_dir *up, const char *name);
/* Tell of w->err, which stops nobody. */
void walk_report(struct worker *w);
/* Between two batches: tell how far it is, and rest. */
void walk_pause(struct worker *w);
bool walk_stopped(const struct crew *c);

/* walk_dir.c: look at a directory; what a visitor returned. */
enum ngc_code walk_directory(struct worker *w, const struct level_dir *d);

#endif
