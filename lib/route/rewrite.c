/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

#include "ngc/units.h"

/*
 * The rewrite module: its directives run in file order, nginx's
 * ngx_http_rewrite_handler().
 */

static bool is(const struct ngc_directive *d, const char *name)
{
	return ngc_directive_is(d, name);
}

static struct value eval_quoted(struct run *r, struct ngc_bytes text)
{
	struct value v;

	r->quote = true;
	v = run_eval(r, text);
	r->quote = false;
	return v;
}

static void do_set(struct run *r, const struct ngc_directive *d,
    struct condition *only_if)
{
	struct ngc_bytes name;
	struct value v;

	if (d->n_words != 3 || d->words[1].n < 2 || d->words[1].p[0] != '$')
		return;
	name = run_lower(r, ngc_bytes_from(d->words[1], 1));
	v = eval_quoted(r, d->words[2]);
	if (ngc_bytes_equal(name, ngc_bytes_of("args"))) {
		r->args = v;
		r->unparsed_valid = false;
	} else {
		run_assign(r, name, v, only_if);
	}
}

void run_set_unknown(struct run *r, const struct ngc_directive *d)
{
	struct value_builder b = { .arena = r->arena };
	struct ngc_bytes name;

	if (d->n_words < 2 || d->words[1].n < 2 || d->words[1].p[0] != '$')
		return;
	name = run_lower(r, ngc_bytes_from(d->words[1], 1));
	value_add_unknown(&b, run_unknown(r, name, GRAMMAR_ANY, true));
	r->failed = r->failed || b.failed;
	run_assign(r, name, value_end(&b), NULL);
}

static bool is_redirect(struct ngc_bytes to)
{
	return ngc_bytes_starts(to, ngc_bytes_of("http://")) ||
	       ngc_bytes_starts(to, ngc_bytes_of("https://")) ||
	       ngc_bytes_starts(to, ngc_bytes_of("$scheme"));
}

/* The new URI and arguments that a replacement gives. */
static void replace(struct run *r, struct ngc_bytes to)
{
	const unsigned char *mark = memchr(to.p, '?', to.n);
	size_t n = mark != NULL ? (size_t)(mark - to.p) : to.n;
	bool keep = to.n == 0 || to.p[to.n - 1] != '?';
	struct value path = run_eval(r, ngc_bytes(to.p, n));
	struct value_builder args = { .arena = r->arena };

	if (mark != NULL && n + 1 < to.n)
		value_add(&args,
		    eval_quoted(r, ngc_bytes(mark + 1, to.n - n - 1 - !keep)));
	if (keep && r->args.n > 0) {
		if (mark != NULL)
			value_add_text(&args, ngc_bytes_of("&"), false);
		value_add(&args, r->args);
	}
	r->failed = r->failed || args.failed;
	if (value_unknown(path) != NULL) {
		run_lose(r, path, value_end(&args));
		return;
	}
	r->uri = value_bytes(r->arena, path);
	if (r->uri.n == 0) { /* nginx answers 500 */
		run_step(r, "rewritten to nothing");
		r->end = END_UNCACHED;
		return;
	}
	r->args = value_end(&args);
	run_step(r, "rewritten to %.*s", (int)r->uri.n, (const char *)r->uri.p);
}

/* One rewrite directive; *stop: no directive after it runs. */
static enum next do_rewrite(struct run *r, const struct ngc_directive *d, bool *stop)
{
	const char *flag = ngc_directive_arg(d, 3);
	bool leave = flag != NULL && strcmp(flag, "break") == 0;

	if (d->n_words < 3 || !run_test(r, d->words[1], false, r->uri))
		return NEXT_GO_ON;
	if (is_redirect(d->words[2]) ||
	    (flag != NULL &&
		(strcmp(flag, "redirect") == 0 || strcmp(flag, "permanent") == 0))) {
		run_step(r, "redirected by rewrite (%s:%u)", d->file, d->line);
		return run_redirected(r,
		    flag != NULL && strcmp(flag, "permanent") == 0 ? 301 : 302);
	}
	r->internal = true;
	r->unparsed_valid = false;
	r->uri_changed = !leave;
	if (leave)
		r->location_valid = false;
	*stop = leave || (flag != NULL && strcmp(flag, "last") == 0);
	replace(r, d->words[2]);
	return r->end != END_NONE ? NEXT_END : NEXT_GO_ON;
}

