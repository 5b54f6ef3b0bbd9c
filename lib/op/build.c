/* SPDX-License-Identifier: BSD-2-Clause */
#include "build.h"

#include <stdio.h>
#include <string.h>

#include "child.h"

/* By name, and where cron's and sudo's PATH do not look. */
const char *const nginx_programs[] = { "nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx",
	"/usr/local/nginx/sbin/nginx", "openresty", "/usr/local/openresty/bin/openresty", "angie",
	"/usr/sbin/angie", "tengine", "freenginx", NULL };

static void copy_path(char out[PATH_MAX], const char *p, size_t n)
{
	if (n >= PATH_MAX)
		n = 0;
	memcpy(out, p, n);
	out[n] = '\0';
}

/* The value of --NAME=VALUE, where '...' may stand around the value or the whole. */
static void take_argument(const char *text, const char *name, char out[PATH_MAX])
{
	const char *p = strstr(text, name), *value;
	const char *end = " \n";

	out[0] = '\0';
	if (p == NULL)
		return;
	value = p + strlen(name);
	if (*value == '\'') {
		end = "'";
		value++;
	} else if (p > text && p[-1] == '\'') {
		end = "'";
	}
	copy_path(out, value, strcspn(value, end));
}

/* A path that is given relative to the prefix, or not given at all. */
static void complete(const struct nginx_build *b, char path[PATH_MAX], const char *fallback)
{
	char joined[2 * PATH_MAX];
	int n;

	if (path[0] == '/')
		return;
	n = snprintf(joined, sizeof(joined), "%s/%s", b->prefix,
	    path[0] != '\0' ? path : fallback);
	copy_path(path, joined, (size_t)n);
}

static void parse(const char *text, struct nginx_build *b)
{
	take_argument(text, "--prefix=", b->prefix);
	if (b->prefix[0] == '\0')
		copy_path(b->prefix, "/usr/local/nginx", strlen("/usr/local/nginx"));
	take_argument(text, "--conf-path=", b->conf_path);
	take_argument(text, "--pid-path=", b->pid_path);
	take_argument(text, "--error-log-path=", b->error_log_path);
	complete(b, b->conf_path, "conf/nginx.conf");
	complete(b, b->pid_path, "logs/nginx.pid");
	complete(b, b->error_log_path, "logs/error.log");
}

enum ngc_code nginx_build_ask(struct nginx_build *out, struct ngc_error *err)
{
	struct ngc_buf text = { 0 };
	enum ngc_code code = NGC_GONE;
	int status = 0;

	*out = (struct nginx_build){ 0 };
	for (const char *const *p = nginx_programs; *p != NULL && code == NGC_GONE; p++) {
		const char *argv[] = { *p, "-V", NULL };

		out->program = *p;
		code = child_run(argv, &text, &status, err);
	}
	if (code == NGC_GONE)
		ngc_fail(err, code, 0, "no nginx found to ask for its paths (nginx -V)");
	else if (code == NGC_OK && (status != 0 || ngc_buf_str(&text) == NULL))
		code = ngc_fail(err, NGC_GONE, 0, "%s -V failed", out->program);
	else if (code == NGC_OK)
		parse(ngc_buf_str(&text), out);
	ngc_buf_free(&text);
	return code;
}
