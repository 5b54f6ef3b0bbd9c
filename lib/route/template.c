/* SPDX-License-Identifier: BSD-2-Clause */
#include "template.h"

#include "ngc/variable.h"

/* nginx's ngx_http_script_compile(). */

static const struct {
	const char *name;
	enum variable var;
} names[] = {
	{ "scheme", VAR_SCHEME },
	{ "request_method", VAR_REQUEST_METHOD },
	{ "host", VAR_HOST },
	{ "http_host", VAR_HTTP_HOST },
	{ "request_uri", VAR_REQUEST_URI },
	{ "uri", VAR_URI },
	{ "document_uri", VAR_URI },
	{ "args", VAR_ARGS },
	{ "query_string", VAR_ARGS },
	{ "is_args", VAR_IS_ARGS },
	{ "server_name", VAR_SERVER_NAME },
	{ "server_port", VAR_SERVER_PORT },
	{ "https", VAR_HTTPS },
	{ "proxy_host", VAR_PROXY_HOST },
	{ "proxy_port", VAR_PROXY_PORT },
	{ "slice_range", VAR_SLICE_RANGE },
	{ "request_body", VAR_REQUEST_BODY },
	{ "document_root", VAR_DOCUMENT_ROOT },
	{ "realpath_root", VAR_REALPATH_ROOT },
	{ "remote_user", VAR_REMOTE_USER },
};

static const struct {
	const char *prefix;
	enum variable var;
} families[] = {
	{ "arg_", VAR_ARG },
	{ "http_", VAR_HTTP },
	{ "cookie_", VAR_COOKIE },
};

enum variable variable_find(struct ngc_bytes name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ngc_bytes_equal(name, ngc_bytes_of(names[i].name)))
			return names[i].var;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (ngc_bytes_starts(name, ngc_bytes_of(families[i].prefix)))
			return families[i].var;
	return VAR_OTHER;
}

struct ngc_bytes variable_suffix(const struct part *p)
{
	const unsigned char *end = memchr(p->text.p, '_', p->text.n);

	return end != NULL ? ngc_bytes_from(p->text, (size_t)(end - p->text.p) + 1)
			   : p->text;
}

/*
 * Take the variable at the start of *s ("$x", "${x}", "$1") off; false: nginx refuses it.
 */
static bool take_variable(struct ngc_bytes *s, struct ngc_bytes *name)
{
	struct ngc_bytes left = ngc_bytes_from(*s, 1);
	bool braces = left.n > 0 && left.p[0] == '{';
	size_t n = 0;

	if (braces)
		left = ngc_bytes_from(left, 1);
	if (!braces && left.n > 0 && left.p[0] >= '1' && left.p[0] <= '9')
		n = 1;
	else
		while (n < left.n && ngc_variable_char(left.p[n]))
			n++;
	if (n == 0 || (braces && (n == left.n || left.p[n] != '}')))
		return false;
	*name = ngc_bytes(left.p, n);
	*s = ngc_bytes_from(left, n + braces);
	return true;
}

static enum ngc_code add_variable(struct ngc_arena *a, struct template *t,
    struct ngc_bytes *left, struct ngc_error *err)
{
	struct part *p = &t->parts[t->n];
	struct ngc_bytes name;

	if (!take_variable(left, &name))
		return ngc_fail(err, NGC_INVALID, 0, "invalid variable name in \"%s\"",
		    (const char *)t->text.p);
	p->text = ngc_arena_lower(a, name);
	if (p->text.p == NULL)
		return ngc_no_memory(err);
	p->var = name.n == 1 && name.p[0] >= '1' && name.p[0] <= '9'
		     ? VAR_CAPTURE
		     : variable_find(p->text);
	t->n++;
	return NGC_OK;
}

enum ngc_code template_compile(struct ngc_arena *a, struct ngc_bytes text,
    struct template *out, struct ngc_error *err)
{
	struct ngc_bytes left = text;
	size_t max = 1;

	for (size_t i = 0; i < text.n; i++)
		max += text.p[i] == '$' ? 2 : 0;
	*out = (struct template){ .text = text };
	out->parts = ngc_arena_alloc(a, max, sizeof(*out->parts));
	if (out->parts == NULL)
		return ngc_no_memory(err);
	while (left.n > 0) {
		const unsigned char *dollar = memchr(left.p, '$', left.n);
		size_t n = dollar != NULL ? (size_t)(dollar - left.p) : left.n;

		if (n > 0)
			out->parts[out->n++] = (struct part){ VAR_TEXT,
				ngc_bytes(left.p, n) };
		left = ngc_bytes_from(left, n);
		if (left.n > 0) {
			enum ngc_code code = add_variable(a, out, &left, err);

			if (code != NGC_OK)
				return code;
		}
	}
	return NGC_OK;
}
