/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <stdlib.h>

#include "ngc/text.h"
#include "width.h"

#define CELL_MAX 200 /* columns: what is wider is not for people */
#define CELL_MIN 9   /* narrower than that no cell becomes */
#define CUT      "..."

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

/* What is too wide is cut out of the middle: paths and hosts differ at their ends. */
static void write_cell(struct ngc_buf *out, struct ngc_bytes s, size_t columns,
    bool right)
{
	struct ngc_bytes tail = ngc_bytes_of("");
	size_t n = width_of(s), room = columns - strlen(CUT);
	bool cut = n > columns;

	if (cut) {
		tail = width_tail(s, room - room / 2);
		s = width_head(s, room / 2);
		n = width_of(s) + strlen(CUT) + width_of(tail);
	}
	if (right)
		ngc_buf_printf(out, "%*s", (int)(columns - n), "");
	ngc_buf_add_bytes(out, s);
	ngc_buf_add_str(out, cut ? CUT : "");
	ngc_buf_add_bytes(out, tail);
	if (!right)
		ngc_buf_printf(out, "%*s", (int)(columns - n), "");
}

static void end_line(struct ngc_buf *out)
{
	while (out->n > 0 && out->p[out->n - 1] == ' ')
		out->n--;
	ngc_buf_add_char(out, '\n');
}

/* As wide as the widest cell, up to a limit. */
static void measure(const struct table *t, size_t widths[TABLE_COLUMNS_MAX])
{
	for (size_t i = 0; i < t->n; i++) {
		size_t n = width_of(cell(t, i)), *widest = &widths[i % t->columns];

		n = n < CELL_MAX ? n : CELL_MAX;
		*widest = n > *widest ? n : *widest;
	}
}

static size_t line_width(const size_t *widths, size_t columns)
{
	size_t n = 2 * (columns - 1);

	while (columns-- > 0)
		n += widths[columns];
	return n;
}

/* The widest column of text; NULL: none is to be cut any more. */
static size_t *find_widest(const struct table *t, size_t *widths)
{
	size_t *widest = NULL;

	for (size_t i = 0; i < t->columns; i++)
		if (!t->right[i] && widths[i] > CELL_MIN &&
		    (widest == NULL || widths[i] > *widest))
			widest = &widths[i];
	return widest;
}

/* Make the table as narrow as it must be.  Returns how many columns are left. */
static size_t fit(const struct table *t, size_t *widths, size_t room)
{
	size_t columns = t->columns, *widest;

	if (room == 0)
		return columns;
	if (t->spare && line_width(widths, columns) > room)
		widths[--columns] = 0;
	while (line_width(widths, columns) > room &&
	       (widest = find_widest(t, widths)) != NULL)
		--*widest;
	return columns;
}

void table_write(struct table *t, struct ngc_buf *out, size_t room)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 }, columns;

	out->failed |= t->text.failed;
	if (!out->failed)
		measure(t, widths);
	columns = fit(t, widths, room);
	for (size_t i = 0; i < t->n && !out->failed; i++) {
		size_t column = i % t->columns;

		if (column < columns)
			write_cell(out, cell(t, i), widths[column], t->right[column]);
		ngc_buf_add_str(out, column + 1 < t->columns ? "  " : "");
		if (column + 1 == t->columns)
			end_line(out);
	}
	free(t->ends);
	ngc_buf_free(&t->text);
	*t = (struct table){ 0 };
}
