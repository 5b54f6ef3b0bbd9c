/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_ZONE_KEYS_H
#define ROUTE_ZONE_KEYS_H

#include "router.h"

/* The zone's entry for a pattern of a server, found or made; NULL: no memory. */
struct zone_pattern *zone_keys_add(struct ngc_router *r, struct zone_keys *z,
    const struct pattern *p, const struct ngc_server *writer);

/* The server may store in the zone; false: no memory. */
bool zone_keys_store(struct ngc_router *r, struct zone_keys *z,
    const struct ngc_server *s);

#endif
