/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/url.h"

#include <stdlib.h>

#include "idna.h"
#include "ngc/mem.h"
#include "ngc/text.h"
#include "ngc/units.h"

/* The record and what it borrows from are freed together. */
struct holder {
	struct ngc_url url;
	struct ngc_arena *arena;
};

static bool copy(struct holder *h, struct ngc_bytes s, struct ngc_bytes *out)
{
	char *p = ngc_arena_copy(h->arena, s.p, s.n);

	*out = ngc_bytes(p, s.n);
	return p != NULL;
}

static enum ngc_code bad(struct ngc_bytes text, const char *why, struct ngc_error *err)
{
	int n = text.n < 200 ? (int)text.n : 200;

	return ngc_fail(err, NGC_INVALID, 0, "'%.*s' %s", n, (const char *)text.p, why);
}

static bool has_control(struct ngc_bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 0x20 || s.p[i] == 0x7f)
			return true;
	return false;
}

static size_t find(struct ngc_bytes s, const char *set)
{
	size_t i = 0;

	while (i < s.n && strchr(set, s.p[i]) == NULL)
		i++;
	return i;
}

/* Take "http://" or "https://" off, in any case of letters. */
static bool take_scheme(struct ngc_bytes *s, struct ngc_bytes *scheme)
{
	static const char *const schemes[] = { "http", "https" };

	for (size_t i = 0; i < 2; i++) {
		struct ngc_bytes name = ngc_bytes_of(schemes[i]);

		if (s->n < name.n + 3 || !ngc_bytes_same(ngc_bytes(s->p, name.n), name) ||
		    memcmp(s->p + name.n, "://", 3) != 0)
			continue;
		*scheme = name;
		*s = ngc_bytes_from(*s, name.n + 3);
		return true;
	}
	return false;
}

/* Split host and port; the port may be empty. */
static bool split_port(struct ngc_bytes authority, struct ngc_bytes *host, unsigned *port)
{
	size_t end = 0;
	int64_t v;

	if (authority.n > 0 && authority.p[0] == '[') {
		end = find(authority, "]") + 1;
		if (end > authority.n)
			return false;
	}
	while (end < authority.n && authority.p[end] != ':')
		end++;
	*host = ngc_bytes(authority.p, end);
	authority = ngc_bytes_from(authority, end);
	*port = 0;
	if (authority.n <= 1)
		return true;
	if (!ngc_parse_number(ngc_bytes_from(authority, 1), &v) || v < 1 || v > 65535)
		return false;
	*port = (unsigned)v;
	return true;
}

static bool is_host_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
	       c == '_';
}

static bool is_host(struct ngc_bytes s)
{
	if (s.n == 0 || s.p[0] == '.')
		return false;
	if (s.p[0] == '[') {
		for (size_t i = 1; i + 1 < s.n; i++)
			if (strchr("0123456789abcdef:.", s.p[i]) == NULL)
				return false;
		return s.n > 3 && s.p[s.n - 1] == ']';
	}
	for (size_t i = 0; i < s.n; i++)
		if (!is_host_char(s.p[i]))
			return false;
	return true;
}

/* The host in the form a browser sends it in, without a trailing dot. */
static enum ngc_code read_host(struct holder *h, struct ngc_bytes typed,
    struct ngc_error *err)
{
	struct ngc_buf b = { 0 };
	bool ok = idna_host(typed, &b), copied;

	if (ok && b.n > 1 && b.p[b.n - 1] == '.')
		b.n--;
	ok = ok && !b.failed && is_host(ngc_buf_bytes(&b));
	copied = ok && copy(h, ngc_buf_bytes(&b), &h->url.host);
	ngc_buf_free(&b);
	if (!ok)
		return bad(h->url.text, "has no valid host", err);
	return copied ? NGC_OK : ngc_no_memory(err);
}

static enum ngc_code read_authority(struct holder *h, struct ngc_bytes *left,
    struct ngc_error *err)
{
	size_t n = find(*left, "/?#");
	struct ngc_bytes authority = ngc_bytes(left->p, n), host;

	*left = ngc_bytes_from(*left, n);
	if (n > 0 && memchr(authority.p, '@', n) != NULL)
		return bad(h->url.text, "holds a user name", err);
	if (!split_port(authority, &host, &h->url.port))
		return bad(h->url.text, "has no valid port", err);
	h->url.authority = authority;
	return read_host(h, host, err);
}

/* The target without its fragment; an empty path is "/". */
static enum ngc_code read_target(struct holder *h, struct ngc_bytes s,
    struct ngc_error *err)
{
	struct ngc_url *u = &h->url;
	struct ngc_buf b = { 0 };
	size_t n;
	bool ok;

	s.n = find(s, "#");
	if (s.n == 0 || s.p[0] != '/')
		ngc_buf_add_char(&b, '/');
	ngc_buf_add_bytes(&b, s);
	ok = !b.failed && copy(h, ngc_buf_bytes(&b), &u->target);
	ngc_buf_free(&b);
	if (!ok)
		return ngc_no_memory(err);
	n = find(u->target, "?");
	u->path = ngc_bytes(u->target.p, n);
	if (n < u->target.n)
		u->query = ngc_bytes_from(u->target, n + 1);
	return NGC_OK;
}

static enum ngc_code parse(struct holder *h, struct ngc_bytes text, struct ngc_error *err)
{
	struct ngc_bytes left;
	enum ngc_code code = NGC_OK;

	if (!copy(h, text, &h->url.text))
		return ngc_no_memory(err);
	left = h->url.text;
	if (has_control(left))
		return bad(left, "holds a control character", err);
	if (take_scheme(&left, &h->url.scheme))
		code = read_authority(h, &left, err);
	else if (left.n == 0 || left.p[0] != '/')
		return bad(left, "is neither a URL (http://HOST/...) nor a path (/...)",
		    err);
	return code == NGC_OK ? read_target(h, left, err) : code;
}

enum ngc_code ngc_url_parse(struct ngc_bytes text, struct ngc_url **out,
    struct ngc_error *err)
{
	struct holder *h = ngc_array_alloc(1, sizeof(*h));
	enum ngc_code code;

	*out = NULL;
	if (h == NULL)
		return ngc_no_memory(err);
	h->arena = ngc_arena_new();
	code = h->arena != NULL ? parse(h, text, err) : ngc_no_memory(err);
	if (code != NGC_OK) {
		ngc_url_free(&h->url);
		return code;
	}
	*out = &h->url;
	return NGC_OK;
}

void ngc_url_free(struct ngc_url *u)
{
	struct holder *h = (struct holder *)u; /* the record is its first member */

	if (h == NULL)
		return;
	ngc_arena_free(h->arena);
	free(h);
}

struct ngc_bytes ngc_host_without_port(struct ngc_bytes host)
{
	bool literal = host.n > 0 && host.p[0] == '[';
	const unsigned char *end = NULL;

	if (host.n > 0)
		end = memchr(host.p, literal ? ']' : ':', host.n);
	return end != NULL ? ngc_bytes(host.p, (size_t)(end - host.p) + literal) : host;
}
