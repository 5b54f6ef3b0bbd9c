/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/conf.h"

#include "model.h"
#include "ngc/variable.h"

/* What it takes to evaluate the zone and the key of a use: which kinds of facts. */

enum need {
	NEED_CONNECTION = 1 << 0,
	NEED_DEFAULT_KEY = 1 << 1,
	NEED_FILESYSTEM_ROOT = 1 << 2,
	NEED_GEO = 1 << 3,
	NEED_HEADER = 1 << 4,
	NEED_IF = 1 << 5,
	NEED_MAP = 1 << 6,
	NEED_REGEX_CAPTURE = 1 << 7,
	NEED_REQUEST_BODY = 1 << 8,
	NEED_REQUEST_LINE = 1 << 9,
	NEED_SET = 1 << 10,
	NEED_SLICE_RANGE = 1 << 11,
	NEED_SPLIT_CLIENTS = 1 << 12,
	NEED_UNKNOWN = 1 << 13,
	NEED_HOST = 1 << 14, /* beside another one: it has no name of its own */
};

static const char *const need_names[] = { "connection", "default_key", "filesystem_root",
	"geo", "header", "if", "map", "regex_capture", "request_body", "request_line",
	"set", "slice_range", "split_clients", "unknown" };

#define N_NEEDS   (sizeof(need_names) / sizeof(need_names[0]))
#define SEEN_MAX  64

static const struct {
	const char *name;
	bool prefix;
	unsigned need;
} builtins[] = {
	{ "scheme", false, NEED_REQUEST_LINE },
	{ "https", false, NEED_REQUEST_LINE },
	{ "request_method", false, NEED_REQUEST_LINE },
	{ "host", false, NEED_REQUEST_LINE | NEED_HOST },
	{ "request_uri", false, NEED_REQUEST_LINE },
	{ "uri", false, NEED_REQUEST_LINE },
	{ "document_uri", false, NEED_REQUEST_LINE },
	{ "args", false, NEED_REQUEST_LINE },
	{ "query_string", false, NEED_REQUEST_LINE },
	{ "is_args", false, NEED_REQUEST_LINE },
	{ "arg_", true, NEED_REQUEST_LINE },
	{ "server_name", false, NEED_REQUEST_LINE },
	{ "server_port", false, NEED_REQUEST_LINE },
	{ "server_protocol", false, NEED_REQUEST_LINE },
	{ "proxy_host", false, NEED_REQUEST_LINE },
	{ "proxy_port", false, NEED_REQUEST_LINE },
	{ "http_host", false, NEED_HEADER | NEED_HOST },
	{ "http_", true, NEED_HEADER },
	{ "cookie_", true, NEED_HEADER },
	{ "remote_user", false, NEED_HEADER },
	{ "content_type", false, NEED_HEADER },
	{ "content_length", false, NEED_HEADER },
	{ "request_body", false, NEED_REQUEST_BODY },
	{ "slice_range", false, NEED_SLICE_RANGE },
	{ "document_root", false, NEED_FILESYSTEM_ROOT },
	{ "realpath_root", false, NEED_FILESYSTEM_ROOT },
	{ "request_filename", false, NEED_FILESYSTEM_ROOT },
	{ "remote_addr", false, NEED_CONNECTION },
};

struct search {
	const struct ngc_conf *conf;
	const struct ngc_directive *server;
	unsigned needs;
	struct ngc_bytes seen[SEEN_MAX]; /* variables: each is looked at once */
	unsigned n_seen;
};

static void need_text(struct search *s, struct ngc_bytes text);

static bool is_variable(struct ngc_bytes word, struct ngc_bytes name)
{
	return word.n == name.n + 1 && word.p[0] == '$' &&
	       ngc_bytes_same(ngc_bytes_from(word, 1), name);
}

static bool need_builtin(struct search *s, struct ngc_bytes name, bool prefix)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		struct ngc_bytes known = ngc_bytes_of(builtins[i].name);

		if (builtins[i].prefix != prefix || name.n < known.n ||
		    (!prefix && name.n != known.n) ||
		    !ngc_bytes_same(ngc_bytes(name.p, known.n), known))
			continue;
		s->needs |= builtins[i].need;
		return true;
	}
	return false;
}

/* The source and the values of a map and its like. */
static bool need_defined(struct search *s, struct ngc_bytes name)
{
	for (size_t i = 0; i < s->conf->maps.n; i++) {
		const struct ngc_directive *d = s->conf->maps.item[i];
		bool map = ngc_directive_is(d, "map"), geo = ngc_directive_is(d, "geo");

		if (!is_variable(d->words[d->n_words - 1], name))
			continue;
		s->needs |= map ? NEED_MAP : geo ? NEED_GEO : NEED_SPLIT_CLIENTS;
		if (d->n_words == 3)
			need_text(s, d->words[1]);
		else
			s->needs |= NEED_CONNECTION;
		for (const struct ngc_directive *l = d->first; map && l != NULL;
		     l = l->next)
			if (l->n_words == 2)
				need_text(s, l->words[1]);
		return true;
	}
	return false;
}

