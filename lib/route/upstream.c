/* SPDX-License-Identifier: BSD-2-Clause */
#include "upstream.h"

#include "ngc/units.h"

/* nginx's ngx_parse_url() and ngx_http_proxy_set_vars(). */

static bool parse_unix(struct ngc_bytes url, size_t scheme, struct upstream *u)
{
	struct ngc_bytes left = ngc_bytes_from(url, scheme + 5);
	const unsigned char *colon = memchr(left.p, ':', left.n);

	u->host = ngc_bytes_of("localhost");
	u->port = ngc_bytes_of("");
	u->start = url;
	u->nul = colon == NULL;
	if (colon != NULL) {
		u->start.n = (size_t)(colon - url.p) + 1;
		u->uri = ngc_bytes_from(url, u->start.n);
	}
	return left.n > 0;
}

static bool same_number(struct ngc_bytes a, struct ngc_bytes b)
{
	int64_t x, y;

	return ngc_parse_number(a, &x) && ngc_parse_number(b, &y) && x == y;
}

static bool parse_host(struct ngc_bytes url, size_t scheme, struct ngc_bytes default_port,
    struct upstream *u)
{
	struct ngc_bytes left = ngc_bytes_from(url, scheme), port;
	size_t end = 0, colon;

	while (end < left.n && left.p[end] != '/' && left.p[end] != '?')
		end++;
	u->uri = ngc_bytes_from(left, end);
	left.n = end;
	colon = end;
	for (size_t i = end; i-- > 0 && left.p[i] != ']';)
		if (left.p[i] == ':')
			colon = i;
	port = ngc_bytes_from(left, colon < end ? colon + 1 : end);
	u->port = port.n > 0 && !same_number(port, default_port) ? port : default_port;
	u->host = left;
	if (u->port.p == default_port.p)
		u->host.n = colon;
	u->start = ngc_bytes(url.p, scheme + u->host.n);
	return colon > 0;
}

bool upstream_parse(struct ngc_bytes url, struct upstream *out)
{
	bool tls = url.n >= 8 &&
		   ngc_bytes_same(ngc_bytes(url.p, 8), ngc_bytes_of("https://"));
	size_t scheme = tls ? 8 : 7;

	*out = (struct upstream){ 0 };
	if (url.n <= scheme ||
	    (!tls && !ngc_bytes_same(ngc_bytes(url.p, 7), ngc_bytes_of("http://"))))
		return false;
	if (ngc_bytes_starts(ngc_bytes_from(url, scheme), ngc_bytes_of("unix:")))
		return parse_unix(url, scheme, out);
	return parse_host(url, scheme, ngc_bytes_of(tls ? "443" : "80"), out);
}
