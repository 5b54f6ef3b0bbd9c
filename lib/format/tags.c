/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/tags.h"

static const char *const tag_headers[] = { "Cache-Tag", "Surrogate-Key", "xkey",
	"X-Cache-Tags", "X-Magento-Tags", "Cache-Tags", NULL };

static bool is_among(struct ngc_bytes name, const char *const *names)
{
	for (; names != NULL && *names != NULL; names++)
		if (ngc_bytes_same(name, ngc_bytes_of(*names)))
			return true;
	return false;
}

static bool is_separator(unsigned char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* Take the first tag off a value; false when there is none. */
static bool take_tag(struct ngc_bytes *value, struct ngc_bytes *tag)
{
	size_t n = 0;

	while (value->n > 0 && is_separator(value->p[0]))
		*value = ngc_bytes_from(*value, 1);
	while (n < value->n && !is_separator(value->p[n]))
		n++;
	*tag = ngc_bytes(value->p, n);
	*value = ngc_bytes_from(*value, n);
	return n > 0;
}

bool ngc_tags_next(const struct ngc_response *r, const char *const *more,
    struct ngc_tag_position *at, struct ngc_bytes *tag)
{
	struct ngc_bytes name;

	while (!take_tag(&at->value, tag))
		do
			if (!ngc_response_next(r, &at->pos, &name, &at->value))
				return false;
		while (!is_among(name, tag_headers) && !is_among(name, more));
	return true;
}
