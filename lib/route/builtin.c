/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/units.h"
#include "run.h"

/* nginx's own variables, as far as a request determines them. */

static struct value text(struct run *r, struct ngc_bytes s)
{
	return value_text(r->arena, s, false);
}

static struct value open_value(struct run *r, const struct part *p, enum grammar g,
    bool hard)
{
	struct value_builder b = { .arena = r->arena };

	value_add_unknown(&b, run_unknown(r, p->text, g, hard));
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

static struct value printed(struct run *r, struct ngc_buf *b)
{
	char *copy = b->failed ? NULL : ngc_arena_copy(r->arena, b->p, b->n);
	struct value v = text(r, ngc_bytes(copy, copy != NULL ? b->n : 0));

	r->failed = r->failed || copy == NULL;
	ngc_buf_free(b);
	return v;
}

enum grammar variable_grammar(const struct part *p)
{
	static const struct {
		const char *name;
		enum grammar grammar;
	} known[] = {
		{ "http_accept", GRAMMAR_ACCEPT },
		{ "http_accept_encoding", GRAMMAR_CODINGS },
		{ "http_accept_language", GRAMMAR_LANGUAGES },
		{ "http_origin", GRAMMAR_ORIGIN },
		{ "remote_addr", GRAMMAR_ADDRESS },
		{ "hostname", GRAMMAR_HOST },
		{ "slice_range", GRAMMAR_RANGE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ngc_bytes_equal(p->text, ngc_bytes_of(known[i].name)))
			return known[i].grammar;
	return GRAMMAR_ANY;
}

static struct value header_value(struct run *r, const struct part *p,
    struct ngc_bytes name)
{
	if (r->asked->all)
		return open_value(r, p, variable_grammar(p), false);
	return text(r, run_header(r, name));
}

static struct value cookie_value(struct run *r, const struct part *p)
{
	if (r->asked->all)
		return open_value(r, p, GRAMMAR_ANY, false);
	return text(r, run_cookie(r, variable_suffix(p)));
}

static int base64_digit(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The user of "Basic BASE64". */
static struct value user_value(struct run *r, const struct part *p)
{
	struct ngc_bytes s;
	struct ngc_buf b = { 0 };
	unsigned v = 0, bits = 0;

	if (r->asked->all)
		return open_value(r, p, GRAMMAR_ANY, false);
	s = run_header(r, ngc_bytes_of("authorization"));
	if (s.n < 6 || !ngc_bytes_same(ngc_bytes(s.p, 6), ngc_bytes_of("basic ")))
		return text(r, ngc_bytes("", 0));
	for (size_t i = 6; i < s.n && base64_digit(s.p[i]) >= 0; i++) {
		v = v << 6 | (unsigned)base64_digit(s.p[i]);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		if ((v >> bits & 0xff) == ':')
			break;
		ngc_buf_add_char(&b, (char)(v >> bits & 0xff));
	}
	return printed(r, &b);
}

static struct value is_args_value(struct run *r)
{
	const struct unknown *u = value_unknown(r->args);
	bool any = value_bytes(r->arena, r->args).n > 0;

	if (u != NULL && u == r->any_args) /* what follows it has its place */
		return text(r, ngc_bytes_of("?"));
	if (!any && u != NULL)
		any = run_choose(r, 2, u) == 1;
	return value_text(r->arena, ngc_bytes_of(any ? "?" : ""), true);
}

static struct value argument_value(struct run *r, const struct part *p)
{
	struct ngc_bytes left = value_bytes(r->arena, r->args), name = variable_suffix(p);

	if (value_unknown(r->args) != NULL)
		return open_value(r, p, GRAMMAR_ARGUMENT, false);
	while (left.n > 0) {
		const unsigned char *end = memchr(left.p, '&', left.n);
		struct ngc_bytes one = ngc_bytes(left.p,
		    end ? (size_t)(end - left.p) : left.n);

		if (one.n > name.n && one.p[name.n] == '=' &&
		    ngc_bytes_same(ngc_bytes(one.p, name.n), name))
			return text(r, ngc_bytes_from(one, name.n + 1));
		left = ngc_bytes_from(left, end ? one.n + 1 : one.n);
	}
	return text(r, ngc_bytes("", 0));
}

static struct value server_name_value(struct run *r, const struct part *p)
{
	struct ngc_bytes s = sockets_name(&r->router->sockets, r->server->names[0]);
	struct ngc_buf b = { 0 };

	if (ngc_bytes_equal(s, ngc_bytes_of("$hostname")))
		return open_value(r, p, GRAMMAR_HOST, true);
	if (s.n > 1 && s.p[0] == '.')
		s = ngc_bytes_from(s, 1);
	for (size_t i = 0; i < s.n; i++)
		ngc_buf_add_char(&b,
		    (char)(s.p[0] != '~' && s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] | 0x20
									   : s.p[i]));
	return printed(r, &b);
}

/* Where the slice begins that a Range header asks for first. */
static int64_t range_start(struct ngc_bytes s)
{
	int64_t start = 0;
	size_t i = 6;

	if (s.n < 7 || !ngc_bytes_same(ngc_bytes(s.p, 6), ngc_bytes_of("bytes=")) ||
	    memchr(s.p, ',', s.n) != NULL)
		return 0;
	while (i < s.n && s.p[i] == ' ')
		i++;
	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && start < INT64_MAX / 20; i++)
		start = start * 10 + (s.p[i] - '0');
	return start;
}

static struct value slice_value(struct run *r, const struct part *p)
{
	const struct ngc_directive *d = run_setting(r->level, "slice");
	struct ngc_buf b = { 0 };
	int64_t size = 0, start = 0;

	if (d == NULL || d->n_words != 2 || !ngc_parse_size(d->words[1], &size) ||
	    size == 0)
		return text(r, ngc_bytes("", 0));
	if (r->asked->all)
		return open_value(r, p, variable_grammar(p), false);
	start = range_start(run_header(r, ngc_bytes_of("range"))) / size * size;
	ngc_buf_printf(&b, "bytes=%lld-%lld", (long long)start,
	    (long long)(start + size - 1));
	return printed(r, &b);
}

/*
 * A body that does not fit into the buffer goes to a file, and the variable is empty. One
 * that is a little larger, or fits behind the header into the buffer for that (1 KB), may
 * be read into memory all the same: it depends on how it comes.
 */
#define HEADER_BUFFER 1024

static struct value body_value(struct run *r, const struct part *p)
{
	const struct ngc_directive *size = run_setting(r->level,
	    "client_body_buffer_size");
	const struct ngc_directive *file =
	    run_setting(r->level, "client_body_in_file_only");
	int64_t buffer = 16384, n = (int64_t)r->asked->body.n;

	if (size != NULL && size->n_words == 2)
		ngc_parse_size(size->words[1], &buffer);
	if (r->asked->all ||
	    (n >= buffer && (n < buffer + buffer / 4 || n < HEADER_BUFFER)))
		return open_value(r, p, GRAMMAR_ANY, false);
	if (n >= buffer || (n > 0 && file != NULL && file->n_words == 2 &&
			       !ngc_bytes_equal(file->words[1], ngc_bytes_of("off"))))
		return text(r, ngc_bytes("", 0));
	return text(r, r->asked->body);
}

static struct value length_value(struct run *r, const struct part *p)
{
	struct ngc_bytes given;
	struct ngc_buf b = { 0 };

	if (r->asked->all)
		return open_value(r, p, GRAMMAR_ANY, false);
	given = run_header(r, p->text);
	if (given.n > 0 || r->asked->body.p == NULL)
		return text(r, given);
	ngc_buf_printf(&b, "%zu", r->asked->body.n);
	return printed(r, &b);
}

/* What fastcgi_split_path_info makes of the URI. */
static void split_path_info(struct run *r, struct ngc_bytes *script,
    struct ngc_bytes *info)
{
	const struct ngc_directive *d = run_setting(r->level, "fastcgi_split_path_info");
	const struct regex *x;
	struct captures c;

	*script = r->uri;
	*info = ngc_bytes("", 0);
	if (d == NULL || d->n_words != 2)
		return;
	x = regexes_get(r->router->regexes, d->words[1], false);
	if (x == NULL || !regex_match(x, r->uri, &c) || c.n < 3)
		return;
	*script = ngc_bytes(r->uri.p, c.group[1].n);
	*info = c.group[2];
}

static struct value script_value(struct run *r)
{
	const struct ngc_directive *d = run_setting(r->level, "fastcgi_index");
	struct value_builder b = { .arena = r->arena };
	struct ngc_bytes script, info;

	split_path_info(r, &script, &info);
	value_add_text(&b, script, true);
	if (d != NULL && d->n_words == 2 && script.n > 0 &&
	    script.p[script.n - 1] == '/')
		value_add_text(&b, d->words[1], true);
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

static struct value path_info_value(struct run *r)
{
	struct ngc_bytes script, info;

	split_path_info(r, &script, &info);
	return value_text(r->arena, info, true);
}

static struct value filename_value(struct run *r, const struct part *p)
{
	return r->open_uri.n > 0 ? open_value(r, p, GRAMMAR_ANY, false)
				 : run_file_name(r, r->uri);
}

static struct value protocol_value(struct run *r, const struct part *p)
{
	static const char *const versions[] = { "HTTP/1.1", "HTTP/2.0", "HTTP/1.0" };
	unsigned i = r->asked->all
			 ? run_choose(r, 3, run_unknown(r, p->text, GRAMMAR_ANY, false))
			 : 0;

	return text(r, ngc_bytes_of(versions[i]));
}

/* The line as the client sent it. */
static struct value request_value(struct run *r)
{
	static const struct part protocol = { VAR_OTHER,
		{ (const unsigned char *)"server_protocol", 15 } };
	struct value_builder b = { .arena = r->arena };

	r->used_method = true;
	value_add_text(&b, r->asked->method, false);
	value_add_text(&b, ngc_bytes_of(" "), false);
	value_add(&b, r->target);
	value_add_text(&b, ngc_bytes_of(" "), false);
	value_add(&b, protocol_value(r, &protocol));
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

/* Those that are asked for less often. */
static bool rare_builtin(struct run *r, const struct part *p, struct value *out)
{
	if (ngc_bytes_equal(p->text, ngc_bytes_of("request_filename")))
		*out = filename_value(r, p);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("server_protocol")))
		*out = protocol_value(r, p);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("request")))
		*out = request_value(r);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("fastcgi_script_name")))
		*out = script_value(r);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("fastcgi_path_info")))
		*out = path_info_value(r);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("content_type")))
		*out = header_value(r, p, p->text);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("content_length")))
		*out = length_value(r, p);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("hostname")) &&
		 r->router->sockets.hostname.p != NULL)
		*out = text(r, r->router->sockets.hostname);
	else if (ngc_bytes_equal(p->text, ngc_bytes_of("remote_addr")) ||
		 ngc_bytes_equal(p->text, ngc_bytes_of("hostname")))
		*out = open_value(r, p, variable_grammar(p), true);
	else
		return false;
	return true;
}

