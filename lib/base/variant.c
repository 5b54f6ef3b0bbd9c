/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/variant.h"

#include <ctype.h>
#include <md5.h>
#include <stdbool.h>

/*
 * MD5 over the raw MD5 of the key and, for each name of the lower-cased Vary, in order,
 * "name:" values CR LF.  Values are parted by commas; those of three headers that list
 * tokens are taken apart first, so that blanks between tokens make no difference.
 */

/* Take the next token, parted by blanks and commas; false when there is none. */
static bool next_token(struct ngc_bytes *s, struct ngc_bytes *out)
{
	size_t n = 0;

	while (s->n > 0 && (s->p[0] == ' ' || s->p[0] == ','))
		*s = ngc_bytes_from(*s, 1);
	while (n < s->n && s->p[n] != ' ' && s->p[n] != ',')
		n++;
	*out = ngc_bytes(s->p, n);
	*s = ngc_bytes_from(*s, n);
	return n > 0;
}

static bool lists_tokens(struct ngc_bytes name)
{
	return ngc_bytes_same(name, ngc_bytes_of("accept-encoding")) ||
	       ngc_bytes_same(name, ngc_bytes_of("accept-language")) ||
	       ngc_bytes_same(name, ngc_bytes_of("accept-charset"));
}

static void add_lower(MD5_CTX *md5, struct ngc_bytes s)
{
	unsigned char lower[64];

	while (s.n > 0) {
		size_t n = s.n < sizeof(lower) ? s.n : sizeof(lower);

		for (size_t i = 0; i < n; i++)
			lower[i] = (unsigned char)tolower(s.p[i]);
		MD5Update(md5, lower, n);
		s = ngc_bytes_from(s, n);
	}
}

/* One more value behind those there were. */
static void add_value(MD5_CTX *md5, struct ngc_bytes value, bool *first)
{
	if (!*first)
		MD5Update(md5, (const unsigned char *)",", 1);
	MD5Update(md5, value.p, value.n);
	*first = false;
}

static void add_header(MD5_CTX *md5, struct ngc_bytes name,
    const struct ngc_request_header *headers, size_t n)
{
	bool first = true, tokens = lists_tokens(name);

	for (size_t i = 0; i < n; i++) {
		struct ngc_bytes value = headers[i].value, token;

		if (!ngc_bytes_same(headers[i].name, name) || value.n == 0)
			continue;
		if (!tokens)
			add_value(md5, value, &first);
		while (tokens && next_token(&value, &token))
			add_value(md5, token, &first);
	}
}

void ngc_variant_compute(struct ngc_bytes key, struct ngc_bytes vary,
    const struct ngc_request_header *headers, size_t n, unsigned char out[NGC_MD5_SIZE])
{
	struct ngc_bytes name;
	MD5_CTX md5;

	ngc_md5(key, out);
	MD5Init(&md5);
	MD5Update(&md5, out, NGC_MD5_SIZE);
	while (next_token(&vary, &name)) {
		add_lower(&md5, name);
		MD5Update(&md5, (const unsigned char *)":", 1);
		add_header(&md5, name, headers, n);
		MD5Update(&md5, (const unsigned char *)"\r\n", 2);
	}
	MD5Final(out, &md5);
}
