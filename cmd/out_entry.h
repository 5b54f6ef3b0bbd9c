/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_ENTRY_H
#define OUT_ENTRY_H

#include "cmd.h"
#include "ngc/entry.h"

/* An entry for people and for programs.  Both read what they show from the entry alone.
 */

/* The members of an entry's JSON object, without the braces. */
enum ngc_code out_entry_json(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err);

/* What "show" adds to them. */
struct out_variants;
void out_entry_json_more(struct ngc_buf *b, const struct ngc_entry *e,
    const struct out_variants *variants);

/*
 * One line: status, state, size, age, key.  On a terminal a key that is too long is cut,
 * and a narrow one has no size and age; with -v everything is whole.
 */
enum ngc_code out_entry_line(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err);

/* The heading of such lines, for a terminal. */
void out_entry_heading(struct ngc_buf *b, const struct cmd_env *env);

/* Everything, a line a fact. */
enum ngc_code out_entry_text(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err);

/* What a selector that matched nothing tried, and what there is near. */
void out_miss_text(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_selector_result *s);

#endif
