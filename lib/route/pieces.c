/* SPDX-License-Identifier: BSD-2-Clause */
#include "reading.h"

#include "value.h"

/* How a pattern is put together from the parts of a template, and what it tells. */

static const struct {
	enum grammar grammar;
	enum told tells;
} of_variable[] = {
	[VAR_TEXT] = { GRAMMAR_TEXT, TELLS_NOTHING },
	[VAR_CAPTURE] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_OTHER] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_SCHEME] = { GRAMMAR_SCHEME, TELLS_SCHEME },
	[VAR_REQUEST_METHOD] = { GRAMMAR_METHOD, TELLS_METHOD },
	[VAR_HOST] = { GRAMMAR_HOST, TELLS_HOST },
	[VAR_HTTP_HOST] = { GRAMMAR_HTTP_HOST, TELLS_HOST },
	[VAR_REQUEST_URI] = { GRAMMAR_TARGET, TELLS_URI },
	[VAR_URI] = { GRAMMAR_PATH, TELLS_URI },
	[VAR_ARGS] = { GRAMMAR_QUERY, TELLS_NOTHING },
	[VAR_IS_ARGS] = { GRAMMAR_IS_ARGS, TELLS_NOTHING },
	[VAR_SERVER_NAME] = { GRAMMAR_HOST, TELLS_NOTHING },
	[VAR_SERVER_PORT] = { GRAMMAR_PORT, TELLS_PORT },
	[VAR_HTTPS] = { GRAMMAR_HTTPS, TELLS_NOTHING },
	[VAR_PROXY_HOST] = { GRAMMAR_HTTP_HOST, TELLS_NOTHING },
	[VAR_PROXY_PORT] = { GRAMMAR_PORT, TELLS_NOTHING },
	[VAR_SLICE_RANGE] = { GRAMMAR_RANGE, TELLS_NOTHING },
	[VAR_REQUEST_BODY] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_DOCUMENT_ROOT] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_REALPATH_ROOT] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_REMOTE_USER] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_ARG] = { GRAMMAR_ARGUMENT, TELLS_ARGUMENT },
	[VAR_HTTP] = { GRAMMAR_ANY, TELLS_NOTHING },
	[VAR_COOKIE] = { GRAMMAR_ANY, TELLS_NOTHING },
};

bool pattern_add(struct pattern *p, const struct part *part)
{
	if (p->n == PIECES_MAX)
		return false;
	p->pieces[p->n++] = (struct piece){ of_variable[part->var].grammar,
		.tells = of_variable[part->var].tells,
		.text = part->text };
	return true;
}

bool pattern_add_segment(struct pattern *p, const struct segment *s)
{
	if (p->n == PIECES_MAX)
		return false;
	p->pieces[p->n++] = (struct piece){ s->open != NULL ? s->open->grammar
							    : GRAMMAR_TEXT,
		.text = s->text,
		.block = s->open != NULL ? s->open->block : NULL };
	return true;
}

bool pattern_add_text(struct pattern *p, struct ngc_bytes text, enum told tells)
{
	if (p->n == PIECES_MAX)
		return false;
	p->pieces[p->n++] = (struct piece){ .text = text, .tells = tells };
	return true;
}

bool pattern_add_base(struct pattern *p, struct ngc_bytes text, struct ngc_bytes base)
{
	if (p->n + 2 > PIECES_MAX)
		return false;
	p->pieces[p->n++] = (struct piece){ .text = text,
		.tells = TELLS_BASE,
		.base = base };
	p->pieces[p->n++] = (struct piece){ GRAMMAR_QUERY, .tells = TELLS_REST };
	return true;
}

bool pattern_add_target(struct pattern *p, const struct ngc_level *location)
{
	static const struct part target = { VAR_REQUEST_URI, { NULL, 0 } };

	if (!pattern_add(p, &target))
		return false;
	while (location != NULL && !ngc_level_is_location(location))
		location = location->parent;
	if (location != NULL && location->pattern.n > 1 &&
	    (location->kind == NGC_LEVEL_EXACT || location->kind == NGC_LEVEL_PREFIX ||
		location->kind == NGC_LEVEL_PREFIX_FINAL))
		p->pieces[p->n - 1].base = location->pattern;
	return true;
}

static bool piece_same(const struct piece *a, const struct piece *b, bool anywhere)
{
	return a->grammar == b->grammar && a->block == b->block && a->tells == b->tells &&
	       a->shared == b->shared && a->rewritten == b->rewritten &&
	       ((anywhere && a->base.n == 0) || ngc_bytes_equal(a->base, b->base)) &&
	       ngc_bytes_equal(a->text, b->text);
}

static bool same_but(const struct pattern *a, const struct pattern *b, bool anywhere)
{
	if (a->n != b->n || a->guessed != b->guessed || a->nocase != b->nocase)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!piece_same(&a->pieces[i], &b->pieces[i], anywhere))
			return false;
	return true;
}

bool pattern_same(const struct pattern *a, const struct pattern *b)
{
	return same_but(a, b, false);
}

bool pattern_covers(const struct pattern *a, const struct pattern *b)
{
	return same_but(a, b, true);
}

void pattern_rewritten(struct pattern *p, const struct ngc_level *location, bool all)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct piece *a = &p->pieces[i];

		if (a->tells == TELLS_BASE || a->tells == TELLS_REST)
			a->tells = TELLS_NOTHING;
		else if (a->tells == TELLS_URI && (all || a->grammar == GRAMMAR_PATH))
			a->rewritten = location;
	}
}

bool pattern_tells_uri(const struct pattern *p, bool query)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->pieces[i].tells == TELLS_URI && p->pieces[i].rewritten == NULL &&
		    (p->pieces[i].grammar == GRAMMAR_TARGET || !query))
			return true;
	return false;
}

static bool is_question(const struct piece *p)
{
	return p->grammar == GRAMMAR_IS_ARGS ||
	       (p->grammar == GRAMMAR_TEXT &&
		   ngc_bytes_equal(p->text, ngc_bytes_of("?")));
}

/* How many pieces behind that one are a query, with its '?'. */
static unsigned query_behind(const struct pattern *p, unsigned i)
{
	unsigned n = i + 1 < p->n && is_question(&p->pieces[i + 1]);

	return i + n + 1 < p->n && p->pieces[i + n + 1].grammar == GRAMMAR_QUERY ? n + 1
										 : 0;
}

/* Of the pieces that tell the URI, the one that tells most of it; p->n: none does. */
static unsigned find_uri(const struct pattern *p)
{
	unsigned best = p->n, best_rank = 0;

	for (unsigned i = 0; i < p->n; i++) {
		unsigned rank = p->pieces[i].grammar == GRAMMAR_TARGET ? 3
				: query_behind(p, i) > 0	       ? 2
								       : 1;

		if (p->pieces[i].tells == TELLS_URI && rank > best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

void pattern_end(struct pattern *p)
{
	unsigned uri = find_uri(p), n = uri < p->n ? query_behind(p, uri) : 0;
	bool apart = uri < p->n && n == 0 && p->pieces[uri].grammar == GRAMMAR_PATH;

	for (unsigned i = 0; i < p->n; i++) {
		struct piece *a = &p->pieces[i];

		if (i > uri && i <= uri + n)
			a->tells = TELLS_URI_TOO;
		else if (i != uri && a->tells == TELLS_URI)
			a->tells = TELLS_NOTHING;
		else if (apart && a->grammar == GRAMMAR_QUERY)
			a->tells = TELLS_ARGS;
	}
}
