/* SPDX-License-Identifier: BSD-2-Clause */
#include "field_value.h"

#include "csv.h"
#include "jsonw.h"
#include "ngc/tags.h"
#include "ngc/text.h"

/* JSON. */

static void json_path(struct ngc_buf *b, const struct ngc_entry *e)
{
	jsonw_text(b, ngc_bytes_of(ngc_cache_path(e->cache)));
	ngc_buf_add_char(b, '/');
	ngc_buf_add_str(b, e->dir); /* hex digits need no escape */
	ngc_buf_add_str(b, e->name);
}

static void json_tags(struct ngc_buf *b, const struct field_source *s)
{
	struct ngc_tag_position at = s->tags;
	struct ngc_bytes tag;

	ngc_buf_add_char(b, '[');
	while (s->tagged && ngc_tags_next(&s->e->response,
				ngc_select_tag_headers(s->env->select), &at, &tag)) {
		jsonw_comma(b);
		jsonw_string(b, tag);
	}
	ngc_buf_add_char(b, ']');
}

static void add_hex(struct ngc_buf *b, const unsigned char *md5)
{
	char hex[NGC_NAME_LEN + 1];

	ngc_hex(md5, hex);
	ngc_buf_add(b, hex, NGC_NAME_LEN);
}

static void json_value(struct ngc_buf *b, const struct field_source *s,
    const struct field_value *v)
{
	switch (v->kind) {
	case VALUE_NONE:
		ngc_buf_add(b, "null", 4);
		break;
	case VALUE_TEXT:
	case VALUE_KEY:
		jsonw_string(b, v->text);
		break;
	case VALUE_INT:
		jsonw_int(b, v->number);
		break;
	case VALUE_UINT:
		jsonw_uint(b, v->count);
		break;
	case VALUE_BOOL:
		ngc_buf_add_str(b, v->flag ? "true" : "false");
		break;
	case VALUE_MD5:
		ngc_buf_add_char(b, '"');
		add_hex(b, v->md5);
		ngc_buf_add_char(b, '"');
		break;
	case VALUE_FILE:
		ngc_buf_add_char(b, '"');
		json_path(b, s->e);
		ngc_buf_add_char(b, '"');
		break;
	case VALUE_URL:
		ngc_buf_add_char(b, '"');
		ngc_entry_url_write(&s->url, jsonw_text, b);
		ngc_buf_add_char(b, '"');
		break;
	case VALUE_TAGS:
		json_tags(b, s);
		break;
	}
}

/* A key that is not UTF-8 is there in full, too. */
static void json_base64(struct ngc_buf *b, struct ngc_bytes key)
{
	if (ngc_utf8_valid(key))
		return;
	jsonw_name(b, "key_base64");
	ngc_buf_add_char(b, '"');
	ngc_text_base64(b, key);
	ngc_buf_add_char(b, '"');
}

static void json_members(struct ngc_buf *b, const struct field_source *s,
    const struct fields *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct field *one = f->list[i];
		struct field_value v = field_value(s, one);

		ngc_buf_add(b, one->member + (i == 0), one->member_len - (i == 0));
		json_value(b, s, &v);
		if (v.kind == VALUE_KEY)
			json_base64(b, v.text);
	}
}

/* CSV and TSV: text is escaped as on a terminal, so that every entry is one line. */

static void plain_path(struct ngc_buf *b, const struct ngc_entry *e)
{
	ngc_text_escape(b, ngc_bytes_of(ngc_cache_path(e->cache)));
	ngc_buf_add_char(b, '/');
	ngc_buf_add_str(b, e->dir);
	ngc_buf_add_str(b, e->name);
}

/* With blanks between. */
static void plain_tags(struct ngc_buf *b, const struct field_source *s)
{
	struct ngc_tag_position at = s->tags;
	struct ngc_bytes tag;
	size_t start = b->n;

	while (s->tagged && ngc_tags_next(&s->e->response,
				ngc_select_tag_headers(s->env->select), &at, &tag)) {
		if (b->n > start)
			ngc_buf_add_char(b, ' ');
		ngc_text_escape(b, tag);
	}
}

static void plain_value(struct ngc_buf *b, const struct field_source *s,
    const struct field_value *v)
{
	switch (v->kind) {
	case VALUE_NONE:
		break;
	case VALUE_TEXT:
	case VALUE_KEY:
		ngc_text_escape(b, v->text);
		break;
	case VALUE_MD5:
		add_hex(b, v->md5);
		break;
	case VALUE_FILE:
		plain_path(b, s->e);
		break;
	case VALUE_URL:
		ngc_entry_url_write(&s->url, ngc_text_escape, b);
		break;
	case VALUE_TAGS:
		plain_tags(b, s);
		break;
	default:
		json_value(b, s, v);
	}
}

static void add_cells(struct ngc_buf *b, const struct field_source *s,
    const struct fields *f, enum field_format format)
{
	for (size_t i = 0; i < f->n; i++) {
		struct field_value v = field_value(s, f->list[i]);
		size_t start;

		if (i > 0)
			ngc_buf_add_char(b, format == FIELD_CSV ? ',' : '\t');
		start = b->n;
		plain_value(b, s, &v);
		if (format == FIELD_CSV && v.kind != VALUE_INT)
			csv_quote(b, start);
	}
}

void fields_heading(struct ngc_buf *b, const struct fields *f, enum field_format format)
{
	for (size_t i = 0; format != FIELD_JSON && i < f->n; i++) {
		ngc_buf_add_str(b, f->list[i]->name);
		ngc_buf_add_char(b,
		    i + 1 == f->n ? '\n' : format == FIELD_CSV ? ',' : '\t');
	}
}

enum ngc_code fields_members(struct ngc_buf *b, const struct cmd_env *env,
    const struct fields *f, struct ngc_entry *e, struct ngc_error *err)
{
	struct field_source s = { .env = env, .e = e };
	enum ngc_code code = field_source_read(&s, f, e, err);

	if (code == NGC_OK)
		json_members(b, &s, f);
	return code;
}

enum ngc_code fields_line(struct ngc_buf *b, const struct cmd_env *env,
    const struct fields *f, enum field_format format, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct field_source s = { .env = env, .e = e };
	enum ngc_code code = field_source_read(&s, f, e, err);

	if (code != NGC_OK)
		return code;
	if (format != FIELD_JSON) {
		add_cells(b, &s, f, format);
		ngc_buf_add_char(b, '\n');
		return NGC_OK;
	}
	ngc_buf_add_char(b, '{');
	json_members(b, &s, f);
	ngc_buf_add_str(b, "}\n");
	return NGC_OK;
}
