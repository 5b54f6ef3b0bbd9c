/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <ctype.h>

static int hex_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode the byte at s, a %XX or a plain one; returns how many bytes it took. */
static size_t decode_one(struct ngc_bytes s, unsigned char *out)
{
	if (s.p[0] == '%' && s.n > 2 && hex_value(s.p[1]) >= 0 && hex_value(s.p[2]) >= 0) {
		*out = (unsigned char)(hex_value(s.p[1]) << 4 | hex_value(s.p[2]));
		return 3;
	}
	*out = s.p[0];
	return 1;
}

/* Drop ":8080" from the end of an authority. */
static struct ngc_bytes without_port(struct ngc_bytes host)
{
	size_t n = host.n;

	while (n > 0 && isdigit(host.p[n - 1]))
		n--;
	if (n > 0 && host.p[n - 1] == ':')
		host.n = n - 1;
	return host;
}

/*
 * Stars of the authority do not reach into the path, so that a pattern over subdomains takes no
 * page of another host with such a path; one that ends the whole pattern does.
 */
static void host_to_regex(struct ngc_buf *re, struct ngc_bytes host, bool whole)
{
	if (!whole)
		host = without_port(host);
	for (size_t i = 0; i < host.n; i++) {
		unsigned char c = (unsigned char)tolower(host.p[i]);

		if (c == '\\' && i + 1 < host.n)
			ngc_pattern_quote(re, ngc_bytes(&host.p[++i], 1));
		else if (c == '*')
			ngc_buf_add_str(re, whole && i + 1 == host.n ? ".*" : "[^/]*");
		else
			ngc_pattern_quote(re, ngc_bytes(&c, 1));
	}
	if (whole && (host.n == 0 || host.p[host.n - 1] != '*'))
		ngc_buf_add_char(re, '/');
}

static void target_to_regex(struct ngc_buf *re, struct ngc_bytes target)
{
	while (target.n > 0 && target.p[0] != '#') {
		unsigned char c = target.p[0];
		size_t took = 1;

		if (c == '*') {
			ngc_buf_add_str(re, ".*");
		} else if (c == '\\' && target.n > 1) {
			ngc_pattern_quote(re, ngc_bytes(target.p + 1, 1));
			took = 2;
		} else {
			took = decode_one(target, &c);
			ngc_pattern_quote(re, ngc_bytes(&c, 1));
		}
		target = ngc_bytes_from(target, took);
	}
}

/* Take "http://" or "https://" off; false when there is no scheme. */
static bool take_scheme(struct ngc_bytes *url)
{
	static const char *const schemes[] = { "http://", "https://", "*://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		struct ngc_bytes scheme = ngc_bytes_of(schemes[i]);

		if (url->n >= scheme.n && ngc_bytes_same(ngc_bytes(url->p, scheme.n), scheme)) {
			*url = ngc_bytes_from(*url, scheme.n);
			return true;
		}
	}
	return false;
}

enum ngc_code url_pattern_compile(struct ngc_bytes url, struct ngc_pattern **out,
    struct ngc_error *err)
{
	struct ngc_bytes left = url;
	struct ngc_buf re = { 0 };
	enum ngc_code code;
	size_t host = 0;

	*out = NULL;
	ngc_buf_add_str(&re, "\\A");
	if (take_scheme(&left)) {
		while (host < left.n && left.p[host] != '/')
			host++;
		host_to_regex(&re, ngc_bytes(left.p, host), host == left.n);
	} else if (left.n > 0 && left.p[0] == '/') {
		ngc_buf_add_str(&re, "[^/]*");
	} else {
		code = ngc_fail(err, NGC_INVALID, 0,
		    "'%.*s': expected http://, https:// or a path", (int)url.n,
		    (const char *)url.p);
		goto out;
	}
	target_to_regex(&re, ngc_bytes_from(left, host));
	ngc_buf_add_str(&re, "\\z");
	code = re.failed ? ngc_no_memory(err)
			 : ngc_pattern_regex(ngc_buf_bytes(&re), out, err);
out:
	ngc_buf_free(&re);
	return code;
}

size_t url_pattern_subject(const struct ngc_reading *r, unsigned char *out, size_t size)
{
	struct ngc_bytes host = without_port(r->host), uri = r->uri;
	size_t n = 0;

	if (uri.p == NULL || host.n + uri.n > size)
		return 0;
	for (size_t i = 0; i < host.n; i++)
		out[n++] = (unsigned char)tolower(host.p[i]);
	while (uri.n > 0)
		uri = ngc_bytes_from(uri, decode_one(uri, &out[n++]));
	return n;
}
