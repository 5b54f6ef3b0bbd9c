/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/digest.h"

#include <md5.h>
#include <zlib.h>

void ngc_md5(struct ngc_bytes s, unsigned char out[NGC_MD5_SIZE])
{
	MD5_CTX ctx;

	MD5Init(&ctx);
	MD5Update(&ctx, s.p, s.n);
	MD5Final(out, &ctx);
}

uint32_t ngc_crc32(struct ngc_bytes s)
{
	/* crc32_z() of NULL asks for the initial value, which is that of the empty
	 * string. */
	return (uint32_t)crc32_z(0, s.p, s.n);
}

uint32_t ngc_crc32_more(uint32_t crc, struct ngc_bytes s)
{
	return (uint32_t)crc32_z(crc, s.p, s.n);
}

uint32_t ngc_crc32_zeros(uint32_t crc, uint64_t n)
{
	uLong power = crc32_z(0, (const unsigned char *)"", 1); /* of length zeros */

	for (uint64_t length = 1; n > 0; n >>= 1, length <<= 1) {
		if (n & 1)
			crc = (uint32_t)crc32_combine(crc, power, (z_off_t)length);
		power = crc32_combine(power, power, (z_off_t)length);
	}
	return crc;
}

void ngc_hex(const unsigned char md5[NGC_MD5_SIZE], char out[NGC_NAME_LEN + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < NGC_MD5_SIZE; i++) {
		out[2 * i] = digits[md5[i] >> 4];
		out[2 * i + 1] = digits[md5[i] & 15];
	}
	out[NGC_NAME_LEN] = '\0';
}

void ngc_key_name(struct ngc_bytes key, char out[NGC_NAME_LEN + 1])
{
	unsigned char md5[NGC_MD5_SIZE];

	ngc_md5(key, md5);
	ngc_hex(md5, out);
}
