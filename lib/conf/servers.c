/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"
#include "ngc/units.h"
#include "rules.h"

/* What a server block answers to: server_name and listen. */

#define DEFAULT_PORT 80

/* The options of a listen directive that matter: default_server and ssl. */
static void read_options(struct ngc_listen *l, const struct ngc_directive *d)
{
	for (unsigned i = 2; i < d->n_words; i++) {
		struct ngc_bytes w = d->words[i];

		if (ngc_bytes_equal(w, ngc_bytes_of("default_server")) ||
		    ngc_bytes_equal(w, ngc_bytes_of("default")))
			l->is_default = true;
		else if (ngc_bytes_equal(w, ngc_bytes_of("ssl")) ||
			 ngc_bytes_equal(w, ngc_bytes_of("quic")))
			l->tls = true;
	}
}

static bool is_ports(struct ngc_bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < '0' || s.p[i] > '9') && s.p[i] != '-')
			return false;
	return true;
}

static bool read_port(struct ngc_bytes s, unsigned *out)
{
	int64_t v;

	if (!ngc_parse_number(s, &v) || v < 1 || v > 65535)
		return false;
	*out = (unsigned)v;
	return true;
}

/* "80", or "9001-9003" since nginx 1.15.10: the first, and how many. */
static bool read_ports(struct ngc_bytes s, unsigned *first, unsigned *n)
{
	const unsigned char *dash = memchr(s.p, '-', s.n);
	unsigned last;

	*n = 1;
	if (dash == NULL)
		return read_port(s, first);
	if (!read_port(ngc_bytes(s.p, (size_t)(dash - s.p)), first) ||
	    !read_port(ngc_bytes_from(s, (size_t)(dash - s.p) + 1), &last) ||
	    last < *first)
		return false;
	*n = last - *first + 1;
	return true;
}

/*
 * "80", "*:80", "127.0.0.1", "[::]:80", "unix:/path", "name:80-82": ngx_parse_url().
 * n: how many ports, from l->port on.
 */
static bool read_address(struct ngc_listen *l, struct ngc_bytes s, unsigned *n)
{
	const unsigned char *colon = s.n > 0 ? memrchr(s.p, ':', s.n) : NULL;

	*n = 1;
	l->port = DEFAULT_PORT;
	l->address = ngc_bytes_of("*");
	if (ngc_bytes_starts(s, ngc_bytes_of("unix:"))) {
		l->address = s;
		l->port = 0;
		return s.n > 5;
	}
	if (s.n == 0 || is_ports(s))
		return s.n > 0 && read_ports(s, &l->port, n);
	if (s.p[0] == '[') {
		const unsigned char *close = memchr(s.p, ']', s.n);

		if (close == NULL || (close + 1 < s.p + s.n && close[1] != ':'))
			return false;
		if (colon < close)
			colon = NULL;
	}
	if (colon == NULL) {
		l->address = s;
		return true;
	}
	l->address = ngc_bytes(s.p, (size_t)(colon - s.p));
	return l->address.n > 0 &&
	       read_ports(ngc_bytes_from(s, l->address.n + 1), &l->port, n);
}

/* The arguments with one space between them. */
static char *join_words(struct ngc_arena *a, const struct ngc_directive *d)
{
	struct ngc_buf b = { 0 };
	char *text = NULL;

	for (unsigned i = 1; i < d->n_words; i++) {
		if (i > 1)
			ngc_buf_add_char(&b, ' ');
		ngc_buf_add_bytes(&b, d->words[i]);
	}
	if (!b.failed)
		text = ngc_arena_copy(a, b.p, b.n);
	ngc_buf_free(&b);
	return text;
}

/* How many ports a listen directive names; a wrong one is refused when it is read. */
static unsigned count_ports(const struct ngc_directive *d)
{
	struct ngc_listen unused;
	unsigned n = 1;

	return d->n_words > 1 && read_address(&unused, d->words[1], &n) ? n : 1;
}

/* Read a listen directive into as many of l as it names ports; *n is that many. */
static enum ngc_code read_listen(struct ngc_conf *c, struct ngc_listen *l, unsigned *n,
    const struct ngc_directive *d, struct ngc_error *err)
{
	l->text = join_words(c->arena, d);
	if (l->text == NULL)
		return ngc_no_memory(err);
	if (!read_address(l, d->words[1], n))
		return conf_refuse(d, err, "invalid address or port in \"listen %s\"",
		    ngc_directive_arg(d, 1));
	read_options(l, d);
	if (ngc_bytes_equal(l->address, ngc_bytes_of("0.0.0.0")))
		l->address = ngc_bytes_of("*");
	for (unsigned i = 1; i < *n; i++) {
		l[i] = l[0];
		l[i].port += i;
	}
	return NGC_OK;
}

