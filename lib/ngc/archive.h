/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_ARCHIVE_H
#define NGC_ARCHIVE_H

#include <sys/stat.h>

#include "ngc/select.h"

/*
 * Entries into an archive: a pax tar in which an entry lies as ZONE/LEVELS/NAME, and as
 * its last member ngxcache.json, which tells what it holds.  An archive without that is
 * not whole.
 */

#define NGC_ARCHIVE_FORMAT 1
#define NGC_ARCHIVE_MANIFEST "ngxcache.json"

enum ngc_archive_fate {
	NGC_ARCHIVED,
	NGC_ARCHIVE_GONE,   /* left out: removed or replaced while it was read */
	NGC_ARCHIVE_FAILED, /* left out: it could not be read, err says why */
};

struct ngc_archive_zone {
	uint64_t entries, bytes;
};

struct ngc_archive_result {
	struct ngc_select_result found;
	struct ngc_archive_zone *zones; /* one for each zone of the site */
	uint64_t entries, bytes;        /* archived; bytes: the size of the files */
	uint64_t gone, failed;          /* left out */
	uint64_t size;                  /* of the archive itself */
	bool complete;                  /* it is written, and in its place */
};
void ngc_archive_result_free(struct ngc_archive_result *r); /* leaves it empty */

struct ngc_archive_request {
	/* What to find, and how; its visit() and wanted() are not looked at. */
	const struct ngc_select_run *run;
	const char *file; /* "-": standard output; its ending tells the compression */
	const char *version; /* of the program that writes it */
	bool not_empty;   /* write none when nothing is selected */
	bool durable;     /* to a file: of a pipe or a device nobody knows what is kept */

	/* What became of each selected entry; st: of the file as it was archived.  May be
	 * NULL, as the next. */
	void (*each)(void *arg, const struct ngc_entry *e, const struct stat *st,
	    enum ngc_archive_fate fate, const struct ngc_error *err);
	/* Called now and then. */
	void (*progress)(void *arg, const struct ngc_archive_result *so_far);
	void *arg; /* both are called by one thread at a time */
};

/* Can it be the name of an archive?  NGC_INVALID: it has another format's ending. */
enum ngc_code ngc_archive_check_name(const char *file, struct ngc_error *err);

/*
 * Archive the selected entries.  The file is written beside its place and moved there
 * when it is complete and safe on the disk; a run that fails or is stopped leaves what
 * was there before.  out: filled in also on failure; to be freed with
 * ngc_archive_result_free().
 * NGC_INVALID: as ngc_select_execute(), or the file cannot be an archive.  NGC_DENIED: it
 * cannot be written.  A run that was stopped is NGC_OK, and not complete.
 */
enum ngc_code ngc_archive(const struct ngc_archive_request *req,
    struct ngc_archive_result *out, struct ngc_error *err);

#endif
