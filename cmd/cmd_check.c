/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ngc/health.h"
#include "ngc/text.h"
#include "ngc/units.h"

/*
 * A plugin for Nagios and its kin, by the Monitoring Plugins guidelines: one line, of
 * text and behind a '|' of figures, and a status of their own meaning.
 */

static const struct cmd_opt check_opts[] = {
	{ OPT_WARN_FILL, 0, "warn-fill", "RANGE", "percent of max_size (default ~:110)" },
	{ OPT_CRIT_FILL, 0, "crit-fill", "RANGE", "the same, critical" },
	{ OPT_WARN_KEYS, 0, "warn-keys", "RANGE", "percent of the key zone (~:100)" },
	{ OPT_CRIT_KEYS, 0, "crit-keys", "RANGE", "the same, critical" },
	{ OPT_WARN_EXPIRED, 0, "warn-expired", "RANGE",
	    "percent of entries not fresh; reads them all" },
	{ OPT_CRIT_EXPIRED, 0, "crit-expired", "RANGE", "the same, critical" },
	{ OPT_TIMEOUT, 0, "timeout", "SECONDS", "unknown when it takes longer" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const check_synopsis[] = { "check [options]", NULL };

static const struct gauge {
	enum opt_id warn, crit;
	const char *warn_default; /* NULL: none */
	const char *name;         /* of the figure */
	const char *what;         /* "12% " and this */
} gauges[NGC_GAUGES] = {
	[NGC_GAUGE_FILL] = { OPT_WARN_FILL, OPT_CRIT_FILL, "~:110", "fill",
	    "of max_size" },
	[NGC_GAUGE_KEYS] = { OPT_WARN_KEYS, OPT_CRIT_KEYS, "~:100", "keys",
	    "of the key zone" },
	[NGC_GAUGE_EXPIRED] = { OPT_WARN_EXPIRED, OPT_CRIT_EXPIRED, NULL, "expired",
	    "not fresh" },
};

static const struct {
	const char *name;
	int status;
} healths[] = {
	[NGC_HEALTH_OK] = { "OK", 0 },
	[NGC_HEALTH_UNKNOWN] = { "UNKNOWN", 3 },
	[NGC_HEALTH_WARNING] = { "WARNING", 1 },
	[NGC_HEALTH_CRITICAL] = { "CRITICAL", 2 },
};

/* What stands in front of the '|' must not hold one. */
static void add_text(struct ngc_buf *b, const char *text)
{
	size_t start = b->n;

	ngc_text_escape(b, ngc_bytes_of(text));
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '|')
			b->p[i] = '!';
}

static void begin(struct ngc_buf *b, enum ngc_health health)
{
	ngc_buf_printf(b, "CACHE %s - ", healths[health].name);
}

static int unknown(const char *why)
{
	struct ngc_buf b = { 0 };

	begin(&b, NGC_HEALTH_UNKNOWN);
	add_text(&b, why);
	ngc_buf_add_char(&b, '\n');
	out_write(&b);
	ngc_buf_free(&b);
	return healths[NGC_HEALTH_UNKNOWN].status;
}

/* What a signal handler writes: made before it is needed. */
static struct {
	char line[80];
	size_t n;
} late;

/* Whatever hangs, a dead file system too: the answer must come. */
static void on_alarm(int number)
{
	(void)number;
	if (write(STDOUT_FILENO, late.line, late.n) < 0)
		_exit(healths[NGC_HEALTH_UNKNOWN].status);
	_exit(healths[NGC_HEALTH_UNKNOWN].status);
}

static bool check_prepare(const struct cmd_args *args)
{
	const char *text = cmd_args_get(args, OPT_TIMEOUT);
	struct sigaction action = { .sa_handler = on_alarm };
	int64_t seconds;

	if (text == NULL)
		return true;
	if (!ngc_parse_seconds(ngc_bytes_of(text), &seconds) || seconds < 1 ||
	    seconds > INT_MAX) {
		ui_error("--timeout '%s': expected a time like 10 or 1m", text);
		return false;
	}
	late.n = (size_t)snprintf(late.line, sizeof(late.line),
	    "CACHE UNKNOWN - no answer within %d seconds\n", (int)seconds);
	sigaction(SIGALRM, &action, NULL);
	alarm((unsigned)seconds);
	return true;
}

static int check_refused(void)
{
	return unknown(ui_first_error());
}

static bool take_range(const struct cmd_args *args, enum opt_id id, const char *otherwise,
    struct ngc_range *out)
{
	const char *text = cmd_args_get(args, id);
	const struct cmd_opt *o = check_opts;

	if (text == NULL)
		text = otherwise;
	if (text == NULL || ngc_range_parse(text, out))
		return true;
	while (o->id != id)
		o++;
	ui_error("--%s '%s': expected a range: 10, 10:, ~:10, 10:20 or @10:20", o->name,
	    text);
	return false;
}

static bool take_thresholds(const struct cmd_args *args, struct ngc_health_request *req)
{
	for (size_t i = 0; i < NGC_GAUGES; i++)
		if (!take_range(args, gauges[i].warn, gauges[i].warn_default,
			&req->thresholds[i].warn) ||
		    !take_range(args, gauges[i].crit, NULL, &req->thresholds[i].crit))
			return false;
	return true;
}

static const char *name_of(const struct ngc_zone *z)
{
	return z->name != NULL ? z->name : z->path;
}

/* "; blog: ": text may begin with it, but for the separator. */
static void begin_zone(struct ngc_buf *b, const struct ngc_zone *z, bool *first)
{
	ngc_buf_add_str(b, *first ? "" : "; ");
	add_text(b, name_of(z));
	ngc_buf_add_str(b, ": ");
	*first = false;
}

/* What is wrong at that degree. */
static void text_wrong(struct ngc_buf *b, const struct ngc_health_request *req,
    const struct ngc_health_zone *z, enum ngc_health degree, bool *first)
{
	enum ngc_health root = z->root == NGC_ROOT_FINE      ? NGC_HEALTH_OK
			       : z->root == NGC_ROOT_UNKNOWN ? NGC_HEALTH_UNKNOWN
							     : NGC_HEALTH_CRITICAL;

	if (root == degree) {
		begin_zone(b, z->zone, first);
		add_text(b, z->why);
	}
	for (size_t i = 0; i < NGC_GAUGES; i++) {
		const struct ngc_thresholds *t = &req->thresholds[i];

		if (z->gauges[i] != degree)
			continue;
		begin_zone(b, z->zone, first);
		ngc_buf_printf(b, "%.1f%% %s (threshold %s)", z->value[i], gauges[i].what,
		    degree == NGC_HEALTH_CRITICAL ? t->crit.text : t->warn.text);
	}
}

static void text_well(struct ngc_buf *b, const struct ngc_health_zone *z, bool *first)
{
	char size[NGC_UNIT_TEXT];

	begin_zone(b, z->zone, first);
	ngc_buf_printf(b, "%llu %s, %s on disk",
	    (unsigned long long)z->usage.totals.candidates,
	    z->usage.totals.candidates == 1 ? "entry" : "entries",
	    ngc_format_size(z->usage.totals.allocated, size));
	for (size_t i = 0; i < NGC_GAUGES; i++)
		if (z->known[i])
			ngc_buf_printf(b, ", %.1f%% %s", z->value[i], gauges[i].what);
}

/* "'my zone_fill'=": a label has neither = nor '. */
static void figure(struct ngc_buf *b, const struct ngc_zone *z, const char *name)
{
	const char *zone = name_of(z);
	bool quotes = strspn(zone, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.-/") < strlen(zone);
	size_t start = b->n + quotes + 1;

	ngc_buf_add_str(b, quotes ? " '" : " ");
	add_text(b, zone);
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '=' || b->p[i] == '\'')
			b->p[i] = '_';
	ngc_buf_printf(b, "_%s%s=", name, quotes ? "'" : "");
}

static void figure_uint(struct ngc_buf *b, const struct ngc_zone *z, const char *name,
    const char *unit, uint64_t v, int64_t max)
{
	figure(b, z, name);
	ngc_buf_printf(b, "%llu%s;;;0;", (unsigned long long)v, unit);
	if (max > 0)
		ngc_buf_printf(b, "%lld", (long long)max);
}

static void figures(struct ngc_buf *b, const struct ngc_health_request *req,
    const struct ngc_health_zone *z)
{
	if (!z->usage.known)
		return;
	figure_uint(b, z->zone, "allocated", "B", z->usage.totals.allocated,
	    z->zone->max_size);
	figure_uint(b, z->zone, "entries", "", z->usage.totals.candidates,
	    ngc_zone_keys_max(z->zone));
	for (size_t i = 0; i < NGC_GAUGES; i++) {
		const struct ngc_thresholds *t = &req->thresholds[i];

		if (!z->known[i])
			continue;
		figure(b, z->zone, gauges[i].name);
		ngc_buf_printf(b, "%.2f%%;%s;%s;0;", z->value[i],
		    t->warn.text != NULL ? t->warn.text : "",
		    t->crit.text != NULL ? t->crit.text : "");
	}
}

static void write_line(struct ngc_buf *b, const struct ngc_health_request *req,
    const struct ngc_health_report *r)
{
	bool first = true;

	begin(b, r->health);
	if (r->n == 0)
		ngc_buf_add_str(b, "there is no cache");
	for (int h = NGC_HEALTH_CRITICAL; h > NGC_HEALTH_OK; h--)
		for (size_t i = 0; i < r->n; i++)
			text_wrong(b, req, &r->zones[i], (enum ngc_health)h, &first);
	for (size_t i = 0; i < r->n && r->health == NGC_HEALTH_OK; i++)
		text_well(b, &r->zones[i], &first);
	ngc_buf_add_str(b, " |");
	for (size_t i = 0; i < r->n; i++)
		figures(b, req, &r->zones[i]);
	if (b->n > 0 && b->p[b->n - 1] == '|')
		b->n -= 2; /* there are none */
	ngc_buf_add_char(b, '\n');
}

static int check_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_health_request req = { .site = env->site,
		.now = env->now,
		.pace = env->pace,
		.stop = env->stop,
		.problem = ui_problem };
	struct ngc_health_report report = { 0 };
	struct ngc_buf b = { 0 };
	struct ngc_error err;
	int status;

	if (env->json) {
		ui_error("check: --json has no meaning: its line is for programs");
		return check_refused();
	}
	if (!take_thresholds(args, &req))
		return check_refused();
	if (ngc_health_examine(&req, &report, &err) == NGC_OK) {
		write_line(&b, &req, &report);
		out_write(&b);
		status = healths[report.health].status;
	} else {
		ui_print_error(&err);
		status = unknown(err.text);
	}
	ngc_buf_free(&b);
	ngc_health_free(&report);
	return status;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "monitoring plugin: are the caches well?",
	.synopsis = check_synopsis,
	.opts = check_opts,
	.flags = CMD_CACHES,
	.prepare = check_prepare,
	.refused = check_refused,
	.run = check_run,
};
