/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_SPELLING_H
#define ROUTE_SPELLING_H

#include "ngc/mem.h"

#define SPELLINGS_MAX 4

/* The ways in which clients and sites percent-encode one target; no two alike. */
struct spellings {
	struct ngc_bytes target[SPELLINGS_MAX]; /* the first is the one typed */
	unsigned n;
};

/* False: no memory. */
bool spellings_of(struct ngc_arena *a, struct ngc_bytes target, struct spellings *out);

#endif
