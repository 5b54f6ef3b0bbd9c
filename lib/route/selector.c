/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"
#include "explain.h"
#include "grammar.h"

/* What a selector for a URL takes, as a regular expression over keys. */

static void add_quoted(struct ngc_buf *b, struct ngc_bytes s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];

		if (c < 0x20 || c == 0x7f)
			ngc_buf_printf(b, "\\x%02x", c);
		else if (strchr("\\^$.[]|()?*+{}-#", c) != NULL)
			ngc_buf_printf(b, "\\%c", c);
		else
			ngc_buf_add_char(b, (char)c);
	}
}

/* Any of the results of a block, or nothing. */
static void add_results(struct ngc_buf *b, const struct ngc_directive *block)
{
	ngc_buf_add_str(b, "(?:");
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		if (d->n_words != 2)
			continue;
		add_quoted(b, d->words[1]);
		ngc_buf_add_char(b, '|');
	}
	ngc_buf_add_char(b, ')');
}

static void add_pattern(struct ngc_buf *b, const struct pattern *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (p->pieces[i].grammar == GRAMMAR_TEXT)
			add_quoted(b, p->pieces[i].text);
		else if (p->pieces[i].grammar == GRAMMAR_RESULTS)
			add_results(b, p->pieces[i].block);
		else
			ngc_buf_add_str(b, grammar_regex(p->pieces[i].grammar));
	}
}

/* A target that an open key of the same zone gives as well need not be written out. */
static bool is_given(const struct cover *c, const struct ngc_target *t)
{
	for (size_t i = 0; i < c->n_keys; i++)
		if (c->keys[i].zone == t->zone && pattern_match(c->keys[i].sure, t->key))
			return true;
	return false;
}

static void add_part(struct ngc_buf *b, bool *first)
{
	if (!*first)
		ngc_buf_add_char(b, '|');
	*first = false;
}

/* The alternatives of one zone, or of all. */
static void write_regex(struct ngc_buf *b, const struct cover *c,
    const struct ngc_zone *z)
{
	bool first = true;

	ngc_buf_add_str(b, "\\A(?:");
	for (size_t i = 0; i < c->pub.n_targets; i++) {
		const struct ngc_target *t = &c->pub.targets[i];

		if ((z != NULL && t->zone != z) || is_given(c, t))
			continue;
		add_part(b, &first);
		add_quoted(b, t->key);
	}
	for (size_t i = 0; i < c->n_keys; i++) {
		if (z != NULL && c->keys[i].zone != z)
			continue;
		add_part(b, &first);
		add_pattern(b, c->keys[i].sure);
	}
	ngc_buf_add_str(b, first ? "(?!))\\z" : ")\\z");
}

bool explain_pattern(struct explaining *x, const struct ngc_router *r,
    const struct ngc_url *url)
{
	const struct ngc_zone *z = x->pub.zone;
	struct ngc_buf b = { 0 };
	struct ngc_cover *pub;
	struct ngc_error err;

	if (ngc_route_cover(r, url, NULL, &pub, &err) != NGC_OK)
		return false;
	for (size_t i = 0; i < pub->n_open; i++)
		if (z == NULL || pub->open[i].zone == z)
			x->pub.ambiguous = x->pub.ambiguous || pub->open[i].ambiguous;
	if (pub->n_targets > 0 || pub->n_open > 0) {
		write_regex(&b, (const struct cover *)pub, z);
		x->failed = x->failed || b.failed;
		x->pub.pattern = explain_copy(x, ngc_buf_bytes(&b));
	}
	ngc_buf_free(&b);
	ngc_cover_free(pub);
	return !x->failed;
}
