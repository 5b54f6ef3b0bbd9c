/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"
#include "ngc/variable.h"

/* Which zones an X_cache with variables may name. */

/* Variables in each other's values are followed this far. */
#define DEPTH_MAX 4

/* With more values than this to try, any zone may be meant. */
#define STEPS_MAX 10000

struct naming {
	const struct ngc_conf *conf;
	const struct ngc_directive *server;
	const char *zone;
	unsigned depth, steps;
};

/* Behind the variable that begins at p; its name in *name. */
static const char *take_variable(const char *p, struct ngc_bytes *name)
{
	const char *start = ++p;

	if (*p == '{') {
		start++;
		p += strcspn(p, "}");
		*name = ngc_bytes(start, p > start ? (size_t)(p - start) : 0);
		return *p == '}' ? p + 1 : p;
	}
	while (ngc_variable_char((unsigned char)*p))
		p++;
	*name = ngc_bytes(start, (size_t)(p - start));
	return p;
}

/*
 * Could text give name, its variables being whatever they need to be?  As a shell pattern
 * whose stars are variables is matched: only the last star met is ever tried anew.
 */
static bool may_give(const char *text, const char *name)
{
	const char *star = NULL, *tried = NULL;
	struct ngc_bytes ignored;

	while (*name != '\0' || *text == '$') {
		if (*text == '$') {
			star = text = take_variable(text, &ignored);
			tried = name;
		} else if (*text != '\0' && *text == *name) {
			text++;
			name++;
		} else if (star != NULL && *tried != '\0') {
			text = star;
			name = ++tried;
		} else {
			return false;
		}
	}
	return *text == '\0';
}

static bool is_variable(struct ngc_bytes word, struct ngc_bytes name)
{
	return word.n == name.n + 1 && word.p[0] == '$' &&
	       ngc_bytes_same(ngc_bytes_from(word, 1), name);
}

static bool may_name(struct naming *n, const char *text);

/* The same with a value in the place of the variable between start and end. */
static bool with_value(struct naming *n, const char *text, const char *start,
    const char *end, struct ngc_bytes value)
{
	struct ngc_buf b = { 0 };
	const char *whole;
	bool may;

	ngc_buf_add(&b, text, (size_t)(start - text));
	ngc_buf_add_bytes(&b, value);
	ngc_buf_add_str(&b, end);
	whole = ngc_buf_str(&b);
	may = whole == NULL || may_name(n, whole);
	ngc_buf_free(&b);
	return may;
}

/* Does some set directive give the variable a value with which it may? */
static bool may_by_set(struct naming *n, const struct ngc_directive *block,
    const char *text, const char *start, const char *end, struct ngc_bytes name,
    bool *known)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		if (ngc_directive_is(d, "set") && d->n_words == 3 &&
		    is_variable(d->words[1], name)) {
			*known = true;
			if (with_value(n, text, start, end, d->words[2]))
				return true;
		}
		if (d->block && may_by_set(n, d, text, start, end, name, known))
			return true;
	}
	return false;
}

/* Does some line of the map, geo or split_clients block that defines it? */
static bool may_by_map(struct naming *n, const char *text, const char *start,
    const char *end, struct ngc_bytes name, bool *known)
{
	for (size_t i = 0; i < n->conf->maps.n; i++) {
		const struct ngc_directive *map = n->conf->maps.item[i];

		if (!is_variable(map->words[map->n_words - 1], name))
			continue;
		*known = true;
		for (const struct ngc_directive *d = map->first; d != NULL; d = d->next)
			if (d->n_words == 2 &&
			    with_value(n, text, start, end, d->words[1]))
				return true;
	}
	return false;
}

static bool may_name(struct naming *n, const char *text)
{
	const char *start = strchr(text, '$'), *end;
	struct ngc_bytes name;
	bool known = false, may;

	if (!may_give(text, n->zone))
		return false;
	if (start == NULL || n->depth == DEPTH_MAX || n->steps++ > STEPS_MAX)
		return true;
	end = take_variable(start, &name);
	n->depth++;
	may = may_by_map(n, text, start, end, name, &known) ||
	      (!known && may_by_set(n, n->server, text, start, end, name, &known));
	n->depth--;
	return may || !known;
}

bool ngc_level_may_select(const struct ngc_conf *c, const struct ngc_level *l,
    const struct ngc_zone *z)
{
	struct naming n = { .conf = c, .server = l->d, .zone = z->name };

	if (l->protocol != z->type)
		return false;
	while (n.server->parent != c->http->d)
		n.server = n.server->parent;
	return may_name(&n, ngc_directive_arg(l->caching->cache[l->protocol], 1));
}

bool ngc_use_may_select(const struct ngc_conf *c, const struct ngc_use *u,
    const struct ngc_zone *z)
{
	const struct use *use = (const struct use *)u; /* its first member */

	return ngc_level_may_select(c, use->level, z);
}
