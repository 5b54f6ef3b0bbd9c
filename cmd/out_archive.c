/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_archive.h"

#include "jsonw.h"
#include "ngc/units.h"
#include "out_purge.h"

static void json_zones(struct ngc_buf *b, const struct ngc_site *site,
    const struct ngc_archive_result *r)
{
	const struct ngc_zone *z;

	jsonw_name(b, "zones");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; r->zones != NULL && (z = ngc_site_zone(site, i)) != NULL;
	     i++) {
		jsonw_comma(b);
		ngc_buf_add_char(b, '{');
		jsonw_member_str(b, "zone", z->name);
		jsonw_member_uint(b, "entries", r->zones[i].entries);
		jsonw_member_uint(b, "bytes", r->zones[i].bytes);
		ngc_buf_add_char(b, '}');
	}
	ngc_buf_add_char(b, ']');
}

void out_archive_json(struct ngc_buf *b, const struct cmd_env *env, const char *file,
    const struct ngc_archive_result *r)
{
	ngc_buf_add_char(b, '{');
	jsonw_member_int(b, "schema", 1);
	jsonw_member_str(b, "command", "archive");
	jsonw_member_str(b, "file", file);
	out_purge_json_selectors(b, &r->found);
	json_zones(b, env->site, r);
	out_errors_begin(b, &env->errors);
	ngc_buf_add_char(b, ']');
	jsonw_member_bool(b, "walked", r->found.walked);
	jsonw_member_uint(b, "entries", r->entries);
	jsonw_member_uint(b, "bytes", r->bytes);
	jsonw_member_uint(b, "gone", r->gone);
	jsonw_member_uint(b, "failed", r->failed);
	jsonw_member_uint(b, "size", r->size);
	jsonw_member_bool(b, "complete", r->complete);
	ngc_buf_add_str(b, "}\n");
}

void out_archive_text(struct ngc_buf *b, const struct cmd_env *env, const char *file,
    const struct ngc_archive_result *r)
{
	if (!r->complete)
		return;
	ngc_buf_printf(b, "archived %llu %s", (unsigned long long)r->entries,
	    r->entries == 1 ? "entry" : "entries");
	if (r->entries > 0) {
		ngc_buf_add_str(b, " (");
		out_bytes(b, env, r->bytes);
		ngc_buf_add_char(b, ')');
	}
	ngc_buf_printf(b, " in %s (", file);
	out_bytes(b, env, r->size);
	ngc_buf_add_char(b, ')');
	out_count(b, r->gone, "removed or replaced by nginx meanwhile and left out");
	out_count(b, r->failed, "failed");
	ngc_buf_add_char(b, '\n');
}

void out_archive_progress(const struct ngc_archive_result *so_far)
{
	char size[NGC_UNIT_TEXT];

	ui_progress("%llu entries, %s", (unsigned long long)so_far->entries,
	    ngc_format_size(so_far->bytes, size));
}
