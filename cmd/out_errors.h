/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_ERRORS_H
#define OUT_ERRORS_H

#include "ngc/mem.h"

#define ERRORS_MAX 100

/* The first ERRORS_MAX failures of a run, as elements of the array "errors". */
struct out_errors {
	struct ngc_buf json;
	unsigned n; /* more than are kept, perhaps */
};

void out_errors_add(struct out_errors *e, const char *file, const char *text);

/* The member "errors", begun with them: elements may follow, and the ']' must. */
void out_errors_begin(struct ngc_buf *b, const struct out_errors *e);

#endif
