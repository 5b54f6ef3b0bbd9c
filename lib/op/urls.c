/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/urls.h"

#include <pthread.h>
#include <stdlib.h>

#include "ngc/mem.h"

bool ngc_entry_url(const struct ngc_router *r, const struct ngc_zone *zone,
    const struct ngc_reading *reading, struct ngc_entry_url *out)
{
	struct ngc_writer writer;

	ngc_route_writer(r, zone, &writer);
	*out = (struct ngc_entry_url){ .scheme = reading->scheme,
		.host = reading->host,
		.base = reading->base,
		.uri = reading->base.p != NULL ? reading->rest : reading->uri };
	if (out->scheme.p == NULL && zone->configured)
		out->scheme = ngc_bytes_of(writer.tls ? "https" : "http");
	if (out->host.p == NULL && reading->host_certain)
		out->host = writer.host;
	return out->scheme.p != NULL && out->host.p != NULL && out->uri.p != NULL;
}

struct collector {
	const struct ngc_select_run *run;
	struct ngc_urls *out;
	pthread_mutex_t lock; /* for out, and the run's callbacks */
};

static enum ngc_code add(struct ngc_urls *u, const struct ngc_zone *zone,
    const struct ngc_entry_url *url, struct ngc_error *err)
{
	size_t n = url->scheme.n + strlen("://") + url->host.n + url->base.n +
		   url->uri.n;
	char *text = ngc_arena_alloc(u->arena, n + 1, 1), *end = text;

	if (text == NULL ||
	    !ngc_array_grow((void **)&u->list, u->n, &u->cap, sizeof(*u->list)))
		return ngc_no_memory(err);
	end = mempcpy(end, url->scheme.p, url->scheme.n);
	end = mempcpy(end, "://", strlen("://"));
	end = mempcpy(end, url->host.p, url->host.n);
	if (url->base.n > 0)
		end = mempcpy(end, url->base.p, url->base.n);
	if (url->uri.n > 0)
		memcpy(end, url->uri.p, url->uri.n);
	u->list[u->n++] = (struct ngc_url_count){ zone, text, n, 1 };
	return NGC_OK;
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct collector *c = arg;
	const struct ngc_router *router = ngc_site_router(c->run->site);
	const struct ngc_zone *zone = ngc_cache_zone(e->cache);
	enum ngc_code code = NGC_OK;
	struct ngc_reading reading;
	struct ngc_entry_url url;

	(void)thread;
	ngc_route_read(router, zone, e->header.key, &reading);
	pthread_mutex_lock(&c->lock);
	if (ngc_entry_url(router, zone, &reading, &url))
		code = add(c->out, zone, &url, err);
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
