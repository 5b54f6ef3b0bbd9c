/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_EXPLAIN_H
#define NGC_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/request.h"
#include "ngc/route.h"
#include "ngc/url.h"
#include "ngc/zone.h"

/* One request: what is not given is absent from it. */
struct ngc_explain_request {
	const struct ngc_url *url; /* with a host */
	struct ngc_bytes method;
	const struct ngc_request_header *headers;
	size_t n_headers;
	struct ngc_bytes body;
};

enum ngc_cacheable { NGC_CACHEABLE_NO, NGC_CACHEABLE_YES, NGC_CACHEABLE_UNKNOWN };

/* A variable of the key template and what it holds. */
struct ngc_explained_variable {
	const char *name;        /* without its '$' */
	struct ngc_bytes value;  /* absent: not known */
};

/* How nginx would handle the request.  NULL and absent: nothing, or not known. */
struct ngc_explanation {
	const char *reason;           /* why there is no key: "uncached", "no_listener" */
	const char *server_name;      /* the first name of the server that answers */
	const char *location;         /* "MODIFIER PATTERN" */
	const char *const
	    *parents; /* the locations around it, outermost first; NULL-ended */
	const char *const *steps;     /* how it came there, for people; NULL-ended */
	const struct ngc_zone *zone;
	const char *template;         /* the key as written; NULL: the default key */
	struct ngc_bytes key;
	const struct ngc_explained_variable
	    *variables; /* of the template, in its order */
	size_t n_variables;
	const char *const *unknown; /* variables not even a whole request would settle */
	const char *pattern;          /* a regex over keys: what a selector takes */
	bool ambiguous;               /* it leaves entries that may be another URL's */
	enum ngc_cacheable cacheable;
	const char *const *reasons;   /* why it may not be stored; NULL-ended */
};

/*
 * Follow one request.
 * out: on NGC_OK owned by the caller (ngc_explanation_free()), otherwise NULL; it borrows
 * from the router's configuration. NGC_INVALID: the router has no configuration, or a
 * regex that was tried does not compile ("file:line: "PATTERN": reason").
 */
enum ngc_code ngc_route_explain(const struct ngc_router *r,
    const struct ngc_explain_request *req, struct ngc_explanation **out,
    struct ngc_error *err);
void ngc_explanation_free(struct ngc_explanation *e); /* NULL is fine */

#endif
