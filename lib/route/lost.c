/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/*
 * A URI of which a part is not known: no location can be looked up for it.  One request
 * is lost there.  Of any request for a URL, each location that stores, and that such a
 * URI may lead to, is a way to go.
 */

/* The text in front of what is not known. */
static struct ngc_bytes known_start(struct run *r, struct value v)
{
	struct value start = v;

	for (start.n = 0; start.n < v.n && v.seg[start.n].open == NULL; start.n++)
		;
	return value_bytes(r->arena, start);
}

/* What every URI of a location begins with. */
static struct ngc_bytes begins_with(const struct ngc_level *l)
{
	if (l->kind == NGC_LEVEL_EXACT || l->kind == NGC_LEVEL_PREFIX ||
	    l->kind == NGC_LEVEL_PREFIX_FINAL)
		return l->pattern;
	return l->kind == NGC_LEVEL_REGEX ? regex_start(l->pattern) : ngc_bytes("", 0);
}

/* May a URI that begins so be in the location that the level belongs to? */
static bool may_be_in(const struct ngc_level *l, struct ngc_bytes start)
{
	struct ngc_bytes must;

	while (!ngc_level_is_location(l) && l->parent != NULL)
		l = l->parent;
	must = begins_with(l);
	if (start.n > must.n)
		return l->kind != NGC_LEVEL_EXACT && ngc_bytes_starts(start, must);
	return ngc_bytes_starts(must, start);
}

/* The i-th level inside that the URI may lead to; *i is counted down. */
static const struct ngc_level *find_way(const struct ngc_level *l, struct ngc_bytes start,
    unsigned *i)
{
	const struct ngc_level *found = NULL;

	if (ngc_level_stores(l) && may_be_in(l, start) && (*i)-- == 0)
		return l;
	for (l = l->first; l != NULL && found == NULL; l = l->next)
		found = find_way(l, start, i);
	return found;
}

static unsigned count_ways(const struct ngc_level *server, struct ngc_bytes start)
{
	unsigned n = ~0u;

	find_way(server, start, &n);
	return ~0u - n;
}

/* Directives that may set variables, which are not gone through. */
static bool sets_variables(const struct ngc_level *location)
{
	return ngc_directive_find(location->d, "set") != NULL ||
	       ngc_directive_find(location->d, "if") != NULL ||
	       ngc_directive_find(location->d, "rewrite") != NULL;
}

void run_lose(struct run *r, struct value path, struct value args)
{
	struct ngc_bytes start = known_start(r, path);
	unsigned n, way;

	r->lost_by = value_unknown(path);
	r->end = END_LOST;
	if (!r->asked->all)
		return;
	n = count_ways(r->server->level, start);
	way = run_choose(r, n, r->lost_by);
	r->level = n > 0 ? find_way(r->server->level, start, &way) : NULL;
	if (r->level == NULL) {
		r->end = END_UNCACHED;
		return;
	}
	for (r->location = r->level; !ngc_level_is_location(r->location);
	     r->location = r->location->parent)
		;
	r->open_uri = path;
	r->args = args;
	r->internal = true;
	r->unparsed_valid = false;
	r->doubtful = r->doubtful || sets_variables(r->location);
	if (r->location->kind == NGC_LEVEL_REGEX ||
	    r->location->kind == NGC_LEVEL_REGEX_NOCASE)
		run_matched_unknown(r, r->location->pattern, r->lost_by);
	run_key(r, r->level);
}
