/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/explain.h"

#include <stdlib.h>

#include "explain.h"

/*
 * One request, by every way it may go while something is not known: where all ways lead
 * to the same key, the key is known all the same.
 */

char *explain_copy(struct explaining *x, struct ngc_bytes s)
{
	char *p = ngc_arena_copy(x->arena, s.p, s.n);

	x->failed = x->failed || p == NULL;
	return p;
}

bool explain_add(struct explaining *x, struct names *l, struct ngc_bytes name)
{
	char *copy;

	for (size_t i = 0; i < l->n; i++)
		if (ngc_bytes_equal(ngc_bytes_of(l->name[i]), name))
			return true;
	copy = explain_copy(x, name);
	if (copy == NULL ||
	    !ngc_array_grow((void **)&l->name, l->n + 1, &l->cap, sizeof(*l->name)))
		return false;
	l->name[l->n++] = copy;
	l->name[l->n] = NULL;
	return true;
}

static bool add_unknowns(struct explaining *x, struct value v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.seg[i].open != NULL &&
		    !explain_add(x, &x->unknown, v.seg[i].open->name))
			return false;
	return true;
}

static const char *location_text(struct explaining *x, const struct ngc_level *l)
{
	struct ngc_buf b = { 0 };
	char *text;

	ngc_buf_add_str(&b, ngc_level_modifier(l));
	ngc_buf_add_bytes(&b, l->pattern);
	x->failed = x->failed || b.failed;
	text = explain_copy(x, ngc_buf_bytes(&b));
	ngc_buf_free(&b);
	return text;
}

static const char *const *parents_of(struct explaining *x, const struct ngc_level *l)
{
	size_t n = 0;
	const char **out;

	for (const struct ngc_level *p = l->parent; ngc_level_is_location(p);
	     p = p->parent)
		n++;
	out = ngc_arena_alloc(x->arena, n + 1, sizeof(*out));
	x->failed = x->failed || out == NULL;
	for (const struct ngc_level *p = l->parent; out != NULL && n > 0; p = p->parent)
		out[--n] = location_text(x, p);
	return out;
}

static const char *const *steps_of(struct explaining *x)
{
	const char *p = (const char *)x->steps.p, *end = p + x->steps.n;
	const char **out;
	size_t n = 0;

	for (const char *s = p; s < end; s += strlen(s) + 1)
		n++;
	out = ngc_arena_alloc(x->arena, n + 1, sizeof(*out));
	x->failed = x->failed || x->steps.failed || out == NULL;
	n = 0;
	for (const char *s = p; out != NULL && s < end; s += strlen(s) + 1)
		out[n++] = explain_copy(x, ngc_bytes_of(s));
	return out;
}

/* Where the request ended without a cache: the reason for it. */
static void add_last_step(struct explaining *x)
{
	const char *const *step = x->pub.steps;

	while (step != NULL && step[0] != NULL && step[1] != NULL)
		step++;
	if (step != NULL && step[0] != NULL)
		explain_add(x, &x->reasons, ngc_bytes_of(step[0]));
}

static const struct ngc_zone *zone_of(const struct run *r)
{
	return r->end == END_CACHED && value_unknown(r->zone) == NULL
		   ? ngc_conf_zone_named(r->router->conf, value_bytes(r->arena, r->zone))
		   : NULL;
}

static bool is_listed(const struct ngc_explanation *e, const char *name)
{
	for (size_t i = 0; i < e->n_variables; i++)
		if (strcmp(e->variables[i].name, name) == 0)
			return true;
	return false;
}

/* The variables of the key template, each once, as this run has them. */
static void list_variables(struct explaining *x, struct run *r)
{
	struct ngc_explained_variable *list;
	struct template t;
	struct ngc_error err;

	if (template_compile(x->arena, r->key_directive->words[1], &t, &err) != NGC_OK)
		return;
	list = ngc_arena_alloc(x->arena, t.n + 1, sizeof(*list));
	x->failed = x->failed || list == NULL;
	x->pub.variables = list;
	for (size_t i = 0; i < t.n && !x->failed; i++) {
		struct ngc_explained_variable *one = &list[x->pub.n_variables];
		struct value v;
		struct ngc_bytes text;

		if (t.parts[i].var == VAR_TEXT)
			continue;
		one->name = explain_copy(x, t.parts[i].text);
		if (one->name == NULL || is_listed(&x->pub, one->name))
			continue;
		v = run_variable(r, &t.parts[i]);
		text = value_bytes(r->arena, v);
		if (value_unknown(v) == NULL)
			one->value = ngc_bytes(explain_copy(x, text), text.n);
		x->pub.n_variables++;
	}
}

/* The first way says how the request goes. */
static bool take_first(struct explaining *x, struct run *r)
{
	struct ngc_explanation *e = &x->pub;

	e->server_name = explain_copy(x, r->server->names[0]);
	if (r->location != NULL) {
		e->location = location_text(x, r->location);
		e->parents = parents_of(x, r->location);
	}
	e->steps = steps_of(x);
	e->zone = zone_of(r);
	if (r->key_directive != NULL) {
		e->template = (const char *)r->key_directive->words[1].p;
		list_variables(x, r);
	}
	if (r->end == END_UNCACHED) {
		e->reason = "uncached";
		add_last_step(x);
	}
	if (r->end == END_LOST)
		explain_add(x, &x->unknown, r->lost_by->name);
	if (r->end == END_CACHED) {
		if (value_unknown(r->key) == NULL) {
			struct ngc_bytes key = value_bytes(r->arena, r->key);

			e->key = ngc_bytes(explain_copy(x, key), key.n);
		}
		add_unknowns(x, r->key);
		add_unknowns(x, r->zone);
		explain_reasons(x, r);
	}
	return !x->failed;
}

