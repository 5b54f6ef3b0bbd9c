/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include "jsonw.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "ngc/usage.h"

static const struct cmd_opt zones_opts[] = {
	{ OPT_NO_USAGE, 0, "no-usage", NULL, "the configuration only: count nothing" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const zones_synopsis[] = { "zones [options]", NULL };

struct zones {
	struct cmd_env *env;
	bool measure;
	uint64_t failed;
};

static void problem(void *arg, const struct ngc_error *err)
{
	struct zones *z = arg;

	z->failed++;
	ui_print_error(err);
}

/*
 * Measure, or look whether it is there.  NGC_INVALID: a directory of the command line is
 * no cache; of the configuration's, where the others are none the worse for it, it is a
 * problem.
 */
static enum ngc_code measure(struct zones *z, const struct ngc_zone *zone,
    struct ngc_usage *out)
{
	struct ngc_usage_request req = { .site = z->env->site,
		.pace = z->env->pace,
		.stop = z->env->stop,
		.problem = problem,
		.arg = z };
	struct ngc_place place;
	struct ngc_error err;
	enum ngc_code code;

	if (!z->measure) {
		*out = (struct ngc_usage){ .exists = zone->archive ||
			ngc_site_place(z->env->site, zone, &place) };
		return NGC_OK;
	}
	code = ngc_usage_measure(&req, zone, out, &err);
	if (code == NGC_INVALID && !zone->configured) {
		ui_print_error(&err);
		return code;
	}
	if (code != NGC_OK)
		problem(z, &err);
	return NGC_OK;
}

static void json_use(struct ngc_buf *b, const struct ngc_conf *conf,
    const struct ngc_use *u)
{
	jsonw_comma(b);
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "zone", u->zone);
	jsonw_member_list(b, "server_names", u->server_names);
	jsonw_member_list(b, "listen", u->listen);
	jsonw_member_str(b, "location", u->location);
	jsonw_member_list(b, "parents", u->parents);
	jsonw_member_str(b, "protocol", ngc_protocol_name(u->protocol));
	jsonw_member_str(b, "pass", u->pass);
	jsonw_member_str(b, "key", u->key);
	jsonw_member_list(b, "needs", ngc_use_needs(conf, u));
	jsonw_member_str(b, "file", u->file);
	jsonw_member_uint(b, "line", u->line);
	ngc_buf_add_char(b, '}');
}

/* The uses that may select a zone; zone NULL: those that can select none. */
static void json_uses(struct ngc_buf *b, const char *name, const struct ngc_conf *conf,
    const struct ngc_zone *zone)
{
	const struct ngc_use *u;

	jsonw_name(b, name);
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; conf != NULL && (u = ngc_conf_use(conf, i)) != NULL; i++) {
		bool any = false;

		for (size_t k = 0; zone == NULL && ngc_conf_zone(conf, k) != NULL; k++)
			any |= ngc_use_may_select(conf, u, ngc_conf_zone(conf, k));
		if (zone != NULL ? ngc_use_may_select(conf, u, zone) : !any)
			json_use(b, conf, u);
	}
	ngc_buf_add_char(b, ']');
}

static void json_known(struct ngc_buf *b, const char *name, bool known, int64_t v)
{
	if (known)
		jsonw_member_int(b, name, v);
	else
		jsonw_member_null(b, name);
}

static void json_zone(struct ngc_buf *b, const struct zones *z,
    const struct ngc_zone *zone, const struct ngc_usage *u)
{
	char levels[NGC_LEVELS_TEXT];
	bool has_levels = zone->levels_known && zone->levels.n > 0;

	jsonw_comma(b);
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "name", zone->name);
	jsonw_member_str(b, "type",
	    zone->configured ? ngc_protocol_name(zone->type) : NULL);
	jsonw_member_str(b, "path", zone->path);
	jsonw_member_str(b, "levels",
	    has_levels ? ngc_levels_format(&zone->levels, levels) : NULL);
	json_known(b, "keys_zone_size", zone->configured, zone->keys_zone_size);
	json_known(b, "max_size", zone->max_size >= 0, zone->max_size);
	json_known(b, "min_free", zone->min_free >= 0, zone->min_free);
	json_known(b, "inactive", zone->configured, zone->inactive);
	if (zone->configured)
		jsonw_member_bool(b, "use_temp_path", zone->use_temp_path);
	else
		jsonw_member_null(b, "use_temp_path");
	jsonw_member_str(b, "file", zone->file);
	json_known(b, "line", zone->configured, zone->line);
	jsonw_member_bool(b, "exists", u->exists);
	json_known(b, "entries", u->known, (int64_t)u->totals.candidates);
	json_known(b, "bytes", u->known, (int64_t)u->totals.bytes);
	json_known(b, "allocated", u->known, (int64_t)u->totals.allocated);
	json_uses(b, "uses", ngc_site_conf(z->env->site), zone);
	ngc_buf_add_char(b, '}');
}

