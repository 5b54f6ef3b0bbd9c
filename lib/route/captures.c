/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* nginx's ngx_http_regex_exec(): a match sets $1 and so on, and the named groups. */

struct ngc_bytes run_lower(struct run *r, struct ngc_bytes s)
{
	struct ngc_bytes copy = ngc_arena_lower(r->arena, s);

	r->failed = r->failed || copy.p == NULL;
	return copy;
}

void run_take_captures(struct run *r, const struct captures *c)
{
	struct named_capture named;

	r->n_groups = c->n < GROUPS ? c->n : GROUPS;
	r->n_matches++;
	for (unsigned i = 0; i < r->n_groups; i++)
		r->group[i] = value_text(r->arena, c->group[i], true);
	for (unsigned i = 0; regex_named(c, i, &named); i++)
		run_assign(r, run_lower(r, named.name),
		    value_text(r->arena, named.value, true), NULL);
}

bool run_match(struct run *r, struct ngc_bytes pattern, bool nocase,
    struct ngc_bytes subject)
{
	const struct regex *x = regexes_get(r->router->regexes, pattern, nocase);
	struct captures c;

	if (x == NULL) {
		r->failed = true;
		return false;
	}
	if (!regex_match(x, subject, &c))
		return false;
	run_take_captures(r, &c);
	return true;
}

bool run_test(struct run *r, struct ngc_bytes pattern, bool nocase,
    struct ngc_bytes subject)
{
	if (run_match(r, pattern, nocase, subject))
		return true;
	r->n_groups = 0;
	r->n_matches++;
	return false;
}

void run_matched_unknown(struct run *r, struct ngc_bytes pattern,
    const struct unknown *on)
{
	const struct regex *x = regexes_get(r->router->regexes, pattern, false);
	struct captures c = { .by = x };
	struct value_builder b = { .arena = r->arena };
	struct named_capture named;

	/* What is caught of a header need not look like the header. */
	value_add_unknown(&b, run_unknown(r, on->name, GRAMMAR_ANY, on->hard));
	r->n_groups = GROUPS;
	r->n_matches++;
	for (unsigned i = 0; i < GROUPS; i++)
		r->group[i] = value_end(&b);
	for (unsigned i = 0; x != NULL && regex_named(&c, i, &named); i++)
		run_assign(r, run_lower(r, named.name), value_end(&b), NULL);
	r->failed = r->failed || b.failed || x == NULL;
}
