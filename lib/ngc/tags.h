/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_TAGS_H
#define NGC_TAGS_H

#include "ngc/response.h"

/*
 * Tags by which applications group their pages: words in Cache-Tag, Surrogate-Key, xkey,
 * X-Cache-Tags, X-Magento-Tags and Cache-Tags, parted by blanks or commas.
 */

/* Does a header of that name hold tags?  more: as below. */
bool ngc_tags_header(struct ngc_bytes name, const char *const *more);

/*
 * A position among the tags of a response: all zero at the start, or behind the name of
 * the first header that holds some.
 */
struct ngc_tag_position {
	size_t pos;             /* of ngc_response_next() */
	struct ngc_bytes value; /* what is left of the line in hand */
};

/*
 * The next tag; false at the end.  more: names of further headers that hold tags, ends
 * with NULL; may be NULL.
 */
bool ngc_tags_next(const struct ngc_response *r, const char *const *more,
    struct ngc_tag_position *at, struct ngc_bytes *tag);

#endif
