/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <stdio.h>

#include "doctor.h"
#include "ngc/variable.h"

/* What the configuration says of the keys, and of files that are kept open. */

#define DEPTH_MAX 8 /* of variables that are made of variables */

static const struct ailment no_key = { NGC_FAULT, "no_key",
	"the key is empty: every page has the same one, and whichever was stored last is "
	"the answer to all requests",
	"set the key, such as \"$scheme$request_method$host$request_uri\"" };

static const struct ailment mixed_sites = { NGC_FAULT, "key_without_host",
	"the sites have the same keys: a page of one is served as that of another",
	"put $host into the key, or give each site a zone of its own" };

static const struct ailment no_host = { NGC_WARNING, "key_without_host",
	"a purge cannot tell the sites apart, and a further site with such a key gets "
	"this one's pages",
	"put $host into the key, or give each site a zone of its own" };

static const struct ailment open_files = { NGC_NOTE, "open_file_cache",
	"an entry whose file was merely deleted is served until open_file_cache_valid "
	"has passed; ngxcache purge is not held up by it, rm is",
	"remove entries with ngxcache purge alone" };

static void plural(struct doctor *d, const struct ailment *a, const struct patient *p,
    const struct nest *first, size_t n, const char *what)
{
	const char *text = doctor_nest_text(d, first);

	if (n == 1)
		doctor_find(d, a, p, NULL, "%s: %s", text, what);
	else
		doctor_find(d, a, p, NULL, "%s and %zu more: %s", text, n - 1, what);
}

void doctor_check_key(struct doctor *d, const struct patient *p)
{
	const struct nest *first = NULL;
	size_t n = 0;
	char what[64];

	for (size_t i = 0; i < p->n_nests; i++) {
		const struct ngc_level *l = p->nests[i].level;

		if (l->protocol == NGC_PROXY || l->caching->key[l->protocol] != NULL)
			continue;
		if (n++ == 0)
			first = &p->nests[i];
	}
	if (n == 0)
		return;
	snprintf(what, sizeof(what), "no %s_cache_key", ngc_protocol_name(p->zone->type));
	plural(d, &no_key, p, first, n, what);
}

void doctor_check_open_files(struct doctor *d, const struct patient *p)
{
	const struct nest *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n_nests; i++) {
		const struct ngc_directive *set = doctor_in_force(p->nests[i].level,
		    "open_file_cache");

		if (set == NULL || set->n_words < 2 ||
		    ngc_bytes_equal(set->words[1], ngc_bytes_of("off")))
			continue;
		if (n++ == 0)
			first = &p->nests[i];
	}
	if (n > 0)
		plural(d, &open_files, p, first, n, "open_file_cache is in force");
}

/* --- does a key tell the site? --- */

struct teller {
	const struct doctor *d;
	const struct nest *nest;
	unsigned depth;
};

static bool tells_site(struct teller *t, struct ngc_bytes text);

static bool begins_with(struct ngc_bytes name, const char *start)
{
	size_t n = strlen(start);

	return name.n >= n &&
	       ngc_bytes_same(ngc_bytes(name.p, n), ngc_bytes(start, n));
}

/* Those that are the same whatever host was asked for. */
static bool is_hostless(struct ngc_bytes name)
{
	static const char *const whole[] = { "scheme", "https", "request_method",
		"request_uri", "uri", "document_uri", "args", "query_string", "is_args",
		"server_protocol", "request_body", "slice_range", "remote_addr",
		"remote_user", "content_type", "content_length", "fastcgi_script_name",
		"fastcgi_path_info" };
	static const char *const starts[] = { "arg_", "cookie_", "http_accept" };

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (ngc_bytes_same(name, ngc_bytes_of(whole[i])))
			return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (begins_with(name, starts[i]))
			return true;
	return ngc_bytes_same(name, ngc_bytes_of("http_user_agent"));
}

static bool is_variable(struct ngc_bytes word, struct ngc_bytes name)
{
	return word.n == name.n + 1 && word.p[0] == '$' &&
	       ngc_bytes_same(ngc_bytes_from(word, 1), name);
}

/* The map or its like that gives a variable its value; NULL: none. */
static const struct ngc_directive *definition(const struct doctor *d,
    struct ngc_bytes name)
{
	const struct ngc_directive *c = ngc_conf_http(d->conf)->d->first;

	for (; c != NULL; c = c->next)
		if (c->block && c->n_words > 1 &&
		    (ngc_directive_is(c, "map") || ngc_directive_is(c, "geo") ||
			ngc_directive_is(c, "split_clients")) &&
		    is_variable(c->words[c->n_words - 1], name))
			return c;
	return NULL;
}

static bool definition_tells(struct teller *t, const struct ngc_directive *map)
{
	if (map->n_words == 3 && tells_site(t, map->words[1]))
		return true;
	for (const struct ngc_directive *l = map->first; l != NULL; l = l->next)
		if (ngc_directive_is(map, "map") && l->n_words == 2 &&
		    tells_site(t, l->words[1]))
			return true;
	return false;
}

/* What is not known to be without the host, a set variable or a capture, may tell it. */
static bool variable_tells(struct teller *t, struct ngc_bytes name)
{
	const struct ngc_level *l = t->nest->level;
	const struct ngc_directive *map;
	bool tells = true;

	if (is_hostless(name))
		return false;
	if (t->depth == DEPTH_MAX)
		return true;
	t->depth++;
	map = definition(t->d, name);
	if (map != NULL)
		tells = definition_tells(t, map);
	else if (ngc_bytes_same(name, ngc_bytes_of("proxy_host")) && l->pass != NULL)
		tells = tells_site(t, l->pass->words[1]);
	t->depth--;
	return tells;
}

