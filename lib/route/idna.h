/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_IDNA_H
#define ROUTE_IDNA_H

#include "ngc/mem.h"

/*
 * Append a host as browsers send it: lower-cased, each label that is not ASCII in its
 * xn-- form.  False: not UTF-8, or a label is too long.
 */
bool idna_host(struct ngc_bytes host, struct ngc_buf *out);

#endif
