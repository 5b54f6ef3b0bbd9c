/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/bytes.h"

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

bool ngc_bytes_same(struct ngc_bytes a, struct ngc_bytes b)
{
	if (a.n != b.n)
		return false;
	if (a.n == 0)
		return true;
	if (lower(a.p[0]) != lower(b.p[0])) /* most others */
		return false;
	if (memcmp(a.p, b.p, a.n) == 0) /* most that are the same */
		return true;
	for (size_t i = 1; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

int ngc_bytes_compare(struct ngc_bytes a, struct ngc_bytes b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int r = n > 0 ? memcmp(a.p, b.p, n) : 0;

	return r != 0 ? r : (a.n > b.n) - (a.n < b.n);
}
