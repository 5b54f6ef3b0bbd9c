/* SPDX-License-Identifier: BSD-2-Clause */
#include "sources.h"

#include <stdlib.h>
#include <strings.h>

#include "ngc/variable.h"

/* One walk through the configuration finds every variable that anything writes to. */

static bool add(struct ngc_router *r, struct ngc_bytes name, unsigned by)
{
	struct sources *s = &r->sources;

	if (!ngc_array_grow((void **)&s->list, s->n, &s->cap, sizeof(*s->list)))
		return false;
	s->list[s->n++] = (struct source){ name, by };
	return true;
}

/* A word that is a variable and nothing else, or ends so behind a '=': "to=$x". */
static bool add_word(struct ngc_router *r, struct ngc_bytes w, unsigned by)
{
	const unsigned char *dollar = w.n > 0 ? memchr(w.p, '$', w.n) : NULL;
	size_t at = dollar != NULL ? (size_t)(dollar - w.p) : 0;

	if (dollar == NULL || (at > 0 && w.p[at - 1] != '='))
		return true;
	return add(r, ngc_bytes_from(w, at + 1), by);
}

/* The groups with names of a regex: "(?<x>", "(?P<x>", "(?'x'". */
static bool add_groups(struct ngc_router *r, struct ngc_bytes w)
{
	const unsigned char *open;
	size_t n;

	while (w.n > 3 && (open = memmem(w.p, w.n, "(?", 2)) != NULL) {
		w = ngc_bytes_from(w, (size_t)(open - w.p) + 2);
		if (w.n > 0 && w.p[0] == 'P')
			w = ngc_bytes_from(w, 1);
		if (w.n == 0 || (w.p[0] != '<' && w.p[0] != '\''))
			continue;
		w = ngc_bytes_from(w, 1);
		for (n = 0; n < w.n && ngc_variable_char(w.p[n]); n++)
			;
		if (n > 0 && !add(r, ngc_bytes(w.p, n), SOURCE_OTHER))
			return false;
	}
	return true;
}

/* Programs that run before there is a key, and can write to any variable. */
static bool is_program(const struct ngc_directive *d)
{
	static const char *const names[] = { "perl", "perl_set", "js_set", "js_content",
		"js_access" };
	static const char *const phases[] = { "set_by_lua", "rewrite_by_lua",
		"access_by_lua", "content_by_lua" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ngc_directive_is(d, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		if (memmem(d->words[0].p, d->words[0].n, phases[i], strlen(phases[i])) !=
		    NULL)
			return true;
	return false;
}

static bool is_definition(const struct ngc_directive *d)
{
	return d->block && (ngc_directive_is(d, "map") || ngc_directive_is(d, "geo") ||
			       ngc_directive_is(d, "split_clients"));
}

/* Of a directive of nginx's own that is not set: does it write to its first argument? */
static bool writes_first(const struct ngc_directive *d)
{
	struct ngc_bytes w = d->words[0];

	return ngc_directive_is(d, "js_var") ||
	       (w.n > 4 && memcmp(w.p + w.n - 4, "_set", 4) == 0);
}

/* The variables that a directive writes to, by naming them whole. */
static bool add_named(struct ngc_router *r, const struct ngc_directive *d)
{
	if (is_definition(d))
		return add_word(r, d->words[d->n_words - 1], SOURCE_BLOCK);
	if (ngc_directive_is(d, "set"))
		return d->n_words < 2 || add_word(r, d->words[1], SOURCE_SET);
	if (writes_first(d))
		return d->n_words < 2 || add_word(r, d->words[1], SOURCE_OTHER);
	for (unsigned i = 0; i < d->n_words; i++)
		if (memchr(d->words[i].p, '$', d->words[i].n) != NULL &&
		    !ngc_directive_is_stock(d) && !add_word(r, d->words[i], SOURCE_OTHER))
			return false;
	return true;
}

/* lines: of a map and its like, which are no directives. */
static bool collect(struct ngc_router *r, const struct ngc_directive *block, bool lines)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		if (!lines && !add_named(r, d))
			return false;
		for (unsigned i = 0; i < d->n_words; i++)
			if (!add_groups(r, d->words[i]))
				return false;
		r->sources.programs = r->sources.programs || (!lines && is_program(d));
		if (d->first != NULL && !collect(r, d, is_definition(d)))
			return false;
	}
	return true;
}

/* As nginx compares names of variables. */
static int compare(const void *a, const void *b)
{
	const struct ngc_bytes *x = &((const struct source *)a)->name,
			       *y = &((const struct source *)b)->name;
	size_t n = x->n < y->n ? x->n : y->n;
	int c = strncasecmp((const char *)x->p, (const char *)y->p, n);

	return c != 0 ? c : (x->n > y->n) - (x->n < y->n);
}

/* Of each name one is left, with all that writes to it. */
static void join(struct sources *s)
{
	size_t n = 0;

	if (s->n > 0)
		qsort(s->list, s->n, sizeof(*s->list), compare);
	for (size_t i = 0; i < s->n; i++) {
		struct source *last = n > 0 ? &s->list[n - 1] : NULL;

		if (last == NULL || compare(last, &s->list[i]) != 0)
			s->list[n++] = s->list[i];
		else if (last->by & s->list[i].by & SOURCE_BLOCK)
			last->by |= SOURCE_OTHER;
		else
			last->by |= s->list[i].by;
	}
	s->n = n;
}

bool sources_collect(struct ngc_router *r)
{
	const struct ngc_level *http = ngc_conf_http(r->conf);

	if (r->sources.collected)
		return true;
	if (http != NULL && !collect(r, http->d, false))
		return false;
	join(&r->sources);
	r->sources.collected = true;
	return true;
}

unsigned sources_of(const struct ngc_router *r, struct ngc_bytes name)
{
	struct source wanted = { .name = name };
	const struct source *found = NULL;

	if (r->sources.n > 0)
		found = bsearch(&wanted, r->sources.list, r->sources.n, sizeof(wanted),
		    compare);
	if (found == NULL)
		return 0;
	return found->by | (r->sources.programs ? SOURCE_OTHER : 0);
}
