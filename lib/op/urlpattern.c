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
	if (s.p[0] == '%' && s.n > 2 && hex_value(s.p[1]) >= 0 &&
	    hex_value(s.p[2]) >= 0) {
		*out = (unsigned char)(hex_value(s.p[1]) << 4 | hex_value(s.p[2]));
		return 3;
	}
	*out = s.p[0];
	return 1;
}

/*
 * A '?' that belongs to the path, where it stands as %3F, is no beginning of a query: it
 * is written as a byte that no URI stands for.
 */
#define PATH_QUESTION '\0'

/* The same in a URI; query: a '?' as it is was met before it. */
static size_t decode_in_uri(struct ngc_bytes s, bool *query, unsigned char *out)
{
	size_t took = decode_one(s, out);

	if (*out == '?' && took > 1 && !*query)
		*out = PATH_QUESTION;
	*query = *query || (*out == '?' && took == 1);
	return took;
}

/* The host of the authority of a pattern, where ":*" is any port. */
static struct ngc_bytes pattern_host(struct ngc_bytes host)
{
	if (host.n >= 2 && memcmp(host.p + host.n - 2, ":*", 2) == 0)
		host.n -= 2;
	return ngc_host_without_port(host);
}

/* The length of the run at the start of s that holds none of those bytes. */
static size_t span_without(struct ngc_bytes s, const char *bytes)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == '\0' || strchr(bytes, s.p[n]) == NULL))
		n++;
	return n;
}

static bool is_ascii(struct ngc_bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 0x80)
			return false;
	return true;
}

/* A label in UTF-8 stands for its xn-- form. */
static enum ngc_code utf8_label_to_regex(struct ngc_buf *re, struct ngc_bytes label,
    struct ngc_error *err)
{
	struct ngc_buf text = { 0 };
	struct ngc_url *url = NULL;
	enum ngc_code code;

	ngc_buf_add_str(&text, "http://");
	ngc_buf_add_bytes(&text, label);
	code = text.failed ? ngc_no_memory(err)
			   : ngc_url_parse(ngc_buf_bytes(&text), &url, err);
	if (code == NGC_OK)
		ngc_pattern_quote(re, url->host);
	ngc_url_free(url);
	ngc_buf_free(&text);
	return code;
}

static void label_to_regex(struct ngc_buf *re, struct ngc_bytes label)
{
	for (size_t i = 0; i < label.n; i++) {
		unsigned char c = (unsigned char)tolower(label.p[i]);

		if (c == '*')
			ngc_buf_add_str(re, "[^/]*");
		else
			ngc_pattern_quote(re, ngc_bytes(&c, 1));
	}
}

static enum ngc_code host_to_regex(struct ngc_buf *re, struct ngc_bytes host,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	while (code == NGC_OK && host.n > 0) {
		struct ngc_bytes label = ngc_bytes(host.p, span_without(host, "."));

		if (is_ascii(label) || span_without(label, "*") < label.n)
			label_to_regex(re, label);
		else
			code = utf8_label_to_regex(re, label, err);
		host = ngc_bytes_from(host, label.n);
		if (host.n > 0) {
			ngc_pattern_quote(re, ngc_bytes(".", 1));
			host = ngc_bytes_from(host, 1);
		}
	}
	return code;
}

static enum ngc_code bad(struct ngc_bytes url, const char *what, struct ngc_error *err)
{
	return ngc_fail(err, NGC_INVALID, 0, "'%.*s' %s",
	    (int)(url.n < 200 ? url.n : 200), (const char *)url.p, what);
}

/*
 * Take host and port off the URL.  Stars of the host do not reach into the path, so that
 * a pattern over subdomains takes no page of another host with such a path; one that ends
 * the whole pattern does.
 */
static enum ngc_code authority_to_regex(struct ngc_buf *re, struct ngc_bytes url,
    struct ngc_bytes *left, struct ngc_error *err)
{
	struct ngc_bytes all = ngc_bytes(left->p, span_without(*left, "/?#"));
	struct ngc_bytes host = pattern_host(all);
	enum ngc_code code;
	bool open;

	*left = ngc_bytes_from(*left, all.n);
	if (host.n == 0)
		return bad(url, "has no host", err);
	if (span_without(all, "@") < all.n)
		return bad(url, "holds a user name", err);
	open = left->n == 0 && all.p[all.n - 1] == '*' && host.n == all.n;
	if (open)
		host.n--;
	code = host_to_regex(re, host, err);
	if (open)
		ngc_buf_add_str(re, ".*");
	else if (left->n == 0 || left->p[0] != '/')
		ngc_buf_add_char(re, '/'); /* an empty path is "/" */
	return code;
}

/*
 * A backslash before a star or a backslash makes it plain, any other is plain itself.
 * Where stars are plain, so are backslashes.
 */
static void text_to_regex(struct ngc_buf *re, struct ngc_bytes text, bool stars)
{
	bool query = false;

	while (text.n > 0) {
		unsigned char c = text.p[0];
		size_t took = 1;

		if (stars && c == '*') {
			ngc_buf_add_str(re, ".*");
		} else if (stars && c == '\\' && text.n > 1 &&
			   (text.p[1] == '*' || text.p[1] == '\\')) {
			ngc_pattern_quote(re, ngc_bytes(text.p + 1, 1));
			took = 2;
		} else {
			took = decode_in_uri(text, &query, &c);
			ngc_pattern_quote(re, ngc_bytes(&c, 1));
		}
		text = ngc_bytes_from(text, took);
	}
}

