/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "expand.h"
#include "internal.h"
#include "ngc/units.h"
#include "rewritten.h"
#include "run.h"
#include "upstream.h"
#include "zone_keys.h"

/* What the keys of each zone look like: the patterns that take them apart. */

/*
 * The templates most sites use, the likeliest first, for a zone of which nothing is
 * known. A guess is certain of the host only where no other common template gives such a
 * key.
 */
static const struct {
	const char *text;
	bool certain;
} common[] = {
	{ "$scheme$request_method$host$request_uri", true },
	{ "$request_method$scheme$host$request_uri", true },
	{ "$scheme://$host$request_uri", false },
	{ "$scheme$host$request_uri$request_method", false },
	{ "$scheme$host$request_uri", false },
	{ "$request_method$host$request_uri", true },
	{ "$host$request_uri", false },
	{ "$request_uri", false },
	{ "$request_method$request_uri", false },
};

#define N_COMMON (sizeof(common) / sizeof(common[0]))

/* Where a key is stored: what makes some variables constant. */
struct place {
	struct ngc_router *router;
	const struct ngc_level *level;
	const struct ngc_server *server;
	bool known_upstream;
	struct upstream upstream;
	bool hides_host;
	bool bends_uri; /* something may leave one without a slash */
	bool is_default; /* it has no key template of its own */
	bool subrequests; /* with the main request's method, and no slice */
};

static void add_writer(struct zone_pattern *p, const struct place *at)
{
	p->several = p->several || (p->writer != NULL && p->writer != at->server);
	p->writer = at->server;
	p->hides_host = p->hides_host || at->hides_host;
	for (size_t i = 0; i < at->server->n_listen; i++)
		p->tls = p->tls || at->server->listen[i].tls;
}

/*
 * Add $server_name, which is the first name: a regex as it stands, the rest in lower
 * case.
 */
static bool add_server_name(struct pattern *p, const struct place *at)
{
	struct ngc_bytes name = sockets_name(&at->router->sockets, at->server->names[0]);
	bool ok;

	if (name.n == 0 || name.p[0] == '~')
		return pattern_add_text(p, name, TELLS_NOTHING);
	if (name.n > 1 && name.p[0] == '.')
		name = ngc_bytes_from(name, 1);
	name = ngc_arena_lower(at->router->arena, name);
	ok = name.p != NULL && pattern_add_text(p, name, TELLS_HOST);
	if (ok)
		p->pieces[p->n - 1].shared = at->server->n_names > 1 ||
		    !sockets_name_is_host(at->server->names[0]);
	return ok;
}

/* Is $server_name a name of the machine, which is not this one? */
static bool is_elsewhere(const struct place *at)
{
	struct ngc_bytes name = sockets_name(&at->router->sockets, at->server->names[0]);

	return name.n > 0 && name.p[0] == '$';
}

static bool has_slices(const struct ngc_level *l)
{
	const struct ngc_directive *d = run_setting(l, "slice");
	int64_t size;

	return d != NULL && d->n_words == 2 && ngc_parse_size(d->words[1], &size) &&
	       size > 0;
}

/*
 * Without a Host header $host is the first name of the server, which may be empty, a
 * regex, or what no client could send.
 */
static enum grammar host_grammar(const struct place *at)
{
	struct ngc_bytes name = at->server->names[0];

	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] <= ' ' || name.p[i] == 0x7f || name.p[i] == '/')
			return GRAMMAR_ANY;
	return name.n == 0 || name.p[0] == '~' ? GRAMMAR_HTTP_HOST : GRAMMAR_HOST;
}

static bool add_part(struct pattern *p, const struct place *at, const struct part *part)
{
	bool of_proxy = part->var == VAR_PROXY_HOST || part->var == VAR_PROXY_PORT;

	if (of_proxy && at->level->protocol != NGC_PROXY)
		return pattern_add_text(p, ngc_bytes("", 0), TELLS_NOTHING);
	if (at->known_upstream && part->var == VAR_PROXY_HOST)
		return pattern_add_text(p, at->upstream.host, TELLS_NOTHING);
	if (at->known_upstream && part->var == VAR_PROXY_PORT)
		return pattern_add_text(p, at->upstream.port, TELLS_NOTHING);
	if (part->var == VAR_SERVER_NAME && !is_elsewhere(at))
		return add_server_name(p, at);
	if (part->var == VAR_SLICE_RANGE && !has_slices(at->level))
		return pattern_add_text(p, ngc_bytes("", 0), TELLS_NOTHING);
	if (!pattern_add(p, part))
		return false;
	if (at->bends_uri && part->var == VAR_URI)
		p->pieces[p->n - 1].grammar = GRAMMAR_ANY;
	if (part->var == VAR_HOST)
		p->pieces[p->n - 1].grammar = host_grammar(at);
	if (at->subrequests && part->var == VAR_REQUEST_METHOD)
		p->pieces[p->n - 1].grammar = GRAMMAR_WORD;
	if (at->subrequests && part->var == VAR_SLICE_RANGE)
		p->pieces[p->n - 1].grammar = GRAMMAR_ANY;
	return true;
}

