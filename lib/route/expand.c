/* SPDX-License-Identifier: BSD-2-Clause */
#include "expand.h"

#include "maps.h"

#define VALUES_MAX 24 /* of one variable */
#define ROWS_MAX   64 /* of one template */
#define DEPTH_MAX  6
#define STEPS_MAX  2000 /* values put in, whether a row comes of it or not */

struct expansion {
	struct ngc_router *router;
	const struct ngc_server *server;
	unsigned rows, steps;
	enum ngc_code (
	    *emit)(void *arg, const struct part *parts, size_t n, struct ngc_error *err);
	void *arg;
};

static bool is_full(const struct expansion *x)
{
	return x->rows >= ROWS_MAX || x->steps >= STEPS_MAX;
}

/* The different values of a variable; n is VALUES_MAX + 1 when there are more. */
struct values {
	struct ngc_bytes text[VALUES_MAX];
	size_t n;
};

static void add_value(struct values *v, struct ngc_bytes text)
{
	for (size_t i = 0; i < v->n && i < VALUES_MAX; i++)
		if (ngc_bytes_equal(v->text[i], text))
			return;
	if (v->n < VALUES_MAX)
		v->text[v->n] = text;
	if (v->n <= VALUES_MAX)
		v->n++;
}

/* What a map and its like give. */
static bool add_defined(const struct expansion *x, struct ngc_bytes name,
    struct values *v)
{
	const struct definition *def = NULL;

	for (size_t i = 0; i < x->router->n_definitions; i++)
		if (ngc_bytes_equal(x->router->definitions[i].name, name))
			def = &x->router->definitions[i];
	if (def == NULL)
		return false;
	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next)
		if (d->n_words == 2)
			add_value(v, d->words[1]);
	if (ngc_directive_find(def->d, def->eval == split_eval ? "*" : "default") == NULL)
		add_value(v, ngc_bytes("", 0));
	return true;
}

/*
 * What the set directives of a server give; *always: one of them runs for every request.
 */
static void add_set(const struct ngc_directive *block, struct ngc_bytes name,
    struct values *v, bool top, bool *always)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		if (ngc_directive_is(d, "set") && d->n_words == 3 &&
		    d->words[1].n == name.n + 1 &&
		    ngc_bytes_same(ngc_bytes_from(d->words[1], 1), name)) {
			add_value(v, d->words[2]);
			*always = *always || top;
		}
		if (d->block)
			add_set(d, name, v, false, always);
	}
}

static bool values_of(const struct expansion *x, const struct part *p, struct values *v)
{
	bool always = false;

	v->n = 0;
	if (p->var < VAR_OTHER || (p->var > VAR_OTHER && p->var < VAR_ARG))
		return false;
	if (!add_defined(x, p->text, v)) {
		add_set(x->server->level->d, p->text, v, true, &always);
		if (v->n > 0 && !always)
			add_value(v, ngc_bytes("", 0));
	}
	return v->n > 0 && v->n <= VALUES_MAX;
}

static enum ngc_code expand(struct expansion *x, const struct part *parts, size_t n,
    unsigned depth, struct ngc_error *err);

/* The row with part i replaced by one of its values. */
static enum ngc_code replace(struct expansion *x, const struct part *parts, size_t n,
    size_t i, struct ngc_bytes value, unsigned depth, struct ngc_error *err)
{
	struct part row[PIECES_MAX];
	struct template t;
	enum ngc_code code = template_compile(x->router->arena, value, &t, err);

	x->steps++;
	if (code == NGC_FATAL)
		return code;
	if (code != NGC_OK || n - 1 + t.n > PIECES_MAX)
		return NGC_OK; /* no key we could take apart */
	if (i > 0)
		memcpy(row, parts, i * sizeof(*row));
	if (t.n > 0)
		memcpy(row + i, t.parts, t.n * sizeof(*row));
	if (n - i - 1 > 0)
		memcpy(row + i + t.n, parts + i + 1, (n - i - 1) * sizeof(*row));
	return expand(x, row, n - 1 + t.n, depth + 1, err);
}

static enum ngc_code expand(struct expansion *x, const struct part *parts, size_t n,
    unsigned depth, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	struct values v;

	for (size_t i = 0; i < n && depth < DEPTH_MAX && n <= PIECES_MAX; i++) {
		if (!values_of(x, &parts[i], &v))
			continue;
		for (size_t k = 0; k < v.n && code == NGC_OK && !is_full(x); k++)
			code = replace(x, parts, n, i, v.text[k], depth, err);
		return code;
	}
	x->rows++;
	return x->emit(x->arg, parts, n, err);
}

enum ngc_code expand_template(struct ngc_router *r, const struct ngc_server *server,
    const struct template *t,
    enum ngc_code (
	*emit)(void *arg, const struct part *parts, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	struct expansion x = { .router = r, .server = server, .emit = emit, .arg = arg };
	enum ngc_code code = expand(&x, t->parts, t->n, 0, err);

	/* Not all of them were gone through: the variables may be anything. */
	if (code == NGC_OK && is_full(&x))
		code = emit(arg, t->parts, t->n, err);
	return code;
}
