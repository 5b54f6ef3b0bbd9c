/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_UPSTREAM_H
#define ROUTE_UPSTREAM_H

#include "ngc/bytes.h"

/*
 * The URL of a proxy_pass, taken apart: nginx's ngx_http_proxy_vars_t.  Borrows from it.
 */
struct upstream {
	struct ngc_bytes start; /* SCHEME://HOST[:PORT], as nginx's default key begins */
	struct ngc_bytes host; /* $proxy_host */
	struct ngc_bytes port; /* $proxy_port */
	struct ngc_bytes uri;  /* the URI part; empty: none */
	bool nul; /* start is followed by a NUL: a unix socket without URI part */
};

/* False: not a URL that proxy_pass takes. */
bool upstream_parse(struct ngc_bytes url, struct upstream *out);

#endif
