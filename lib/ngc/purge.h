/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_PURGE_H
#define NGC_PURGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ngc/archive.h"
#include "ngc/reload.h"
#include "ngc/select.h"

enum ngc_purge_mode {
	NGC_PURGE_REMOVE,     /* not served from now on, the file is gone */
	NGC_PURGE_INVALIDATE, /* not served from now on, the file stays until nginx
				 replaces it */
	NGC_PURGE_EXPIRE,     /* stale from now on */
};
const char *ngc_purge_mode_name(enum ngc_purge_mode m);

struct ngc_purge_request {
	const struct ngc_site *site;
	const struct ngc_select *select;
	enum ngc_purge_mode mode;
	bool refetch;            /* with expire: clear the validators */
	bool dry_run;            /* change nothing */
	int64_t now; /* for filters; what is written goes by the system's clock */
	struct ngc_pace pace;
	enum ngc_walking walking;
	bool loose;
	bool settle;             /* purge twice, settle_seconds apart */
	int64_t settle_seconds;
	const char *backup;      /* an archive of what is purged; NULL: none */
	const char *version;     /* of the program that writes it */
	bool reload;             /* nginx, afterwards */
	const volatile sig_atomic_t *stop;
	void (*each)(void *arg, struct ngc_entry *e); /* acted on; may be NULL */
	void (*damaged_met)(void *arg,
	    const struct ngc_entry *e); /* and not selected; or NULL */
	void (*problem)(void *arg, const struct ngc_error *err);
	void (*archived)(void *arg,
	    const struct ngc_archive_result *so_far); /* now and then; or NULL */
	void *arg;               /* all are called by one thread at a time */
};

#define NGC_PURGE_ERRORS_MAX 100

struct ngc_purge_error {
	char *file; /* NULL: no single file */
	char *text;
};

struct ngc_purge_zone {
	uint64_t purged, bytes;
};

struct ngc_purge_result {
	struct ngc_select_result found;
	struct ngc_purge_zone *zones;  /* one for each zone of the site */
	struct ngc_purge_error errors[NGC_PURGE_ERRORS_MAX];
	unsigned n_errors;
	uint64_t matched;              /* the sum of the next four */
	uint64_t purged;               /* acted on; in a dry run: would be */
	uint64_t already_gone, replaced, failed;
	uint64_t variants;             /* how many of the purged are variants */
	uint64_t bytes;                /* apparent size of the purged */
	struct ngc_archive_result backup; /* its found is empty */
	struct ngc_reload_result reload;
};
void ngc_purge_result_free(struct ngc_purge_result *r); /* leaves it empty */

/*
 * Purge the selected entries.  out: filled in also on failure, with what was done until
 * then; to be freed with ngc_purge_result_free(). NGC_INVALID: nothing is selected,
 * neither by a selector nor a filter, or as ngc_select_execute(); nothing was touched.
 *
 * backup: all that is selected is archived first, and only the files that are in the
 * archive then, as they are in it, are purged; what was stored or written to meanwhile
 * counts as replaced.  Without an archive (it cannot be written, or there is nothing to
 * write) nothing is touched.  A dry run writes none.  NGC_INVALID with settle: what is
 * stored meanwhile is in no archive.
 *
 * settle: what is stored under the selected names in the meantime is purged, too, and
 * added to the counts.  Without it an answer that nginx was fetching before the purge is
 * served after it.  A dry run does not wait.
 *
 * reload: nginx is reloaded at the end, also when some entries could not be purged, but
 * not after a dry run or a signal.  NGC_INVALID when that is impossible, as
 * ngc_reload_check() tells: nothing was touched.  NGC_DENIED: all of the purge was done,
 * and nginx was not reloaded.
 */
enum ngc_code ngc_purge(const struct ngc_purge_request *req, struct ngc_purge_result *out,
    struct ngc_error *err);

#endif