static bool same_key(const struct explaining *x, struct run *r)
{
	return r->end == END_CACHED && x->pub.key.p != NULL &&
	       value_unknown(r->key) == NULL &&
	       ngc_bytes_equal(value_bytes(r->arena, r->key), x->pub.key);
}

/* Do both ways come to the same? */
static bool same_end(const struct explaining *x, struct run *r)
{
	if (r->end == END_UNCACHED)
		return x->pub.reason != NULL || r->refused;
	return zone_of(r) == x->pub.zone && same_key(x, r);
}

/* The ways part: what they depended on is what is not known. */
static void take_other(struct explaining *x, struct run *r)
{
	struct ngc_explanation *e = &x->pub;

	if (same_end(x, r))
		return;
	for (unsigned i = 0; i < r->n_decided; i++)
		explain_add(x, &x->unknown, r->decided[i]->name);
	add_unknowns(x, r->key);
	add_unknowns(x, r->zone);
	if (!same_key(x, r))
		e->key = ngc_bytes(NULL, 0);
	if (zone_of(r) != e->zone)
		e->zone = NULL;
	e->reason = NULL;
	e->cacheable = NGC_CACHEABLE_UNKNOWN;
}

static bool take_way(void *arg, struct run *r)
{
	struct explaining *x = arg;

	if (!x->started) {
		x->started = true;
		return take_first(x, r);
	}
	take_other(x, r);
	return !x->failed;
}

/* The value of the request's Host header; absent: the URL's is sent. */
static struct ngc_bytes host_header(const struct ngc_explain_request *req)
{
	for (size_t i = 0; i < req->n_headers; i++)
		if (ngc_bytes_same(req->headers[i].name, ngc_bytes_of("host")))
			return req->headers[i].value;
	return ngc_bytes(NULL, 0);
}

/* $host, as nginx makes it from a Host header: without port and dot, in lower case. */
static struct ngc_bytes plain_host(struct ngc_arena *a, struct ngc_bytes header)
{
	struct ngc_bytes host = ngc_host_without_port(header);

	if (host.n > 0 && host.p[host.n - 1] == '.')
		host.n--;
	return ngc_arena_lower(a, host);
}

static bool explain(struct explaining *x, const struct ngc_router *r,
    const struct ngc_explain_request *req)
{
	struct ngc_bytes header = host_header(req);
	struct ngc_bytes host = header.p != NULL ? plain_host(x->arena, header)
						 : req->url->host;
	struct follow f = { .router = r,
		.socket = follow_socket(r, req->url, host),
		.steps = &x->steps };

	if (f.socket == NULL) {
		x->pub.reason = "no_listener";
		return true;
	}
	f.asked = (struct asked){ .method = req->method,
		.scheme = ngc_bytes_of(f.socket->tls ? "https" : "http"),
		.host = host,
		.http_host = header.p != NULL ? header : req->url->authority,
		.target = req->url->target,
		.headers = req->headers,
		.n_headers = req->n_headers,
		.body = req->body };
	return follow_ways(&f, take_way, x);
}

/* Hand the lists over, which are not NULL even when they are empty. */
static bool finish(struct explaining *x)
{
	static const char *const none[] = { NULL };
	struct ngc_explanation *e = &x->pub;

	e->unknown = x->unknown.n > 0 ? x->unknown.name : none;
	e->reasons = x->reasons.n > 0 ? x->reasons.name : none;
	if (e->parents == NULL)
		e->parents = none;
	if (e->steps == NULL)
		e->steps = none;
	if (e->key.p == NULL && e->reason == NULL)
		e->cacheable = NGC_CACHEABLE_UNKNOWN;
	return !x->failed;
}

enum ngc_code ngc_route_explain(const struct ngc_router *r,
    const struct ngc_explain_request *req, struct ngc_explanation **out,
    struct ngc_error *err)
{
	struct explaining *x;
	enum ngc_code code;
	bool ok;

	*out = NULL;
	if (r->conf == NULL)
		return ngc_fail(err, NGC_INVALID, 0,
		    "there is no configuration to explain by");
	x = ngc_array_alloc(1, sizeof(*x));
	if (x == NULL)
		return ngc_no_memory(err);
	x->arena = ngc_arena_new();
	ok = x->arena != NULL && explain(x, r, req) && explain_pattern(x, r, req->url) &&
	     finish(x);
	ngc_buf_free(&x->steps);
	code = router_result(r, ok, err);
	if (code != NGC_OK) {
		ngc_explanation_free(&x->pub);
		return code;
	}
	*out = &x->pub;
	return NGC_OK;
}

void ngc_explanation_free(struct ngc_explanation *e)
{
	struct explaining *x = (struct explaining *)e; /* its first member */

	if (x == NULL)
		return;
	free(x->unknown.name);
	free(x->reasons.name);
	ngc_arena_free(x->arena);
	free(x);
}
