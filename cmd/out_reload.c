/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_reload.h"

#include <string.h>

#include "cmd.h"
#include "jsonw.h"

/* Hand each line of what nginx said to line(). */
static void each_message(const struct ngc_reload_result *r,
    void (*line)(void *arg, struct ngc_bytes text), void *arg)
{
	struct ngc_bytes left = ngc_buf_bytes(&r->messages);

	while (left.n > 0) {
		const unsigned char *lf = memchr(left.p, '\n', left.n);
		size_t n = lf != NULL ? (size_t)(lf - left.p) : left.n;

		if (n > 0)
			line(arg, ngc_bytes(left.p, n));
		left = ngc_bytes_from(left, lf != NULL ? n + 1 : n);
	}
}

static void print_message(void *arg, struct ngc_bytes text)
{
	(void)arg;
	ui_error("%.*s", (int)text.n, (const char *)text.p);
}

void out_reload_messages(const struct ngc_reload_result *r)
{
	each_message(r, print_message, NULL);
}

static void append_message(void *arg, struct ngc_bytes text)
{
	jsonw_comma(arg);
	jsonw_string(arg, text);
}

static void json_pids(struct ngc_buf *b, const char *name, const pid_t *list)
{
	jsonw_name(b, name);
	ngc_buf_add_char(b, '[');
	for (; list != NULL && *list != 0; list++) {
		jsonw_comma(b);
		jsonw_int(b, *list);
	}
	ngc_buf_add_char(b, ']');
}

void out_reload_json(const struct ngc_reload_result *r, enum ngc_signal signal)
{
	struct ngc_buf b = { 0 };

	ngc_buf_add_char(&b, '{');
	jsonw_member_int(&b, "schema", 1);
	jsonw_member_str(&b, "command", "reload");
	jsonw_member_str(&b, "signal", ngc_signal_name(signal));
	if (r->pid != 0)
		jsonw_member_int(&b, "pid", r->pid);
	else
		jsonw_member_null(&b, "pid");
	jsonw_member_bool(&b, "tested", r->tested);
	jsonw_member_bool(&b, "ok", r->ok);
	json_pids(&b, "workers_before", r->before);
	json_pids(&b, "workers_after", r->after);
	jsonw_name(&b, "messages");
	ngc_buf_add_char(&b, '[');
	each_message(r, append_message, &b);
	ngc_buf_add_str(&b, "]}\n");
	out_write(&b);
	ngc_buf_free(&b);
}

static size_t count(const pid_t *list)
{
	size_t n = 0;

	while (list != NULL && list[n] != 0)
		n++;
	return n;
}

void out_reload_text(const struct ngc_reload_result *r, enum ngc_signal signal)
{
	struct ngc_buf b = { 0 };

	if (signal == NGC_SIGNAL_RELOAD)
		ngc_buf_printf(&b, "reloaded nginx (process %ld): %zu new worker%s\n",
		    (long)r->pid, count(r->after), count(r->after) == 1 ? "" : "s");
	else
		ngc_buf_printf(&b, "signalled nginx (process %ld): %s\n", (long)r->pid,
		    ngc_signal_name(signal));
	out_write(&b);
	ngc_buf_free(&b);
}
