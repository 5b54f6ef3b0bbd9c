/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/response.h"

#include "fuzz.h"
#include "ngc/tags.h"

#include <string.h>

static bool lies_within(struct ngc_bytes part, const unsigned char *p, size_t n)
{
	return part.p >= p && part.n <= n && (size_t)(part.p - p) <= n - part.n;
}

/* Every field is found, and none reaches beyond its line. */
static void check_fields(const struct ngc_response *r)
{
	struct ngc_bytes name, value, type;
	size_t pos = 0, last = 0;

	while (ngc_response_next(r, &pos, &name, &value)) {
		FUZZ_ASSERT(pos > last && pos <= r->fields.n);
		FUZZ_ASSERT(lies_within(name, r->fields.p + last, pos - last));
		FUZZ_ASSERT(lies_within(value, r->fields.p + last, pos - last));
		FUZZ_ASSERT(name.p + name.n <= value.p);
		FUZZ_ASSERT(memchr(value.p, '\n', value.n) == NULL);
		last = pos;
		if (ngc_bytes_same(name, ngc_bytes_of("location")))
			FUZZ_ASSERT(ngc_response_field(r, "Location").p != NULL);
	}
	type = ngc_response_media_type(r);
	FUZZ_ASSERT((type.p == NULL) == (type.n == 0));
	if (type.p != NULL)
		FUZZ_ASSERT(ngc_response_field(r, "Content-Type").n >= type.n);
}

/* Tags are words of the fields, and none is looked at twice. */
static void check_tags(const struct ngc_response *r)
{
	static const char *const more[] = { "X-Tag", NULL };
	struct ngc_tag_position at = { 0 };
	const unsigned char *last = r->fields.p;
	struct ngc_bytes tag;

	while (ngc_tags_next(r, more, &at, &tag)) {
		FUZZ_ASSERT(tag.n > 0 && lies_within(tag, r->fields.p, r->fields.n));
		FUZZ_ASSERT(tag.p >= last && memchr(tag.p, ' ', tag.n) == NULL);
		last = tag.p + tag.n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *scratch = malloc(size > 0 ? size : 1);
	struct ngc_response r;
	const unsigned char *from;

	FUZZ_ASSERT(scratch != NULL);
	ngc_response_parse(ngc_bytes(data, size), scratch, &r);
	from = r.stored == NGC_STORED_FASTCGI ? scratch : data;
	FUZZ_ASSERT(lies_within(r.fields, from, size));
	FUZZ_ASSERT(ngc_stored_name(r.stored) != NULL);
	FUZZ_ASSERT(r.status >= 0 && r.status <= 999);
	FUZZ_ASSERT(r.status != 0 || !r.well_formed);
	if (size == 0)
		FUZZ_ASSERT(r.well_formed && r.status == 200 && r.fields.n == 0);
	check_fields(&r);
	check_tags(&r);
	free(scratch);
	return 0;
}
