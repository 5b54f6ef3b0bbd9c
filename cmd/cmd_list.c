/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <stdatomic.h>
#include <unistd.h>

#include "ngc/cache.h"
#include "out_entry.h"

static const struct cmd_opt list_opts[] = {
	{ OPT_NULL, '0', "null", NULL, "paths only, each ended by NUL" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const list_synopsis[] = { "list [options] [URL...]", NULL };

struct list {
	struct cmd_env *env;
	struct out *out;
	bool paths;
	atomic_bool unreadable; /* some entry could not be read */
};

static enum ngc_code write_entry(const struct list *l, struct ngc_buf *b,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	if (l->paths) {
		ngc_entry_path(e, b);
		ngc_buf_add(b, "", 1);
	} else if (l->env->json) {
		ngc_buf_add_char(b, '{');
		code = out_entry_json(b, l->env, e, err);
		ngc_buf_add_str(b, "}\n");
	} else {
		code = out_entry_line(b, l->env, e, err);
	}
	return code;
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct list *l = arg;
	struct ngc_buf *b = out_buffer(l->out, thread);
	size_t start = b->n;
	enum ngc_code code = write_entry(l, b, e, err);

	if (code == NGC_OK) /* nobody reads on: out_finish() knows why */
		return out_line(l->out, thread) ? NGC_OK : NGC_GONE;
	b->n = start;
	if (code != NGC_DENIED)
		return code;
	l->unreadable = true;
	ui_print_error(err);
	return NGC_OK;
}

static int list_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct list l = { .env = env,
		.out = out_new(ngc_walk_jobs(env->jobs)),
		.paths = cmd_args_has(args, OPT_NULL) };
	struct ngc_select_run run = opts_selection_run(env);
	struct ngc_select_result result;
	struct ngc_error err;
	enum ngc_code code;
	int status;

	run.damaged = ngc_select_selectors(env->select) > 0;
	run.damaged_met = env->verbose ? ui_damaged_met : NULL;
	run.explain_misses = !env->json && !l.paths && !env->quiet;
	run.visit = visit;
	run.arg = &l;
	if (l.paths && env->json) {
		ui_error("list: --json and -0 exclude each other");
		out_free(l.out);
		return EXIT_USAGE;
	}
	if (l.out == NULL) {
		ui_error("out of memory");
		return EXIT_PARTIAL;
	}
	if (!env->json && !l.paths && isatty(STDOUT_FILENO))
		ngc_buf_add_str(out_buffer(l.out, 0), out_entry_heading);
	code = ngc_select_execute(&run, &result, &err);
	ui_walked(env, &result);
	ui_ambiguous(&result);
	status = code == NGC_OK || code == NGC_GONE ? EXIT_DONE : ui_failed(&err);
	if (status == EXIT_DONE)
		status = l.unreadable ? EXIT_PARTIAL
				      : ui_selection_status(env, &result, args);
	if (run.explain_misses && status == EXIT_DONE)
		ui_misses(env, &result);
	ngc_select_result_free(&result);
	out_free(l.out);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list entries, one a line",
	.synopsis = list_synopsis,
	.opts = list_opts,
	.flags = CMD_SELECTS | CMD_CACHES,
	.run = list_run,
};
