/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_EXPLAIN_H
#define ROUTE_EXPLAIN_H

#include "follow.h"
#include "ngc/explain.h"

/* A growing list of strings that ends with NULL. */
struct names {
	const char **name;
	size_t n, cap;
};

/* An explanation being put together; its texts live in its arena. */
struct explaining {
	struct ngc_explanation pub; /* first: what the caller gets */
	struct ngc_arena *arena;
	struct names unknown, reasons;
	struct ngc_buf steps;
	bool started, failed;
};

/* A copy in the arena; NULL: no memory, x->failed is set. */
char *explain_copy(struct explaining *x, struct ngc_bytes s);

/* Add a string once; false: no memory. */
bool explain_add(struct explaining *x, struct names *l, struct ngc_bytes name);

/* Say why a request that came to a key may not be stored after all. */
void explain_reasons(struct explaining *x, struct run *r);

/* Fill in what a selector for the URL takes; false: no memory. */
bool explain_pattern(struct explaining *x, const struct ngc_router *r,
    const struct ngc_url *url);

#endif
