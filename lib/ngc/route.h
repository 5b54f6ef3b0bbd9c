/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_ROUTE_H
#define NGC_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/bytes.h"
#include "ngc/conf.h"
#include "ngc/error.h"
#include "ngc/url.h"
#include "ngc/zone.h"

/*
 * From a URL to the keys nginx stores it under, and back from a key to what it says of
 * the request.  A router knows the key templates of a set of zones: those of the
 * configuration's uses, the one given with the zone on the command line, or else the
 * templates that most sites use.
 */
struct ngc_router;
struct ngc_server;

/*
 * conf: may be NULL; it and the zones must outlive the router.
 * out: on NGC_OK owned by the caller (ngc_router_free()), otherwise NULL.
 * NGC_INVALID: a key template that nginx would refuse.
 */
enum ngc_code ngc_router_new(const struct ngc_conf *conf,
    const struct ngc_zone *const *zones, size_t n_zones, struct ngc_router **out,
    struct ngc_error *err);
void ngc_router_free(struct ngc_router *r); /* NULL is fine */

/* One key in one zone. */
struct ngc_target {
	const struct ngc_zone *zone;
	struct ngc_bytes key;
};

/*
 * A key template that a URL does not determine, and the first variable that is to blame.
 * Entries with such keys are found by ngc_cover_match() during a walk.
 */
struct ngc_open_template {
	const struct ngc_zone *zone;
	const char *template; /* as written; "" is nginx's default key */
	const char *variable;
	bool ambiguous;       /* what the variable holds could be more of a longer URL */
};

/*
 * What a URL stands for, beside or instead of what its author means by "this page".
 * All false: every request for that page and no other.
 */
struct ngc_scope {
	bool strict; /* the one request that explain follows, and nothing it leaves open
		      */
	bool any_query; /* whatever its query is, or without one */
	bool any_slash; /* also with the '/' at the end of its path added, or dropped */
	bool any_host;  /* on every name of the servers that answer for its host */
	bool recursive; /* also the pages below it: left to who walks over the keys */
};

/* What a URL covers: every key nginx may store it under. */
struct ngc_cover {
	struct ngc_target *targets; /* no two alike */
	size_t n_targets;
	struct ngc_open_template *open; /* what could not be computed */
	size_t n_open;
	/* The configuration has more ways for the URL than could be gone, or keys of more
	 * parts than can be looked for. */
	bool incomplete;
	bool more_hosts; /* any_host: the servers answer for names that have no end */
};

/*
 * The keys of a URL, with a host: both schemes, GET and HEAD and the other methods its
 * locations store, and the spellings of its percent-encoding; in every zone that a
 * location of a server answering for that host may store into.
 * Of a bare path: the same for every server of the configuration, but without keys that
 * tell the path by themselves: those are left to who walks over the keys.
 * scope: NULL is as if nothing of it were set.
 * out: on NGC_OK owned by the caller (ngc_cover_free()), otherwise NULL. NGC_INVALID: a
 * regex of the configuration that was tried does not compile ("file:line: "PATTERN":
 * reason").
 */
enum ngc_code ngc_route_cover(const struct ngc_router *r, const struct ngc_url *url,
    const struct ngc_scope *scope, struct ngc_cover **out, struct ngc_error *err);
void ngc_cover_free(struct ngc_cover *c); /* NULL is fine */

/*
 * Does the URL cover that key of the zone: is it a target, or one that an open template
 * gives?  Allocates nothing and may be called by several threads.
 * ambiguous: set when it is not covered, but would be if a part without a grammar that
 * stands right behind the URL were not empty; else cleared.
 */
bool ngc_cover_match(const struct ngc_cover *c, const struct ngc_zone *zone,
    struct ngc_bytes key, bool *ambiguous);

/*
 * What a key says of the request it was stored for; absent parts are not in the key, or
 * cannot be told for certain.
 */
struct ngc_reading {
	struct ngc_bytes scheme, method, host;
	struct ngc_bytes port; /* that the client used, or the server's */
	struct ngc_bytes uri;  /* path and query, as it stands in the key */
	size_t decoded; /* so many bytes at its start are a path without percent-encoding
			 */
	struct ngc_bytes args; /* the query, where the key has it apart from the path */
	bool argument; /* the key tells an argument of a query that is not in it whole */
	/* Where nginx put another path for a location's: that, and what follows it. */
	struct ngc_bytes base, rest;
	bool uri_elsewhere; /* no location that writes such keys has that URI */
	bool host_certain; /* every reading of the key gives this host, or none gives any
			    */
	bool host_proven; /* host is certain, not guessed, and no name among others */
	const struct ngc_server *writer; /* the only one that can have stored such a key;
					  * NULL: there are several, or it is not known */
	bool tls; /* some server that can have stored it listens with TLS */
	bool guess; /* nobody told the template: it is one that most sites use */
};

/*
 * Read a key back by the templates of its zone.  Allocates nothing and may be called by
 * several threads.  out borrows from key and router.
 * False: no template of the zone produces such a key; out is all absent then.
 */
bool ngc_route_read(const struct ngc_router *r, const struct ngc_zone *zone,
    struct ngc_bytes key, struct ngc_reading *out);

/*
 * The same of a key that any of several zones, which lie in one directory, can have. What
 * is guessed counts only where no zone whose templates are known has such a key.
 */
bool ngc_route_read_any(const struct ngc_router *r, const struct ngc_zone *const *zones,
    size_t n, struct ngc_bytes key, struct ngc_reading *out);

/*
 * Does the key, by that reading of it, prove its host?  No template of the zones, even of
 * servers that are not thought to store there, can then give a key that begins like it,
 * with something in front of the host that a client chooses.  Allocates nothing and may
 * be called by several threads.
 */
bool ngc_route_proves_host(const struct ngc_router *r,
    const struct ngc_zone *const *zones, size_t n, struct ngc_bytes key,
    const struct ngc_reading *reading);

/*
 * Does a server that answers for host by its name answer for other as well?  When none
 * has that name: does a server that answers for it as the default of its address?  Both
 * in lower case and without port.  May be called by several threads.
 */
bool ngc_route_same_server(const struct ngc_router *r, struct ngc_bytes host,
    struct ngc_bytes other);

/*
 * The i-th server that may store in the zone, in file order; NULL beyond the last.  One
 * whose zone is a variable may store in any.
 */
const struct ngc_server *ngc_route_storing(const struct ngc_router *r,
    const struct ngc_zone *zone, size_t i);

/* Is a server_name that of one host, letter by letter? */
bool ngc_route_is_host(struct ngc_bytes name);

/* The names of the server that stored an entry whose key tells no host. */
struct ngc_writer {
	const struct ngc_bytes
	    *names; /* n 0: it is not known, or the host is in the key */
	size_t n;
	struct ngc_bytes host; /* the first of them that is a host's; absent: none is */
};

void ngc_route_writer(const struct ngc_reading *reading, struct ngc_writer *out);

#endif
