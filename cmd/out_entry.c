/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_entry.h"

#include "field.h"
#include "jsonw.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "out_variants.h"

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

const char out_entry_heading[] = "STATUS  STATE           SIZE  AGE        KEY\n";

static const char *state_color(const struct cmd_env *env, enum ngc_state s)
{
	static const char *const colors[] = { "\x1b[32m", "\x1b[33m", "\x1b[2m",
		"\x1b[31m" };

	return env->color ? colors[s] : "";
}

enum ngc_code out_entry_line(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = load(e, err);
	char size[NGC_UNIT_TEXT], age[NGC_UNIT_TEXT];
	enum ngc_state state;

	if (code != NGC_OK)
		return code;
	ngc_format_size((uint64_t)e->size, size);
	if (e->damaged) {
		ngc_buf_printf(b, "%6s  %-11s  %7s  %-9s  ", "-", "damaged", size, "-");
		ngc_entry_path(e, b);
		ngc_buf_add_char(b, '\n');
		return NGC_OK;
	}
	state = ngc_header_state(&e->header, env->now);
	ngc_format_seconds(env->now - e->header.date, age);
	ngc_buf_printf(b, "%6d  %s%-11s%s  %7s  %-9s  ", e->response.status,
	    state_color(env, state), ngc_state_name(state), env->color ? "\x1b[0m" : "",
	    size, age);
	ngc_text_escape(b, e->header.key);
	if (ngc_header_is_variant(&e->header, e->name))
		ngc_buf_add_str(b, "  (variant)");
	if (e->orphan)
		ngc_buf_add_str(b, "  (orphan)");
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
	ngc_format_seconds(past ? env->now - t : t - env->now, away);
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
