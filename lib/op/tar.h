/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_TAR_H
#define OP_TAR_H

#include "copy.h"
#include "output.h"

/* Writing a pax archive through libarchive. */

struct tar;

/*
 * The compression is told by the ending of the output's path.
 * out: on NGC_OK owned by the caller (tar_free()), otherwise NULL.
 * NGC_DENIED: libarchive is not there, or lacks that compression.
 */
enum ngc_code tar_create(struct output *o, struct tar **out, struct ngc_error *err);

/* NGC_INVALID: the ending is that of a format that is not written. */
enum ngc_code tar_check_name(const char *path, struct ngc_error *err);

/*
 * Add a file, as it was copied or from memory, with the mode, owner and time of st.
 * NGC_DENIED: the archive cannot be written, and is of no use.
 */
enum ngc_code tar_add_copy(struct tar *t, const char *path, struct copy *c,
    struct ngc_error *err);
enum ngc_code tar_add_text(struct tar *t, const char *path, const struct stat *st,
    struct ngc_bytes text, struct ngc_error *err);

/* Write what is left; the output is complete. */
enum ngc_code tar_finish(struct tar *t, struct ngc_error *err);

/* Without tar_finish() nothing more is written.  NULL is fine. */
void tar_free(struct tar *t);

#endif
