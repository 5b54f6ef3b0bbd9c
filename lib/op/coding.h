/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_CODING_H
#define OP_CODING_H

#include <stdbool.h>

#include "ngc/bytes.h"
#include "ngc/error.h"

/* One content coding, and how its library undoes it. */

struct coding_piece {
	struct ngc_bytes in; /* step() takes from its beginning */
	unsigned char *out;
	size_t room, made;
	bool ended; /* all that went in is a whole number of streams */
};

struct coding {
	const char *name, *alias; /* alias may be NULL */
	/* NGC_DENIED: its library is not there. */
	enum ngc_code (*open)(void **state, struct ngc_error *err);
	/* Undo what of in fills room; all that there is when made stays below. */
	enum ngc_code (*step)(void *state, struct coding_piece *p, struct ngc_error *err);
	void (*close)(void *state);
};

extern const struct coding coding_gzip, coding_deflate; /* inflate.c */
extern const struct coding coding_br;                   /* brotli.c */
extern const struct coding coding_zstd;                 /* zstd.c */

#endif
