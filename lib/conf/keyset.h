/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_KEYSET_H
#define CONF_KEYSET_H

#include <stdint.h>

#include "ngc/directive.h"

/* What must be unique: borrowed bytes, told apart by a kind, too. */
struct key {
	struct ngc_bytes text;
	char kind;
	const struct ngc_directive *d; /* where it stands */
	uint32_t hash;                 /* the set's */
};

/* A set of keys.  All zero is an empty one. */
struct keyset {
	struct key *slot;
	bool nocase;    /* compare letters without regard to case */
	size_t n, size; /* of slots: a power of two */
};

/*
 * Add a key.  *before: the one there is already, which stays; NULL: none, it was added.
 * False: no memory.
 */
bool keyset_add(struct keyset *s, const struct key *k, const struct key **before);

/* Empty it for another block. */
void keyset_clear(struct keyset *s, bool nocase);
void keyset_free(struct keyset *s); /* leaves an empty one */

#endif
