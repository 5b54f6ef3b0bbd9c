/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/coding.h"

#include <zlib.h>

#include "unit.h"

/* "one" and a newline, by gzip 1.12 and xz 5.4.1. */
static const unsigned char gzip[] = { 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x03, 0xcb, 0xcf, 0x4b, 0xe5, 0x02, 0x00, 0x9f, 0xa8, 0x17, 0xf8, 0x04,
	0x00, 0x00, 0x00 };
static const unsigned char xz[] = { 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6,
	0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f,
	0xe5, 0xa3, 0x01, 0x00, 0x03, 0x6f, 0x6e, 0x65, 0x0a, 0x00, 0xf5, 0x5c, 0xbb,
	0x56, 0x1f, 0xc6, 0xfd, 0x86, 0x00, 0x01, 0x1c, 0x04, 0x6f, 0x2c, 0x9c, 0xc1,
	0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a };

/* The header of its only block, in which a byte tells how large the dictionary is. */
enum { XZ_BLOCK = 12, XZ_DICTIONARY = 16, XZ_SUM = 20, XZ_64_MIB = 28, XZ_4_GIB = 40 };

struct sample {
	const char *name;
	struct ngc_bytes bytes;
};

static const struct sample samples[] = {
	{ "gzip", { gzip, sizeof(gzip) } },
	{ "xz", { xz, sizeof(xz) } },
};

/* Bytes of which each read() gives a few, and what they become. */
struct box {
	struct ngc_source source;
	unsigned char in[256];
	size_t n, at, step;
	bool fails, closed;
	char out[64];
	size_t made;
	struct ngc_error err;
};

static ssize_t box_read(struct ngc_source *s, void *p, size_t n, struct ngc_error *err)
{
	struct box *b = (struct box *)s;

	if (b->at == b->n && b->fails) {
		ngc_fail(err, NGC_DENIED, 0, "no more");
		return -1;
	}
	if (n > b->step)
		n = b->step;
	if (n > b->n - b->at)
		n = b->n - b->at;
	memcpy(p, b->in + b->at, n);
	b->at += n;
	return (ssize_t)n;
}

static void box_close(struct ngc_source *s)
{
	struct box *b = (struct box *)s;

	b->closed = true;
}

static void box_new(struct box *b, size_t step)
{
	*b = (struct box){ .source = { box_read, box_close }, .step = step };
}

static void add(struct box *b, struct ngc_bytes s)
{
	memcpy(b->in + b->n, s.p, s.n);
	b->n += s.n;
}

static enum ngc_code take(void *arg, const void *p, size_t n, struct ngc_error *err)
{
	struct box *b = arg;

	(void)err;
	ck_assert_uint_le(n, sizeof(b->out) - 1 - b->made);
	memcpy(b->out + b->made, p, n);
	b->made += n;
	return NGC_OK;
}

static enum ngc_code undo(struct box *b, const char *name)
{
	const struct ngc_coding *c = ngc_coding_named(ngc_bytes_of(name));
	struct ngc_source *s = &b->source;
	enum ngc_code code;

	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(ngc_coding_undo(c, &s, &b->err), NGC_OK);
	code = ngc_source_pass(s, take, b, &b->err);
	s->close(s);
	ck_assert(b->closed);
	return code;
}

static void becomes(struct box *b, const char *name, const char *want)
{
	ck_assert_msg(undo(b, name) == NGC_OK, "%s: %s", name, b->err.text);
	ck_assert_str_eq(b->out, want);
}

/* What was made before it is damaged is handed out. */
static void is_damaged(struct box *b, const char *name, const char *made, const char *why)
{
	ck_assert_int_eq(undo(b, name), NGC_DAMAGED);
	ck_assert_str_eq(b->out, made);
	ck_assert_msg(strstr(b->err.text, why) != NULL, "%s", b->err.text);
	ck_assert_msg(strncmp(b->err.text, name, strlen(name)) == 0, "%s", b->err.text);
}

START_TEST(streams_follow_each_other_and_are_padded_by_zeros)
{
	struct box b;

	for (size_t step = 1; step < 200; step += 7)
		for (size_t i = 0; i < 2; i++) {
			box_new(&b, step);
			add(&b, samples[i].bytes);
			add(&b, samples[i].bytes);
			add(&b, ngc_bytes("\0\0\0\0", 4));
			add(&b, samples[i].bytes);
			add(&b, ngc_bytes("\0\0\0\0", 4));
			becomes(&b, samples[i].name, "one\none\none\n");
		}
}
END_TEST

