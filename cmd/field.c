/* SPDX-License-Identifier: BSD-2-Clause */
#include "field.h"

#include <string.h>

#include "csv.h"
#include "jsonw.h"
#include "ngc/tags.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "ngc/urls.h"

/* What of an entry must be read for a field. */
enum {
	NEEDS_STAT = 1,
	NEEDS_RESPONSE = 2,
	NEEDS_READING = 4, /* what its key says */
	NEEDS_HEADER = 8,  /* a damaged file has none: the field is null */
};

enum kind { NOTHING, TEXT, INT, UINT, BOOL, MD5, FILE_PATH, URL, TAGS };

struct value {
	enum kind kind;
	union {
		struct ngc_bytes text;
		int64_t number;
		uint64_t count;
		bool flag;
		const unsigned char *md5;
		struct ngc_entry_url url;
	};
};

/* The fields of the stored response that are asked for, by their place in this list. */
enum { TYPE, ENCODING, LENGTH, N_NAMED };

/* An entry, with what was read of it. */
struct source {
	const struct cmd_env *env;
	const struct ngc_entry *e;
	struct ngc_reading reading;
	struct ngc_bytes
	    named[N_NAMED]; /* the first of each name; absent: there is none */
	bool tagged;                     /* some header holds tags */
};

struct field {
	const char *name;
	const char *member; /* as JSON has it, with the comma before it */
	size_t member_len;
	unsigned needs;
	struct value (*get)(const struct source *s);
};

static struct value nothing(void)
{
	return (struct value){ .kind = NOTHING };
}

static struct value text(struct ngc_bytes s)
{
	return s.p != NULL ? (struct value){ .kind = TEXT, .text = s } : nothing();
}

static struct value string(const char *s)
{
	return text(ngc_bytes_of(s));
}

/* Empty is absent, in fields of the binary header. */
static struct value filled(struct ngc_bytes s)
{
	return s.n > 0 ? text(s) : nothing();
}

static struct value number(int64_t v)
{
	return (struct value){ .kind = INT, .number = v };
}

static struct value number_unless(int64_t v, int64_t absent)
{
	return v != absent ? number(v) : nothing();
}

static struct value count(uint64_t v)
{
	return (struct value){ .kind = UINT, .count = v };
}

static struct value get_zone(const struct source *s)
{
	const char *name = ngc_cache_name(s->e->cache);

	return name != NULL ? string(name) : nothing();
}

static struct value get_file(const struct source *s)
{
	(void)s;
	return (struct value){ .kind = FILE_PATH };
}

static struct value get_key(const struct source *s)
{
	return text(s->e->header.key);
}

static struct value get_url(const struct source *s)
{
	struct value v = { .kind = URL };

	return ngc_entry_url(ngc_cache_zone(s->e->cache), &s->reading, &v.url)
		   ? v
		   : nothing();
}

static struct value get_scheme(const struct source *s)
{
	return text(s->reading.scheme);
}

static struct value get_method(const struct source *s)
{
	return text(s->reading.method);
}

static struct value get_host(const struct source *s)
{
	return text(s->reading.host);
}

static struct value get_uri(const struct source *s)
{
	return text(s->reading.uri);
}

static struct value get_kind(const struct source *s)
{
	return string(ngc_header_is_variant(&s->e->header, s->e->name) ? "variant"
								       : "main");
}

static struct value get_vary(const struct source *s)
{
	return filled(s->e->header.vary);
}

static struct value get_variant(const struct source *s)
{
	const unsigned char *md5 = s->e->header.variant;

	return md5 != NULL ? (struct value){ .kind = MD5, .md5 = md5 } : nothing();
}

static struct value get_orphan(const struct source *s)
{
	return (struct value){ .kind = BOOL, .flag = s->e->orphan };
}

static struct value get_version(const struct source *s)
{
	return number(ngc_layout_version(s->e->header.layout));
}

