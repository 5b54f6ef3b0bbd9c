/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/zone.h"

const char *ngc_protocol_name(enum ngc_protocol p)
{
	static const char *const names[NGC_PROTOCOLS] = {
		[NGC_PROXY] = "proxy",
		[NGC_FASTCGI] = "fastcgi",
		[NGC_UWSGI] = "uwsgi",
		[NGC_SCGI] = "scgi",
	};

	return names[p];
}

bool ngc_levels_parse(struct ngc_bytes s, struct ngc_levels *out)
{
	struct ngc_levels l = { 0 };

	for (size_t i = 0; i < s.n; i += 2) {
		if (l.n == NGC_LEVELS_MAX || (s.p[i] != '1' && s.p[i] != '2'))
			return false;
		l.width[l.n++] = s.p[i] - '0';
		if (i + 1 < s.n && (s.p[i + 1] != ':' || i + 2 == s.n))
			return false;
	}
	*out = l;
	return true;
}

const char *ngc_levels_format(const struct ngc_levels *l, char out[NGC_LEVELS_TEXT])
{
	char *p = out;

	for (unsigned i = 0; i < l->n; i++) {
		if (i > 0)
			*p++ = ':';
		*p++ = (char)('0' + l->width[i]);
	}
	*p = '\0';
	return out;
}

const char *ngc_levels_dir(const struct ngc_levels *l, const char name[NGC_NAME_LEN],
    char out[NGC_LEVELS_TEXT])
{
	const char *from = name + NGC_NAME_LEN;
	char *p = out;

	for (unsigned i = 0; i < l->n; i++) {
		from -= l->width[i];
		memcpy(p, from, l->width[i]);
		p += l->width[i];
		*p++ = '/';
	}
	*p = '\0';
	return out;
}

/* Numbered from 1 in binary, what follows the leading 1 is a bit for each level. */
struct ngc_levels ngc_levels_kind(unsigned i)
{
	struct ngc_levels l = { 0 };
	unsigned code = i + 1;

	while (code >> (l.n + 1) != 0)
		l.n++;
	for (unsigned k = 0; k < l.n; k++)
		l.width[k] = 1 + (code >> (l.n - 1 - k) & 1);
	return l;
}

int64_t ngc_zone_keys_max(const struct ngc_zone *z)
{
	const int64_t mib = 1 << 20, nodes = 8095;

	if (!z->configured)
		return -1;
	return z->keys_zone_size / mib * nodes + z->keys_zone_size % mib * nodes / mib;
}
