/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_COVER_H
#define ROUTE_COVER_H

#include "ngc/route.h"
#include "router.h"
#include "value.h"

/* The keys an open template can give for the URL. */
struct open_key {
	const struct ngc_zone *zone;
	const struct pattern *sure; /* what is ambiguous left empty */
	const struct pattern
	    *loose; /* what is ambiguous may be anything; NULL: nothing is */
};

/* A cover being put together; everything in it lives in its arena. */
struct cover {
	struct ngc_cover pub; /* first: what the caller gets */
	struct ngc_scope scope;
	struct ngc_arena *arena;
	struct open_key *keys;
	size_t n_keys, cap_keys, cap_targets, cap_open;
	bool overflow; /* given up: the configuration has too many ways to go each */
	bool coarse;   /* so not every result of its maps is a way of its own */
};

/*
 * Add the key a template gave, unless it is there: as a target, or as an open template
 * whose key with everything unknown left empty is a target, too.  A strict cover takes no
 * key that is open but for its query.  False: no memory.
 */
bool cover_add_value(struct cover *c, const struct ngc_zone *z, struct ngc_bytes template,
    struct value key);

/* What a request line determines by itself. */
struct facts {
	struct ngc_bytes scheme, method, host, http_host, target, uri, args, server_name;
	unsigned port;
	bool any_query; /* there is a query, not known, behind the '?' at target's end */
};

/* Append the value of a part of a template; false: these facts do not determine it. */
bool facts_value(const struct facts *f, const struct part *p, struct ngc_buf *out);

/* The keys of a URL in one zone without configuration, and in the configured ones. */
bool cover_directory(struct cover *c, const struct zone_keys *z,
    const struct ngc_url *url);
bool cover_configured(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url);
/* Those of a path on every server, but for keys that tell the path themselves. */
bool cover_path(struct cover *c, const struct ngc_router *r, const struct ngc_url *path);
/* Only the request that explain follows. */
bool cover_request(struct cover *c, const struct ngc_router *r,
    const struct ngc_url *url);

#endif
