/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/variant.h"

#include "unit.h"

/*
 * Expected values: MD5 of the bytes that the format prescribes, put together and hashed
 * by Python's hashlib; that nginx computes the same is what the fixtures and the tests
 * with a real nginx hold.
 */
static const struct {
	const char *vary;
	const char *headers[3][2];
	const char *want;
} cases[] = {
	{ "Accept-Encoding", { { "accept-encoding", "gzip, deflate" } },
	    "0cd2c34b67402cb0ea3d4006f65b27d4" },
	{ "accept-encoding", { { "Accept-Encoding", "gzip,deflate" } },
	    "0cd2c34b67402cb0ea3d4006f65b27d4" },
	{ "accept-encoding",
	    { { "Accept-Encoding", "gzip" }, { "ACCEPT-ENCODING", " deflate" } },
	    "0cd2c34b67402cb0ea3d4006f65b27d4" },
	{ "accept-encoding", { { NULL, NULL } }, "1d595d9f4c618b237da66b3e45d4a4df" },
	{ "accept-encoding", { { "Accept-Encoding", "" } },
	    "1d595d9f4c618b237da66b3e45d4a4df" },
	{ "X-A , x-b", { { "X-B", "1, 2" }, { "x-a", "z" } },
	    "a2859f41474c31e2400e406324a19ab5" },
	{ "x-a x-a", { { "x-a", "1" }, { "x-a", "2" } },
	    "68abde3a5d90c7b166b363abcce948cb" },
	{ "x-a", { { "x-a", "1" }, { "x-a", "2" } }, "fbf96f040bcdcbf2e15dc327162d4d55" },
	{ "*", { { NULL, NULL } }, "6d6182c333136c6bc7b1fdd15d82b761" },
};

START_TEST(variants_are_what_nginx_computes)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_request_header headers[3];
		unsigned char md5[NGC_MD5_SIZE];
		char hex[NGC_NAME_LEN + 1];
		size_t n = 0;

		for (; n < 3 && cases[i].headers[n][0] != NULL; n++)
			headers[n] = (struct ngc_request_header){
				ngc_bytes_of(cases[i].headers[n][0]),
				ngc_bytes_of(cases[i].headers[n][1])
			};
		ngc_variant_compute(ngc_bytes_of("k"), ngc_bytes_of(cases[i].vary),
		    headers, n, md5);
		ngc_hex(md5, hex);
		ck_assert_msg(strcmp(hex, cases[i].want) == 0, "case %zu: %s", i, hex);
	}
}
END_TEST

UNIT_MAIN("variant", variants_are_what_nginx_computes)
