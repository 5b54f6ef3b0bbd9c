/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/tags.h"

#define NAME(s) { (const unsigned char *)s, sizeof(s) - 1 }

static const struct ngc_bytes tag_headers[] = { NAME("Cache-Tag"), NAME("Surrogate-Key"),
	NAME("xkey"), NAME("X-Cache-Tags"), NAME("X-Magento-Tags"), NAME("Cache-Tags") };

#define N_TAG_HEADERS (sizeof(tag_headers) / sizeof(tag_headers[0]))

/* Has one of them such a length?  Of most headers this is all that is asked. */
static bool is_tag_length(size_t n)
{
	return n == 4 || (n >= 9 && n <= 14);
}

bool ngc_tags_header(struct ngc_bytes name, const char *const *more)
{
	for (size_t i = 0; i < N_TAG_HEADERS && is_tag_length(name.n); i++)
		if (name.n == tag_headers[i].n && ngc_bytes_same(name, tag_headers[i]))
			return true;
	for (; more != NULL && *more != NULL; more++)
		if (ngc_bytes_same(name, ngc_bytes_of(*more)))
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
		while (!ngc_tags_header(name, more));
	return true;
}
