/* SPDX-License-Identifier: BSD-2-Clause */
#include "router.h"

#include <stdint.h>
#include <stdlib.h>

#include "maps.h"
#include "readings.h"

static int compare_zones(const void *a, const void *b)
{
	const struct zone_keys *x = a, *y = b;
	uintptr_t p = (uintptr_t)x->zone, q = (uintptr_t)y->zone;

	return (p > q) - (p < q);
}

struct zone_keys *router_zone(const struct ngc_router *r, const struct ngc_zone *z)
{
	struct zone_keys wanted = { .zone = z };

	if (r->n_zones == 0)
		return NULL;
	return bsearch(&wanted, r->zones, r->n_zones, sizeof(*r->zones), compare_zones);
}

static enum ngc_code fill(struct ngc_router *r, const struct ngc_zone *const *zones,
    size_t n, struct ngc_error *err)
{
	r->arena = ngc_arena_new();
	r->regexes = regexes_new();
	if (r->arena != NULL)
		r->zones = ngc_arena_alloc(r->arena, n, sizeof(*r->zones));
	if (r->arena == NULL || r->regexes == NULL || r->zones == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < n; i++)
		r->zones[i].zone = zones[i];
	r->n_zones = n;
	if (n > 0)
		qsort(r->zones, n, sizeof(*r->zones), compare_zones);
	if (r->conf != NULL &&
	    (!sockets_init(&r->sockets, r->arena, r->conf, r->regexes) ||
		!definitions_init(r)))
		return ngc_no_memory(err);
	return router_learn(r, err);
}

enum ngc_code ngc_router_new(const struct ngc_conf *conf,
    const struct ngc_zone *const *zones, size_t n_zones, struct ngc_router **out,
    struct ngc_error *err)
{
	struct ngc_router *r = ngc_array_alloc(1, sizeof(*r));
	enum ngc_code code;

	*out = NULL;
	if (r == NULL)
		return ngc_no_memory(err);
	r->conf = conf;
	code = fill(r, zones, n_zones, err);
	if (code != NGC_OK) {
		ngc_router_free(r);
		return code;
	}
	*out = r;
	return NGC_OK;
}

void ngc_router_free(struct ngc_router *r)
{
	if (r == NULL)
		return;
	free(r->definitions);
	free(r->sources.list);
	regexes_free(r->regexes);
	ngc_arena_free(r->arena);
	free(r);
}

/* Is it made of what names and addresses of hosts are made of? */
static bool is_plain_host(struct ngc_bytes host)
{
	static const char odd[] = "|\"'<>()*$,;=&%?#@!{} ";

	for (size_t i = 0; i < host.n; i++)
		if (memchr(odd, host.p[i], sizeof(odd)) != NULL)
			return false;
	return host.n > 0;
}

/* The directive that a pattern, which borrows from its words, stands in. */
static const struct ngc_directive *find_word(const struct ngc_directive *block,
    struct ngc_bytes pattern)
{
	const struct ngc_directive *found = NULL;

	for (const struct ngc_directive *d = block->first; d != NULL && found == NULL;
	     d = d->next) {
		for (unsigned i = 0; i < d->n_words; i++) {
			struct ngc_bytes w = d->words[i];

			if (pattern.p >= w.p && pattern.p <= w.p + w.n)
				return d;
		}
		found = find_word(d, pattern);
	}
	return found;
}

enum ngc_code router_result(const struct ngc_router *r, bool ok, struct ngc_error *err)
{
	struct ngc_bytes bad;
	const char *message = regexes_bad(r->regexes, &bad);
	const struct ngc_directive *d;

	if (message == NULL)
		return ok ? NGC_OK : ngc_no_memory(err);
	d = find_word(ngc_conf_tree(r->conf), bad);
	return ngc_fail(err, NGC_INVALID, 0, "%s:%u: \"%.*s\": %s",
	    d != NULL ? d->file : "", d != NULL ? d->line : 0, (int)bad.n,
	    (const char *)bad.p, message);
}

/* Who can have written the keys of all patterns that fit. */
static void add_writer(struct zone_pattern *sum, const struct zone_pattern *p)
{
	sum->several = sum->several || p->several ||
		       (sum->writer != NULL && sum->writer != p->writer);
	sum->writer = p->writer;
	sum->tls = sum->tls || p->tls;
	sum->hides_host = sum->hides_host || p->hides_host;
}

