/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_REWRITTEN_H
#define ROUTE_REWRITTEN_H

#include "ngc/level.h"

/*
 * A rewrite with "break" gives a request another URI and leaves it in its location.  A
 * request for that URI itself may lead elsewhere, or be rewritten once more.
 */

/* The location that a level belongs to when it has such a rewrite, else NULL. */
const struct ngc_level *rewritten_in(const struct ngc_level *l);

/* Is it certain that a request for the URI comes to the location and keeps it? */
bool rewritten_keeps(const struct ngc_level *location, struct ngc_bytes uri);

/* May a request of that URI, as it is or resolved, have a path that begins so? */
bool rewritten_may_be(struct ngc_bytes uri, struct ngc_bytes start);

#endif
