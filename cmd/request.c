/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <stdlib.h>
#include <string.h>

static struct ngc_bytes without_blanks(const char *s)
{
	struct ngc_bytes b = ngc_bytes_of(s + strspn(s, " \t"));

	while (b.n > 0 && (b.p[b.n - 1] == ' ' || b.p[b.n - 1] == '\t'))
		b.n--;
	return b;
}

static bool add_header(struct request_line *r, const char *text)
{
	const char *colon = strchr(text, ':');

	if (colon == NULL || colon == text) {
		ui_error("-H '%s': expected NAME: VALUE", text);
		return false;
	}
	if (!ngc_array_grow((void **)&r->headers, r->n_headers, &r->cap_headers,
		sizeof(*r->headers))) {
		ui_error("out of memory");
		return false;
	}
	r->headers[r->n_headers++] = (struct ngc_request_header){
		ngc_bytes(text, (size_t)(colon - text)), without_blanks(colon + 1)
	};
	return true;
}

static bool read_url(struct request_line *r, const char *text)
{
	struct ngc_error err;

	if (ngc_url_parse(ngc_bytes_of(text), &r->url, &err) != NGC_OK) {
		ui_print_error(&err);
		return false;
	}
	if (r->url->host.p == NULL) {
		ui_error("'%s' has no host: expected http://HOST/...", text);
		return false;
	}
	return true;
}

bool request_read(struct request_line *r, const struct cmd_args *args)
{
	const char *data = cmd_args_get(args, OPT_DATA);
	const char *method = cmd_args_get(args, OPT_REQUEST);
	struct ngc_error err;

	*r = (struct request_line){ .method = method != NULL ? method : "GET" };
	if (!read_url(r, args->words[0]))
		return false;
	for (size_t i = 0; i < args->n_opts; i++)
		if (args->opts[i].id == OPT_HEADER && !add_header(r, args->opts[i].value))
			return false;
	if (data == NULL || file_read(data, &r->body, &err) == NGC_OK)
		return true;
	ngc_wrap(&err, "--data");
	ui_print_error(&err);
	return false;
}

struct ngc_explain_request request_of(const struct request_line *r)
{
	return (struct ngc_explain_request){ .url = r->url,
		.method = ngc_bytes_of(r->method),
		.headers = r->headers,
		.n_headers = r->n_headers,
		.body = ngc_buf_bytes(&r->body) };
}

void request_free(struct request_line *r)
{
	ngc_url_free(r->url);
	free(r->headers);
	ngc_buf_free(&r->body);
}
