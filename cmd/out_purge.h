/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_PURGE_H
#define OUT_PURGE_H

#include "cmd.h"
#include "ngc/purge.h"

/*
 * The document of a purge: its beginning, behind which entries may be written when list
 * is set, each after a comma but the first; and the rest.
 */
void out_purge_json_begin(struct ngc_buf *b, const struct ngc_purge_request *req,
    bool list);
void out_purge_json_end(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_purge_request *req, const struct ngc_purge_result *r, bool list);

/* What each selector took, and tried when that was nothing: a member "selectors". */
void out_purge_json_selectors(struct ngc_buf *b, const struct ngc_select_result *found);

/* The same for people: what matched nothing, and the counts. */
void out_purge_text(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_purge_request *req, const struct ngc_purge_result *r);

#endif
