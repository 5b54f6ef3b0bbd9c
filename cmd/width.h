/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIDTH_H
#define WIDTH_H

#include "ngc/bytes.h"

/*
 * Text in columns of a terminal: East Asian characters take two, accents that combine
 * with what is before them none.
 */

size_t width_of(struct ngc_bytes s);

/* What of its beginning, or of its end, takes no more than so many columns. */
struct ngc_bytes width_head(struct ngc_bytes s, size_t columns);
struct ngc_bytes width_tail(struct ngc_bytes s, size_t columns);

#endif
