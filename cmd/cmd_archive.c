/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <string.h>

#include "jsonw.h"
#include "ngc/archive.h"
#include "out_archive.h"

static const struct cmd_opt archive_opts[] = {
	{ OPT_OUTPUT, 'o', "output", "FILE",
	    ".tar[.gz|.zst|.xz|.lz4] to write; -: a stream" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const archive_synopsis[] = { "archive -o FILE [options] [URL...]",
	NULL };

struct archive {
	struct cmd_env *env;
	bool streamed; /* to standard output */
	struct ngc_archive_result result;
	bool told; /* the failure that is to be reported next stands among them */
};

static bool archive_prepare(const struct cmd_args *args)
{
	const char *file = cmd_args_get(args, OPT_OUTPUT);
	struct ngc_error err;

	if (file == NULL) {
		ui_error("archive: -o FILE is missing");
		return false;
	}
	if (ngc_archive_check_name(file, &err) == NGC_OK)
		return true;
	ui_print_error(&err);
	return false;
}

static void each(void *arg, const struct ngc_entry *e, const struct stat *st,
    enum ngc_archive_fate fate, const struct ngc_error *err)
{
	struct archive *a = arg;
	struct ngc_buf path = { 0 };

	(void)st;
	if (fate != NGC_ARCHIVE_FAILED)
		return;
	ngc_entry_path(e, &path);
	out_errors_add(&a->env->errors, ngc_buf_str(&path), err->text);
	a->told = true;
	ngc_buf_free(&path);
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct archive *a = arg;

	ui_print_error(err);
	if (!a->told)
		out_errors_add(&a->env->errors, NULL, err->text);
	a->told = false;
}

static void progress(void *arg, const struct ngc_archive_result *so_far)
{
	(void)arg;
	out_archive_progress(so_far);
}

static void write_answer(const struct archive *a, const char *file)
{
	struct ngc_buf b = { 0 };

	if (a->env->json)
		out_archive_json(&b, a->env, file, &a->result);
	else if (!a->env->quiet)
		out_archive_text(&b, a->env, file, &a->result);
	out_write(&b);
	ngc_buf_free(&b);
}

static int archive_execute(struct archive *a, const struct cmd_args *args)
{
	const struct cmd_env *env = a->env;
	struct ngc_select_run run = opts_selection_run(env);
	struct ngc_archive_request req = { .run = &run,
		.file = cmd_args_get(args, OPT_OUTPUT),
		.version = VERSION,
		.not_empty = cmd_args_has(args, OPT_FAIL_IF_NONE),
		.each = each,
		.progress = env->quiet ? NULL : progress,
		.arg = a };
	struct ngc_error err;
	enum ngc_code code;
	int status;

	run.pace.progress = NULL; /* req.progress says more */
	run.damaged = ngc_select_selectors(env->select) > 0;
	run.damaged_met = env->verbose ? ui_damaged_met : NULL;
	run.explain_misses = !a->streamed;
	run.problem = problem;
	run.arg = a;
	code = ngc_archive(&req, &a->result, &err);
	ui_progress_end();
	ui_walked(env, &a->result.found);
	ui_ambiguous(&a->result.found);
	status = code == NGC_OK ? ui_selection_status(env, &a->result.found, args)
				: ui_failed(&err);
	if (code != NGC_OK)
		out_errors_add(&a->env->errors, NULL, err.text);
	if (code == NGC_OK && a->result.failed > 0)
		status = EXIT_PARTIAL;
	if (status == EXIT_USAGE || a->streamed)
		return status;
	if (!env->json && !env->quiet && status == EXIT_DONE)
		ui_misses(env, &a->result.found);
	write_answer(a, req.file);
	return status;
}

static int archive_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct archive a = { .env = env,
		.streamed = strcmp(cmd_args_get(args, OPT_OUTPUT), "-") == 0 };
	int status;

	if (a.streamed && env->json) {
		ui_error("archive: -o - and --json both write to standard output");
		return EXIT_USAGE;
	}
	status = archive_execute(&a, args);
	ngc_archive_result_free(&a.result);
	return status;
}

const struct cmd cmd_archive = {
	.name = "archive",
	.summary = "put entries into a tar archive",
	.synopsis = archive_synopsis,
	.opts = archive_opts,
	.flags = CMD_SELECTS | CMD_CACHES,
	.prepare = archive_prepare,
	.run = archive_run,
};
