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
	const struct ngc_zone *told;   /* what is reported */
	const char *path;              /* of that */
	int fd; /* the root, open for reading */
	struct ngc_place place;
	uid_t owner; /* of the root */
	struct ngc_place *others; /* the roots of other zones */
	size_t n_others;
	const struct ngc_zone *unseen; /* one whose root could not be looked for */
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

/* How a name must end to lie in dir ("f/c1/": "c1f"); false: dir is none of levels. */
bool levels_tail(const char *dir, char tail[NGC_LEVELS_TEXT]);

/* Open a directory in another; its access time stays where that can be had. */
int dir_open_at(int dirfd, const char *name);

/* Open a directory below the root, component by component; no link is followed. */
int level_dir_open(int rootfd, const char *dir);
/* The same of one in which names are looked up, but which is not read. */
int level_dir_pass(int rootfd, const char *dir);

/* The name of a user, or "uid N". */
#define OWNER_TEXT 64
const char *owner_name(uid_t uid, char out[OWNER_TEXT]);

/*
 * NGC_DENIED for a file or directory that could not be opened or read with errno sys:
 * names the first one on the way that keeps us out, and who may enter it.
 */
enum ngc_code access_denied(const char *path, int sys, struct ngc_error *err);

/* Read on until the head holds want bytes or the file ends; -1 and errno. */
int entry_head_extend(struct ngc_entry *e, size_t want);

/* Most keys and the whole binary header; one read, one page. */
#define FIRST_READ 512

/* A candidate's file, opened, and its first bytes. */
struct start {
	char name[NGC_NAME_LEN + 1];
	int fd;               /* -1: it could not be opened, for sys */
	bool writable;        /* it could be opened for writing, too */
	int sys;              /* errno of what failed, or 0 */
	size_t n;             /* of the first bytes */
	unsigned char *first; /* FIRST_READ of them have room */
};

/* Open and read the one that is named in s->name. */
void start_read(struct start *s, int dirfd);

/*
 * The entry whose start was read; it borrows s->fd and s->first.  NGC_GONE and NGC_DENIED
 * as for ngc_entry_open().
 */
enum ngc_code entry_of_start(const struct ngc_cache *c, struct ngc_reader *r, int dirfd,
    const char *dir, const struct start *s, struct ngc_entry *out, struct ngc_error *err);

struct stat;
void entry_take_stat(struct ngc_entry *e, const struct stat *st);

/*
 * Candidates of one directory, opened and read together: a call into the kernel is
 * cheaper right after its like, and a disk is waited for once for all of them.
 */
#define BATCH_MAX 64

struct batch {
	size_t n;
	struct start of[BATCH_MAX];
	bool writes; /* they are opened for writing, too, where that is allowed */
	bool cold; /* the page cache did not hold them */
	unsigned char first[BATCH_MAX][FIRST_READ];
};

struct batch *batch_new(bool writes); /* NULL: no memory */
void batch_free(struct batch *b); /* NULL is fine */
void batch_add(struct batch *b, const char *name); /* b->n must be below BATCH_MAX */

/*
 * Open and read those from the from-th on, as many as descriptors allow, one at least;
 * returns the index behind them.  To be closed with batch_close().
 */
size_t batch_read(struct batch *b, size_t from, int dirfd);
void batch_close(const struct batch *b, size_t from, size_t to);

#endif
