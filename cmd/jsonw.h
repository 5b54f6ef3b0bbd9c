/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef JSONW_H
#define JSONW_H

#include <stdbool.h>
#include <stdint.h>

#include "ngc/bytes.h"
#include "ngc/mem.h"

/*
 * A small streaming JSON writer, for lines and documents that are written as they happen:
 * every call appends to a buffer.  Commas are put by the writer of the next member.
 */

/* What stands between the quotes of a string: bytes that are not UTF-8 become U+FFFD. */
void jsonw_text(struct ngc_buf *b, struct ngc_bytes s);

/* The same with the quotes. */
void jsonw_string(struct ngc_buf *b, struct ngc_bytes s);

/* Numbers, in decimal digits. */
void jsonw_int(struct ngc_buf *b, int64_t v);
void jsonw_uint(struct ngc_buf *b, uint64_t v);

/* Members of an object: a comma unless the object was just opened, the name, the value.
 */
void jsonw_name(struct ngc_buf *b, const char *name);
void jsonw_member_bytes(struct ngc_buf *b, const char *name,
    struct ngc_bytes s); /* absent: null */
void jsonw_member_str(struct ngc_buf *b, const char *name,
    const char *s); /* NULL: null */
void jsonw_member_int(struct ngc_buf *b, const char *name, int64_t v);
void jsonw_member_uint(struct ngc_buf *b, const char *name, uint64_t v);
void jsonw_member_bool(struct ngc_buf *b, const char *name, bool v);
void jsonw_member_list(struct ngc_buf *b, const char *name,
    const char *const *list); /* up to a NULL; NULL: none */
void jsonw_member_null(struct ngc_buf *b, const char *name);

/* Elements of an array, or anything that may need a comma before it. */
void jsonw_comma(struct ngc_buf *b);

#endif