static struct value get_layout(const struct source *s)
{
	return string(ngc_layout_abi(s->e->header.layout));
}

static struct value get_protocol(const struct source *s)
{
	return string(ngc_stored_name(s->e->response.stored));
}

static struct value get_status(const struct source *s)
{
	return s->e->response.status > 0 ? number(s->e->response.status) : nothing();
}

static struct value get_content_type(const struct source *s)
{
	return text(s->named[TYPE]);
}

static struct value get_content_encoding(const struct source *s)
{
	return text(s->named[ENCODING]);
}

static struct value get_content_length(const struct source *s)
{
	struct ngc_bytes length = s->named[LENGTH];
	int64_t n;

	return length.p != NULL && ngc_parse_number(length, &n) ? number(n) : nothing();
}

static struct value get_tags(const struct source *s)
{
	(void)s;
	return (struct value){ .kind = TAGS };
}

static struct value get_size(const struct source *s)
{
	return number(s->e->size);
}

static struct value get_allocated(const struct source *s)
{
	return count(s->e->allocated);
}

static struct value get_header_start(const struct source *s)
{
	return count(s->e->header.header_start);
}

static struct value get_body_start(const struct source *s)
{
	return count(s->e->header.body_start);
}

static struct value get_body_size(const struct source *s)
{
	off_t start = (off_t)s->e->header.body_start;

	return s->e->size >= start ? number(s->e->size - start) : nothing();
}

static struct value get_valid(const struct source *s)
{
	return number(s->e->header.valid);
}

static struct value get_last_modified(const struct source *s)
{
	return number_unless(s->e->header.last_modified, -1);
}

static struct value get_date(const struct source *s)
{
	return number(s->e->header.date);
}

static struct value get_updating(const struct source *s)
{
	return number_unless(s->e->header.updating, -1);
}

static struct value get_error(const struct source *s)
{
	return number_unless(s->e->header.error, -1);
}

static struct value get_etag(const struct source *s)
{
	return filled(s->e->header.etag);
}

static struct value get_state(const struct source *s)
{
	return string(ngc_state_name(ngc_header_state(&s->e->header, s->env->now)));
}

