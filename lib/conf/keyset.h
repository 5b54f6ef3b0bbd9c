/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_KEYSET_H
#define CONF_KEYSET_H

#include <stdint.h>

#include "ngc/directive.h"
#include "ngc/mem.h"

/* What must be unique: borrowed bytes, told apart by a kind, too. */
struct key {
	struct ngc_bytes text;
	char kind;
	const struct ngc_directive *d; /* where it stands */
	uint32_t hash, round;          /* the set's */
};

/* A set of keys, in an arena.  One with nothing else set is empty. */
struct keyset {
	struct ngc_arena *arena;
	struct key *slot;
	bool nocase;    /* compare letters without regard to case */
	uint32_t round; /* the slots of earlier ones are empty */
	size_t n, size; /* of slots: a power of two */
};

/*
 * Add a key.  *before: the one there is already, which stays; NULL: none, it was added.
 * False: no memory.
 */
bool keyset_add(struct keyset *s, const struct key *k, const struct key **before);

/* Empty it for another block. */
void keyset_clear(struct keyset *s, bool nocase);

#endif
