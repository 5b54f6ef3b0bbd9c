/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_TARGET_H
#define OP_TARGET_H

#include <stdatomic.h>

#include "select.h"

/*
 * Targets: the files that a selection names without looking at any, those of the keys of
 * its URLs and of --key, and those of --file.
 */
struct target {
	size_t selector;             /* which selector it belongs to */
	const struct ngc_zone *zone;
	size_t cache;                /* that of which of the run's zones */
	size_t order;                /* in which it was computed */
	bool keyed;                  /* by its key, else by its path */
	struct ngc_bytes key;
	uint32_t crc32;              /* of the key */
	char dir[NGC_LEVELS_TEXT];   /* of a path */
	char name[NGC_NAME_LEN + 1]; /* of the main entry, or of the path */
	atomic_bool deferred; /* its main entry waits until its variants are visited */
	unsigned char vary[NGC_VARY_MAX]; /* what that one carries */
	size_t vary_len;
};

struct targets {
	struct target
	    *list; /* sorted by cache, keyed ones first, then by crc32 or name */
	size_t n, cap;
	size_t *starts; /* the order of the first of each selector, and the end */
	size_t *places;            /* where each stands in the list, by its order */
	struct ngc_cover *
	    *covers; /* of each selector, NULL where it has none; lends the keys */
	size_t n_covers;
};

/* Does a URL leave keys open in that zone, which only a walk can find? */
bool targets_open(const struct targets *t, size_t selector, const struct ngc_zone *zone);

/*
 * Compute the targets of a run.  targets_free() in any case.
 */
enum ngc_code targets_compute(const struct ngc_select_run *run, struct targets *t,
    struct ngc_error *err);
void targets_free(struct targets *t);

/* Caches turned out to be the same: for each zone, the one whose cache is its. */
void targets_join(struct targets *t, const size_t *first);

/* The targets of one cache, keyed or by path. */
struct target_range {
	struct target *first;
	size_t n;
};
struct target_range targets_of(const struct targets *t, size_t cache, bool keyed);

/* Those among keyed targets whose key this is. */
struct target_range targets_by_key(struct target_range keyed, const struct ngc_header *h);

/* Those among targets by path that name this file. */
struct target_range targets_by_name(struct target_range paths, const char *name);

/* probe.c: the names of a key's variants that clients commonly ask for. */
#define PROBES 15
void probe_names(struct ngc_bytes key, struct ngc_bytes vary,
    char names[PROBES][NGC_NAME_LEN + 1]);

/*
 * What is said of a selector that matched nothing: the keys and files that were tried
 * and, of a URL, near ones that exist, and what a walk came by.  Nothing is walked for
 * it. caches: one for each zone, NULL for those that are not open.  nearest: NULL is
 * none. Memory for it is no reason to fail.
 */
struct nearest;
void miss_explain(const struct ngc_select_run *run, const struct targets *t,
    size_t selector, struct ngc_cache *const *caches, const struct nearest *nearest,
    struct ngc_selector_result *out);

#endif
