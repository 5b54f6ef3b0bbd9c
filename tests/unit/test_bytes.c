/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/bytes.h"

#include "unit.h"

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

START_TEST(absent_and_empty_compare_equal_and_may_be_walked)
{
	struct ngc_bytes absent = ngc_bytes_of(NULL), empty = ngc_bytes_of("");

	ck_assert_ptr_null(absent.p);
	ck_assert_ptr_nonnull(empty.p);
	ck_assert(ngc_bytes_equal(absent, empty));
	ck_assert(ngc_bytes_same(absent, empty));
	ck_assert(ngc_bytes_starts(empty, absent));
	ck_assert_int_eq(ngc_bytes_compare(absent, empty), 0);
	ck_assert_uint_eq(ngc_bytes_from(absent, 0).n, 0);
	ck_assert_ptr_null(ngc_bytes_from(absent, 0).p);
	ck_assert_uint_eq(ngc_bytes_from(ngc_bytes_of("ab"), 2).n, 0);
}
END_TEST

START_TEST(order_is_that_of_unsigned_bytes_and_prefixes_come_first)
{
	static const struct {
		const char *a;
		size_t a_n;
		const char *b;
		size_t b_n;
		int want;
	} cases[] = {
		{ "a", 1, "b", 1, -1 },
		{ "a", 1, "a", 1, 0 },
		{ "a", 1, "a\0", 2, -1 },
		{ "\xff", 1, "a", 1, 1 },
		{ "b", 1, "ab", 2, 1 },
		{ "\0b", 2, "\0a", 2, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_bytes a = ngc_bytes(cases[i].a, cases[i].a_n);
		struct ngc_bytes b = ngc_bytes(cases[i].b, cases[i].b_n);

		ck_assert_int_eq(sign(ngc_bytes_compare(a, b)), cases[i].want);
		ck_assert_int_eq(sign(ngc_bytes_compare(b, a)), -cases[i].want);
		ck_assert_int_eq(ngc_bytes_equal(a, b), cases[i].want == 0);
	}
}
END_TEST

START_TEST(only_the_case_of_ascii_letters_is_ignored)
{
	static const struct {
		const char *a, *b;
		bool want;
	} cases[] = {
		{ "Accept-Encoding", "aCCEPT-eNCODING", true },
		{ "a", "ab", false },
		{ "@[`{", "`{@[", false },
		{ "\xc3\x84", "\xc3\xa4", false },
		{ "Zz", "zZ", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_int_eq(ngc_bytes_same(ngc_bytes_of(cases[i].a),
		                     ngc_bytes_of(cases[i].b)),
		    cases[i].want);
}
END_TEST

START_TEST(a_prefix_is_no_longer_than_the_whole)
{
	ck_assert(ngc_bytes_starts(ngc_bytes_of("abc"), ngc_bytes_of("ab")));
	ck_assert(ngc_bytes_starts(ngc_bytes_of("abc"), ngc_bytes_of("abc")));
	ck_assert(!ngc_bytes_starts(ngc_bytes_of("ab"), ngc_bytes_of("abc")));
	ck_assert(!ngc_bytes_starts(ngc_bytes_of("abc"), ngc_bytes_of("b")));
	ck_assert(ngc_bytes_starts(ngc_bytes("a\0b", 3), ngc_bytes("a\0", 2)));
}
END_TEST

UNIT_MAIN("bytes", absent_and_empty_compare_equal_and_may_be_walked,
    order_is_that_of_unsigned_bytes_and_prefixes_come_first,
    only_the_case_of_ascii_letters_is_ignored, a_prefix_is_no_longer_than_the_whole)
