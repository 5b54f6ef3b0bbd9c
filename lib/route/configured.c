/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"
#include "follow.h"
#include "spelling.h"

/*
 * What a URL covers in the zones of the configuration: every way any request for it goes.
 */

struct query {
	struct cover *cover;
	const struct ngc_router *router;
	const struct ngc_url *url;
	bool named; /* some server has its host as a name */
	bool untold; /* only keys that do not tell the URL by themselves */
	struct follow follow;
	bool used_scheme, used_method, used_http_host; /* by any way so far */
};

/* Does the key tell the target, so that whoever looks at keys finds it? */
static bool is_told(struct run *r, const struct ngc_zone *z)
{
	struct ngc_reading reading;

	return value_unknown(r->key) == NULL &&
	       ngc_route_read(r->router, z, value_bytes(r->arena, r->key), &reading) &&
	       ngc_bytes_equal(reading.uri, r->asked->target);
}

static bool add_to_zone(struct query *q, struct run *r, const struct ngc_zone *z)
{
	struct ngc_bytes template = r->key_directive != NULL ? r->key_directive->words[1]
							     : ngc_bytes("", 0);

	return router_zone(r->router, z) == NULL || (q->untold && is_told(r, z)) ||
	       cover_add_value(q->cover, z, template, r->key);
}

/* Could a zone's name, known in parts, be that of z? */
static bool may_be_zone(struct run *r, const struct ngc_zone *z)
{
	struct pattern p = { 0 };

	if (z->type != r->pass->protocol)
		return false;
	for (size_t i = 0; i < r->zone.n; i++)
		if (!pattern_add_segment(&p, &r->zone.seg[i]))
			return true;
	return pattern_match(&p, ngc_bytes_of(z->name));
}

static bool add_cached(struct query *q, struct run *r)
{
	const struct ngc_zone *z;

	if (value_unknown(r->zone) == NULL) {
		z = ngc_conf_zone_named(r->router->conf, value_bytes(r->arena, r->zone));
		return z == NULL || add_to_zone(q, r, z);
	}
	for (size_t i = 0; (z = ngc_conf_zone(r->router->conf, i)) != NULL; i++)
		if (may_be_zone(r, z) && !add_to_zone(q, r, z))
			return false;
	return true;
}

static bool add_way(void *arg, struct run *r)
{
	struct query *q = arg;

	q->used_scheme = q->used_scheme || r->used_scheme;
	q->used_method = q->used_method || r->used_method;
	q->used_http_host = q->used_http_host || r->used_http_host;
	if (r->choices->overflow && !q->cover->coarse) {
		q->cover->overflow = true;
		return false;
	}
	q->cover->pub.incomplete = q->cover->pub.incomplete || r->choices->overflow;
	if (r->end != END_CACHED || (r->lost_by != NULL && q->cover->scope.strict))
		return true;
	return add_cached(q, r);
}

/* The other methods that some location may store. */
static bool add_more_methods(struct query *q, const struct ngc_level *l,
    struct ngc_bytes *done, unsigned *n_done)
{
	for (int p = 0; p < NGC_PROTOCOLS; p++) {
		const struct ngc_directive *d = l->caching->methods[p];

		for (unsigned i = 1; d != NULL && i < d->n_words; i++) {
			struct ngc_bytes method = d->words[i];
			bool seen = ngc_bytes_equal(method, ngc_bytes_of("GET")) ||
				    ngc_bytes_equal(method, ngc_bytes_of("HEAD"));

			for (unsigned k = 0; k < *n_done; k++)
				seen = seen || ngc_bytes_equal(method, done[k]);
			if (seen || *n_done == 8)
				continue;
			done[(*n_done)++] = method;
			q->follow.asked.method = method;
			if (!follow_ways(&q->follow, add_way, q))
				return false;
		}
	}
	for (l = l->first; l != NULL; l = l->next)
		if (!add_more_methods(q, l, done, n_done))
			return false;
	return true;
}

static bool add_methods(struct query *q, const struct ngc_server *server)
{
	struct ngc_bytes done[8];
	unsigned n_done = 0;

	q->follow.asked.method = ngc_bytes_of("GET");
	if (!follow_ways(&q->follow, add_way, q))
		return false;
	q->follow.asked.method = ngc_bytes_of("HEAD");
	if (q->used_method && !follow_ways(&q->follow, add_way, q))
		return false;
	return add_more_methods(q, server->level, done, &n_done);
}

/* The scheme of the socket first; the other one, too, where it matters. */
static bool add_schemes(struct query *q, const struct ngc_server *server)
{
	static const char *const schemes[] = { "http", "https" };
	bool tls = q->follow.socket->tls;

	q->follow.asked.scheme = ngc_bytes_of(schemes[tls]);
	if (!add_methods(q, server))
		return false;
	q->follow.asked.scheme = ngc_bytes_of(schemes[!tls]);
	return !q->used_scheme || add_methods(q, server);
}

