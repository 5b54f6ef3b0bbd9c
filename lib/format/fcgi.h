/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FORMAT_FCGI_H
#define FORMAT_FCGI_H

#include <stdbool.h>

#include "ngc/bytes.h"

/* Do these bytes begin like a FastCGI record that an application sends? */
bool fcgi_begins(struct ngc_bytes head);

/*
 * Put together what the STDOUT records in head carry.  The last of them may run on beyond
 * the end of head, into the body.
 *
 * out: room for head.n bytes; *n is set to how many are used.
 * False: the framing is not what nginx accepts; what came before that is in out.
 */
bool fcgi_unwrap(struct ngc_bytes head, unsigned char *out, size_t *n);

#endif