static bool tells_site(struct teller *t, struct ngc_bytes text)
{
	struct ngc_bytes name;

	while (ngc_variable_next(&text, &name))
		if (variable_tells(t, name))
			return true;
	return false;
}

/* The text that nginx makes the key of; proxy's default begins with what proxy_pass says.
 */
static struct ngc_bytes key_text(const struct ngc_level *l)
{
	const struct ngc_directive *key = l->caching->key[l->protocol];

	if (key != NULL)
		return key->words[1];
	return l->protocol == NGC_PROXY ? l->pass->words[1] : ngc_bytes("", 0);
}

/* Is what proxy_pass says a part of the key? */
static bool has_upstream(struct ngc_bytes key)
{
	return memmem(key.p, key.n, "$proxy_", 7) != NULL ||
	       memmem(key.p, key.n, "${proxy_", 8) != NULL;
}

static bool is_one_of(struct ngc_bytes name, const char *const *names)
{
	while (*names != NULL && !ngc_bytes_same(name, ngc_bytes_of(*names)))
		names++;
	return *names != NULL;
}

/* A variable as it is for a plain request, one without arguments and cookies. */
static void add_plain(struct ngc_buf *b, struct ngc_bytes name)
{
	static const char *const uris[] = { "uri", "document_uri", "request_uri", NULL };
	static const char *const empty[] = { "args", "query_string", "is_args", NULL };

	if (is_one_of(name, empty) || begins_with(name, "arg_") ||
	    begins_with(name, "cookie_"))
		return;
	ngc_buf_add_char(b, '$');
	if (is_one_of(name, uris))
		ngc_buf_add_str(b, uris[0]);
	for (size_t i = 0; !is_one_of(name, uris) && i < name.n; i++)
		ngc_buf_add_char(b, (char)tolower(name.p[i]));
	ngc_buf_add_char(b, '$');
}

/* The same for all keys that can be the same for a plain request. */
static void add_plain_key(struct ngc_buf *b, struct ngc_bytes key)
{
	struct ngc_bytes left = key, name;

	while (ngc_variable_next(&left, &name)) {
		bool braces = name.p[-1] == '{';

		ngc_buf_add(b, key.p, (size_t)(name.p - key.p) - 1 - braces);
		add_plain(b, name);
		if (braces && left.n > 0 && left.p[0] == '}')
			left = ngc_bytes_from(left, 1);
		key = left;
	}
	ngc_buf_add_bytes(b, key);
}

/* May a page of one have the key of a page of the other? */
static bool same_key(struct doctor *d, const struct nest *a, const struct nest *b)
{
	struct ngc_bytes key = key_text(a->level);
	struct ngc_buf x = { 0 }, y = { 0 };
	bool same;

	add_plain_key(&x, key);
	add_plain_key(&y, key_text(b->level));
	d->failed |= x.failed || y.failed;
	same = ngc_bytes_equal(ngc_buf_bytes(&x), ngc_buf_bytes(&y)) &&
	       (!has_upstream(key) ||
		   ngc_bytes_equal(a->level->pass->words[1], b->level->pass->words[1]));
	ngc_buf_free(&x);
	ngc_buf_free(&y);
	return same;
}

/* Is there something beside the request in it, which could name the site? */
static bool has_literal(struct ngc_bytes text)
{
	if (has_upstream(text))
		return true;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '$') {
			i += i + 1 < text.n && text.p[i + 1] == '{';
			while (i + 1 < text.n && ngc_variable_char(text.p[i + 1]))
				i++;
		} else if (ngc_variable_char(text.p[i])) {
			return true;
		}
	}
	return false;
}

/* Two servers are one site when they have a name in common, or neither has one. */
static bool same_site(const struct ngc_server *a, const struct ngc_server *b)
{
	for (size_t i = 0; i < a->n_names; i++)
		for (size_t k = 0; k < b->n_names; k++)
			if (ngc_bytes_same(a->names[i], b->names[k]))
				return true;
	return false;
}

static bool lacks_host(const struct doctor *d, const struct nest *n)
{
	struct teller t = { .d = d, .nest = n };

	return !tells_site(&t, key_text(n->level));
}

/* 2: another site has the same keys; 1: there is another site; 0: neither. */
static int rivals(struct doctor *d, const struct patient *p, const struct nest *n)
{
	int worst = 0;

	for (size_t i = 0; i < p->n_nests && worst < 2; i++)
		if (!same_site(n->server, p->nests[i].server))
			worst = same_key(d, n, &p->nests[i]) ? 2 : 1;
	return worst;
}

void doctor_check_hosts(struct doctor *d, const struct patient *p)
{
	const struct nest *first[3] = { NULL };
	size_t count[3] = { 0 };

	for (size_t i = 0; i < p->n_nests; i++) {
		const struct nest *n = &p->nests[i];
		const struct ngc_level *l = n->level;
		int rank;

		if (l->protocol != NGC_PROXY && l->caching->key[l->protocol] == NULL)
			continue; /* without a key at all: told already */
		if (!lacks_host(d, n))
			continue;
		rank = rivals(d, p, n);
		if (rank == 1 && has_literal(key_text(l)))
			continue;
		if (count[rank]++ == 0)
			first[rank] = n;
	}
	if (count[2] > 0)
		plural(d, &mixed_sites, p, first[2], count[2],
		    "the key does not tell the host, and another site in this zone has "
		    "the same key");
	if (count[1] > 0)
		plural(d, &no_host, p, first[1], count[1],
		    "the key does not tell the host, and other sites share the zone");
}
