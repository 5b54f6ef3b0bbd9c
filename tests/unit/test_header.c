/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/header.h"

#include "unit.h"

/* Offsets as documented for each machine; etag and vary stand behind their length. */
static const struct shape {
	const char *abi;
	int version;
	bool big;
	size_t word, time, size, valid, updating, error, last_modified, date, crc32;
	size_t header_start, body_start, etag_len, etag_max, vary_len, vary_max, variant;
} shapes[] = {
	{ "lp64le", 0, 0, 8, 8, 40, 0, 0, 0, 8, 16, 24, 30, 32, 0, 0, 0, 0, 0 },
	{ "lp64le", 2, 0, 8, 8, 88, 8, 0, 0, 16, 24, 32, 38, 40, 42, 42, 0, 0, 0 },
	{ "lp64le", 3, 0, 8, 8, 144, 8, 0, 0, 16, 24, 32, 38, 40, 42, 42, 85, 42, 128 },
	{ "lp64le", 5, 0, 8, 8, 336, 8, 16, 24, 32, 40, 48, 54, 56, 58, 128, 187, 128,
	    316 },
	{ "lp64be", 0, 1, 8, 8, 40, 0, 0, 0, 8, 16, 24, 30, 32, 0, 0, 0, 0, 0 },
	{ "lp64be", 2, 1, 8, 8, 88, 8, 0, 0, 16, 24, 32, 38, 40, 42, 42, 0, 0, 0 },
	{ "lp64be", 3, 1, 8, 8, 144, 8, 0, 0, 16, 24, 32, 38, 40, 42, 42, 85, 42, 128 },
	{ "lp64be", 5, 1, 8, 8, 336, 8, 16, 24, 32, 40, 48, 54, 56, 58, 128, 187, 128,
	    316 },
	{ "ilp32le", 0, 0, 4, 4, 24, 0, 0, 0, 4, 8, 12, 18, 20, 0, 0, 0, 0, 0 },
	{ "ilp32le", 2, 0, 4, 4, 72, 4, 0, 0, 8, 12, 16, 22, 24, 26, 42, 0, 0, 0 },
	{ "ilp32le", 3, 0, 4, 4, 128, 4, 0, 0, 8, 12, 16, 22, 24, 26, 42, 69, 42, 112 },
	{ "ilp32le", 5, 0, 4, 4, 308, 4, 8, 12, 16, 20, 24, 30, 32, 34, 128, 163, 128,
	    292 },
	{ "ilp32be", 0, 1, 4, 4, 24, 0, 0, 0, 4, 8, 12, 18, 20, 0, 0, 0, 0, 0 },
	{ "ilp32be", 2, 1, 4, 4, 72, 4, 0, 0, 8, 12, 16, 22, 24, 26, 42, 0, 0, 0 },
	{ "ilp32be", 3, 1, 4, 4, 128, 4, 0, 0, 8, 12, 16, 22, 24, 26, 42, 69, 42, 112 },
	{ "ilp32be", 5, 1, 4, 4, 308, 4, 8, 12, 16, 20, 24, 30, 32, 34, 128, 163, 128,
	    292 },
	{ "i386t64", 0, 0, 4, 8, 36, 0, 0, 0, 8, 16, 24, 30, 32, 0, 0, 0, 0, 0 },
	{ "i386t64", 2, 0, 4, 8, 84, 4, 0, 0, 12, 20, 28, 34, 36, 38, 42, 0, 0, 0 },
	{ "i386t64", 3, 0, 4, 8, 140, 4, 0, 0, 12, 20, 28, 34, 36, 38, 42, 81, 42, 124 },
	{ "i386t64", 5, 0, 4, 8, 328, 4, 12, 20, 28, 36, 44, 50, 52, 54, 128, 183, 128,
	    312 },
};

#define N_SHAPES  (sizeof(shapes) / sizeof(shapes[0]))
#define LARGEST   (336 + 7)
#define V5_LP64LE (&shapes[3])
#define EACH(s)   (const struct shape *s = shapes; s < shapes + N_SHAPES; s++)

struct file {
	const struct shape *shape;
	size_t n;
	unsigned char p[NGC_HEAD_MAX];
};

static void put(struct file *f, size_t at, size_t width, int64_t value)
{
	for (size_t i = 0; i < width; i++) {
		size_t nth = f->shape->big ? width - 1 - i : i;

		f->p[at + i] = (unsigned char)(value >> 8 * nth);
	}
}

