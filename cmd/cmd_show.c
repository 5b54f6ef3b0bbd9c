/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <stdio.h>
#include <strings.h>

#include "ngc/show.h"
#include "out_entry.h"

static const struct cmd_opt show_opts[] = {
	{ OPT_BODY, 0, "body", NULL, "write the stored body, as it is" },
	{ OPT_KEY, 0, "key", "KEY", "the entry of this key" },
	{ OPT_FILE, 0, "file", "PATH", "the entry in this cache file" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const show_synopsis[] = { "show [options] URL", "show [options] --key KEY",
	"show [options] --file PATH", NULL };

static enum ngc_code write_piece(void *arg, const void *p, size_t n, struct ngc_error *err)
{
	struct ngc_buf *b = arg;

	(void)err;
	ngc_buf_add(b, p, n);
	return out_write(b) ? NGC_OK : NGC_GONE;
}

static int show_body(const struct ngc_shown *shown)
{
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	enum ngc_code code = ngc_shown_body(shown, write_piece, &b, &err);

	ngc_buf_free(&b);
	return code == NGC_OK || code == NGC_GONE ? EXIT_DONE : ui_failed(&err);
}

static int show_entry(struct cmd_env *env, struct ngc_shown *shown)
{
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	enum ngc_code code;

	if (env->json) {
		ngc_buf_add_char(&b, '{');
		code = out_entry_json(&b, env, &shown->entry, &err);
		out_entry_json_more(&b, &shown->entry);
		ngc_buf_add_str(&b, "}\n");
	} else {
		code = out_entry_text(&b, env, &shown->entry, &err);
	}
	if (code == NGC_OK)
		out_write(&b);
	ngc_buf_free(&b);
	return code == NGC_OK ? EXIT_DONE : ui_failed(&err);
}

/* On standard error: the answer is no. */
static void tell_miss(const struct cmd_env *env, const struct ngc_selector_result *s)
{
	struct ngc_buf b = { 0 };

	ui_error("%s: not cached", s->text);
	out_miss_text(&b, env, s);
	if (!env->quiet && !b.failed)
		fwrite(b.p, 1, b.n, stderr);
	ngc_buf_free(&b);
}

/* "http" or "https", as the URL asked for; NULL: it was not a URL. */
static const char *scheme_of(const struct cmd_args *args)
{
	if (args->n_words == 0)
		return NULL;
	return strncasecmp(args->words[0], "https:", 6) == 0 ? "https" : "http";
}

static int show_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_select_run run = { .site = env->site,
		.select = env->select,
		.now = env->now,
		.jobs = env->jobs,
		.walking = env->walking,
		.loose = env->loose,
		.explain_misses = true,
		.stop = env->stop,
		.damaged_met = env->verbose ? ui_damaged_met : NULL,
		.problem = ui_problem };
	struct ngc_shown shown;
	struct ngc_error err;
	enum ngc_code code;
	int status;

	if (ngc_select_selectors(env->select) != 1) {
		ui_error("show: expected one URL, --key or --file; see 'ngxcache help show'");
		return EXIT_USAGE;
	}
	if (env->json && cmd_args_has(args, OPT_BODY)) {
		ui_error("show: --json and --body exclude each other");
		return EXIT_USAGE;
	}
	code = ngc_show(&run, scheme_of(args), &shown, &err);
	if (code == NGC_GONE) {
		tell_miss(env, &shown.found.selectors[0]);
		status = shown.found.failed > 0 ? EXIT_PARTIAL : EXIT_NO;
	} else if (code != NGC_OK) {
		status = ui_failed(&err);
	} else {
		status = cmd_args_has(args, OPT_BODY) ? show_body(&shown)
						      : show_entry(env, &shown);
	}
	ngc_shown_free(&shown);
	return status;
}

const struct cmd cmd_show = {
	.name = "show",
	.summary = "show one entry in full",
	.synopsis = show_synopsis,
	.opts = show_opts,
	.flags = CMD_SELECTS_ONE,
	.run = show_run,
};
