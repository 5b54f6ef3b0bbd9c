/* SPDX-License-Identifier: BSD-2-Clause */
#include "width.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <wchar.h>

#include "ngc/text.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t utf8; /* whatever the caller's is: keys are UTF-8, if anything */

static void make_locale(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The columns of the first character, and its bytes. */
static size_t one(struct ngc_bytes s, size_t *len)
{
	mbstate_t state = { 0 };
	wchar_t c;
	int columns;

	*len = ngc_utf8_sequence(s);
	if (*len <= 1) {
		*len = 1;
		return 1;
	}
	if (utf8 == (locale_t)0 ||
	    mbrtowc(&c, (const char *)s.p, *len, &state) != *len)
		return 1;
	columns = wcwidth(c);
	return columns < 0 ? 1 : (size_t)columns;
}

/* Go forward as long as the columns passed are at most so many; *passed: how many. */
static size_t advance(struct ngc_bytes s, size_t columns, size_t *passed)
{
	locale_t before = (locale_t)0;
	size_t i = 0, len, n;

	pthread_once(&once, make_locale);
	if (utf8 != (locale_t)0)
		before = uselocale(utf8);
	for (*passed = 0; i < s.n; i += len, *passed += n) {
		n = one(ngc_bytes_from(s, i), &len);
		if (*passed + n > columns)
			break;
	}
	if (before != (locale_t)0)
		uselocale(before);
	return i;
}

size_t width_of(struct ngc_bytes s)
{
	size_t n;

	advance(s, SIZE_MAX / 2, &n);
	return n;
}

struct ngc_bytes width_head(struct ngc_bytes s, size_t columns)
{
	size_t n;

	return ngc_bytes(s.p, advance(s, columns, &n));
}

struct ngc_bytes width_tail(struct ngc_bytes s, size_t columns)
{
	size_t all = width_of(s), i, n, len;

	if (all <= columns)
		return s;
	i = advance(s, all - columns, &n);
	if (n < all - columns && i < s.n) { /* half of a wide one does not count */
		one(ngc_bytes_from(s, i), &len);
		i += len;
		i += advance(ngc_bytes_from(s, i), 0, &n);
	}
	return ngc_bytes_from(s, i);
}