static void text_limits(struct ngc_buf *b, const struct ngc_zone *zone)
{
	char levels[NGC_LEVELS_TEXT], t[NGC_UNIT_TEXT];

	if (zone->levels_known)
		ngc_buf_printf(b, "    levels %s",
		    zone->levels.n > 0 ? ngc_levels_format(&zone->levels, levels)
				       : "none");
	else
		ngc_buf_add_str(b, "    levels found per file");
	if (zone->configured) {
		ngc_buf_printf(b, ", key zone %s",
		    ngc_format_size((uint64_t)zone->keys_zone_size, t));
		ngc_buf_printf(b, ", inactive %s", ngc_format_seconds(zone->inactive, t));
	}
	if (zone->max_size >= 0)
		ngc_buf_printf(b, ", max size %s",
		    ngc_format_size((uint64_t)zone->max_size, t));
	ngc_buf_add_char(b, '\n');
}

static void text_usage(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_usage *u)
{
	char disk[NGC_UNIT_TEXT];

	if (!u->exists)
		ngc_buf_add_str(b, "    the directory does not exist\n");
	if (!u->exists || !u->known)
		return;
	ngc_buf_printf(b, "    %llu %s, ", (unsigned long long)u->totals.candidates,
	    u->totals.candidates == 1 ? "entry" : "entries");
	out_bytes(b, env, u->totals.bytes);
	ngc_buf_printf(b, " (%s on disk)\n", out_size(env, u->totals.allocated, disk));
}

static void text_word(struct ngc_buf *b, const char *before, const char *word)
{
	ngc_buf_add_str(b, before);
	ngc_text_escape(b, ngc_bytes_of(word));
}

static void text_use(struct ngc_buf *b, const struct ngc_use *u)
{
	const char *before = "    used by ";

	for (const char *const *name = u->server_names; *name != NULL;
	     name++, before = " ")
		text_word(b, before, *name);
	if (u->server_names[0] == NULL)
		ngc_buf_printf(b, "%sa server without a name", before);
	if (u->location != NULL)
		text_word(b, ", location ", u->location);
	text_word(b, "\n        key ", u->key != NULL ? u->key : "(nginx's default)");
	ngc_buf_add_char(b, '\n');
}

static void text_zone(struct ngc_buf *b, const struct zones *z,
    const struct ngc_zone *zone, const struct ngc_usage *usage)
{
	const struct ngc_conf *conf = ngc_site_conf(z->env->site);
	const struct ngc_use *u;

	text_word(b, "", zone->name != NULL ? zone->name : "-");
	ngc_buf_printf(b, "  %s  ",
	    zone->configured ? ngc_protocol_name(zone->type)
	    : zone->archive  ? "archive"
			     : "directory");
	text_word(b, "", zone->path);
	ngc_buf_add_char(b, '\n');
	text_limits(b, zone);
	text_usage(b, z->env, usage);
	for (size_t i = 0; conf != NULL && (u = ngc_conf_use(conf, i)) != NULL; i++)
		if (ngc_use_may_select(conf, u, zone))
			text_use(b, u);
}

static void open_document(struct ngc_buf *b)
{
	ngc_buf_add_char(b, '{');
	jsonw_member_int(b, "schema", 1);
	jsonw_member_str(b, "command", "zones");
	jsonw_name(b, "zones");
	ngc_buf_add_char(b, '[');
}

static void close_document(struct ngc_buf *b, const struct ngc_conf *conf)
{
	ngc_buf_add_char(b, ']');
	json_uses(b, "uses_unresolved", conf, NULL);
	ngc_buf_add_str(b, "}\n");
}

static int zones_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct zones z = { .env = env, .measure = !cmd_args_has(args, OPT_NO_USAGE) };
	const struct ngc_conf *conf = ngc_site_conf(env->site);
	const struct ngc_zone *zone;
	int status = EXIT_USAGE;
	struct ngc_buf b = { 0 };
	struct ngc_error err;

	if (conf != NULL && ngc_conf_list_uses(conf, &err) != NGC_OK)
		return ui_failed(&err);
	if (env->json)
		open_document(&b);
	for (size_t i = 0; (zone = ngc_site_zone(env->site, i)) != NULL; i++) {
		struct ngc_usage usage;

		if (measure(&z, zone, &usage) != NGC_OK)
			goto out;
		if (env->json)
			json_zone(&b, &z, zone, &usage);
		else
			text_zone(&b, &z, zone, &usage);
	}
	if (env->json)
		close_document(&b, conf);
	out_write(&b);
	status = z.failed > 0 ? EXIT_PARTIAL : EXIT_DONE;
out:
	ngc_buf_free(&b);
	return status;
}

const struct cmd cmd_zones = {
	.name = "zones",
	.summary = "the caches, what uses them and how full they are",
	.synopsis = zones_synopsis,
	.opts = zones_opts,
	.flags = CMD_CACHES | CMD_ARCHIVES,
	.run = zones_run,
};
