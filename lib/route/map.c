/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

/* nginx's ngx_http_map_find(): exact, then wildcards, then regexes, then the default. */

static bool is_special(const struct ngc_directive *line)
{
	return line->n_words == 1 || ngc_directive_is(line, "default");
}

/* The key of a line; a backslash in front only takes a special meaning away. */
static struct ngc_bytes key_of(const struct ngc_directive *line)
{
	struct ngc_bytes key = line->words[0];

	return key.n > 0 && key.p[0] == '\\' ? ngc_bytes_from(key, 1) : key;
}

static bool is_regex(const struct ngc_directive *line)
{
	return line->words[0].n > 0 && line->words[0].p[0] == '~';
}

static const struct ngc_directive *find_exact(const struct definition *def,
    struct ngc_bytes s, bool hostnames)
{
	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next) {
		struct ngc_bytes key = key_of(d);

		if (is_special(d) || is_regex(d))
			continue;
		if (ngc_bytes_same(key, s))
			return d;
		if (hostnames && key.n > 1 && key.p[0] == '.' &&
		    ngc_bytes_same(ngc_bytes_from(key, 1), s))
			return d;
	}
	return NULL;
}

/* The end of a name that a "*.x" or ".x" line asks for; absent: another kind of line. */
static struct ngc_bytes head_of(struct ngc_bytes key)
{
	if (ngc_bytes_starts(key, ngc_bytes_of("*.")))
		return ngc_bytes_from(key, 1);
	return key.n > 1 && key.p[0] == '.' ? key : ngc_bytes(NULL, 0);
}

static struct ngc_bytes tail_of(struct ngc_bytes key)
{
	if (key.n > 2 && key.p[key.n - 1] == '*' && key.p[key.n - 2] == '.')
		return ngc_bytes(key.p, key.n - 1);
	return ngc_bytes(NULL, 0);
}

static const struct ngc_directive *find_wild(const struct definition *def,
    struct ngc_bytes s, bool head)
{
	const struct ngc_directive *best = NULL;
	size_t longest = 0;

	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next) {
		struct ngc_bytes w = head ? head_of(d->words[0]) : tail_of(d->words[0]);

		if (w.p == NULL || s.n <= w.n || w.n <= longest || is_regex(d))
			continue;
		if (ngc_bytes_same(ngc_bytes(head ? s.p + s.n - w.n : s.p, w.n), w)) {
			best = d;
			longest = w.n;
		}
	}
	return best;
}

static const struct ngc_directive *find_regex(struct run *r, const struct definition *def,
    struct ngc_bytes s)
{
	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next) {
		struct ngc_bytes pattern;
		bool nocase;

		if (!is_regex(d))
			continue;
		pattern = ngc_bytes_from(d->words[0], 1);
		nocase = pattern.n > 0 && pattern.p[0] == '*';
		if (run_match(r, nocase ? ngc_bytes_from(pattern, 1) : pattern, nocase,
			s))
			return d;
	}
	return NULL;
}

static const struct ngc_directive *find_line(struct run *r, const struct definition *def,
    struct ngc_bytes s)
{
	bool hostnames = definition_says(def, "hostnames");
	const struct ngc_directive *d;
	struct ngc_bytes name = s;

	if (hostnames && name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	d = find_exact(def, name, hostnames);
	if (d == NULL && hostnames)
		d = find_wild(def, name, true);
	if (d == NULL && hostnames)
		d = find_wild(def, name, false);
	if (d == NULL)
		d = find_regex(r, def, s);
	return d != NULL ? d : ngc_directive_find(def->d, "default");
}

/* Could a source that is known in parts only give the key of this line? */
static bool may_be(const struct ngc_directive *line, struct value source)
{
	struct pattern p = { 0 };
	struct ngc_bytes key = key_of(line);

	if (is_special(line))
		return ngc_directive_is(line, "default");
	if (is_regex(line) || memchr(key.p, '*', key.n) != NULL ||
	    (key.n > 0 && key.p[0] == '.'))
		return true;
	for (size_t i = 0; i < source.n; i++)
		if (!pattern_add_segment(&p, &source.seg[i]))
			return true;
	p.nocase = true;
	return pattern_match(&p, key);
}

void map_eval(struct run *r, const struct definition *def, struct value *out)
{
	struct value source = run_eval(r, maps_source(def, ""));
	const struct unknown *u = value_unknown(source);
	const struct ngc_directive *line;

	if (u != NULL) {
		maps_any_result(r, def, u, may_be, source, out);
		return;
	}
	line = find_line(r, def, value_bytes(r->arena, source));
	*out = line != NULL && line->n_words > 1 ? run_eval(r, line->words[1])
						 : (struct value){ 0 };
}
