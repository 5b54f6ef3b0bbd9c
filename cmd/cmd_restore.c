/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include "jsonw.h"
#include "ngc/restore.h"
#include "ngc/serving.h"
#include "ngc/units.h"
#include "out_purge.h"

static const struct cmd_opt restore_opts[] = {
	{ OPT_DRY_RUN, 'n', "dry-run", NULL,
	    "tell what would be restored, change nothing" },
	{ OPT_OVERWRITE, 0, "overwrite", NULL, "replace newer entries, too" },
	{ OPT_FORCE, 0, "force", NULL, "restore more than the zone can hold" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const restore_synopsis[] = {
	"restore [options] FILE [URL...]",
	"restore [options] -z ZONE FILE [URL...]",
	"restore [options] -d DIR FILE [URL...]",
	NULL,
};

struct restore {
	struct cmd_env *env;
	struct ngc_restore_request req;
	struct ngc_restore_result result;
	enum ngc_serving serving;
};

static void problem(void *arg, const char *file, const struct ngc_error *err)
{
	struct restore *r = arg;

	ui_print_error(err);
	out_errors_add(&r->env->errors, file, err->text);
}

static void progress(void *arg, const struct ngc_restore_result *so_far)
{
	char size[NGC_UNIT_TEXT];

	(void)arg;
	ui_progress("%llu entries, %s", (unsigned long long)so_far->restored,
	    ngc_format_size(so_far->bytes, size));
}

/* Said before anything is restored, for then it can still be done otherwise. */
static void tell_serving(struct restore *r)
{
	pid_t pid;

	r->serving = ngc_serving_ask(r->env->site, &pid);
	if (r->serving != NGC_SERVING_WARM || r->env->quiet)
		return;
	ui_error(
	    "nginx (process %ld) has read its caches in: it will not look for files "
	    "that it does not know of, nor ever remove them, before it is started anew",
	    (long)pid);
	ui_error("what works: stop nginx, restore, start it; or restore within the first "
		 "minute after its start");
}

static void json_zones(struct ngc_buf *b, const struct restore *r)
{
	const struct ngc_zone *z;

	jsonw_name(b, "zones");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0;
	     r->result.zones != NULL && (z = ngc_site_zone(r->env->site, i)) != NULL;
	     i++) {
		jsonw_comma(b);
		ngc_buf_add_char(b, '{');
		jsonw_member_str(b, "zone", z->name);
		jsonw_member_uint(b, "restored", r->result.zones[i].restored);
		jsonw_member_uint(b, "bytes", r->result.zones[i].bytes);
		jsonw_member_uint(b, "kept", r->result.zones[i].kept);
		jsonw_member_uint(b, "no_room", r->result.zones[i].no_room);
		ngc_buf_add_char(b, '}');
	}
	ngc_buf_add_char(b, ']');
}

static void write_json(struct restore *r)
{
	const struct ngc_restore_result *s = &r->result;
	struct ngc_buf b = { 0 };

	ngc_buf_add_char(&b, '{');
	jsonw_member_int(&b, "schema", 1);
	jsonw_member_str(&b, "command", "restore");
	jsonw_member_str(&b, "file", r->req.archive);
	jsonw_member_bool(&b, "dry_run", r->req.dry_run);
	jsonw_member_str(&b, "nginx", ngc_serving_name(r->serving));
	out_purge_json_selectors(&b, &s->found);
	json_zones(&b, r);
	out_errors_begin(&b, &r->env->errors);
	ngc_buf_add_char(&b, ']');
	jsonw_member_uint(&b, "matched", s->matched);
	jsonw_member_uint(&b, "restored", s->restored);
	jsonw_member_uint(&b, "variants", s->variants);
	jsonw_member_uint(&b, "bytes", s->bytes);
	jsonw_member_uint(&b, "kept", s->kept);
	jsonw_member_uint(&b, "no_room", s->no_room);
	jsonw_member_uint(&b, "refused", s->refused);
	jsonw_member_uint(&b, "failed", s->failed);
	ngc_buf_add_str(&b, "}\n");
	out_write(&b);
	ngc_buf_free(&b);
}

static void write_text(const struct restore *r)
{
	const struct ngc_restore_result *s = &r->result;
	struct ngc_buf b = { 0 };

	ngc_buf_printf(&b, "%s %llu %s", r->req.dry_run ? "would restore" : "restored",
	    (unsigned long long)s->restored, s->restored == 1 ? "entry" : "entries");
	if (s->restored > 0) {
		ngc_buf_add_str(&b, " (");
		out_bytes(&b, r->env, s->bytes);
		ngc_buf_add_char(&b, ')');
	}
	out_count(&b, s->kept, "kept: the zone has no older one");
	out_count(&b, s->no_room, "left out: no room");
	out_count(&b, s->refused, "refused");
	out_count(&b, s->failed, "failed");
	ngc_buf_add_char(&b, '\n');
	out_write(&b);
	ngc_buf_free(&b);
}

static int restore_execute(struct restore *r, const struct cmd_args *args)
{
	struct cmd_env *env = r->env;
	const struct ngc_restore_result *s = &r->result;
	struct ngc_error err;
	enum ngc_code code;
	int status;

	tell_serving(r);
	code = ngc_restore(&r->req, &r->result, &err);
	ui_progress_end();
	ui_walked(env, &s->found);
	ui_ambiguous(&s->found);
	status = code == NGC_OK ? ui_selection_status(env, &s->found, args)
				: ui_failed(&err);
	if (code != NGC_OK)
		out_errors_add(&env->errors, NULL, err.text);
	if (status != EXIT_USAGE && s->no_room + s->refused + s->failed > 0)
		status = EXIT_PARTIAL;
	if (status == EXIT_USAGE)
		return status;
	if (env->json)
		write_json(r);
	else if (!env->quiet)
		write_text(r);
	if (!env->json && !env->quiet && status == EXIT_DONE)
		ui_misses(env, &s->found);
	return status;
}

static int restore_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct restore r = { .env = env,
		.req = { .site = env->site,
		    .select = env->select,
		    .archive = args->words[0],
		    .overwrite = cmd_args_has(args, OPT_OVERWRITE),
		    .force = cmd_args_has(args, OPT_FORCE),
		    .dry_run = cmd_args_has(args, OPT_DRY_RUN),
		    .now = env->now,
		    .pace = env->pace,
		    .loose = env->loose,
		    .stop = env->stop,
		    .damaged_met = env->verbose ? ui_damaged_met : NULL,
		    .problem = problem,
		    .progress = env->quiet ? NULL : progress } };
	int status;

	r.req.arg = &r;
	status = restore_execute(&r, args);
	ngc_restore_result_free(&r.result);
	return status;
}

const struct cmd cmd_restore = {
	.name = "restore",
	.summary = "put entries of an archive into a zone",
	.synopsis = restore_synopsis,
	.opts = restore_opts,
	.flags = CMD_SELECTS | CMD_CACHES | CMD_FILE,
	.run = restore_run,
};
