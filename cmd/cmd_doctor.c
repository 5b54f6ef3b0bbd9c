/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include "ngc/doctor.h"
#include "out_doctor.h"

static const struct cmd_opt doctor_opts[] = {
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

static const char *const doctor_synopsis[] = { "doctor [options]", NULL };

static int doctor_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_doctor_request req = { .site = env->site,
		.pace = env->pace,
		.stop = env->stop,
		.problem = ui_problem };
	struct ngc_doctor_result result;
	struct ngc_error err;
	int status;

	(void)args;
	status = ui_status(ngc_doctor(&req, &result, &err));
	if (status != EXIT_DONE)
		ui_print_error(&err);
	else if (result.failed > 0)
		status = EXIT_PARTIAL;
	else if (result.found[NGC_FAULT] > 0)
		status = EXIT_NO;
	if (status != EXIT_USAGE && env->json)
		out_doctor_json(&result);
	else if (status != EXIT_USAGE)
		out_doctor_text(env, &result);
	ngc_doctor_result_free(&result);
	return status;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "what is wrong around the caches, and what to do",
	.synopsis = doctor_synopsis,
	.opts = doctor_opts,
	.flags = CMD_CACHES,
	.run = doctor_run,
};
