/* SPDX-License-Identifier: BSD-2-Clause */
#include "rewritten.h"

#include "regex.h"

/* Does it leave the request where it is?  stop: a "break" stands in the location. */
static bool stays(const struct ngc_directive *d, bool stop)
{
	if (!ngc_directive_is(d, "rewrite") || d->n_words < 3)
		return false;
	return d->n_words == 3 ? stop
			       : ngc_bytes_equal(d->words[3], ngc_bytes_of("break"));
}

/* Is there one in the block, or in an if in it, that may rewrite the URI? */
static bool rewrites(const struct ngc_directive *block, bool stop, struct ngc_bytes uri)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		if (stays(d, stop) &&
		    (uri.p == NULL || ngc_bytes_starts(uri, regex_start(d->words[1]))))
			return true;
		if (ngc_directive_is(d, "if") && rewrites(d, stop, uri))
			return true;
	}
	return false;
}

static bool has_break(const struct ngc_directive *block)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next)
		if (ngc_directive_is(d, "break") ||
		    (ngc_directive_is(d, "if") && has_break(d)))
			return true;
	return false;
}

const struct ngc_level *rewritten_in(const struct ngc_level *l)
{
	while (l != NULL && !ngc_level_is_location(l))
		l = l->parent;
	return l != NULL && rewrites(l->d, has_break(l->d), ngc_bytes(NULL, 0)) ? l
										: NULL;
}

/* Is it as $uri is: nothing encoded, no path in it to be resolved? */
static bool is_normal(struct ngc_bytes uri)
{
	for (size_t i = 0; i < uri.n && uri.p[i] != '?'; i++)
		if (uri.p[i] == '%' || (i > 0 && uri.p[i - 1] == '/' &&
					   (uri.p[i] == '/' || uri.p[i] == '.')))
			return false;
	return true;
}

static bool is_in(const struct ngc_level *location, struct ngc_bytes uri)
{
	struct ngc_bytes start = location->pattern;

	if ((location->kind != NGC_LEVEL_EXACT && location->kind != NGC_LEVEL_PREFIX &&
		location->kind != NGC_LEVEL_PREFIX_FINAL) ||
	    !ngc_bytes_starts(uri, start))
		return false;
	return location->kind != NGC_LEVEL_EXACT || uri.n == start.n ||
	       uri.p[start.n] == '?';
}

bool rewritten_keeps(const struct ngc_level *location, struct ngc_bytes uri)
{
	return is_normal(uri) && is_in(location, uri) &&
	       !rewrites(location->d, has_break(location->d), uri);
}

bool rewritten_may_be(struct ngc_bytes uri, struct ngc_bytes start)
{
	return ngc_bytes_starts(uri, start) || !is_normal(uri);
}
