/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"

/* The settings of the main context that matter for administration. */

/* error_log may also name a syslog server or standard error. */
static bool is_log_file(const char *arg)
{
	return strcmp(arg, "stderr") != 0 && strncmp(arg, "syslog:", 7) != 0 &&
	       strncmp(arg, "memory:", 7) != 0;
}

static enum ngc_code read_one(struct ngc_conf *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	const char *arg = ngc_directive_arg(d, 1);
	enum ngc_code code;

	if (ngc_directive_is(d, "pid")) {
		code = conf_count(d, 1, 1, err);
		return code == NGC_OK ? conf_full_path(c, arg, &c->pid, err) : code;
	}
	if (ngc_directive_is(d, "error_log")) {
		code = conf_count(d, 1, 2, err);
		if (code != NGC_OK || !is_log_file(arg))
			return code;
		return conf_full_path(c, arg, &c->error_log, err);
	}
	if (ngc_directive_is(d, "user")) {
		code = conf_count(d, 1, 2, err);
		c->user = arg;
		return code;
	}
	return NGC_OK;
}

enum ngc_code conf_read_main(struct ngc_conf *c, struct ngc_error *err)
{
	for (const struct ngc_directive *d = c->tree->first; d != NULL; d = d->next) {
		enum ngc_code code = read_one(c, d, err);

		if (code != NGC_OK)
			return code;
	}
	return NGC_OK;
}
