/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_SOURCE_H
#define CONF_SOURCE_H

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/mem.h"

#define SOURCE_CHAINS 256

#define SOURCE_DEPTH_MAX 64

/* A growing buffer. */
struct scratch {
	unsigned char *p;
	size_t size;
};

/* One file of an nginx -T dump. */
struct dump_file {
	const char *name;
	struct ngc_bytes text;
};

/*
 * Where the text of configuration files comes from: the file system below a root, or a
 * dump, in which case the file system is never touched.
 */
struct source {
	struct ngc_arena *arena; /* names, and texts that are read again, live here */
	const char *root;        /* "": none */
	bool dumped;
	struct dump_file *files; /* of the dump, in its order */
	size_t n_files;
	struct text
	    *texts[SOURCE_CHAINS]; /* read so far: many servers include the same files */
	struct scratch scratch[SOURCE_DEPTH_MAX]; /* a file's text while it is read */
	size_t total;                             /* bytes handed out so far */
};

/* Split the output of nginx -T; NGC_INVALID: it is none. */
enum ngc_code source_open_dump(struct source *s, struct ngc_bytes dump,
    struct ngc_error *err);

/*
 * The text of a file, whose path must live on; the error does not name it.
 *
 * depth: how many files are being read, this one not counted.
 * text: valid until another is read at that depth, or source_close().
 */
enum ngc_code source_read(struct source *s, const char *path, unsigned depth,
    struct ngc_bytes *text, struct ngc_error *err);

/* No more is to be read. */
void source_close(struct source *s);

/* A growing list of paths. */
struct paths {
	const char **path;
	size_t n, cap;
};

/*
 * The paths that match a pattern as glob(3) with no locale gives them: sorted by their
 * bytes, hidden names only where the pattern has the dot.  Adds none when nothing
 * matches.  NGC_INVALID: a directory may not be listed.
 */
enum ngc_code source_glob(struct source *s, const char *pattern, struct paths *out,
    struct ngc_error *err);

#endif
