/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_COPY_H
#define OP_COPY_H

#include <signal.h>
#include <sys/stat.h>

#include "ngc/entry.h"

/*
 * A whole copy of a cache file.  nginx writes headers anew in place, and others may
 * truncate or write a file while it is read: what was read counts only when the file is
 * the same afterwards.  An archive tells the size of a file before its bytes, and nothing
 * of a stream can be taken back, so each file is copied first, small ones into memory,
 * larger ones into a file without a name.
 */

/* A part of the file that holds data; what lies between parts are zeros. */
struct copy_extent {
	off_t at, n;
};

#define COPY_EXTENTS_MAX 1024

struct copy {
	unsigned char *memory;
	int spool; /* -1: there is none */
	bool spooled; /* the copy lies there */
	struct stat st; /* of the file, as it was copied */
	uint32_t sum; /* CRC-32 of all its bytes */
	bool sparse;
	struct copy_extent extents[COPY_EXTENTS_MAX];
	size_t n_extents;
	const volatile sig_atomic_t *stop; /* not 0: no copy is ended any more; or NULL */
};

/* spool: taken over, also on failure.  copy_close() in any case. */
enum ngc_code copy_open(struct copy *c, int spool, struct ngc_error *err);
void copy_close(struct copy *c);

/*
 * Copy the file of an entry.
 * NGC_GONE: it was removed or replaced meanwhile.  NGC_DENIED: it cannot be read, or
 * changes all the time.  NGC_FATAL: there is no room for a copy, or the run was stopped.
 * err says so without its path.
 */
enum ngc_code copy_take(struct copy *c, const struct ngc_entry *e, struct ngc_error *err);

/*
 * Hand out all bytes of the copy in order, in pieces.
 * Returns what sink() did, or NGC_FATAL: the copy cannot be read, or the run was stopped.
 */
enum ngc_code copy_give(struct copy *c,
    enum ngc_code (*sink)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err);

#endif
