/* SPDX-License-Identifier: BSD-2-Clause */
#include "value.h"

/* Variables that double each other's values must not take all memory. */
#define SEGMENTS_MAX 16384

static struct segment *add_segment(struct value_builder *b)
{
	if (b->n == SEGMENTS_MAX) {
		b->failed = true;
		return NULL;
	}
	if (b->n == b->cap) {
		size_t cap = b->cap > 0 ? b->cap * 2 : 4;
		struct segment *grown = ngc_arena_alloc(b->arena, cap, sizeof(*grown));

		if (grown == NULL) {
			b->failed = true;
			return NULL;
		}
		if (b->n > 0)
			memcpy(grown, b->seg, b->n * sizeof(*grown));
		b->seg = grown;
		b->cap = cap;
	}
	return &b->seg[b->n++];
}

void value_add_text(struct value_builder *b, struct ngc_bytes s, bool url)
{
	struct segment *seg = s.n > 0 ? add_segment(b) : NULL;

	if (seg != NULL)
		*seg = (struct segment){ .text = s, .url = url };
}

void value_add_unknown(struct value_builder *b, const struct unknown *u)
{
	struct segment *seg = add_segment(b);

	if (seg != NULL)
		*seg = (struct segment){ .open = u };
}

void value_add(struct value_builder *b, struct value v)
{
	for (size_t i = 0; i < v.n; i++) {
		struct segment *seg = add_segment(b);

		if (seg != NULL)
			*seg = v.seg[i];
	}
}

struct value value_end(const struct value_builder *b)
{
	return (struct value){ b->seg, b->n };
}

struct value value_text(struct ngc_arena *a, struct ngc_bytes s, bool url)
{
	struct value_builder b = { .arena = a };

	value_add_text(&b, s, url);
	return value_end(&b);
}

const struct unknown *value_unknown(struct value v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.seg[i].open != NULL)
			return v.seg[i].open;
	return NULL;
}

struct ngc_bytes value_bytes(struct ngc_arena *a, struct value v)
{
	unsigned char *p;
	size_t n = 0;

	if (v.n == 0)
		return ngc_bytes("", 0);
	if (v.n == 1 && v.seg[0].open == NULL)
		return v.seg[0].text;
	for (size_t i = 0; i < v.n; i++)
		if (!ngc_size_add(n, v.seg[i].text.n, &n))
			return ngc_bytes(NULL, 0);
	p = ngc_arena_alloc(a, n + 1, 1);
	if (p == NULL)
		return ngc_bytes(NULL, 0);
	n = 0;
	for (size_t i = 0; i < v.n; i++) {
		if (v.seg[i].text.n > 0)
			memcpy(p + n, v.seg[i].text.p, v.seg[i].text.n);
		n += v.seg[i].text.n;
	}
	return ngc_bytes(p, n);
}
