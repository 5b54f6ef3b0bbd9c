/* SPDX-License-Identifier: BSD-2-Clause */
#include "manifest.h"

#include <jansson.h>
#include <string.h>

#include "ngc/text.h"

static bool is_plain(unsigned char c, unsigned char before)
{
	if (c == '.')
		return before != '.' && before != '\0';
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

void manifest_directory(const struct ngc_zone *z, struct ngc_buf *out)
{
	const char *slash = strrchr(z->path, '/');
	const char *name = z->name  != NULL ? z->name
			   : slash != NULL ? slash + 1
					   : z->path;
	unsigned char before = '\0';

	for (; *name != '\0'; before = (unsigned char)*name++) {
		unsigned char c = (unsigned char)*name;

		if (is_plain(c, before))
			ngc_buf_add_char(out, (char)c);
		else
			ngc_buf_printf(out, "%%%02X", c);
	}
}

/* A string, its bytes that are not UTF-8 as U+FFFD; NULL: no memory. */
static json_t *text_of(const char *s)
{
	struct ngc_bytes left = ngc_bytes_of(s);
	struct ngc_buf b = { 0 };
	json_t *text = NULL;

	if (s == NULL)
		return json_null();
	while (left.n > 0) {
		size_t n = ngc_utf8_sequence(left);

		if (n > 0)
			ngc_buf_add(&b, left.p, n);
		else
			ngc_buf_add_str(&b, "\xef\xbf\xbd");
		left = ngc_bytes_from(left, n > 0 ? n : 1);
	}
	if (!b.failed)
		text = json_stringn(b.n > 0 ? (const char *)b.p : "", b.n);
	ngc_buf_free(&b);
	return text;
}

static json_t *number(int64_t n, bool known)
{
	return known ? json_integer(n) : json_null();
}

static json_t *levels_of(const struct ngc_zone *z)
{
	char levels[NGC_LEVELS_TEXT];

	return z->levels_known && z->levels.n > 0
		 ? json_string(ngc_levels_format(&z->levels, levels))
		 : json_null();
}

/* False: no memory.  A value is taken over in any case. */
static bool add(json_t *object, const char *name, json_t *value)
{
	return json_object_set_new(object, name, value) == 0;
}

static bool add_zone(json_t *zones, const struct ngc_zone *z, const char *directory,
    const struct ngc_archive_zone *held)
{
	json_t *o = json_object();
	bool c = z->configured;
	bool ok = add(o, "zone", text_of(z->name)) &&
		  add(o, "directory", text_of(directory)) &&
		  add(o, "type", text_of(c ? ngc_protocol_name(z->type) : NULL)) &&
		  add(o, "path", text_of(z->path)) && add(o, "levels", levels_of(z)) &&
		  add(o, "keys_zone_size", number(z->keys_zone_size, c)) &&
		  add(o, "max_size", number(z->max_size, c && z->max_size >= 0)) &&
		  add(o, "min_free", number(z->min_free, c && z->min_free >= 0)) &&
		  add(o, "inactive", number(z->inactive, c)) &&
		  add(o, "entries", json_integer((json_int_t)held->entries)) &&
		  add(o, "bytes", json_integer((json_int_t)held->bytes));

	if (ok)
		return json_array_append_new(zones, o) == 0;
	json_decref(o);
	return false;
}

static int append(const char *p, size_t n, void *arg)
{
	struct ngc_buf *b = arg;

	ngc_buf_add(b, p, n);
	return b->failed ? -1 : 0;
}

enum ngc_code manifest_write(const struct ngc_archive_request *req,
    const struct ngc_archive_result *result, char *const *directories, int64_t created,
    struct ngc_buf *out, struct ngc_error *err)
{
	json_t *o = json_object(), *zones = json_array();
	const struct ngc_zone *z;
	bool ok = true;

	for (size_t i = 0; ok && (z = ngc_site_zone(req->run->site, i)) != NULL; i++)
		ok = add_zone(zones, z, directories[i], &result->zones[i]);
	ok = ok && add(o, "format", json_integer(NGC_ARCHIVE_FORMAT)) &&
	     add(o, "program", json_string("ngxcache")) &&
	     add(o, "version", text_of(req->version)) &&
	     add(o, "created", json_integer(created)) &&
	     add(o, "entries", json_integer((json_int_t)result->entries)) &&
	     add(o, "bytes", json_integer((json_int_t)result->bytes)) &&
	     json_object_set(o, "zones", zones) == 0 &&
	     json_dump_callback(o, append, out, JSON_INDENT(1)) == 0;
	ngc_buf_add_char(out, '\n');
	json_decref(zones);
	json_decref(o);
	return ok && !out->failed ? NGC_OK : ngc_no_memory(err);
}

bool manifest_entries(struct ngc_bytes text, uint64_t *entries)
{
	json_t *o = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES,
	    NULL);
	const json_t *n = json_object_get(o, "entries");
	bool told = json_is_integer(n) && json_integer_value(n) >= 0;

	*entries = told ? (uint64_t)json_integer_value(n) : 0;
	json_decref(o);
	return told;
}
