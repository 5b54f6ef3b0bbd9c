/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_purge.h"

#include "jsonw.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "out_archive.h"
#include "out_entry.h"

void out_purge_json_begin(struct ngc_buf *b, const struct ngc_purge_request *req,
    bool list)
{
	ngc_buf_add_char(b, '{');
	jsonw_member_int(b, "schema", 1);
	jsonw_member_str(b, "command", "purge");
	jsonw_member_str(b, "mode", ngc_purge_mode_name(req->mode));
	jsonw_member_bool(b, "dry_run", req->dry_run);
	if (list) {
		jsonw_name(b, "entries");
		ngc_buf_add_char(b, '[');
	}
}

/* A key, the URL it belongs to if that is told, and the file; null: its levels are not
 * known. */
static void json_place(struct ngc_buf *b, const struct ngc_tried *t, const char *url)
{
	jsonw_comma(b);
	ngc_buf_add_char(b, '{');
	jsonw_member_bytes(b, "key", ngc_bytes(t->key, t->key_len));
	if (url != NULL)
		jsonw_member_str(b, "url", url);
	jsonw_name(b, "file");
	if (t->placed) {
		ngc_buf_add_char(b, '"');
		jsonw_text(b, ngc_bytes_of(t->zone->path));
		ngc_buf_printf(b, "/%s%s\"}", t->dir, t->name);
	} else {
		ngc_buf_add_str(b, "null}");
	}
}

static void json_miss(struct ngc_buf *b, const struct ngc_selector_result *s)
{
	jsonw_name(b, "tried");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; i < s->n_tried; i++)
		json_place(b, &s->tried[i], NULL);
	ngc_buf_add_char(b, ']');
	jsonw_name(b, "near");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; i < s->n_near; i++)
		json_place(b, &s->near[i].at, s->near[i].url);
	ngc_buf_add_char(b, ']');
	jsonw_member_bool(b, "uncached", s->uncached);
}

static void json_selector(struct ngc_buf *b, const struct ngc_selector_result *s)
{
	jsonw_comma(b);
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "selector", s->text);
	jsonw_member_uint(b, "matched", s->matched);
	jsonw_member_uint(b, "ambiguous", s->ambiguous);
	if (s->matched == 0)
		json_miss(b, s);
	ngc_buf_add_char(b, '}');
}

void out_purge_json_selectors(struct ngc_buf *b, const struct ngc_select_result *found)
{
	jsonw_name(b, "selectors");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; i < found->n_selectors; i++)
		json_selector(b, &found->selectors[i]);
	ngc_buf_add_char(b, ']');
}

static void json_zones(struct ngc_buf *b, const struct ngc_site *site,
    const struct ngc_purge_result *r)
{
	const struct ngc_zone *z;

	jsonw_name(b, "zones");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; r->zones != NULL && (z = ngc_site_zone(site, i)) != NULL;
	     i++) {
		jsonw_comma(b);
		ngc_buf_add_char(b, '{');
		jsonw_member_str(b, "zone", z->name);
		jsonw_member_uint(b, "purged", r->zones[i].purged);
		jsonw_member_uint(b, "bytes", r->zones[i].bytes);
		ngc_buf_add_char(b, '}');
	}
	ngc_buf_add_char(b, ']');
}

static void json_errors(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_purge_result *r)
{
	out_errors_begin(b, &env->errors);
	for (unsigned i = 0; i < r->n_errors; i++) {
		jsonw_comma(b);
		ngc_buf_add_char(b, '{');
		jsonw_member_str(b, "file", r->errors[i].file);
		jsonw_member_str(b, "error", r->errors[i].text);
		ngc_buf_add_char(b, '}');
	}
	ngc_buf_add_char(b, ']');
}

static void json_backup(struct ngc_buf *b, const char *file,
    const struct ngc_archive_result *r)
{
	jsonw_name(b, "backup");
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "file", file);
	jsonw_member_uint(b, "entries", r->entries);
	jsonw_member_uint(b, "size", r->size);
	jsonw_member_bool(b, "complete", r->complete);
	ngc_buf_add_char(b, '}');
}

void out_purge_json_end(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_purge_request *req, const struct ngc_purge_result *r, bool list)
{
	if (list)
		ngc_buf_add_char(b, ']');
	out_purge_json_selectors(b, &r->found);
	json_zones(b, req->site, r);
	json_errors(b, env, r);
	jsonw_member_bool(b, "walked", r->found.walked);
	jsonw_member_uint(b, "matched", r->matched);
	jsonw_member_uint(b, "purged", r->purged);
	jsonw_member_uint(b, "variants", r->variants);
	jsonw_member_uint(b, "bytes", r->bytes);
	jsonw_member_uint(b, "already_gone", r->already_gone);
	jsonw_member_uint(b, "replaced", r->replaced);
	jsonw_member_uint(b, "failed", r->failed);
	jsonw_member_uint(b, "ambiguous", r->found.ambiguous);
	if (req->reload)
		jsonw_member_bool(b, "reloaded", r->reload.ok);
	if (req->backup != NULL)
		json_backup(b, req->backup, &r->backup);
	ngc_buf_add_str(b, "}\n");
}

static const char *verb(const struct ngc_purge_request *req)
{
	static const char *const done[] = { "removed", "invalidated", "expired" };
	static const char *const would[] = { "would remove", "would invalidate",
		"would expire" };

	return req->dry_run ? would[req->mode] : done[req->mode];
}

static void text_count(struct ngc_buf *b, uint64_t n, const char *what)
{
	if (n > 0)
		ngc_buf_printf(b, ", %llu %s", (unsigned long long)n, what);
}

void out_purge_text(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_purge_request *req, const struct ngc_purge_result *r)
{
	/* Where something could not be looked at, nobody knows that nothing matched. */
	for (size_t i = 0; r->found.failed == 0 && i < r->found.n_selectors; i++)
		if (r->found.selectors[i].matched == 0)
			out_miss_text(b, env, &r->found.selectors[i]);
	if (req->backup != NULL)
		out_archive_text(b, env, req->backup, &r->backup);
	ngc_buf_printf(b, "%s %llu %s", verb(req), (unsigned long long)r->purged,
	    r->purged == 1 ? "entry" : "entries");
	if (r->purged > 0) {
		ngc_buf_add_str(b, " (");
		out_bytes(b, env, r->bytes);
		ngc_buf_add_char(b, ')');
	}
	text_count(b, r->variants,
	    r->variants == 1 ? "of them a variant" : "of them variants");
	text_count(b, r->already_gone, "already gone");
	text_count(b, r->replaced, "replaced by nginx meanwhile and kept");
	text_count(b, r->failed, "failed");
	ngc_buf_add_char(b, '\n');
}
