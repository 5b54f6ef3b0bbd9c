/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_DECODE_H
#define NGC_DECODE_H

#include <stddef.h>

#include "ngc/error.h"
#include "ngc/response.h"

/*
 * Undoing the content codings of a response: gzip, deflate, br, zstd, and several of them
 * one around the other.  What goes in comes out piece by piece, so that a small body that
 * becomes a large one takes no memory.
 */
struct ngc_decoder;

/*
 * What comes out is handed to write(); what that returns ends it when it is not NGC_OK.
 * out: on NGC_OK owned by the caller (ngc_decoder_free()), otherwise NULL.  r is not
 * needed later.
 * NGC_DENIED: a Content-Encoding is not known, or its library is not installed.
 */
enum ngc_code ngc_decoder_new(const struct ngc_response *r,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_decoder **out, struct ngc_error *err);
void ngc_decoder_free(struct ngc_decoder *d); /* NULL is fine */

/* The next piece of the body.  NGC_DAMAGED: it is not what its coding makes. */
enum ngc_code ngc_decoder_feed(struct ngc_decoder *d, const void *p, size_t n,
    struct ngc_error *err);

/* That was all.  NGC_DAMAGED: there must be more.  A body that is empty may be. */
enum ngc_code ngc_decoder_end(struct ngc_decoder *d, struct ngc_error *err);

#endif
