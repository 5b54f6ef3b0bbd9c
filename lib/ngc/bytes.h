/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_BYTES_H
#define NGC_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * A borrowed run of bytes, as nginx's ngx_str_t: what cache files and keys are made of.
 * It may hold any byte, NUL included, and is not terminated.  p is NULL for "absent",
 * which is another thing than empty.
 */
struct ngc_bytes {
	const unsigned char *p;
	size_t n;
};

static inline struct ngc_bytes ngc_bytes(const void *p, size_t n)
{
	return (struct ngc_bytes){ p, n };
}

/* The bytes of a C string, without its NUL; absent for NULL. */
static inline struct ngc_bytes ngc_bytes_of(const char *s)
{
	return (struct ngc_bytes){ (const unsigned char *)s, s ? strlen(s) : 0 };
}

static inline bool ngc_bytes_equal(struct ngc_bytes a, struct ngc_bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Compare without regard to the case of ASCII letters. */
bool ngc_bytes_same(struct ngc_bytes a, struct ngc_bytes b);

/* Does a begin with prefix? */
static inline bool ngc_bytes_starts(struct ngc_bytes a, struct ngc_bytes prefix)
{
	return a.n >= prefix.n && (prefix.n == 0 || memcmp(a.p, prefix.p, prefix.n) == 0);
}

/* What is left of a after its first n bytes; n is at most a.n. */
static inline struct ngc_bytes ngc_bytes_from(struct ngc_bytes a, size_t n)
{
	return (struct ngc_bytes){ n > 0 ? a.p + n : a.p, a.n - n };
}

/* memcmp() order, a prefix before what it is a prefix of. */
int ngc_bytes_compare(struct ngc_bytes a, struct ngc_bytes b);

#endif
