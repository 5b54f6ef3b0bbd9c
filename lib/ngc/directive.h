/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_DIRECTIVE_H
#define NGC_DIRECTIVE_H

#include <stdbool.h>

#include "ngc/bytes.h"

/*
 * The configuration as a tree of directives, includes put in place.  Words are decoded,
 * end with a NUL and hold none; words[0] is the name.  The lines of map, geo, types and
 * split_clients bodies are directives too: their first word is a key.  The body of a
 * *_by_lua_block is its last word, raw.
 */
struct ngc_directive {
	struct ngc_directive *parent;      /* NULL: this is the main context itself */
	struct ngc_directive *first;       /* what stands in its block, in file order */
	struct ngc_directive *next;        /* its next sibling */
	const struct ngc_bytes *words;
	unsigned n_words;
	unsigned line;
	const char *file;
	bool block;                        /* it ended with { ... } */
	unsigned char rule;                /* of its name: lib/conf's own */
};

/* Is that its name? */
static inline bool ngc_directive_is(const struct ngc_directive *d, const char *name)
{
	return d->n_words > 0 && ngc_bytes_equal(d->words[0], ngc_bytes_of(name));
}

/* Its i-th argument, from 1, as a C string; NULL when there are fewer. */
static inline const char *ngc_directive_arg(const struct ngc_directive *d, unsigned i)
{
	return i < d->n_words ? (const char *)d->words[i].p : NULL;
}

/* The first directive of that name in d's block; NULL: none. */
const struct ngc_directive *ngc_directive_find(const struct ngc_directive *d,
    const char *name);

/* Is it one of nginx's own, or of a module that comes with nginx? */
bool ngc_directive_is_stock(const struct ngc_directive *d);

#endif
