/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

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

/*
 * One expression of a location, from its i-th word on: there may be several, in Angie.  A
 * modifier may stand in a word of its own.
 */
static enum ngc_code read_expression(const struct ngc_directive *d, unsigned *i,
    enum ngc_level_kind *kind, struct ngc_bytes *pattern, struct ngc_error *err)
{
	struct ngc_bytes word = d->words[*i];

	if (*i + 1 < d->n_words && read_modifier(word, kind)) {
		*pattern = d->words[*i + 1];
		*i += 2;
		return NGC_OK;
	}
	if (d->n_words > 2 && (word.n == 0 || memchr("/=~^@", word.p[0], 5) == NULL))
		return conf_refuse(d, err, "invalid location modifier \"%s\"",
		    (const char *)word.p);
	read_glued(word, kind, pattern);
	*i += 1;
	return NGC_OK;
}

static bool is_regex(const struct ngc_level *l)
{
	return l->kind == NGC_LEVEL_REGEX || l->kind == NGC_LEVEL_REGEX_NOCASE;
}

/* Do its words make several locations? */
static bool is_combined(const struct ngc_directive *d)
{
	enum ngc_level_kind kind;

	return d->n_words > 3 || (d->n_words == 3 && !read_modifier(d->words[1], &kind));
}

/* Which locations may be in each other. */
static enum ngc_code check_nesting(const struct ngc_level *l, struct ngc_error *err)
{
	const struct ngc_level *outer = l->parent;
	const char *name = (const char *)l->pattern.p, *around;

	if (!ngc_level_is_location(outer) || is_combined(outer->d))
		return NGC_OK;
	around = (const char *)outer->pattern.p;
	if (outer->kind == NGC_LEVEL_EXACT || outer->kind == NGC_LEVEL_NAMED)
		return conf_refuse(l->d, err,
		    "location \"%s\" cannot be inside the %s location \"%s\"", name,
		    outer->kind == NGC_LEVEL_EXACT ? "exact" : "named", around);
	if (l->kind == NGC_LEVEL_NAMED)
		return conf_refuse(l->d, err,
		    "named location \"%s\" can be on the server level only", name);
	if (!is_regex(l) && !ngc_bytes_starts(l->pattern, outer->pattern))
		return conf_refuse(l->d, err,
		    "location \"%s\" is outside location \"%s\"", name, around);
	return NGC_OK;
}

static enum ngc_code open_locations(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	for (unsigned i = 1; i < d->n_words && code == NGC_OK;) {
		enum ngc_level_kind kind = NGC_LEVEL_PREFIX;
		struct ngc_bytes pattern;
		struct ngc_level *l;

		code = read_expression(d, &i, &kind, &pattern, err);
		if (code != NGC_OK)
			return code;
		l = new_level(c->conf, c->level, d, kind);
		if (l == NULL)
			return ngc_no_memory(err);
		l->pattern = pattern;
		code = check_nesting(l, err);
	}
	return code;
}

static bool has_post(const struct ngc_directive *d)
{
	for (unsigned i = 1; i < d->n_words; i++)
		if (ngc_bytes_same(d->words[i], ngc_bytes_of("POST")))
			return true;
	return false;
}

/*
 * X_cache_methods may be there several times, and adds up: GET and HEAD are always in, so
 * the one with POST says all.
 */
static void add_methods(struct check *c, const struct ngc_directive *d,
    enum ngc_protocol p)
{
	const struct ngc_directive **slot = &c->caching.methods[p];

	if (*slot == NULL || (*slot)->parent != d->parent || !has_post(*slot))
		*slot = d;
}

/* The last handler that is set counts: nginx's clcf->handler. */
static void set_handler(struct ngc_level *l, const struct ngc_directive *pass,
    enum ngc_protocol p)
{
	l->pass = pass;
	l->protocol = p;
}

/* May an if in front of that one have made the module the handler? */
static bool is_handled_by(const struct ngc_level *l, enum ngc_protocol p)
{
	for (const struct ngc_level *i = l->parent->first; i != NULL && i != l;
	     i = i->next)
		if (i->kind == NGC_LEVEL_IF && i->pass != NULL && i->protocol == p)
			return true;
	return false;
}

/*
 * An X_pass around a block in which no handler stands, where another handler came behind
 * it.  A limit_except takes no handler from around it: the first module with an X_pass
 * there answers.  An if takes that of the request, which an if before it may have set.
 */
static void inherit_pass(struct ngc_level *l)
{
	const struct ngc_directive *first = NULL;

	if (l->pass != NULL)
		return;
	for (const struct ngc_directive *d = l->parent->d->first; d != NULL; d = d->next)
		if (rule_of(d)->role == ROLE_PASS &&
		    (l->kind != NGC_LEVEL_IF || is_handled_by(l, rule_of(d)->protocol)) &&
		    (first == NULL || rule_of(d)->protocol < rule_of(first)->protocol))
			first = d;
	if (first != NULL && first != l->parent->pass)
		set_handler(l, first, rule_of(first)->protocol);
}

static enum ngc_code open_level(struct check *c, const struct ngc_directive *d,
    enum ngc_level_kind kind, struct ngc_error *err)
{
	return new_level(c->conf, c->level, d, kind) != NULL ? NGC_OK
							     : ngc_no_memory(err);
}

