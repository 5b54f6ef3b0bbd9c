/* SPDX-License-Identifier: BSD-2-Clause */
#include "readings.h"

static bool same(struct ngc_bytes a, struct ngc_bytes b)
{
	return (a.p == NULL) == (b.p == NULL) && ngc_bytes_equal(a, b);
}

static void keep_same(struct ngc_bytes *a, struct ngc_bytes b)
{
	if (!same(*a, b))
		*a = ngc_bytes(NULL, 0);
}

/* $request_uri is likelier than a $uri that looks encoded. */
static void prefer_encoded(struct ngc_reading *a, const struct ngc_reading *b)
{
	if (b->decoded < a->decoded && same(a->uri, b->uri))
		a->decoded = b->decoded;
}

/* Leave in a what b says, too. */
static void agree(struct ngc_reading *a, const struct ngc_reading *b)
{
	keep_same(&a->scheme, b->scheme);
	keep_same(&a->method, b->method);
	keep_same(&a->host, b->host);
	keep_same(&a->port, b->port);
	keep_same(&a->uri, b->uri);
	keep_same(&a->args, b->args);
	prefer_encoded(a, b);
}

static void add_named(struct readings *all, const struct ngc_reading *r)
{
	if (all->n_named > 0 && all->named.host.p == NULL)
		return; /* there are several already */
	if (r->host.p == NULL || !sockets_knows(all->sockets, r->host))
		return;
	if (all->n_named++ == 0)
		all->named = *r;
	else
		agree(&all->named, r);
}

/*
 * "http" and a host that begins with "s", where "https" and the rest is likelier; or a
 * host that is empty.
 */
static bool is_less_likely(const struct ngc_reading *likely, const struct ngc_reading *r)
{
	if (r->host.p != NULL && r->host.n == 0)
		return true;
	return r->scheme.n == 4 && likely->scheme.n == 5 &&
	       likely->host.n + 1 == r->host.n &&
	       ngc_bytes_equal(likely->host, ngc_bytes_from(r->host, 1));
}

static void add_base(struct readings *all, const struct ngc_reading *r)
{
	all->any_uri = all->any_uri || (r->uri.p != NULL && !r->uri_elsewhere);
	if (r->base.p == NULL)
		return;
	if (all->base.p != NULL && !same(all->base, r->base))
		all->other_bases = true;
	all->base = r->base;
	all->rest = r->rest;
}

void readings_add(struct readings *all, const struct ngc_reading *r)
{
	add_base(all, r);
	if (all->n++ == 0) {
		all->first = all->agreed = *r;
		return;
	}
	all->first.host_certain = all->first.host_certain && r->host_certain;
	all->first.host_proven = all->first.host_proven && r->host_proven;
	prefer_encoded(&all->first, r);
	if (!same(all->first.host, r->host))
		all->other_hosts = true;
	if (all->sockets == NULL)
		return;
	if (all->n == 2)
		add_named(all, &all->first);
	add_named(all, r);
	if (!is_less_likely(&all->first, r))
		agree(&all->agreed, r);
}

static struct ngc_reading best_of(const struct readings *all)
{
	struct ngc_reading best = all->first;

	best.host_certain = best.host_certain && !all->other_hosts && !all->incomplete &&
			    !all->guessed;
	if (all->sockets == NULL || (!all->other_hosts && !all->incomplete))
		return best;
	best = all->n_named > 0 ? all->named : all->agreed;
	best.host_certain = false;
	if (all->incomplete)
		best.host = best.uri = ngc_bytes(NULL, 0);
	return best;
}

struct ngc_reading readings_best(const struct readings *all)
{
	struct ngc_reading best = best_of(all);
	bool told = !all->any_uri && !all->other_bases;

	best.base = told ? all->base : ngc_bytes(NULL, 0);
	best.rest = told ? all->rest : ngc_bytes(NULL, 0);
	if (best.base.p != NULL)
		best.uri = ngc_bytes(NULL, 0);
	return best;
}