static void put_text(struct file *f, size_t len_at, const char *text)
{
	f->p[len_at] = (unsigned char)strlen(text);
	memcpy(f->p + len_at + 1, text, strlen(text));
}

/* A whole file of that shape: key, a response header of 20 bytes and no body. */
static void build(struct file *f, const struct shape *s, struct ngc_bytes key)
{
	size_t header_start = s->size + 6 + key.n + 1;

	memset(f, 0, sizeof(*f));
	f->shape = s;
	if (s->version != 0)
		put(f, 0, s->word, s->version);
	put(f, s->valid, s->time, 1796060000);
	if (s->version == 5) {
		put(f, s->updating, s->time, 600);
		put(f, s->error, s->time, 700);
	}
	put(f, s->last_modified, s->time, -1);
	put(f, s->date, s->time, 1796050000);
	put(f, s->crc32, 4, ngc_crc32(key));
	put(f, s->header_start, 2, (int64_t)header_start);
	put(f, s->body_start, 2, (int64_t)header_start + 20);
	if (s->version >= 2)
		put_text(f, s->etag_len, "\"tag\"");
	if (s->version >= 3) {
		put_text(f, s->vary_len, "Accept-Encoding");
		memset(f->p + s->variant, 0xab, NGC_MD5_SIZE);
	}
	memcpy(f->p + s->size, "\nKEY: ", 6);
	if (key.n > 0)
		memcpy(f->p + s->size + 6, key.p, key.n);
	f->p[header_start - 1] = '\n';
	memcpy(f->p + header_start, "HTTP/1.1 200 OK\r\n\r\nx", 20);
	f->n = header_start + 20;
}

static struct ngc_bytes some_key(void)
{
	return ngc_bytes_of("httpGETexample.com/a?b=c");
}

/* Parse a copy that ends where it ends, so that a sanitizer sees a read beyond it. */
static enum ngc_code parse_n(const struct file *f, size_t n, size_t *need,
    struct ngc_header *h)
{
	static unsigned char *copy;

	free(copy);
	copy = malloc(n > 0 ? n : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, f->p, n);
	return ngc_header_parse(ngc_bytes(copy, n), need, h);
}

static enum ngc_code parse(const struct file *f, struct ngc_header *h)
{
	return parse_n(f, f->n, NULL, h);
}

static void check_text(struct ngc_bytes got, const char *want)
{
	ck_assert_uint_eq(got.n, strlen(want));
	ck_assert(ngc_bytes_equal(got, ngc_bytes_of(want)));
}

START_TEST(every_layout_is_told_apart_and_decoded)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		build(&f, s, some_key());
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_str_eq(ngc_layout_abi(h.layout), s->abi);
		ck_assert_int_eq(ngc_layout_version(h.layout), s->version);
		ck_assert_uint_eq(ngc_layout_size(h.layout), s->size);
		ck_assert(!h.invalidated);
		ck_assert_int_eq(h.valid, 1796060000);
		ck_assert_int_eq(h.updating, s->version == 5 ? 600 : -1);
		ck_assert_int_eq(h.error, s->version == 5 ? 700 : -1);
		ck_assert_int_eq(h.last_modified, -1);
		ck_assert_int_eq(h.date, 1796050000);
		ck_assert_uint_eq(h.crc32, ngc_crc32(some_key()));
		ck_assert_uint_eq(h.header_start, s->size + 7 + some_key().n);
		ck_assert_uint_eq(h.body_start, h.header_start + 20);
		ck_assert(ngc_bytes_equal(h.key, some_key()));
		check_text(h.etag, s->version >= 2 ? "\"tag\"" : "");
		check_text(h.vary, s->version >= 3 ? "Accept-Encoding" : "");
		ck_assert_int_eq(h.variant != NULL, s->version >= 3);
		if (h.variant != NULL)
			ck_assert_uint_eq(h.variant[15], 0xab);
	}
}
END_TEST

START_TEST(without_vary_there_is_no_variant)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		build(&f, s, some_key());
		if (s->version >= 3)
			f.p[s->vary_len] = 0;
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_uint_eq(h.vary.n, 0);
		ck_assert_ptr_null(h.variant);
	}
}
END_TEST

START_TEST(times_are_signed)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		build(&f, s, some_key());
		put(&f, s->valid, s->time, -2);
		put(&f, s->date, s->time, INT32_MIN);
		put(&f, s->last_modified, s->time, INT32_MAX);
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_int_eq(h.valid, -2);
		ck_assert_int_eq(h.date, INT32_MIN);
		ck_assert_int_eq(h.last_modified, INT32_MAX);
	}
}
END_TEST

