/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"
#include "run.h"
#include "spelling.h"

/* What a URL covers in a zone without configuration. */

/* What a template gives by the facts; what they leave open stays open. */
static bool expand(struct cover *c, const struct template *t, const struct facts *f,
    struct value *out)
{
	struct value_builder b = { .arena = c->arena };

	for (size_t i = 0; i < t->n; i++) {
		const struct part *p = &t->parts[i];
		struct ngc_buf text = { 0 };
		struct unknown *u;
		char *copy;

		if (facts_value(f, p, &text)) {
			copy = text.failed ? NULL
					   : ngc_arena_copy(c->arena, text.p, text.n);
			value_add_text(&b, ngc_bytes(copy, copy != NULL ? text.n : 0),
			    p->var == VAR_REQUEST_URI || p->var == VAR_URI ||
				p->var == VAR_ARGS || p->var == VAR_IS_ARGS);
			ngc_buf_free(&text);
			if (copy == NULL)
				return false;
			continue;
		}
		ngc_buf_free(&text);
		u = ngc_arena_alloc(c->arena, 1, sizeof(*u));
		if (u == NULL)
			return false;
		*u = (struct unknown){ p->text, variable_grammar(p), false, NULL };
		value_add_unknown(&b, u);
	}
	*out = value_end(&b);
	return !b.failed;
}

/* One spelling, under both schemes and each method that is always cached. */
static bool add_requests(struct cover *c, const struct zone_keys *z,
    const struct ngc_url *url, struct facts *f)
{
	static const char *const schemes[] = { "http", "https" };
	static const char *const methods[] = { "GET", "HEAD" };
	struct value key;

	for (size_t s = 0; s < 2; s++) {
		f->scheme = ngc_bytes_of(schemes[s]);
		f->port = url->port != 0 ? url->port : s == 0 ? 80 : 443;
		for (size_t m = 0; m < 2; m++) {
			f->method = ngc_bytes_of(methods[m]);
			for (size_t i = 0; i < z->n_templates; i++)
				if (!expand(c, &z->templates[i].t, f, &key) ||
				    !cover_add_value(c, z->zone, z->templates[i].t.text,
					key))
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

bool cover_directory(struct cover *c, const struct zone_keys *z,
    const struct ngc_url *url)
{
	struct facts f = { .host = url->host,
		.http_host = url->host,
		.server_name = url->host };
	struct spellings spelled;

	if (!spellings_of(c->arena, url->target, &spelled))
		return false;
	for (unsigned i = 0; i < spelled.n; i++) {
		f.target = spelled.target[i];
		if (!split_target(c, &f) ||
		    (f.uri.p != NULL && !add_requests(c, z, url, &f)))
			return false;
	}
	return true;
}
