/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* The condition of an if: nginx's ngx_http_rewrite_if_condition(). */

struct condition_words {
	struct ngc_bytes left; /* a variable, or the file of a test */
	struct ngc_bytes op;   /* "", "=", "!=", "~", "!~*", "-f", "!-d", ... */
	struct ngc_bytes right;
};

/* The words between the parentheses, which are glued to the first and last or apart. */
static bool split(const struct ngc_directive *d, struct condition_words *out)
{
	struct ngc_bytes words[8];
	size_t n = 0;

	for (unsigned i = 1; i < d->n_words; i++) {
		struct ngc_bytes w = d->words[i];

		if (i == 1 && w.n > 0 && w.p[0] == '(')
			w = ngc_bytes_from(w, 1);
		if (i == d->n_words - 1 && w.n > 0 && w.p[w.n - 1] == ')')
			w.n--;
		else if (i == d->n_words - 1)
			return false;
		if (w.n == 0 && (i == 1 || i == d->n_words - 1) && d->n_words > 2)
			continue;
		if (n == 8)
			return false;
		words[n++] = w;
	}
	if (n == 0 || n > 3 || words[0].n == 0)
		return false;
	*out = (struct condition_words){ words[0], ngc_bytes("", 0), ngc_bytes("", 0) };
	if (words[0].p[0] != '$') {
		*out = (struct condition_words){ n > 1 ? words[1] : ngc_bytes("", 0),
			words[0], ngc_bytes("", 0) };
		return n == 2;
	}
	if (n > 1)
		out->op = words[1];
	if (n > 2)
		out->right = words[2];
	return n != 2 || out->op.n > 0;
}

static enum truth truth(bool holds, bool negative)
{
	return holds != negative ? TRUTH_TRUE : TRUTH_FALSE;
}

/* -f, -d, -e, -x: what the file system says, or perhaps both. */
static enum truth test_file(struct run *r, const struct condition_words *w, bool negative,
    const struct unknown **on)
{
	struct value path = run_eval(r, w->left);
	char kind = w->op.n > 0 ? (char)w->op.p[w->op.n - 1] : 'e';
	enum file f;

	*on = value_unknown(path);
	if (*on == NULL && r->asked->all)
		*on = run_unknown(r, ngc_bytes_of("filesystem"), GRAMMAR_ANY, false);
	if (*on != NULL)
		return TRUTH_UNKNOWN;
	f = ngc_conf_is_dump(r->router->conf) ? FILE_NONE
					      : run_stat(r, value_bytes(r->arena, path));
	if (kind == 'd')
		return truth(f == FILE_DIRECTORY, negative);
	return truth(kind == 'f' ? f == FILE_REGULAR : f != FILE_NONE, negative);
}

/* Could a value that is known in parts be exactly text? */
static bool may_equal(struct value v, struct ngc_bytes text)
{
	struct pattern p = { 0 };

	for (size_t i = 0; i < v.n; i++)
		if (!pattern_add_segment(&p, &v.seg[i]))
			return true;
	return pattern_match(&p, text);
}

static enum truth compare(struct run *r, struct value left, struct ngc_bytes right,
    bool negative, const struct unknown **on)
{
	struct value v = run_eval(r, right);

	*on = value_unknown(v);
	if (*on == NULL)
		*on = value_unknown(left);
	if (*on == NULL)
		return truth(ngc_bytes_equal(value_bytes(r->arena, left),
				 value_bytes(r->arena, v)),
		    negative);
	if (value_unknown(v) == NULL && !may_equal(left, value_bytes(r->arena, v)))
		return truth(false, negative);
	if (value_unknown(left) == NULL && !may_equal(v, value_bytes(r->arena, left)))
		return truth(false, negative);
	return TRUTH_UNKNOWN;
}

/* "~", "!~*" and so on: the pattern, and what its operator says. */
static bool is_match(const struct condition_words *w, bool *negative, bool *nocase)
{
	struct ngc_bytes op = w->op;

	*negative = op.n > 0 && op.p[0] == '!';
	if (*negative)
		op = ngc_bytes_from(op, 1);
	*nocase = op.n > 1 && op.p[1] == '*';
	return op.n > 0 && op.p[0] == '~';
}

enum truth run_condition(struct run *r, const struct ngc_directive *d,
    const struct unknown **on)
{
	struct condition_words w;
	bool negative, nocase, matches;
	struct value left;
	struct ngc_bytes text;

	*on = NULL;
	if (!split(d, &w))
		return TRUTH_FALSE; /* nginx would not start with it */
	matches = is_match(&w, &negative, &nocase);
	if (w.op.n > 1 && w.op.p[negative] == '-')
		return test_file(r, &w, negative, on);
	left = run_eval(r, w.left);
	if (w.op.n > 0 && !matches)
		return compare(r, left, w.right, negative, on);
	*on = value_unknown(left);
	if (*on != NULL) {
		if (matches)
			r->n_groups = 0; /* unless it turns out to match */
		return TRUTH_UNKNOWN;
	}
	text = value_bytes(r->arena, left);
	if (matches)
		return truth(run_test(r, w.right, nocase, text), negative);
	return truth(text.n > 0 && !(text.n == 1 && text.p[0] == '0'), false);
}

bool run_condition_captures(const struct ngc_directive *d)
{
	struct condition_words w;
	bool negative, nocase;

	return split(d, &w) && is_match(&w, &negative, &nocase) && !negative &&
	       memchr(w.right.p, '(', w.right.n) != NULL;
}

void run_condition_assume(struct run *r, const struct ngc_directive *d,
    const struct unknown *on)
{
	struct condition_words w;
	bool negative, nocase;

	if (split(d, &w) && is_match(&w, &negative, &nocase) && !negative)
		run_matched_unknown(r, w.right, on);
}
