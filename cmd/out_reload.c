/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_reload.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "ngc/text.h"

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

/* nginx's own words in JSON; what is not UTF-8 in them is escaped. */
static void append_message(void *arg, struct ngc_bytes text)
{
	json_t *s = json_stringn((const char *)text.p, text.n);
	struct ngc_buf escaped = { 0 };

	if (s == NULL) {
		ngc_text_escape(&escaped, text);
		s = json_stringn((const char *)escaped.p, escaped.n);
		ngc_buf_free(&escaped);
	}
	json_array_append_new(arg, s);
}

static json_t *pids(const pid_t *list)
{
	json_t *a = json_array();

	for (; list != NULL && *list != 0; list++)
		json_array_append_new(a, json_integer(*list));
	return a;
}

void out_reload_json(const struct ngc_reload_result *r, enum ngc_signal signal)
{
	json_t *messages = json_array(), *doc;
	struct ngc_buf b = { 0 };
	char *text;

	each_message(r, append_message, messages);
	doc = json_pack("{s:i, s:s, s:s, s:o, s:b, s:b, s:o, s:o, s:o}", "schema", 1,
	    "command", "reload", "signal", ngc_signal_name(signal), "pid",
	    r->pid != 0 ? json_integer(r->pid) : json_null(), "tested", r->tested, "ok",
	    r->ok, "workers_before", pids(r->before), "workers_after", pids(r->after),
	    "messages", messages);
	text = json_dumps(doc, JSON_COMPACT);
	if (text != NULL)
		ngc_buf_printf(&b, "%s\n", text);
	b.failed |= text == NULL;
	out_write(&b);
	ngc_buf_free(&b);
	free(text);
	json_decref(doc);
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
