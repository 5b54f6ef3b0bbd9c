/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_RESTORE_H
#define NGC_RESTORE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ngc/select.h"

/* Putting the entries of an archive into caches. */

struct ngc_restore_result;

struct ngc_restore_request {
	const struct ngc_site *site;     /* its zones are restored into */
	const struct ngc_select *select; /* of what the archive holds */
	const char *archive;
	bool overwrite; /* entries that are newer than those of the archive, too */
	bool force;     /* more than the key zone and max_size hold */
	bool dry_run;   /* change nothing */
	int64_t now;    /* for filters */
	struct ngc_pace pace;  /* of the walks that count what is there */
	bool loose;
	const volatile sig_atomic_t *stop;
	void (*damaged_met)(void *arg, const struct ngc_entry *e); /* not selected */
	/* What failed; file: in the archive, or NULL. */
	void (*problem)(void *arg, const char *file, const struct ngc_error *err);
	/* After each entry; may be NULL. */
	void (*progress)(void *arg, const struct ngc_restore_result *so_far);
	void *arg;
};

struct ngc_restore_zone {
	uint64_t restored, bytes;
	uint64_t kept;
	uint64_t no_room;
};

struct ngc_restore_result {
	struct ngc_select_result found;
	struct ngc_restore_zone *zones; /* one for each zone of the site */
	uint64_t matched;               /* the sum of the next five */
	uint64_t restored;              /* in a dry run: would be */
	uint64_t kept;                  /* the zone has the entry, and no older one */
	uint64_t no_room;               /* the key zone or max_size is full */
	uint64_t refused;               /* no entry that nginx would serve */
	uint64_t failed;                /* could not be written */
	uint64_t variants;              /* how many of the restored are variants */
	uint64_t bytes;                 /* apparent size of the restored */
};
void ngc_restore_result_free(struct ngc_restore_result *r); /* leaves it empty */

/*
 * An entry goes into the zone of the name that its directory in the archive has; where
 * the site was opened for one zone, or for a directory, also what has a name that no zone
 * of the configuration has.  Its name must be that of its key or its variant, its place
 * is by the levels of the zone (of the archive, where those are not known), and it is
 * the owner's of the cache's root (the workers' where that is the superuser).  An entry
 * that is there already and is not older stays, and so does one that was stored since the
 * restore began.  The limits are those of the configuration, and 8000 entries for each
 * MiB of a key zone.
 * out: filled in also on failure; to be freed with ngc_restore_result_free().
 * NGC_INVALID: a directory of the command line is no cache, or a selector is wrong;
 * nothing was touched.  NGC_DENIED: the only zone cannot be written to.  NGC_FATAL: the
 * disk is full; what was restored until then is whole.
 */
enum ngc_code ngc_restore(const struct ngc_restore_request *req,
    struct ngc_restore_result *out, struct ngc_error *err);

#endif