/* QUIC listens on a port of UDP, beside the same of TCP. */
static bool is_quic(const struct ngc_directive *d)
{
	for (unsigned i = 2; i < d->n_words; i++)
		if (ngc_bytes_equal(d->words[i], ngc_bytes_of("quic")) ||
		    ngc_bytes_equal(d->words[i], ngc_bytes_of("http3")))
			return true;
	return false;
}

#define LISTENS_MAX 100 /* more of a server are not compared with each other */

/* Did an earlier directive of the server listen on what d says? */
static bool listens_already(const struct ngc_level *server, const struct ngc_directive *d)
{
	unsigned n = 0;

	for (const struct ngc_directive *e = server->d->first;
	     e != d && n < LISTENS_MAX; e = e->next) {
		if (rule_of(e)->role != ROLE_LISTEN)
			continue;
		n++;
		if (ngc_bytes_equal(e->words[1], d->words[1]) && is_quic(e) == is_quic(d))
			return true;
	}
	return false;
}

static bool is_on(const struct ngc_directive *d)
{
	return d->n_words == 2 && ngc_bytes_equal(d->words[1], ngc_bytes_of("on"));
}

/* tls: of all addresses of the server. */
static enum ngc_code read_addresses(struct ngc_conf *c, struct ngc_server *s, size_t n,
    bool tls, struct ngc_error *err)
{
	struct ngc_listen *l = ngc_arena_alloc(c->arena, n > 0 ? n : 1, sizeof(*l));

	if (l == NULL)
		return ngc_no_memory(err);
	s->listen = l;
	for (const struct ngc_directive *d = s->level->d->first; d != NULL; d = d->next) {
		unsigned ports;
		enum ngc_code code;

		if (rule_of(d)->role != ROLE_LISTEN)
			continue;
		if (listens_already(s->level, d))
			return conf_refuse(d, err, "a duplicate listen %s",
			    ngc_directive_arg(d, 1));
		code = read_listen(c, l, &ports, d, err);
		if (code != NGC_OK)
			return code;
		s->n_listen += ports;
		for (; ports > 0; ports--, l++)
			l->tls = l->tls || tls;
	}
	if (n == 0) {
		*l = (struct ngc_listen){ .text = "*:80",
			.address = ngc_bytes_of("*"),
			.port = DEFAULT_PORT,
			.tls = tls };
		s->n_listen = 1;
	}
	return NGC_OK;
}

static enum ngc_code read_names(struct ngc_conf *c, struct ngc_server *s, size_t n,
    struct ngc_error *err)
{
	struct ngc_bytes *names = ngc_arena_alloc(c->arena, n > 0 ? n : 1,
	    sizeof(*names));

	if (names == NULL)
		return ngc_no_memory(err);
	s->names = names;
	for (const struct ngc_directive *d = s->level->d->first; d != NULL; d = d->next)
		if (rule_of(d)->role == ROLE_NAMES)
			for (unsigned i = 1; i < d->n_words; i++)
				names[s->n_names++] = d->words[i];
	if (s->n_names == 0) {
		names[0] = ngc_bytes_of("");
		s->n_names = 1;
	}
	return NGC_OK;
}

enum ngc_code conf_read_server(struct ngc_conf *c, const struct ngc_level *l,
    struct ngc_error *err)
{
	struct ngc_server *s = ngc_arena_alloc(c->arena, 1, sizeof(*s));
	size_t n_names = 0, n_listen = 0;
	bool tls = false; /* "ssl on;" made every address a TLS one until nginx 1.25 */
	enum ngc_code code;

	if (s == NULL)
		return ngc_no_memory(err);
	for (const struct ngc_directive *d = l->d->first; d != NULL; d = d->next) {
		enum role role = rule_of(d)->role;

		if (role == ROLE_NAMES)
			n_names += d->n_words - 1;
		else if (role == ROLE_LISTEN)
			n_listen += count_ports(d);
		else if (role == ROLE_SSL)
			tls = tls || is_on(d);
	}
	s->level = l;
	s->index = c->servers.n;
	code = read_names(c, s, n_names, err);
	if (code == NGC_OK)
		code = read_addresses(c, s, n_listen, tls, err);
	if (code != NGC_OK)
		return code;
	return list_add(&c->servers, s) ? NGC_OK : ngc_no_memory(err);
}
