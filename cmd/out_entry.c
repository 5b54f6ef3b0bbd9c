/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_entry.h"

#include <stdio.h>
#include <string.h>

#include "field.h"
#include "jsonw.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "out_variants.h"
#include "width.h"

/* The response header and the sizes; a file cut within its header is shown as far as it
 * goes. */
static enum ngc_code load(struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_stat(e, err);

	if (code != NGC_OK || e->damaged)
		return code;
	code = ngc_entry_response(e, err);
	return code == NGC_DAMAGED ? NGC_OK : code;
}

enum ngc_code out_entry_json(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	struct fields all;

	fields_all(&all);
	return fields_members(b, env, &all, e, err);
}

void out_entry_json_more(struct ngc_buf *b, const struct ngc_entry *e,
    const struct out_variants *variants)
{
	struct ngc_bytes name, value;
	size_t pos = 0;

	jsonw_name(b, "headers");
	ngc_buf_add_char(b, '[');
	while (ngc_response_next(&e->response, &pos, &name, &value)) {
		jsonw_comma(b);
		ngc_buf_add_char(b, '[');
		jsonw_string(b, name);
		ngc_buf_add_char(b, ',');
		jsonw_string(b, value);
		ngc_buf_add_char(b, ']');
	}
	ngc_buf_add_char(b, ']');
	out_variants_json(b, variants);
	jsonw_member_bool(b, "crc_ok", ngc_crc32(e->header.key) == e->header.crc32);
	jsonw_member_bool(b, "name_ok", ngc_header_name_ok(&e->header, e->name));
}

static const char *state_color(const struct cmd_env *env, enum ngc_state s)
{
	static const char *const colors[] = { "\x1b[32m", "\x1b[33m", "\x1b[2m",
		"\x1b[31m" };

	return env->color ? colors[s] : "";
}

/* A line that fits into the terminal has no room for all columns in a narrow one. */
#define NARROW  60
#define KEY_MIN 16 /* columns; a key is not cut to less */
#define CUT     "..."

static bool is_narrow(const struct cmd_env *env)
{
	return env->columns > 0 && env->columns < NARROW && !env->verbose;
}

/* Status and state, and where there is room size and age. */
static void add_cells(struct ngc_buf *b, const struct cmd_env *env,
    const char *const cells[4], const char *color)
{
	ngc_buf_printf(b, "%6s  %s%-11s%s  ", cells[0], color, cells[1],
	    color[0] != '\0' ? "\x1b[0m" : "");
	if (!is_narrow(env))
		ngc_buf_printf(b, "%*s  %-*s  ", env->verbose ? 12 : 7, cells[2],
		    env->verbose ? 15 : 9, cells[3]);
}

/* Cut out of its middle what is too wide for the terminal: keys differ at their ends. */
static void fit_key(struct ngc_buf *b, const struct cmd_env *env, size_t start,
    size_t more)
{
	size_t used = more + (is_narrow(env) ? 21 : 41), room = KEY_MIN;
	struct ngc_bytes key, head, tail;

	if (env->columns == 0 || env->verbose || b->failed)
		return;
	if (env->columns > used + KEY_MIN)
		room = env->columns - used;
	key = ngc_bytes(b->p + start, b->n - start);
	if (width_of(key) <= room)
		return;
	room -= strlen(CUT);
	head = width_head(key, room / 2);
	tail = width_tail(key, room - room / 2);
	b->n = start + head.n;
	memmove(b->p + b->n + strlen(CUT), tail.p, tail.n);
	memcpy(b->p + b->n, CUT, strlen(CUT));
	b->n += strlen(CUT) + tail.n;
}

void out_entry_heading(struct ngc_buf *b, const struct cmd_env *env)
{
	static const char *const names[] = { "STATUS", "STATE", "SIZE", "AGE" };

	add_cells(b, env, names, "");
	ngc_buf_add_str(b, "KEY\n");
}

/* What the line of a damaged file can tell. */
static void damaged_line(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, const char *size)
{
	const char *const cells[] = { "-", "damaged", size, "-" };
	size_t start;

	add_cells(b, env, cells, "");
	start = b->n;
	ngc_entry_path(e, b);
	fit_key(b, env, start, 0);
	ngc_buf_add_char(b, '\n');
}

enum ngc_code out_entry_line(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = load(e, err);
	char status[16], size[NGC_UNIT_TEXT], age[NGC_UNIT_TEXT];
	const char *cells[] = { status, NULL, size, age };
	enum ngc_state state;
	const char *kind;
	size_t start;

	if (code != NGC_OK)
		return code;
	out_size(env, (uint64_t)e->size, size);
	if (e->damaged) {
		damaged_line(b, env, e, size);
		return NGC_OK;
	}
	state = ngc_header_state(&e->header, env->now);
	snprintf(status, sizeof(status), "%d", e->response.status);
	cells[1] = ngc_state_name(state);
	out_age(env, env->now - e->header.date, age);
	add_cells(b, env, cells, state_color(env, state));
	kind = ngc_header_is_variant(&e->header, e->name)
		   ? e->orphan ? "  (variant)  (orphan)" : "  (variant)"
	       : e->orphan ? "  (orphan)"
			   : "";
	start = b->n;
	ngc_text_escape(b, e->header.key);
	fit_key(b, env, start, strlen(kind));
	ngc_buf_add_str(b, kind);
	ngc_buf_add_char(b, '\n');
	return NGC_OK;
}

