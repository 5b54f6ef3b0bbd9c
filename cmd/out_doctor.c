/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_doctor.h"

#include <string.h>

#include "jsonw.h"
#include "ngc/text.h"
#include "width.h"

#define COLUMNS 80
#define INDENT  9 /* the width of "warning" and two blanks */

/* How wide lines are. */
static size_t columns_of(const struct cmd_env *env)
{
	return env->columns > 0 && env->columns < COLUMNS ? env->columns : COLUMNS;
}

static void json_finding(struct ngc_buf *b, const struct ngc_doctor_finding *f)
{
	jsonw_comma(b);
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "severity", ngc_severity_name(f->severity));
	jsonw_member_str(b, "code", f->code);
	jsonw_member_str(b, "zone", f->zone);
	jsonw_member_str(b, "path", f->path);
	jsonw_member_str(b, "seen", f->seen);
	jsonw_member_str(b, "effect", f->effect);
	jsonw_member_str(b, "advice", f->advice);
	ngc_buf_add_char(b, '}');
}

void out_doctor_json(const struct ngc_doctor_result *r)
{
	struct ngc_buf b = { 0 };

	ngc_buf_add_char(&b, '{');
	jsonw_member_int(&b, "schema", 1);
	jsonw_member_str(&b, "command", "doctor");
	jsonw_name(&b, "findings");
	ngc_buf_add_char(&b, '[');
	for (size_t i = 0; i < r->n; i++)
		json_finding(&b, &r->findings[i]);
	ngc_buf_add_str(&b, "]}\n");
	out_write(&b);
	ngc_buf_free(&b);
}

/* Where in the line the text goes on. */
static void add_word(struct ngc_buf *b, struct ngc_bytes word, size_t columns,
    size_t *column)
{
	size_t width = width_of(word);

	if (*column > INDENT && *column + 1 + width >= columns) {
		ngc_buf_printf(b, "\n%*s", INDENT, "");
		*column = INDENT;
	} else if (*column > INDENT) {
		ngc_buf_add_char(b, ' ');
		++*column;
	}
	ngc_buf_add_bytes(b, word);
	*column += width;
}

/* A text from the indent on, its lines broken at blanks. */
static void add_text(struct ngc_buf *b, const struct cmd_env *env, const char *before,
    const char *text)
{
	struct ngc_buf safe = { 0 };
	size_t column = INDENT;
	const char *p;

	ngc_buf_add_str(&safe, before);
	ngc_text_escape(&safe, ngc_bytes_of(text));
	p = ngc_buf_str(&safe);
	while (p != NULL && *(p += strspn(p, " ")) != '\0') {
		size_t n = strcspn(p, " ");

		add_word(b, ngc_bytes(p, n), columns_of(env), &column);
		p += n;
	}
	ngc_buf_add_char(b, '\n');
	b->failed |= safe.failed;
	ngc_buf_free(&safe);
}

static void text_finding(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_doctor_finding *f)
{
	static const char *const colors[] = { "\033[31m", "\033[33m", "\033[36m" };
	struct ngc_buf zone = { 0 }, seen = { 0 };
	const char *before, *text;

	ngc_buf_printf(b, "%s%-*s%s", env->color ? colors[f->severity] : "", INDENT,
	    ngc_severity_name(f->severity), env->color ? "\033[0m" : "");
	if (f->zone != NULL) {
		ngc_text_escape(&zone, ngc_bytes_of(f->zone));
		ngc_buf_add_str(&zone, ": ");
	}
	ngc_buf_printf(&seen, "%s [%s]", f->seen, f->code);
	before = ngc_buf_str(&zone);
	text = ngc_buf_str(&seen);
	add_text(b, env, before != NULL ? before : "", text != NULL ? text : f->seen);
	ngc_buf_printf(b, "%*s", INDENT, "");
	add_text(b, env, "effect: ", f->effect);
	ngc_buf_printf(b, "%*s", INDENT, "");
	add_text(b, env, "advice: ", f->advice);
	ngc_buf_add_char(b, '\n');
	ngc_buf_free(&zone);
	ngc_buf_free(&seen);
}

static void text_count(struct ngc_buf *b, uint64_t n, const char *one, const char *many)
{
	ngc_buf_printf(b, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void text_sum(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_doctor_result *r)
{
	static const char *const names[][2] = { { "fault", "faults" },
		{ "warning", "warnings" }, { "note", "notes" } };
	const char *before = "";

	text_count(b, ngc_site_zones(env->site), "zone", "zones");
	ngc_buf_add_str(b, " with ");
	text_count(b, r->entries, "entry", "entries");
	ngc_buf_add_str(b, " looked at: ");
	for (int s = 0; s < NGC_SEVERITIES; s++) {
		if (r->found[s] == 0)
			continue;
		ngc_buf_add_str(b, before);
		text_count(b, r->found[s], names[s][0], names[s][1]);
		before = ", ";
	}
	if (r->failed > 0)
		ngc_buf_printf(b, "%s%llu not to be looked at", before,
		    (unsigned long long)r->failed);
	else if (r->n == 0)
		ngc_buf_add_str(b, "nothing found");
	ngc_buf_add_char(b, '\n');
}

void out_doctor_text(const struct cmd_env *env, const struct ngc_doctor_result *r)
{
	struct ngc_buf b = { 0 };

	for (size_t i = 0; i < r->n; i++)
		text_finding(&b, env, &r->findings[i]);
	if (!env->quiet)
		text_sum(&b, env, r);
	out_write(&b);
	ngc_buf_free(&b);
}
