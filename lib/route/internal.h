/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_INTERNAL_H
#define ROUTE_INTERNAL_H

#include <stdbool.h>

#include "ngc/level.h"

/*
 * What nginx may do to a request by itself, once it has come in: variables then hold what
 * no client can send.
 */

/* May a URI of the server come not to begin with a slash? */
bool internal_bends_uri(const struct ngc_server *s);

/* May requests of the server make others, which keep their method? */
bool internal_subrequests(const struct ngc_server *s);

#endif