/* The page itself, and what of its scope stands around it; stars: they match anything. */
static void page_to_regex(struct ngc_buf *re, struct ngc_bytes target,
    const struct ngc_scope *scope, bool stars)
{
	struct ngc_bytes path = ngc_bytes(target.p, span_without(target, "?"));
	bool slash = path.n > 0 && path.p[path.n - 1] == '/';
	struct ngc_bytes base = ngc_bytes(path.p, path.n - slash);

	ngc_buf_add_str(re, "(?:");
	text_to_regex(re, scope->any_slash ? base : path, stars);
	if (scope->any_slash)
		ngc_buf_add_str(re, base.n > 0 ? "/?" : "/");
	if (scope->any_query)
		ngc_buf_add_str(re, "(?:\\?.*)?");
	else
		text_to_regex(re, ngc_bytes_from(target, path.n), stars);
	if (scope->recursive) {
		ngc_buf_add_char(re, '|');
		text_to_regex(re, base, stars);
		ngc_buf_add_str(re, "/[^?].*");
	}
	ngc_buf_add_str(re, ")\\z");
}

/* Take "http://" or "https://" off; false when there is no scheme. */
static bool take_scheme(struct ngc_bytes *url)
{
	static const char *const schemes[] = { "http://", "https://", "*://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		struct ngc_bytes scheme = ngc_bytes_of(schemes[i]);

		if (url->n >= scheme.n &&
		    ngc_bytes_same(ngc_bytes(url->p, scheme.n), scheme)) {
			*url = ngc_bytes_from(*url, scheme.n);
			return true;
		}
	}
	return false;
}

static enum ngc_code compile(struct ngc_buf *re, struct ngc_pattern **out,
    struct ngc_error *err)
{
	enum ngc_code code = re->failed ? ngc_no_memory(err)
					: ngc_pattern_regex(ngc_buf_bytes(re), out, err);

	ngc_buf_free(re);
	return code;
}

enum ngc_code url_pattern_compile(struct ngc_bytes url, const struct ngc_scope *scope,
    struct ngc_pattern **out, struct ngc_error *err)
{
	struct ngc_bytes left = url;
	struct ngc_buf re = { 0 };
	enum ngc_code code = NGC_OK;

	*out = NULL;
	ngc_buf_add_str(&re, "\\A");
	if (take_scheme(&left))
		code = authority_to_regex(&re, url, &left, err);
	else if (left.n > 0 && left.p[0] == '/')
		ngc_buf_add_str(&re, "[^/]*");
	else
		code = bad(url, "is neither a URL (http://HOST/...) nor a path (/...)",
		    err);
	if (code != NGC_OK) {
		ngc_buf_free(&re);
		return code;
	}
	left.n = span_without(left, "#");
	page_to_regex(&re, left, scope, true);
	return compile(&re, out, err);
}

enum ngc_code url_pattern_around(const struct ngc_url *url, const struct ngc_scope *scope,
    struct ngc_pattern **out, struct ngc_error *err)
{
	struct ngc_buf re = { 0 };

	ngc_buf_add_str(&re, "\\A");
	if (scope->any_host)
		ngc_buf_add_str(&re, "[^/]*");
	else
		ngc_pattern_quote(&re, url->host);
	page_to_regex(&re, url->target, scope, false);
	return compile(&re, out, err);
}

/* The bytes that a part of a URI, or a query, stands for; it fits. */
static size_t decode(struct ngc_bytes s, bool query, unsigned char *out)
{
	size_t n = 0;

	while (s.n > 0)
		s = ngc_bytes_from(s, decode_in_uri(s, &query, &out[n++]));
	return n;
}

/* A path that is decoded already. */
static size_t copy(struct ngc_bytes s, unsigned char *out)
{
	for (size_t i = 0; i < s.n; i++)
		out[i] = s.p[i] == '?' ? PATH_QUESTION : s.p[i];
	return s.n;
}

size_t url_pattern_subject(const struct ngc_reading *r, struct ngc_bytes host,
    unsigned char *out, size_t size)
{
	struct ngc_bytes uri = r->base.p != NULL ? r->rest : r->uri;
	struct ngc_bytes path = r->base.p != NULL ? r->base
						  : ngc_bytes(uri.p, r->decoded);
	size_t query = r->args.n > 0 ? 1 + r->args.n : 0, n = 0;

	host = ngc_host_without_port(host);
	if (uri.p == NULL || host.n + r->base.n + uri.n + query > size)
		return 0;
	if (r->base.p == NULL)
		uri = ngc_bytes_from(uri, r->decoded);
	for (size_t i = 0; i < host.n; i++)
		out[n++] = (unsigned char)tolower(host.p[i]);
	n += copy(path, out + n);
	n += decode(uri, false, out + n);
	if (r->args.n > 0)
		out[n++] = '?';
	return n + decode(r->args, true, out + n);
}