static bool take_pattern(const struct place *at, struct zone_keys *keys,
    const struct pattern *pattern, bool doubtful)
{
	struct zone_pattern *p = zone_keys_add(at->router, keys, pattern, at->server);

	if (p == NULL)
		return false;
	if (doubtful && p->writer != NULL && !p->doubtful)
		return true;
	if (p->doubtful && !doubtful)
		*p = (struct zone_pattern){ .pattern = p->pattern };
	p->doubtful = doubtful;
	add_writer(p, at);
	return true;
}

/* The zone a level stores into; NULL: a variable names it, or it is not there. */
static const struct ngc_zone *named_zone(const struct place *at)
{
	struct ngc_bytes name = at->level->caching->cache[at->level->protocol]->words[1];

	return memchr(name.p, '$', name.n) != NULL
		   ? NULL
		   : ngc_conf_zone_named(at->router->conf, name);
}

/*
 * Give each zone that a level may store into a pattern; false: no memory.
 * doubtful: it tells what keys may be like, not what they mostly are.
 */
static bool each_zone(const struct place *at, const struct pattern *p, bool doubtful)
{
	struct ngc_router *r = at->router;
	const struct ngc_zone *z = named_zone(at);
	struct zone_keys *keys;

	if (z != NULL) {
		keys = router_zone(r, z);
		return keys == NULL || take_pattern(at, keys, p, doubtful);
	}
	for (size_t i = 0; (z = ngc_conf_zone(r->conf, i)) != NULL; i++) {
		keys = z->type == at->level->protocol ? router_zone(r, z) : NULL;
		if (keys != NULL &&
		    !take_pattern(at, keys, p,
			doubtful || !ngc_level_may_select(r->conf, at->level, z)))
			return false;
	}
	return true;
}

/* Note who stores; where the zone is not named for certain, in all of them. */
static bool note_storing(const struct place *at)
{
	struct ngc_router *r = at->router;
	const struct ngc_zone *z = named_zone(at);
	struct zone_keys *keys = z != NULL ? router_zone(r, z) : NULL;
	bool ok = true;

	if (z != NULL)
		return keys == NULL || zone_keys_store(r, keys, at->server);
	for (size_t i = 0; i < r->n_zones && ok; i++)
		if (r->zones[i].zone->configured)
			ok = zone_keys_store(r, &r->zones[i], at->server);
	return ok;
}

static bool add_to_zones(const struct place *at, struct pattern *p)
{
	const struct ngc_level *rewritten = rewritten_in(at->level);

	if (rewritten != NULL)
		pattern_rewritten(p, rewritten,
		    at->level->caching->key[at->level->protocol] == NULL);
	pattern_end(p);
	return each_zone(at, p, false);
}

/* How much of the text of a proxy_pass is in front of port and URI: "http://a.test". */
static size_t before_port(struct ngc_bytes text)
{
	static const struct ngc_bytes slashes = { (const unsigned char *)"://", 3 };
	size_t i = 0;

	while (i < text.n && memchr("/?:", text.p[i], 3) == NULL)
		i++;
	if (!ngc_bytes_starts(ngc_bytes_from(text, i), slashes))
		return i;
	i += slashes.n;
	while (i < text.n && memchr("/?:", text.p[i], 3) == NULL)
		i++;
	return i;
}

/*
 * What a default key begins with: how it goes on depends on where nginx finds port and
 * URI in it, and may have been chosen by a client.
 */
static bool learn_start(const struct place *at, const struct part *parts, size_t n)
{
	static const struct part anything = { VAR_OTHER, { NULL, 0 } };
	struct pattern p = { 0 };

	for (size_t i = 0; i < n && p.n + 1 < PIECES_MAX; i++) {
		struct part part = parts[i];

		if (part.var == VAR_TEXT)
			part.text.n = before_port(part.text);
		else if (part.var != VAR_SCHEME)
			break;
		pattern_add(&p, &part);
		if (part.text.n < parts[i].text.n)
			break;
	}
	pattern_add(&p, &anything);
	return each_zone(at, &p, true);
}

