/* SPDX-License-Identifier: BSD-2-Clause */
#include "groups.h"

#include <stdlib.h>
#include <sys/random.h>

#define FIRST_SIZE 64

void sum_add(struct ngc_sum *sum, const struct ngc_sum *more)
{
	sum->entries += more->entries;
	sum->bytes += more->bytes;
	sum->allocated += more->allocated;
}

static uint64_t rotate(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

/* SipHash-1-3, in the machine's byte order: it never leaves the process. */
static uint64_t hash(const struct groups *g, struct ngc_bytes s)
{
	uint64_t v[4] = { g->seed[0] ^ 0x736f6d6570736575,
		g->seed[1] ^ 0x646f72616e646f6d, g->seed[0] ^ 0x6c7967656e657261,
		g->seed[1] ^ 0x7465646279746573 };
	uint64_t word, length = (uint64_t)s.n << 56;

	for (;;) {
		size_t n = s.n < sizeof(word) ? s.n : sizeof(word);

		word = n < sizeof(word) ? length : 0;
		if (n > 0)
			memcpy(&word, s.p, n);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
		if (n < sizeof(word))
			break;
		s = ngc_bytes_from(s, n);
	}
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

bool groups_init(struct groups *g, size_t max, size_t bytes_max)
{
	*g = (struct groups){ .max = max, .bytes_max = bytes_max, .size = FIRST_SIZE };
	/* Where there is no random, the seed is not secret, and all else is as it is. */
	if (getrandom(g->seed, sizeof(g->seed), GRND_NONBLOCK) < 0)
		g->seed[0] = g->seed[1] = 0;
	g->slots = ngc_array_alloc(g->size, sizeof(*g->slots));
	g->arena = ngc_arena_new();
	return g->slots != NULL && g->arena != NULL;
}

void groups_free(struct groups *g)
{
	free(g->slots);
	ngc_arena_free(g->arena);
	*g = (struct groups){ 0 };
}

bool groups_clear(struct groups *g)
{
	ngc_arena_free(g->arena);
	g->arena = ngc_arena_new();
	memset(g->slots, 0, g->size * sizeof(*g->slots));
	g->n = g->bytes = 0;
	return g->arena != NULL;
}

/* The slot of a label, or the free one where it belongs. */
static struct group_slot *find(struct group_slot *slots, size_t size,
    struct ngc_bytes label, uint64_t hashed)
{
	size_t i = hashed & (size - 1);

	while (slots[i].group.label.p != NULL &&
	       (slots[i].hash != hashed || !ngc_bytes_equal(slots[i].group.label, label)))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

/* Twice as many slots: a quarter of them is free at least. */
static bool grow(struct groups *g)
{
	struct group_slot *slots = ngc_array_alloc(2 * g->size, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < g->size; i++) {
		const struct group_slot *old = &g->slots[i];

		if (old->group.label.p != NULL)
			*find(slots, 2 * g->size, old->group.label, old->hash) = *old;
	}
	free(g->slots);
	g->slots = slots;
	g->size *= 2;
	return true;
}

enum ngc_code groups_add(struct groups *g, struct ngc_bytes label,
    const struct ngc_sum *sum, uint64_t entry, struct ngc_error *err)
{
	uint64_t hashed = hash(g, label);
	struct group_slot *slot = find(g->slots, g->size, label, hashed);

	if (slot->group.label.p == NULL) {
		if (g->n == g->max || label.n > g->bytes_max - g->bytes)
			return NGC_GONE;
		if (g->n >= g->size / 4 * 3) {
			if (!grow(g))
				return ngc_no_memory(err);
			slot = find(g->slots, g->size, label, hashed);
		}
		slot->group.label.p = (const unsigned char *)ngc_arena_copy(g->arena,
		    label.p, label.n);
		if (slot->group.label.p == NULL)
			return ngc_no_memory(err);
		slot->group.label.n = label.n;
		slot->hash = hashed;
		g->n++;
		g->bytes += label.n;
	}
	if (entry == 0 || slot->last != entry)
		sum_add(&slot->group.sum, sum);
	slot->last = entry;
	return NGC_OK;
}