static enum next do_return(struct run *r, const struct ngc_directive *d)
{
	bool with_text = d->n_words > 2 && d->words[2].n > 0;
	int64_t status = 302;

	if (d->n_words > 1)
		ngc_parse_number(d->words[1], &status);
	run_step(r, "return %s (%s:%u)", d->n_words > 1 ? ngc_directive_arg(d, 1) : "",
	    d->file, d->line);
	if (status >= 400 && !with_text)
		return run_status(r, (unsigned)status);
	if ((status >= 301 && status <= 303) || status == 307 || status == 308)
		return run_redirected(r, (unsigned)status);
	r->end = END_UNCACHED;
	return NEXT_END;
}

/* May a block whose condition is not known be left open?  Then it only sets variables. */
static bool only_sets(const struct ngc_directive *block)
{
	static const char *const moves[] = { "return", "rewrite", "break", "root",
		"alias", "error_page", "try_files", "slice" };

	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
			if (is(d, moves[i]))
				return false;
		if (d->block ||
		    memmem(d->words[0].p, d->words[0].n, "_pass", 5) != NULL ||
		    memmem(d->words[0].p, d->words[0].n, "_by_lua", 7) != NULL)
			return false;
	}
	return true;
}

static void set_if(struct run *r, const struct ngc_directive *block,
    const struct unknown *on)
{
	struct condition *c = ngc_arena_alloc(r->arena, 1, sizeof(*c));

	if (c == NULL) {
		r->failed = true;
		return;
	}
	*c = (struct condition){ -1, on };
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next)
		if (is(d, "set"))
			do_set(r, d, c);
}

static enum next run_block(struct run *r, const struct ngc_level *l, bool *stop);

static enum next do_if(struct run *r, const struct ngc_level *l, bool *stop)
{
	const struct unknown *on;
	enum truth t = run_condition(r, l->d, &on);

	if (t == TRUTH_UNKNOWN) {
		if (only_sets(l->d) && !run_condition_captures(l->d)) {
			set_if(r, l->d, on);
			return NEXT_GO_ON;
		}
		t = run_choose(r, 2, on) == 1 ? TRUTH_TRUE : TRUTH_FALSE;
		if (t == TRUTH_TRUE)
			run_condition_assume(r, l->d, on);
	}
	if (t == TRUTH_FALSE)
		return NEXT_GO_ON;
	run_step(r, "if holds (%s:%u)", l->d->file, l->d->line);
	if (r->location != NULL)
		r->level = l;
	return run_block(r, l, stop);
}

static const struct ngc_level *level_of(const struct ngc_level *outer,
    const struct ngc_directive *d)
{
	for (const struct ngc_level *l = outer->first; l != NULL; l = l->next)
		if (l->d == d)
			return l;
	return NULL;
}

static enum next run_block(struct run *r, const struct ngc_level *l, bool *stop)
{
	enum next next = NEXT_GO_ON;

	for (const struct ngc_directive *d = l->d->first;
	     d != NULL && next == NEXT_GO_ON && !*stop && !r->failed; d = d->next) {
		const struct ngc_level *inner;

		if (is(d, "set")) {
			do_set(r, d, NULL);
		} else if (is(d, "rewrite")) {
			next = do_rewrite(r, d, stop);
		} else if (is(d, "return")) {
			next = do_return(r, d);
		} else if (is(d, "break")) {
			r->uri_changed = false;
			*stop = true;
		} else if (is(d, "if") && (inner = level_of(l, d)) != NULL) {
			next = do_if(r, inner, stop);
		} else if (ngc_bytes_starts(d->words[0], ngc_bytes_of("set_"))) {
			run_set_unknown(r, d);
		}
	}
	return next;
}

enum next run_rewrite(struct run *r, const struct ngc_level *l)
{
	bool stop = false;

	return run_block(r, l, &stop);
}
