/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"
#include "spelling.h"
#include "upstream.h"

/* What a URL covers in the zones of the configuration: every use of the servers it reaches. */

struct request {
	struct cover *cover;
	const struct ngc_router *router;
	struct facts facts;
};

/* Expand a key for one level and one method into every zone it may be stored in. */
static bool add_key(struct request *q, const struct ngc_level *l, const struct template *t)
{
	struct cover *c = q->cover;
	const struct part *open = NULL;
	const struct ngc_zone *z;
	bool ok = true;

	c->key.n = 0;
	for (size_t i = 0; i < t->n && open == NULL; i++)
		if (!facts_value(&q->facts, &t->parts[i], &c->key))
			open = &t->parts[i];
	for (size_t i = 0; ok && (z = ngc_conf_zone(q->router->conf, i)) != NULL; i++) {
		if (!ngc_level_may_select(l, z) || router_zone(q->router, z) == NULL)
			continue;
		ok = open != NULL ? cover_add_open(c, z, t->text, open->text)
		                  : cover_add(c, z, ngc_buf_bytes(&c->key));
	}
	return ok && !c->key.failed;
}

/* The key template in force; nginx's default where none is. */
static bool key_of(struct request *q, const struct ngc_level *l, const struct upstream *u,
    struct template *out)
{
	const struct ngc_directive *key = l->caching->key[l->protocol];
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	bool ok = true;

	if (key != NULL)
		return template_compile(q->cover->arena, key->words[1], out, &err) == NGC_OK;
	if (l->protocol == NGC_PROXY && u->start.p != NULL && !u->nul && u->uri.n == 0) {
		ngc_buf_add_bytes(&b, u->start);
		ngc_buf_add_str(&b, "$request_uri");
	} else if (l->protocol == NGC_PROXY) {
		ngc_buf_add_str(&b, "$default_key");
	}
	char *text = b.failed ? NULL : ngc_arena_copy(q->cover->arena, b.p, b.n);
	ok = text != NULL &&
	     template_compile(q->cover->arena, ngc_bytes(text, b.n), out, &err) == NGC_OK;
	ngc_buf_free(&b);
	return ok;
}

static bool add_level(struct request *q, const struct ngc_level *l)
{
	const struct ngc_directive *more = l->caching->methods[l->protocol];
	struct ngc_bytes pass = l->pass->words[1];
	struct upstream u = { 0 };
	struct template t;
	bool ok;

	if (memchr(pass.p, '$', pass.n) == NULL)
		upstream_parse(pass, &u);
	q->facts.proxy_host = u.host;
	q->facts.proxy_port = u.port;
	ok = key_of(q, l, &u, &t);
	q->facts.method = ngc_bytes_of("GET");
	ok = ok && add_key(q, l, &t);
	q->facts.method = ngc_bytes_of("HEAD");
	ok = ok && add_key(q, l, &t);
	for (unsigned i = 1; ok && more != NULL && i < more->n_words; i++) {
		q->facts.method = more->words[i];
		ok = add_key(q, l, &t);
	}
	return ok;
}

static bool add_levels(struct request *q, const struct ngc_level *l)
{
	bool ok = !ngc_level_stores(l) || add_level(q, l);

	for (l = l->first; ok && l != NULL; l = l->next)
		ok = add_levels(q, l);
	return ok;
}

/* Path and query of the target; the URI is left unknown when nginx would refuse it. */
static bool set_target(struct request *q, struct ngc_bytes target)
{
	const unsigned char *mark = memchr(target.p, '?', target.n);
	size_t n = mark != NULL ? (size_t)(mark - target.p) : target.n;
	struct ngc_buf b = { 0 };
	bool ok = ngc_url_normalise(ngc_bytes(target.p, n), &b) && !b.failed;
	char *uri = ok ? ngc_arena_copy(q->cover->arena, b.p, b.n) : NULL;

	q->facts.target = target;
	q->facts.args = ngc_bytes_from(target, mark != NULL ? n + 1 : n);
	q->facts.uri = ngc_bytes(uri, b.n);
	ngc_buf_free(&b);
	return uri != NULL;
}

static bool add_server(struct request *q, const struct ngc_server *s, const struct socket *at,
    struct ngc_bytes target)
{
	static const char *const schemes[] = { "http", "https" };
	bool ok = true;

	if (!set_target(q, target))
		return true;
	q->facts.server_name = s->names[0];
	q->facts.port = at->port;
	for (size_t i = 0; i < 2 && ok; i++) {
		q->facts.scheme = ngc_bytes_of(schemes[i]);
		ok = add_levels(q, s->level);
	}
	return ok;
}

bool cover_configured(struct cover *c, const struct ngc_router *r, const struct ngc_url *url)
{
	struct request q = { .cover = c, .router = r,
		.facts = { .host = url->host, .http_host = url->authority } };
	struct spellings spelled;
	struct captures ignored;
	bool ok = spellings_of(c->arena, url->target, &spelled);

	for (size_t i = 0; i < r->sockets.n && ok; i++) {
		const struct socket *at = &r->sockets.list[i];
		enum found how;
		const struct ngc_server *s =
		    sockets_server(&r->sockets, at, url->host, &how, &ignored);

		if (url->port != 0 && url->port != at->port)
			continue;
		for (unsigned k = 0; k < spelled.n && ok; k++)
			ok = add_server(&q, s, at, spelled.target[k]);
	}
	return ok;
}
