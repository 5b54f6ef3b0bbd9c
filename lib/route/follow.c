/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ngc/units.h"

unsigned run_choose(struct run *r, unsigned n, const struct unknown *on)
{
	struct choices *c = r->choices;

	if (n < 2)
		return 0;
	if (c->at == CHOICES_MAX || n > 255) {
		c->overflow = true;
		return 0;
	}
	if (c->at == c->n) {
		c->taken[c->n] = 0;
		c->of[c->n++] = (unsigned char)n;
	}
	r->decided[r->n_decided++] = on;
	return c->taken[c->at++];
}

/* The next answers to try; false: every way was gone. */
static bool next_way(struct choices *c)
{
	while (c->n > 0 && c->taken[c->n - 1] + 1 >= c->of[c->n - 1])
		c->n--;
	if (c->n == 0)
		return false;
	c->taken[c->n - 1]++;
	return true;
}

void run_step(struct run *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (r->steps == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ngc_buf_add(r->steps, text, strlen(text) + 1);
}

/* Any query will do: none, or one of which nothing else is known. */
static void choose_query(struct run *r)
{
	static const struct unknown any = { .name = { (const unsigned char *)"args", 4 },
		.grammar = GRAMMAR_QUERY };
	struct value_builder target = { .arena = r->arena };
	struct value_builder args = { .arena = r->arena };

	if (run_choose(r, 2, &any) == 0)
		return;
	value_add(&target, r->target);
	value_add_text(&target, ngc_bytes_of("?"), false);
	value_add_unknown(&target, &any);
	value_add_unknown(&args, &any);
	r->failed = r->failed || target.failed || args.failed;
	r->target = value_end(&target);
	r->args = value_end(&args);
	r->any_args = &any;
}

/* The path and arguments of the target; false: nginx answers 400. */
static bool read_target(struct run *r)
{
	struct ngc_bytes target = r->asked->target;
	const unsigned char *mark = memchr(target.p, '?', target.n);
	size_t n = mark != NULL ? (size_t)(mark - target.p) : target.n;
	const struct ngc_directive *d = run_setting(r->socket->fallback->level,
	    "merge_slashes");
	bool keep = d != NULL && d->n_words == 2 &&
		    ngc_bytes_equal(d->words[1], ngc_bytes_of("off"));
	struct ngc_bytes path = ngc_bytes(target.p, n);
	struct ngc_buf b = { 0 };
	bool ok = keep ? ngc_url_resolve(path, &b) : ngc_url_normalise(path, &b);
	char *uri = ok && !b.failed ? ngc_arena_copy(r->arena, b.p, b.n) : NULL;

	r->uri = ngc_bytes(uri, b.n);
	r->failed = r->failed || (ok && uri == NULL);
	ngc_buf_free(&b);
	r->quoted = memchr(path.p, '%', path.n) != NULL;
	r->plus = memchr(path.p, '+', path.n) != NULL ||
		  memmem(path.p, path.n, "%2B", 3) != NULL ||
		  memmem(path.p, path.n, "%2b", 3) != NULL;
	r->target = value_text(r->arena, target, true);
	if (mark != NULL)
		r->args = value_text(r->arena, ngc_bytes_from(target, n + 1), true);
	if (r->asked->any_query)
		choose_query(r);
	return uri != NULL;
}

/* A body of any request may be too large, which matters where an error page is for it. */
static bool is_too_large(struct run *r)
{
	const struct ngc_directive *d = run_setting(r->level, "client_max_body_size");
	int64_t max = 1 << 20;

	if (d != NULL && d->n_words == 2)
		ngc_parse_size(d->words[1], &max);
	if (r->internal || max == 0)
		return false;
	if (!r->asked->all)
		return (int64_t)r->asked->body.n > max;
	return !ngc_bytes_equal(r->method, ngc_bytes_of("GET")) &&
	       !ngc_bytes_equal(r->method, ngc_bytes_of("HEAD")) &&
	       run_error_page(r, 413) != NULL &&
	       run_choose(r, 2,
		   run_unknown(r, ngc_bytes_of("content_length"), GRAMMAR_ANY, false)) ==
		   1;
}

static enum next find(struct run *r)
{
	const struct ngc_directive *d;
	bool redirect;

	r->uri_changed = false;
	redirect = !run_locate(r);
	d = r->location != NULL ? ngc_directive_find(r->location->d, "internal") : NULL;
	if (d != NULL && !r->internal)
		return run_status(r, 404);
	if (is_too_large(r))
		return run_status(r, 413);
	if (!redirect)
		return NEXT_NAMED;
	run_step(r, "redirected to %.*s/", (int)r->uri.n, (const char *)r->uri.p);
	return run_redirected(r, 301);
}

/* The rewrite directives of the location; then on, or to the location they lead to. */
static enum next rewrite_location(struct run *r)
{
	enum next next = r->location != NULL ? run_rewrite(r, r->level) : NEXT_GO_ON;

	if (next != NEXT_GO_ON)
		return next;
	if (!r->uri_changed)
		return run_content(r);
	if (r->changes_left-- == 0) {
		run_step(r, "rewritten in a circle");
		r->end = END_UNCACHED;
		r->changes_left = 0;
		return NEXT_END;
	}
	return NEXT_FIND;
}

/*
 * nginx's ngx_http_validate_host(), as far as a host that was parsed can fail it.  A dot
 * at its end was taken off already.
 */
static bool is_bad_host(const struct asked *q)
{
	struct ngc_bytes sent = q->http_host;

	for (size_t i = 0; i < sent.n; i++)
		if (sent.p[i] <= 0x20 || sent.p[i] == 0x7f || sent.p[i] == '/' ||
		    (i > 0 && sent.p[i] == '.' && sent.p[i - 1] == '.'))
			return true;
	return q->host.n > 0 && q->host.p[q->host.n - 1] == '.';
}

/* Bounded by changes_left: every turn but a first one uses a change up. */
void run_request(struct run *r)
{
	enum next next = NEXT_SERVER;

	if (!read_target(r) || is_bad_host(r->asked)) {
		run_step(r, "a bad request for nginx");
		r->end = END_UNCACHED;
		return;
	}
	while (next != NEXT_END && r->end == END_NONE && !r->failed) {
		if (next == NEXT_SERVER) {
			r->level = r->server->level;
			r->location = NULL;
			next = run_rewrite(r, r->server->level);
			if (next == NEXT_GO_ON)
				next = NEXT_FIND;
		} else if (next == NEXT_FIND) {
			next = find(r);
		} else {
			next = rewrite_location(r);
		}
	}
}

static void start(struct run *r, const struct follow *f, struct choices *c)
{
	struct captures captures;
	enum found how;

	r->router = f->router;
	r->asked = &f->asked;
	r->choices = c;
	r->socket = f->socket;
	r->method = f->asked.method;
	r->changes_left = 10;
	r->unparsed_valid = r->location_valid = true;
	r->steps = f->steps;
	r->server = sockets_server(&f->router->sockets, f->socket, f->asked.host, &how,
	    &captures);
	if (captures.n > 0)
		run_take_captures(r, &captures);
	run_step(r, "server %.*s, %s (%s:%u)", (int)r->server->names[0].n,
	    (const char *)r->server->names[0].p,
	    how == FOUND_DEFAULT ? "the default of its address" : "by name",
	    r->server->level->d->file, r->server->level->d->line);
}

const struct socket *follow_socket(const struct ngc_router *r,
    const struct ngc_url *url, struct ngc_bytes host)
{
	unsigned port = url->port != 0 ? url->port : url->scheme.n == 5 ? 443 : 80;
	const struct socket *best = NULL;
	struct captures ignored;
	enum found how;

	for (size_t i = 0; i < r->sockets.n; i++) {
		const struct socket *at = &r->sockets.list[i];

		if (at->port != port)
			continue;
		if (ngc_bytes_equal(at->address, url->host))
			return at;
		sockets_server(&r->sockets, at, host, &how, &ignored);
		if (how == FOUND_NAME)
			return at;
		if (best == NULL || ngc_bytes_equal(at->address, ngc_bytes_of("*")))
			best = at;
	}
	return best;
}

bool follow_ways(const struct follow *f, bool (*done)(void *arg, struct run *r),
    void *arg)
{
	struct choices c = { .coarse = f->coarse };
	bool ok = true, more = true;

	for (unsigned ways = 0; ok && more; ways++) {
		struct run r = { .arena = ngc_arena_new() };

		if (r.arena == NULL)
			return false;
		c.at = 0;
		if (f->steps != NULL)
			f->steps->n = 0;
		start(&r, f, &c);
		run_request(&r);
		more = next_way(&c);
		if (more && ways + 1 == WAYS_MAX) {
			c.overflow = true;
			more = false;
		}
		ok = !r.failed && done(arg, &r);
		ngc_arena_free(r.arena);
	}
	return ok;
}
