/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_entry.h"

#include "jsonw.h"
#include "ngc/tags.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "ngc/urls.h"

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

static void read_key(const struct cmd_env *env, const struct ngc_entry *e,
    struct ngc_reading *out)
{
	ngc_route_read(ngc_site_router(env->site), ngc_cache_zone(e->cache),
	    e->header.key, out);
}

static void json_url(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_entry *e, const struct ngc_reading *r)
{
	struct ngc_entry_url url;

	if (!ngc_entry_url(ngc_site_router(env->site), ngc_cache_zone(e->cache), r,
		&url)) {
		jsonw_member_null(b, "url");
		return;
	}
	jsonw_name(b, "url");
	ngc_buf_add_char(b, '"');
	jsonw_text(b, url.scheme);
	ngc_buf_add_str(b, "://");
	jsonw_text(b, url.host);
	jsonw_text(b, url.base);
	jsonw_text(b, url.uri);
	ngc_buf_add_char(b, '"');
}

static void json_key(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_entry *e)
{
	struct ngc_bytes key = e->header.key;
	struct ngc_reading r;

	jsonw_member_bytes(b, "key", key);
	if (!ngc_utf8_valid(key)) {
		jsonw_name(b, "key_base64");
		ngc_buf_add_char(b, '"');
		ngc_text_base64(b, key);
		ngc_buf_add_char(b, '"');
	}
	read_key(env, e, &r);
	json_url(b, env, e, &r);
	jsonw_member_bytes(b, "scheme", r.scheme);
	jsonw_member_bytes(b, "method", r.method);
	jsonw_member_bytes(b, "host", r.host);
	jsonw_member_bytes(b, "uri", r.uri);
}

/* Empty is absent, in fields of the binary header. */
static struct ngc_bytes or_absent(struct ngc_bytes s)
{
	return s.n > 0 ? s : ngc_bytes(NULL, 0);
}

static void json_kind(struct ngc_buf *b, const struct ngc_entry *e)
{
	const struct ngc_header *h = &e->header;
	char variant[NGC_NAME_LEN + 1];

	jsonw_member_str(b, "kind",
	    ngc_header_is_variant(h, e->name) ? "variant" : "main");
	jsonw_member_bytes(b, "vary", or_absent(h->vary));
	if (h->variant != NULL)
		ngc_hex(h->variant, variant);
	jsonw_member_str(b, "variant", h->variant != NULL ? variant : NULL);
	jsonw_member_bool(b, "orphan", e->orphan);
	jsonw_member_int(b, "version", ngc_layout_version(h->layout));
	jsonw_member_str(b, "layout", ngc_layout_abi(h->layout));
}

static void json_tags(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_response *r)
{
	struct ngc_tag_position at = { 0 };
	struct ngc_bytes tag;

	jsonw_name(b, "tags");
	ngc_buf_add_char(b, '[');
	while (ngc_tags_next(r, ngc_select_tag_headers(env->select), &at, &tag)) {
		jsonw_comma(b);
		jsonw_string(b, tag);
	}
	ngc_buf_add_char(b, ']');
}

static void json_response(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_response *r)
{
	struct ngc_bytes length = ngc_response_field(r, "Content-Length");
	int64_t n;

	jsonw_member_str(b, "protocol", ngc_stored_name(r->stored));
	if (r->status > 0)
		jsonw_member_int(b, "status", r->status);
	else
		jsonw_member_null(b, "status");
	jsonw_member_bytes(b, "content_type", ngc_response_field(r, "Content-Type"));
	jsonw_member_bytes(b, "content_encoding",
	    ngc_response_field(r, "Content-Encoding"));
	if (length.p != NULL && ngc_parse_number(length, &n))
		jsonw_member_int(b, "content_length", n);
	else
		jsonw_member_null(b, "content_length");
	json_tags(b, env, r);
}

static void json_optional(struct ngc_buf *b, const char *name, int64_t v)
{
	if (v == -1)
		jsonw_member_null(b, name);
	else
		jsonw_member_int(b, name, v);
}

static void json_sizes(struct ngc_buf *b, const struct ngc_entry *e)
{
	const struct ngc_header *h = &e->header;

	jsonw_member_int(b, "size", e->size);
	jsonw_member_uint(b, "allocated", e->allocated);
	jsonw_member_uint(b, "header_start", h->header_start);
	jsonw_member_uint(b, "body_start", h->body_start);
	if (e->size >= (off_t)h->body_start)
		jsonw_member_int(b, "body_size", e->size - (off_t)h->body_start);
	else
		jsonw_member_null(b, "body_size");
}

static void json_times(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_header *h)
{
	jsonw_member_int(b, "valid", h->valid);
	json_optional(b, "last_modified", h->last_modified);
	jsonw_member_int(b, "date", h->date);
	json_optional(b, "updating", h->updating);
	json_optional(b, "error", h->error);
	jsonw_member_bytes(b, "etag", or_absent(h->etag));
	jsonw_member_str(b, "state", ngc_state_name(ngc_header_state(h, env->now)));
}

/* A file whose header does not parse has a name and a size. */
static void json_damaged(struct ngc_buf *b, const struct ngc_entry *e)
{
	static const char *const before[] = { "key", "url", "scheme", "method", "host",
		"uri", "kind", "vary", "variant" };
	static const char *const between[] = { "version", "layout", "protocol", "status",
		"content_type", "content_encoding", "content_length", "tags" };
	static const char *const after[] = { "header_start", "body_start", "body_size",
		"valid", "last_modified", "date", "updating", "error", "etag", "state" };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		jsonw_member_null(b, before[i]);
	jsonw_member_bool(b, "orphan", e->orphan);
	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++)
		jsonw_member_null(b, between[i]);
	jsonw_member_int(b, "size", e->size);
	jsonw_member_uint(b, "allocated", e->allocated);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		jsonw_member_null(b, after[i]);
}

static void json_file(struct ngc_buf *b, const struct ngc_entry *e)
{
	jsonw_name(b, "file");
	ngc_buf_add_char(b, '"');
	jsonw_text(b, ngc_bytes_of(ngc_cache_zone(e->cache)->path));
	ngc_buf_add_char(b, '/');
	ngc_buf_add_str(b, e->dir); /* hex digits need no escape */
	ngc_buf_add_str(b, e->name);
	ngc_buf_add_char(b, '"');
}

enum ngc_code out_entry_json(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = load(e, err);

	if (code != NGC_OK)
		return code;
	jsonw_member_str(b, "zone", ngc_cache_zone(e->cache)->name);
	json_file(b, e);
	if (e->damaged) {
		json_damaged(b, e);
		return NGC_OK;
	}
	json_key(b, env, e);
	json_kind(b, e);
	json_response(b, env, &e->response);
	json_sizes(b, e);
	json_times(b, env, &e->header);
	return NGC_OK;
}

void out_entry_json_more(struct ngc_buf *b, const struct ngc_entry *e)
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
	jsonw_member_null(b, "variants");
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
	text_bytes(b, "zone", ngc_bytes_of(ngc_cache_zone(e->cache)->name));
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
	ngc_buf_printf(b, "'%s\n", shown > 0 ? "; looked up:" : "");
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
