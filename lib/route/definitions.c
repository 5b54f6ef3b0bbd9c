/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include "grammar.h"

/* The variables that blocks of the http context define. */

static const struct {
	const char *directive;
	void (*eval)(struct run *r, const struct definition *def, struct value *out);
} kinds[] = {
	{ "map", map_eval },
	{ "geo", geo_eval },
	{ "split_clients", split_eval },
};

static bool add_definition(struct ngc_router *r, const struct ngc_directive *d,
    size_t kind)
{
	struct ngc_bytes name = d->words[d->n_words - 1];
	struct definition *def;
	char *lower;

	if (d->n_words < 2 || d->n_words > 3 || name.n < 2 || name.p[0] != '$')
		return true;
	if (!ngc_array_grow((void **)&r->definitions, r->n_definitions,
		&r->cap_definitions, sizeof(*def)))
		return false;
	lower = ngc_arena_copy(r->arena, name.p + 1, name.n - 1);
	if (lower == NULL)
		return false;
	for (size_t i = 0; i + 1 < name.n; i++)
		if (lower[i] >= 'A' && lower[i] <= 'Z')
			lower[i] |= 0x20;
	def = &r->definitions[r->n_definitions++];
	*def = (struct definition){ ngc_bytes(lower, name.n - 1), d, kinds[kind].eval };
	return true;
}

bool definitions_init(struct ngc_router *r)
{
	const struct ngc_level *http = ngc_conf_http(r->conf);
	const struct ngc_directive *d = http != NULL ? http->d->first : NULL;

	for (; d != NULL; d = d->next)
		for (size_t i = 0; d->block && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (ngc_directive_is(d, kinds[i].directive) &&
			    !add_definition(r, d, i))
				return false;
	return true;
}

bool definition_says(const struct definition *def, const char *word)
{
	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next)
		if (d->n_words == 1 && ngc_directive_is(d, word))
			return true;
	return false;
}

bool run_mapped(struct run *r, struct ngc_bytes name, struct value *out)
{
	const struct assigned *kept = run_find(r->memo, name);
	struct assigned *keep;

	if (kept != NULL) {
		*out = kept->value;
		return true;
	}
	for (size_t i = r->router->n_definitions; i-- > 0;) { /* the last one holds */
		const struct definition *def = &r->router->definitions[i];

		if (!ngc_bytes_equal(def->name, name))
			continue;
		def->eval(r, def, out);
		if (definition_says(def, "volatile"))
			return true;
		keep = ngc_arena_alloc(r->arena, 1, sizeof(*keep));
		if (keep == NULL) {
			r->failed = true;
			return true;
		}
		*keep = (struct assigned){ .next = r->memo, .name = name, .value = *out };
		r->memo = keep;
		return true;
	}
	return false;
}

struct ngc_bytes maps_source(const struct definition *def, const char *otherwise)
{
	return def->d->n_words == 3 ? def->d->words[1] : ngc_bytes_of(otherwise);
}

/* The value a line gives: of a map or geo its second word, of split_clients too. */
static struct ngc_bytes result_of(const struct ngc_directive *line)
{
	return line->n_words > 1 ? line->words[1] : ngc_bytes("", 0);
}

/* Does the line's regex name what it catches, so that a match sets variables? */
static bool has_named_groups(const struct ngc_directive *line)
{
	static const char *const heads[] = { "(?<", "(?P<", "(?'" };
	struct ngc_bytes w = line->words[0];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (w.n > 0 && w.p[0] == '~' &&
		    memmem(w.p, w.n, heads[i], strlen(heads[i])) != NULL)
			return true;
	return false;
}

/* Does a request go on alike, whichever of the two lines it takes? */
static bool is_alike(const struct ngc_directive *a, const struct ngc_directive *b)
{
	return ngc_bytes_equal(result_of(a), result_of(b)) &&
	       memchr(result_of(b).p, '$', result_of(b).n) == NULL &&
	       !has_named_groups(a) && !has_named_groups(b);
}

static size_t collect(const struct definition *def,
    bool (*may)(const struct ngc_directive *line, struct value source),
    struct value source, const struct ngc_directive *lines[RESULTS_MAX])
{
	size_t n = 0, i;

	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next) {
		if (d->n_words != 2 || !may(d, source))
			continue;
		for (i = 0; i < n; i++)
			if (is_alike(lines[i], d))
				break;
		if (i < n)
			continue;
		if (n == RESULTS_MAX)
			return n + 1;
		lines[n++] = d;
	}
	return n;
}

/* More lines than this are not gone through for every key. */
#define LINES_MAX 4096

/* Are all results plain text, and not too many to look a key's part up among? */
static bool has_plain_results(const struct definition *def)
{
	size_t n = 0;

	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next)
		if (++n > LINES_MAX ||
		    (d->n_words == 2 &&
			memchr(d->words[1].p, '$', d->words[1].n) != NULL))
			return false;
	return true;
}

/* Too many results to go every way: one of them, whichever. */
static const struct unknown *one_of_many(struct run *r, const struct definition *def,
    const struct unknown *on)
{
	struct unknown *u = ngc_arena_alloc(r->arena, 1, sizeof(*u));

	if (u == NULL || !has_plain_results(def))
		return run_unknown(r, def->name, GRAMMAR_ANY, on->hard);
	*u = *run_unknown(r, def->name, GRAMMAR_RESULTS, on->hard);
	u->block = def->d;
	return u;
}

/* Is it one unknown rather than a way for each?  A way that sets variables is gone. */
static bool is_taken_coarsely(const struct run *r,
    const struct ngc_directive *const *lines, size_t n)
{
	if (!r->choices->coarse || n < 2)
		return false;
	for (size_t i = 0; i < n; i++)
		if (has_named_groups(lines[i]))
			return false;
	return true;
}

void maps_any_result(struct run *r, const struct definition *def,
    const struct unknown *on,
    bool (*may)(const struct ngc_directive *line, struct value source),
    struct value source, struct value *out)
{
	const struct ngc_directive *lines[RESULTS_MAX];
	struct value_builder b = { .arena = r->arena };
	size_t n = collect(def, may, source, lines);
	unsigned way;

	if (n > RESULTS_MAX || is_taken_coarsely(r, lines, n)) {
		value_add_unknown(&b, one_of_many(r, def, on));
		*out = value_end(&b);
		r->failed = r->failed || b.failed;
		return;
	}
	way = run_choose(r, (unsigned)n + !grammar_has_default(def->d), on);
	if (way >= n) {
		*out = (struct value){ 0 };
		return;
	}
	if (lines[way]->words[0].n > 1 && lines[way]->words[0].p[0] == '~')
		run_matched_unknown(r,
		    ngc_bytes_from(lines[way]->words[0],
			lines[way]->words[0].p[1] == '*' ? 2 : 1),
		    on);
	*out = run_eval(r, result_of(lines[way]));
}
