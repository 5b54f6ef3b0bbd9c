/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_FOLLOW_H
#define ROUTE_FOLLOW_H

#include "run.h"

/* More ways than this through one configuration are not gone. */
#define WAYS_MAX 2048

/*
 * What is to be followed: one request, or any request for a URL, that came in by a
 * socket.
 */
struct follow {
	const struct ngc_router *router;
	const struct socket *socket;
	struct asked asked;
	bool coarse; /* what a map and its like give is one unknown, not a way for each */
	struct ngc_buf *steps; /* NULL: nobody asks */
};

/*
 * The socket a request for the URL comes in by: of those of its port the one whose
 * address the URL names, else one with a server of that name, else the wildcard address,
 * else the first.  NULL: nginx does not listen on the port.
 */
const struct socket *follow_socket(const struct ngc_router *r, const struct ngc_url *url,
    struct ngc_bytes host);

/*
 * Run once for every way the request may go, and hand each finished run over.  What the
 * run holds is gone afterwards.  r->choices->overflow in the last one: there are more
 * ways. False: no memory, or done() said so.
 */
bool follow_ways(const struct follow *f, bool (*done)(void *arg, struct run *r),
    void *arg);

#endif
