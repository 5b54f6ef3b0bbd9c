/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE 8192

bool ngc_size_add(size_t a, size_t b, size_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

void *ngc_array_alloc(size_t n, size_t size)
{
	size_t bytes;

	/* calloc() checks the product, too, but the one of ASan ends the program. */
	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return calloc(1, bytes > 0 ? bytes : 1);
}

bool ngc_array_grow(void **array, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap > 0 ? *cap : 8, bytes;
	void *p;

	if (n < *cap)
		return true;
	if (*cap > 0 && __builtin_mul_overflow(want, 2, &want))
		return false;
	if (__builtin_mul_overflow(want, size, &bytes))
		return false;
	p = realloc(*array, bytes);
	if (p == NULL)
		return false;
	*array = p;
	*cap = want;
	return true;
}

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) unsigned char data[];
};

struct ngc_arena {
	struct block *first;
};

struct ngc_arena *ngc_arena_new(void)
{
	return calloc(1, sizeof(struct ngc_arena));
}

void ngc_arena_free(struct ngc_arena *a)
{
	struct block *b, *next;

	if (a == NULL)
		return;
	for (b = a->first; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

/* A new block at the front; a big object gets a block of its own behind the first. */
static struct block *block_new(struct ngc_arena *a, size_t bytes)
{
	size_t size = bytes > BLOCK_SIZE / 4 ? bytes : BLOCK_SIZE, total;
	struct block *b;

	if (!ngc_size_add(sizeof(*b), size, &total))
		return NULL;
	b = calloc(1, total);
	if (b == NULL)
		return NULL;
	b->size = size;
	if (size != BLOCK_SIZE && a->first != NULL) {
		b->next = a->first->next;
		a->first->next = b;
	} else {
		b->next = a->first;
		a->first = b;
	}
	return b;
}

void *ngc_arena_alloc(struct ngc_arena *a, size_t n, size_t size)
{
	size_t bytes;
	struct block *b = a->first;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    !ngc_size_add(bytes, alignof(max_align_t) - 1, &bytes))
		return NULL;
	bytes &= ~(alignof(max_align_t) - 1);
	if (b == NULL || bytes > b->size - b->used)
		b = block_new(a, bytes);
	if (b == NULL)
		return NULL;
	p = b->data + b->used;
	b->used += bytes;
	return p;
}

char *ngc_arena_copy(struct ngc_arena *a, const void *p, size_t n)
{
	size_t total;
	char *copy;

	if (!ngc_size_add(n, 1, &total))
		return NULL;
	copy = ngc_arena_alloc(a, total, 1);
	if (copy != NULL && n > 0)
		memcpy(copy, p, n);
	return copy;
}

void ngc_buf_free(struct ngc_buf *b)
{
	free(b->p);
	*b = (struct ngc_buf){ 0 };
}

/* Room for n more bytes and a NUL. */
static bool buf_reserve(struct ngc_buf *b, size_t n)
{
	size_t want, cap = b->cap > 0 ? b->cap : 64;
	unsigned char *p;

	if (b->failed)
		return false;
	if (!ngc_size_add(b->n, n, &want) || !ngc_size_add(want, 1, &want))
		goto failed;
	if (want <= b->cap)
		return true;
	while (cap < want)
		if (__builtin_mul_overflow(cap, 2, &cap))
			goto failed;
	p = realloc(b->p, cap);
	if (p == NULL)
		goto failed;
	b->p = p;
	b->cap = cap;
	return true;
failed:
	b->failed = true;
	return false;
}

void ngc_buf_add(struct ngc_buf *b, const void *p, size_t n)
{
	if (n == 0 || !buf_reserve(b, n))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void ngc_buf_add_bytes(struct ngc_buf *b, struct ngc_bytes s)
{
	ngc_buf_add(b, s.p, s.n);
}

void ngc_buf_add_str(struct ngc_buf *b, const char *s)
{
	ngc_buf_add(b, s, strlen(s));
}

void ngc_buf_add_char(struct ngc_buf *b, char c)
{
	ngc_buf_add(b, &c, 1);
}

void ngc_buf_printf(struct ngc_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->failed = true;
		return;
	}
	if (!buf_reserve(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

const char *ngc_buf_str(struct ngc_buf *b)
{
	if (!buf_reserve(b, 0))
		return NULL;
	b->p[b->n] = '\0';
	return (const char *)b->p;
}
