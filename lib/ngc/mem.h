/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_MEM_H
#define NGC_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/bytes.h"

/* a + b into *sum; false when it does not fit. */
bool ngc_size_add(size_t a, size_t b, size_t *sum);

/* n zeroed objects of size bytes, or NULL; the product is checked.  free() it. */
void *ngc_array_alloc(size_t n, size_t size);

/*
 * Make room for at least one more object behind the n there are: *array of *cap objects
 * of size bytes is grown (realloc) when it is full.  False: no memory, nothing changed.
 */
bool ngc_array_grow(void **array, size_t n, size_t *cap, size_t size);

/*
 * An arena, as nginx's ngx_pool_t: many small objects that are freed together.  Objects
 * are aligned as any type of their size may need, and zeroed.
 */
struct ngc_arena;
struct ngc_arena *ngc_arena_new(void);            /* NULL: no memory */
void ngc_arena_free(struct ngc_arena *a);         /* NULL is fine */
void *ngc_arena_alloc(struct ngc_arena *a, size_t n, size_t size); /* NULL: no memory */
/* A copy of n bytes with a NUL behind them. */
char *ngc_arena_copy(struct ngc_arena *a, const void *p, size_t n);

/* The same with ASCII letters in lower case; absent: no memory. */
struct ngc_bytes ngc_arena_lower(struct ngc_arena *a, struct ngc_bytes s);

/*
 * A growing byte string.  All zero is an empty one.  Appending that fails for want of
 * memory sets failed and appends nothing from then on, so a caller checks once, at the
 * end.
 */
struct ngc_buf {
	unsigned char *p;
	size_t n, cap;
	bool failed;
};

void ngc_buf_free(struct ngc_buf *b);             /* leaves an empty one */

/* Make room for n more bytes and a NUL; false: it has failed. */
bool ngc_buf_grow(struct ngc_buf *b, size_t n);

/* Inline: a listing consists of these. */
static inline void ngc_buf_add(struct ngc_buf *b, const void *p, size_t n)
{
	if (n == 0 || ((b->failed || b->cap - b->n <= n) && !ngc_buf_grow(b, n)))
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void ngc_buf_add_char(struct ngc_buf *b, char c)
{
	ngc_buf_add(b, &c, 1);
}

static inline void ngc_buf_add_bytes(struct ngc_buf *b, struct ngc_bytes s)
{
	ngc_buf_add(b, s.p, s.n);
}

static inline void ngc_buf_add_str(struct ngc_buf *b, const char *s)
{
	ngc_buf_add(b, s, strlen(s));
}

void ngc_buf_printf(struct ngc_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The content as a C string, valid until the next call; NULL when failed. */
const char *ngc_buf_str(struct ngc_buf *b);

static inline struct ngc_bytes ngc_buf_bytes(const struct ngc_buf *b)
{
	return ngc_bytes(b->p, b->n);
}

#endif
