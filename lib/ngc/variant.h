/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_VARIANT_H
#define NGC_VARIANT_H

#include <stddef.h>

#include "ngc/digest.h"
#include "ngc/request.h"

/*
 * The variant that nginx computes for a request of a key whose response has that Vary
 * (ngx_http_file_cache_vary()): hex of it names the file, unless the main entry holds it.
 */
void ngc_variant_compute(struct ngc_bytes key, struct ngc_bytes vary,
    const struct ngc_request_header *headers, size_t n, unsigned char out[NGC_MD5_SIZE]);

#endif
