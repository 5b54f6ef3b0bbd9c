/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* nginx's ngx_http_core_find_location(). */

enum located { LOCATED_NONE, LOCATED_PREFIX, LOCATED_FINAL, LOCATED_REDIRECT };

/* "/dir" is answered with "/dir/" where that location passes requests on. */
static bool redirects(const struct ngc_level *l, struct ngc_bytes uri)
{
	struct ngc_bytes p = l->pattern;

	if (p.n != uri.n + 1 || p.p[p.n - 1] != '/' || memcmp(p.p, uri.p, uri.n) != 0)
		return false;
	for (const struct ngc_directive *d = l->d->first; d != NULL; d = d->next)
		if (d->words[0].n > 5 &&
		    memcmp(d->words[0].p + d->words[0].n - 5, "_pass", 5) == 0)
			return true;
	return false;
}

/* The location of this level's static ones; *best is left alone when there is none. */
static enum located find_static(const struct ngc_level *outer, struct ngc_bytes uri,
    const struct ngc_level **best)
{
	const struct ngc_level *prefix = NULL, *redirect = NULL;

	for (const struct ngc_level *l = outer->first; l != NULL; l = l->next) {
		if (l->kind == NGC_LEVEL_EXACT && ngc_bytes_equal(l->pattern, uri)) {
			*best = l;
			return LOCATED_FINAL;
		}
		if (l->kind != NGC_LEVEL_PREFIX && l->kind != NGC_LEVEL_PREFIX_FINAL &&
		    l->kind != NGC_LEVEL_EXACT)
			continue;
		if (redirects(l, uri))
			redirect = l;
		if (l->kind != NGC_LEVEL_EXACT && ngc_bytes_starts(uri, l->pattern) &&
		    (prefix == NULL || l->pattern.n > prefix->pattern.n))
			prefix = l;
	}
	if (redirect != NULL && (prefix == NULL || prefix->pattern.n < uri.n)) {
		*best = redirect;
		return LOCATED_REDIRECT;
	}
	if (prefix == NULL)
		return LOCATED_NONE;
	*best = prefix;
	return LOCATED_PREFIX;
}

static const struct ngc_level *find_regex(struct run *r, const struct ngc_level *outer)
{
	for (const struct ngc_level *l = outer->first; l != NULL; l = l->next)
		if ((l->kind == NGC_LEVEL_REGEX || l->kind == NGC_LEVEL_REGEX_NOCASE) &&
		    run_match(r, l->pattern, l->kind == NGC_LEVEL_REGEX_NOCASE, r->uri))
			return l;
	return NULL;
}

/*
 * Find inside *at, and move it to what is found.  A prefix is only LOCATED_PREFIX, which
 * a regex of its level may overrule.  Locations nest only as deep as blocks do.
 */
static enum located find_location(struct run *r, const struct ngc_level **at)
{
	const struct ngc_level *outer = *at, *regex;
	enum located found = find_static(outer, r->uri, at);
	bool no_regex = false;

	if (found == LOCATED_PREFIX) {
		enum located inside;

		no_regex = (*at)->kind == NGC_LEVEL_PREFIX_FINAL;
		inside = find_location(r, at);
		if (inside != LOCATED_NONE)
			found = inside;
	}
	if (found == LOCATED_FINAL || found == LOCATED_REDIRECT || no_regex)
		return found;
	regex = find_regex(r, outer);
	if (regex == NULL)
		return found;
	*at = regex;
	return find_location(r, at) == LOCATED_REDIRECT ? LOCATED_REDIRECT
							: LOCATED_FINAL;
}

/* Does limit_except let the method be?  What allows GET allows HEAD, too. */
static bool is_listed(const struct ngc_directive *limit, struct ngc_bytes method)
{
	for (unsigned i = 1; i < limit->n_words; i++)
		if (ngc_bytes_same(limit->words[i], method) ||
		    (ngc_bytes_equal(method, ngc_bytes_of("HEAD")) &&
			ngc_bytes_same(limit->words[i], ngc_bytes_of("GET"))))
			return true;
	return false;
}

void run_limit(struct run *r)
{
	for (const struct ngc_level *l = r->level->first; l != NULL; l = l->next) {
		if (l->kind != NGC_LEVEL_LIMIT_EXCEPT || is_listed(l->d, r->method))
			continue;
		run_step(r, "limit_except (%s:%u)", l->d->file, l->d->line);
		r->level = l;
		return;
	}
}

bool run_locate(struct run *r)
{
	const struct ngc_level *at = r->server->level;
	enum located found = find_location(r, &at);

	r->level = at;
	r->location = ngc_level_is_location(at) ? at : NULL;
	if (r->location != NULL)
		run_step(r, "location %s%.*s (%s:%u)", ngc_level_modifier(at),
		    (int)at->pattern.n, (const char *)at->pattern.p, at->d->file,
		    at->d->line);
	run_limit(r);
	return found != LOCATED_REDIRECT;
}

const struct ngc_directive *run_setting(const struct ngc_level *l, const char *name)
{
	for (; l != NULL; l = l->parent) {
		const struct ngc_directive *d = ngc_level_find(l, name);

		if (d != NULL)
			return d;
	}
	return NULL;
}