bool run_builtin(struct run *r, const struct part *p, struct value *out)
{
	const struct asked *q = r->asked;
	struct ngc_buf b = { 0 };

	switch (p->var) {
	case VAR_SCHEME:
		r->used_scheme = true;
		*out = text(r, q->scheme);
		return true;
	case VAR_HTTPS:
		r->used_scheme = true;
		*out = text(r, ngc_bytes_of(q->scheme.n == 5 ? "on" : ""));
		return true;
	case VAR_REQUEST_METHOD:
		r->used_method = true;
		*out = text(r, r->method);
		return true;
	case VAR_HOST:
		*out = text(r, q->host);
		return true;
	case VAR_HTTP_HOST:
		r->used_http_host = true;
		*out = text(r, q->http_host);
		return true;
	case VAR_REQUEST_URI:
		*out = r->target;
		return true;
	case VAR_URI:
		*out = r->open_uri.n > 0 ? r->open_uri
					 : value_text(r->arena, r->uri, true);
		return true;
	case VAR_ARGS:
		*out = r->args;
		return true;
	case VAR_IS_ARGS:
		*out = is_args_value(r);
		return true;
	case VAR_SERVER_NAME:
		*out = server_name_value(r, p);
		return true;
	case VAR_SERVER_PORT:
		if (r->socket->port != 0) /* not a unix socket */
			ngc_buf_printf(&b, "%u", r->socket->port);
		*out = printed(r, &b);
		return true;
	case VAR_PROXY_HOST:
		*out = r->proxy_host;
		return true;
	case VAR_PROXY_PORT:
		*out = r->proxy_port;
		return true;
	case VAR_SLICE_RANGE:
		*out = slice_value(r, p);
		return true;
	case VAR_REQUEST_BODY:
		*out = body_value(r, p);
		return true;
	case VAR_DOCUMENT_ROOT:
		*out = run_document_root(r);
		return true;
	case VAR_REALPATH_ROOT:
		*out = run_real_root(r);
		return true;
	case VAR_REMOTE_USER:
		*out = user_value(r, p);
		return true;
	case VAR_ARG:
		*out = argument_value(r, p);
		return true;
	case VAR_HTTP:
		*out = header_value(r, p, variable_suffix(p));
		return true;
	case VAR_COOKIE:
		*out = cookie_value(r, p);
		return true;
	default:
		return rare_builtin(r, p, out);
	}
}
