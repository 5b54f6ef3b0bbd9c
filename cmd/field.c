/* SPDX-License-Identifier: BSD-2-Clause */
#include "field_value.h"

#include <string.h>

#include "ngc/tags.h"
#include "ngc/text.h"
#include "ngc/units.h"

/* What of an entry must be read for a field. */
enum {
	NEEDS_STAT = 1,
	NEEDS_RESPONSE = 2,
	NEEDS_READING = 4, /* what its key says */
	NEEDS_HEADER = 8,  /* a damaged file has none: the field is null */
	NEEDS_URL = 16,    /* put together from the reading */
};

static struct field_value nothing(void)
{
	return (struct field_value){ .kind = VALUE_NONE };
}

static struct field_value text(struct ngc_bytes s)
{
	return s.p != NULL ? (struct field_value){ .kind = VALUE_TEXT, .text = s }
			   : nothing();
}

static struct field_value string(const char *s)
{
	return text(ngc_bytes_of(s));
}

/* Empty is absent, in fields of the binary header. */
static struct field_value filled(struct ngc_bytes s)
{
	return s.n > 0 ? text(s) : nothing();
}

static struct field_value number(int64_t v)
{
	return (struct field_value){ .kind = VALUE_INT, .number = v };
}

static struct field_value number_unless(int64_t v, int64_t absent)
{
	return v != absent ? number(v) : nothing();
}

static struct field_value count(uint64_t v)
{
	return (struct field_value){ .kind = VALUE_UINT, .count = v };
}

static struct field_value get_zone(const struct field_source *s)
{
	const char *name = ngc_cache_name(s->e->cache);

	return name != NULL ? string(name) : nothing();
}

static struct field_value get_file(const struct field_source *s)
{
	(void)s;
	return (struct field_value){ .kind = VALUE_FILE };
}

static struct field_value get_key(const struct field_source *s)
{
	return (struct field_value){ .kind = VALUE_KEY, .text = s->e->header.key };
}

static struct field_value get_url(const struct field_source *s)
{
	if (!s->has_url)
		return nothing();
	return (struct field_value){ .kind = VALUE_URL };
}

static struct field_value get_scheme(const struct field_source *s)
{
	return text(s->reading.scheme);
}

static struct field_value get_method(const struct field_source *s)
{
	return text(s->reading.method);
}

static struct field_value get_host(const struct field_source *s)
{
	return text(s->reading.host);
}

static struct field_value get_uri(const struct field_source *s)
{
	return text(s->reading.uri);
}

static struct field_value get_kind(const struct field_source *s)
{
	return string(ngc_header_is_variant(&s->e->header, s->e->name) ? "variant"
								       : "main");
}

static struct field_value get_vary(const struct field_source *s)
{
	return filled(s->e->header.vary);
}

static struct field_value get_variant(const struct field_source *s)
{
	const unsigned char *md5 = s->e->header.variant;

	return md5 != NULL ? (struct field_value){ .kind = VALUE_MD5, .md5 = md5 }
			   : nothing();
}

static struct field_value get_orphan(const struct field_source *s)
{
	return (struct field_value){ .kind = VALUE_BOOL, .flag = s->e->orphan };
}

static struct field_value get_version(const struct field_source *s)
{
	return number(ngc_layout_version(s->e->header.layout));
}

static struct field_value get_layout(const struct field_source *s)
{
	return string(ngc_layout_abi(s->e->header.layout));
}

static struct field_value get_protocol(const struct field_source *s)
{
	return string(ngc_stored_name(s->e->response.stored));
}

static struct field_value get_status(const struct field_source *s)
{
	return s->e->response.status > 0 ? number(s->e->response.status) : nothing();
}

static struct field_value get_content_type(const struct field_source *s)
{
	return text(s->named[NAMED_TYPE]);
}

static struct field_value get_content_encoding(const struct field_source *s)
{
	return text(s->named[NAMED_ENCODING]);
}

static struct field_value get_content_length(const struct field_source *s)
{
	struct ngc_bytes length = s->named[NAMED_LENGTH];
	int64_t n;

	return length.p != NULL && ngc_parse_number(length, &n) ? number(n) : nothing();
}

static struct field_value get_tags(const struct field_source *s)
{
	(void)s;
	return (struct field_value){ .kind = VALUE_TAGS };
}

static struct field_value get_size(const struct field_source *s)
{
	return number(s->e->size);
}

static struct field_value get_allocated(const struct field_source *s)
{
	return count(s->e->allocated);
}

static struct field_value get_header_start(const struct field_source *s)
{
	return count(s->e->header.header_start);
}

static struct field_value get_body_start(const struct field_source *s)
{
	return count(s->e->header.body_start);
}

static struct field_value get_body_size(const struct field_source *s)
{
	off_t start = (off_t)s->e->header.body_start;

	return s->e->size >= start ? number(s->e->size - start) : nothing();
}

static struct field_value get_valid(const struct field_source *s)
{
	return number(s->e->header.valid);
}

static struct field_value get_last_modified(const struct field_source *s)
{
	return number_unless(s->e->header.last_modified, -1);
}

static struct field_value get_date(const struct field_source *s)
{
	return number(s->e->header.date);
}

static struct field_value get_updating(const struct field_source *s)
{
	return number_unless(s->e->header.updating, -1);
}

static struct field_value get_error(const struct field_source *s)
{
	return number_unless(s->e->header.error, -1);
}

static struct field_value get_etag(const struct field_source *s)
{
	return filled(s->e->header.etag);
}

static struct field_value get_state(const struct field_source *s)
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
	FIELD(url, NEEDS_HEADER | NEEDS_READING | NEEDS_URL),
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
static void find_named(struct field_source *s)
{
	static const struct ngc_bytes names[N_NAMED] = {
		[NAMED_TYPE] = { (const unsigned char *)"Content-Type", 12 },
		[NAMED_ENCODING] = { (const unsigned char *)"Content-Encoding", 16 },
		[NAMED_LENGTH] = { (const unsigned char *)"Content-Length", 14 },
	};
	const char *const *more = ngc_select_tag_headers(s->env->select);
	struct ngc_bytes name, value;
	size_t pos = 0;

	while (ngc_response_next(&s->e->response, &pos, &name, &value)) {
		for (size_t i = 0; i < N_NAMED; i++)
			if (name.n == names[i].n && s->named[i].p == NULL &&
			    ngc_bytes_same(name, names[i]))
				s->named[i] = value;
		if (!s->tagged && ngc_tags_header(name, more)) {
			s->tagged = true;
			s->tags = (struct ngc_tag_position){ pos, value };
		}
	}
}

enum ngc_code field_source_read(struct field_source *s, const struct fields *f,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	if (f->needs & NEEDS_STAT)
		code = ngc_entry_stat(e, err);
	if (code != NGC_OK || e->damaged)
		return code;
	if (f->needs & NEEDS_RESPONSE) {
		code = ngc_entry_response(e, err);
		find_named(s);
	}
	if (f->needs & NEEDS_READING)
		ngc_entry_reading(ngc_site_router(s->env->site), e, &s->reading);
	if (f->needs & NEEDS_URL)
		s->has_url = ngc_entry_url(ngc_cache_zone(e->cache), &s->reading,
		    &s->url);
	return code == NGC_DAMAGED ? NGC_OK : code;
}

struct field_value field_value(const struct field_source *s, const struct field *f)
{
	return (f->needs & NEEDS_HEADER) && s->e->damaged ? nothing() : f->get(s);
}
