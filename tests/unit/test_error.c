/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/error.h"

#include <errno.h>

#include "unit.h"

#include "ngc/text.h"

#define ROOM (sizeof(((struct ngc_error *)0)->text))

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* A string of n times c. */
static const char *run_of(char c, size_t n)
{
	static char text[3000];

	ck_assert_uint_lt(n, sizeof(text));
	memset(text, c, n);
	text[n] = '\0';
	return text;
}

START_TEST(an_error_has_its_code_cause_and_text)
{
	struct ngc_error err;

	ngc_fail(&err, NGC_DENIED, EACCES, "%s/%d", "dir", 7);
	ck_assert_int_eq(err.code, NGC_DENIED);
	ck_assert_int_eq(err.sys, EACCES);
	ck_assert_str_eq(err.text, "dir/7: Permission denied");
	ck_assert_int_eq(ngc_fail(&err, NGC_INVALID, 0, "no such zone"), NGC_INVALID);
	ck_assert_int_eq(err.sys, 0);
	ck_assert_str_eq(err.text, "no such zone");
	ck_assert_int_eq(ngc_no_memory(&err), NGC_FATAL);
	ck_assert_str_eq(err.text, "out of memory");
}
END_TEST

START_TEST(context_goes_in_front_and_keeps_the_code)
{
	struct ngc_error err;

	ngc_fail(&err, NGC_DENIED, EACCES, "file");
	ck_assert_int_eq(ngc_wrap(&err, "zone %s", "static"), NGC_DENIED);
	ck_assert_int_eq(ngc_wrap(&err, "outer"), NGC_DENIED);
	ck_assert_int_eq(err.sys, EACCES);
	ck_assert_str_eq(err.text, "outer: zone static: file: Permission denied");
}
END_TEST

START_TEST(bytes_from_elsewhere_are_escaped_once)
{
	struct ngc_error err;

	ngc_fail(&err, NGC_INVALID, 0, "a\nb\x1b[0m\xff\xc3\xa4\\");
	ck_assert_str_eq(err.text, "a\\nb\\x1b[0m\\xff\xc3\xa4\\");
	ngc_wrap(&err, "c\r");
	ck_assert_str_eq(err.text, "c\\r: a\\nb\\x1b[0m\\xff\xc3\xa4\\");
}
END_TEST

START_TEST(an_argument_may_be_the_old_text)
{
	struct ngc_error err;

	ngc_fail(&err, NGC_INVALID, 0, "inner");
	ngc_fail(&err, NGC_FATAL, 0, "outer: %s", err.text);
	ck_assert_str_eq(err.text, "outer: inner");
}
END_TEST

START_TEST(a_long_text_leaves_room_for_the_cause)
{
	static const char chars[] = { 'a', '\n', '\x01', '\xff' };
	struct ngc_error err;

	for (size_t i = 0; i < sizeof(chars); i++) {
		for (size_t n = ROOM - 40; n < 5 * ROOM; n += i < 1 ? 1 : 97) {
			ngc_fail(&err, NGC_DENIED, EACCES, "%s", run_of(chars[i], n));
			ck_assert_uint_lt(strlen(err.text), ROOM);
			ck_assert(ends_with(err.text, ": Permission denied"));
		}
	}
	ngc_fail(&err, NGC_DENIED, EACCES, "%s", run_of('a', 2000));
	ck_assert(ends_with(err.text, "aa...: Permission denied"));
	ck_assert_uint_eq(strlen(err.text), ROOM - 1);
}
END_TEST

START_TEST(a_text_that_just_fits_is_whole)
{
	struct ngc_error err;

	ngc_fail(&err, NGC_INVALID, 0, "%s", run_of('a', ROOM - 1));
	ck_assert_str_eq(err.text, run_of('a', ROOM - 1));
	ngc_fail(&err, NGC_INVALID, 0, "%s", run_of('a', ROOM));
	ck_assert_uint_eq(strlen(err.text), ROOM - 1);
	ck_assert(ends_with(err.text, "aa..."));
}
END_TEST

START_TEST(context_leaves_room_for_the_cause)
{
	struct ngc_error err;

	for (size_t n = 0; n < 2 * ROOM; n += 13) {
		ngc_fail(&err, NGC_DENIED, EACCES, "%s", run_of('a', n));
		ngc_wrap(&err, "zone static");
		ck_assert_uint_lt(strlen(err.text), ROOM);
		ck_assert_int_eq(strncmp(err.text, "zone static: ", 13), 0);
		ck_assert(ends_with(err.text, ": Permission denied"));
		ngc_wrap(&err, "%s", run_of('b', n));
		ck_assert_uint_lt(strlen(err.text), ROOM);
		ck_assert(ends_with(err.text, ": Permission denied"));
	}
}
END_TEST

/* Cut anywhere, a text stays valid UTF-8. */
START_TEST(characters_are_never_cut_in_two)
{
	struct ngc_error err;
	char text[ROOM + 8];

	for (size_t at = 0; at < 4; at++) {
		memset(text, 'x', at);
		text[at] = '\0';
		for (size_t i = at; i + 4 < sizeof(text); i += 4)
			memcpy(text + i, "\xf0\x9f\x98\x80", 5);
		ngc_fail(&err, NGC_DENIED, EACCES, "%s", text);
		ck_assert(ngc_utf8_valid(ngc_bytes_of(err.text)));
		ck_assert_ptr_null(strstr(err.text, "\\x"));
		for (int i = 0; i < 9; i++) {
			ngc_wrap(&err, "%d", i);
			ck_assert(ngc_utf8_valid(ngc_bytes_of(err.text)));
			ck_assert_uint_lt(strlen(err.text), ROOM);
		}
		ck_assert(ends_with(err.text, ": Permission denied"));
	}
}
END_TEST

UNIT_MAIN("error", an_error_has_its_code_cause_and_text,
    context_goes_in_front_and_keeps_the_code, bytes_from_elsewhere_are_escaped_once,
    an_argument_may_be_the_old_text, a_long_text_leaves_room_for_the_cause,
    a_text_that_just_fits_is_whole, context_leaves_room_for_the_cause,
    characters_are_never_cut_in_two)
