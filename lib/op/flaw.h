/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_FLAW_H
#define OP_FLAW_H

#include <sys/stat.h>

#include "ngc/verify.h"

/* What is wrong with one file; reason NGC_REASON_NONE: nothing. */
struct flaw {
	enum ngc_reason reason;
	char detail[NGC_DETAIL_TEXT];
};

/* Judge an entry.  NGC_DENIED: it cannot be looked at. */
enum ngc_code flaw_of_entry(struct ngc_entry *e, const struct ngc_router *r,
    struct flaw *out, struct ngc_error *err);

/* Judge what is no entry, at time now. */
void flaw_of_stray(const struct ngc_stray *s, const struct stat *st, int64_t now,
    struct flaw *out);

/* Has a file last been written to more than an hour before now? */
bool flaw_is_old(const struct stat *st, int64_t now);

#endif
