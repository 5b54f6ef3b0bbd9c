/* SPDX-License-Identifier: BSD-2-Clause */
#include "keyset.h"

#define SIZE_MIN 16

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static uint32_t hash(const struct key *k)
{
	uint32_t h = 2166136261u ^ (unsigned char)k->kind;

	for (size_t i = 0; i < k->text.n; i++)
		h = (h ^ lower(k->text.p[i])) * 16777619u;
	return h ^ h >> 15;
}

static bool is_used(const struct keyset *s, const struct key *slot)
{
	return slot->text.p != NULL && slot->round == s->round;
}

static bool same(const struct keyset *s, const struct key *a, const struct key *b)
{
	return a->hash == b->hash && a->kind == b->kind &&
	       (s->nocase ? ngc_bytes_same(a->text, b->text)
			  : ngc_bytes_equal(a->text, b->text));
}

/* Where a key is, or where it belongs. */
static struct key *find(const struct keyset *s, const struct key *k)
{
	size_t i = k->hash & (s->size - 1);

	while (is_used(s, &s->slot[i]) && !same(s, &s->slot[i], k))
		i = (i + 1) & (s->size - 1);
	return &s->slot[i];
}

static bool grow(struct keyset *s)
{
	struct keyset bigger = *s;

	bigger.size = s->size > 0 ? s->size * 2 : SIZE_MIN;
	bigger.slot = ngc_arena_alloc(s->arena, bigger.size, sizeof(*bigger.slot));
	if (bigger.slot == NULL)
		return false;
	for (size_t i = 0; i < s->size; i++)
		if (is_used(s, &s->slot[i]))
			*find(&bigger, &s->slot[i]) = s->slot[i];
	*s = bigger;
	return true;
}

bool keyset_add(struct keyset *s, const struct key *k, const struct key **before)
{
	struct key new = *k, *at;

	*before = NULL;
	if (s->n >= s->size / 2 && !grow(s))
		return false;
	new.hash = hash(k);
	new.round = s->round;
	at = find(s, &new);
	if (is_used(s, at)) {
		*before = at;
		return true;
	}
	*at = new;
	s->n++;
	return true;
}

void keyset_clear(struct keyset *s, bool nocase)
{
	s->round++;
	s->n = 0;
	s->nocase = nocase;
}
