/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* The headers and cookies of a request that is known. */

/*
 * nginx drops headers with an underscore, unless the server says otherwise: clients send
 * Host, which chooses it, first.
 */
static bool takes_underscores(const struct run *r)
{
	const struct ngc_level *l = r->server->level;
	const struct ngc_directive *takes = run_setting(l, "underscores_in_headers");
	const struct ngc_directive *drops = run_setting(l, "ignore_invalid_headers");

	return (takes != NULL && takes->n_words == 2 &&
		   ngc_bytes_equal(takes->words[1], ngc_bytes_of("on"))) ||
	       (drops != NULL && drops->n_words == 2 &&
		   ngc_bytes_equal(drops->words[1], ngc_bytes_of("off")));
}

static bool same_header(struct ngc_bytes field, struct ngc_bytes name, bool underscores)
{
	if (field.n != name.n)
		return false;
	for (size_t i = 0; i < field.n; i++) {
		unsigned char c = field.p[i];

		if (c == '_' && !underscores)
			return false;
		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
		if ((c == '-' ? '_' : c) != name.p[i])
			return false;
	}
	return true;
}

/* What several lines of a header are joined with; NULL: the first alone counts. */
static const char *joined_by(struct ngc_bytes name)
{
	if (ngc_bytes_equal(name, ngc_bytes_of("cookie")))
		return "; ";
	return ngc_bytes_equal(name, ngc_bytes_of("x_forwarded_for")) ? ", " : NULL;
}

struct ngc_bytes run_header(struct run *r, struct ngc_bytes name)
{
	const struct asked *q = r->asked;
	const char *joint = joined_by(name);
	bool underscores = takes_underscores(r);
	struct ngc_buf b = { 0 };
	bool found = false;
	char *copy;

	for (size_t i = 0; i < q->n_headers && (joint != NULL || !found); i++) {
		if (!same_header(q->headers[i].name, name, underscores))
			continue;
		if (found)
			ngc_buf_add_str(&b, joint);
		ngc_buf_add_bytes(&b, q->headers[i].value);
		found = true;
	}
	copy = b.failed ? NULL : ngc_arena_copy(r->arena, b.p, b.n);
	struct ngc_bytes s = ngc_bytes(copy, copy != NULL ? b.n : 0);
	r->failed = r->failed || copy == NULL;
	ngc_buf_free(&b);
	return s;
}

static void skip_spaces(struct ngc_bytes *s)
{
	while (s->n > 0 && s->p[0] == ' ')
		*s = ngc_bytes_from(*s, 1);
}

/* Behind the next ';' or ','. */
static void skip_cookie(struct ngc_bytes *s)
{
	while (s->n > 0 && s->p[0] != ';' && s->p[0] != ',')
		*s = ngc_bytes_from(*s, 1);
	if (s->n > 0)
		*s = ngc_bytes_from(*s, 1);
	skip_spaces(s);
}

/* nginx's ngx_http_parse_multi_header_lines(). */
static struct ngc_bytes find_cookie(struct ngc_bytes s, struct ngc_bytes name)
{
	for (; s.n > 0; skip_cookie(&s)) {
		struct ngc_bytes left;
		size_t n = 0;

		if (s.n < name.n || !ngc_bytes_same(ngc_bytes(s.p, name.n), name))
			continue;
		left = ngc_bytes_from(s, name.n);
		skip_spaces(&left);
		if (left.n == 0 || left.p[0] != '=')
			continue;
		left = ngc_bytes_from(left, 1);
		skip_spaces(&left);
		while (n < left.n && left.p[n] != ';')
			n++;
		return ngc_bytes(left.p, n);
	}
	return ngc_bytes("", 0);
}

struct ngc_bytes run_cookie(struct run *r, struct ngc_bytes name)
{
	return find_cookie(run_header(r, ngc_bytes_of("cookie")), name);
}
