/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_USAGE_H
#define NGC_USAGE_H

#include "ngc/cache.h"
#include "ngc/site.h"

struct ngc_usage_request {
	const struct ngc_site *site;
	struct ngc_pace pace;
	const volatile sig_atomic_t *stop;
	void (*problem)(void *arg,
	    const struct ngc_error *err); /* by one thread at a time */
	void *arg;
};

struct ngc_usage {
	bool exists; /* the root is there */
	bool known;  /* it could be read: totals holds */
	struct ngc_walk_totals totals;
};

/* Measure one zone by names and sizes alone.  NGC_INVALID: its root is no cache. */
enum ngc_code ngc_usage_measure(const struct ngc_usage_request *req,
    const struct ngc_zone *zone, struct ngc_usage *out, struct ngc_error *err);

#endif
