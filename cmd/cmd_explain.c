/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jsonw.h"
#include "ngc/explain.h"
#include "ngc/text.h"

static const struct cmd_opt explain_opts[] = {
	{ OPT_REQUEST, 'X', "request", "METHOD", "the request's method (default: GET)" },
	{ OPT_HEADER, 'H', "header", "HEADER", "a header of the request, NAME: VALUE; repeatable" },
	{ OPT_DATA, 0, "data", "FILE", "the request's body" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const explain_synopsis[] = { "explain [options] URL", NULL };

/* What was asked for, and where the answer would be stored. */
struct explained {
	struct ngc_url *url;
	struct ngc_request_header *headers;
	size_t n_headers, cap_headers;
	struct ngc_buf body;
	const char *method;
	struct ngc_explanation *e;
	char md5[NGC_NAME_LEN + 1], dir[NGC_LEVELS_TEXT];
	bool placed, present;
	enum ngc_state state;
};

static bool add_header(struct explained *x, const char *text)
{
	const char *colon = strchr(text, ':');
	struct ngc_bytes value;

	if (colon == NULL || colon == text) {
		ui_error("--header '%s': expected NAME: VALUE", text);
		return false;
	}
	value = ngc_bytes_of(colon + 1 + strspn(colon + 1, " \t"));
	if (!ngc_array_grow((void **)&x->headers, x->n_headers, &x->cap_headers,
		sizeof(*x->headers))) {
		ui_error("out of memory");
		return false;
	}
	x->headers[x->n_headers++] =
	    (struct ngc_request_header){ ngc_bytes(text, (size_t)(colon - text)), value };
	return true;
}

static bool read_body(struct explained *x, const char *path)
{
	unsigned char piece[16384];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, piece, sizeof(piece))) > 0)
		ngc_buf_add(&x->body, piece, (size_t)n);
	if (n < 0)
		ui_error("--data %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return n == 0 && !x->body.failed;
}

/* The request, from the command line. */
static bool read_request(struct explained *x, const struct cmd_args *args)
{
	const char *data = cmd_args_get(args, OPT_DATA), *method = cmd_args_get(args, OPT_REQUEST);
	struct ngc_error err;

	if (args->n_words != 1) {
		ui_error("explain: expected one URL; see 'ngxcache help explain'");
		return false;
	}
	if (ngc_url_parse(ngc_bytes_of(args->words[0]), &x->url, &err) != NGC_OK) {
		ui_print_error(&err);
		return false;
	}
	if (x->url->host.p == NULL) {
		ui_error("explain: '%s' has no host: expected http://HOST/...", args->words[0]);
		return false;
	}
	x->method = method != NULL ? method : "GET";
	for (size_t i = 0; i < args->n_opts; i++)
		if (args->opts[i].id == OPT_HEADER && !add_header(x, args->opts[i].value))
			return false;
	return data == NULL || read_body(x, data);
}

/* Where the key's file is, and whether it is there. */
static enum ngc_code find_entry(struct cmd_env *env, struct explained *x, struct ngc_error *err)
{
	const struct ngc_zone *z = x->e->zone;
	struct ngc_reader *reader = NULL;
	struct ngc_cache *cache = NULL;
	struct ngc_entry entry;
	enum ngc_code code;

	if (x->e->key.p == NULL)
		return NGC_OK;
	ngc_key_name(x->e->key, x->md5);
	if (z == NULL)
		return NGC_OK;
	x->placed = true;
	ngc_levels_dir(&z->levels, x->md5, x->dir);
	code = ngc_site_cache(env->site, z, &cache, err);
	if (code != NGC_OK)
		return code == NGC_GONE ? NGC_OK : code;
	reader = ngc_reader_new();
	code = reader != NULL ? ngc_entry_open(cache, reader, x->dir, x->md5, &entry, err)
			      : ngc_no_memory(err);
	if (code == NGC_OK) {
		x->present = !entry.damaged;
		if (x->present)
			x->state = ngc_header_state(&entry.header, env->now);
		ngc_entry_close(&entry);
	}
	ngc_reader_free(reader);
	ngc_cache_close(cache);
	return code == NGC_GONE ? NGC_OK : code;
}

static void add_path(struct ngc_buf *b, const struct explained *x)
{
	ngc_buf_printf(b, "%s/%s%s", x->e->zone->path, x->dir, x->md5);
}

static void json_list(struct ngc_buf *b, const char *name, const char *const *list)
{
	jsonw_name(b, name);
	ngc_buf_add_char(b, '[');
	for (; *list != NULL; list++) {
		jsonw_comma(b);
		jsonw_string(b, ngc_bytes_of(*list));
	}
	ngc_buf_add_char(b, ']');
}

static void json_key(struct ngc_buf *b, const struct explained *x)
{
	struct ngc_bytes key = x->e->key;

	jsonw_member_bytes(b, "key", key);
	if (key.p == NULL || ngc_utf8_valid(key))
		return;
	jsonw_name(b, "key_base64");
	ngc_buf_add_char(b, '"');
	ngc_text_base64(b, key);
	ngc_buf_add_char(b, '"');
}

