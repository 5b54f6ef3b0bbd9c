/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_NEAREST_H
#define OP_NEAREST_H

#include "select.h"

/*
 * What a walk comes by that looks most like what a selector asks for: for when nothing is
 * it.  "Like" is how many bytes agree from the start on, of the URL that a key tells or,
 * for a key, of the key itself.
 */

#define NEAREST_KEPT 3

struct nearest_entry {
	size_t score; /* 0: none */
	const struct ngc_zone *zone;
	char *key;
	size_t key_len;
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1];
};

struct nearest {
	struct nearest_entry best[NEAREST_KEPT]; /* the nearest first */
	unsigned char *wanted; /* what keys are held against; NULL: this selector has none
				*/
	size_t wanted_len, least; /* fewer bytes that agree are not near */
};

/* Ready for a selector; nearest_free() in any case.  Without memory nothing is near. */
void nearest_init(struct nearest *n, const struct selector *s);
void nearest_free(struct nearest *n);

/* Hold the entry in hand against it. */
void nearest_offer(struct nearest *n, const struct selector *s, struct judge *j);

/* Put the best of both into into. */
void nearest_merge(struct nearest *into, struct nearest *from);

#endif
