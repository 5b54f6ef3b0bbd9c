/* SPDX-License-Identifier: BSD-2-Clause */
#include "zone_keys.h"

/* The lists of a zone: what its keys look like, and who stores there. */

/*
 * A copy of a pattern in the arena, shared with the one made last: mostly all zones have
 * the same.  NULL: no memory.
 */
static struct pattern *keep_pattern(struct ngc_router *r, const struct pattern *p)
{
	if (r->last_pattern == NULL || !pattern_same(r->last_pattern, p)) {
		r->last_pattern = ngc_arena_alloc(r->arena, 1, sizeof(*p));
		if (r->last_pattern != NULL)
			*r->last_pattern = *p;
	}
	return r->last_pattern;
}

/* Most zones have few: their lists lie in the arena, close together. */
static bool more_room(struct ngc_router *r, struct zone_keys *z)
{
	size_t cap = z->cap_patterns > 0 ? 2 * z->cap_patterns : 2;
	struct zone_pattern *list = ngc_arena_alloc(r->arena, cap, sizeof(*list));

	if (list == NULL)
		return false;
	if (z->n_patterns > 0)
		memcpy(list, z->patterns, z->n_patterns * sizeof(*list));
	z->patterns = list;
	z->cap_patterns = cap;
	return true;
}

/* Is it there already, or a wider one of the same server? */
static bool serves(const struct zone_pattern *one, const struct pattern *p,
    const struct ngc_server *writer)
{
	return pattern_same(one->pattern, p) ||
	       (one->writer == writer && !one->several &&
		   pattern_covers(one->pattern, p));
}

struct zone_pattern *zone_keys_add(struct ngc_router *r, struct zone_keys *z,
    const struct pattern *p, const struct ngc_server *writer)
{
	struct zone_pattern *one;

	for (size_t i = 0; i < z->n_patterns; i++)
		if (serves(&z->patterns[i], p, writer))
			return &z->patterns[i];
	if (z->n_patterns == z->cap_patterns && !more_room(r, z))
		return NULL;
	one = &z->patterns[z->n_patterns];
	*one = (struct zone_pattern){ .pattern = keep_pattern(r, p) };
	if (one->pattern == NULL)
		return NULL;
	z->n_patterns++;
	return one;
}

/* Servers are learnt one after the other: the last one is the only one to come again. */
bool zone_keys_store(struct ngc_router *r, struct zone_keys *z,
    const struct ngc_server *s)
{
	size_t cap = z->cap_storing > 0 ? 2 * z->cap_storing : 1;
	const struct ngc_server **list;

	if (z->n_storing > 0 && z->storing[z->n_storing - 1] == s)
		return true;
	if (z->n_storing == z->cap_storing) {
		list = ngc_arena_alloc(r->arena, cap, sizeof(struct ngc_server *));
		if (list == NULL)
			return false;
		if (z->n_storing > 0)
			memcpy(list, z->storing, z->n_storing * sizeof(*list));
		z->storing = list;
		z->cap_storing = cap;
	}
	z->storing[z->n_storing++] = s;
	return true;
}
