/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockets.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "ngc/url.h"

enum name_kind { NAME_EXACT, NAME_HEAD, NAME_TAIL, NAME_REGEX };

/* One name of a server. */
struct name {
	struct ngc_bytes text; /* lower case; a wildcard's without its star */
	const struct ngc_server *server;
	struct name *next; /* in its chain or list */
	enum name_kind kind;
};

static uint32_t hash(struct ngc_bytes s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ s.p[i]) * 16777619u;
	return h;
}

static int compare_bindings(const void *a, const void *b)
{
	const struct binding *x = a, *y = b;
	int r;

	if (x->listen->port != y->listen->port)
		return x->listen->port < y->listen->port ? -1 : 1;
	r = ngc_bytes_compare(x->listen->address, y->listen->address);
	if (r != 0)
		return r;
	return (x->server->index > y->server->index) -
	       (x->server->index < y->server->index);
}

static bool same_socket(const struct binding *a, const struct binding *b)
{
	return a->listen->port == b->listen->port &&
	       ngc_bytes_equal(a->listen->address, b->listen->address);
}

/* A socket of the bindings from b on that belong to it. */
static void fill_socket(struct socket *s, const struct binding *b,
    const struct binding *end)
{
	s->address = b->listen->address;
	s->port = b->listen->port;
	s->bindings = b;
	s->fallback = b->server;
	for (bool chosen = false; b < end && same_socket(b, s->bindings); b++) {
		s->n++;
		s->tls = s->tls || b->listen->tls;
		if (b->listen->is_default && !chosen) {
			s->fallback = b->server;
			chosen = true;
		}
	}
}

static bool build_list(struct sockets *s, struct ngc_arena *a,
    const struct ngc_conf *conf)
{
	const struct ngc_server *server;
	struct binding *all;
	size_t n = 0, done = 0;

	for (size_t i = 0; (server = ngc_conf_server(conf, i)) != NULL; i++)
		n += server->n_listen;
	all = ngc_arena_alloc(a, n, sizeof(*all));
	s->list = ngc_arena_alloc(a, n, sizeof(*s->list));
	if (all == NULL || s->list == NULL)
		return false;
	n = 0;
	for (size_t i = 0; (server = ngc_conf_server(conf, i)) != NULL; i++)
		for (size_t k = 0; k < server->n_listen; k++)
			all[n++] = (struct binding){ &server->listen[k], server };
	if (n > 0)
		qsort(all, n, sizeof(*all), compare_bindings);
	for (; done < n; done += s->list[s->n++].n)
		fill_socket(&s->list[s->n], all + done, all + n);
	return true;
}

/* What kind of name it is; what is compared is left in *s. */
static enum name_kind kind_of(struct ngc_bytes *s)
{
	if (s->n > 0 && s->p[0] == '~') {
		*s = ngc_bytes_from(*s, 1);
		return NAME_REGEX;
	}
	if (ngc_bytes_starts(*s, ngc_bytes_of("*."))) {
		*s = ngc_bytes_from(*s, 1);
		return NAME_HEAD;
	}
	if (s->n > 1 && s->p[0] == '.')
		return NAME_HEAD;
	if (s->n > 2 && s->p[s->n - 1] == '*' && s->p[s->n - 2] == '.') {
		s->n--;
		return NAME_TAIL;
	}
	return NAME_EXACT;
}

bool sockets_name_is_host(struct ngc_bytes name)
{
	return name.n > 0 && name.p[0] != '$' && kind_of(&name) == NAME_EXACT &&
	       !ngc_bytes_equal(name, ngc_bytes_of("_"));
}

bool sockets_name_is_wide(struct ngc_bytes name)
{
	return kind_of(&name) != NAME_EXACT;
}

/* Names are added last first, so that the first comes to stand in front. */
static bool add_name(struct sockets *s, struct ngc_arena *a,
    const struct ngc_server *server, struct ngc_bytes text, enum name_kind kind)
{
	struct name *n = ngc_arena_alloc(a, 1, sizeof(*n)), **list = &s->wild;

	if (n == NULL)
		return false;
	n->server = server;
	n->kind = kind;
	n->text = kind == NAME_REGEX ? text : ngc_arena_lower(a, text);
	if (n->text.p == NULL)
		return false;
	if (kind == NAME_EXACT)
		list = &s->chains[hash(n->text) & (s->n_chains - 1)];
	n->next = *list;
	*list = n;
	return true;
}

static bool add_server(struct sockets *s, struct ngc_arena *a,
    const struct ngc_server *server)
{
	for (size_t i = server->n_names; i-- > 0;) {
		struct ngc_bytes text = sockets_name(s, server->names[i]);
		bool dot = text.n > 1 && text.p[0] == '.'; /* ".x" is x, too */
		enum name_kind kind = kind_of(&text);

		if (!add_name(s, a, server, text, kind) ||
		    (dot && !add_name(s, a, server, ngc_bytes_from(text, 1), NAME_EXACT)))
			return false;
	}
	return true;
}

