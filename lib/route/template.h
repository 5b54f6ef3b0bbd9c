/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_TEMPLATE_H
#define ROUTE_TEMPLATE_H

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/mem.h"

/* The variables whose values we know how to compute or to recognise. */
enum variable {
	VAR_TEXT,    /* none: literal text */
	VAR_CAPTURE, /* $1 to $9 */
	VAR_OTHER,   /* by its name */
	VAR_SCHEME,
	VAR_REQUEST_METHOD,
	VAR_HOST,
	VAR_HTTP_HOST,
	VAR_REQUEST_URI,
	VAR_URI,
	VAR_ARGS,
	VAR_IS_ARGS,
	VAR_SERVER_NAME,
	VAR_SERVER_PORT,
	VAR_HTTPS,
	VAR_PROXY_HOST,
	VAR_PROXY_PORT,
	VAR_SLICE_RANGE,
	VAR_REQUEST_BODY,
	VAR_DOCUMENT_ROOT,
	VAR_REALPATH_ROOT,
	VAR_REMOTE_USER,
	VAR_ARG,    /* $arg_NAME */
	VAR_HTTP,   /* $http_NAME */
	VAR_COOKIE, /* $cookie_NAME */
};

/* One piece of a template. */
struct part {
	enum variable var;
	struct ngc_bytes text; /* the text, or the variable's name, lower-cased */
};

/* Text with variables, taken apart: nginx's ngx_http_complex_value_t. */
struct template
{
	struct ngc_bytes text; /* as written */
	struct part *parts;
	size_t n;
};

/*
 * Take text apart; parts and names live in the arena, text is borrowed.
 * NGC_INVALID: nginx would refuse it; the error says why, but not where.
 */
enum ngc_code template_compile(struct ngc_arena *a, struct ngc_bytes text,
    struct template *out, struct ngc_error *err);

/* The variable of that lower-cased name. */
enum variable variable_find(struct ngc_bytes name);

/* What follows the prefix of an $arg_, $http_ or $cookie_ variable's name. */
struct ngc_bytes variable_suffix(const struct part *p);

#endif
