/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <string.h>

#include "ngc/confine.h"
#include "ngc/units.h"
#include "out_archive.h"
#include "out_entry.h"
#include "out_purge.h"
#include "out_reload.h"

static const struct cmd_opt purge_opts[] = {
	{ OPT_MODE, 0, "mode", "MODE", "remove (default), invalidate or expire" },
	{ OPT_SOFT, 0, "soft", NULL, "the same as --mode expire" },
	{ OPT_REFETCH, 0, "refetch", NULL, "with expire: clear the validators" },
	{ OPT_DRY_RUN, 'n', "dry-run", NULL, "tell what would go and touch nothing" },
	{ OPT_BACKUP, 0, "backup", "FILE",
	    "archive it first, and purge what is in FILE" },
	{ OPT_LIST, 0, "list", NULL, "tell each entry as it goes" },
	{ OPT_RELOAD, 0, "reload", NULL, "reload nginx afterwards" },
	{ OPT_SETTLE, 0, "settle", "SECONDS",
	    "then purge what was stored meanwhile, too" },
	{ OPT_YES, 0, "yes", NULL, "do not ask before --all" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const purge_synopsis[] = { "purge [options] URL...",
	"purge [options] --glob GLOB", "purge [options] --all", NULL };

struct purge {
	struct cmd_env *env;
	struct ngc_purge_request req;
	struct ngc_purge_result result;
	struct ngc_buf out;
	bool listed; /* an entry stands in the document */
};

static bool take_mode(const struct cmd_args *args, struct ngc_purge_request *req)
{
	const char *mode = cmd_args_get(args, OPT_MODE);

	if (cmd_args_has(args, OPT_SOFT))
		mode = mode != NULL && strcmp(mode, "expire") != 0 ? "both" : "expire";
	for (int m = NGC_PURGE_REMOVE; mode != NULL && m <= NGC_PURGE_EXPIRE; m++) {
		req->mode = (enum ngc_purge_mode)m;
		if (strcmp(mode, ngc_purge_mode_name(req->mode)) == 0)
			break;
		if (m == NGC_PURGE_EXPIRE) {
			ui_error("--mode '%s': expected remove, invalidate or expire%s",
			    cmd_args_get(args, OPT_MODE),
			    cmd_args_has(args, OPT_SOFT) ? ", which --soft is" : "");
			return false;
		}
	}
	req->refetch = cmd_args_has(args, OPT_REFETCH);
	if (req->refetch && req->mode != NGC_PURGE_EXPIRE) {
		ui_error("--refetch goes with --mode expire only");
		return false;
	}
	return true;
}

static bool take_settle(const struct cmd_args *args, struct ngc_purge_request *req)
{
	const char *seconds = cmd_args_get(args, OPT_SETTLE);

	req->settle = seconds != NULL;
	if (!req->settle ||
	    ngc_parse_seconds(ngc_bytes_of(seconds), &req->settle_seconds))
		return true;
	ui_error("--settle '%s': expected a time like 5 or 1m", seconds);
	return false;
}

static bool take_backup(const struct cmd_args *args, struct ngc_purge_request *req)
{
	struct ngc_error err;

	req->backup = cmd_args_get(args, OPT_BACKUP);
	req->version = VERSION;
	if (req->backup == NULL)
		return true;
	if (strcmp(req->backup, "-") == 0) {
		ui_error("--backup -: expected a file");
		return false;
	}
	if (ngc_archive_check_name(req->backup, &err) == NGC_OK)
		return true;
	ui_print_error(&err);
	return false;
}

static void archived(void *arg, const struct ngc_archive_result *so_far)
{
	(void)arg;
	out_archive_progress(so_far);
}

static void each(void *arg, struct ngc_entry *e)
{
	struct purge *p = arg;
	size_t start = p->out.n;
	struct ngc_error err;
	enum ngc_code code;

	if (p->env->json) {
		if (p->listed) /* it may be written already */
			ngc_buf_add_char(&p->out, ',');
		ngc_buf_add_char(&p->out, '{');
		code = out_entry_json(&p->out, p->env, e, &err);
		ngc_buf_add_char(&p->out, '}');
	} else {
		code = out_entry_line(&p->out, p->env, e, &err);
	}
	if (code != NGC_OK) {
		p->out.n = start;
		ui_print_error(&err);
	}
	p->listed |= code == NGC_OK;
	if (p->out.n >= 64 * 1024)
		out_write(&p->out); /* a reader who went away does not end a purge */
}

static bool confirmed(const struct purge *p, const struct cmd_args *args)
{
	if (!cmd_args_has(args, OPT_ALL) || cmd_args_has(args, OPT_YES) || p->req.dry_run)
		return true;
	return ui_confirm("purge every entry of the selected zones?");
}

/*
 * What is in the files cannot make the run change anything but the caches, whatever
 * mistake it may find.  The test of a configuration writes where nginx does.
 */
static void confine(const struct purge *p)
{
	struct ngc_error err;

	if (p->req.reload ||
	    ngc_confine(p->env->site, p->req.backup, &err) == NGC_OK ||
	    !p->env->verbose)
		return;
	ngc_wrap(&err, "not confined to the caches");
	ui_print_error(&err);
}

static int purge_execute(struct purge *p, const struct cmd_args *args)
{
	bool list = cmd_args_has(args, OPT_LIST);
	struct ngc_error err;
	enum ngc_code code;
	int status;

	confine(p);
	if (p->env->json)
		out_purge_json_begin(&p->out, &p->req, list);
	code = ngc_purge(&p->req, &p->result, &err);
	ui_progress_end();
	if (code != NGC_OK)
		out_reload_messages(&p->result.reload);
	ui_walked(p->env, &p->result.found);
	ui_ambiguous(&p->result.found);
	status = code == NGC_OK ? ui_selection_status(p->env, &p->result.found, args)
				: ui_failed(&err);
	if (status != EXIT_PARTIAL && p->result.failed > 0)
		status = EXIT_PARTIAL;
	if (status == EXIT_USAGE)
		return status;
	if (p->env->json)
		out_purge_json_end(&p->out, p->env, &p->req, &p->result, list);
	else if (!p->env->quiet)
		out_purge_text(&p->out, p->env, &p->req, &p->result);
	out_write(&p->out);
	if (p->result.reload.ok && !p->env->json && !p->env->quiet)
		out_reload_text(&p->result.reload, NGC_SIGNAL_RELOAD);
	return status;
}

static int purge_run(struct cmd_env *env, const struct cmd_args *args)
{
	bool dry_run = cmd_args_has(args, OPT_DRY_RUN);
	struct purge p = { .env = env,
		.req = { .site = env->site,
		    .select = env->select,
		    .dry_run = dry_run,
		    .now = env->now,
		    .pace = env->pace,
		    .walking = env->walking,
		    .loose = env->loose,
		    .reload = cmd_args_has(args, OPT_RELOAD),
		    .stop = env->stop,
		    .damaged_met = env->verbose ? ui_damaged_met : NULL,
		.problem = ui_problem } };
	int status;

	p.req.arg = &p;
	if (cmd_args_has(args, OPT_LIST) || (dry_run && !env->json && !env->quiet))
		p.req.each = each;
	if (!env->quiet)
		p.req.archived = archived;
	if (!take_mode(args, &p.req) || !take_settle(args, &p.req) ||
	    !take_backup(args, &p.req))
		return EXIT_USAGE;
	if (!confirmed(&p, args)) {
		ui_error("nothing was purged");
		return EXIT_NO;
	}
	status = purge_execute(&p, args);
	ngc_purge_result_free(&p.result);
	ngc_buf_free(&p.out);
	return status;
}

const struct cmd cmd_purge = {
	.name = "purge",
	.summary = "stop nginx from serving entries",
	.synopsis = purge_synopsis,
	.opts = purge_opts,
	.flags = CMD_SELECTS | CMD_CACHES,
	.run = purge_run,
};
