/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* Variables whose values hold each other would never end: nginx stops at a depth, too. */
#define DEPTH_MAX 32

const struct unknown *run_unknown(struct run *r, struct ngc_bytes name, enum grammar g,
    bool hard)
{
	static const struct unknown none = { .grammar = GRAMMAR_ANY };
	struct unknown *u = ngc_arena_alloc(r->arena, 1, sizeof(*u));

	if (u == NULL) {
		r->failed = true;
		return &none;
	}
	/*
	 * With the request at hand, what we still do not know nobody could tell from it.
	 */
	*u = (struct unknown){ name, g, hard || !r->asked->all, NULL };
	return u;
}

static struct value unknown_value(struct run *r, const struct unknown *u)
{
	struct value_builder b = { .arena = r->arena };

	value_add_unknown(&b, u);
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

const struct assigned *run_find(const struct assigned *list, struct ngc_bytes name)
{
	for (; list != NULL; list = list->next)
		if (ngc_bytes_equal(list->name, name))
			return list;
	return NULL;
}

void run_assign(struct run *r, struct ngc_bytes name, struct value v,
    struct condition *only_if)
{
	struct assigned *a = ngc_arena_alloc(r->arena, 1, sizeof(*a));

	if (a == NULL) {
		r->failed = true;
		return;
	}
	a->name = name;
	a->value = v;
	a->only_if = only_if;
	a->next = r->vars;
	for (struct assigned *old = r->vars; only_if != NULL && old != NULL;
	     old = old->next) {
		if (ngc_bytes_equal(old->name, name)) {
			a->otherwise = old;
			break;
		}
	}
	r->vars = a;
}

/* The value a variable has; a condition it hangs on is decided now. */
static struct value assigned_value(struct run *r, const struct assigned *a)
{
	while (a != NULL && a->only_if != NULL) {
		struct condition *c = a->only_if;

		if (c->decided < 0)
			c->decided = run_choose(r, 2, c->on) == 1;
		if (c->decided == 1)
			break;
		a = a->otherwise;
	}
	return a != NULL ? a->value : (struct value){ 0 };
}

static bool is_variable(struct ngc_bytes w, struct ngc_bytes name)
{
	return w.n == name.n + 1 && w.p[0] == '$' &&
	       ngc_bytes_same(ngc_bytes_from(w, 1), name);
}

static bool names_variable(const struct ngc_directive *d, struct ngc_bytes name)
{
	for (unsigned i = 1; i < d->n_words; i++)
		if (is_variable(d->words[i], name))
			return true;
	return false;
}

/* Does a group of that name stand in a regex among the words? */
static bool names_group(const struct ngc_directive *d, struct ngc_bytes name)
{
	for (unsigned i = 0; i < d->n_words; i++) {
		struct ngc_bytes w = d->words[i];

		for (size_t k = 1; k + name.n + 2 <= w.n; k++)
			if ((w.p[k] == '<' || w.p[k] == '\'') &&
			    (w.p[k - 1] == '?' || w.p[k - 1] == 'P') &&
			    ngc_bytes_same(ngc_bytes(w.p + k + 1, name.n), name) &&
			    memchr(">'", w.p[k + name.n + 1], 2) != NULL)
				return true;
	}
	return false;
}

/*
 * Is the variable set by set, a named group or auth_request_set somewhere, so that it is
 * empty while it is not set?  *foreign: something we do not know sets it, too.
 */
static void look_for(const struct ngc_directive *d, struct ngc_bytes name, bool *declared,
    bool *foreign)
{
	for (d = d->first; d != NULL; d = d->next) {
		if (ngc_directive_is(d, "set") || ngc_directive_is(d, "auth_request_set"))
			*declared = *declared ||
				    (d->n_words > 1 && is_variable(d->words[1], name));
		else if (d->n_words > 2 &&
			 (ngc_bytes_starts(d->words[0], ngc_bytes_of("set_")) ||
			     memmem(d->words[0].p, d->words[0].n, "_set", 4) != NULL))
			*foreign = *foreign || names_variable(d, name);
		else if (names_group(d, name))
			*declared = true;
		if (d->first != NULL)
			look_for(d, name, declared, foreign);
	}
}

/* A variable that is neither set on this way, nor mapped, nor one of nginx's we know. */
static struct value other_value(struct run *r, struct ngc_bytes name)
{
	bool declared = false, foreign = false;