START_TEST(a_cut_file_says_how_much_is_needed)
{
	static struct file f;
	struct ngc_header h;
	size_t need;

	for EACH(s) {
		size_t start = s->size + 7 + some_key().n;

		build(&f, s, some_key());
		for (size_t n = 0; n < start; n++) {
			ck_assert_int_eq(parse_n(&f, n, &need, &h), NGC_DAMAGED);
			ck_assert_uint_gt(need, n);
			ck_assert_uint_le(need, NGC_HEAD_MAX);
			if (s->version != 0 && need > LARGEST)
				ck_assert_uint_eq(need, start);
		}
		for (size_t n = start; n <= f.n; n++) {
			ck_assert_int_eq(parse_n(&f, n, &need, &h), NGC_OK);
			ck_assert_uint_eq(need, start);
		}
	}
}
END_TEST

START_TEST(reading_what_is_needed_gets_to_the_answer)
{
	static struct file f;
	static unsigned char key[900];
	struct ngc_header h;

	memset(key, 'k', sizeof(key));
	for EACH(s) {
		size_t n = 1, need, rounds = 0;

		build(&f, s, ngc_bytes(key, sizeof(key)));
		while (parse_n(&f, n, &need, &h) != NGC_OK) {
			ck_assert_uint_gt(need, n);
			n = need;
			rounds++;
		}
		ck_assert_uint_ge(n, s->size + 7 + sizeof(key));
		ck_assert_uint_le(rounds, 2);
	}
}
END_TEST

START_TEST(what_is_no_cache_file_needs_no_more_bytes)
{
	static const unsigned char fill[] = { 0, '\n', ' ', 0xff };
	static struct file f;
	struct ngc_header h;
	size_t need;

	for (size_t i = 0; i < sizeof(fill); i++) {
		memset(f.p, fill[i], sizeof(f.p));
		ck_assert_int_eq(parse_n(&f, 512, &need, &h), NGC_DAMAGED);
		ck_assert_uint_le(need, 512);
	}
}
END_TEST

START_TEST(nothing_is_damaged)
{
	struct ngc_header h;
	size_t need = 0;

	ck_assert_int_eq(ngc_header_parse(ngc_bytes(NULL, 0), &need, &h), NGC_DAMAGED);
	ck_assert_uint_eq(need, LARGEST);
}
END_TEST

START_TEST(version_0_is_an_invalidated_entry)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		if (s->version == 0)
			continue;
		build(&f, s, some_key());
		put(&f, 0, s->word, 0);
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert(h.invalidated);
		ck_assert_str_eq(ngc_layout_abi(h.layout), s->abi);
		ck_assert_int_eq(ngc_layout_version(h.layout), s->version);
	}
}
END_TEST

START_TEST(other_versions_are_damaged)
{
	static const int64_t versions[] = { 1, 4, 6, 0x105, 0x1000000, -1 };
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		if (s->version == 0)
			continue;
		for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
			build(&f, s, some_key());
			put(&f, 0, s->word, versions[i]);
			ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
		}
	}
	build(&f, V5_LP64LE, some_key());
	put(&f, 0, 8, 0x100000005);
	ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
}
END_TEST

START_TEST(a_changed_key_or_crc_is_damage)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		for (size_t i = 0; i < some_key().n; i++) {
			build(&f, s, some_key());
			f.p[s->size + 6 + i] ^= 1;
			ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
		}
		for (size_t i = 0; i < 4; i++) {
			build(&f, s, some_key());
			f.p[s->crc32 + i] ^= 1;
			ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
		}
	}
}
END_TEST

START_TEST(a_changed_key_mark_or_line_end_is_damage)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		for (size_t i = 0; i < 6; i++) {
			build(&f, s, some_key());
			f.p[s->size + i] ^= 0x20;
			ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
		}
		build(&f, s, some_key());
		f.p[s->size + 6 + some_key().n] = '\r';
		ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
	}
}
END_TEST

