/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_CACHE_H
#define NGC_CACHE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ngc/entry.h"
#include "ngc/error.h"
#include "ngc/zone.h"

/* A zone's root directory, opened.  All that is done below goes through its descriptor.
 */
/* Which directory a path leads to. */
struct ngc_place {
	dev_t dev;
	ino_t ino;
};

struct ngc_cache;

/*
 * Open the root of a zone.  A symbolic link on the way is followed when it belongs to
 * root or to the owner of the directory it leads to.
 *
 * sysroot: the path lies below it and links are resolved as if it were "/"; NULL: "/".
 * out: on NGC_OK owned by the caller (ngc_cache_close()), otherwise NULL.
 * NGC_GONE: there is no such directory.  NGC_DENIED: it may not be read; the text names
 * the directory and the user who can.  NGC_INVALID: it is not a cache: a system
 * directory, or not empty and without a trace of nginx's cache in it, or a foreign link
 * leads to it. The zone must outlive the cache.
 */
enum ngc_code ngc_cache_open(const struct ngc_zone *zone, const char *sysroot,
    struct ngc_cache **out, struct ngc_error *err);
void ngc_cache_close(struct ngc_cache *c); /* NULL is fine */

/* Another zone lies there, too: its files are no orphans. */
enum ngc_code ngc_cache_join(struct ngc_cache *c, const struct ngc_zone *zone,
    struct ngc_error *err);

/* The one it was opened for. */
const struct ngc_zone *ngc_cache_zone(const struct ngc_cache *c);
/* That, and those that joined it. */
const struct ngc_zone *const *ngc_cache_zones(const struct ngc_cache *c, size_t *n);
/*
 * The root of another zone, or of one that could not be looked for (place NULL): nothing
 * of it is taken for the cache's, though it lie in it.  NGC_FATAL: no memory.
 */
enum ngc_code ngc_cache_avoid(struct ngc_cache *c, const struct ngc_zone *zone,
    const struct ngc_place *place, struct ngc_error *err);
/* Is that directory the root of another zone? */
bool ngc_cache_avoids(const struct ngc_cache *c, struct ngc_place place);
/* A zone that could not be looked for, and may lie there, too; NULL: none. */
const struct ngc_zone *ngc_cache_unseen(const struct ngc_cache *c);
/* By which levels their files can lie, and by how many: all when some are not known. */
unsigned ngc_cache_levels(const struct ngc_cache *c,
    struct ngc_levels out[NGC_LEVELS_KINDS]);
/* The one that is reported: a directory of an archive is a zone by itself. */
const struct ngc_zone *ngc_cache_told(const struct ngc_cache *c);
const char *ngc_cache_name(const struct ngc_cache *c); /* its name; NULL: it has none */
const char *ngc_cache_path(const struct ngc_cache *c); /* where it lies */
uid_t ngc_cache_owner(const struct ngc_cache *c); /* of its root */

/*
 * Can nginx store in it?  user: whom its workers run as, or NULL; where the root belongs
 * to somebody other than the superuser, its owner counts instead.
 * NGC_DENIED: no; the text says why.
 */
enum ngc_code ngc_cache_writable(const struct ngc_cache *c, const char *user,
    struct ngc_error *err);

/*
 * The place of a path, links followed as below sysroot.
 * NGC_GONE: there is no such directory.  NGC_DENIED: whether there is one cannot be seen.
 */
enum ngc_code ngc_place_find(const char *path, const char *sysroot, struct ngc_place *out,
    struct ngc_error *err);
/* Open the directory that a path leads to so; -1 and errno. */
int ngc_place_open(const char *path, const char *sysroot);
struct ngc_place ngc_cache_place(const struct ngc_cache *c);

