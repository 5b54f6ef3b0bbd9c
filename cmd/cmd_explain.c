/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <string.h>

#include "jsonw.h"
#include "ngc/locate.h"
#include "ngc/text.h"
#include "out_variants.h"
#include "request.h"

static const struct cmd_opt explain_opts[] = {
	{ OPT_REQUEST, 'X', "request", "METHOD", "the request's method (default: GET)" },
	{ OPT_HEADER, 'H', "header", "HEADER",
	    "a header of the request, NAME: VALUE; repeatable" },
	{ OPT_DATA, 0, "data", "FILE", "the request's body" },
	{ OPT_VARIANTS, 0, "variants", NULL,
	    "also the other entries of the key, by a walk" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const explain_synopsis[] = { "explain [options] URL", NULL };

/* What was asked for, and where the answer would be stored. */
struct explained {
	struct request_line line;
	struct ngc_located at;
	struct out_variants others;
};

static void add_path(struct ngc_buf *b, const struct explained *x)
{
	ngc_buf_printf(b, "%s/%s%s", x->at.explanation->zone->path, x->at.dir,
	    x->at.name);
}

static void json_key(struct ngc_buf *b, const struct explained *x)
{
	struct ngc_bytes key = x->at.explanation->key;

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
	struct ngc_bytes key = x->at.explanation->key;
	char md5[NGC_NAME_LEN + 1];
	struct ngc_buf path = { 0 };

	ngc_key_name(key, md5);
	jsonw_member_str(b, "md5", key.p != NULL ? md5 : NULL);
	if (x->at.placed)
		add_path(&path, x);
	jsonw_member_bytes(b, "file", ngc_buf_bytes(&path));
	jsonw_member_bool(b, "present", x->at.present);
	out_variants_json(b, &x->others);
	b->failed = b->failed || path.failed;
	ngc_buf_free(&path);
}

static void json_document(struct ngc_buf *b, const struct explained *x)
{
	const struct ngc_explanation *e = x->at.explanation;

	ngc_buf_add_char(b, '{');
	jsonw_member_int(b, "schema", 1);
	jsonw_member_str(b, "command", "explain");
	jsonw_member_bytes(b, "url", x->line.url->text);
	jsonw_member_str(b, "method", x->line.method);
	jsonw_member_str(b, "server_name", e->server_name);
	jsonw_member_str(b, "location", e->location);
	jsonw_member_list(b, "parents", e->parents);
	jsonw_member_list(b, "steps", e->steps);
	jsonw_member_str(b, "zone", e->zone != NULL ? e->zone->name : NULL);
	jsonw_member_str(b, "template", e->template);
	json_key(b, x);
	jsonw_member_list(b, "unknown", e->unknown);
	jsonw_member_str(b, "pattern", e->pattern);
	jsonw_member_bool(b, "ambiguous", e->ambiguous);
	json_file(b, x);
	if (e->cacheable == NGC_CACHEABLE_UNKNOWN)
		jsonw_member_null(b, "cacheable");
	else
		jsonw_member_bool(b, "cacheable", e->cacheable == NGC_CACHEABLE_YES);
	jsonw_member_list(b, "reasons", e->reasons);
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

/* What each variable of the template holds. */
static void text_variables(struct ngc_buf *b, const struct ngc_explanation *e)
{
	for (size_t i = 0; i < e->n_variables; i++) {
		const struct ngc_explained_variable *v = &e->variables[i];

		ngc_buf_printf(b, "%-10s $%s ", "", v->name);
		if (v->value.p != NULL) {
			ngc_buf_add_str(b, "= ");
			ngc_text_escape(b, v->value);
		} else {
			ngc_buf_add_str(b, "is not known");
		}
		ngc_buf_add_char(b, '\n');
	}
}

/* The chain from the request to the file. */
static void text_chain(struct ngc_buf *b, const struct cmd_env *env,
    const struct explained *x)
{
	const struct ngc_explanation *e = x->at.explanation;
	struct ngc_buf path = { 0 };

	ngc_buf_printf(b, "%-10s %s ", "request", x->line.method);
	ngc_text_escape(b, x->line.url->text);
	ngc_buf_add_char(b, '\n');
	text_list(b, "", e->steps);
	if (e->zone != NULL)
		text_line(b, "zone", ngc_bytes_of(e->zone->name));
	if (e->template != NULL)
		text_line(b, "template", ngc_bytes_of(e->template));
	text_variables(b, e);
	if (e->key.p != NULL)
		text_line(b, "key", e->key);
	text_list(b, "unknown", e->unknown);
	if (x->at.placed) {
		add_path(&path, x);
		text_line(b, "file", ngc_buf_bytes(&path));
		text_line(b, "", ngc_bytes_of(x->at.present ?
		    ngc_state_name(ngc_header_state(&x->at.entry.header, env->now)) :
		    "not there"));
	}
	out_variants_text(b, &x->others, 10);
	if (e->pattern != NULL)
		text_line(b, "pattern", ngc_bytes_of(e->pattern));
	if (e->ambiguous)
		text_line(b, "",
		    ngc_bytes_of("other keys may be this URL's or a longer one's"));
	text_list(b, "but", e->reasons);
	if (e->reason != NULL)
		text_line(b, "result",
		    ngc_bytes_of(strcmp(e->reason, "no_listener") == 0
				     ? "no server listens on that port"
				     : "nothing is cached for this request"));
	b->failed = b->failed || path.failed;
	ngc_buf_free(&path);
}

static enum ngc_code find_others(struct explained *x, struct ngc_error *err)
{
	const struct ngc_explanation *e = x->at.explanation;

	return x->at.placed ? out_variants_find(&x->others, e->zone, e->key,
				  x->at.present ? &x->at.entry : NULL, err)
			    : NGC_OK;
}

static int explain_request(struct cmd_env *env, struct explained *x)
{
	struct ngc_explain_request req = request_of(&x->line);
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	int status = EXIT_DONE;
	enum ngc_code code = ngc_locate(env->site, &req, &x->at, &err);

	if (code == NGC_OK)
		code = find_others(x, &err);
	if (code != NGC_OK && code != NGC_GONE) {
		status = ui_failed(&err);
		if (x->at.explanation == NULL)
			return status;
		status = EXIT_PARTIAL;
	}
	if (x->others.failed > 0)
		status = EXIT_PARTIAL;
	if (env->json)
		json_document(&b, x);
	else
		text_chain(&b, env, x);
	out_write(&b);
	ngc_buf_free(&b);
	return status;
}

static int explain_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct explained x = { .others = { .env = env,
				   .asked = cmd_args_has(args, OPT_VARIANTS) } };
	int status = EXIT_USAGE;

	if (args->n_words != 1)
		ui_error("explain: expected one URL; see 'ngxcache help explain'");
	else if (request_read(&x.line, args))
		status = explain_request(env, &x);
	out_variants_free(&x.others);
	ngc_located_free(&x.at);
	request_free(&x.line);
	return status;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "how nginx would handle a request, down to key and file",
	.synopsis = explain_synopsis,
	.opts = explain_opts,
	.flags = CMD_WORDS | CMD_CACHES,
	.run = explain_run,
};