/* Host headers that clients may send: with a port where it is not the usual one. */
static bool add_hosts(struct query *q, const struct ngc_server *server)
{
	const struct ngc_url *u = q->url;
	unsigned port = u->port != 0 ? u->port : q->follow.socket->port;
	bool usual = port == 80 || port == 443 || port == 0;
	struct ngc_buf b = { 0 };
	bool ok = true;

	q->follow.asked.http_host = u->host;
	if (usual || u->port == 0)
		ok = add_schemes(q, server);
	if (ok && !usual && (u->port != 0 || q->used_http_host)) {
		ngc_buf_printf(&b, "%.*s:%u", (int)u->host.n, (const char *)u->host.p,
		    port);
		q->follow.asked.http_host = ngc_buf_bytes(&b);
		ok = !b.failed && add_schemes(q, server);
	}
	if (ok && q->used_http_host && !ngc_bytes_equal(u->authority, u->host)) {
		q->follow.asked.http_host = u->authority;
		ok = add_schemes(q, server);
	}
	ngc_buf_free(&b);
	return ok;
}

/* Without its query, when that may be any. */
static struct ngc_bytes target_of(const struct query *q)
{
	return q->follow.asked.any_query ? q->url->path : q->url->target;
}

static bool add_socket(struct query *q, const struct socket *at,
    const struct ngc_server *server)
{
	struct spellings spelled;

	if (!spellings_of(q->cover->arena, target_of(q), &spelled))
		return false;
	q->follow.socket = at;
	q->follow.asked.host = q->url->host;
	for (unsigned i = 0; i < spelled.n; i++) {
		q->follow.asked.target = spelled.target[i];
		q->used_scheme = q->used_method = q->used_http_host = false;
		if (!add_hosts(q, server))
			return false;
	}
	return true;
}

/*
 * By which sockets may a request for the URL come in?  By those of its port; without a
 * port, by the usual ones and by those where a server has its name.
 */
static bool is_meant(const struct ngc_url *url, const struct socket *at, enum found how,
    bool named)
{
	if (url->port != 0)
		return url->port == at->port;
	return how == FOUND_NAME || at->port == 80 || at->port == 443 || !named;
}

/* A name that several servers have is the first one's. */
static bool answers(const struct query *q, const struct socket *at,
    const struct ngc_server *server, struct ngc_bytes host)
{
	struct captures ignored;
	enum found how;

	return sockets_server(&q->router->sockets, at, host, &how, &ignored) == server;
}

/*
 * Hand the URL over with each name of the server in place of its host; names that stand
 * for many hosts are left to who looks at keys.
 */
static bool add_names(struct query *q, const struct socket *at,
    const struct ngc_server *server,
    bool (*add)(struct query *q, const struct socket *at,
	const struct ngc_server *server))
{
	const struct ngc_url *url = q->url;
	struct ngc_url other = *url;
	bool ok = true;

	q->url = &other;
	for (size_t i = 0; ok && i < server->n_names; i++) {
		struct ngc_bytes name = server->names[i];
		bool dot = name.n > 1 && name.p[0] == '.'; /* ".x" is x, too */

		q->cover->pub.more_hosts |= sockets_name_is_wide(name);
		if (!dot && !sockets_name_is_host(name))
			continue;
		other.host = ngc_arena_lower(q->cover->arena, ngc_bytes_from(name, dot));
		other.authority = other.host;
		ok = other.host.p != NULL &&
		     (ngc_bytes_equal(other.host, url->host) ||
			 !answers(q, at, server, other.host) || add(q, at, server));
	}
	q->url = url;
	return ok;
}

/* Has some server the URL's host as its name? */
static bool is_named(const struct ngc_router *r, const struct ngc_url *url)
{
	struct captures ignored;
	enum found how = FOUND_DEFAULT;

	for (size_t i = 0; i < r->sockets.n && how != FOUND_NAME; i++)
		sockets_server(&r->sockets, &r->sockets.list[i], url->host, &how,
		    &ignored);
	return how == FOUND_NAME;
}

/*
 * One more server that the URL leads to, by all its names if those are asked for.  Where
 * another server has the host as its name, one that it only falls to has others.
 */
static bool add_server(struct query *q, const struct socket *at,
    const struct ngc_server *server, enum found how,
    bool (*add)(struct query *q, const struct socket *at,
	const struct ngc_server *server))
{
	if (!add(q, at, server))
		return false;
	if (!q->cover->scope.any_host || (how == FOUND_DEFAULT && q->named))
		return true;
	q->cover->pub.more_hosts |= how == FOUND_DEFAULT;
	return add_names(q, at, server, add);
}