static inline bool ngc_place_same(struct ngc_place a, struct ngc_place b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

/* A thread's buffers for the entries it looks at; NULL: no memory. */
struct ngc_reader *ngc_reader_new(void);
void ngc_reader_free(struct ngc_reader *r); /* NULL is fine */

/*
 * Look at one candidate.  dir is its directory below the root ("", "f/c1/"), name its
 * name. out: on NGC_OK filled in and to be closed (ngc_entry_close()); out->damaged tells
 * a file whose header does not parse. NGC_GONE: no such file, or no regular file.
 * NGC_DENIED: it cannot be opened or read.
 */
enum ngc_code ngc_entry_open(const struct ngc_cache *c, struct ngc_reader *r,
    const char *dir, const char *name, struct ngc_entry *out, struct ngc_error *err);
void ngc_entry_close(struct ngc_entry *e);

/*
 * A directory of an archive as a cache: nothing can be opened in it.  zone: what its
 * entries are taken for; told: what is reported.  Both must outlive it.  NULL: no memory.
 */
struct ngc_cache *ngc_cache_archived(const struct ngc_zone *zone,
    const struct ngc_zone *told);

/*
 * Look at a member of an archive.  What stat(2) tells of a file is filled in, as are
 * cache, stream, dir and name; the rest is set, as by ngc_entry_open().  It need not be
 * closed.  NGC_DENIED: it cannot be read.
 */
enum ngc_code ngc_entry_unpack(struct ngc_entry *e, struct ngc_reader *r,
    struct ngc_error *err);

/*
 * Is name one that nginx gives an entry in dir: 32 lower-case hex digits from whose end
 * the directories are taken?
 */
bool ngc_candidate_name(const char *dir, const char *name);

/*
 * The path of a candidate taken apart: which of its last 0, 1, 2, 3 directories can be
 * levels, and how long the path of the root is then, with its slash (0: the working
 * directory).
 */
struct ngc_candidate_path {
	const char *name;
	unsigned depth; /* the most that fit */
	bool fits[NGC_LEVELS_MAX + 1];
	size_t root_len[NGC_LEVELS_MAX + 1];
};

/* False: not the path of a candidate. */
bool ngc_candidate_split(const char *path, struct ngc_candidate_path *out);

/* What a walk meets besides candidates that can be read. */
enum ngc_stray_kind {
	NGC_STRAY_UNREADABLE, /* a candidate that the disk does not give (EIO) */
	NGC_STRAY_NAME, /* 32 hex digits, but no file, or in directories of another */
	NGC_STRAY_TEMP_FILE, /* by its name a temporary file of nginx */
	NGC_STRAY_TEMP_DIR,  /* by its name the directory of such */
	NGC_STRAY_OTHER,
};

struct ngc_stray {
	const struct ngc_cache *cache;
	enum ngc_stray_kind kind;
	int dirfd;        /* its directory */
	const char *dir;  /* the same below the root: "" or "f/c1/" */
	const char *name;
};

/*
 * Read a directory of temporary files, NGC_STRAY_TEMP_DIR, and those of levels in it;
 * visit() is called for everything else that is there.  NGC_DENIED: some directory could
 * not be read.
 */
enum ngc_code ngc_stray_temp_files(const struct ngc_stray *dir,
    void (*visit)(void *arg, const struct ngc_stray *s), void *arg,
    struct ngc_error *err);

/* What a walk met. */
struct ngc_walk_totals {
	uint64_t candidates;       /* visited; damaged ones too */
	uint64_t damaged;
	uint64_t orphans;
	uint64_t temporary;        /* nginx's temporary files and temp directories */
	uint64_t foreign;          /* everything else */
	uint64_t bytes, allocated; /* of the candidates, when sizes were asked for */
	uint64_t failed;           /* directories and files that could not be looked at */
};

void ngc_walk_totals_add(struct ngc_walk_totals *sum, const struct ngc_walk_totals *t);

/* How walks go about their work. */
struct ngc_pace {
	unsigned jobs; /* threads; 0: chosen */
	bool gentle; /* one thread, unless jobs says more, that rests as long as it worked
		      */
	/* Called now and then by one thread at a time: so many more candidates were
	 * looked at.  May be NULL. */
	void (*progress)(void *arg, uint64_t more);
	void *arg;
};

struct ngc_walk {
	const struct ngc_cache *cache;
	struct ngc_pace pace;
	bool headers;              /* open and parse every candidate and visit it */
	bool writes; /* most are going to be written to: open them for it where allowed */
	bool sizes;                /* total up bytes and allocated */
	const volatile sig_atomic_t *stop; /* not 0: end the walk soon; may be NULL */

	/*
	 * Called for every candidate when headers is set, by several threads at a time;
	 * thread is their number, below the walk's ngc_walk_jobs().  Anything but NGC_OK
	 * ends the walk.
	 */
	enum ngc_code (*visit)(void *arg, unsigned thread, struct ngc_entry *e,
	    struct ngc_error *err);
	/* Called for everything else, as visit is, or NULL; an unreadable candidate is
	 * then no problem. */
	enum ngc_code (*stray)(void *arg, unsigned thread, const struct ngc_stray *s,
	    struct ngc_error *err);
	/* Called for the root ("") and every directory that is entered, as visit is, or
	 * NULL. */
	void (*enter)(void *arg, unsigned thread, int fd, const char *dir);
	/* Called for what could not be looked at, by one thread at a time; the walk goes
	 * on. */
	void (*problem)(void *arg, const struct ngc_error *err);
	void *arg;
};

/* How many threads a walk at that pace may use. */
unsigned ngc_walk_jobs(const struct ngc_pace *pace);

/*
 * Walk a cache.  Only the root and directories of one or two lower-case hex digits are
 * entered, three deep at most, and no symbolic link is followed.  Entries that vanish are
 * passed over silently.
 * totals: what was met, added to what stands there.
 * Returns what a visitor returned, or NGC_FATAL.
 */
enum ngc_code ngc_walk_run(const struct ngc_walk *w, struct ngc_walk_totals *totals,
    struct ngc_error *err);

#endif
