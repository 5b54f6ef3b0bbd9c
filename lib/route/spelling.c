/* SPDX-License-Identifier: BSD-2-Clause */
#include "spelling.h"

enum style {
	STYLE_UPPER, /* %C3%A9: browsers */
	STYLE_LOWER, /* %c3%a9: WordPress's permalinks */
	STYLE_RAW,   /* the bytes themselves */
};

static bool is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static unsigned hex_value(unsigned char c)
{
	return c <= '9' ? c - (unsigned)'0' : (c | 0x20u) - 'a' + 10u;
}

static void add_escape(struct ngc_buf *b, unsigned char c, enum style style)
{
	if (style == STYLE_RAW && c >= 0x80)
		ngc_buf_add_char(b, (char)c);
	else
		ngc_buf_printf(b, style == STYLE_LOWER ? "%%%02x" : "%%%02X", c);
}

/* Escapes in one style; a byte that needs an escape gets one. */
static void respell(struct ngc_buf *b, struct ngc_bytes s, enum style style)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];

		if (c == '%' && s.n - i > 2 && is_hex(s.p[i + 1]) && is_hex(s.p[i + 2])) {
			add_escape(b,
			    (unsigned char)(hex_value(s.p[i + 1]) << 4 |
					    hex_value(s.p[i + 2])),
			    style);
			i += 2;
		} else if (c >= 0x80 || c == ' ') {
			add_escape(b, c, style);
		} else {
			ngc_buf_add_char(b, (char)c);
		}
	}
}

static bool add_spelling(struct ngc_arena *a, struct ngc_bytes s, struct spellings *out)
{
	char *copy;

	for (unsigned i = 0; i < out->n; i++)
		if (ngc_bytes_equal(out->target[i], s))
			return true;
	copy = ngc_arena_copy(a, s.p, s.n);
	out->target[out->n] = ngc_bytes(copy, s.n);
	out->n += copy != NULL;
	return copy != NULL;
}

bool spellings_of(struct ngc_arena *a, struct ngc_bytes target, struct spellings *out)
{
	bool ok;

	out->n = 0;
	ok = add_spelling(a, target, out);
	for (int style = STYLE_UPPER; style <= STYLE_RAW && ok; style++) {
		struct ngc_buf b = { 0 };

		respell(&b, target, (enum style)style);
		ok = !b.failed && add_spelling(a, ngc_buf_bytes(&b), out);
		ngc_buf_free(&b);
	}
	return ok;
}