/* Take one directive into the level it stands in, or open a level in that. */
static enum ngc_code read_directive(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	const struct rule *rule = rule_of(d);
	enum ngc_protocol p = rule->protocol;
	enum ngc_code code = check_directive(c, d, err);

	if (code != NGC_OK)
		return code;
	switch (rule->role) {
	case ROLE_CACHE:
		c->caching.cache[p] = d;
		break;
	case ROLE_KEY:
		c->caching.key[p] = d;
		break;
	case ROLE_METHODS:
		add_methods(c, d, p);
		break;
	case ROLE_PASS:
		set_handler(c->level, d, p);
		return NGC_OK;
	case ROLE_HANDLER:
		set_handler(c->level, NULL, NGC_PROTOCOLS);
		return NGC_OK;
	case ROLE_SERVER:
		return open_level(c, d, NGC_LEVEL_SERVER, err);
	case ROLE_LOCATION:
		return open_locations(c, d, err);
	case ROLE_IF:
		return open_level(c, d, NGC_LEVEL_IF, err);
	case ROLE_LIMIT_EXCEPT:
		return open_level(c, d, NGC_LEVEL_LIMIT_EXCEPT, err);
	default:
		return NGC_OK;
	}
	c->own_caching = true;
	return NGC_OK;
}

/* What a level is to the directives in it. */
static unsigned place_of(const struct ngc_level *l)
{
	switch (l->kind) {
	case NGC_LEVEL_HTTP:
		return IN_HTTP;
	case NGC_LEVEL_SERVER:
		return IN_SERVER;
	case NGC_LEVEL_IF:
		return l->parent->kind == NGC_LEVEL_SERVER ? IN_SERVER_IF
							   : IN_LOCATION_IF;
	case NGC_LEVEL_LIMIT_EXCEPT:
		return IN_LIMIT_EXCEPT;
	default:
		return IN_LOCATION;
	}
}

/* Everything that stands in a level itself. */
static enum ngc_code read_level(struct check *c, struct ngc_level *l,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	c->level = l;
	c->place = place_of(l);
	c->seen = 0;
	c->caching = *l->caching;
	c->own_caching = false;
	for (const struct ngc_directive *d = l->d->first; d != NULL && code == NGC_OK;
	     d = d->next)
		if (d->rule != 0)
			code = read_directive(c, d, err);
	if (l->kind == NGC_LEVEL_LIMIT_EXCEPT || l->kind == NGC_LEVEL_IF)
		inherit_pass(l);
	if (code == NGC_OK && l->kind == NGC_LEVEL_SERVER)
		code = conf_read_server(c->conf, l, err);
	if (code == NGC_OK && l->kind != NGC_LEVEL_HTTP)
		code = check_locations(c, l, err);
	if (code == NGC_OK && c->own_caching) {
		struct ngc_caching *own = ngc_arena_alloc(c->conf->arena, 1,
		    sizeof(*own));

		if (own == NULL)
			return ngc_no_memory(err);
		*own = c->caching;
		l->caching = own;
	}
	return code;
}

/*
 * A level as a whole before those in it: they inherit what stands behind them, too.
 * Blocks nest only as deep as the reader allows.
 */
static enum ngc_code fill_level(struct check *c, struct ngc_level *l,
    struct ngc_error *err)
{
	enum ngc_code code = read_level(c, l, err);

	for (l = l->first; l != NULL && code == NGC_OK; l = l->next) {
		l->caching = l->parent->caching;
		code = fill_level(c, l, err);
	}
	return code;
}

static enum ngc_code find_http(struct ngc_conf *c, const struct ngc_directive **out,
    struct ngc_error *err)
{
	*out = NULL;
	for (const struct ngc_directive *d = c->tree->first; d != NULL; d = d->next) {
		const struct rule *rule = rule_of(d);

		if (!(rule->places & IN_MAIN))
			return conf_refuse(d, err, "\"%s\" directive is not allowed here",
			    rule->name);
		if (rule->role != ROLE_HTTP)
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
	return !d->block && rule_of(d)->role != ROLE_ZONE;
}

static bool is_map(const struct ngc_directive *d)
{
	return d->block && d->n_words > 1 && rule_of(d)->role == ROLE_MAP;
}

/*
 * There may be thousands of servers and zones between the settings: these are kept apart.
 */
static bool collect_settings(struct ngc_conf *c, struct ngc_level *http)
{
	struct list *l = &c->settings;

	for (struct ngc_directive *d = http->d->first; d != NULL; d = d->next)
		if (is_setting(d) ? !list_add(l, d) : is_map(d) && !list_add(&c->maps, d))
			return false;
	http->settings = (const struct ngc_directive *const *)l->item;
	http->n_settings = l->n;
	return true;
}

const struct ngc_directive *ngc_level_find(const struct ngc_level *l, const char *name)
{
	if (l->kind != NGC_LEVEL_HTTP)
		return ngc_directive_find(l->d, name);
	for (size_t i = 0; i < l->n_settings; i++)
		if (ngc_directive_is(l->settings[i], name))
			return l->settings[i];
	return NULL;
}

enum ngc_code conf_read_levels(struct ngc_conf *conf, struct ngc_error *err)
{
	const struct ngc_directive *http;
	struct check c = { .conf = conf, .keys.arena = conf->arena };
	enum ngc_code code = find_http(conf, &http, err);

	if (code != NGC_OK || http == NULL)
		return code;
	conf->http = new_level(conf, NULL, http, NGC_LEVEL_HTTP);
	if (conf->http == NULL)
		return ngc_no_memory(err);
	conf->http->caching = ngc_arena_alloc(conf->arena, 1, sizeof(struct ngc_caching));
	if (conf->http->caching == NULL || !collect_settings(conf, conf->http))
		return ngc_no_memory(err);
	return fill_level(&c, conf->http, err);
}
