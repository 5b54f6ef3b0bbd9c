/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <string.h>

/* Which selector or filter an option is. */
static const struct {
	enum opt_id id;
	bool filter;
	int kind;
} select_kinds[] = {
	{ OPT_KEY, false, NGC_SELECT_KEY },
	{ OPT_GLOB, false, NGC_SELECT_GLOB },
	{ OPT_REGEX, false, NGC_SELECT_REGEX },
	{ OPT_TAG, false, NGC_SELECT_TAG },
	{ OPT_FILE, false, NGC_SELECT_FILE },
	{ OPT_ALL, false, NGC_SELECT_ALL },
	{ OPT_HOST, true, NGC_FILTER_HOST },
	{ OPT_METHOD, true, NGC_FILTER_METHOD },
	{ OPT_STATUS, true, NGC_FILTER_STATUS },
	{ OPT_TYPE, true, NGC_FILTER_TYPE },
	{ OPT_WITH_HEADER, true, NGC_FILTER_HEADER },
	{ OPT_LARGER, true, NGC_FILTER_LARGER },
	{ OPT_SMALLER, true, NGC_FILTER_SMALLER },
	{ OPT_OLDER, true, NGC_FILTER_OLDER },
	{ OPT_NEWER, true, NGC_FILTER_NEWER },
	{ OPT_CACHED_BEFORE, true, NGC_FILTER_CACHED_BEFORE },
	{ OPT_EXPIRED, true, NGC_FILTER_EXPIRED },
	{ OPT_FRESH, true, NGC_FILTER_FRESH },
	{ OPT_VARIANTS_ONLY, true, NGC_FILTER_VARIANTS },
	{ OPT_EXCLUDE, true, NGC_FILTER_EXCLUDE },
	{ OPT_LIMIT_HOST, true, NGC_FILTER_LIMIT_HOST },
};

/* Where a list of URLs comes from, for the messages about what is bad in it. */
struct list_file {
	const char *name;
	struct cmd_env *env;
};

static void bad_url(void *arg, size_t number, const struct ngc_error *err)
{
	const struct list_file *f = arg;
	struct ngc_buf b = { 0 };
	const char *text;

	ngc_buf_printf(&b, "%s: URL %zu: %s", f->name, number, err->text);
	text = ngc_buf_str(&b) != NULL ? ngc_buf_str(&b) : err->text;
	ui_error("%s", text);
	out_errors_add(&f->env->errors, NULL, text);
	f->env->bad_urls++;
	ngc_buf_free(&b);
}

static enum ngc_code add_from(struct cmd_env *env, const char *file,
    struct ngc_error *err)
{
	struct list_file f = { strcmp(file, "-") == 0 ? "standard input" : file, env };
	struct ngc_buf text = { 0 };
	enum ngc_code code = file_read(file, &text, err);

	if (code == NGC_OK)
		code = ngc_select_add_many(env->select, ngc_buf_bytes(&text), bad_url, &f,
		    err);
	if (code != NGC_OK)
		ngc_wrap(err, "--from");
	ngc_buf_free(&text);
	return code;
}

static enum ngc_code add_option(struct cmd_env *env, const struct cmd_arg *a,
    struct ngc_error *err)
{
	if (a->id == OPT_WORD)
		return ngc_select_add(env->select, NGC_SELECT_URL, a->value, err);
	if (a->id == OPT_FROM)
		return add_from(env, a->value, err);
	if (a->id == OPT_TAG_HEADER)
		return ngc_select_tag_header(env->select, a->value, err);
	for (size_t i = 0; i < sizeof(select_kinds) / sizeof(select_kinds[0]); i++) {
		int kind = select_kinds[i].kind;

		if (select_kinds[i].id != a->id)
			continue;
		if (select_kinds[i].filter)
			return ngc_select_filter(env->select, (enum ngc_filter_kind)kind,
			    a->value, env->now, err);
		return ngc_select_add(env->select, (enum ngc_selector_kind)kind,
		    a->value != NULL ? a->value : "--all", err);
	}
	return NGC_OK;
}

static struct ngc_scope scope_of(const struct cmd_args *args)
{
	return (struct ngc_scope){ .strict = cmd_args_has(args, OPT_STRICT),
		.any_query = cmd_args_has(args, OPT_ANY_QUERY),
		.any_slash = cmd_args_has(args, OPT_ANY_SLASH),
		.any_host = cmd_args_has(args, OPT_ANY_HOST),
		.recursive = cmd_args_has(args, OPT_RECURSIVE) };
}

bool opts_build_selection(const struct cmd_args *args, struct cmd_env *env)
{
	struct ngc_scope scope = scope_of(args);
	struct ngc_error err;
	enum ngc_code code = NGC_OK;

	ngc_select_scope(env->select, &scope);
	for (size_t i = 0; i < args->n_opts && code == NGC_OK; i++)
		code = add_option(env, &args->opts[i], &err);
	env->loose = cmd_args_has(args, OPT_LOOSE);
	if (cmd_args_has(args, OPT_THOROUGH))
		env->walking = NGC_WALK_ALWAYS;
	if (code == NGC_OK && cmd_args_has(args, OPT_NO_WALK)) {
		if (env->walking == NGC_WALK_ALWAYS)
			code = ngc_fail(&err, NGC_INVALID, 0,
			    "--thorough and --no-walk exclude each other");
		env->walking = NGC_WALK_NEVER;
	}
	if (code != NGC_OK)
		ui_print_error(&err);
	return code == NGC_OK;
}

struct ngc_select_run opts_selection_run(const struct cmd_env *env)
{
	return (struct ngc_select_run){ .site = env->site,
		.select = env->select,
		.now = env->now,
		.pace = env->pace,
		.walking = env->walking,
		.loose = env->loose,
		.stop = env->stop,
		.problem = ui_problem };
}
