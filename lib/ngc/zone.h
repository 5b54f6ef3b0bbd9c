/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_ZONE_H
#define NGC_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "ngc/bytes.h"
#include "ngc/digest.h"

/* Which module a zone belongs to.  A zone serves one module only. */
enum ngc_protocol { NGC_PROXY, NGC_FASTCGI, NGC_UWSGI, NGC_SCGI, NGC_PROTOCOLS };
const char *ngc_protocol_name(enum ngc_protocol p); /* "proxy", "fastcgi", ... */

#define NGC_LEVELS_MAX 3 /* nginx's NGX_MAX_PATH_LEVEL */

/* The level directories of a path: nginx's ngx_path_t.level. */
struct ngc_levels {
	unsigned n; /* 0: files lie directly in the root */
	unsigned char width[NGC_LEVELS_MAX]; /* 1 or 2 */
};

/* Room for "ab/cd/ef/" or "2:2:2" and a NUL. */
#define NGC_LEVELS_TEXT 12

/* Parse "1:2"; false when nginx would refuse it.  Empty text is no levels. */
bool ngc_levels_parse(struct ngc_bytes s, struct ngc_levels *out);

/* "1:2"; "" without levels. */
const char *ngc_levels_format(const struct ngc_levels *l, char out[NGC_LEVELS_TEXT]);

/* The directory of a file name below the root, "f/c1/"; "" without levels. */
const char *ngc_levels_dir(const struct ngc_levels *l, const char name[NGC_NAME_LEN],
    char out[NGC_LEVELS_TEXT]);

/* nginx allows 14 kinds of levels beside none. */
#define NGC_LEVELS_KINDS 15

/* The i-th of all kinds of levels (none first), for looking a name up without knowing
 * them. */
struct ngc_levels ngc_levels_kind(unsigned i);

/* A cache: a *_cache_path directive, or a directory or an archive named on the command
 * line. */
struct ngc_zone {
	const char *name;
	enum ngc_protocol type;   /* meaningless when !configured */
	const char *path; /* where it lies, absolute, with --root; no trailing slash */
	bool archive;     /* it is the file of an archive, not a directory */
	bool configured;  /* it comes from a configuration: what follows is known */
	bool levels_known;        /* false: any levels, found per file */
	struct ngc_levels levels;
	int64_t keys_zone_size;   /* bytes */
	int64_t max_size;         /* bytes; -1: no limit */
	int64_t min_free;         /* bytes; -1: not given */
	int64_t inactive;         /* seconds */
	bool use_temp_path;
	const char *key; /* the key template given on the command line, or NULL */
	const char *file;         /* where it is declared, or NULL */
	unsigned line;
};

/*
 * How many entries its key zone holds, about; -1: not known.  nginx gives each a node of
 * 128 bytes, and 8095 of them fit into one MiB.
 */
int64_t ngc_zone_keys_max(const struct ngc_zone *z);

#endif
