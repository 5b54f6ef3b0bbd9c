/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODING_CODING_H
#define CODING_CODING_H

#include <stdbool.h>

#include "ngc/bytes.h"
#include "ngc/coding.h"

/* One coding, and how its library undoes it. */

struct coding_piece {
	struct ngc_bytes in; /* step() takes from its beginning */
	unsigned char *out;
	size_t room, made;
	bool ended; /* all that went in is a whole number of streams */
};

struct ngc_coding {
	const char *name, *alias; /* alias may be NULL */
	struct ngc_bytes magic;   /* a file of it begins so; empty: that is not told */
	/* NGC_DENIED: its library is not there. */
	enum ngc_code (*open)(void **state, struct ngc_error *err);
	/* Undo what of in fills room; all that there is when made stays below. */
	enum ngc_code (*step)(void *state, struct coding_piece *p, struct ngc_error *err);
	void (*close)(void *state);
};

extern const struct ngc_coding coding_gzip, coding_deflate; /* inflate.c */
extern const struct ngc_coding coding_br;                   /* brotli.c */
extern const struct ngc_coding coding_xz;                   /* xz.c */
extern const struct ngc_coding coding_zstd;                 /* zstd.c */

/* Files are padded with zeros behind the end of a stream, where another may follow. */
void coding_skip_padding(struct ngc_bytes *in);

#endif
