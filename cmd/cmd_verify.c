/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include "jsonw.h"
#include "ngc/text.h"
#include "ngc/verify.h"

static const struct cmd_opt verify_opts[] = {
	{ OPT_REPAIR, 0, "repair", NULL,
	    "remove bad entries and old temporary files" },
	{ OPT_DRY_RUN, 'n', "dry-run", NULL, "with --repair: touch nothing" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const verify_synopsis[] = { "verify [options] [URL...]", NULL };

struct verify {
	struct cmd_env *env;
	struct ngc_verify_request req;
	struct ngc_verify_result result;
	struct ngc_buf out;
};

static void json_line(struct ngc_buf *b, const struct ngc_finding *f)
{
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "zone", f->zone->name);
	jsonw_member_bytes(b, "file", f->file);
	jsonw_member_str(b, "class", ngc_class_name(ngc_reason_class(f->reason)));
	jsonw_member_str(b, "reason", ngc_reason_name(f->reason));
	jsonw_member_str(b, "detail", f->detail);
	jsonw_member_bool(b, "repaired", f->repaired);
	ngc_buf_add_str(b, "}\n");
}

static const char *done(const struct ngc_verify_request *req)
{
	return req->dry_run ? "would be removed" : "removed";
}

static void text_line(struct ngc_buf *b, const struct verify *v,
    const struct ngc_finding *f)
{
	ngc_buf_printf(b, "%-15s  ", ngc_reason_name(f->reason));
	ngc_text_escape(b, f->file);
	ngc_buf_printf(b, "  %s", f->detail);
	if (v->req.repair)
		ngc_buf_printf(b, "; %s", f->repaired ? done(&v->req) : "left");
	ngc_buf_add_char(b, '\n');
}

static void found(void *arg, const struct ngc_finding *f)
{
	struct verify *v = arg;

	if (v->env->json)
		json_line(&v->out, f);
	else
		text_line(&v->out, v, f);
	if (v->out.n >= 64 * 1024)
		out_write(&v->out); /* a reader who went away does not end a repair */
}

static uint64_t total(const struct ngc_verify_result *r)
{
	uint64_t n = 0;

	for (int c = 0; c < NGC_CLASSES; c++)
		n += r->found[c];
	return n;
}

static void text_end(struct verify *v)
{
	const struct ngc_verify_result *r = &v->result;
	uint64_t n = r->selected.matched, wrong = total(r);
	const char *before = ": ";

	ngc_buf_printf(&v->out, "%llu %s looked at", (unsigned long long)n,
	    n == 1 ? "entry" : "entries");
	if (wrong > 0)
		ngc_buf_printf(&v->out, ", %llu wrong", (unsigned long long)wrong);
	else if (r->failed == 0)
		ngc_buf_add_str(&v->out, ", nothing wrong");
	for (int c = 0; c < NGC_CLASSES; c++) {
		if (r->found[c] == 0)
			continue;
		ngc_buf_printf(&v->out, "%s%llu %s", before,
		    (unsigned long long)r->found[c], ngc_class_name((enum ngc_class)c));
		before = ", ";
	}
	if (v->req.repair && wrong > 0)
		ngc_buf_printf(&v->out, "; %llu %s, %llu left",
		    (unsigned long long)r->repaired, done(&v->req),
		    (unsigned long long)(wrong - r->repaired));
	if (r->failed > 0)
		ngc_buf_printf(&v->out, "; %llu %s", (unsigned long long)r->failed,
		    r->failed == 1 ? "failure" : "failures");
	ngc_buf_add_char(&v->out, '\n');
}

static int verify_execute(struct verify *v, const struct cmd_args *args)
{
	struct ngc_error err;
	enum ngc_code code = ngc_verify(&v->req, &v->result, &err);
	int status;

	ui_walked(v->env, &v->result.selected);
	ui_ambiguous(&v->result.selected);
	status = code == NGC_OK
		   ? ui_selection_status(v->env, &v->result.selected, args)
		   : ui_failed(&err);
	if (status == EXIT_USAGE)
		return status;
	if (status == EXIT_DONE && !v->env->json && !v->env->quiet)
		ui_misses(v->env, &v->result.selected);
	if (v->result.failed > 0)
		status = EXIT_PARTIAL;
	if (status == EXIT_DONE && total(&v->result) > 0)
		status = EXIT_NO;
	if (!v->env->json && !v->env->quiet)
		text_end(v);
	out_write(&v->out);
	return status;
}

static int verify_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct verify v = { .env = env,
		.req = { .site = env->site,
		    .select = env->select,
		    .repair = cmd_args_has(args, OPT_REPAIR),
		    .dry_run = cmd_args_has(args, OPT_DRY_RUN),
		    .now = env->now,
		    .pace = env->pace,
		    .walking = env->walking,
		    .loose = env->loose,
		    .stop = env->stop,
		    .found = found,
		    .damaged_met = env->verbose ? ui_damaged_met : NULL,
		    .problem = ui_problem } };
	int status;

	if (v.req.dry_run && !v.req.repair) {
		ui_error("verify: --dry-run goes with --repair");
		return EXIT_USAGE;
	}
	if (v.req.repair && ngc_site_archive(env->site) != NULL) {
		ui_error("verify: %s: not a directory: an archive cannot be repaired",
		    ngc_site_archive(env->site)->path);
		return EXIT_USAGE;
	}
	v.req.arg = &v;
	status = verify_execute(&v, args);
	ngc_verify_result_free(&v.result);
	ngc_buf_free(&v.out);
	return status;
}

const struct cmd cmd_verify = {
	.name = "verify",
	.summary = "find files that nginx cannot serve rightly",
	.synopsis = verify_synopsis,
	.opts = verify_opts,
	.flags = CMD_SELECTS | CMD_CACHES | CMD_ARCHIVES,
	.run = verify_run,
};
