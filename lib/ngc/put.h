/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_PUT_H
#define NGC_PUT_H

#include <signal.h>

#include "ngc/cache.h"

/* Putting entries into a cache, so that nginx takes them for its own. */

/* NGC_DENIED: files could not be made the owner's of the root; the text says who can. */
enum ngc_code ngc_put_allowed(const struct ngc_cache *into, struct ngc_error *err);

struct ngc_put {
	struct ngc_entry *e; /* of another cache, not read further than its response */
	const struct ngc_cache *into;
	const char *dir; /* where below its root, "f/c1/" */
	const char *user; /* whom the workers run as, or NULL: he owns what is put where
			   * the root is the superuser's, as it is until nginx starts */
	const volatile sig_atomic_t *stop; /* not 0: give up; may be NULL */
};

/*
 * Write the entry beside its place and rename it: what is there is replaced, and nobody
 * sees half of it.  Missing directories of levels are made.
 * NGC_GONE: it was given up.  NGC_DAMAGED: it is not as long as it should be. NGC_DENIED:
 * it could not be read or written.  NGC_FATAL: nothing can be: the disk is full, or
 * read-only.
 */
enum ngc_code ngc_put_entry(const struct ngc_put *req, struct ngc_error *err);

#endif
