/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_LEVEL_H
#define NGC_LEVEL_H

#include <stdbool.h>

#include "ngc/bytes.h"
#include "ngc/directive.h"
#include "ngc/error.h"
#include "ngc/zone.h"

/*
 * The blocks of the http context whose settings inherit from each other: http, its
 * servers, their locations, and the if and limit_except blocks in those.
 */
enum ngc_level_kind {
	NGC_LEVEL_HTTP,
	NGC_LEVEL_SERVER,
	NGC_LEVEL_EXACT,        /* location = */
	NGC_LEVEL_PREFIX,       /* location */
	NGC_LEVEL_PREFIX_FINAL, /* location ^~ */
	NGC_LEVEL_REGEX,        /* location ~ */
	NGC_LEVEL_REGEX_NOCASE, /* location ~* */
	NGC_LEVEL_NAMED,        /* location @ */
	NGC_LEVEL_IF,
	NGC_LEVEL_LIMIT_EXCEPT,
};

/* The cache directives in force, per module; NULL: none.  Each inherits by itself. */
struct ngc_caching {
	const struct ngc_directive *cache[NGC_PROTOCOLS];
	const struct ngc_directive *key[NGC_PROTOCOLS];
	const struct ngc_directive *methods[NGC_PROTOCOLS];
};

struct ngc_level {
	enum ngc_level_kind kind;
	const struct ngc_directive *d;
	const struct ngc_level *parent;
	struct ngc_level *first, *last, *next; /* the levels inside, in file order */
	struct ngc_bytes pattern;              /* of a location */
	const struct ngc_caching *caching;     /* its own or the parent's */
	const struct ngc_directive *pass; /* its own X_pass of a cached module, or NULL */
	enum ngc_protocol protocol;            /* of pass */
	const struct ngc_directive *const
	    *settings; /* of http: what is neither block nor zone */
	size_t n_settings;
};

/* The first directive of that name in a level itself; NULL: none. */
const struct ngc_directive *ngc_level_find(const struct ngc_level *l, const char *name);

static inline bool ngc_level_is_location(const struct ngc_level *l)
{
	return l->kind >= NGC_LEVEL_EXACT && l->kind <= NGC_LEVEL_NAMED;
}

/* Has it an X_pass of its own whose responses may be stored in a zone? */
bool ngc_level_stores(const struct ngc_level *l);

/* How a location's modifier is written, with a space behind it; "" when it has none. */
const char *ngc_level_modifier(const struct ngc_level *l);

/* An address a server listens on. */
struct ngc_listen {
	const char *text;          /* as written, with its options */
	struct ngc_bytes address;  /* "*", "127.0.0.1", "[::1]", "unix:/path" */
	unsigned port;             /* 0 for a unix socket */
	bool is_default, tls;
};

struct ngc_server {
	const struct ngc_level *level;
	const struct ngc_bytes *names;   /* as written; at least one, which may be "" */
	size_t n_names;
	const struct ngc_listen *listen; /* at least one */
	size_t n_listen;
	size_t index;                    /* its place in file order */
};

struct ngc_conf;

/* The http level; NULL: the configuration has no http block. */
const struct ngc_level *ngc_conf_http(const struct ngc_conf *c);

/* The i-th server in file order; NULL beyond the last. */
const struct ngc_server *ngc_conf_server(const struct ngc_conf *c, size_t i);

/* Of a level that stores: may that zone be the one? */
bool ngc_level_may_select(const struct ngc_conf *c, const struct ngc_level *l,
    const struct ngc_zone *z);

/*
 * Of a level that stores: could its zone, its key or the way to it depend on the host of
 * the request otherwise than by holding it?  Through a map or an if, a capture, or a
 * variable that is not known.  When in doubt, it could.
 */
bool ngc_level_hides_host(const struct ngc_conf *c, const struct ngc_level *l);

/* The main context. */
const struct ngc_directive *ngc_conf_tree(const struct ngc_conf *c);

/* The zone of that name; NULL: none. */
const struct ngc_zone *ngc_conf_zone_named(const struct ngc_conf *c,
    struct ngc_bytes name);

/* Did it come from nginx -T?  Then no file of it is known to exist here. */
bool ngc_conf_is_dump(const struct ngc_conf *c);
const char *ngc_conf_root(const struct ngc_conf *c); /* "": none */
const char *ngc_conf_prefix(const struct ngc_conf *c); /* NULL: not known so far */

/* The prefix, asked for now unless it is known; NULL: nobody could tell.  One thread. */
const char *ngc_conf_need_prefix(const struct ngc_conf *c);

#endif
