/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"

/*
 * The http context as levels: what a location is, and which cache directives are in
 * force.
 */

static struct ngc_level *new_level(struct ngc_conf *c, struct ngc_level *parent,
    const struct ngc_directive *d, enum ngc_level_kind kind)
{
	struct ngc_level *l = ngc_arena_alloc(c->arena, 1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->kind = kind;
	l->d = d;
	l->parent = parent;
	l->protocol = NGC_PROTOCOLS;
	if (parent == NULL)
		return l;
	l->caching = parent->caching;
	if (parent->last != NULL)
		parent->last->next = l;
	else
		parent->first = l;
	parent->last = l;
	return l;
}

static const struct {
	const char *sign;
	enum ngc_level_kind kind;
} modifiers[] = {
	/* a longer one before its prefix */
	{ "=", NGC_LEVEL_EXACT },
	{ "^~", NGC_LEVEL_PREFIX_FINAL },
	{ "~*", NGC_LEVEL_REGEX_NOCASE },
	{ "~", NGC_LEVEL_REGEX },
};

#define N_MODIFIERS (sizeof(modifiers) / sizeof(modifiers[0]))

/* A modifier in a word of its own. */
static bool read_modifier(struct ngc_bytes word, enum ngc_level_kind *kind)
{
	for (size_t i = 0; i < N_MODIFIERS; i++) {
		if (ngc_bytes_equal(word, ngc_bytes_of(modifiers[i].sign))) {
			*kind = modifiers[i].kind;
			return true;
		}
	}
	return false;
}

/* A pattern with its modifier glued to it, or without one. */
static void read_glued(struct ngc_bytes word, enum ngc_level_kind *kind,
    struct ngc_bytes *pattern)
{
	*kind = word.n > 0 && word.p[0] == '@' ? NGC_LEVEL_NAMED : NGC_LEVEL_PREFIX;
	*pattern = word;
	for (size_t i = 0; i < N_MODIFIERS; i++) {
		struct ngc_bytes sign = ngc_bytes_of(modifiers[i].sign);

		if (ngc_bytes_starts(word, sign)) {
			*kind = modifiers[i].kind;
			*pattern = ngc_bytes_from(word, sign.n);
			return;
		}
	}
}

static enum ngc_code read_location(const struct ngc_directive *d,
    enum ngc_level_kind *kind, struct ngc_bytes *pattern, struct ngc_error *err)
{
	enum ngc_code code = conf_count(d, 1, 2, err);

	if (code != NGC_OK)
		return code;
	if (d->n_words == 2) {
		read_glued(d->words[1], kind, pattern);
		return NGC_OK;
	}
	*pattern = d->words[2];
	if (!read_modifier(d->words[1], kind))
		return conf_refuse(d, err, "invalid location modifier \"%s\"",
		    ngc_directive_arg(d, 1));
	return NGC_OK;
}

/*
 * The slot of c that an X_cache, X_cache_key or X_cache_methods directive fills, or NULL.
 */
static const struct ngc_directive **caching_slot(struct ngc_caching *c,
    const struct ngc_directive *d)
{
	enum ngc_protocol p;

	if ((p = conf_module(d, "_cache")) != NGC_PROTOCOLS)
		return &c->cache[p];
	if ((p = conf_module(d, "_cache_key")) != NGC_PROTOCOLS)
		return &c->key[p];
	if ((p = conf_module(d, "_cache_methods")) != NGC_PROTOCOLS)
		return &c->methods[p];
	return NULL;
}

/* A zone named without variables must exist, and be one of the module's. */
static enum ngc_code check_zone(struct ngc_conf *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_protocol p = conf_module(d, "_cache");
	const struct ngc_zone *z;

	if (p == NGC_PROTOCOLS || memchr(d->words[1].p, '$', d->words[1].n) != NULL ||
	    ngc_bytes_equal(d->words[1], ngc_bytes_of("off")))
		return NGC_OK;
	z = ngc_conf_zone_named(c, d->words[1]);
	if (z == NULL)
		return conf_refuse(d, err, "\"%s\" zone \"%s\" is unknown",
		    ngc_directive_arg(d, 0), ngc_directive_arg(d, 1));
	if (z->type != p)
		return conf_refuse(d, err,
		    "zone \"%s\" is one of %s_cache_path, not of %s_cache_path", z->name,
		    ngc_protocol_name(z->type), ngc_protocol_name(p));
	return NGC_OK;
}

/*
 * Take a cache directive into its level; the parent's settings are copied before the
 * first.
 */
static enum ngc_code read_caching(struct ngc_conf *c, struct ngc_level *l, bool *own,
    const struct ngc_directive *d, struct ngc_error *err)
{
	struct ngc_caching next, *copy;
	const struct ngc_directive **slot = caching_slot(&next, d);
	enum ngc_code code;

	if (slot == NULL)
		return NGC_OK;
	next = *l->caching;
	code = conf_count(d, 1,
	    conf_module(d, "_cache_methods") != NGC_PROTOCOLS ? ~0u : 1, err);
	if (code == NGC_OK)
		code = check_zone(c, d, err);
	if (code != NGC_OK)
		return code;
	if (l->kind >= NGC_LEVEL_IF)
		return conf_refuse(d, err, "\"%s\" directive is not allowed here",
		    ngc_directive_arg(d, 0));
	if (*own && *slot != NULL && (*slot)->parent == d->parent)
		return conf_refuse(d, err, "\"%s\" directive is duplicate",
		    ngc_directive_arg(d, 0));
	*slot = d;
	copy = ngc_arena_alloc(c->arena, 1, sizeof(*copy));
	if (copy == NULL)
		return ngc_no_memory(err);
	*copy = next;
	l->caching = copy;
	*own = true;
	return NGC_OK;
}

static enum ngc_code read_pass(struct ngc_level *l, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_protocol p = conf_module(d, "_pass");
	enum ngc_code code;

	if (p == NGC_PROTOCOLS || l->kind < NGC_LEVEL_EXACT)
		return NGC_OK;
	code = conf_count(d, 1, 1, err);
	if (code != NGC_OK)
		return code;
	if (l->pass != NULL)
		return conf_refuse(d, err, "\"%s\" directive is duplicate",
		    ngc_directive_arg(d, 0));
	l->pass = d;
	l->protocol = p;
	return NGC_OK;
}

/* Is d a block that opens a level inside l? */
static bool opens_level(const struct ngc_level *l, const struct ngc_directive *d,
    enum ngc_level_kind *kind)
{
	bool in_location = ngc_level_is_location(l);

	if (!d->block)
		return false;
	if (l->kind == NGC_LEVEL_HTTP) {
		*kind = NGC_LEVEL_SERVER;
		return ngc_directive_is(d, "server");
	}
	if (ngc_directive_is(d, "if") && (in_location || l->kind == NGC_LEVEL_SERVER)) {
		*kind = NGC_LEVEL_IF;
		return true;
	}
	if (ngc_directive_is(d, "limit_except") && in_location) {
		*kind = NGC_LEVEL_LIMIT_EXCEPT;
		return true;
	}
	*kind = NGC_LEVEL_PREFIX;
	return ngc_directive_is(d, "location") &&
	       (in_location || l->kind == NGC_LEVEL_SERVER);
}

static enum ngc_code read_inner(struct ngc_conf *c, struct ngc_level *outer,
    const struct ngc_directive *d, enum ngc_level_kind kind, struct ngc_error *err)
{
	struct ngc_bytes pattern = { 0 };
	struct ngc_level *l;
	enum ngc_code code = NGC_OK;

	if (kind == NGC_LEVEL_PREFIX)
		code = read_location(d, &kind, &pattern, err);
	if (code != NGC_OK)
		return code;
	l = new_level(c, outer, d, kind);
	if (l == NULL)
		return ngc_no_memory(err);
	l->pattern = pattern;
	return NGC_OK;
}

/*
 * The names of the directives that matter here begin with a module's and end like this.
 */
static bool is_caching(const struct ngc_directive *d)
{
	struct ngc_bytes name = d->words[0];
	unsigned char first = name.n >= 10 ? name.p[0] : 0,
		      end = first ? name.p[name.n - 1] : 0;

	return (first == 'p' || first == 'f' || first == 'u' || first == 's') &&
	       (end == 'e' || end == 'y' || end == 's');
}

/*
 * All settings of a level first, so that the levels in it inherit those that stand behind
 * them, too.
 */
static enum ngc_code fill_level(struct ngc_conf *c, struct ngc_level *l,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	enum ngc_level_kind kind;
	bool own = false;

	for (const struct ngc_directive *d = l->d->first; d != NULL && code == NGC_OK;
	     d = d->next)
		if (!d->block) {
			if (is_caching(d))
				code = read_caching(c, l, &own, d, err);
			if (code == NGC_OK)
				code = read_pass(l, d, err);
		}
	for (const struct ngc_directive *d = l->d->first; d != NULL && code == NGC_OK;
	     d = d->next)
		if (opens_level(l, d, &kind))
			code = read_inner(c, l, d, kind, err);
	for (struct ngc_level *in = l->first; in != NULL && code == NGC_OK; in = in->next)
		code = fill_level(c, in, err);
	return code;
}

/* Zones are declared in http itself; elsewhere nginx refuses them. */
static enum ngc_code check_places(const struct ngc_level *l, struct ngc_error *err)
{
	for (const struct ngc_directive *d = l->d->first; d != NULL; d = d->next)
		if (conf_module(d, "_cache_path") != NGC_PROTOCOLS)
			return conf_refuse(d, err, "\"%s\" directive is not allowed here",
			    ngc_directive_arg(d, 0));
	return NGC_OK;
}

static enum ngc_code find_http(struct ngc_conf *c, const struct ngc_directive **out,
    struct ngc_error *err)
{
	*out = NULL;
	for (const struct ngc_directive *d = c->tree->first; d != NULL; d = d->next) {
		if (conf_module(d, "_cache_path") != NGC_PROTOCOLS)
			return conf_refuse(d, err, "\"%s\" directive is not allowed here",
			    ngc_directive_arg(d, 0));
		if (!ngc_directive_is(d, "http"))
			continue;
		if (*out != NULL || !d->block)
			return conf_refuse(d, err,
			    *out != NULL ? "\"http\" directive is duplicate"
					 : "directive \"http\" has no opening \"{\"");
		*out = d;
	}
	return NGC_OK;
}

static bool is_setting(const struct ngc_directive *d)
{
	return !d->block && conf_module(d, "_cache_path") == NGC_PROTOCOLS;
}

static bool is_map(const struct ngc_directive *d)
{
	return d->block && d->n_words > 1 &&
	       (ngc_directive_is(d, "map") || ngc_directive_is(d, "geo") ||
		   ngc_directive_is(d, "split_clients"));
}

/*
 * There may be thousands of servers and zones between the settings: these are kept apart.
 */
static bool collect_settings(struct ngc_conf *c, struct ngc_level *http)
{
	const struct ngc_directive **out;
	struct ngc_directive *d;
	size_t n = 0;

	for (d = http->d->first; d != NULL; d = d->next)
		n += is_setting(d);
	out = ngc_arena_alloc(c->arena, n + 1, sizeof(struct ngc_directive *));
	if (out == NULL)
		return false;
	http->settings = out;
	for (d = http->d->first; d != NULL; d = d->next)
		if (is_setting(d))
			out[http->n_settings++] = d;
		else if (is_map(d) && !list_add(&c->maps, d))
			return false;
	return true;
}

const struct ngc_directive *ngc_level_find(const struct ngc_level *l, const char *name)
{
	if (l->settings == NULL)
		return ngc_directive_find(l->d, name);
	for (size_t i = 0; i < l->n_settings; i++)
		if (ngc_directive_is(l->settings[i], name))
			return l->settings[i];
	return NULL;
}

enum ngc_code conf_read_levels(struct ngc_conf *c, struct ngc_error *err)
{
	const struct ngc_directive *http;
	enum ngc_code code = find_http(c, &http, err);

	if (code != NGC_OK || http == NULL)
		return code;
	c->http = new_level(c, NULL, http, NGC_LEVEL_HTTP);
	if (c->http == NULL)
		return ngc_no_memory(err);
	c->http->caching = ngc_arena_alloc(c->arena, 1, sizeof(struct ngc_caching));
	if (c->http->caching == NULL || !collect_settings(c, c->http))
		return ngc_no_memory(err);
	code = fill_level(c, c->http, err);
	for (struct ngc_level *l = c->http->first; l != NULL && code == NGC_OK;
	     l = l->next) {
		code = check_places(l, err);
		if (code == NGC_OK)
			code = conf_read_server(c, l, err);
	}
	return code;
}
