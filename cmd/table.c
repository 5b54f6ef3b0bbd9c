/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <stdlib.h>

#include "ngc/text.h"

void table_cell(struct table *t, struct ngc_bytes text)
{
	if (!ngc_array_grow((void **)&t->ends, t->n, &t->cap, sizeof(*t->ends))) {
		t->text.failed = true;
		return;
	}
	ngc_text_escape(&t->text, text);
	t->ends[t->n++] = t->text.n;
}

void table_cell_str(struct table *t, const char *text)
{
	table_cell(t, ngc_bytes_of(text));
}

void table_column(struct table *t, const char *heading, bool right)
{
	t->right[t->columns++] = right;
	table_cell_str(t, heading);
}

static struct ngc_bytes cell(const struct table *t, size_t i)
{
	size_t start = i > 0 ? t->ends[i - 1] : 0;

	return ngc_bytes(t->text.p + start, t->ends[i] - start);
}

/* Characters, of which each takes one column: good enough for what is in a cache. */
static size_t width(struct ngc_bytes s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += (s.p[i] & 0xc0) != 0x80;
	return n;
}

static void write_cell(struct ngc_buf *out, struct ngc_bytes s, size_t blanks, bool right,
    bool last)
{
	if (right)
		ngc_buf_printf(out, "%*s", (int)blanks, "");
	ngc_buf_add_bytes(out, s);
	if (!right && !last)
		ngc_buf_printf(out, "%*s", (int)blanks, "");
	if (!last) {
		ngc_buf_add_str(out, "  ");
		return;
	}
	while (out->n > 0 && out->p[out->n - 1] == ' ')
		out->n--;
	ngc_buf_add_char(out, '\n');
}

void table_write(struct table *t, struct ngc_buf *out)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 };

	out->failed |= t->text.failed;
	for (size_t i = 0; i < t->n && !out->failed; i++)
		if (width(cell(t, i)) > widths[i % t->columns])
			widths[i % t->columns] = width(cell(t, i));
	for (size_t i = 0; i < t->n && !out->failed; i++) {
		size_t column = i % t->columns;

		write_cell(out, cell(t, i), widths[column] - width(cell(t, i)),
		    t->right[column], column + 1 == t->columns);
	}
	free(t->ends);
	ngc_buf_free(&t->text);
	*t = (struct table){ 0 };
}
