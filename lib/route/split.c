/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>

#include "maps.h"

/* split_clients: a part of the hash values for each line. */

/* nginx's ngx_murmur_hash2(), seed 0. */
static uint32_t murmur2(struct ngc_bytes s)
{
	const uint32_t m = 0x5bd1e995;
	uint32_t h = (uint32_t)s.n;

	for (; s.n >= 4; s = ngc_bytes_from(s, 4)) {
		uint32_t k = s.p[0] | (uint32_t)s.p[1] << 8 | (uint32_t)s.p[2] << 16 |
			     (uint32_t)s.p[3] << 24;

		k *= m;
		k ^= k >> 24;
		k *= m;
		h = h * m ^ k;
	}
	if (s.n == 3)
		h ^= (uint32_t)s.p[2] << 16;
	if (s.n >= 2)
		h ^= (uint32_t)s.p[1] << 8;
	if (s.n >= 1)
		h = (h ^ s.p[0]) * m;
	h ^= h >> 13;
	h *= m;
	return h ^ h >> 15;
}

/* "33.3%" as hundredths of a percent; false: "*" or nonsense. */
static bool read_percent(struct ngc_bytes s, uint64_t *out)
{
	uint64_t v = 0;
	unsigned decimals = 0;
	bool point = false;

	if (s.n < 2 || s.n > 8 || s.p[s.n - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < s.n; i++) {
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9' || decimals == 2)
			return false;
		v = v * 10 + (s.p[i] - '0');
		decimals += point;
	}
	for (; decimals < 2; decimals++)
		v *= 10;
	*out = v;
	return true;
}

static bool may_be(const struct ngc_directive *line, struct value source)
{
	(void)line;
	(void)source;
	return true;
}

void split_eval(struct run *r, const struct definition *def, struct value *out)
{
	struct value source = run_eval(r, maps_source(def, ""));
	const struct unknown *u = value_unknown(source);
	uint64_t end = 0, percent;
	uint32_t hash;

	*out = (struct value){ 0 };
	if (u != NULL) {
		maps_any_result(r, def, u, may_be, source, out);
		return;
	}
	hash = murmur2(value_bytes(r->arena, source));
	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next) {
		bool rest = !read_percent(d->words[0], &percent);

		if (!rest)
			end += percent * 0xffffffff / 10000;
		if (d->n_words > 1 && (rest || hash < end)) {
			*out = value_text(r->arena, d->words[1], false);
			return;
		}
	}
}
