/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_PATTERN_H
#define NGC_PATTERN_H

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/mem.h"

/* A compiled pattern over bytes; shared by threads, which each match with a room of their
 * own. */
struct ngc_pattern;
struct ngc_pattern_room;

/*
 * A PCRE2 regular expression, on bytes: '.' matches LF, '$' only the very end.
 * out: on NGC_OK owned by the caller (ngc_pattern_free()), otherwise NULL.
 * NGC_INVALID: what is wrong and at which offset.
 */
enum ngc_code ngc_pattern_regex(struct ngc_bytes re, struct ngc_pattern **out,
    struct ngc_error *err);

/* A shell pattern anchored at both ends: *, ?, [...], [!...], {a,b}, and \ before any of
 * them. */
enum ngc_code ngc_pattern_glob(struct ngc_bytes glob, struct ngc_pattern **out,
    struct ngc_error *err);

/* The same without regard to the case of letters. */
enum ngc_code ngc_pattern_glob_nocase(struct ngc_bytes glob, struct ngc_pattern **out,
    struct ngc_error *err);

/* Append a regular expression that matches just these bytes. */
void ngc_pattern_quote(struct ngc_buf *re, struct ngc_bytes literal);

void ngc_pattern_free(struct ngc_pattern *p); /* NULL is fine */

struct ngc_pattern_room *ngc_pattern_room_new(void); /* NULL: no memory */
void ngc_pattern_room_free(struct ngc_pattern_room *r); /* NULL is fine */

/*
 * Does it match?  NGC_OK: *matched tells.  NGC_DAMAGED: matching was given up because it
 * took too many steps; the text says so.
 */
enum ngc_code ngc_pattern_match(const struct ngc_pattern *p,
    struct ngc_pattern_room *room, struct ngc_bytes subject, bool *matched,
    struct ngc_error *err);

/*
 * The same, and what the first pair of parentheses caught; of a pattern without one, what
 * it matched.  out borrows from subject; absent when there is nothing.
 */
enum ngc_code ngc_pattern_capture(const struct ngc_pattern *p,
    struct ngc_pattern_room *room, struct ngc_bytes subject, struct ngc_bytes *out,
    struct ngc_error *err);

#endif
