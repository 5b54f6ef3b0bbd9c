/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_ARCHIVE_H
#define OUT_ARCHIVE_H

#include "cmd.h"
#include "ngc/archive.h"

/* What became of an archive. */
void out_archive_json(struct ngc_buf *b, const struct cmd_env *env, const char *file,
    const struct ngc_archive_result *r);

/* One line for people; nothing when there is no archive. */
void out_archive_text(struct ngc_buf *b, const struct cmd_env *env, const char *file,
    const struct ngc_archive_result *r);

/* How far it is, on the terminal. */
void out_archive_progress(const struct ngc_archive_result *so_far);

#endif
