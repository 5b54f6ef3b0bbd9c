/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_GROUPS_H
#define OP_GROUPS_H

#include "ngc/mem.h"
#include "ngc/stats.h"

/*
 * Sums by label, in a hash table of bounded size.  Labels are what visitors of a site
 * choose: the hash has a secret seed.
 */
struct group_slot {
	struct ngc_group group; /* label.p NULL: the slot is free */
	uint64_t hash;
	uint64_t last; /* the entry that was added last */
};

struct groups {
	struct group_slot *slots;
	size_t size, n; /* size: a power of two */
	size_t max, bytes, bytes_max;
	struct ngc_arena *arena; /* the labels */
	uint64_t seed[2];
};

/* At most max groups with bytes_max bytes of labels.  False: no memory; groups_free() all
 * the same. */
bool groups_init(struct groups *g, size_t max, size_t bytes_max);
void groups_free(struct groups *g);

/* Forget all groups.  False: no memory. */
bool groups_clear(struct groups *g);

/*
 * Add to the sum of a label.  entry: not 0: what it is of; the same entry counts once.
 * NGC_OK; NGC_GONE: there is no room for another group; NGC_FATAL: no memory.
 */
enum ngc_code groups_add(struct groups *g, struct ngc_bytes label,
    const struct ngc_sum *sum, uint64_t entry, struct ngc_error *err);

void sum_add(struct ngc_sum *sum, const struct ngc_sum *more);

#endif
