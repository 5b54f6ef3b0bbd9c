/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_VERIFY_H
#define NGC_VERIFY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ngc/select.h"

/* Looking for files that nginx cannot serve, or would serve wrongly. */

enum ngc_reason {
	NGC_REASON_NONE,
	NGC_REASON_TOO_SMALL,
	NGC_REASON_UNKNOWN_VERSION,
	NGC_REASON_BAD_OFFSETS,
	NGC_REASON_BAD_KEY_MARK,
	NGC_REASON_BAD_CRC,
	NGC_REASON_NAME_MISMATCH,
	NGC_REASON_BAD_HEADER,
	NGC_REASON_BAD_FRAMING,
	NGC_REASON_BODY_SHORT,
	NGC_REASON_BODY_LONG,
	NGC_REASON_BAD_SUM, /* of a member of an archive */
	NGC_REASON_ORPHAN,
	NGC_REASON_TEMPORARY,
	NGC_REASON_FOREIGN,
	NGC_REASON_SYMLINK,
	NGC_REASON_DIRECTORY,
	NGC_REASON_HARD_LINK,
	NGC_REASON_OWNER,
	NGC_REASON_MODE,
	NGC_REASON_UNREADABLE,
	NGC_REASONS,
};
const char *ngc_reason_name(enum ngc_reason r); /* "too_small", ... */

enum ngc_class {
	NGC_CLASS_DAMAGED,   /* nginx refuses it, and stores the page again */
	NGC_CLASS_MISSERVED, /* nginx serves it, and not as it was received */
	NGC_CLASS_ORPHAN,    /* nginx never looks there */
	NGC_CLASS_TEMPORARY, /* left by a worker that was killed */
	NGC_CLASS_FOREIGN,   /* not made by nginx */
	NGC_CLASS_OWNERSHIP, /* nginx may not be able to read or write it */
	NGC_CLASSES,
};
const char *ngc_class_name(enum ngc_class c);
enum ngc_class ngc_reason_class(enum ngc_reason r);

#define NGC_DETAIL_TEXT 96

/* A file with something wrong: the worst that is. */
struct ngc_finding {
	const struct ngc_zone *zone;
	struct ngc_bytes file; /* its path */
	enum ngc_reason reason;
	char detail[NGC_DETAIL_TEXT]; /* for a person */
	bool repaired;                /* removed; in a dry run: would be */
};

struct ngc_verify_request {
	const struct ngc_site *site;
	const struct ngc_select *select;
	bool repair;
	bool dry_run;
	int64_t now; /* for the age of temporary files; none is removed that the system's
			clock finds too young */
	struct ngc_pace pace;
	enum ngc_walking walking;
	bool loose;
	const volatile sig_atomic_t *stop;
	void (*found)(void *arg, const struct ngc_finding *f);
	void (*damaged_met)(void *arg,
	    const struct ngc_entry *e); /* and not selected; or NULL */
	void (*problem)(void *arg, const struct ngc_error *err);
	void *arg; /* all are called by one thread at a time */
};

struct ngc_verify_result {
	struct ngc_select_result selected;
	uint64_t found[NGC_CLASSES];
	uint64_t repaired; /* of them; in a dry run: would be */
	uint64_t failed;   /* could not be repaired, or not be looked at */
};
void ngc_verify_result_free(struct ngc_verify_result *r); /* leaves it empty */

/*
 * Look at the selected entries and, where everything is selected, at what lies beside
 * them.  repair: remove damaged, misserved and orphaned entries as a purge does, and
 * temporary files older than an hour that no process holds open; never what cannot be
 * read, is foreign, a directory or a link.  Files that vanish or are replaced meanwhile
 * are not told of.  SIGIO must be ignored.
 * out: filled in also on failure; to be freed with ngc_verify_result_free().
 * Returns as ngc_select_execute().
 */
enum ngc_code ngc_verify(const struct ngc_verify_request *req,
    struct ngc_verify_result *out, struct ngc_error *err);

#endif