	look_for(ngc_conf_tree(r->router->conf), name, &declared, &foreign);
	if (declared && !foreign && !r->doubtful)
		return (struct value){ 0 };
	return unknown_value(r, run_unknown(r, name, GRAMMAR_ANY, true));
}

static struct value capture_value(struct run *r, const struct part *p)
{
	unsigned i = (unsigned)(p->text.p[0] - '0');
	struct value v = { 0 };
	struct ngc_bytes s;

	if (r->open_uri.n > 0)
		return unknown_value(r, value_unknown(r->open_uri));
	if (i < r->n_groups)
		v = r->group[i];
	if (!r->quote || !(r->quoted || r->plus) || value_unknown(v) != NULL)
		return v;
	s = value_bytes(r->arena, v);
	return value_text(r->arena, run_escape(r, s, ESCAPE_ARGS), true);
}

static struct value named_value(struct run *r, const struct part *p)
{
	const struct assigned *a = run_find(r->vars, p->text);
	struct value v;

	if (a != NULL && r->doubtful)
		return unknown_value(r, run_unknown(r, p->text, GRAMMAR_ANY, true));
	if (a != NULL)
		return assigned_value(r, a);
	if (run_mapped(r, p->text, &v) || run_builtin(r, p, &v))
		return v;
	return other_value(r, p->text);
}

struct value run_variable(struct run *r, const struct part *p)
{
	struct value v;

	if (r->depth >= DEPTH_MAX)
		return unknown_value(r, run_unknown(r, p->text, GRAMMAR_ANY, true));
	r->depth++;
	if (p->var == VAR_TEXT)
		v = value_text(r->arena, p->text, false);
	else if (p->var == VAR_CAPTURE)
		v = capture_value(r, p);
	else if (p->var == VAR_OTHER || p->var >= VAR_ARG || !run_builtin(r, p, &v))
		v = named_value(r, p);
	r->depth--;
	return v;
}

/*
 * nginx goes through the parts twice: for their lengths, and to copy them.  A map that
 * matched in between has changed $1 and its like.  When these are shorter than what was
 * counted, what was in memory stands behind them; when they are longer, it depends on the
 * version of nginx what happens.
 */
static struct value eval_again(struct run *r, const struct template *t,
    const struct value *first)
{
	static const struct unknown memory = { .name = { (const unsigned char *)"1", 1 },
		.grammar = GRAMMAR_ANY,
		.hard = true };
	struct value_builder b = { .arena = r->arena };
	size_t length = 0, n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct value v = t->parts[i].var == VAR_CAPTURE
				     ? capture_value(r, &t->parts[i])
				     : first[i];

		length += value_bytes(r->arena, first[i]).n;
		n += value_bytes(r->arena, v).n;
		value_add(&b, v);
	}
	if (n != length)
		value_add_unknown(&b, &memory);
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

struct value run_eval_template(struct run *r, const struct template *t)
{
	struct value_builder b = { .arena = r->arena };
	struct value *parts = ngc_arena_alloc(r->arena, t->n, sizeof(*parts));
	unsigned matches = 0;
	bool changed = false;

	if (parts == NULL) {
		r->failed = true;
		return (struct value){ 0 };
	}
	for (size_t i = 0; i < t->n; i++) {
		if (t->parts[i].var == VAR_CAPTURE && matches == 0)
			matches = r->n_matches + 1;
		parts[i] = run_variable(r, &t->parts[i]);
		changed = matches > 0 && r->n_matches + 1 != matches;
		value_add(&b, parts[i]);
	}
	r->failed = r->failed || b.failed;
	return changed ? eval_again(r, t, parts) : value_end(&b);
}

struct value run_eval(struct run *r, struct ngc_bytes text)
{
	struct template t;
	struct ngc_error err;

	if (text.n == 0 || memchr(text.p, '$', text.n) == NULL)
		return value_text(r->arena, text, false);
	switch (template_compile(r->arena, text, &t, &err)) {
	case NGC_OK:
		return run_eval_template(r, &t);
	case NGC_FATAL:
		r->failed = true;
		return (struct value){ 0 };
	default: /* nginx would not start with it */
		return value_text(r->arena, text, false);
	}
}