/* What the set directives of the server give it. */
static bool need_set(struct search *s, const struct ngc_directive *block,
    struct ngc_bytes name)
{
	bool found = false;

	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		if (ngc_directive_is(d, "set") && d->n_words == 3 &&
		    is_variable(d->words[1], name)) {
			s->needs |= NEED_SET |
				    (ngc_directive_is(block, "if") ? NEED_IF : 0u);
			if (ngc_directive_is(block, "if"))
				for (unsigned i = 1; i < block->n_words; i++)
					need_text(s, block->words[i]);
			need_text(s, d->words[2]);
			found = true;
		}
		if (d->block && need_set(s, d, name))
			found = true;
	}
	return found;
}

/* Is it a named group of a regex in the server? */
static bool is_group(const struct ngc_directive *block, struct ngc_bytes name)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		for (unsigned i = 1; i < d->n_words; i++) {
			const unsigned char *at = memmem(d->words[i].p, d->words[i].n,
			    "<", 1);

			if (at != NULL &&
			    memmem(at, d->words[i].n - (size_t)(at - d->words[i].p),
				name.p, name.n) != NULL)
				return true;
		}
		if (d->block && is_group(d, name))
			return true;
	}
	return false;
}

static bool is_seen(const struct search *s, struct ngc_bytes name)
{
	for (unsigned i = 0; i < s->n_seen; i++)
		if (ngc_bytes_same(s->seen[i], name))
			return true;
	return s->n_seen == SEEN_MAX;
}

static void need_variable(struct search *s, struct ngc_bytes name)
{
	if (is_seen(s, name))
		return;
	s->seen[s->n_seen++] = name;
	if (name.n == 1 && name.p[0] >= '1' && name.p[0] <= '9')
		s->needs |= NEED_REGEX_CAPTURE;
	else if (!need_builtin(s, name, false) && !need_defined(s, name) &&
		 !need_set(s, s->server, name) && !need_builtin(s, name, true))
		s->needs |= is_group(s->server, name) ? NEED_REGEX_CAPTURE : NEED_UNKNOWN;
}

/* Every variable in a text. */
static void need_text(struct search *s, struct ngc_bytes text)
{
	struct ngc_bytes name;

	while (ngc_variable_next(&text, &name))
		need_variable(s, name);
}

static void need_words(struct search *s, const struct ngc_directive *d)
{
	for (unsigned i = 1; i < d->n_words; i++)
		need_text(s, d->words[i]);
}

/* The conditions under which a request goes another way than others, but not away. */
static void need_conditions(struct search *s, const struct ngc_directive *block)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		bool stays = false;

		if (!d->block)
			continue;
		for (const struct ngc_directive *in = d->first; in != NULL; in = in->next)
			stays = stays || !ngc_directive_is(in, "return");
		if (stays && ngc_directive_is(d, "if"))
			need_words(s, d);
		need_conditions(s, d);
	}
}

static const struct ngc_directive *server_of(const struct ngc_conf *c,
    const struct ngc_level *l)
{
	const struct ngc_directive *d = l->d;

	while (d->parent != c->http->d)
		d = d->parent;
	return d;
}

bool ngc_level_hides_host(const struct ngc_conf *c, const struct ngc_level *l)
{
	static const unsigned hiding = NEED_HOST | NEED_REGEX_CAPTURE | NEED_UNKNOWN |
				       NEED_FILESYSTEM_ROOT;
	const struct ngc_directive *key = l->caching->key[l->protocol];
	struct search s = { .conf = c, .server = server_of(c, l) };

	need_text(&s, l->caching->cache[l->protocol]->words[1]);
	if (key != NULL)
		need_text(&s, key->words[1]);
	if (key == NULL || memmem(key->words[1].p, key->words[1].n, "proxy_", 6) != NULL)
		need_text(&s, l->pass->words[1]);
	need_conditions(&s, s.server);
	return (s.needs & hiding) != 0;
}

const char *const *ngc_use_needs(const struct ngc_conf *c, const struct ngc_use *u)
{
	const struct ngc_level *l = ((const struct use *)u)->level; /* pub stands first */
	struct search s = { .conf = c, .server = server_of(c, l) };
	const struct ngc_directive *key = l->caching->key[l->protocol];
	const char **out;
	size_t n = 0;

	need_text(&s, l->caching->cache[l->protocol]->words[1]);
	if (key != NULL)
		need_text(&s, key->words[1]);
	if (key == NULL)
		s.needs |= NEED_DEFAULT_KEY;
	if (key == NULL && l->protocol == NGC_PROXY) {
		s.needs |= NEED_REQUEST_LINE;
		need_text(&s, l->pass->words[1]);
	}
	out = ngc_arena_alloc(c->arena, N_NEEDS + 1, sizeof(*out));
	for (size_t i = 0; out != NULL && i < N_NEEDS; i++)
		if (s.needs & 1u << i)
			out[n++] = need_names[i];
	return out;
}
