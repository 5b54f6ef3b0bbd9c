/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <string.h>

#include "ngc/units.h"
#include "out_stats.h"

static const struct cmd_opt stats_opts[] = {
	{ OPT_BY, 0, "by", "WHAT,...", "group by host, path[:DEPTH], type, status, ..." },
	{ OPT_TOP, 0, "top", "N", "the N largest groups, the rest as other" },
	{ OPT_FORMAT, 0, "format", "FORMAT", "table (default), csv or prometheus" },
	{ OPT_OUTPUT, 'o', "output", "FILE", "write to FILE, whole and then renamed" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const stats_synopsis[] = { "stats [options] [URL...]", NULL };

typedef void render(struct ngc_buf *b, const struct out_stats *o);

struct stats {
	struct cmd_env *env;
	struct ngc_by *by;
	size_t top;
	render *render;
	const char *file; /* NULL: standard output */
	struct ngc_stats result;
};

static bool take_by(struct stats *s, const struct cmd_args *args)
{
	struct ngc_error err;

	for (size_t i = 0; i < args->n_opts; i++) {
		if (args->opts[i].id != OPT_BY ||
		    ngc_by_add(&s->by, args->opts[i].value, &err) == NGC_OK)
			continue;
		ngc_wrap(&err, "--by");
		ui_print_error(&err);
		return false;
	}
	return true;
}

static bool take_top(struct stats *s, const struct cmd_args *args)
{
	const char *top = cmd_args_get(args, OPT_TOP);
	int64_t n;

	if (top == NULL)
		return true;
	if (!ngc_parse_number(ngc_bytes_of(top), &n) || n < 1) {
		ui_error("--top '%s': expected a number from 1", top);
		return false;
	}
	if (s->by == NULL) {
		ui_error("--top goes with --by only");
		return false;
	}
	s->top = (size_t)n;
	return true;
}

static bool take_format(struct stats *s, const struct cmd_args *args)
{
	static const struct {
		const char *name;
		render *render;
	} formats[] = { { "table", out_stats_table }, { "csv", out_stats_csv },
		{ "prometheus", out_stats_prometheus } };
	const char *format = cmd_args_get(args, OPT_FORMAT);

	s->render = s->env->json ? out_stats_json : out_stats_table;
	if (format == NULL)
		return true;
	if (s->env->json) {
		ui_error("stats: --json and --format exclude each other");
		return false;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		s->render = formats[i].render;
		if (strcmp(format, formats[i].name) == 0)
			return true;
	}
	ui_error("--format '%s': expected table, csv or prometheus", format);
	return false;
}

/* False: it could not be written; what is wrong with standard output, out_finish() tells.
 */
static bool write_out(const struct stats *s)
{
	struct out_stats o = { .env = s->env,
		.by = s->by,
		.s = &s->result,
		.columns = s->file == NULL ? s->env->columns : 0 };
	struct ngc_buf b = { 0 };
	enum ngc_code code = NGC_OK;
	struct ngc_error err;

	s->render(&b, &o);
	if (s->file == NULL)
		out_write(&b);
	else
		code = b.failed ? ngc_no_memory(&err)
				: file_replace(s->file, ngc_buf_bytes(&b), &err);
	if (code != NGC_OK)
		ui_print_error(&err);
	ngc_buf_free(&b);
	return code == NGC_OK;
}

static void tell_crowded(const struct stats *s)
{
	if (s->result.crowded > 0 && !s->env->quiet)
		ui_error("too many groups: %llu entries of those met last are in other",
		    (unsigned long long)s->result.crowded);
}

static int execute(struct stats *s, const struct cmd_args *args)
{
	struct ngc_select_run run = opts_selection_run(s->env);
	struct ngc_stats_request req = { .by = s->by, .top = s->top };
	struct ngc_error err;
	enum ngc_code code;
	int status;

	run.damaged_met = s->env->verbose ? ui_damaged_met : NULL;
	run.explain_misses = s->render == out_stats_table && !s->env->quiet;
	code = ngc_stats_collect(&run, &req, &s->result, &err);
	ui_walked(s->env, &s->result.found);
	ui_ambiguous(&s->result.found);
	tell_crowded(s);
	status = code == NGC_OK ? ui_selection_status(s->env, &s->result.found, args)
				: ui_failed(&err);
	if (run.explain_misses && status == EXIT_DONE)
		ui_misses(s->env, &s->result.found);
	if (status == EXIT_USAGE || s->result.zones == NULL)
		return status;
	if (s->file != NULL && *s->env->stop != 0)
		return status; /* half of the figures must not replace whole ones */
	return write_out(s) ? status : EXIT_PARTIAL;
}

static int stats_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct stats s = { .env = env, .file = cmd_args_get(args, OPT_OUTPUT) };
	int status = EXIT_USAGE;

	if (s.file != NULL && strcmp(s.file, "-") == 0)
		s.file = NULL;
	if (take_by(&s, args) && take_top(&s, args) && take_format(&s, args))
		status = execute(&s, args);
	ngc_stats_free(&s.result);
	ngc_by_free(s.by);
	return status;
}

const struct cmd cmd_stats = {
	.name = "stats",
	.summary = "counts and bytes of the entries, by what you like",
	.synopsis = stats_synopsis,
	.opts = stats_opts,
	.flags = CMD_SELECTS | CMD_CACHES | CMD_ARCHIVES,
	.run = stats_run,
};
