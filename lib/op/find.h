/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_FIND_H
#define OP_FIND_H

#include <pthread.h>
#include <stdatomic.h>

#include "nearest.h"
#include "target.h"

/*
 * Finding the selected entries of each cache.  What can be named is looked up.  Names of
 * variants cannot be computed: when an entry that was looked up carries a Vary, one walk
 * finds them by their key, and the main entry is visited last, so that an interrupted
 * purge leaves the trace that makes the next one complete.  Selectors that scan, and URLs
 * whose keys hold what a URL does not determine, make the walk serve all.
 */

enum phase {
	BY_KEY,   /* names of keys are looked up; a main entry with Vary is deferred */
	BY_PATH,  /* files are looked up */
	PROBING,  /* no walk follows: variants that can be named are looked up */
	VARIANTS, /* a walk for the variants of the deferred ones alone */
	SCAN,     /* a walk that judges every entry; a target with Vary is deferred */
	ARCHIVED, /* an archive is read, which is done once: nothing is deferred */
	LAST,     /* the deferred ones */
};

/* Per thread: what it needs to judge, and which selectors took the entry in hand. */
struct hand {
	struct judge judge;
	size_t *hits;
	size_t n_hits;
	size_t *doubts; /* the selectors it is ambiguous for */
	size_t n_doubts;
	struct nearest *nearest; /* of each selector; NULL: not asked for */
};

struct find {
	const struct ngc_select_run *run;
	struct targets targets;
	struct ngc_cache *
	    *caches; /* one for each zone of the site; NULL: not looked into */
	size_t *first; /* of each: whose cache it is, its own or that of one before */
	struct ngc_reader *reader; /* for what is looked up */
	struct hand *hands;
	size_t n_hands;
	size_t *scanning; /* the selectors that must look at every entry of the zone in
			     hand */
	size_t n_scanning;
	atomic_uint_fast64_t *matched, *ambiguous; /* of each selector */
	atomic_uint_fast64_t visited, left, failed;
	pthread_mutex_t lock; /* for the callbacks that one thread calls at a time */
	enum phase phase;
	bool guessing; /* a name that nothing tells of is looked up: closed is absent */
	/* Of the cache in hand: */
	struct target_range keyed, paths;
	struct ngc_levels levels[NGC_LEVELS_KINDS]; /* where its files can lie */
	unsigned n_levels;
};

/* What failed; the run goes on. */
void find_problem(struct find *f, const struct ngc_error *err);

/* Is the run to end? */
bool find_stopped(const struct find *f);

/*
 * offer.c: an entry that was come upon: judge it and, when it is selected, visit it.
 * arg: the struct find.
 */
enum ngc_code find_offer(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err);

/*
 * Begin with a zone: what is looked up in it, and by which selectors all its entries must
 * be judged.  False: its entries need not all be looked at.
 */
bool find_begin(struct find *f, size_t zone);

/*
 * archived.c: judge every entry of an archive as it is read.  zone: which one of the run
 * it is; without one, run->place tells.
 */
enum ngc_code find_in_archive(struct find *f, const char *path,
    const struct ngc_zone *zone, struct ngc_select_result *out, struct ngc_error *err);

/* lookup.c: what can be named is looked up in the cache, without reading directories. */
enum ngc_code find_look_up(struct find *f, const struct ngc_cache *c,
    struct ngc_error *err);

/*
 * No walk follows: look for the variants that common clients are served, whether the main
 * entry carries a Vary or is gone, or was stored anew without one.
 */
enum ngc_code find_probe_variants(struct find *f, const struct ngc_cache *c,
    struct ngc_error *err);

/* Does a main entry wait for its variants?  Those that do are visited. */
bool find_any_deferred(const struct find *f);
enum ngc_code find_visit_deferred(struct find *f, const struct ngc_cache *c,
    struct ngc_error *err);

#endif
