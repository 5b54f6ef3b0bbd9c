/* SPDX-License-Identifier: BSD-2-Clause */
#include "csv.h"

#include "ngc/text.h"

/* Room for n bytes more at the end of b, to be filled in. */
static void add_room(struct ngc_buf *b, size_t n)
{
	while (n-- > 0)
		ngc_buf_add_char(b, '\0');
}

static size_t count_quotes(struct ngc_bytes s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '"';
	return n;
}

void csv_quote(struct ngc_buf *b, size_t start)
{
	struct ngc_bytes s = ngc_bytes(b->p + start, b->n - start);
	bool formula = s.n > 0 && memchr("=+-@", s.p[0], 4) != NULL;
	size_t n_quotes = s.n > 0 ? count_quotes(s) : 0;
	bool quoted = n_quotes > 0 || (s.n > 0 && memchr(s.p, ',', s.n) != NULL);
	size_t from = b->n, to;

	add_room(b, n_quotes + (quoted ? 2 : 0) + formula);
	if (b->failed || b->n == from)
		return;
	to = b->n; /* from the end on, what is moved is not overwritten */
	if (quoted)
		b->p[--to] = '"';
	while (from > start) {
		b->p[--to] = b->p[--from];
		if (b->p[to] == '"')
			b->p[--to] = '"';
	}
	if (formula)
		b->p[--to] = '\'';
	if (quoted)
		b->p[--to] = '"';
}

void csv_cell(struct ngc_buf *b, struct ngc_bytes text)
{
	size_t start = b->n;

	ngc_text_escape(b, text);
	csv_quote(b, start);
	ngc_buf_add_char(b, ',');
}

void csv_str(struct ngc_buf *b, const char *text)
{
	csv_cell(b, ngc_bytes_of(text));
}

void csv_uint(struct ngc_buf *b, bool known, uint64_t v)
{
	if (known)
		ngc_buf_printf(b, "%llu", (unsigned long long)v);
	ngc_buf_add_char(b, ',');
}

void csv_end(struct ngc_buf *b)
{
	if (!b->failed)
		b->p[b->n - 1] = '\n'; /* the comma behind the last cell */
}
