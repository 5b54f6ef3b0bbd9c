/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORE_GUNZIP_H
#define STORE_GUNZIP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Undoing gzip, and looking at its checksums: libarchive undoes it, too, and does not
 * look at them.
 */
struct gunzip;

#define GUNZIP_MAGIC 3 /* so many bytes tell a file of gzip's */
bool gunzip_knows(const unsigned char *p, size_t n);

/* first: n bytes of it that were read already, which are copied.  NULL: no memory. */
struct gunzip *gunzip_new(const unsigned char *first, size_t n);
void gunzip_free(struct gunzip *g); /* NULL is fine */

/*
 * The next bytes, n at most; read() gives what is to be undone.  0: that was all, and its
 * checksums are right.  -1: read() fails, or, when *why is set, it is damaged.
 */
ssize_t gunzip_read(struct gunzip *g, ssize_t (*read)(void *arg, void *p, size_t n),
    void *arg, unsigned char *out, size_t n, const char **why);

#endif
