/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "ngc/show.h"
#include "ngc/text.h"
#include "out_entry.h"
#include "out_variants.h"
#include "request.h"

static const struct cmd_opt show_opts[] = {
	{ OPT_REQUEST, 'X', "request", "METHOD", "the request's method (default: GET)" },
	{ OPT_HEADER, 'H', "header", "HEADER",
	    "a header of the request, NAME: VALUE; repeatable" },
	{ OPT_BODY, 0, "body", NULL, "write the stored body, as it is" },
	{ OPT_DECODE, 0, "decode", NULL,
	    "with --body: undo gzip, deflate, br and zstd" },
	{ OPT_VARIANTS, 0, "variants", NULL,
	    "also the other entries of its key, by a walk" },
	{ OPT_KEY, 0, "key", "KEY", "the entry of this key" },
	{ OPT_FILE, 0, "file", "PATH", "the entry in this cache file" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const show_synopsis[] = { "show [options] URL",
	"show [options] --key KEY", "show [options] --file PATH", NULL };

static enum ngc_code write_piece(void *arg, const void *p, size_t n,
    struct ngc_error *err)
{
	struct ngc_buf *b = arg;

	(void)err;
	ngc_buf_add(b, p, n);
	return out_write(b) ? NGC_OK : NGC_GONE;
}

static int show_body(const struct ngc_shown *shown, bool decode)
{
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	enum ngc_code code = ngc_shown_body(shown, decode, write_piece, &b, &err);

	ngc_buf_free(&b);
	return code == NGC_OK || code == NGC_GONE ? EXIT_DONE : ui_failed(&err);
}

static enum ngc_code render(struct ngc_buf *b, struct ngc_entry *e,
    const struct out_variants *variants, struct ngc_error *err)
{
	struct cmd_env *env = variants->env;
	enum ngc_code code;

	if (env->json) {
		ngc_buf_add_char(b, '{');
		code = out_entry_json(b, env, e, err);
		out_entry_json_more(b, e, variants);
		ngc_buf_add_str(b, "}\n");
	} else {
		code = out_entry_text(b, env, e, err);
		out_variants_text(b, variants, 14);
	}
	return code;
}

static int show_entry(struct cmd_env *env, struct ngc_entry *e, bool variants)
{
	struct out_variants others = { .env = env, .asked = variants };
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	enum ngc_code code = out_variants_find(&others, ngc_cache_zone(e->cache),
	    e->header.key, e, &err);
	int status = others.failed > 0 ? EXIT_PARTIAL : EXIT_DONE;

	if (code == NGC_OK)
		code = render(&b, e, &others, &err);
	if (code == NGC_OK)
		out_write(&b);
	ngc_buf_free(&b);
	out_variants_free(&others);
	return code == NGC_OK ? status : ui_failed(&err);
}

/* Where nginx would look for the answer to the request. */
static void text_located(struct ngc_buf *b, const struct ngc_located *l)
{
	const struct ngc_explanation *e = l->explanation;

	ngc_buf_add_str(b, "looked up:\n    ");
	ngc_text_escape(b, e->key);
	ngc_buf_printf(b, "\n        %s/%s%s\n", e->zone->path, l->dir, l->name);
}

/* On standard error: the answer is no. */
static void tell_miss(const struct cmd_env *env, const char *what,
    const struct ngc_shown *shown)
{
	struct ngc_buf b = { 0 };

	ui_error("%s: not cached", what);
	if (shown->found.n_selectors > 0)
		out_miss_text(&b, env, &shown->found.selectors[0]);
	else if (shown->located.placed)
		text_located(&b, &shown->located);
	if (shown->located.placed && strchr(what, '*') != NULL)
		ngc_buf_add_str(&b, "a '*' stands for itself here: 'ngxcache list' takes "
				    "patterns\n");
	if (!env->quiet && !b.failed && b.n > 0)
		fwrite(b.p, 1, b.n, stderr);
	ngc_buf_free(&b);
}

static bool args_are_right(const struct cmd_env *env, const struct cmd_args *args)
{
	if (ngc_select_selectors(env->select) != 1) {
		ui_error(
		    "show: expected one URL, --key or --file; see 'ngxcache help show'");
		return false;
	}
	if (args->n_words == 0 &&
	    (cmd_args_has(args, OPT_REQUEST) || cmd_args_has(args, OPT_HEADER))) {
		ui_error("show: -X and -H go with a URL");
		return false;
	}
	if (cmd_args_has(args, OPT_DECODE) && !cmd_args_has(args, OPT_BODY)) {
		ui_error("show: --decode goes with --body");
		return false;
	}
	if (cmd_args_has(args, OPT_BODY) &&
	    (env->json || cmd_args_has(args, OPT_VARIANTS))) {
		ui_error("show: %s and --body exclude each other",
		    env->json ? "--json" : "--variants");
		return false;
	}
	return true;
}

static const char *asked_for(const struct cmd_args *args)
{
	const char *key = cmd_args_get(args, OPT_KEY);

	if (args->n_words > 0)
		return args->words[0];
	return key != NULL ? key : cmd_args_get(args, OPT_FILE);
}

static int show_found(struct cmd_env *env, const struct cmd_args *args,
    const struct ngc_explain_request *req)
{
	struct ngc_select_run run = opts_selection_run(env);
	struct ngc_shown shown;
	struct ngc_error err;
	enum ngc_code code;
	int status;

	run.explain_misses = true;
	code = ngc_show(&run, req, &shown, &err);
	if (code == NGC_GONE && shown.found.failed > 0) {
		status = EXIT_PARTIAL; /* each failure has its line */
	} else if (code == NGC_GONE) {
		tell_miss(env, asked_for(args), &shown);
		status = EXIT_NO;
	} else if (code != NGC_OK) {
		status = ui_failed(&err);
	} else {
		status = cmd_args_has(args, OPT_BODY)
			   ? show_body(&shown, cmd_args_has(args, OPT_DECODE))
			   : show_entry(env, shown.entry,
				 cmd_args_has(args, OPT_VARIANTS));
	}
	ngc_shown_free(&shown);
	return status;
}

static int show_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_explain_request req;
	struct request_line line = { 0 };
	int status = EXIT_USAGE;

	if (!args_are_right(env, args))
		return EXIT_USAGE;
	if (args->n_words == 0)
		return show_found(env, args, NULL);
	if (request_read(&line, args)) {
		req = request_of(&line);
		status = show_found(env, args, &req);
	}
	request_free(&line);
	return status;
}

const struct cmd cmd_show = {
	.name = "show",
	.summary = "show one entry in full",
	.synopsis = show_synopsis,
	.opts = show_opts,
	.flags = CMD_SELECTS_ONE | CMD_CACHES | CMD_ARCHIVES,
	.run = show_run,
};
