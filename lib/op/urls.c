/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/urls.h"

#include <pthread.h>
#include <stdlib.h>

#include "ngc/mem.h"

static bool is_default_port(struct ngc_bytes scheme, struct ngc_bytes port)
{
	return ngc_bytes_equal(port, ngc_bytes_of(scheme.n == 5 ? "443" : "80"));
}

/* Blanks that a client sent as they are: no URL leads to that. */
static bool has_blank(struct ngc_bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ')
			return true;
	return false;
}

bool ngc_entry_reading(const struct ngc_router *r, const struct ngc_entry *e,
    struct ngc_reading *out)
{
	size_t n;
	const struct ngc_zone *const *zones = ngc_cache_zones(e->cache, &n);

	return ngc_route_read_any(r, zones, n, e->header.key, out);
}

bool ngc_entry_proves_host(const struct ngc_router *r, const struct ngc_entry *e,
    const struct ngc_reading *reading)
{
	size_t n;
	const struct ngc_zone *const *zones = ngc_cache_zones(e->cache, &n);

	return ngc_route_proves_host(r, zones, n, e->header.key, reading);
}

bool ngc_entry_url(const struct ngc_zone *zone, const struct ngc_reading *reading,
    struct ngc_entry_url *out)
{
	bool based = reading->base.p != NULL;
	bool plain = ngc_bytes_equal(reading->port, ngc_bytes_of("80"));
	struct ngc_writer writer;

	ngc_route_writer(reading, &writer);
	*out = (struct ngc_entry_url){ .scheme = reading->scheme,
		.host = reading->host,
		.path = based ? reading->base
			      : ngc_bytes(reading->uri.p, reading->decoded),
		.uri = based ? reading->rest
			     : ngc_bytes_from(reading->uri, reading->decoded),
		.args = reading->args };
	if (out->scheme.p == NULL && zone->configured)
		out->scheme = ngc_bytes_of(reading->tls && !plain ? "https" : "http");
	if (out->host.p == NULL)
		out->host = writer.host;
	if (!is_default_port(out->scheme, reading->port) &&
	    ngc_host_without_port(out->host).n == out->host.n)
		out->port = reading->port;
	return out->scheme.p != NULL && out->host.p != NULL && out->uri.p != NULL &&
	       !reading->argument && !has_blank(out->uri) && !has_blank(out->args);
}

/* What nginx would have decoded, and what no URL may hold. */
static bool must_encode(unsigned char c)
{
	return c <= ' ' || c >= 0x7f || strchr("\"#%<>?\\^`{|}", c) != NULL;
}

static void write_encoded(struct ngc_bytes path,
    void (*add)(struct ngc_buf *b, struct ngc_bytes s), struct ngc_buf *b)
{
	while (path.n > 0) {
		size_t n = 0;

		while (n < path.n && !must_encode(path.p[n]))
			n++;
		add(b, ngc_bytes(path.p, n));
		if (n < path.n)
			ngc_buf_printf(b, "%%%02X", path.p[n++]);
		path = ngc_bytes_from(path, n);
	}
}

void ngc_entry_url_write(const struct ngc_entry_url *url,
    void (*add)(struct ngc_buf *b, struct ngc_bytes s), struct ngc_buf *b)
{
	add(b, url->scheme);
	ngc_buf_add_str(b, "://");
	add(b, url->host);
	if (url->port.n > 0) {
		ngc_buf_add_char(b, ':');
		add(b, url->port);
	}
	write_encoded(url->path, add, b);
	add(b, url->uri);
	if (url->args.n == 0)
		return;
	ngc_buf_add_char(b, '?');
	add(b, url->args);
}

struct collector {
	const struct ngc_select_run *run;
	struct ngc_urls *out;
	pthread_mutex_t lock; /* for what follows, out, and the run's callbacks */
	struct ngc_buf text;
};

static enum ngc_code add(struct collector *c, const struct ngc_zone *zone,
    const struct ngc_entry_url *url, struct ngc_error *err)
{
	struct ngc_urls *u = c->out;
	char *text = NULL;

	c->text.n = 0;
	ngc_entry_url_write(url, ngc_buf_add_bytes, &c->text);
	if (!c->text.failed)
		text = ngc_arena_copy(u->arena, c->text.p, c->text.n);
	if (text == NULL ||
	    !ngc_array_grow((void **)&u->list, u->n, &u->cap, sizeof(*u->list)))
		return ngc_no_memory(err);
	u->list[u->n++] = (struct ngc_url_count){ zone, text, c->text.n, 1 };
	return NGC_OK;
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct collector *c = arg;
	const struct ngc_zone *zone = ngc_cache_zone(e->cache);
	enum ngc_code code = NGC_OK;
	struct ngc_reading reading;
	struct ngc_entry_url url;

	(void)thread;
	ngc_entry_reading(ngc_site_router(c->run->site), e, &reading);
	pthread_mutex_lock(&c->lock);
	if (ngc_entry_url(zone, &reading, &url))
		code = add(c, ngc_cache_told(e->cache), &url, err);
	else
		c->out->without++;
	pthread_mutex_unlock(&c->lock);
	return code;
}

static void problem(void *arg, const struct ngc_error *err)
{
	const struct collector *c = arg;

	c->run->problem(c->run->arg, err);
}

static int compare(const void *a, const void *b)
{
	const struct ngc_url_count *x = a, *y = b;
	int r = ngc_bytes_compare(ngc_bytes(x->url, x->url_len),
	    ngc_bytes(y->url, y->url_len));

	return r != 0 ? r : (x->zone > y->zone) - (x->zone < y->zone);
}

/* Sort, and make one of those that are alike. */
static void count_alike(struct ngc_urls *u)
{
	size_t kept = 0;

	if (u->n > 0)
		qsort(u->list, u->n, sizeof(*u->list), compare);
	for (size_t i = 0; i < u->n; i++)
		if (kept > 0 && compare(&u->list[kept - 1], &u->list[i]) == 0)
			u->list[kept - 1].entries++;
		else
			u->list[kept++] = u->list[i];
	u->n = kept;
}

enum ngc_code ngc_urls_collect(const struct ngc_select_run *run, struct ngc_urls *out,
    struct ngc_error *err)
{
	struct collector c = { .run = run,
		.out = out,
		.lock = PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select_run mine = *run;
	enum ngc_code code;

	*out = (struct ngc_urls){ .arena = ngc_arena_new() };
	if (out->arena == NULL)
		return ngc_no_memory(err);
	mine.visit = visit;
	mine.problem = run->problem != NULL ? problem : NULL;
	mine.damaged_met = NULL;
	mine.arg = &c;
	code = ngc_select_execute(&mine, &out->found, err);
	pthread_mutex_destroy(&c.lock);
	ngc_buf_free(&c.text);
	count_alike(out);
	return code;
}

void ngc_urls_free(struct ngc_urls *u)
{
	free(u->list);
	ngc_arena_free(u->arena);
	ngc_select_result_free(&u->found);
	*u = (struct ngc_urls){ 0 };
}
