/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_DIGEST_H
#define NGC_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "ngc/bytes.h"

#define NGC_MD5_SIZE 16 /* nginx's NGX_HTTP_CACHE_KEY_LEN */
#define NGC_NAME_LEN 32 /* the hex digits of a cache file's name */

/* MD5, of which nginx makes file names. */
void ngc_md5(struct ngc_bytes s, unsigned char out[NGC_MD5_SIZE]);

/* CRC-32/ISO-HDLC, nginx's ngx_crc32_long(). */
uint32_t ngc_crc32(struct ngc_bytes s);
/* That of what crc is the sum of (0: nothing yet), with s behind it. */
uint32_t ngc_crc32_more(uint32_t crc, struct ngc_bytes s);
/* The same with n zero bytes behind it, which takes no longer for many. */
uint32_t ngc_crc32_zeros(uint32_t crc, uint64_t n);

/* 32 lower-case hex digits and a NUL. */
void ngc_hex(const unsigned char md5[NGC_MD5_SIZE], char out[NGC_NAME_LEN + 1]);

/* The name of the file that holds key: ngc_hex(ngc_md5(key)). */
void ngc_key_name(struct ngc_bytes key, char out[NGC_NAME_LEN + 1]);

#endif
