/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/digest.h"

#include "unit.h"

/* From a cache that nginx 1.28.3 wrote. */
static const char real_key[] = "httpGETwww.example.org/vary/multi-alpha-23";

START_TEST(names_are_the_md5_of_the_key)
{
	static const struct {
		const char *key;
		size_t n;
		const char *want;
	} cases[] = {
		{ NULL, 0, "d41d8cd98f00b204e9800998ecf8427e" },
		{ "", 0, "d41d8cd98f00b204e9800998ecf8427e" },
		{ "abc", 3, "900150983cd24fb0d6963f7d28e17f72" },
		{ "\0", 1, "93b885adfe0da089cdf634904fd59f71" },
		{ real_key, sizeof(real_key) - 1, "67e0147fc291182a17de4b80a44d231c" },
	};
	char name[NGC_NAME_LEN + 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ngc_key_name(ngc_bytes(cases[i].key, cases[i].n), name);
		ck_assert_str_eq(name, cases[i].want);
	}
}
END_TEST

START_TEST(crc32_is_that_of_nginx)
{
	ck_assert_uint_eq(ngc_crc32(ngc_bytes_of("123456789")), 0xcbf43926);
	ck_assert_uint_eq(ngc_crc32(ngc_bytes_of("")), 0);
	ck_assert_uint_eq(ngc_crc32(ngc_bytes(NULL, 0)), 0);
	ck_assert_uint_eq(ngc_crc32(ngc_bytes("\0", 1)), 0xd202ef8d);
	ck_assert_uint_eq(ngc_crc32(ngc_bytes_of(real_key)), 0xd7eba834);
}
END_TEST

START_TEST(crc32_goes_on_behind_what_it_was_of)
{
	uint32_t crc = ngc_crc32_more(0, ngc_bytes_of("1234"));

	ck_assert_uint_eq(ngc_crc32_more(crc, ngc_bytes_of("56789")), 0xcbf43926);
	ck_assert_uint_eq(ngc_crc32_more(crc, ngc_bytes_of("")), crc);
}
END_TEST

START_TEST(crc32_of_many_zeros_is_that_of_each)
{
	static const unsigned char zeros[70001];
	static const size_t sizes[] = { 0, 1, 2, 3, 255, 4096, 70001 };
	uint32_t crc = ngc_crc32(ngc_bytes_of("1234"));

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		ck_assert_uint_eq(ngc_crc32_zeros(crc, sizes[i]),
		    ngc_crc32_more(crc, ngc_bytes(zeros, sizes[i])));
	ck_assert_uint_eq(ngc_crc32_zeros(ngc_crc32_zeros(0, 1), (uint64_t)1 << 40),
	    ngc_crc32_zeros(0, ((uint64_t)1 << 40) + 1));
}
END_TEST

START_TEST(hex_is_lower_case_and_whole)
{
	static const unsigned char raw[NGC_MD5_SIZE] = { 0x00, 0x01, 0x0f, 0x10, 0x9a,
		0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf0, 0xff, 0x7f, 0x80, 0x55, 0xaa };
	char out[NGC_NAME_LEN + 1];

	ngc_hex(raw, out);
	ck_assert_str_eq(out, "00010f109aabbccddeeff0ff7f8055aa");
}
END_TEST

UNIT_MAIN("digest", names_are_the_md5_of_the_key, crc32_is_that_of_nginx,
    crc32_goes_on_behind_what_it_was_of, crc32_of_many_zeros_is_that_of_each,
    hex_is_lower_case_and_whole)
