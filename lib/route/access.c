/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/*
 * Who may come in: allow and deny, auth_basic, auth_request, and satisfy, which joins
 * them; nginx's ngx_http_core_access_phase().  The client's address and passwords are not
 * known.
 */

enum verdict { SILENT, LETS_IN, REFUSES, DEPENDS };

/* One of the three, and the status it refuses with. */
struct guard {
	enum verdict verdict;
	unsigned status;
	const struct ngc_directive *d; /* what it depends on */
};

/* The level whose allow and deny are in force. */
static const struct ngc_directive *first_rule(const struct ngc_level *l)
{
	for (; l != NULL; l = l->parent) {
		const struct ngc_directive *d = ngc_level_find(l, "allow");

		if (d == NULL)
			d = ngc_level_find(l, "deny");
		if (d != NULL)
			return d->parent->first;
	}
	return NULL;
}

static bool is_unix(const struct run *r)
{
	return ngc_bytes_starts(r->socket->address, ngc_bytes_of("unix:"));
}

/* The first rule that holds decides; those of addresses may hold or not. */
static struct guard ask_addresses(const struct run *r)
{
	const struct ngc_directive *d = first_rule(r->level), *doubt = NULL;
	bool in = false, out = false;

	for (; d != NULL; d = d->next) {
		bool allows = ngc_directive_is(d, "allow");
		struct ngc_bytes who = d->n_words == 2 ? d->words[1] : d->words[0];
		bool all = ngc_bytes_equal(who, ngc_bytes_of("all"));
		bool local = ngc_bytes_equal(who, ngc_bytes_of("unix:"));

		if (d->n_words != 2 || (!allows && !ngc_directive_is(d, "deny")) ||
		    (!all && local != is_unix(r)))
			continue;
		in = in || allows;
		out = out || !allows;
		if (all || local)
			break;
		doubt = doubt != NULL ? doubt : d;
	}
	if (out && (in || d == NULL))
		return (struct guard){ DEPENDS, 403, doubt };
	if (out)
		return (struct guard){ REFUSES, 403, d };
	return (struct guard){ in && d != NULL ? LETS_IN : SILENT, 403, d };
}

static bool is_off(struct run *r, const struct ngc_directive *d)
{
	struct value v = run_eval(r, d->words[1]);

	return value_unknown(v) == NULL &&
	       ngc_bytes_equal(value_bytes(r->arena, v), ngc_bytes_of("off"));
}

static struct guard ask_password(struct run *r)
{
	const struct ngc_directive *d = run_setting(r->level, "auth_basic");
	struct ngc_bytes s;

	if (d == NULL || d->n_words != 2 || is_off(r, d) ||
	    run_setting(r->level, "auth_basic_user_file") == NULL)
		return (struct guard){ SILENT, 401, d };
	if (r->asked->all)
		return (struct guard){ DEPENDS, 401, d };
	s = run_header(r, ngc_bytes_of("authorization"));
	if (s.n < 6 || !ngc_bytes_same(ngc_bytes(s.p, 6), ngc_bytes_of("basic ")))
		return (struct guard){ REFUSES, 401, d };
	return (struct guard){ DEPENDS, 401, d };
}

static struct guard ask_upstream(const struct run *r)
{
	const struct ngc_directive *d = run_setting(r->level, "auth_request");

	if (d == NULL || d->n_words != 2 ||
	    ngc_bytes_equal(d->words[1], ngc_bytes_of("off")))
		return (struct guard){ SILENT, 403, d };
	return (struct guard){ DEPENDS, 403, d };
}

/* Whatever the answer is, it sets variables: those of the nearest level that has any. */
static void take_answer(struct run *r)
{
	const struct ngc_directive *d = run_setting(r->level, "auth_request_set");

	for (; d != NULL; d = d->next)
		if (ngc_directive_is(d, "auth_request_set"))
			run_set_unknown(r, d);
}

/* All must let in, or be silent: the first that does not decides. */
static struct guard join_all(const struct guard *g, unsigned n)
{
	struct guard all = { SILENT, 403, NULL };

	for (unsigned i = 0; i < n; i++) {
		if (g[i].verdict == REFUSES && all.verdict != DEPENDS)
			return g[i];
		if (g[i].verdict == DEPENDS && all.verdict != DEPENDS)
			all = g[i];
	}
	return all;
}

/* One that lets in is enough; they refuse when any does, and none lets in. */
static struct guard join_any(const struct guard *g, unsigned n)
{
	struct guard any = { SILENT, 403, NULL };
	unsigned status = 403;

	for (unsigned i = 0; i < n; i++) {
		if (g[i].verdict == LETS_IN)
			return g[i];
		if (g[i].verdict == SILENT)
			continue;
		if (g[i].status == 401)
			status = 401;
		if (any.verdict != DEPENDS)
			any = g[i];
	}
	any.status = status;
	return any;
}

static const struct unknown *doubt_of(struct run *r, const struct ngc_directive *d)
{
	bool address = ngc_directive_is(d, "allow") || ngc_directive_is(d, "deny");

	return run_unknown(r, address ? ngc_bytes_of("remote_addr") : d->words[0],
	    GRAMMAR_ANY, true);
}

enum next run_access(struct run *r)
{
	struct guard g[3] = { ask_upstream(r), ask_addresses(r), ask_password(r) };
	const struct ngc_directive *satisfy = run_setting(r->level, "satisfy");
	bool any = satisfy != NULL && satisfy->n_words == 2 &&
		   ngc_bytes_equal(satisfy->words[1], ngc_bytes_of("any"));
	struct guard joined = any ? join_any(g, 3) : join_all(g, 3);

	if (g[0].verdict == DEPENDS)
		take_answer(r);
	if (joined.verdict == REFUSES) {
		run_step(r, "%s (%s:%u)", ngc_directive_arg(joined.d, 0), joined.d->file,
		    joined.d->line);
		return run_status(r, joined.status);
	}
	if (joined.verdict != DEPENDS)
		return NEXT_GO_ON;
	r->guard = joined.d;
	/* Who is refused gets no key, unless an error page leads to one. */
	if (run_error_page(r, joined.status) == NULL ||
	    run_choose(r, 2, doubt_of(r, joined.d)) == 0)
		return NEXT_GO_ON;
	r->refused = true;
	return run_status(r, joined.status);
}
