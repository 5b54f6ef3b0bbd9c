/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/range.h"

#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The table of the Monitoring Plugins guidelines, and what it leaves to think. */
START_TEST(a_value_outside_of_its_range_alerts)
{
	static const struct {
		const char *range;
		double well[3], alerts[3];
	} cases[] = {
		{ "10", { 0, 5, 10 }, { -0.1, 10.1, 1e9 } },
		{ "10:", { 10, 10.5, 1e9 }, { 9.9, 0, -5 } },
		{ "~:10", { 10, 0, -1e9 }, { 10.1, 11, 1e9 } },
		{ "10:20", { 10, 15, 20 }, { 9.9, 20.1, -15 } },
		{ "@10:20", { 9.9, 20.1, 0 }, { 10, 15, 20 } },
		{ "@10", { -0.1, 10.1, 11 }, { 0, 5, 10 } },
		{ "~:", { -1e9, 0, 1e9 }, { 0 } },
		{ "-20:-10", { -20, -15, -10 }, { -20.1, -9.9, 15 } },
		{ "0.5:99.5", { 0.5, 50, 99.5 }, { 0.4, 99.6, 100 } },
		{ "0", { 0, 0, 0 }, { 0.1, 1, -1 } },
		{ "~:-5", { -5, -6, -7 }, { -4.9, 0, 5 } },
		{ ":10", { 0, 5, 10 }, { -0.1, 10.1, 1e9 } },
		{ "@:10", { -0.1, 10.1, 1e9 }, { 0, 5, 10 } },
		{ ":", { 0, 1, 1e9 }, { -0.1, -1, -1e9 } },
		{ "-5:-1", { -5, -3, -1 }, { -5.1, -0.9, 0 } },
		{ "0.5", { 0, 0.25, 0.5 }, { -0.1, 0.6, 1 } },
		{ "@~:10", { 10.1, 11, 1e9 }, { -1e9, 0, 10 } },
		{ "7:7", { 7, 7, 7 }, { 6.9, 7.1, 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ngc_range r;

		ck_assert_msg(ngc_range_parse(cases[i].range, &r), "%s", cases[i].range);
		ck_assert_str_eq(r.text, cases[i].range);
		for (size_t k = 0; k < 3; k++) {
			ck_assert_msg(!ngc_range_alerts(&r, cases[i].well[k]), "%s: %g",
			    cases[i].range, cases[i].well[k]);
			ck_assert_msg(strcmp(cases[i].range, "~:") == 0 ||
					  ngc_range_alerts(&r, cases[i].alerts[k]),
			    "%s: %g", cases[i].range, cases[i].alerts[k]);
		}
	}
}
END_TEST

START_TEST(how_far_a_value_is_beyond_its_range_is_told)
{
	static const struct {
		const char *range;
		double value, beyond;
	} cases[] = { { "10", 12, 2 }, { "10", -1, 1 }, { "60:", 50, 10 },
		{ "~:110", 125.5, 15.5 }, { "10:20", 5, 5 }, { "@10:20", 18, 2 },
		{ "@10:20", 11, 1 }, { "@~:10", 4, 6 } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ngc_range r;

		ck_assert(ngc_range_parse(cases[i].range, &r));
		ck_assert(ngc_range_alerts(&r, cases[i].value));
		ck_assert_double_eq(ngc_range_beyond(&r, cases[i].value),
		    cases[i].beyond);
	}
}
END_TEST

START_TEST(without_a_threshold_nothing_alerts)
{
	struct ngc_range none = { 0 };

	ck_assert(!ngc_range_alerts(&none, 0));
	ck_assert(!ngc_range_alerts(&none, 1e9));
}
END_TEST

START_TEST(what_is_no_range_is_refused)
{
	static const char *const bad[] = { "", "@", "~", "@~", "~10", "x", "10x",
		"10:x", "10:20:30", "20:10", "10:5", ":-5",
		"::", "@20:10", " 10", "10 ", "1e3", "0x10", "inf",
		"nan", "10:inf", "+5", "--5", "5.", ".5", "10%", "@@5", "10,5", "~:~",
		"1-2" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct ngc_range r = { .low = 42 };

		ck_assert_msg(!ngc_range_parse(bad[i], &r), "%s", bad[i]);
		ck_assert(r.low == 42);
	}
}
END_TEST

UNIT_MAIN("range", a_value_outside_of_its_range_alerts,
    how_far_a_value_is_beyond_its_range_is_told, without_a_threshold_nothing_alerts,
    what_is_no_range_is_refused)
