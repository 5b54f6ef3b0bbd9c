/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_TEXT_H
#define NGC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/bytes.h"
#include "ngc/mem.h"

/*
 * The length of the valid UTF-8 sequence at the start of s (1 to 4), or 0 when there is
 * none: overlong forms, surrogates and what lies beyond U+10FFFF are not valid.
 */
size_t ngc_utf8_sequence(struct ngc_bytes s);
bool ngc_utf8_valid(struct ngc_bytes s);

/*
 * Append s so that it is safe on a terminal and stays on one line: control characters
 * (C0, DEL, C1), the Unicode characters that reorder or end lines, and bytes that are not
 * UTF-8 become \n, \t, \r, \xNN or \u{NNNN}.  For people: a backslash stays as it is.
 */
void ngc_text_escape(struct ngc_buf *out, struct ngc_bytes s);

/*
 * The same for one character: s is one UTF-8 sequence or one other byte.  Returns how
 * many bytes were written; no NUL is.
 */
#define NGC_ESCAPE_MAX 12
size_t ngc_text_escape_one(struct ngc_bytes s, char out[NGC_ESCAPE_MAX]);

/* Append s in base64 (RFC 4648, padded). */
void ngc_text_base64(struct ngc_buf *out, struct ngc_bytes s);

/*
 * The only candidate that word is the beginning of, else the nearest one by edit
 * distance, for "did you mean"; NULL when none is near. candidates ends with NULL.
 */
const char *ngc_text_nearest(const char *word, const char *const *candidates);

#endif