START_TEST(keys_are_bytes)
{
	static const struct ngc_bytes keys[] = {
		{ (const unsigned char *)"", 0 },
		{ (const unsigned char *)"\0", 1 },
		{ (const unsigned char *)"\n", 1 },
		{ (const unsigned char *)"http://unix:/s\0/x", 17 },
		{ (const unsigned char *)"a\nb\r\nc\td", 8 },
		{ (const unsigned char *)"a\nKEY: b\nHTTP/1.1 200 OK\r\n\r\n", 29 },
		{ (const unsigned char *)"\nKEY: \nKEY: \nKEY: ", 18 },
		{ (const unsigned char *)"\xff\xfe\x80 \x01\x7f", 6 },
	};
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			build(&f, s, keys[i]);
			ck_assert_int_eq(parse(&f, &h), NGC_OK);
			ck_assert_str_eq(ngc_layout_abi(h.layout), s->abi);
			ck_assert_int_eq(ngc_layout_version(h.layout), s->version);
			ck_assert(ngc_bytes_equal(h.key, keys[i]));
		}
	}
}
END_TEST

START_TEST(lengths_beyond_their_field_are_clamped)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		build(&f, s, some_key());
		if (s->version >= 2)
			f.p[s->etag_len] = 255;
		if (s->version >= 3)
			f.p[s->vary_len] = (unsigned char)(s->vary_max + 1);
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_uint_eq(h.etag.n, s->etag_max);
		ck_assert_uint_eq(h.vary.n, s->vary_max);
	}
}
END_TEST

START_TEST(offsets_that_cannot_be_are_damage)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		size_t start = s->size + 7 + some_key().n;
		const size_t bad[][2] = {
			{ 0, 0 },
			{ s->size + 6, start },
			{ start, start - 1 },
			{ start, 0 },
			{ 0xffff, start },
			{ start - 1, start },
			{ start + 1, start + 1 },
		};

		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			build(&f, s, some_key());
			put(&f, s->header_start, 2, (int64_t)bad[i][0]);
			put(&f, s->body_start, 2, (int64_t)bad[i][1]);
			ck_assert_int_eq(parse(&f, &h), NGC_DAMAGED);
		}
	}
}
END_TEST

START_TEST(the_body_may_start_at_once_or_beyond_the_end)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		size_t start = s->size + 7 + some_key().n;

		build(&f, s, some_key());
		put(&f, s->body_start, 2, (int64_t)start);
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_uint_eq(h.body_start, start);
		put(&f, s->body_start, 2, 0xffff);
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_uint_eq(h.body_start, 0xffff);
	}
}
END_TEST

START_TEST(the_longest_key_is_read)
{
	static unsigned char key[NGC_HEAD_MAX];
	static struct file f;
	struct ngc_header h;
	size_t need;

	memset(key, '\n', sizeof(key));
	for EACH(s) {
		size_t n = 65535 - s->size - 7;

		memset(&f, 0, sizeof(f));
		build(&f, s, ngc_bytes(key, n - 20));
		put(&f, s->crc32, 4, ngc_crc32(ngc_bytes(key, n)));
		put(&f, s->header_start, 2, 65535);
		put(&f, s->body_start, 2, 65535);
		memset(f.p + s->size + 6, '\n', n + 1);
		ck_assert_int_eq(parse_n(&f, 512, &need, &h), NGC_DAMAGED);
		ck_assert_uint_eq(need, 65535);
		ck_assert_int_eq(parse_n(&f, 65535, &need, &h), NGC_OK);
		ck_assert_uint_eq(h.key.n, n);
	}
}
END_TEST

/* Write a field in place, as an editor of the file does, and parse again. */
static bool patch(struct file *f, enum ngc_field field, int64_t value,
    struct ngc_header *h)
{
	struct ngc_patch p;

	ck_assert_int_eq(parse(f, h), NGC_OK);
	if (!ngc_header_patch(h, field, value, &p))
		return false;
	ck_assert_uint_le(p.size, sizeof(p.bytes));
	ck_assert_uint_le(p.offset + p.size, f->shape->size);
	memcpy(f->p + p.offset, p.bytes, p.size);
	ck_assert_int_eq(parse(f, h), NGC_OK);
	return true;
}