/* Is there nothing between "http://" and the URI?  Then nginx has nowhere to ask. */
static bool has_no_host(const struct part *parts, size_t n)
{
	const struct part *last = n > 1 ? &parts[n - 2] : NULL;

	return last != NULL && last->var == VAR_TEXT &&
	       parts[n - 1].var == VAR_REQUEST_URI && last->text.n > 2 &&
	       memcmp(last->text.p + last->text.n - 3, "://", 3) == 0;
}

/* One row of parts that a key template may come to; of one too long nothing is told. */
static enum ngc_code learn_row(void *arg, const struct part *parts, size_t n,
    struct ngc_error *err)
{
	const struct place *at = arg;
	static const struct part anything = { VAR_OTHER, { NULL, 0 } };
	struct pattern p;

	if (at->is_default && has_no_host(parts, n))
		return NGC_OK;
	pattern_begin(&p);
	for (size_t i = 0; i < n; i++) {
		if (add_part(&p, at, &parts[i]))
			continue;
		pattern_begin(&p);
		pattern_add(&p, &anything);
		break;
	}
	if (at->is_default && !learn_start(at, parts, n))
		return ngc_no_memory(err);
	return add_to_zones(at, &p) ? NGC_OK : ngc_no_memory(err);
}

static const struct part target = { VAR_REQUEST_URI, { NULL, 0 } };
static const struct part nul = { VAR_TEXT, { (const unsigned char *)"", 1 } };

/* The URI that is sent on, where nothing is put for the location's path. */
static bool learn_whole_uri(const struct place *at, struct pattern p)
{
	pattern_add_target(&p, rewritten_in(at->level) == NULL ? at->level : NULL);
	return add_to_zones(at, &p);
}

/* nginx's default key where proxy_pass has no variables. */
static enum ngc_code learn_default(struct place *at, struct ngc_error *err)
{
	const struct upstream *u = &at->upstream;
	struct pattern p = { 0 };
	bool whole, ok;

	at->hides_host = ngc_level_hides_host(at->router->conf, at->level);
	if (at->level->protocol != NGC_PROXY) /* the empty key, which all share */
		return add_to_zones(at, &p) ? NGC_OK : ngc_no_memory(err);
	pattern_add_text(&p, u->start, TELLS_NOTHING);
	if (u->nul)
		pattern_add(&p, &nul);
	whole = u->uri.n == 0 || ngc_bytes_equal(u->uri, at->level->pattern);
	if (internal_bends_uri(at->server)) {
		const struct part start = { VAR_TEXT, u->start };

		if (!learn_start(at, &start, 1))
			return ngc_no_memory(err);
	}
	ok = (!whole && rewritten_in(at->level) == NULL) || learn_whole_uri(at, p);
	if (ok && !whole) {
		pattern_add_base(&p, u->uri, at->level->pattern);
		ok = add_to_zones(at, &p);
	}
	return ok ? NGC_OK : ngc_no_memory(err);
}

/* Does the text of a proxy_pass with variables go on behind the host? */
static bool has_uri_part(struct ngc_bytes pass)
{
	const unsigned char *host = memmem(pass.p, pass.n, "://", 3);

	return host != NULL &&
	       memchr(host + 3, '/', pass.n - (size_t)(host + 3 - pass.p)) != NULL;
}

/* Learn a template; one that holds the host, as most do, hides it in nothing. */
static enum ngc_code learn_parts(struct place *at, const struct template *t,
    struct ngc_error *err)
{
	bool holds = false, uri = false, other = false;

	for (size_t i = 0; i < t->n; i++) {
		holds = holds || t->parts[i].var == VAR_HOST ||
			t->parts[i].var == VAR_HTTP_HOST;
		uri = uri || t->parts[i].var == VAR_OTHER || t->parts[i].var == VAR_URI;
		other = other || t->parts[i].var == VAR_OTHER ||
			t->parts[i].var == VAR_REQUEST_METHOD ||
			t->parts[i].var == VAR_SLICE_RANGE;
	}
	at->bends_uri = uri && internal_bends_uri(at->server);
	at->subrequests = other && internal_subrequests(at->server);
	at->hides_host = !holds && ngc_level_hides_host(at->router->conf, at->level);
	return expand_template(at->router, at->server, t, learn_row, at, err);
}

/* The same where it has: the key is what they come to, and perhaps the URI. */
static enum ngc_code learn_variable_default(struct place *at, struct ngc_error *err)
{
	struct ngc_bytes pass = at->level->pass->words[1];
	struct template t;
	struct part *parts;
	enum ngc_code code = template_compile(at->router->arena, pass, &t, err);

