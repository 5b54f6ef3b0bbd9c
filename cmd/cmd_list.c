/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <stdatomic.h>
#include <string.h>

#include "field.h"
#include "ngc/cache.h"
#include "ngc/sort.h"
#include "ngc/units.h"
#include "out_entry.h"

static const struct cmd_opt list_opts[] = {
	{ OPT_SORT, 0, "sort", "BY", "by key, size, cached, expires or status" },
	{ OPT_REVERSE, 'r', "reverse", NULL, "in the reverse order" },
	{ OPT_LIMIT, 0, "limit", "N", "so many entries at most" },
	{ OPT_FIELDS, 0, "fields", "F,...", "these fields, named as in JSON" },
	{ OPT_FORMAT, 0, "format", "FORMAT", "table (default), tsv or csv" },
	{ OPT_NULL, '0', "null", NULL, "paths only, each ended by NUL" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const list_synopsis[] = { "list [options] [URL...]", NULL };

/* What is written of TSV and CSV when nothing else is asked for. */
#define USUAL_FIELDS "status,state,size,date,key"

struct list {
	struct cmd_env *env;
	struct out *out;
	bool paths, lines; /* -0; for people */
	enum field_format format;
	struct fields fields;
	bool sorted;
	struct ngc_sort sort;
	atomic_uint_fast64_t written;
	atomic_bool unreadable; /* some entry could not be read */
};

static enum ngc_code write_entry(const struct list *l, struct ngc_buf *b,
    struct ngc_entry *e, struct ngc_error *err)
{
	if (l->lines)
		return out_entry_line(b, l->env, e, err);
	if (!l->paths)
		return fields_line(b, l->env, &l->fields, l->format, e, err);
	ngc_entry_path(e, b);
	ngc_buf_add(b, "", 1);
	return NGC_OK;
}

/* NGC_GONE ends the run: nobody reads on, or there are as many as were asked for. */
static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct list *l = arg;
	struct ngc_buf *b = out_buffer(l->out, thread);
	size_t start = b->n;
	enum ngc_code code;

	if (l->sort.limit != 0 && atomic_fetch_add(&l->written, 1) >= l->sort.limit)
		return NGC_GONE;
	code = write_entry(l, b, e, err);
	if (code == NGC_OK) /* nobody reads on: out_finish() knows why */
		return out_line(l->out, thread) ? NGC_OK : NGC_GONE;
	b->n = start;
	if (code != NGC_DENIED)
		return code;
	l->unreadable = true;
	ui_print_error(err);
	return NGC_OK;
}

static bool take_sort(struct list *l, const struct cmd_args *args)
{
	const char *by = cmd_args_get(args, OPT_SORT);
	const char *limit = cmd_args_get(args, OPT_LIMIT);
	int64_t n = 0;

	l->sorted = by != NULL;
	l->sort.reverse = cmd_args_has(args, OPT_REVERSE);
	for (int k = 0; by != NULL; k++) {
		if (k == NGC_SORTS) {
			ui_error("--sort '%s': expected key, size, cached, expires or "
				 "status",
			    by);
			return false;
		}
		l->sort.by = (enum ngc_sort_kind)k;
		if (strcmp(ngc_sort_name(l->sort.by), by) == 0)
			break;
	}
	if (l->sort.reverse && !l->sorted) {
		ui_error("list: -r goes with --sort");
		return false;
	}
	if (limit != NULL && (!ngc_parse_number(ngc_bytes_of(limit), &n) || n < 1)) {
		ui_error("--limit '%s': expected a number from 1 on", limit);
		return false;
	}
	l->sort.limit = (uint64_t)n;
	return true;
}

static bool take_format(struct list *l, const struct cmd_args *args)
{
	const char *format = cmd_args_get(args, OPT_FORMAT);
	const char *names = cmd_args_get(args, OPT_FIELDS);
	bool table = format == NULL || strcmp(format, "table") == 0;

	l->paths = cmd_args_has(args, OPT_NULL);
	if ((l->paths && (l->env->json || format != NULL || names != NULL)) ||
	    (l->env->json && format != NULL)) {
		ui_error("list: %s exclude each other",
		    !l->paths ? "--json and --format"
		    : l->env->json ? "--json and -0"
				   : "-0 and --format or --fields");
		return false;
	}
	if (!table && strcmp(format, "tsv") != 0 && strcmp(format, "csv") != 0) {
		ui_error("--format '%s': expected table, tsv or csv", format);
		return false;
	}
	l->lines = !l->paths && !l->env->json && table && names == NULL;
	l->format = l->env->json			  ? FIELD_JSON
		    : !table && strcmp(format, "csv") == 0 ? FIELD_CSV
							  : FIELD_TSV;
	if (names == NULL && l->env->json) {
		fields_all(&l->fields);
		return true;
	}
	return fields_parse(names != NULL ? names : USUAL_FIELDS, &l->fields);
}

static void add_heading(const struct list *l)
{
	struct ngc_buf *b = out_heading(l->out);

	if (l->lines && l->env->columns > 0)
		out_entry_heading(b, l->env);
	if (!l->lines && !l->paths)
		fields_heading(b, &l->fields, l->format);
}

static int list_execute(struct list *l, const struct cmd_args *args)
{
	struct cmd_env *env = l->env;
	struct ngc_select_run run = opts_selection_run(env);
	struct ngc_select_result result;
	struct ngc_error err;
	enum ngc_code code;
	int status;

	run.damaged = ngc_select_selectors(env->select) > 0;
	run.damaged_met = env->verbose ? ui_damaged_met : NULL;
	run.explain_misses = l->lines && !env->quiet;
	run.visit = visit;
	run.arg = l;
	code = l->sorted ? ngc_select_sorted(&run, &l->sort, &result, &err)
			 : ngc_select_execute(&run, &result, &err);
	ui_walked(env, &result);
	ui_ambiguous(&result);
	status = code == NGC_OK || code == NGC_GONE ? EXIT_DONE : ui_failed(&err);
	if (status == EXIT_DONE)
		status = l->unreadable ? EXIT_PARTIAL
				       : ui_selection_status(env, &result, args);
	if (run.explain_misses && status == EXIT_DONE)
		ui_misses(env, &result);
	ngc_select_result_free(&result);
	return status;
}

static int list_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct list l = { .env = env };
	int status;

	if (!take_sort(&l, args) || !take_format(&l, args))
		return EXIT_USAGE;
	l.out = out_new(ngc_walk_jobs(&env->pace));
	if (l.out == NULL) {
		ui_error("out of memory");
		return EXIT_PARTIAL;
	}
	add_heading(&l);
	status = list_execute(&l, args);
	if (status == EXIT_USAGE) /* nothing was looked at: there is no list */
		out_heading(l.out)->n = 0;
	out_free(l.out);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list entries, one a line",
	.synopsis = list_synopsis,
	.opts = list_opts,
	.flags = CMD_SELECTS | CMD_CACHES | CMD_ARCHIVES,
	.run = list_run,
};
