/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_MAPS_H
#define ROUTE_MAPS_H

#include "run.h"

/* A variable that a map, geo or split_clients block defines. */
struct definition {
	struct ngc_bytes name; /* lower case */
	const struct ngc_directive *d;
	void (*eval)(struct run *r, const struct definition *def, struct value *out);
};

/* Has it a line of that word alone?  With a second word it is a line like any other. */
bool definition_says(const struct definition *def, const char *word);

/* More different results than this are not gone through one by one. */
#define RESULTS_MAX 64

/*
 * The value of a definition when its source is not known: one of the second words of its
 * lines, or fallback.  may: can that line be the one?
 */
void maps_any_result(struct run *r, const struct definition *def,
    const struct unknown *on,
    bool (*may)(const struct ngc_directive *line, struct value source),
    struct value source, struct value *out);

/* The last word of a definition's block before it opens: "$x". */
struct ngc_bytes maps_source(const struct definition *def, const char *otherwise);

void map_eval(struct run *r, const struct definition *def, struct value *out);
void geo_eval(struct run *r, const struct definition *def, struct value *out);
void split_eval(struct run *r, const struct definition *def, struct value *out);

/* Collect the definitions of a configuration; false: no memory. */
bool definitions_init(struct ngc_router *r);

#endif
