/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ngc/health.h"
#include "ngc/units.h"
#include "out_check.h"

/* A plugin for Nagios and its kin, by the Monitoring Plugins guidelines. */

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

static const struct {
	enum opt_id warn, crit;
	const char *warn_default; /* NULL: none */
} gauges[NGC_GAUGES] = {
	[NGC_GAUGE_FILL] = { OPT_WARN_FILL, OPT_CRIT_FILL, "~:110" },
	[NGC_GAUGE_KEYS] = { OPT_WARN_KEYS, OPT_CRIT_KEYS, "~:100" },
	[NGC_GAUGE_EXPIRED] = { OPT_WARN_EXPIRED, OPT_CRIT_EXPIRED, NULL },
};

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
		_exit(out_check_status(NGC_HEALTH_UNKNOWN));
	_exit(out_check_status(NGC_HEALTH_UNKNOWN));
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
	return out_check_unknown(ui_first_error());
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
	ui_error("--%s '%s': expected a range in percent: 10, 10:, ~:10, 10:20 or @10:20",
	    o->name, text);
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

static int check_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_health_request req = { .site = env->site,
		.now = env->now,
		.pace = env->pace,
		.stop = env->stop,
		.problem = ui_problem };
	struct ngc_health_report report = { 0 };
	struct ngc_error err;
	int status;

	if (env->json) {
		ui_error("check: --json has no meaning: its line is for programs");
		return check_refused();
	}
	if (!take_thresholds(args, &req))
		return check_refused();
	if (ngc_health_examine(&req, &report, &err) == NGC_OK) {
		out_check(&req, &report);
		status = out_check_status(report.health);
	} else {
		ui_print_error(&err);
		status = out_check_unknown(err.text);
	}
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
