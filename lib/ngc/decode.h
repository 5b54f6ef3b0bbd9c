/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_DECODE_H
#define NGC_DECODE_H

#include "ngc/coding.h"
#include "ngc/error.h"
#include "ngc/response.h"

/*
 * Undo the content codings of a response, one around the other: *body, as it was stored,
 * becomes what it was before they were applied.  It is the caller's to close, also where
 * this fails.  r is not needed later.
 * NGC_DENIED: a Content-Encoding is not known, or its library is not installed.
 */
enum ngc_code ngc_decode(const struct ngc_response *r, struct ngc_source **body,
    struct ngc_error *err);

#endif