/* What $hostname stands for in a configuration that is of this machine. */
static bool find_hostname(struct sockets *s, struct ngc_arena *a,
    const struct ngc_conf *conf)
{
	char text[256];

	if (ngc_conf_is_dump(conf) || ngc_conf_root(conf)[0] != '\0' ||
	    gethostname(text, sizeof(text)) != 0)
		return true;
	text[sizeof(text) - 1] = '\0';
	s->hostname = ngc_arena_lower(a, ngc_bytes_of(text));
	return s->hostname.p != NULL;
}

struct ngc_bytes sockets_name(const struct sockets *s, struct ngc_bytes name)
{
	bool own = s->hostname.p != NULL &&
		   ngc_bytes_same(name, ngc_bytes_of("$hostname"));

	return own ? s->hostname : name;
}

bool sockets_init(struct sockets *s, struct ngc_arena *a, const struct ngc_conf *conf,
    struct regexes *regexes)
{
	const struct ngc_server *server;
	size_t n = 0;

	s->regexes = regexes;
	s->n_chains = 16;
	for (size_t i = 0; (server = ngc_conf_server(conf, i)) != NULL; i++) {
		for (n += server->n_names; s->n_chains < n; s->n_chains *= 2)
			;
	}
	s->chains = ngc_arena_alloc(a, s->n_chains, sizeof(struct name *));
	if (s->chains == NULL || !find_hostname(s, a, conf) || !build_list(s, a, conf))
		return false;
	for (n = 0; ngc_conf_server(conf, n) != NULL; n++)
		;
	while (n-- > 0)
		if (!add_server(s, a, ngc_conf_server(conf, n)))
			return false;
	return true;
}

/* Does that server listen on the socket? */
static bool on_socket(const struct socket *at, const struct ngc_server *server)
{
	size_t low = 0, high = at->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		size_t index = at->bindings[mid].server->index;

		if (index == server->index)
			return true;
		if (index < server->index)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

static const struct ngc_server *find_exact(const struct sockets *s,
    const struct socket *at, struct ngc_bytes host)
{
	const struct name *n = s->chains[hash(host) & (s->n_chains - 1)];

	for (; n != NULL; n = n->next)
		if (ngc_bytes_equal(n->text, host) && on_socket(at, n->server))
			return n->server;
	return NULL;
}

static bool wild_match(const struct name *n, struct ngc_bytes host)
{
	if (host.n <= n->text.n)
		return false;
	return n->kind == NAME_HEAD
		   ? memcmp(host.p + host.n - n->text.n, n->text.p, n->text.n) == 0
		   : memcmp(host.p, n->text.p, n->text.n) == 0;
}

static const struct ngc_server *find_wild(const struct sockets *s,
    const struct socket *at, struct ngc_bytes host, enum name_kind kind)
{
	const struct name *best = NULL;

	for (const struct name *n = s->wild; n != NULL; n = n->next)
		if (n->kind == kind && (best == NULL || n->text.n > best->text.n) &&
		    wild_match(n, host) && on_socket(at, n->server))
			best = n;
	return best != NULL ? best->server : NULL;
}

/* As nginx: a pattern with a capital letter is matched without regard to case. */
static bool has_capital(struct ngc_bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			return true;
	return false;
}

static const struct ngc_server *find_regex(const struct sockets *s,
    const struct socket *at, struct ngc_bytes host, struct captures *captures)
{
	for (const struct name *n = s->wild; n != NULL; n = n->next) {
		const struct regex *x;

		if (n->kind != NAME_REGEX || !on_socket(at, n->server))
			continue;
		x = regexes_get(s->regexes, n->text, has_capital(n->text));
		if (x != NULL && regex_match(x, host, captures))
			return n->server;
	}
	return NULL;
}

const struct ngc_server *sockets_server(const struct sockets *s, const struct socket *at,
    struct ngc_bytes host, enum found *how, struct captures *captures)
{
	const struct ngc_server *server = find_exact(s, at, host);

	captures->n = 0;
	*how = FOUND_NAME;
	if (server == NULL)
		server = find_wild(s, at, host, NAME_HEAD);
	if (server == NULL)
		server = find_wild(s, at, host, NAME_TAIL);
	if (server == NULL)
		server = find_regex(s, at, host, captures);
	if (server != NULL)
		return server;
	*how = FOUND_DEFAULT;
	return at->fallback;
}

bool sockets_knows(const struct sockets *s, struct ngc_bytes host)
{
	unsigned char lower[256];
	const struct name *n;

	host = ngc_host_without_port(host);
	if (host.n > sizeof(lower) || s->n_chains == 0)
		return false;
	for (size_t i = 0; i < host.n; i++)
		lower[i] = host.p[i] >= 'A' && host.p[i] <= 'Z' ? host.p[i] | 0x20
								: host.p[i];
	host.p = lower;
	for (n = s->chains[hash(host) & (s->n_chains - 1)]; n != NULL; n = n->next)
		if (ngc_bytes_equal(n->text, host))
			return true;
	for (n = s->wild; n != NULL; n = n->next)
		if (n->kind != NAME_REGEX && wild_match(n, host))
			return true;
	return false;
}
