/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_VALUE_H
#define ROUTE_VALUE_H

#include "ngc/mem.h"
#include "reading.h"

/* Something a request holds, or a server finds out, that we do not know. */
struct unknown {
	struct ngc_bytes name; /* of the variable */
	enum grammar grammar;  /* what it can hold */
	bool hard;             /* not even the whole request would settle it */
	const struct ngc_directive *block; /* of GRAMMAR_RESULTS: the lines */
};

/* A stretch of text, or of something unknown. */
struct segment {
	struct ngc_bytes text;
	const struct unknown *open; /* NULL: it is text */
	bool url; /* it ends where the URL ends: more of one could follow */
};

/*
 * What text with variables gives for one request: text in which some stretches may not be
 * known.  Everything lives in the arena of the run.
 */
struct value {
	const struct segment *seg;
	size_t n;
};

/* Being put together. */
struct value_builder {
	struct ngc_arena *arena;
	struct segment *seg;
	size_t n, cap;
	bool failed;
};

void value_add(struct value_builder *b, struct value v);
void value_add_text(struct value_builder *b, struct ngc_bytes s, bool url);
void value_add_unknown(struct value_builder *b, const struct unknown *u);
struct value value_end(const struct value_builder *b);

/* A value that is one text; absent text is empty. */
struct value value_text(struct ngc_arena *a, struct ngc_bytes s, bool url);

/* The first unknown of a value; NULL: it is known. */
const struct unknown *value_unknown(struct value v);

/* Its text, what is unknown left out; it may lie in the arena.  Absent: no memory. */
struct ngc_bytes value_bytes(struct ngc_arena *a, struct value v);

#endif