START_TEST(patched_fields_read_back_and_nothing_else_changes)
{
	static struct file f, g;
	struct ngc_header h;

	for EACH(s) {
		bool has_version = s->version >= 2, has_etag = s->version >= 2;

		build(&f, s, some_key());
		ck_assert(patch(&f, NGC_FIELD_VALID, 1, &h));
		ck_assert_int_eq(h.valid, 1);
		ck_assert(patch(&f, NGC_FIELD_VALID, -7, &h));
		ck_assert_int_eq(h.valid, -7);
		ck_assert(patch(&f, NGC_FIELD_LAST_MODIFIED, 1700000000, &h));
		ck_assert_int_eq(h.last_modified, 1700000000);
		ck_assert_int_eq(patch(&f, NGC_FIELD_ETAG_LEN, 0, &h), has_etag);
		ck_assert_uint_eq(h.etag.n, 0);
		ck_assert_int_eq(patch(&f, NGC_FIELD_VERSION, 0, &h), has_version);
		ck_assert_int_eq(h.invalidated, has_version);
		patch(&f, NGC_FIELD_VERSION, s->version, &h);
		ck_assert(!h.invalidated);

		build(&g, s, some_key());
		put(&g, s->valid, s->time, -7);
		put(&g, s->last_modified, s->time, 1700000000);
		if (s->version >= 2)
			g.p[s->etag_len] = 0;
		ck_assert_mem_eq(f.p, g.p, f.n);
	}
}
END_TEST

START_TEST(patched_values_are_clamped_to_their_field)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		build(&f, s, some_key());
		ck_assert(patch(&f, NGC_FIELD_VALID, INT64_MAX, &h));
		ck_assert_int_eq(h.valid, s->time == 4 ? INT32_MAX : INT64_MAX);
		ck_assert(patch(&f, NGC_FIELD_VALID, INT64_MIN, &h));
		ck_assert_int_eq(h.valid, s->time == 4 ? INT32_MIN : INT64_MIN);
		if (!patch(&f, NGC_FIELD_ETAG_LEN, 300, &h))
			continue;
		ck_assert_uint_eq(h.etag.n, s->etag_max);
		ck_assert(patch(&f, NGC_FIELD_ETAG_LEN, -1, &h));
		ck_assert_uint_eq(h.etag.n, 0);
	}
}
END_TEST

START_TEST(an_entry_is_named_by_its_key_or_its_variant)
{
	static const char variant[] = "abababababababababababababababab";
	static const char other[] = "abababababababababababababababaa";
	static struct file f;
	char name[NGC_NAME_LEN + 1];
	struct ngc_header h;

	ngc_key_name(some_key(), name);
	for EACH(s) {
		build(&f, s, some_key());
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert(ngc_header_name_ok(&h, name));
		ck_assert(!ngc_header_is_variant(&h, name));
		ck_assert_int_eq(ngc_header_name_ok(&h, variant), s->version >= 3);
		ck_assert_int_eq(ngc_header_is_variant(&h, variant), s->version >= 3);
		ck_assert(!ngc_header_name_ok(&h, other));
		ck_assert(!ngc_header_is_variant(&h, other));
	}
}
END_TEST

START_TEST(states_follow_the_clock)
{
	static const struct {
		bool invalidated;
		int64_t valid, updating, error, now;
		const char *want;
	} cases[] = {
		{ false, 100, 0, 0, 99, "fresh" },
		{ false, 100, 0, 0, 100, "fresh" },
		{ false, 100, 0, 0, 101, "expired" },
		{ false, 100, 5, 0, 105, "stale" },
		{ false, 100, 5, 0, 106, "expired" },
		{ false, 100, 0, 5, 105, "stale" },
		{ false, 100, -1, -1, 101, "expired" },
		{ false, 100, -1, -1, 100, "fresh" },
		{ false, 100, -5, INT64_MAX, 101, "stale" },
		{ false, INT64_MAX, INT64_MAX, 0, INT64_MAX, "fresh" },
		{ false, INT64_MIN, INT64_MIN, -9, INT64_MAX, "expired" },
		{ false, INT64_MIN, INT64_MAX, 0, INT64_MAX, "expired" },
		{ false, INT64_MIN, INT64_MAX, 0, -1, "stale" },
		{ false, INT64_MAX - 1, INT64_MAX, 0, INT64_MAX, "stale" },
		{ true, 100, 0, 0, 50, "invalidated" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_header h = { .invalidated = cases[i].invalidated,
			.valid = cases[i].valid, .updating = cases[i].updating,
			.error = cases[i].error };

		ck_assert_str_eq(ngc_state_name(ngc_header_state(&h, cases[i].now)),
		    cases[i].want);
	}
}
END_TEST

static enum ngc_header_flaw flaw_n(const struct file *f, size_t n)
{
	static unsigned char *copy;

	free(copy);
	copy = malloc(n > 0 ? n : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, f->p, n);
	return ngc_header_flaw(ngc_bytes(copy, n));
}

static enum ngc_header_flaw flaw(const struct file *f)
{
	return flaw_n(f, f->n);
}

START_TEST(a_good_header_has_no_flaw)
{
	static struct file f;

	for EACH(s) {
		build(&f, s, some_key());
		ck_assert_int_eq(flaw(&f), NGC_FLAW_NONE);
		if (s->version != 0)
			put(&f, 0, s->word, 0);
		ck_assert_int_eq(flaw(&f), NGC_FLAW_NONE);
	}
}
END_TEST

START_TEST(a_file_that_ends_before_its_key_is_short)
{
	static struct file f;

	for EACH(s) {
		build(&f, s, some_key());
		for (size_t n = 0; n < s->size + 7 + some_key().n; n++)
			ck_assert_int_eq(flaw_n(&f, n), NGC_FLAW_SHORT);
	}
}
END_TEST

START_TEST(a_version_that_is_not_known_is_that_whatever_the_number)
{
	static const int64_t versions[] = { 1, 2, 3, 4, 5, 6, -1 };
	static struct file f;

	for EACH(s) {
		for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
			if (s->version == 0 || s->version == versions[i])
				continue;
			build(&f, s, some_key());
			put(&f, 0, s->word, versions[i]);
			ck_assert_int_eq(flaw(&f), NGC_FLAW_VERSION);
		}
	}
}
END_TEST

