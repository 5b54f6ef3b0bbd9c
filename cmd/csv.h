/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CSV_H
#define CSV_H

#include <stdint.h>

#include "ngc/mem.h"

/*
 * Comma-separated values as RFC 4180 quotes them, with the line ends of Unix.  What is
 * not fit for a terminal is escaped, so that a row is one line.  A spreadsheet takes a
 * text that begins with =, +, - or @ for a formula: such a one gets a ' in front.
 */
void csv_cell(struct ngc_buf *b, struct ngc_bytes text);  /* absent: empty */
void csv_str(struct ngc_buf *b, const char *text);        /* NULL: empty */
void csv_uint(struct ngc_buf *b, bool known, uint64_t v); /* not known: empty */

/* Make a cell of the text from start on, which has no byte that must be escaped. */
void csv_quote(struct ngc_buf *b, size_t start);

/* The end of a line that has a cell at least. */
void csv_end(struct ngc_buf *b);

#endif
