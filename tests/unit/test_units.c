/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/units.h"

#include "unit.h"

struct number_case {
	const char *text;
	int64_t want; /* -1: refused */
};

static void check_all(bool (*parse)(struct ngc_bytes, int64_t *),
    const struct number_case *c)
{
	for (; c->text != NULL; c++) {
		int64_t got = -1;

		if (!parse(ngc_bytes_of(c->text), &got))
			got = -1;
		ck_assert_msg(got == c->want, "'%s': %lld instead of %lld", c->text,
		    (long long)got, (long long)c->want);
	}
}

START_TEST(sizes_take_k_and_m_only)
{
	static const struct number_case cases[] = {
		{ "0", 0 }, { "512k", 524288 }, { "10m", 10485760 }, { "3K", 3072 },
		{ "2M", 2097152 }, { "1g", -1 }, { "", -1 }, { "k", -1 }, { "1kb", -1 },
		{ "-1", -1 }, { " 1", -1 }, { "1 ", -1 }, { "1.5k", -1 },
		{ "9223372036854775807", INT64_MAX }, { "9223372036854775808", -1 },
		{ "9223372036854775807k", -1 }, { NULL, 0 }
	};

	check_all(ngc_parse_size, cases);
}
END_TEST

START_TEST(offsets_take_g_too)
{
	static const struct number_case cases[] = { { "2g", 2147483648 },
		{ "1G", 1073741824 }, { "1t", -1 }, { "7", 7 }, { NULL, 0 } };

	check_all(ngc_parse_offset, cases);
}
END_TEST

START_TEST(times_are_nginx_times)
{
	static const struct number_case cases[] = { { "90", 90 }, { "10m", 600 },
		{ "1h 30m", 5400 }, { "1h30m", 5400 }, { "7d", 604800 },
		{ "1y", 31536000 }, { "1M", 2592000 }, { "1w2d", 777600 }, { "1m 5", 65 },
		{ "1m5", 65 }, { "30m1h", -1 }, { "1m1m", -1 }, { "5ms", -1 }, { "", -1 },
		{ "5 m", -1 }, { "m", -1 }, { "1d ", 86400 }, { " ", -1 }, { "1s1s", -1 },
		{ "5 1s", -1 }, { "1s 5", 6 }, { "5s5", 10 }, { "5 5", 10 }, { " 5", 5 },
		{ "1hm", 3600 }, { "1y1M1w1d1h1m1s1", 34822862 },
		{ "292471208677y", 9223372036837872000 },
		{ "292471208678y", -1 }, { NULL, 0 } };

	check_all(ngc_parse_seconds, cases);
}
END_TEST

START_TEST(millisecond_times_know_ms_but_no_months)
{
	static const struct number_case cases[] = { { "1", 1000 }, { "50ms", 50 },
		{ "1s 200ms", 1200 }, { "1y", -1 }, { "1M", -1 }, { "2m", 120000 },
		{ "1ms 5", 5001 }, { "1ms5", 5001 }, { "5 1ms", -1 }, { NULL, 0 } };

	check_all(ngc_parse_milliseconds, cases);
}
END_TEST

START_TEST(instants_are_numbers_dates_or_now)
{
	int64_t t = 0;

	ck_assert(ngc_parse_instant(ngc_bytes_of("now"), 77, &t));
	ck_assert_int_eq(t, 77);
	ck_assert(ngc_parse_instant(ngc_bytes_of("1796040000"), 0, &t));
	ck_assert_int_eq(t, 1796040000);
	ck_assert(ngc_parse_instant(ngc_bytes_of("2026-11-30T12:00:00Z"), 0, &t));
	ck_assert_int_eq(t, 1796040000);
	ck_assert(!ngc_parse_instant(ngc_bytes_of("2026-02-30T12:00:00Z"), 0, &t));
	ck_assert(!ngc_parse_instant(ngc_bytes_of("2026-11-30"), 0, &t));
	ck_assert(!ngc_parse_instant(ngc_bytes_of("2026-11-30T12:00:00"), 0, &t));
	ck_assert_int_eq(t, 1796040000);
}
END_TEST

START_TEST(addresses_are_read_as_nginx_does)
{
	uint32_t v = 0;

	ck_assert(ngc_parse_ipv4(ngc_bytes_of("10.1.2.255"), &v));
	ck_assert_uint_eq(v, 0x0a0102ff);
	ck_assert(ngc_parse_ipv4(ngc_bytes_of("010..2.3"), &v));
	ck_assert_uint_eq(v, 0x0a000203);
	ck_assert(!ngc_parse_ipv4(ngc_bytes_of("10.1.2"), &v));
	ck_assert(!ngc_parse_ipv4(ngc_bytes_of("10.1.2.3.4"), &v));
	ck_assert(!ngc_parse_ipv4(ngc_bytes_of("10.1.2.256"), &v));
	ck_assert(!ngc_parse_ipv4(ngc_bytes_of("10.1.2.3:80"), &v));
	ck_assert(!ngc_parse_ipv4(ngc_bytes_of(""), &v));
	ck_assert_uint_eq(v, 0x0a000203);
}
END_TEST

START_TEST(formatted_values_read_like_nginx_values)
{
	char out[NGC_UNIT_TEXT];

	ck_assert_str_eq(ngc_format_size(0, out), "0");
	ck_assert_str_eq(ngc_format_size(1023, out), "1023");
	ck_assert_str_eq(ngc_format_size(1536, out), "1.5k");
	ck_assert_str_eq(ngc_format_size(10485760, out), "10m");
	ck_assert_str_eq(ngc_format_size(UINT64_MAX, out), "16e");
	ck_assert_str_eq(ngc_format_seconds(5400, out), "1h 30m");
	ck_assert_str_eq(ngc_format_seconds(-61, out), "-1m 1s");
	ck_assert_str_eq(ngc_format_seconds(0, out), "0s");
	ck_assert_str_eq(ngc_format_seconds(86400, out), "1d");
	ck_assert_str_eq(ngc_format_seconds(INT64_MIN, out), "-106751991167300d 15h");
	ck_assert_str_eq(ngc_format_seconds_exact(93784, out), "1d 2h 3m 4s");
	ck_assert_str_eq(ngc_format_seconds_exact(-86404, out), "-1d 4s");
	ck_assert_str_eq(ngc_format_seconds_exact(0, out), "0s");
	ck_assert_str_eq(
	    ngc_format_seconds_exact(INT64_MIN, out), "-106751991167300d 15h 30m 8s");
	ck_assert_str_eq(ngc_format_instant(1796040000, out), "2026-11-30T12:00:00Z");
	ck_assert_str_eq(ngc_format_instant(INT64_MAX, out), "9223372036854775807");
}
END_TEST

UNIT_MAIN("units", sizes_take_k_and_m_only, offsets_take_g_too, times_are_nginx_times,
    millisecond_times_know_ms_but_no_months, instants_are_numbers_dates_or_now,
    addresses_are_read_as_nginx_does, formatted_values_read_like_nginx_values)
