/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_ENTRY_H
#define NGC_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "ngc/coding.h"
#include "ngc/error.h"
#include "ngc/header.h"
#include "ngc/response.h"
#include "ngc/zone.h"

struct ngc_cache;

/* The bytes of a member of an archive: they come in order, and once. */
struct ngc_stream {
	/* The next bytes, n at most; 0 at the end, -1 and errno. */
	ssize_t (*read)(struct ngc_stream *s, void *p, size_t n);
	/* At the end: are they what was archived?  Yes where nobody can tell. */
	bool (*intact)(struct ngc_stream *s);
};

/* The buffers behind an entry; one a thread, reused for every entry it looks at. */
struct ngc_reader;

/*
 * One candidate: a regular file named by 32 hex digits, in directories that are digits
 * from the end of its name.  It is handed to a visitor and is valid, with all that it
 * points to, until the visitor returns.
 */
struct ngc_entry {
	const struct ngc_cache *cache;
	struct ngc_reader *reader;
	struct ngc_stream *stream; /* of a member of an archive; NULL: it is a file */
	int dirfd, fd; /* its directory and itself, open for reading; a member's are -1 */
	bool writable;                  /* fd is open for writing, too */
	bool dirfd_owned;               /* ngc_entry_close() closes dirfd, too */
	char dir[NGC_LEVELS_TEXT];      /* its directory below the root, "" or "f/c1/" */
	char name[NGC_NAME_LEN + 1];
	bool orphan;  /* the zones' levels are others: nginx never serves it */
	bool damaged; /* the header did not parse: nothing below but stat */
	struct ngc_header header;
	struct ngc_bytes head;          /* as much of the file as was read */
	bool has_stat;                  /* ngc_entry_stat() succeeded */
	off_t size;                     /* bytes, apparent */
	uint64_t allocated;             /* bytes on disk */
	dev_t dev;
	ino_t ino;
	uid_t owner;
	mode_t mode;                    /* its permissions */
	nlink_t links;
	struct timespec changed;        /* its ctime */
	bool has_response;              /* ngc_entry_response() was called */
	struct ngc_response response;
};

/* Fill in the fields of stat(2).  Cheap when they are there already. */
enum ngc_code ngc_entry_stat(struct ngc_entry *e, struct ngc_error *err);

/*
 * Look at the file anew: the header, which nginx rewrites in place when it revalidates an
 * entry, and what stat(2) tells.  NGC_GONE: its name does not stand for it any more.
 */
enum ngc_code ngc_entry_reread(struct ngc_entry *e, struct ngc_error *err);

/*
 * Read up to body_start and parse the stored response header.
 * NGC_DAMAGED: the file ends before body_start; what is there is parsed all the same.
 * Not for a damaged entry.
 */
enum ngc_code ngc_entry_response(struct ngc_entry *e, struct ngc_error *err);

/*
 * What stands from an offset on, to the end of the file; out: on NGC_OK owned by the
 * caller (close()), otherwise NULL.  A member of an archive can be read once, and from no
 * later offset than its body's.  Its read() fails with NGC_DAMAGED at the end of what is
 * not as it was archived.
 */
enum ngc_code ngc_entry_source(struct ngc_entry *e, off_t from, struct ngc_source **out,
    struct ngc_error *err);

/* The path as reported: the cache's, and dir and name below it. */
struct ngc_buf;
void ngc_entry_path(const struct ngc_entry *e, struct ngc_buf *out);

/*
 * Changes, of files alone.  Each works on the very file that was judged: one that was
 * replaced since is left alone.  Bytes are written only to a regular file with one link
 * that the owner of the cache's root owns, after its header was read through the
 * descriptor that writes: it must still hold the key that was judged.  e->header is what
 * was read then.
 */
enum ngc_outcome {
	NGC_DONE,
	NGC_ALREADY_GONE, /* somebody else removed it */
	NGC_REPLACED,     /* nginx stored a new response there: kept */
	NGC_FAILED,       /* err says what and why, without the path */
};

/* The entry stops being served at once, also by open descriptors, and the file is
 * unlinked. */
enum ngc_outcome ngc_entry_remove(struct ngc_entry *e, struct ngc_error *err);

/*
 * What would come of removing it, or of writing into it, which is all that the other two
 * do; nothing is changed.
 */
enum ngc_outcome ngc_entry_try_remove(struct ngc_entry *e, struct ngc_error *err);
enum ngc_outcome ngc_entry_try_write(struct ngc_entry *e, struct ngc_error *err);

/* The entry stops being served at once; the file stays until nginx replaces it. */
enum ngc_outcome ngc_entry_invalidate(struct ngc_entry *e, struct ngc_error *err);

/*
 * The entry becomes stale: valid = min(valid, now - 1).  refetch: its validators are
 * cleared, so that the next fetch is unconditional.
 */
enum ngc_outcome ngc_entry_expire(struct ngc_entry *e, int64_t now, bool refetch,
    struct ngc_error *err);

#endif