static void text_bytes(struct ngc_buf *b, const char *label, struct ngc_bytes s)
{
	if (s.p == NULL || s.n == 0)
		return;
	ngc_buf_printf(b, "%-14s ", label);
	ngc_text_escape(b, s);
	ngc_buf_add_char(b, '\n');
}

static void text_time(struct ngc_buf *b, const struct cmd_env *env, const char *label,
    int64_t t)
{
	char instant[NGC_UNIT_TEXT], away[NGC_UNIT_TEXT];
	bool past = t <= env->now;

	ngc_format_instant(t, instant);
	out_age(env, past ? env->now - t : t - env->now, away);
	ngc_buf_printf(b, "%-14s %s (%s%s%s)\n", label, instant, past ? "" : "in ", away,
	    past ? " ago" : "");
}

static void text_response(struct ngc_buf *b, const struct ngc_response *r)
{
	struct ngc_bytes name, value;
	size_t pos = 0;

	ngc_buf_printf(b, "%-14s %d, stored as %s\n", "response", r->status,
	    ngc_stored_name(r->stored));
	while (ngc_response_next(r, &pos, &name, &value)) {
		ngc_buf_add_str(b, "    ");
		ngc_text_escape(b, name);
		ngc_buf_add_str(b, ": ");
		ngc_text_escape(b, value);
		ngc_buf_add_char(b, '\n');
	}
}

/* What nginx does with an entry in that state. */
static const char *meaning(enum ngc_state s)
{
	switch (s) {
	case NGC_FRESH:
		return "fresh: served as it is";
	case NGC_STALE:
		return "stale: served while it is refreshed, or while the upstream fails";
	case NGC_EXPIRED:
		return "expired: fetched anew at the next request";
	case NGC_INVALIDATED:
		return "invalidated: never served, replaced at the next request";
	}
	return "";
}

static void text_lifetime(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_header *h)
{
	ngc_buf_printf(b, "%-14s %s\n", "state", meaning(ngc_header_state(h, env->now)));
	text_time(b, env, "cached", h->date);
	text_time(b, env, "valid until", h->valid);
	if (h->updating > 0 || h->error > 0)
		ngc_buf_printf(b, "%-14s %llds while updating, %llds on errors\n",
		    "stale for", (long long)h->updating, (long long)h->error);
	if (h->last_modified != -1)
		text_time(b, env, "last modified", h->last_modified);
	text_bytes(b, "etag", h->etag);
}

enum ngc_code out_entry_text(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = load(e, err);
	const struct ngc_header *h = &e->header;
	char size[NGC_UNIT_TEXT];

	if (code != NGC_OK)
		return code;
	text_bytes(b, "zone", ngc_bytes_of(ngc_cache_name(e->cache)));
	ngc_buf_printf(b, "%-14s ", "file");
	ngc_entry_path(e, b);
	ngc_buf_add_char(b, '\n');
	text_bytes(b, "key", h->key);
	text_lifetime(b, env, h);
	text_bytes(b, "vary", h->vary);
	ngc_buf_printf(b, "%-14s %s%s\n", "kind",
	    ngc_header_is_variant(h, e->name) ? "variant of its key" : "main entry",
	    e->orphan ? ", in a place where nginx does not look (orphan)" : "");
	ngc_buf_printf(b, "%-14s %lld bytes", "size", (long long)e->size);
	if (e->size >= 1024)
		ngc_buf_printf(b, " (%s)", ngc_format_size((uint64_t)e->size, size));
	ngc_buf_printf(b, ", body from %u\n", h->body_start);
	ngc_buf_printf(b, "%-14s version %d, %s\n", "layout",
	    ngc_layout_version(h->layout), ngc_layout_abi(h->layout));
	text_response(b, &e->response);
	return NGC_OK;
}

/* How many of the tried places the text names without -v. */
#define TRIED_SHOWN 4

static void text_place(struct ngc_buf *b, const struct ngc_tried *t)
{
	ngc_buf_add_str(b, "    ");
	ngc_text_escape(b, ngc_bytes(t->key, t->key_len));
	ngc_buf_printf(b, "\n        %s/%s%s%s\n", t->zone->path, t->dir, t->name,
	    t->placed ? "" : ", with and without levels");
}

void out_miss_text(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_selector_result *s)
{
	bool all = env->verbose || s->n_tried <= TRIED_SHOWN;
	size_t shown = all ? s->n_tried : TRIED_SHOWN;

	ngc_buf_add_str(b, "nothing matched '");
	ngc_text_escape(b, ngc_bytes_of(s->text));
	ngc_buf_printf(b, "'%s\n", s->uncached ? ": no location caches this URL"
				  : shown > 0 ? "; looked up:"
					      : "");
	for (size_t i = 0; i < shown; i++)
		text_place(b, &s->tried[i]);
	if (!all)
		ngc_buf_printf(b, "    and %zu more (-v tells)\n", s->n_tried - shown);
	for (size_t i = 0; i < s->n_near; i++) {
		ngc_buf_add_str(b, i == 0 ? "but there is: " : "              ");
		ngc_text_escape(b, ngc_bytes_of(s->near[i].url));
		ngc_buf_add_char(b, '\n');
	}
}
