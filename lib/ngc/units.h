/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_UNITS_H
#define NGC_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "ngc/bytes.h"

/*
 * Numbers as nginx writes them.  Every parser takes the whole text or refuses it: no
 * sign, no blanks around it, no overflow.  Each returns false and leaves *out alone when
 * refusing.
 */

/* Decimal digits only. */
bool ngc_parse_number(struct ngc_bytes s, int64_t *out);

/* ngx_parse_size(): digits and an optional k, K, m or M.  Bytes. */
bool ngc_parse_size(struct ngc_bytes s, int64_t *out);

/* ngx_parse_offset(): the same and g or G.  Bytes. */
bool ngc_parse_offset(struct ngc_bytes s, int64_t *out);

/*
 * ngx_parse_time(): "90", "10m", "1h 30m", "7d"; units y M w d h m s, largest first, each
 * at most once; a last number without a unit is seconds. _seconds takes no ms and gives
 * seconds; _milliseconds takes ms, but neither y nor M, and gives milliseconds (a bare
 * number is still seconds).
 */
bool ngc_parse_seconds(struct ngc_bytes s, int64_t *out);
bool ngc_parse_milliseconds(struct ngc_bytes s, int64_t *out);

/*
 * A point in time: Unix seconds, "2026-11-30T12:00:00Z" (UTC), or "now", which is the now
 * that is handed in.
 */
bool ngc_parse_instant(struct ngc_bytes s, int64_t now, int64_t *out);

/* Room for any text the functions below write. */
#define NGC_UNIT_TEXT 48

/* 1536 -> "1.5k", 10485760 -> "10m", for people; plain bytes below 1k. */
const char *ngc_format_size(uint64_t bytes, char out[NGC_UNIT_TEXT]);

/* 5400 -> "1h 30m": the two largest units, in the form ngc_parse_seconds() takes. */
const char *ngc_format_seconds(int64_t seconds, char out[NGC_UNIT_TEXT]);

/* The same with all its units: 93784 -> "1d 2h 3m 4s". */
const char *ngc_format_seconds_exact(int64_t seconds, char out[NGC_UNIT_TEXT]);

/* "2026-11-30T12:00:00Z"; a time no calendar can hold is written as its number. */
const char *ngc_format_instant(int64_t t, char out[NGC_UNIT_TEXT]);

/* "10.0.0.1" as nginx reads it: "010.0.0.1" and "10..0.1" are the same. */
bool ngc_parse_ipv4(struct ngc_bytes s, uint32_t *out);

#endif
