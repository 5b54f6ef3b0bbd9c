/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

/* Words of a configuration need not be UTF-8. */
static json_t *json_words(const char *s)
{
	json_t *j = s != NULL ? json_string(s) : json_null();
	struct ngc_buf escaped = { 0 };

	if (j != NULL)
		return j;
	ngc_text_escape(&escaped, ngc_bytes_of(s));
	j = json_stringn((const char *)escaped.p, escaped.n);
	ngc_buf_free(&escaped);
	return j;
}

static json_t *json_list(const char *const *list)
{
	json_t *a = json_array();

	for (; list != NULL && *list != NULL; list++)
		json_array_append_new(a, json_words(*list));
	return a;
}

static json_t *json_use(const struct ngc_conf *conf, const struct ngc_use *u)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:I}",
	    "zone", json_words(u->zone), "server_names", json_list(u->server_names),
	    "listen", json_list(u->listen), "location", json_words(u->location),
	    "parents", json_list(u->parents), "protocol", ngc_protocol_name(u->protocol),
	    "pass", json_words(u->pass), "key", json_words(u->key), "needs",
	    json_list(ngc_use_needs(conf, u)), "file", json_words(u->file), "line",
	    (json_int_t)u->line);
}

/* The uses that may select a zone; zone NULL: those that can select none. */
static json_t *json_uses(const struct ngc_conf *conf, const struct ngc_zone *zone)
{
	json_t *a = json_array();
	const struct ngc_use *u;

	for (size_t i = 0; conf != NULL && (u = ngc_conf_use(conf, i)) != NULL; i++) {
		bool any = false;

		for (size_t k = 0; zone == NULL && ngc_conf_zone(conf, k) != NULL; k++)
			any |= ngc_use_may_select(conf, u, ngc_conf_zone(conf, k));
		if (zone != NULL ? ngc_use_may_select(conf, u, zone) : !any)
			json_array_append_new(a, json_use(conf, u));
	}
	return a;
}

static json_t *json_known(bool known, int64_t v)
{
	return known ? json_integer(v) : json_null();
}

static json_t *json_zone(struct zones *z, const struct ngc_zone *zone,
    const struct ngc_usage *u)
{
	char levels[NGC_LEVELS_TEXT];
	bool has_levels = zone->levels_known && zone->levels.n > 0;
	json_t *o = json_object();

	ngc_levels_format(&zone->levels, levels);
	json_object_set_new(o, "name", json_words(zone->name));
	json_object_set_new(o, "type",
	    json_words(zone->configured ? ngc_protocol_name(zone->type) : NULL));
	json_object_set_new(o, "path", json_words(zone->path));
	json_object_set_new(o, "levels", json_words(has_levels ? levels : NULL));
	json_object_set_new(o, "keys_zone_size",
	    json_known(zone->configured, zone->keys_zone_size));
	json_object_set_new(o, "max_size",
	    json_known(zone->max_size >= 0, zone->max_size));
	json_object_set_new(o, "min_free",
	    json_known(zone->min_free >= 0, zone->min_free));
	json_object_set_new(o, "inactive", json_known(zone->configured, zone->inactive));
	json_object_set_new(o, "use_temp_path",
	    zone->configured ? json_boolean(zone->use_temp_path) : json_null());
	json_object_set_new(o, "file", json_words(zone->file));
	json_object_set_new(o, "line", json_known(zone->configured, zone->line));
	json_object_set_new(o, "exists", json_boolean(u->exists));
	json_object_set_new(o, "entries",
	    json_known(u->known, (int64_t)u->totals.candidates));
	json_object_set_new(o, "bytes", json_known(u->known, (int64_t)u->totals.bytes));
	json_object_set_new(o, "allocated",
	    json_known(u->known, (int64_t)u->totals.allocated));
	json_object_set_new(o, "uses", json_uses(ngc_site_conf(z->env->site), zone));
	return o;
}

static void print_document(json_t *zones, json_t *unresolved)
{
	json_t *doc = json_pack("{s:i, s:s, s:o, s:o}", "schema", 1, "command", "zones",
	    "zones", zones, "uses_unresolved", unresolved);
	char *text = json_dumps(doc, JSON_COMPACT);
	struct ngc_buf b = { .failed = text == NULL };

	if (text != NULL)
		ngc_buf_printf(&b, "%s\n", text);
	out_write(&b);
	ngc_buf_free(&b);
	free(text);
	json_decref(doc);
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

static int zones_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct zones z = { .env = env, .measure = !cmd_args_has(args, OPT_NO_USAGE) };
	json_t *list = json_array();
	struct ngc_buf text = { 0 };
	const struct ngc_zone *zone;
	int status = EXIT_DONE;

	for (size_t i = 0; (zone = ngc_site_zone(env->site, i)) != NULL; i++) {
		struct ngc_usage usage;

		if (measure(&z, zone, &usage) != NGC_OK) {
			status = EXIT_USAGE;
			goto out;
		}
		if (env->json)
			json_array_append_new(list, json_zone(&z, zone, &usage));
		else
			text_zone(&text, &z, zone, &usage);
	}
	if (env->json)
		print_document(json_incref(list),
		    json_uses(ngc_site_conf(env->site), NULL));
	else
		out_write(&text);
	status = z.failed > 0 ? EXIT_PARTIAL : EXIT_DONE;
out:
	json_decref(list);
	ngc_buf_free(&text);
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
