/* SPDX-License-Identifier: BSD-2-Clause */
#include "build.h"

#include <stdio.h>
#include <string.h>

#include "child.h"

/* By name, and where cron's and sudo's PATH do not look. */
const char *const nginx_programs[] = { "nginx", "/usr/sbin/nginx",
	"/usr/local/sbin/nginx", "/usr/local/nginx/sbin/nginx", "openresty",
	"/usr/local/openresty/bin/openresty", "angie", "/usr/sbin/angie", "tengine",
	"freenginx", NULL };

static void copy_path(char out[PATH_MAX], const char *p, size_t n)
{
	if (n >= PATH_MAX)
		n = 0;
	memcpy(out, p, n);
	out[n] = '\0';
}

/* The next word of a line, as a shell parts it: '...' may stand around all or part of it.
 */
static bool next_word(const char **line, struct ngc_buf *out)
{
	const char *p = *line + strspn(*line, " ");
	bool quoted = false;

	out->n = 0;
	if (*p == '\0' || *p == '\n')
		return false;
	for (; *p != '\0' && (quoted || (*p != ' ' && *p != '\n')); p++) {
		if (*p == '\'')
			quoted = !quoted;
		else
			ngc_buf_add_char(out, *p);
	}
	*line = p;
	return true;
}

/* The value of a word that is NAME and a value; of several the last one holds. */
static void take_argument(struct ngc_bytes word, const char *name, char out[PATH_MAX])
{
	size_t n = strlen(name);

	if (ngc_bytes_starts(word, ngc_bytes_of(name)))
		copy_path(out, (const char *)word.p + n, word.n - n);
}

/* A path that is given relative to the prefix, or not given at all. */
static void complete(const struct nginx_build *b, char path[PATH_MAX],
    const char *fallback)
{
	char joined[2 * PATH_MAX];
	int n;

	if (path[0] == '/')
		return;
	n = snprintf(joined, sizeof(joined), "%s/%s", b->prefix,
	    path[0] != '\0' ? path : fallback);
	copy_path(path, joined, (size_t)n);
}

/* --http-proxy-temp-path=; nginx's default lies in the prefix. */
static void take_temp_path(struct ngc_bytes word, enum ngc_protocol p, char out[PATH_MAX])
{
	char name[64];

	snprintf(name, sizeof(name), "--http-%s-temp-path=", ngc_protocol_name(p));
	take_argument(word, name, out);
}

static void complete_temp_paths(struct nginx_build *b)
{
	for (int p = 0; p < NGC_PROTOCOLS; p++) {
		char name[64];

		snprintf(name, sizeof(name), "%s_temp",
		    ngc_protocol_name((enum ngc_protocol)p));
		complete(b, b->temp_path[p], name);
	}
}

static void parse(const char *text, struct nginx_build *b)
{
	static const char start[] = "configure arguments:";
	const char *line = strstr(text, start);
	struct ngc_buf word = { 0 };

	line = line != NULL ? line + strlen(start) : "";
	while (next_word(&line, &word)) {
		take_argument(ngc_buf_bytes(&word), "--prefix=", b->prefix);
		take_argument(ngc_buf_bytes(&word), "--conf-path=", b->conf_path);
		take_argument(ngc_buf_bytes(&word), "--pid-path=", b->pid_path);
		take_argument(ngc_buf_bytes(&word),
		    "--error-log-path=", b->error_log_path);
		for (int p = 0; p < NGC_PROTOCOLS; p++)
			take_temp_path(ngc_buf_bytes(&word), (enum ngc_protocol)p,
			    b->temp_path[p]);
	}
	ngc_buf_free(&word);
	if (b->prefix[0] == '\0')
		copy_path(b->prefix, "/usr/local/nginx", strlen("/usr/local/nginx"));
	complete(b, b->conf_path, "conf/nginx.conf");
	complete(b, b->pid_path, "logs/nginx.pid");
	complete_temp_paths(b);
	if (strcmp(b->error_log_path, "stderr") == 0) /* as Debian's: no file */
		b->error_log_path[0] = '\0';
	else
		complete(b, b->error_log_path, "logs/error.log");
}

enum ngc_code nginx_build_ask_program(const char *program, struct nginx_build *out,
    struct ngc_error *err)
{
	const char *argv[] = { program, "-V", NULL };
	struct ngc_buf text = { 0 };
	int status = 0;
	enum ngc_code code = child_run(argv, &text, &status, err);

	*out = (struct nginx_build){ .program = program };
	if (code == NGC_OK && (status != 0 || ngc_buf_str(&text) == NULL))
		code = ngc_fail(err, NGC_DENIED, 0, "%s -V failed", program);
	else if (code == NGC_OK)
		parse(ngc_buf_str(&text), out);
	ngc_buf_free(&text);
	return code;
}

enum ngc_code nginx_build_ask(struct nginx_build *out, struct ngc_error *err)
{
	enum ngc_code code = NGC_GONE;

	for (const char *const *p = nginx_programs; *p != NULL && code == NGC_GONE; p++)
		code = nginx_build_ask_program(*p, out, err);
	if (code == NGC_GONE)
		return ngc_fail(err, code, 0,
		    "no nginx found to ask for its paths (nginx -V)");
	if (code == NGC_DENIED)
		code = err->code = NGC_GONE;
	return code;
}
