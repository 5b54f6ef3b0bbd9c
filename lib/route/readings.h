/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_READINGS_H
#define ROUTE_READINGS_H

#include "ngc/route.h"
#include "sockets.h"

/*
 * All readings of one key, and the one that is shown.  Most keys have a single reading.
 * Of several that tell of different hosts, those count whose host is the name of a server
 * of the configuration; what these do not agree on stays absent.  What a location took
 * off the URI is told where all that tell of it agree, and no reading has the URI.
 * Without configuration the first reading, which is the likeliest, is shown.
 */
struct readings {
	const struct sockets *sockets; /* NULL: nobody knows which hosts there are */
	unsigned n, n_named;
	struct ngc_reading first;
	struct ngc_reading agreed; /* what all of them say */
	struct ngc_reading named;  /* what those say whose host is a server's name */
	struct ngc_bytes base, rest; /* absent: none told any, or they differ */
	bool any_uri, other_bases;
	bool other_hosts;          /* they do not all give the same host */
	bool incomplete;           /* there were more than could be gone through */
	bool guessed;
};

void readings_add(struct readings *all, const struct ngc_reading *r);

/* The reading to show: with fields that are absent where it cannot be told. */
struct ngc_reading readings_best(const struct readings *all);

#endif
