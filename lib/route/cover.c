/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"

#include <stdlib.h>

#include "spelling.h"

bool cover_add(struct cover *c, const struct ngc_zone *z, struct ngc_bytes key)
{
	struct ngc_cover *pub = &c->pub;
	char *copy;

	for (size_t i = 0; i < pub->n_targets; i++)
		if (pub->targets[i].zone == z && ngc_bytes_equal(pub->targets[i].key, key))
			return true;
	if (!ngc_array_grow((void **)&pub->targets, pub->n_targets, &c->cap_targets,
	        sizeof(*pub->targets)))
		return false;
	copy = ngc_arena_copy(c->arena, key.p, key.n);
	if (copy == NULL)
		return false;
	pub->targets[pub->n_targets++] = (struct ngc_target){ z, ngc_bytes(copy, key.n) };
	return true;
}

bool cover_add_open(struct cover *c, const struct ngc_zone *z, struct ngc_bytes template,
    struct ngc_bytes variable)
{
	struct ngc_cover *pub = &c->pub;
	struct ngc_open_template *o;

	for (size_t i = 0; i < pub->n_open; i++)
		if (pub->open[i].zone == z &&
		    ngc_bytes_equal(ngc_bytes_of(pub->open[i].template), template))
			return true;
	if (!ngc_array_grow((void **)&pub->open, pub->n_open, &c->cap_open, sizeof(*pub->open)))
		return false;
	o = &pub->open[pub->n_open];
	o->zone = z;
	o->template = ngc_arena_copy(c->arena, template.p, template.n);
	o->variable = ngc_arena_copy(c->arena, variable.p, variable.n);
	if (o->template == NULL || o->variable == NULL)
		return false;
	pub->n_open++;
	return true;
}

/* Expand a template by the facts and add the key, or add the template as open. */
static bool add_expanded(struct cover *c, const struct ngc_zone *z, const struct key_template *k,
    const struct facts *f)
{
	c->key.n = 0;
	for (size_t i = 0; i < k->t.n; i++)
		if (!facts_value(f, &k->t.parts[i], &c->key))
			return cover_add_open(c, z, k->t.text, k->t.parts[i].text);
	return !c->key.failed && cover_add(c, z, ngc_buf_bytes(&c->key));
}

/* One spelling, under both schemes and each method that is always cached. */
static bool add_requests(struct cover *c, const struct zone_keys *z, const struct ngc_url *url,
    struct facts *f)
{
	static const char *const schemes[] = { "http", "https" };
	static const char *const methods[] = { "GET", "HEAD" };

	for (size_t s = 0; s < 2; s++) {
		f->scheme = ngc_bytes_of(schemes[s]);
		f->port = url->port != 0 ? url->port : s == 0 ? 80 : 443;
		for (size_t m = 0; m < 2; m++) {
			f->method = ngc_bytes_of(methods[m]);
			for (size_t i = 0; i < z->n_templates; i++)
				if (!add_expanded(c, z->zone, &z->templates[i], f))
					return false;
		}
	}
	return true;
}

/* Path and query of a target, as nginx sees them; false: it would refuse the request. */
static bool split_target(struct cover *c, struct facts *f)
{
	const unsigned char *mark = memchr(f->target.p, '?', f->target.n);
	size_t n = mark != NULL ? (size_t)(mark - f->target.p) : f->target.n;
	struct ngc_buf b = { 0 };
	bool ok = ngc_url_normalise(ngc_bytes(f->target.p, n), &b) && !b.failed;

	f->args = ngc_bytes_from(f->target, mark != NULL ? n + 1 : n);
	f->uri = ngc_bytes(NULL, 0);
	if (ok)
		f->uri = ngc_bytes(ngc_arena_copy(c->arena, b.p, b.n), b.n);
	ngc_buf_free(&b);
	return f->uri.p != NULL;
}

bool cover_directory(struct cover *c, const struct zone_keys *z, const struct ngc_url *url)
{
	struct facts f = { .host = url->host, .http_host = url->host, .server_name = url->host };
	struct spellings spelled;

	if (!spellings_of(c->arena, url->target, &spelled))
		return false;
	for (unsigned i = 0; i < spelled.n; i++) {
		f.target = spelled.target[i];
		if (split_target(c, &f) && !add_requests(c, z, url, &f))
			return false;
	}
	return true;
}

enum ngc_code ngc_route_cover(const struct ngc_router *r, const struct ngc_url *url,
    struct ngc_cover **out, struct ngc_error *err)
{
	struct cover *c = ngc_array_alloc(1, sizeof(*c));
	bool ok;

	*out = NULL;
	if (c == NULL)
		return ngc_no_memory(err);
	c->arena = ngc_arena_new();
	ok = c->arena != NULL;
	for (size_t i = 0; ok && i < r->n_zones; i++)
		if (!r->zones[i].zone->configured)
			ok = cover_directory(c, &r->zones[i], url);
	if (ok && r->conf != NULL)
		ok = cover_configured(c, r, url);
	ngc_buf_free(&c->key);
	if (!ok) {
		ngc_cover_free(&c->pub);
		return ngc_no_memory(err);
	}
	*out = &c->pub;
	return NGC_OK;
}

void ngc_cover_free(struct ngc_cover *pub)
{
	struct cover *c = (struct cover *)pub; /* its first member */

	if (c == NULL)
		return;
	free(c->pub.targets);
	free(c->pub.open);
	ngc_arena_free(c->arena);
	free(c);
}
