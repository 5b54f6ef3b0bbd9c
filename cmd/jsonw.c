/* SPDX-License-Identifier: BSD-2-Clause */
#include "jsonw.h"

#include <string.h>

#include "ngc/text.h"

/* How the bytes below 0x80 that cannot stand for themselves are written. */
static void escape(struct ngc_buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char text[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '"':
	case '\\':
		text[1] = (char)c;
		break;
	case '\n':
		text[1] = 'n';
		break;
	case '\r':
		text[1] = 'r';
		break;
	case '\t':
		text[1] = 't';
		break;
	default:
		ngc_buf_add(b, text, 6);
		return;
	}
	ngc_buf_add(b, text, 2);
}

/* The bytes that stand for themselves. */
static const bool plain[256] = { [' '] = true,
	['!'] = true,
	['#' ... '['] = true,
	[']' ... '~'] = true };

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * Are all of eight bytes plain?  Subtraction and addition set the highest bit of the
 * first byte that is not (below a blank, '"', '\\', DEL); those behind it may be set
 * wrongly.
 */
static bool eight_plain(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return (((v - EACH(' ')) | ((v ^ EACH('"')) - EACH(1)) |
		    ((v ^ EACH('\\')) - EACH(1)) | (v + EACH(1)) | v) &
		   EACH(0x80)) == 0;
}

static size_t plain_length(struct ngc_bytes s)
{
	size_t n = 0;

	while (s.n - n >= 8 && eight_plain(s.p + n))
		n += 8;
	if (n > 0 && s.n - n < 8 && eight_plain(s.p + s.n - 8))
		return s.n;
	while (n < s.n && plain[s.p[n]])
		n++;
	return n;
}

/* U+0080 to U+009F: a terminal may take them for escape sequences. */
static bool is_c1(struct ngc_bytes s)
{
	return s.n > 1 && s.p[0] == 0xc2 && s.p[1] >= 0x80 && s.p[1] < 0xa0;
}

void jsonw_text(struct ngc_buf *b, struct ngc_bytes s)
{
	while (s.n > 0) {
		size_t n = plain_length(s);

		if (n > 0) {
			ngc_buf_add(b, s.p, n);
		} else if (s.p[0] < 0x80) {
			escape(b, s.p[0]);
			n = 1;
		} else if (is_c1(s)) {
			escape(b, s.p[1]);
			n = 2;
		} else {
			n = ngc_utf8_sequence(s);
			ngc_buf_add(b, n > 0 ? (const char *)s.p : "\xef\xbf\xbd",
			    n > 0 ? n : 3);
			n = n > 0 ? n : 1;
		}
		s = ngc_bytes_from(s, n);
	}
}

void jsonw_string(struct ngc_buf *b, struct ngc_bytes s)
{
	ngc_buf_add_char(b, '"');
	jsonw_text(b, s);
	ngc_buf_add_char(b, '"');
}

void jsonw_comma(struct ngc_buf *b)
{
	unsigned char last = b->n > 0 ? b->p[b->n - 1] : '{';

	if (last != '{' && last != '[' && last != '\n')
		ngc_buf_add_char(b, ',');
}

void jsonw_name(struct ngc_buf *b, const char *name)
{
	jsonw_comma(b);
	ngc_buf_add_char(b, '"');
	ngc_buf_add_str(b, name);
	ngc_buf_add(b, "\":", 2);
}

void jsonw_member_bytes(struct ngc_buf *b, const char *name, struct ngc_bytes s)
{
	jsonw_name(b, name);
	if (s.p != NULL)
		jsonw_string(b, s);
	else
		ngc_buf_add_str(b, "null");
}

void jsonw_member_str(struct ngc_buf *b, const char *name, const char *s)
{
	jsonw_member_bytes(b, name, ngc_bytes_of(s));
}

/* Without printf: this is half of what a listing writes. */
void jsonw_uint(struct ngc_buf *b, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char digits[20];
	size_t n = sizeof(digits);

	for (; v >= 100; v /= 100)
		memcpy(digits + (n -= 2), pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(digits + (n -= 2), pairs + v * 2, 2);
	else
		digits[--n] = (char)('0' + v);
	ngc_buf_add(b, digits + n, sizeof(digits) - n);
}

void jsonw_int(struct ngc_buf *b, int64_t v)
{
	if (v < 0)
		ngc_buf_add_char(b, '-');
	jsonw_uint(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void jsonw_member_uint(struct ngc_buf *b, const char *name, uint64_t v)
{
	jsonw_name(b, name);
	jsonw_uint(b, v);
}

void jsonw_member_int(struct ngc_buf *b, const char *name, int64_t v)
{
	jsonw_name(b, name);
	jsonw_int(b, v);
}

void jsonw_member_bool(struct ngc_buf *b, const char *name, bool v)
{
	jsonw_name(b, name);
	ngc_buf_add_str(b, v ? "true" : "false");
}

void jsonw_member_list(struct ngc_buf *b, const char *name, const char *const *list)
{
	jsonw_name(b, name);
	ngc_buf_add_char(b, '[');
	for (; list != NULL && *list != NULL; list++) {
		jsonw_comma(b);
		jsonw_string(b, ngc_bytes_of(*list));
	}
	ngc_buf_add_char(b, ']');
}

void jsonw_member_null(struct ngc_buf *b, const char *name)
{
	jsonw_name(b, name);
	ngc_buf_add_str(b, "null");
}
