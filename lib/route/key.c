/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* The zone and the key of a request that an X_pass handles. */

static enum next uncached(struct run *r, const char *why)
{
	run_step(r, "%s", why);
	r->end = END_UNCACHED;
	return NEXT_END;
}

static bool method_is_cached(const struct run *r, const struct ngc_directive *more)
{
	if (ngc_bytes_equal(r->method, ngc_bytes_of("GET")) ||
	    ngc_bytes_equal(r->method, ngc_bytes_of("HEAD")))
		return true;
	for (unsigned i = 1; more != NULL && i < more->n_words; i++)
		if (ngc_bytes_same(r->method, more->words[i]))
			return true;
	return false;
}

/* A value and what is unknown of it as text: the pass up to its first unknown stretch. */
static struct ngc_bytes known_start(struct run *r, struct value v)
{
	struct value start = v;

	for (start.n = 0; start.n < v.n && v.seg[start.n].open == NULL; start.n++)
		;
	return value_bytes(r->arena, start);
}

/* What is unknown of the upstream's host makes $proxy_host unknown, too. */
static void lose_upstream(struct run *r, const struct unknown *u)
{
	struct value_builder b = { .arena = r->arena };

	value_add_unknown(&b, u);
	r->proxy_host = r->proxy_port = value_end(&b);
	r->failed = r->failed || b.failed;
}

/* Set $proxy_host and $proxy_port; false: no URL, nginx answers 500. */
static bool set_upstream(struct run *r, struct value pass)
{
	const struct unknown *u = value_unknown(pass);
	struct ngc_bytes s = known_start(r, pass);
	const unsigned char *host = s.n > 0 ? memmem(s.p, s.n, "://", 3) : NULL;

	if (u != NULL && (host == NULL || memchr(host + 3, '/',
					      s.n - (size_t)(host + 3 - s.p)) == NULL)) {
		lose_upstream(r, u);
		return true;
	}
	if (!upstream_parse(s, &r->upstream))
		return false;
	r->proxy_host = value_text(r->arena, r->upstream.host, false);
	r->proxy_port = value_text(r->arena, r->upstream.port, false);
	return true;
}

static size_t location_length(const struct run *r)
{
	const struct ngc_level *l = r->location;

	if (l == NULL || l->kind == NGC_LEVEL_REGEX ||
	    l->kind == NGC_LEVEL_REGEX_NOCASE || l->kind == NGC_LEVEL_NAMED)
		return 0;
	return l->pattern.n <= r->uri.n ? l->pattern.n : r->uri.n;
}

/* The same of a URI that is known in parts: how much a location takes off is open. */
static void add_open(struct run *r, struct value_builder *b)
{
	if (r->location_valid && r->upstream.uri.n > 0) {
		value_add_text(b, r->upstream.uri, false);
		value_add_unknown(b, value_unknown(r->open_uri));
	} else {
		value_add(b, r->open_uri);
	}
	if (r->args.n > 0) {
		value_add_text(b, ngc_bytes_of("?"), true);
		value_add(b, r->args);
	}
}

/* The URI and arguments that are sent on, from the normalised ones. */
static void add_rebuilt(struct run *r, struct value_builder *b)
{
	struct ngc_bytes part = r->upstream.uri, rest = r->uri;

	if (r->open_uri.n > 0) {
		add_open(r, b);
		return;
	}
	if (r->location_valid && part.n > 0) {
		value_add_text(b, part, false);
		rest = ngc_bytes_from(rest, location_length(r));
	}
	value_add_text(b,
	    r->quoted || r->internal ? run_escape(r, rest, ESCAPE_URI) : rest, true);
	if (r->args.n > 0) {
		value_add_text(b, ngc_bytes_of("?"),
		    r->any_args == NULL || value_unknown(r->args) != r->any_args);
		value_add(b, r->args);
	}
}

/* nginx's ngx_http_proxy_create_key() without a proxy_cache_key. */
static struct value default_key(struct run *r, struct value pass, bool variables)
{
	struct value_builder b = { .arena = r->arena };

	if (value_unknown(pass) != NULL) {
		value_add(&b, pass);
		if (r->upstream.start.p == NULL && r->unparsed_valid)
			value_add(&b, r->target);
		r->failed = r->failed || b.failed;
		return value_end(&b);
	}
	value_add_text(&b, r->upstream.start, false);
	if (r->upstream.nul && variables) /* it takes what is in memory behind the URL */
		value_add_unknown(&b,
		    run_unknown(r, ngc_bytes_of("proxy_pass"), GRAMMAR_ANY, true));
	else if (r->upstream.nul)
		value_add_text(&b, ngc_bytes("", 1), false);
	if (variables && r->upstream.uri.n > 0) {
		if (r->upstream.uri.p[0] == '?')
			value_add_text(&b, ngc_bytes_of("/"), false);
		value_add_text(&b, r->upstream.uri, true);
	} else if (r->upstream.uri.n == 0 && r->unparsed_valid) {
		value_add(&b, r->target);
	} else {
		add_rebuilt(r, &b);
	}
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

static enum next make_key(struct run *r, const struct ngc_level *pass)
{
	const struct ngc_directive *key = r->level->caching->key[pass->protocol];
	struct ngc_bytes to = pass->pass->words[1];
	struct value url = { 0 };

	if (pass->protocol == NGC_PROXY) {
		url = run_eval(r, to);
		if (!set_upstream(r, url))
			return uncached(r, "proxy_pass to no URL");
	}
	r->key_directive = key;
	if (key != NULL)
		r->key = run_eval(r, key->words[1]);
	else if (pass->protocol == NGC_PROXY)
		r->key = default_key(r, url, memchr(to.p, '$', to.n) != NULL);
	r->pass = pass;
	r->end = END_CACHED;
	return NEXT_END;
}

enum next run_key(struct run *r, const struct ngc_level *pass)
{
	const struct ngc_caching *c = r->level->caching;
	const struct ngc_directive *cache = c->cache[pass->protocol];
	struct ngc_bytes name;

	run_step(r, "%s %s (%s:%u)", ngc_directive_arg(pass->pass, 0),
	    ngc_directive_arg(pass->pass, 1), pass->pass->file, pass->pass->line);
	if (cache == NULL)
		return uncached(r, "no cache in force");
	if (!method_is_cached(r, c->methods[pass->protocol]))
		return uncached(r, "the method is not cached");
	r->zone = run_eval(r, cache->words[1]);
	if (value_unknown(r->zone) == NULL) {
		name = value_bytes(r->arena, r->zone);
		if (name.n == 0 || ngc_bytes_equal(name, ngc_bytes_of("off")))
			return uncached(r, "the cache is off");
		if (ngc_conf_zone_named(r->router->conf, name) == NULL)
			return uncached(r, "the cache is none of the zones");
	}
	return make_key(r, pass);
}