static bool add_request(struct query *q, const struct socket *at,
    const struct ngc_server *server)
{
	struct asked *asked = &q->follow.asked;

	(void)server;
	q->follow.socket = at;
	asked->method = ngc_bytes_of("GET");
	asked->scheme = ngc_bytes_of(at->tls ? "https" : "http");
	asked->host = q->url->host;
	asked->http_host = q->url->authority;
	asked->target = target_of(q);
	return follow_ways(&q->follow, add_way, q);
}

bool cover_request(struct cover *c, const struct ngc_router *r, const struct ngc_url *url)
{
	struct query q = { .cover = c,
		.router = r,
		.url = url,
		.named = is_named(r, url),
		.follow = { .router = r,
		    .asked = { .any_query = c->scope.any_query },
		    .coarse = c->coarse } };
	const struct socket *at = follow_socket(r, url, url->host);
	const struct ngc_server *server;
	struct captures ignored;
	enum found how;

	if (at == NULL)
		return true;
	server = sockets_server(&r->sockets, at, url->host, &how, &ignored);
	return add_server(&q, at, server, how, add_request);
}

bool cover_configured(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url)
{
	struct query q = { .cover = c,
		.router = r,
		.url = url,
		.named = is_named(r, url),
		.follow = { .router = r,
		    .asked = { .all = true, .any_query = c->scope.any_query },
		    .coarse = c->coarse } };
	struct captures ignored;
	enum found how;

	for (size_t i = 0; i < r->sockets.n; i++) {
		const struct socket *at = &r->sockets.list[i];
		const struct ngc_server *s = sockets_server(&r->sockets, at, url->host,
		    &how, &ignored);

		if (is_meant(url, at, how, q.named) &&
		    !add_server(&q, at, s, how, add_socket))
			return false;
	}
	return true;
}

/* Do all keys of the configured zones tell path and query of their request? */
static bool all_tell(const struct ngc_router *r, bool query)
{
	for (size_t i = 0; i < r->n_zones; i++) {
		const struct zone_keys *z = &r->zones[i];

		for (size_t k = 0; k < z->n_patterns; k++)
			if (z->zone->configured && !z->patterns[k].doubtful &&
			    !pattern_tells_uri(z->patterns[k].pattern, query))
				return false;
	}
	return true;
}

/*
 * A host that a name of a server stands for, in the arena; absent: none is known, or
 * there was no memory.
 */
static struct ngc_bytes some_host(struct ngc_arena *a, struct ngc_bytes name)
{
	bool dot = name.n > 1 && name.p[0] == '.'; /* ".x" is x, too */
	bool star = name.n > 2 && name.p[0] == '*';
	struct ngc_buf b = { 0 };
	struct ngc_bytes host = ngc_bytes(NULL, 0);

	if (star)
		ngc_buf_add_str(&b, "any");
	ngc_buf_add_bytes(&b, ngc_bytes_from(name, dot || star));
	if (b.n > 2 && b.p[b.n - 1] == '*')
		ngc_buf_add_str(&b, "any");
	if (!b.failed && sockets_name_is_host(ngc_buf_bytes(&b)))
		host = ngc_arena_lower(a, ngc_buf_bytes(&b));
	ngc_buf_free(&b);
	return host;
}

static bool add_host(struct query *q, const struct socket *at,
    const struct ngc_server *server, struct ngc_bytes host)
{
	const struct ngc_url *path = q->url;
	struct ngc_url url = *path;
	bool ok;

	url.host = url.authority = host;
	q->url = &url;
	ok = q->follow.asked.all ? add_socket(q, at, server) : add_request(q, at, server);
	q->url = path;
	return ok;
}

/* The path on all hosts of a server of which one is known; the default server has any. */
static bool add_hosts_of(struct query *q, const struct socket *at,
    const struct ngc_server *server)
{
	bool any = false;

	for (size_t i = 0; i < server->n_names; i++) {
		struct ngc_bytes host = some_host(q->cover->arena, server->names[i]);

		if (host.p == NULL || !answers(q, at, server, host))
			continue;
		any = true;
		if (!add_host(q, at, server, host))
			return false;
	}
	return any || server != at->fallback ||
	       add_host(q, at, server, ngc_bytes_of("localhost"));
}

bool cover_path(struct cover *c, const struct ngc_router *r, const struct ngc_url *path)
{
	struct query q = { .cover = c,
		.router = r,
		.url = path,
		.untold = true,
		.follow = { .router = r,
		    .asked = { .all = !c->scope.strict, .any_query = c->scope.any_query },
		    .coarse = c->coarse } };

	if (all_tell(r, path->query.p != NULL))
		return true;
	for (size_t i = 0; i < r->sockets.n; i++) {
		const struct socket *at = &r->sockets.list[i];

		for (size_t k = 0; k < at->n; k++)
			if (!add_hosts_of(&q, at, at->bindings[k].server))
				return false;
	}
	return true;
}
