/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_EXPAND_H
#define ROUTE_EXPAND_H

#include "router.h"

/*
 * Replace the variables of a template that the configuration itself gives values to, by
 * map, geo, split_clients or set, with each of the templates they may be, and hand every
 * such row of parts over.  A variable with too many values, or one that anything else may
 * write to, stays, and may hold anything.  NGC_FATAL, or what emit() returned.
 */
enum ngc_code expand_template(struct ngc_router *r, const struct ngc_server *server,
    const struct template *t,
    enum ngc_code (
	*emit)(void *arg, const struct part *parts, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err);

#endif