START_TEST(a_changed_mark_is_seen_in_every_layout)
{
	static struct file f;

	for EACH(s) {
		build(&f, s, some_key());
		f.p[s->size + 3] ^= 1;
		ck_assert_int_eq(flaw(&f), NGC_FLAW_MARK);
	}
}
END_TEST

START_TEST(a_changed_key_is_another_than_a_changed_offset)
{
	static struct file f;

	for EACH(s) {
		build(&f, s, some_key());
		f.p[s->size + 9] ^= 1;
		ck_assert_int_eq(flaw(&f), NGC_FLAW_CRC);
		build(&f, s, some_key());
		put(&f, s->header_start, 2, (int64_t)s->size + 8);
		ck_assert_int_eq(flaw(&f), NGC_FLAW_OFFSETS);
		build(&f, s, some_key());
		put(&f, s->body_start, 2, 1);
		ck_assert_int_eq(flaw(&f), NGC_FLAW_OFFSETS);
		build(&f, s, some_key());
		put(&f, s->header_start, 2, 0xfff0);
		put(&f, s->body_start, 2, 0xfff1);
		ck_assert_int_eq(flaw(&f), NGC_FLAW_OFFSETS);
	}
}
END_TEST

START_TEST(a_vary_longer_than_its_field_is_a_flaw_of_a_header_that_parses)
{
	static struct file f;
	struct ngc_header h;

	for EACH(s) {
		if (s->vary_len == 0)
			continue;
		build(&f, s, some_key());
		f.p[s->vary_len] = (unsigned char)(s->vary_max + 1);
		ck_assert_int_eq(parse(&f, &h), NGC_OK);
		ck_assert_int_eq(flaw(&f), NGC_FLAW_OFFSETS);
		f.p[s->vary_len] = (unsigned char)s->vary_max;
		ck_assert_int_eq(flaw(&f), NGC_FLAW_NONE);
	}
}
END_TEST

UNIT_MAIN("header", every_layout_is_told_apart_and_decoded,
    without_vary_there_is_no_variant, times_are_signed,
    a_cut_file_says_how_much_is_needed, reading_what_is_needed_gets_to_the_answer,
    what_is_no_cache_file_needs_no_more_bytes, nothing_is_damaged,
    version_0_is_an_invalidated_entry, other_versions_are_damaged,
    a_changed_key_or_crc_is_damage, a_changed_key_mark_or_line_end_is_damage,
    keys_are_bytes, lengths_beyond_their_field_are_clamped,
    offsets_that_cannot_be_are_damage, the_body_may_start_at_once_or_beyond_the_end,
    the_longest_key_is_read, patched_fields_read_back_and_nothing_else_changes,
    patched_values_are_clamped_to_their_field,
    an_entry_is_named_by_its_key_or_its_variant, states_follow_the_clock,
    a_good_header_has_no_flaw, a_file_that_ends_before_its_key_is_short,
    a_version_that_is_not_known_is_that_whatever_the_number,
    a_changed_mark_is_seen_in_every_layout,
    a_changed_key_is_another_than_a_changed_offset,
    a_vary_longer_than_its_field_is_a_flaw_of_a_header_that_parses)
