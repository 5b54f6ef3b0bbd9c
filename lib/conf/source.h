/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_SOURCE_H
#define CONF_SOURCE_H

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/mem.h"

#define SOURCE_CHAINS 256

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
	struct ngc_arena *arena; /* texts and names live here */
	const char *root;        /* "": none */
	bool dumped;
	struct dump_file *files; /* of the dump, in its order */
	size_t n_files;
	struct text
	    *texts[SOURCE_CHAINS]; /* read so far: many servers include the same files */
	size_t total;              /* bytes handed out so far */
};

/* Split the output of nginx -T; NGC_INVALID: it is none. */
enum ngc_code source_open_dump(struct source *s, struct ngc_bytes dump,
    struct ngc_error *err);

/* The text of a file, whose path must live on; the error does not name it. */
enum ngc_code source_read(struct source *s, const char *path, struct ngc_bytes *text,
    struct ngc_error *err);

/* A growing list of paths. */
struct paths {
	const char **path;
	size_t n, cap;
};

/*
 * The paths that match a pattern as glob(3) with no locale gives them: sorted by their
 * bytes, hidden names only where the pattern has the dot.  Adds none when nothing
 * matches.
 */
enum ngc_code source_glob(struct source *s, const char *pattern, struct paths *out,
    struct ngc_error *err);

#endif
