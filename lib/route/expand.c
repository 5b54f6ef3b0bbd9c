/* SPDX-License-Identifier: BSD-2-Clause */
#include "expand.h"

#include "maps.h"
#include "sources.h"

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
	bool literal; /* a '$' in them is no variable's */
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
static void add_defined(const struct expansion *x, struct ngc_bytes name,
    struct values *v)
{
	const struct definition *def = NULL;

	for (size_t i = 0; i < x->router->n_definitions; i++)
		if (ngc_bytes_equal(x->router->definitions[i].name, name))
			def = &x->router->definitions[i];
	if (def == NULL)
		return;
	v->literal = def->eval != map_eval;
	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next)
		if (d->n_words == 2)
			add_value(v, d->words[1]);
	if (ngc_directive_find(def->d, def->eval == split_eval ? "*" : "default") == NULL)
		add_value(v, ngc_bytes("", 0));
}

/* May it be that no directive of the rewrite module behind it runs? */
static bool may_stop(const struct ngc_directive *d)
{
	if (ngc_directive_is(d, "rewrite")) /* with a flag, or a redirect */
		return d->n_words != 3 || d->words[2].n == 0 || d->words[2].p[0] != '/';
	if (ngc_directive_is(d, "if"))
		for (const struct ngc_directive *in = d->first; in != NULL; in = in->next)
			if (may_stop(in))
				return true;
	return ngc_directive_is(d, "break") || ngc_directive_is(d, "return");
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
		top = top && !may_stop(d);
	}
}

/* A request that does not parse goes to a named location past the server's directives. */
static bool skips_server(const struct ngc_directive *block)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next)
		if (ngc_directive_is(d, "error_page") &&
		    d->words[d->n_words - 1].n > 0 &&
		    memchr("@$", d->words[d->n_words - 1].p[0], 2) != NULL)
			return true;
	return false;
}

/* Can the configuration give it values?  nginx guards most variables of its own. */
static bool is_writable(const struct part *p)
{
	return p->var == VAR_OTHER || p->var == VAR_PROXY_HOST ||
	       p->var == VAR_PROXY_PORT || p->var >= VAR_ARG;
}

/*
 * The values that a variable can have; false: it can have others, too.  While the value
 * of another was put together, no set needs to have run.
 */
static bool values_of(const struct expansion *x, const struct part *p, bool early,
    struct values *v)
{
	bool always = false;

	v->n = 0;
	v->literal = false;
	if (!is_writable(p))
		return false;
	switch (sources_of(x->router, p->text)) {
	case SOURCE_BLOCK:
		add_defined(x, p->text, v);
		break;
	case SOURCE_SET:
		add_set(x->server->level->d, p->text, v, true, &always);
		always = always && !skips_server(x->server->level->d) &&
			 !skips_server(x->server->level->d->parent);
		if (v->n > 0 && (early || !always))
			add_value(v, ngc_bytes("", 0));
		break;
	}
	return v->n > 0 && v->n <= VALUES_MAX;
}

/* Hand a row over; what a $cookie_NAME and its like hold once written to is open. */
static enum ngc_code emit_row(struct expansion *x, const struct part *parts, size_t n,
    struct ngc_error *err)
{
	struct part row[PIECES_MAX];

	if (n > PIECES_MAX)
		return x->emit(x->arg, parts, n, err);
	for (size_t i = 0; i < n; i++) {
		row[i] = parts[i];
		if (is_writable(&row[i]) && sources_of(x->router, row[i].text) != 0)
			row[i].var = VAR_OTHER;
	}
	return x->emit(x->arg, row, n, err);
}

/* Parts, of which those before inner came with the values of variables. */
struct row {
	const struct part *parts;
	size_t n, inner;
	unsigned depth;
};

static enum ngc_code expand(struct expansion *x, const struct row *from,
    struct ngc_error *err);

/* A value as parts; room: where the only one of a literal lies. */
static enum ngc_code take_apart(const struct expansion *x, struct ngc_bytes value,
    bool literal, struct part *room, struct template *t, struct ngc_error *err)
{
	if (!literal)
		return template_compile(x->router->arena, value, t, err);
	*room = (struct part){ VAR_TEXT, value };
	*t = (struct template){ .parts = room, .n = value.n > 0 };
	return NGC_OK;
}

/*
 * The row with part i replaced by one of its values; with one that nginx would not start
 * with it may hold anything.
 */
static enum ngc_code replace(struct expansion *x, const struct row *from, size_t i,
    struct ngc_bytes value, bool literal, struct ngc_error *err)
{
	size_t behind = from->n - i - 1;
	struct part parts[PIECES_MAX], room;
	struct row row = { .parts = parts, .depth = from->depth + 1 };
	struct template t;
	enum ngc_code code = take_apart(x, value, literal, &room, &t, err);

	x->steps++;
	if (code == NGC_FATAL)
		return code;
	if (code != NGC_OK)
		return emit_row(x, from->parts, from->n, err);
	row.n = i + t.n + behind;
	row.inner = (i < from->inner ? from->inner - 1 : i) + t.n;
	if (row.n > PIECES_MAX)
		return emit_row(x, from->parts, from->n, err);
	if (i > 0)
		memcpy(parts, from->parts, i * sizeof(*parts));
	if (t.n > 0)
		memcpy(parts + i, t.parts, t.n * sizeof(*parts));
	if (behind > 0)
		memcpy(parts + i + t.n, from->parts + i + 1, behind * sizeof(*parts));
	return expand(x, &row, err);
}

static enum ngc_code expand(struct expansion *x, const struct row *from,
    struct ngc_error *err)
{
	bool deep = from->depth >= DEPTH_MAX || from->n > PIECES_MAX;
	enum ngc_code code = NGC_OK;
	struct values v;

	for (size_t i = 0; i < from->n && !deep; i++) {
		if (!values_of(x, &from->parts[i], i < from->inner, &v))
			continue;
		for (size_t k = 0; k < v.n && code == NGC_OK && !is_full(x); k++)
			code = replace(x, from, i, v.text[k], v.literal, err);
		return code;
	}
	x->rows++;
	return emit_row(x, from->parts, from->n, err);
}

enum ngc_code expand_template(struct ngc_router *r, const struct ngc_server *server,
    const struct template *t,
    enum ngc_code (
	*emit)(void *arg, const struct part *parts, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	struct expansion x = { .router = r, .server = server, .emit = emit, .arg = arg };
	struct row all = { .parts = t->parts, .n = t->n };
	enum ngc_code code;

	for (size_t i = 0; i < t->n; i++)
		if (is_writable(&t->parts[i]) && !sources_collect(r))
			return ngc_no_memory(err);
	code = expand(&x, &all, err);
	/* Not all of them were gone through: the variables may be anything. */
	if (code == NGC_OK && is_full(&x))
		code = emit_row(&x, t->parts, t->n, err);
	return code;
}
