/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_SOCKETS_H
#define ROUTE_SOCKETS_H

#include "ngc/level.h"
#include "ngc/mem.h"
#include "regex.h"

/*
 * The addresses nginx listens on, and which server of each answers for a host: nginx's
 * ngx_http_conf_addr_t and its three hashes of names.
 */

/* A listen directive of a server. */
struct binding {
	const struct ngc_listen *listen;
	const struct ngc_server *server;
};

/* An address and port with the servers on it. */
struct socket {
	struct ngc_bytes address;
	unsigned port;
	bool tls;
	const struct binding *bindings; /* in file order */
	size_t n;
	const struct ngc_server *fallback; /* the default server */
};

struct name;

struct sockets {
	struct socket *list; /* by port and address */
	size_t n;
	struct name **chains;    /* the exact names, hashed */
	size_t n_chains;         /* a power of two */
	struct name *wild;       /* wildcard and regex names, linked in file order */
	struct regexes *regexes; /* borrowed */
	struct ngc_bytes hostname; /* of this machine; absent: nginx runs on another */
};

/* False: no memory. */
bool sockets_init(struct sockets *s, struct ngc_arena *a, const struct ngc_conf *conf,
    struct regexes *regexes);

/* Is a server_name that of one host, letter by letter?  Does it stand for many? */
bool sockets_name_is_host(struct ngc_bytes name);
bool sockets_name_is_wide(struct ngc_bytes name);

/* A name of a server, or what it stands for. */
struct ngc_bytes sockets_name(const struct sockets *s, struct ngc_bytes name);

/* How a server was found. */
enum found { FOUND_NAME, FOUND_DEFAULT };

/*
 * The server of a socket for a host (lower case, no port).  captures: when a regex name
 * was it, what it caught; else none (n is 0).
 */
const struct ngc_server *sockets_server(const struct sockets *s, const struct socket *at,
    struct ngc_bytes host, enum found *how, struct captures *captures);

/*
 * Is the host (of any case, perhaps with a port) a name of some server, as it stands or
 * by a wildcard?  Allocates nothing and may be called by several threads.
 */
bool sockets_knows(const struct sockets *s, struct ngc_bytes host);

#endif
