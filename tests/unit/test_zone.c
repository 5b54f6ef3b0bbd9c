/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/zone.h"

#include "unit.h"

START_TEST(levels_are_what_nginx_takes)
{
	static const char *const good[] = { "", "1", "2", "1:2", "2:2", "1:1:1", "2:1:2",
		"2:2:2" };
	char out[NGC_LEVELS_TEXT];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct ngc_levels l;

		ck_assert_msg(ngc_levels_parse(ngc_bytes_of(good[i]), &l), "%s", good[i]);
		ck_assert_str_eq(ngc_levels_format(&l, out), good[i]);
	}
}
END_TEST

START_TEST(other_levels_are_refused_and_change_nothing)
{
	static const char *const bad[] = { "0", "3", "1:", ":1", "1:2:", "12", "1::2",
		"1:3", "1:2:1:2", "1;2", "a", " 1", "1 ", "1:2:1:", "-1" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ngc_levels l = { .n = 9 };

		ck_assert_msg(!ngc_levels_parse(ngc_bytes_of(bad[i]), &l), "%s", bad[i]);
		ck_assert_uint_eq(l.n, 9);
	}
	ck_assert(!ngc_levels_parse(ngc_bytes("1\0", 2), &(struct ngc_levels){ 0 }));
}
END_TEST

START_TEST(directories_are_digits_from_the_end_of_the_name)
{
	static const struct {
		const char *levels, *dir;
	} cases[] = {
		{ "", "" },
		{ "1", "d/" },
		{ "2", "4d/" },
		{ "1:2", "d/74/" },
		{ "2:1", "4d/7/" },
		{ "2:2:2", "4d/a7/62/" },
		{ "1:1:1", "d/4/7/" },
	};
	char out[NGC_LEVELS_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_levels l;

		ck_assert(ngc_levels_parse(ngc_bytes_of(cases[i].levels), &l));
		ck_assert_str_eq(
		    ngc_levels_dir(&l, "b7f54b2df7773722d382f4809d62a74d", out),
		    cases[i].dir);
	}
}
END_TEST

START_TEST(all_kinds_of_levels_are_there_once)
{
	char text[NGC_LEVELS_KINDS][NGC_LEVELS_TEXT];

	for (unsigned i = 0; i < NGC_LEVELS_KINDS; i++) {
		struct ngc_levels l = ngc_levels_kind(i), back;

		ngc_levels_format(&l, text[i]);
		ck_assert(ngc_levels_parse(ngc_bytes_of(text[i]), &back));
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(text[i], text[j]);
	}
	ck_assert_str_eq(text[0], "");
}
END_TEST

START_TEST(protocols_have_names)
{
	static const char *const names[] = { "proxy", "fastcgi", "uwsgi", "scgi" };

	for (unsigned i = 0; i < NGC_PROTOCOLS; i++)
		ck_assert_str_eq(ngc_protocol_name((enum ngc_protocol)i), names[i]);
}
END_TEST

UNIT_MAIN("zone", levels_are_what_nginx_takes,
    other_levels_are_refused_and_change_nothing,
    directories_are_digits_from_the_end_of_the_name, all_kinds_of_levels_are_there_once,
    protocols_have_names)
