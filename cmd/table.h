/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TABLE_H
#define TABLE_H

#include "ngc/mem.h"

/* A table for people: cells are added row by row, then all is written, aligned. */
#define TABLE_COLUMNS_MAX 32

struct table {
	size_t columns;
	bool spare; /* the last column is left out where there is no room for it */
	bool right[TABLE_COLUMNS_MAX]; /* aligned to the right, as numbers are */
	struct ngc_buf text;           /* of all cells */
	size_t *ends;                  /* where each ends in it */
	size_t n, cap;
};

/* One more column, with its heading: those of all columns are the first row. */
void table_column(struct table *t, const char *heading, bool right);

/* The next cell; what is not fit for a terminal is escaped. */
void table_cell(struct table *t, struct ngc_bytes text);
void table_cell_str(struct table *t, const char *text);

/*
 * Append the table, two blanks between columns, and free it.  Cells that make it wider
 * than room are cut, those of numbers not; 0: only what no person reads to its end.
 */
void table_write(struct table *t, struct ngc_buf *out, size_t room);

#endif