static void json_file(struct ngc_buf *b, const struct explained *x)
{
	struct ngc_buf path = { 0 };

	jsonw_member_str(b, "md5", x->e->key.p != NULL ? x->md5 : NULL);
	if (x->placed)
		add_path(&path, x);
	jsonw_member_bytes(b, "file", ngc_buf_bytes(&path));
	jsonw_member_bool(b, "present", x->present);
	jsonw_member_null(b, "variants");
	b->failed = b->failed || path.failed;
	ngc_buf_free(&path);
}

static void json_document(struct ngc_buf *b, const struct explained *x)
{
	const struct ngc_explanation *e = x->e;

	ngc_buf_add_char(b, '{');
	jsonw_member_int(b, "schema", 1);
	jsonw_member_str(b, "command", "explain");
	jsonw_member_bytes(b, "url", x->url->text);
	jsonw_member_str(b, "method", x->method);
	jsonw_member_str(b, "server_name", e->server_name);
	jsonw_member_str(b, "location", e->location);
	json_list(b, "parents", e->parents);
	json_list(b, "steps", e->steps);
	jsonw_member_str(b, "zone", e->zone != NULL ? e->zone->name : NULL);
	jsonw_member_str(b, "template", e->template);
	json_key(b, x);
	json_list(b, "unknown", e->unknown);
	jsonw_member_str(b, "pattern", e->pattern);
	jsonw_member_bool(b, "ambiguous", e->ambiguous);
	json_file(b, x);
	if (e->cacheable == NGC_CACHEABLE_UNKNOWN)
		jsonw_member_null(b, "cacheable");
	else
		jsonw_member_bool(b, "cacheable", e->cacheable == NGC_CACHEABLE_YES);
	json_list(b, "reasons", e->reasons);
	jsonw_member_str(b, "reason", e->reason);
	ngc_buf_add_str(b, "}\n");
}

static void text_line(struct ngc_buf *b, const char *what, struct ngc_bytes s)
{
	ngc_buf_printf(b, "%-10s ", what);
	ngc_text_escape(b, s);
	ngc_buf_add_char(b, '\n');
}

static void text_list(struct ngc_buf *b, const char *what, const char *const *list)
{
	for (; *list != NULL; list++)
		text_line(b, what, ngc_bytes_of(*list));
}

/* The chain from the request to the file. */
static void text_chain(struct ngc_buf *b, const struct explained *x)
{
	const struct ngc_explanation *e = x->e;
	struct ngc_buf path = { 0 };

	ngc_buf_printf(b, "%-10s %s ", "request", x->method);
	ngc_text_escape(b, x->url->text);
	ngc_buf_add_char(b, '\n');
	text_list(b, "", e->steps);
	if (e->zone != NULL)
		text_line(b, "zone", ngc_bytes_of(e->zone->name));
	if (e->template != NULL)
		text_line(b, "template", ngc_bytes_of(e->template));
	if (e->key.p != NULL)
		text_line(b, "key", e->key);
	text_list(b, "unknown", e->unknown);
	if (x->placed) {
		add_path(&path, x);
		text_line(b, "file", ngc_buf_bytes(&path));
		text_line(b, "", ngc_bytes_of(x->present ? ngc_state_name(x->state)
							 : "not there"));
	}
	if (e->pattern != NULL)
		text_line(b, "pattern", ngc_bytes_of(e->pattern));
	if (e->ambiguous)
		text_line(b, "", ngc_bytes_of("other keys may be this URL's or a longer one's"));
	text_list(b, "but", e->reasons);
	if (e->reason != NULL)
		text_line(b, "result", ngc_bytes_of(strcmp(e->reason, "no_listener") == 0 ?
		    "no server listens on that port" : "nothing is cached for this request"));
	b->failed = b->failed || path.failed;
	ngc_buf_free(&path);
}

static int explain_url(struct cmd_env *env, struct explained *x)
{
	struct ngc_explain_request req = { .url = x->url,
		.method = ngc_bytes_of(x->method),
		.headers = x->headers,
		.n_headers = x->n_headers,
		.body = ngc_buf_bytes(&x->body) };
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	int status = EXIT_DONE;

	if (ngc_route_explain(ngc_site_router(env->site), &req, &x->e, &err) != NGC_OK)
		return ui_failed(&err);
	if (find_entry(env, x, &err) != NGC_OK) {
		ui_print_error(&err);
		status = EXIT_PARTIAL;
	}
	if (env->json)
		json_document(&b, x);
	else
		text_chain(&b, x);
	out_write(&b);
	ngc_buf_free(&b);
	return status;
}

static int explain_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct explained x = { 0 };
	int status = read_request(&x, args) ? explain_url(env, &x) : EXIT_USAGE;

	ngc_explanation_free(x.e);
	ngc_url_free(x.url);
	free(x.headers);
	ngc_buf_free(&x.body);
	return status;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "how nginx would handle a request, down to key and file",
	.synopsis = explain_synopsis,
	.opts = explain_opts,
	.flags = CMD_WORDS,
	.run = explain_run,
};
