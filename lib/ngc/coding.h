/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_CODING_H
#define NGC_CODING_H

#include <sys/types.h>

#include "ngc/bytes.h"
#include "ngc/error.h"

/* Bytes that come when they are asked for: a file's, or what undoing a coding makes. */
struct ngc_source {
	/* The next, n at most; 0: that was all.  -1: err tells why. */
	ssize_t (*read)(struct ngc_source *s, void *p, size_t n, struct ngc_error *err);
	void (*close)(struct ngc_source *s);
};

/*
 * Hand all of it to write(), piece by piece; what that returns ends it when it is not
 * NGC_OK.
 */
enum ngc_code ngc_source_pass(struct ngc_source *s,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err);

/*
 * Undoing gzip, deflate, br, zstd and xz.  What comes out is made as it is read, so that
 * little that becomes much takes no memory; what a coding's window takes is bounded, for
 * strangers choose it.
 */
struct ngc_coding;

/* By its name in Content-Encoding, in any case; NULL: none of those above. */
const struct ngc_coding *ngc_coding_named(struct ngc_bytes name);

/* By how a file begins, of which these are the first NGC_CODING_MAGIC bytes or all:
 * gzip or xz; NULL otherwise. */
#define NGC_CODING_MAGIC 6
const struct ngc_coding *ngc_coding_of(struct ngc_bytes first);

/*
 * Undo a coding of *s: on NGC_OK *s is what it becomes, and closing it closes what it was
 * made of, too; otherwise it is what it was.  A source without a byte becomes one.  Its
 * read() fails with NGC_DAMAGED where there is not what the coding makes, in whole.
 * NGC_DENIED: the library that undoes it is not installed.
 */
enum ngc_code ngc_coding_undo(const struct ngc_coding *c, struct ngc_source **s,
    struct ngc_error *err);

#endif
