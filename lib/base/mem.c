/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * The first block of an arena is small, later ones ever larger, so that many arenas may
 * stay small.  An arena that outgrows them gets blocks of a huge page each, where the
 * system has such: a large configuration is read in a fraction of the time when its
 * memory does not come page by page, each with a fault.
 */
#define BLOCK_MIN  ((size_t)4096)
#define BLOCK_MAX  ((size_t)32768)
#define BLOCK_HUGE ((size_t)2 << 20)

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
	bool mapped;
	alignas(max_align_t) unsigned char data[];
};

struct ngc_arena {
	struct block *first;
	size_t usual; /* the size of the next block */
};

struct ngc_arena *ngc_arena_new(void)
{
	struct ngc_arena *a = calloc(1, sizeof(*a));

	if (a != NULL)
		a->usual = BLOCK_MIN;
	return a;
}

/* BLOCK_HUGE zeroed bytes, aligned to their size; NULL: no memory. */
static struct block *map_huge(void)
{
	unsigned char *p = mmap(NULL, 2 * BLOCK_HUGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct block *b;
	size_t before;

	if (p == MAP_FAILED)
		return NULL;
	before = (BLOCK_HUGE - (uintptr_t)p % BLOCK_HUGE) % BLOCK_HUGE;
	if (before > 0)
		munmap(p, before);
	munmap(p + before + BLOCK_HUGE, BLOCK_HUGE - before);
	b = (struct block *)(void *)(p + before);
#ifdef MADV_HUGEPAGE
	madvise(b, BLOCK_HUGE, MADV_HUGEPAGE);
#endif
	b->size = BLOCK_HUGE - sizeof(*b);
	b->mapped = true;
	return b;
}

static struct block *new_block(size_t size)
{
	struct block *b;
	size_t total;

	if (!ngc_size_add(sizeof(*b), size, &total))
		return NULL;
	b = malloc(total);
	if (b != NULL)
		*b = (struct block){ .size = size };
	return b;
}

static void free_block(struct block *b)
{
	if (b->mapped)
		munmap(b, BLOCK_HUGE);
	else
		free(b);
}

/* Put another block of the usual, growing size in front, where objects are taken from. */
static struct block *add_usual(struct ngc_arena *a, size_t bytes)
{
	bool huge = a->usual > BLOCK_MAX || bytes > BLOCK_MAX;
	struct block *b = huge ? map_huge() : new_block(a->usual);

	if (b == NULL)
		return NULL;
	b->next = a->first;
	a->first = b;
	a->usual = huge ? BLOCK_HUGE : 2 * a->usual;
	return b;
}

/* Another block with room for bytes; one that they alone fill goes behind the first. */
static struct block *add_block(struct ngc_arena *a, size_t bytes)
{
	struct block *b;

	if (bytes <= BLOCK_HUGE / 4 && (bytes <= a->usual || bytes > BLOCK_MAX))
		return add_usual(a, bytes);
	b = new_block(bytes);
	if (b != NULL && a->first != NULL) {
		b->next = a->first->next;
		a->first->next = b;
	} else if (b != NULL) {
		a->first = b;
	}
	return b;
}

void ngc_arena_free(struct ngc_arena *a)
{
	struct block *b, *next;

	if (a == NULL)
		return;
	for (b = a->first; b != NULL; b = next) {
		next = b->next;
		free_block(b);
	}
	free(a);
}

/* What objects of a size need at most: the size is a multiple of it.  Bytes need nothing.
 */
static size_t alignment(size_t size)
{
	size_t a = size & (~size + 1);

	return a == 0 || a > alignof(max_align_t) ? alignof(max_align_t) : a;
}

void *ngc_arena_alloc(struct ngc_arena *a, size_t n, size_t size)
{
	size_t bytes, total, align = alignment(size);
	struct block *b = a->first;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    !ngc_size_add(bytes, align - 1, &total))
		return NULL;
	if (b == NULL || total > b->size - b->used)
		b = add_block(a, total);
	if (b == NULL)
		return NULL;
	b->used = (b->used + align - 1) & ~(align - 1);
	p = b->data + b->used;
	b->used += bytes;
	if (!b->mapped) /* object by object: what is not needed is not touched */
		memset(p, 0, bytes);
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

struct ngc_bytes ngc_arena_lower(struct ngc_arena *a, struct ngc_bytes s)
{
	char *p = ngc_arena_copy(a, s.p, s.n);

	for (size_t i = 0; p != NULL && i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] |= 0x20;
	return ngc_bytes(p, p != NULL ? s.n : 0);
}

void ngc_buf_free(struct ngc_buf *b)
{
	free(b->p);
	*b = (struct ngc_buf){ 0 };
}

bool ngc_buf_grow(struct ngc_buf *b, size_t n)
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
	if (!ngc_buf_grow(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

const char *ngc_buf_str(struct ngc_buf *b)
{
	if (!ngc_buf_grow(b, 0))
		return NULL;
	b->p[b->n] = '\0';
	return (const char *)b->p;
}
