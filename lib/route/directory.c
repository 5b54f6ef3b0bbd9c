/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"
#include "run.h"
#include "spelling.h"

/* What a URL covers in a zone without configuration. */

/* Could more of the URL follow it?  Behind the '?' of any query it has its place. */
static bool ends_url(const struct facts *f, const struct part *p)
{
	if (p->var == VAR_REQUEST_URI || p->var == VAR_IS_ARGS)
		return !f->any_query;
	return p->var == VAR_URI || p->var == VAR_ARGS;
}

static bool add_text(struct value_builder *b, struct ngc_bytes s, bool url)
{
	char *copy = ngc_arena_copy(b->arena, s.p, s.n);

	if (copy != NULL)
		value_add_text(b, ngc_bytes(copy, s.n), url);
	return copy != NULL;
}

static bool add_open(struct value_builder *b, struct ngc_bytes name, enum grammar grammar)
{
	struct unknown *u = ngc_arena_alloc(b->arena, 1, sizeof(*u));

	if (u == NULL)
		return false;
	*u = (struct unknown){ name, grammar, false, NULL };
	value_add_unknown(b, u);
	return true;
}

/* One part, by the facts; what they leave open stays open. */
static bool expand_part(struct value_builder *b, const struct facts *f,
    const struct part *p)
{
	struct ngc_buf text = { 0 };
	bool known = facts_value(f, p, &text), ok = !text.failed;

	if (ok && known)
		ok = add_text(b, ngc_buf_bytes(&text), ends_url(f, p));
	else if (ok && p->var == VAR_ARGS)
		ok = add_open(b, p->text, GRAMMAR_QUERY);
	else if (ok)
		ok = add_open(b, p->text, variable_grammar(p));
	if (ok && f->any_query && p->var == VAR_REQUEST_URI)
		ok = add_open(b, ngc_bytes_of("args"), GRAMMAR_QUERY);
	ngc_buf_free(&text);
	return ok;
}

/* What a template gives by the facts. */
static bool expand(struct cover *c, const struct template *t, const struct facts *f,
    struct value *out)
{
	struct value_builder b = { .arena = c->arena };

	for (size_t i = 0; i < t->n; i++)
		if (!expand_part(&b, f, &t->parts[i]))
			return false;
	*out = value_end(&b);
	return !b.failed;
}

/* The keys of every template of the zone for one request. */
static bool add_keys(struct cover *c, const struct zone_keys *z, const struct facts *f)
{
	for (size_t i = 0; i < z->n_templates; i++) {
		struct value key;

		if (!expand(c, &z->templates[i].t, f, &key) ||
		    !cover_add_value(c, z->zone, z->templates[i].t.text, key))
			return false;
	}
	return true;
}

/* One spelling, under both schemes and each method that is always cached. */
static bool add_requests(struct cover *c, const struct zone_keys *z,
    const struct ngc_url *url, struct facts *f)
{
	static const char *const schemes[] = { "http", "https" };
	static const char *const methods[] = { "GET", "HEAD" };

	for (size_t s = 0; s < 2; s++) {
		f->scheme = ngc_bytes_of(schemes[s]);
		f->port = url->port != 0 ? url->port : s == 0 ? 80 : 443;
		if (c->scope.strict && !ngc_bytes_equal(f->scheme, url->scheme))
			continue;
		for (size_t m = 0; m < (c->scope.strict ? 1 : 2); m++) {
			f->method = ngc_bytes_of(methods[m]);
			if (!add_keys(c, z, f))
				return false;
		}
	}
	return true;
}

/* Path and query of a target, as nginx sees them; absent: it would refuse the request. */
static bool split_target(struct cover *c, struct facts *f)
{
	const unsigned char *mark = memchr(f->target.p, '?', f->target.n);
	size_t n = mark != NULL ? (size_t)(mark - f->target.p) : f->target.n;
	struct ngc_buf b = { 0 };
	bool ok = ngc_url_normalise(ngc_bytes(f->target.p, n), &b);
	char *copy = ok && !b.failed ? ngc_arena_copy(c->arena, b.p, b.n) : NULL;

	f->args = ngc_bytes_from(f->target, mark != NULL ? n + 1 : n);
	f->uri = ngc_bytes(copy, b.n);
	ngc_buf_free(&b);
	return !ok || copy != NULL;
}

/* One spelling of the target; a query that may be any is none, and some. */
static bool add_target(struct cover *c, const struct zone_keys *z,
    const struct ngc_url *url, struct facts *f)
{
	struct ngc_buf b = { 0 };
	bool ok;

	f->any_query = false;
	if (!split_target(c, f))
		return false;
	if (f->uri.p == NULL)
		return true;
	ok = add_requests(c, z, url, f);
	if (!ok || !c->scope.any_query)
		return ok;
	ngc_buf_add_bytes(&b, f->target);
	ngc_buf_add_char(&b, '?');
	f->target = ngc_buf_bytes(&b);
	f->any_query = true;
	ok = !b.failed && add_requests(c, z, url, f);
	ngc_buf_free(&b);
	return ok;
}

bool cover_directory(struct cover *c, const struct zone_keys *z,
    const struct ngc_url *url)
{
	struct facts f = { .host = url->host,
		.http_host = url->host,
		.server_name = url->host };
	struct spellings spelled;

	if (!spellings_of(c->arena, c->scope.any_query ? url->path : url->target,
		&spelled))
		return false;
	for (unsigned i = 0; i < (c->scope.strict ? 1 : spelled.n); i++) {
		f.target = spelled.target[i];
		if (!add_target(c, z, url, &f))
			return false;
	}
	return true;
}