static void read_in(const struct ngc_router *r, const struct ngc_zone *zone,
    struct ngc_bytes key, struct readings *all, struct zone_pattern *by)
{
	const struct zone_keys *z = router_zone(r, zone);

	if (zone->configured)
		all->sockets = &r->sockets;
	for (size_t i = 0; z != NULL && i < z->n_patterns; i++) {
		unsigned before = all->n;

		if (z->patterns[i].doubtful)
			continue;
		pattern_read(z->patterns[i].pattern, key, all);
		if (all->n > before)
			add_writer(by, &z->patterns[i]);
	}
}

bool ngc_route_read(const struct ngc_router *r, const struct ngc_zone *zone,
    struct ngc_bytes key, struct ngc_reading *out)
{
	return ngc_route_read_any(r, &zone, 1, key, out);
}

bool ngc_route_read_any(const struct ngc_router *r, const struct ngc_zone *const *zones,
    size_t n, struct ngc_bytes key, struct ngc_reading *out)
{
	struct zone_pattern by = { .pattern = NULL };
	struct readings all = { 0 };
	bool guess = false;

	for (size_t i = 0; i < n; i++)
		if (!router_guesses(zones[i]))
			read_in(r, zones[i], key, &all, &by);
	for (size_t i = 0; i < n && (guess || all.n == 0); i++)
		if (router_guesses(zones[i])) {
			guess = true;
			read_in(r, zones[i], key, &all, &by);
		}
	*out = all.n > 0 ? readings_best(&all) : (struct ngc_reading){ 0 };
	out->writer = by.several ? NULL : by.writer;
	out->tls = by.tls;
	out->guess = guess;
	if (by.hides_host && out->host.p == NULL)
		out->host_certain = false;
	if (out->host.p != NULL && out->host.n == 0)
		out->host_certain = false;
	if (!out->host_certain && !is_plain_host(out->host))
		out->host = ngc_bytes(NULL, 0);
	out->host_proven = out->host_proven && out->host_certain && out->host.n > 0 &&
			   !guess;
	return all.n > 0;
}

/* On some socket where the host's server was found in that way? */
static bool same_server(const struct ngc_router *r, struct ngc_bytes host,
    struct ngc_bytes other, enum found wanted, bool *any)
{
	struct captures ignored;
	bool same = false;
	enum found how;

	*any = false;
	for (size_t i = 0; i < r->sockets.n && !same; i++) {
		const struct socket *at = &r->sockets.list[i];
		const struct ngc_server *s = sockets_server(&r->sockets, at, host, &how,
		    &ignored);

		if (how != wanted)
			continue;
		*any = true;
		same = sockets_server(&r->sockets, at, other, &how, &ignored) == s &&
		       how == wanted;
	}
	return same;
}

bool ngc_route_same_server(const struct ngc_router *r, struct ngc_bytes host,
    struct ngc_bytes other)
{
	bool same, named;

	regexes_lock(r->regexes);
	same = same_server(r, host, other, FOUND_NAME, &named);
	if (!named)
		same = same_server(r, host, other, FOUND_DEFAULT, &named);
	regexes_unlock(r->regexes);
	return same;
}

const struct ngc_server *ngc_route_storing(const struct ngc_router *r,
    const struct ngc_zone *zone, size_t i)
{
	const struct zone_keys *z = router_zone(r, zone);

	return z != NULL && i < z->n_storing ? z->storing[i] : NULL;
}

bool ngc_route_is_host(struct ngc_bytes name)
{
	return sockets_name_is_host(name);
}

void ngc_route_writer(const struct ngc_reading *reading, struct ngc_writer *out)
{
	const struct ngc_server *s = reading->writer;

	*out = (struct ngc_writer){ 0 };
	if (s == NULL || reading->host.p != NULL || !reading->host_certain)
		return;
	out->names = s->names;
	out->n = s->n_names;
	for (size_t i = 0; i < out->n && out->host.p == NULL; i++)
		if (sockets_name_is_host(out->names[i]))
			out->host = out->names[i];
}