#define FIELD(name, needs)                                                               \
	{ #name, ",\"" #name "\":", sizeof(",\"" #name "\":") - 1, needs, get_##name }

/* The order of the manual. */
static const struct field fields[] = {
	FIELD(zone, 0),
	FIELD(file, 0),
	FIELD(key, NEEDS_HEADER),
	FIELD(url, NEEDS_HEADER | NEEDS_READING),
	FIELD(scheme, NEEDS_HEADER | NEEDS_READING),
	FIELD(method, NEEDS_HEADER | NEEDS_READING),
	FIELD(host, NEEDS_HEADER | NEEDS_READING),
	FIELD(uri, NEEDS_HEADER | NEEDS_READING),
	FIELD(kind, NEEDS_HEADER),
	FIELD(vary, NEEDS_HEADER),
	FIELD(variant, NEEDS_HEADER),
	FIELD(orphan, 0),
	FIELD(version, NEEDS_HEADER),
	FIELD(layout, NEEDS_HEADER),
	FIELD(protocol, NEEDS_HEADER | NEEDS_RESPONSE),
	FIELD(status, NEEDS_HEADER | NEEDS_RESPONSE),
	FIELD(content_type, NEEDS_HEADER | NEEDS_RESPONSE),
	FIELD(content_encoding, NEEDS_HEADER | NEEDS_RESPONSE),
	FIELD(content_length, NEEDS_HEADER | NEEDS_RESPONSE),
	FIELD(tags, NEEDS_HEADER | NEEDS_RESPONSE),
	FIELD(size, NEEDS_STAT),
	FIELD(allocated, NEEDS_STAT),
	FIELD(header_start, NEEDS_HEADER),
	FIELD(body_start, NEEDS_HEADER),
	FIELD(body_size, NEEDS_HEADER | NEEDS_STAT),
	FIELD(valid, NEEDS_HEADER),
	FIELD(last_modified, NEEDS_HEADER),
	FIELD(date, NEEDS_HEADER),
	FIELD(updating, NEEDS_HEADER),
	FIELD(error, NEEDS_HEADER),
	FIELD(etag, NEEDS_HEADER),
	FIELD(state, NEEDS_HEADER),
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

_Static_assert(N_FIELDS <= FIELDS_MAX, "there is room for all");

static void add_field(struct fields *f, const struct field *one)
{
	f->list[f->n++] = one;
	f->needs |= one->needs;
}

void fields_all(struct fields *out)
{
	*out = (struct fields){ .n = 0 };
	for (size_t i = 0; i < N_FIELDS; i++)
		add_field(out, &fields[i]);
}

static const struct field *find_field(struct ngc_bytes name)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (ngc_bytes_equal(ngc_bytes_of(fields[i].name), name))
			return &fields[i];
	return NULL;
}

static void unknown_field(struct ngc_bytes name)
{
	const char *names[N_FIELDS + 1] = { NULL }, *near;
	char word[64] = "";

	for (size_t i = 0; i < N_FIELDS; i++)
		names[i] = fields[i].name;
	memcpy(word, name.p, name.n < sizeof(word) ? name.n : sizeof(word) - 1);
	near = ngc_text_nearest(word, names);
	if (near != NULL)
		ui_error("--fields: unknown field '%s', did you mean '%s'?", word, near);
	else
		ui_error("--fields: unknown field '%s'; they are those of "
			 "ngxcache-json(5)",
		    word);
}

bool fields_parse(const char *names, struct fields *out)
{
	struct ngc_bytes left = ngc_bytes_of(names);

	*out = (struct fields){ .n = 0 };
	for (;;) {
		const unsigned char *comma = memchr(left.p, ',', left.n);
		size_t n = comma != NULL ? (size_t)(comma - left.p) : left.n;
		const struct field *one = find_field(ngc_bytes(left.p, n));

		if (one == NULL) {
			unknown_field(ngc_bytes(left.p, n));
			return false;
		}
		if (out->n == FIELDS_MAX) {
			ui_error("--fields: more than %d fields", FIELDS_MAX);
			return false;
		}
		add_field(out, one);
		if (comma == NULL)
			return true;
		left = ngc_bytes_from(left, n + 1);
	}
}

/* All in one go through the response header, which is most of the work. */
static void find_named(struct source *s)
{
	static const struct ngc_bytes names[N_NAMED] = {
		[TYPE] = { (const unsigned char *)"Content-Type", 12 },
		[ENCODING] = { (const unsigned char *)"Content-Encoding", 16 },
		[LENGTH] = { (const unsigned char *)"Content-Length", 14 },
	};
	const char *const *more = ngc_select_tag_headers(s->env->select);
	struct ngc_bytes name, value;
	size_t pos = 0;

	while (ngc_response_next(&s->e->response, &pos, &name, &value)) {
		for (size_t i = 0; i < N_NAMED; i++)
			if (name.n == names[i].n && s->named[i].p == NULL &&
			    ngc_bytes_same(name, names[i]))
				s->named[i] = value;
		s->tagged = s->tagged || ngc_tags_header(name, more);
	}
}

/* A file cut within its response header is shown as far as it goes. */
static enum ngc_code load(struct source *s, unsigned needs, struct ngc_entry *e,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	if (needs & NEEDS_STAT)
		code = ngc_entry_stat(e, err);
	if (code != NGC_OK || e->damaged)
		return code;
	if (needs & NEEDS_RESPONSE) {
		code = ngc_entry_response(e, err);
		find_named(s);
	}
	if (needs & NEEDS_READING)
		ngc_entry_reading(ngc_site_router(s->env->site), e, &s->reading);
	return code == NGC_DAMAGED ? NGC_OK : code;
}

static struct value value_of(const struct source *s, const struct field *f)
{
	return (f->needs & NEEDS_HEADER) && s->e->damaged ? nothing() : f->get(s);
}

/* JSON. */

static void json_path(struct ngc_buf *b, const struct ngc_entry *e)
{
	jsonw_text(b, ngc_bytes_of(ngc_cache_path(e->cache)));
	ngc_buf_add_char(b, '/');
	ngc_buf_add_str(b, e->dir); /* hex digits need no escape */
	ngc_buf_add_str(b, e->name);
}

static void json_tags(struct ngc_buf *b, const struct source *s)
{
	struct ngc_tag_position at = { 0 };
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

static void json_value(struct ngc_buf *b, const struct source *s, const struct value *v)
{
	switch (v->kind) {
	case NOTHING:
		ngc_buf_add(b, "null", 4);
		break;
	case TEXT:
		jsonw_string(b, v->text);
		break;
	case INT:
		jsonw_int(b, v->number);
		break;
	case UINT:
		jsonw_uint(b, v->count);
		break;
	case BOOL:
		ngc_buf_add_str(b, v->flag ? "true" : "false");
		break;
	case MD5:
		ngc_buf_add_char(b, '"');
		add_hex(b, v->md5);
		ngc_buf_add_char(b, '"');
		break;
	case FILE_PATH:
		ngc_buf_add_char(b, '"');
		json_path(b, s->e);
		ngc_buf_add_char(b, '"');
		break;
	case URL:
		ngc_buf_add_char(b, '"');
		ngc_entry_url_write(&v->url, jsonw_text, b);
		ngc_buf_add_char(b, '"');
		break;
	case TAGS:
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

static void json_members(struct ngc_buf *b, const struct source *s,
    const struct fields *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct field *one = f->list[i];
		struct value v = value_of(s, one);

		ngc_buf_add(b, one->member + (i == 0), one->member_len - (i == 0));
		json_value(b, s, &v);
		if (f->list[i]->get == get_key && v.kind == TEXT)
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
static void plain_tags(struct ngc_buf *b, const struct source *s)
{
	struct ngc_tag_position at = { 0 };
	struct ngc_bytes tag;
	size_t start = b->n;

	while (s->tagged && ngc_tags_next(&s->e->response,
				ngc_select_tag_headers(s->env->select), &at, &tag)) {
		if (b->n > start)
			ngc_buf_add_char(b, ' ');
		ngc_text_escape(b, tag);
	}
}

static void plain_value(struct ngc_buf *b, const struct source *s, const struct value *v)
{
	switch (v->kind) {
	case NOTHING:
		break;
	case TEXT:
		ngc_text_escape(b, v->text);
		break;
	case MD5:
		add_hex(b, v->md5);
		break;
	case FILE_PATH:
		plain_path(b, s->e);
		break;
	case URL:
		ngc_entry_url_write(&v->url, ngc_text_escape, b);
		break;
	case TAGS:
		plain_tags(b, s);
		break;
	default:
		json_value(b, s, v);
	}
}

static void add_cells(struct ngc_buf *b, const struct source *s, const struct fields *f,
    enum field_format format)
{
	for (size_t i = 0; i < f->n; i++) {
		struct value v = value_of(s, f->list[i]);
		size_t start;

		if (i > 0)
			ngc_buf_add_char(b, format == FIELD_CSV ? ',' : '\t');
		start = b->n;
		plain_value(b, s, &v);
		if (format == FIELD_CSV && v.kind != INT)
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
	struct source s = { .env = env, .e = e };
	enum ngc_code code = load(&s, f->needs, e, err);

	if (code == NGC_OK)
		json_members(b, &s, f);
	return code;
}

enum ngc_code fields_line(struct ngc_buf *b, const struct cmd_env *env,
    const struct fields *f, enum field_format format, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct source s = { .env = env, .e = e };
	enum ngc_code code = load(&s, f->needs, e, err);

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