START_TEST(a_source_without_a_byte_becomes_one)
{
	static const char *const names[] = { "gzip", "x-gzip", "Deflate", "xz" };
	struct box b;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		box_new(&b, 1);
		becomes(&b, names[i], "");
	}
}
END_TEST

START_TEST(what_is_cut_or_followed_by_something_else_is_damaged)
{
	struct box b;

	for (size_t i = 0; i < 2; i++) {
		const struct sample *s = &samples[i];

		for (size_t n = 1; n < s->bytes.n; n++) {
			box_new(&b, 64);
			add(&b, ngc_bytes(s->bytes.p, n));
			ck_assert_int_eq(undo(&b, s->name), NGC_DAMAGED);
			ck_assert(strncmp("one\n", b.out, b.made) == 0);
			ck_assert_ptr_nonnull(strstr(b.err.text, "it ends early"));
		}
		box_new(&b, 64);
		add(&b, s->bytes);
		add(&b, ngc_bytes_of("more than that"));
		is_damaged(&b, s->name, "one\n", "");
	}
}
END_TEST

START_TEST(a_byte_that_was_changed_is_found)
{
	struct box b;

	box_new(&b, 64);
	add(&b, samples[0].bytes);
	b.in[sizeof(gzip) - 8] ^= 1; /* of its CRC-32 */
	is_damaged(&b, "gzip", "one\n", "incorrect data check");
	box_new(&b, 64);
	add(&b, samples[1].bytes);
	b.in[XZ_SUM] ^= 1;
	is_damaged(&b, "xz", "", "not those that were written");
}
END_TEST

static void ask_for(struct box *b, unsigned char dictionary)
{
	unsigned long sum;

	box_new(b, 64);
	add(b, samples[1].bytes);
	b->in[XZ_DICTIONARY] = dictionary;
	sum = crc32(0, b->in + XZ_BLOCK, XZ_SUM - XZ_BLOCK);
	for (int i = 0; i < 4; i++)
		b->in[XZ_SUM + i] = (unsigned char)(sum >> 8 * i);
}

START_TEST(xz_may_take_what_its_best_level_takes_and_not_all_there_is)
{
	struct box b;

	ask_for(&b, XZ_64_MIB);
	becomes(&b, "xz", "one\n");
	ask_for(&b, XZ_4_GIB);
	is_damaged(&b, "xz", "", "more than 128 MiB of memory");
}
END_TEST

START_TEST(a_source_that_fails_is_not_blamed_on_the_coding)
{
	struct box b;

	for (size_t i = 0; i < 2; i++) {
		box_new(&b, 3);
		add(&b, ngc_bytes(samples[i].bytes.p, 15));
		b.fails = true;
		ck_assert_int_eq(undo(&b, samples[i].name), NGC_DENIED);
		ck_assert_str_eq(b.err.text, "no more");
	}
}
END_TEST

START_TEST(files_are_told_by_their_beginning)
{
	const char *plain = "one two three";

	for (size_t i = 0; i < 2; i++) {
		struct ngc_bytes first = ngc_bytes(samples[i].bytes.p, NGC_CODING_MAGIC);

		ck_assert_ptr_eq(ngc_coding_of(first),
		    ngc_coding_named(ngc_bytes_of(samples[i].name)));
		ck_assert_ptr_null(ngc_coding_of(ngc_bytes(first.p, 2)));
	}
	ck_assert_ptr_null(ngc_coding_of(ngc_bytes(plain, NGC_CODING_MAGIC)));
	ck_assert_ptr_null(ngc_coding_of(ngc_bytes(plain, 0)));
	ck_assert_ptr_null(ngc_coding_named(ngc_bytes_of("")));
	ck_assert_ptr_null(ngc_coding_named(ngc_bytes_of("identity")));
}
END_TEST

UNIT_MAIN("coding", streams_follow_each_other_and_are_padded_by_zeros,
    a_source_without_a_byte_becomes_one,
    what_is_cut_or_followed_by_something_else_is_damaged,
    a_byte_that_was_changed_is_found,
    xz_may_take_what_its_best_level_takes_and_not_all_there_is,
    a_source_that_fails_is_not_blamed_on_the_coding, files_are_told_by_their_beginning)
