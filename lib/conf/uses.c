/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"

/*
 * The uses: every place whose X_pass handles requests while a cache of its module is in
 * force.
 */

/* A NULL-ended array of n strings in the arena; NULL: no memory. */
static const char **new_strings(const struct ngc_conf *c, size_t n)
{
	return ngc_arena_alloc(c->arena, n + 1, sizeof(char *));
}

/* What the uses of one server share. */
struct shared {
	const char *const *names;
	const char *const *listen;
};

static bool share(const struct ngc_conf *c, const struct ngc_server *s,
    struct shared *out)
{
	const char **names = new_strings(c, s->n_names);
	const char **listen = new_strings(c, s->n_listen);
	size_t n_listen = 0;

	if (names == NULL || listen == NULL)
		return false;
	for (size_t i = 0; i < s->n_names; i++)
		names[i] = (const char *)s->names[i].p;
	for (size_t i = 0; i < s->n_listen; i++) /* a range of ports is one directive */
		if (i == 0 || s->listen[i].text != s->listen[i - 1].text)
			listen[n_listen++] = s->listen[i].text;
	*out = (struct shared){ names, listen };
	return true;
}

const char *ngc_level_modifier(const struct ngc_level *l)
{
	static const char *const signs[] = {
		[NGC_LEVEL_EXACT] = "= ",
		[NGC_LEVEL_PREFIX] = "",
		[NGC_LEVEL_PREFIX_FINAL] = "^~ ",
		[NGC_LEVEL_REGEX] = "~ ",
		[NGC_LEVEL_REGEX_NOCASE] = "~* ",
		[NGC_LEVEL_NAMED] = "",
	};

	return ngc_level_is_location(l) ? signs[l->kind] : "";
}

/* "MODIFIER PATTERN" */
static const char *location_text(const struct ngc_conf *c, const struct ngc_level *l)
{
	struct ngc_buf b = { 0 };
	char *text = NULL;

	ngc_buf_add_str(&b, ngc_level_modifier(l));
	ngc_buf_add_bytes(&b, l->pattern);
	if (!b.failed)
		text = ngc_arena_copy(c->arena, b.p, b.n);
	ngc_buf_free(&b);
	return text;
}

/* The locations around l, outermost first; NULL: no memory. */
static const char **parents_of(const struct ngc_conf *c, const struct ngc_level *l)
{
	const char **out;
	size_t n = 0;

	for (const struct ngc_level *p = l->parent; ngc_level_is_location(p);
	     p = p->parent)
		n++;
	out = new_strings(c, n);
	for (const struct ngc_level *p = l->parent; out != NULL && n > 0; p = p->parent) {
		out[--n] = location_text(c, p);
		if (out[n] == NULL)
			return NULL;
	}
	return out;
}

/* An if or limit_except block stands for the location around it. */
static const struct ngc_level *location_of(const struct ngc_level *l)
{
	while (!ngc_level_is_location(l) && l->kind >= NGC_LEVEL_IF)
		l = l->parent;
	return l;
}

static bool add_use(const struct ngc_conf *c, const struct shared *s,
    const struct ngc_level *l)
{
	struct use *use = ngc_arena_alloc(c->arena, 1, sizeof(*use));
	struct ngc_use *u = &use->pub;
	const struct ngc_level *where = location_of(l);
	const struct ngc_directive *key = l->caching->key[l->protocol];

	if (use == NULL)
		return false;
	use->level = l;
	u->zone = ngc_directive_arg(l->caching->cache[l->protocol], 1);
	u->protocol = l->protocol;
	u->server_names = s->names;
	u->listen = s->listen;
	u->location = location_text(c, where);
	u->parents = parents_of(c, where);
	u->pass = ngc_directive_arg(l->pass, 1);
	u->key = key != NULL ? ngc_directive_arg(key, 1) : NULL;
	u->file = l->pass->file;
	u->line = l->pass->line;
	return u->location != NULL && u->parents != NULL && list_add(&c->late->uses, u);
}

bool ngc_level_stores(const struct ngc_level *l)
{
	const struct ngc_directive *cache = l->pass != NULL
						? l->caching->cache[l->protocol]
						: NULL;

	return cache != NULL && !ngc_bytes_equal(cache->words[1], ngc_bytes_of("off"));
}

static bool walk_levels(const struct ngc_conf *c, const struct shared *s,
    const struct ngc_level *l)
{
	bool ok = !ngc_level_stores(l) || add_use(c, s, l);

	for (l = l->first; l != NULL && ok; l = l->next)
		ok = walk_levels(c, s, l);
	return ok;
}

bool conf_list_uses(const struct ngc_conf *c)
{
	bool ok = true;

	c->late->uses.n = 0;
	for (size_t i = 0; i < c->servers.n && ok; i++) {
		const struct ngc_server *server = c->servers.item[i];
		struct shared s;

		ok = share(c, server, &s) && walk_levels(c, &s, server->level);
	}
	return ok;
}
