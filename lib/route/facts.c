/* SPDX-License-Identifier: BSD-2-Clause */
#include "cover.h"

/* The variables that a request line alone determines. */

/* The first argument of that name: its case does not matter, nothing is decoded. */
static struct ngc_bytes find_argument(struct ngc_bytes args, struct ngc_bytes name)
{
	while (args.n > 0) {
		const unsigned char *end = memchr(args.p, '&', args.n);
		struct ngc_bytes one = ngc_bytes(args.p,
		    end ? (size_t)(end - args.p) : args.n);

		if (one.n > name.n && one.p[name.n] == '=' &&
		    ngc_bytes_same(ngc_bytes(one.p, name.n), name))
			return ngc_bytes_from(one, name.n + 1);
		args = ngc_bytes_from(args, end ? one.n + 1 : one.n);
	}
	return ngc_bytes(NULL, 0);
}

static bool add(struct ngc_buf *out, struct ngc_bytes s)
{
	ngc_buf_add_bytes(out, s);
	return s.p != NULL;
}

bool facts_value(const struct facts *f, const struct part *p, struct ngc_buf *out)
{
	switch (p->var) {
	case VAR_TEXT:
		return add(out, p->text);
	case VAR_SCHEME:
		return add(out, f->scheme);
	case VAR_REQUEST_METHOD:
		return add(out, f->method);
	case VAR_HOST:
		return add(out, f->host);
	case VAR_HTTP_HOST:
		return add(out, f->http_host);
	case VAR_REQUEST_URI:
		return add(out, f->target);
	case VAR_URI:
		return add(out, f->uri);
	case VAR_ARGS:
		ngc_buf_add_bytes(out, f->args);
		return !f->any_query;
	case VAR_IS_ARGS:
		ngc_buf_add_str(out, f->args.n > 0 || f->any_query ? "?" : "");
		return true;
	case VAR_SERVER_NAME:
		return add(out, f->server_name);
	case VAR_SERVER_PORT:
		ngc_buf_printf(out, "%u", f->port);
		return true;
	case VAR_HTTPS:
		ngc_buf_add_str(out,
		    ngc_bytes_equal(f->scheme, ngc_bytes_of("https")) ? "on" : "");
		return true;
	case VAR_ARG:
		ngc_buf_add_bytes(out, find_argument(f->args, variable_suffix(p)));
		return !f->any_query;
	default:
		return false;
	}
}