	if (code != NGC_OK)
		return ngc_wrap(err, "%s:%u", at->level->pass->file,
		    at->level->pass->line);
	parts = ngc_arena_alloc(at->router->arena, t.n + 1, sizeof(*parts));
	if (parts == NULL)
		return ngc_no_memory(err);
	if (t.n > 0)
		memcpy(parts, t.parts, t.n * sizeof(*parts));
	t.parts = parts;
	if (!has_uri_part(pass))
		parts[t.n++] = target;
	return learn_parts(at, &t, err);
}

static enum ngc_code learn_key(struct place *at, const struct ngc_directive *key,
    struct ngc_error *err)
{
	struct template *t = &at->router->last_template;
	enum ngc_code code = NGC_OK;

	if (!ngc_bytes_equal(t->text, key->words[1]) || t->text.p == NULL)
		code = template_compile(at->router->arena, key->words[1], t, err);
	if (code != NGC_OK)
		return ngc_wrap(err, "%s:%u", key->file, key->line);
	return learn_parts(at, t, err);
}

static enum ngc_code learn_level(struct place *at, struct ngc_error *err)
{
	const struct ngc_directive *key = at->level->caching->key[at->level->protocol];
	struct ngc_bytes pass = at->level->pass->words[1];
	bool variables = memchr(pass.p, '$', pass.n) != NULL;

	at->known_upstream = !variables && upstream_parse(pass, &at->upstream);
	at->is_default = key == NULL;
	if (key != NULL)
		return learn_key(at, key, err);
	if (at->level->protocol == NGC_PROXY && variables)
		return learn_variable_default(at, err);
	if (at->level->protocol == NGC_PROXY && !at->known_upstream)
		return NGC_OK; /* nginx would not start with it */
	return learn_default(at, err);
}

static enum ngc_code learn_levels(struct ngc_router *r, const struct ngc_server *s,
    const struct ngc_level *l, struct ngc_error *err)
{
	struct place at = { .router = r, .level = l, .server = s };
	enum ngc_code code = NGC_OK;

	if (ngc_level_stores(l))
		code = note_storing(&at) ? learn_level(&at, err) : ngc_no_memory(err);
	for (l = l->first; l != NULL && code == NGC_OK; l = l->next)
		code = learn_levels(r, s, l, err);
	return code;
}

static void use_plain_hosts(struct pattern *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->pieces[i].grammar == GRAMMAR_HOST)
			p->pieces[i].grammar = GRAMMAR_PLAIN_HOST;
}

static enum ngc_code learn_template(struct ngc_router *r, struct zone_keys *z,
    struct key_template *k, struct ngc_bytes text, bool certain, struct ngc_error *err)
{
	struct pattern p = { .guessed = !certain };
	enum ngc_code code = template_compile(r->arena, text, &k->t, err);
	bool fits = true;

	if (code != NGC_OK)
		return ngc_wrap(err, "%s: key",
		    z->zone->name != NULL ? z->zone->name : z->zone->path);
	for (size_t i = 0; i < k->t.n && fits; i++)
		fits = pattern_add(&p, &k->t.parts[i]);
	if (k->guessed)
		use_plain_hosts(&p);
	pattern_end(&p);
	return !fits || zone_keys_add(r, z, &p, NULL) != NULL ? NGC_OK
							      : ngc_no_memory(err);
}

/* A zone of the command line: its own template, or the common ones. */
static enum ngc_code learn_directory(struct ngc_router *r, struct zone_keys *z,
    struct ngc_error *err)
{
	size_t n = z->zone->key != NULL ? 1 : N_COMMON;
	struct key_template *k = ngc_arena_alloc(r->arena, n, sizeof(*k));
	enum ngc_code code = NGC_OK;

	if (k == NULL)
		return ngc_no_memory(err);
	z->templates = k;
	z->n_templates = n;
	if (z->zone->key != NULL)
		return learn_template(r, z, k, ngc_bytes_of(z->zone->key), true, err);
	for (size_t i = 0; i < n && code == NGC_OK; i++) {
		k[i].guessed = true;
		code = learn_template(r, z, &k[i], ngc_bytes_of(common[i].text),
		    common[i].certain, err);
	}
	return code;
}

enum ngc_code router_learn(struct ngc_router *r, struct ngc_error *err)
{
	const struct ngc_server *s;
	enum ngc_code code = NGC_OK;

	for (size_t i = 0; i < r->n_zones && code == NGC_OK; i++)
		if (!r->zones[i].zone->configured)
			code = learn_directory(r, &r->zones[i], err);
	for (size_t i = 0; code == NGC_OK && r->conf != NULL &&
			   (s = ngc_conf_server(r->conf, i)) != NULL;
	     i++)
		code = learn_levels(r, s, s->level, err);
	return code;
}
