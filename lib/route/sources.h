/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_SOURCES_H
#define ROUTE_SOURCES_H

#include "router.h"

/* What gives a variable its values; any of them may together. */
enum {
	SOURCE_SET = 1,   /* set directives */
	SOURCE_BLOCK = 2, /* one map, geo or split_clients */
	SOURCE_OTHER = 4, /* what may give it any value, or a second such block */
};

/* A variable that the configuration names as one to be given a value. */
struct source {
	struct ngc_bytes name; /* as written, without the '$' */
	unsigned by;           /* SOURCE_* */
};

/* Find them all, unless that was done before; false: no memory. */
bool sources_collect(struct ngc_router *r);

/* What gives the variable of that name its values; 0: nothing in the configuration. */
unsigned sources_of(const struct ngc_router *r, struct ngc_bytes name);

#endif
