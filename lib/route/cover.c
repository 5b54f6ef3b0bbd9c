/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"

#include <stdlib.h>

#include "grammar.h"

static bool add_target(struct cover *c, const struct ngc_zone *z, struct ngc_bytes key)
{
	struct ngc_cover *pub = &c->pub;
	char *copy;

	for (size_t i = 0; i < pub->n_targets; i++)
		if (pub->targets[i].zone == z &&
		    ngc_bytes_equal(pub->targets[i].key, key))
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

/* The open template's entry, found or made; NULL: no memory. */
static struct ngc_open_template *open_template(struct cover *c, const struct ngc_zone *z,
    struct ngc_bytes template, struct ngc_bytes variable)
{
	struct ngc_cover *pub = &c->pub;
	struct ngc_open_template *o;

	for (size_t i = 0; i < pub->n_open; i++)
		if (pub->open[i].zone == z &&
		    ngc_bytes_equal(ngc_bytes_of(pub->open[i].template), template))
			return &pub->open[i];
	if (!ngc_array_grow((void **)&pub->open, pub->n_open, &c->cap_open,
		sizeof(*pub->open)))
		return NULL;
	o = &pub->open[pub->n_open];
	*o = (struct ngc_open_template){ .zone = z };
	o->template = ngc_arena_copy(c->arena, template.p, template.n);
	o->variable = ngc_arena_copy(c->arena, variable.p, variable.n);
	if (o->template == NULL || o->variable == NULL)
		return NULL;
	pub->n_open++;
	return o;
}

/* Can nothing at all stand where this is open? */
static bool may_be_empty(const struct unknown *u)
{
	switch (u->grammar) {
	case GRAMMAR_RANGE:
	case GRAMMAR_HOST:
	case GRAMMAR_HTTP_HOST:
	case GRAMMAR_PORT:
	case GRAMMAR_ADDRESS:
		return false;
	default:
		return true;
	}
}

/* The same, where what a map gives is looked at. */
static bool may_be_left_out(const struct unknown *u)
{
	return u->grammar == GRAMMAR_RESULTS ? grammar_result_may_be_empty(u->block)
					     : may_be_empty(u);
}

/*
 * Could what stands at i as well be more of a longer URL?  It has no grammar, and nothing
 * that must be there parts it from the URL's end.
 */
static bool is_ambiguous(struct value v, size_t i)
{
	if (v.seg[i].open == NULL || grammar_is_typed(v.seg[i].open->grammar))
		return false;
	while (i-- > 0) {
		if (v.seg[i].open == NULL)
			return v.seg[i].url;
		if (!may_be_empty(v.seg[i].open))
			return false;
	}
	return false;
}

/*
 * Could a part of what stands at i as well be the head of a longer URL?  It may hold a
 * '/', and nothing that must be there parts it from the URL's beginning.
 */
static bool may_hold_path(struct value v, size_t i)
{
	if (v.seg[i].open == NULL || (v.seg[i].open->grammar != GRAMMAR_ANY &&
					 v.seg[i].open->grammar != GRAMMAR_ARGUMENT))
		return false;
	for (i++; i < v.n; i++) {
		if (v.seg[i].open == NULL)
			return v.seg[i].url && v.seg[i].text.n > 0 &&
			       v.seg[i].text.p[0] == '/';
		if (!may_be_empty(v.seg[i].open))
			return false;
	}
	return false;
}

/* The pattern of a key, in the cover's arena; NULL: no memory. */
static struct pattern *make_pattern(struct cover *c, struct value v, bool loose)
{
	struct pattern *p = ngc_arena_alloc(c->arena, 1, sizeof(*p));

	for (size_t i = 0; p != NULL && i < v.n; i++) {
		struct segment s = v.seg[i];
		struct unknown segment = { .grammar = GRAMMAR_SEGMENT };

		if (!loose && is_ambiguous(v, i))
			continue;
		if (!loose && may_hold_path(v, i))
			s.open = &segment;
		if (s.open == NULL) {
			char *copy = ngc_arena_copy(c->arena, s.text.p, s.text.n);

			if (copy == NULL)
				return NULL;
			s.text.p = (const unsigned char *)copy;
		}
		if (!pattern_add_segment(p, &s))
			return NULL;
	}
	return p;
}

static bool add_pattern(struct cover *c, const struct ngc_zone *z, struct value key,
    bool ambiguous)
{
	struct open_key k = { .zone = z };

	if (key.n > PIECES_MAX) {
		c->pub.incomplete = true;
		return true;
	}
	k.sure = make_pattern(c, key, false);
	if (ambiguous)
		k.loose = make_pattern(c, key, true);
	if (k.sure == NULL || (ambiguous && k.loose == NULL))
		return false;
	for (size_t i = 0; i < c->n_keys; i++)
		if (c->keys[i].zone == z && pattern_same(c->keys[i].sure, k.sure) &&
		    (c->keys[i].loose != NULL) == (k.loose != NULL))
			return true;
	if (!ngc_array_grow((void **)&c->keys, c->n_keys, &c->cap_keys, sizeof(*c->keys)))
		return false;
	c->keys[c->n_keys++] = k;
	return true;
}

/* Is nothing open but the query, which any_query opened, and what is one of a list? */
static bool is_strict(struct value key)
{
	for (size_t i = 0; i < key.n; i++)
		if (key.seg[i].open != NULL &&
		    key.seg[i].open->grammar != GRAMMAR_QUERY &&
		    key.seg[i].open->grammar != GRAMMAR_RESULTS)
			return false;
	return true;
}

bool cover_add_value(struct cover *c, const struct ngc_zone *z, struct ngc_bytes template,
    struct value key)
{
	const struct unknown *u = value_unknown(key);
	bool empty = true, ambiguous = false;
	struct ngc_open_template *o;
	struct ngc_bytes text;

	if (c->scope.strict && !is_strict(key)) {
		c->pub.incomplete = c->pub.incomplete || c->coarse;
		return true;
	}
	for (size_t i = 0; i < key.n; i++) {
		ambiguous = ambiguous || is_ambiguous(key, i) || may_hold_path(key, i);
		empty = empty &&
			(key.seg[i].open == NULL || may_be_left_out(key.seg[i].open));
	}
	text = value_bytes(c->arena, key);
	if (text.p == NULL || (empty && !add_target(c, z, text)))
		return false;
	if (u == NULL)
		return true;
	o = open_template(c, z, template, u->name);
	if (o == NULL)
		return false;
	o->ambiguous = o->ambiguous || ambiguous;
	return add_pattern(c, z, key, ambiguous);
}

bool ngc_cover_match(const struct ngc_cover *pub, const struct ngc_zone *zone,
    struct ngc_bytes key, bool *ambiguous)
{
	const struct cover *c = (const struct cover *)pub; /* its first member */

	*ambiguous = false;
	for (size_t i = 0; i < pub->n_targets; i++)
		if (pub->targets[i].zone == zone &&
		    ngc_bytes_equal(pub->targets[i].key, key))
			return true;
	for (size_t i = 0; i < c->n_keys; i++) {
		if (c->keys[i].zone != zone)
			continue;
		if (pattern_match(c->keys[i].sure, key)) {
			*ambiguous = false;
			return true;
		}
		if (c->keys[i].loose != NULL && pattern_match(c->keys[i].loose, key))
			*ambiguous = true;
	}
	return false;
}

static bool add_url(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url)
{
	bool ok = true;

	if (url->host.p == NULL)
		return r->conf == NULL || cover_path(c, r, url);
	for (size_t i = 0; ok && i < r->n_zones; i++)
		if (!r->zones[i].zone->configured)
			ok = cover_directory(c, &r->zones[i], url);
	if (!ok || r->conf == NULL)
		return ok;
	return c->scope.strict ? cover_request(c, r, url) : cover_configured(c, r, url);
}

/* The URL with the '/' at the end of its path dropped, or added. */
static bool add_other_slash(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url)
{
	size_t n = url->path.n;
	struct ngc_url other = *url;
	struct ngc_buf b = { 0 };
	bool ok = true;

	if (url->path.p[n - 1] == '/')
		n--;
	ngc_buf_add(&b, url->path.p, n);
	if (n == url->path.n)
		ngc_buf_add_char(&b, '/');
	other.path.n = b.n;
	ngc_buf_add_bytes(&b, ngc_bytes_from(url->target, url->path.n));
	other.target = ngc_buf_bytes(&b);
	other.path.p = other.target.p;
	if (n > 0)
		ok = !b.failed && add_url(c, r, &other);
	ngc_buf_free(&b);
	return ok;
}

static bool add_all(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url)
{
	return add_url(c, r, url) && (!c->scope.any_slash || add_other_slash(c, r, url));
}

/* With too many keys to compute each, most become patterns: begin anew so. */
static bool add_coarsely(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url)
{
	c->pub.n_targets = c->pub.n_open = c->n_keys = 0;
	c->coarse = true;
	return add_all(c, r, url);
}

enum ngc_code ngc_route_cover(const struct ngc_router *r, const struct ngc_url *url,
    const struct ngc_scope *scope, struct ngc_cover **out, struct ngc_error *err)
{
	struct cover *c = ngc_array_alloc(1, sizeof(*c));
	enum ngc_code code;
	bool ok;

	*out = NULL;
	if (c == NULL)
		return ngc_no_memory(err);
	c->arena = ngc_arena_new();
	if (scope != NULL)
		c->scope = *scope;
	ok = c->arena != NULL && add_all(c, r, url);
	if (!ok && c->overflow)
		ok = add_coarsely(c, r, url);
	code = router_result(r, ok, err);
	if (code != NGC_OK) {
		ngc_cover_free(&c->pub);
		return code;
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
	free(c->keys);
	ngc_arena_free(c->arena);
	free(c);
}
