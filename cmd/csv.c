/* SPDX-License-Identifier: BSD-2-Clause */
#include "csv.h"

#include "ngc/text.h"

static bool is_formula(struct ngc_bytes s)
{
	return s.n > 0 && memchr("=+-@", s.p[0], 4) != NULL;
}

static bool needs_quotes(struct ngc_bytes s)
{
	return s.n > 0 &&
	       (memchr(s.p, ',', s.n) != NULL || memchr(s.p, '"', s.n) != NULL);
}

void csv_cell(struct ngc_buf *b, struct ngc_bytes text)
{
	bool quotes = needs_quotes(text);

	if (quotes)
		ngc_buf_add_char(b, '"');
	if (is_formula(text))
		ngc_buf_add_char(b, '\'');
	while (quotes && text.n > 0) {
		const unsigned char *quote = memchr(text.p, '"', text.n);
		size_t n = quote != NULL ? (size_t)(quote - text.p) : text.n;

		ngc_text_escape(b, ngc_bytes(text.p, n));
		if (quote != NULL)
			ngc_buf_add_str(b, "\"\"");
		text = ngc_bytes_from(text, quote != NULL ? n + 1 : n);
	}
	ngc_text_escape(b, text);
	ngc_buf_add_str(b, quotes ? "\"," : ",");
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
