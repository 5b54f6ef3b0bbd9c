/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_URL_H
#define NGC_URL_H

#include <stdbool.h>

#include "ngc/bytes.h"
#include "ngc/error.h"

/*
 * A URL as a person types it: "https://www.example.com/blog/?p=2", "www.example.com" is
 * no URL, "/blog/" is a path on every host.  The parts keep the bytes as typed, but the
 * host is lower-cased and the scheme too.
 */
struct ngc_url {
	struct ngc_bytes text;   /* all of it, as typed */
	struct ngc_bytes scheme; /* "http" or "https"; absent: a bare path */
	struct ngc_bytes host;   /* without port and trailing dot, a UTF-8 one as its xn--
				  * form;   absent: a bare path */
	struct ngc_bytes authority; /* host and port as typed; absent: a bare path */
	unsigned port;           /* 0: none given */
	struct ngc_bytes target; /* path and query, "/x?y"; "/" when the path is empty */
	struct ngc_bytes path;   /* the part of target before the first '?' */
	struct ngc_bytes query;  /* after it; absent: no '?' */
};

/*
 * Parse one URL.  The fragment is dropped.
 * out: on NGC_OK owned by the caller (ngc_url_free()), otherwise NULL.
 * NGC_INVALID: neither http(s)://HOST... nor /PATH; userinfo; a bad host or port; NUL, LF
 * or another control character.
 */
enum ngc_code ngc_url_parse(struct ngc_bytes text, struct ngc_url **out,
    struct ngc_error *err);
void ngc_url_free(struct ngc_url *u); /* NULL is fine */

/* The host of "example.com:8080" or "[::1]:80". */
struct ngc_bytes ngc_host_without_port(struct ngc_bytes host);

struct ngc_buf;

/*
 * Append nginx's $uri for a path: percent-decoded, "." and ".." resolved, "//" merged.
 * False: nginx would answer 400 (a bad escape, %00, above the root); nothing is appended.
 */
bool ngc_url_normalise(struct ngc_bytes path, struct ngc_buf *out);

/* The same where merge_slashes is off: "//" stays. */
bool ngc_url_resolve(struct ngc_bytes path, struct ngc_buf *out);

#endif
