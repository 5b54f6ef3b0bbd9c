/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <string.h>

#include "ngc/reload.h"
#include "out_reload.h"

static const struct cmd_opt reload_opts[] = {
	{ OPT_SIGNAL, 0, "signal", "NAME", "reload (default), reopen, quit or stop" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const reload_synopsis[] = { "reload [options]", NULL };

static bool take_signal(const struct cmd_args *args, enum ngc_signal *out)
{
	const char *name = cmd_args_get(args, OPT_SIGNAL);

	*out = NGC_SIGNAL_RELOAD;
	if (name == NULL)
		return true;
	for (int s = NGC_SIGNAL_RELOAD; s <= NGC_SIGNAL_STOP; s++) {
		*out = (enum ngc_signal)s;
		if (strcmp(name, ngc_signal_name(*out)) == 0)
			return true;
	}
	ui_error("--signal '%s': expected reload, reopen, quit or stop", name);
	return false;
}

static int reload_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_reload_request req = { .site = env->site, .stop = env->stop };
	struct ngc_reload_result result;
	struct ngc_error err;
	enum ngc_code code;
	int status;

	if (!take_signal(args, &req.signal))
		return EXIT_USAGE;
	code = ngc_reload(&req, &result, &err);
	status = ui_status(code);
	if (code != NGC_OK) {
		out_reload_messages(&result);
		ui_print_error(&err);
	}
	if (env->json && status != EXIT_USAGE)
		out_reload_json(&result, req.signal);
	else if (code == NGC_OK && !env->quiet)
		out_reload_text(&result, req.signal);
	ngc_reload_result_free(&result);
	return status;
}

const struct cmd cmd_reload = {
	.name = "reload",
	.summary = "test nginx's configuration, then make nginx use it",
	.synopsis = reload_synopsis,
	.opts = reload_opts,
	.flags = CMD_SIGNALS,
	.run = reload_run,
};
