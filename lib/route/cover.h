/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_COVER_H
#define ROUTE_COVER_H

#include "ngc/route.h"
#include "router.h"

/* A cover being put together; everything in it lives in its arena. */
struct cover {
	struct ngc_cover pub; /* first: what the caller gets */
	struct ngc_arena *arena;
	size_t cap_targets, cap_open;
	struct ngc_buf key;   /* scratch */
};

/* Add one key unless it is there; false: no memory. */
bool cover_add(struct cover *c, const struct ngc_zone *z, struct ngc_bytes key);

/* Add one template that could not be expanded, once; false: no memory. */
bool cover_add_open(struct cover *c, const struct ngc_zone *z, struct ngc_bytes template,
    struct ngc_bytes variable);

/* What a request line and the socket it came in by determine. */
struct facts {
	struct ngc_bytes scheme, method, host, http_host, target, uri, args, server_name;
	struct ngc_bytes proxy_host, proxy_port; /* absent: not known */
	unsigned port;
};

/*
 * Append the value of a variable to out; false: these facts do not determine it.
 */
bool facts_value(const struct facts *f, const struct part *p, struct ngc_buf *out);

/* The keys of a URL in one zone without configuration, and in the configured ones. */
bool cover_directory(struct cover *c, const struct zone_keys *z, const struct ngc_url *url);
bool cover_configured(struct cover *c, const struct ngc_router *r, const struct ngc_url *url);

#endif
