/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORE_H
#define STORE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ngc/cache.h"

/* What the files of lib/store share. */

#ifndef O_NOATIME
#define O_NOATIME 0
#endif

struct ngc_cache {
	const struct ngc_zone *zone;   /* the first of zones */
	const struct ngc_zone **zones; /* all that lie there */
	size_t n_zones;
	int fd; /* the root, open for reading */
	struct ngc_place place;
	uid_t owner; /* of the root */
};

struct ngc_reader {
	unsigned char head[NGC_HEAD_MAX];
	unsigned char scratch[NGC_HEAD_MAX];
};

/* Reading a directory: names and their d_type, "." and ".." left out. */
struct dir_reader;
struct dir_reader *dir_reader_new(void); /* NULL: no memory */
void dir_reader_free(struct dir_reader *d);
/* Begin with a directory; fd stays the caller's. */
int dir_reader_start(struct dir_reader *d, int fd); /* -1 and errno */
/* The next name, valid until the next call; NULL at the end, with errno 0, or on error.
 */
const char *dir_reader_next(struct dir_reader *d, unsigned char *type);

/* What a name in a cache directory can be, by its form alone. */
enum name_kind {
	NAME_CANDIDATE, /* 32 lower-case hex digits */
	NAME_LEVEL,     /* 1 or 2 of them */
	NAME_TEMP_FILE, /* 32 of them, '.', 10 decimal digits */
	NAME_TEMP_DIR,  /* "temp" */
	NAME_OTHER,
};
enum name_kind name_kind(const char *name);

/* Open a directory in another; its access time stays where that can be had. */
int dir_open_at(int dirfd, const char *name);

/* Open a directory below the root, component by component; no link is followed. */
int level_dir_open(int rootfd, const char *dir);

/* The name of a user, or "uid N". */
#define OWNER_TEXT 64
const char *owner_name(uid_t uid, char out[OWNER_TEXT]);

/*
 * NGC_DENIED for a file or directory that could not be opened or read with errno sys:
 * names the first one on the way that keeps us out, and who may enter it.
 */
enum ngc_code access_denied(const char *path, int sys, struct ngc_error *err);

/* As ngc_entry_open(), in a directory that is open already. */
enum ngc_code entry_open_at(const struct ngc_cache *c, struct ngc_reader *r, int dirfd,
    const char *dir, const char *name, struct ngc_entry *out, struct ngc_error *err);

#endif
