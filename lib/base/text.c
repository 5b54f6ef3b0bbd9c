/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* How many bytes follow a lead byte, and the smallest code point that needs that many. */
static size_t lead_length(unsigned char c, uint32_t *min)
{
	if (c >= 0xc2 && c <= 0xdf) {
		*min = 0x80;
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*min = 0x800;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*min = 0x10000;
		return 4;
	}
	return 0;
}

/* Decode one sequence; 0 when there is none. */
static size_t utf8_decode(struct ngc_bytes s, uint32_t *out)
{
	uint32_t min = 0, c;
	size_t len;

	if (s.n == 0)
		return 0;
	if (s.p[0] < 0x80) {
		*out = s.p[0];
		return 1;
	}
	len = lead_length(s.p[0], &min);
	if (len == 0 || len > s.n)
		return 0;
	c = s.p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s.p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s.p[i] & 0x3f);
	}
	if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return len;
}

size_t ngc_utf8_sequence(struct ngc_bytes s)
{
	uint32_t c;

	return utf8_decode(s, &c);
}

/* How many bytes of ASCII s begins with, eight at a time. */
static size_t ascii_length(struct ngc_bytes s)
{
	size_t n = 0;

	for (uint64_t eight; s.n - n >= sizeof(eight); n += sizeof(eight)) {
		memcpy(&eight, s.p + n, sizeof(eight));
		if (eight & 0x8080808080808080u)
			break;
	}
	while (n < s.n && s.p[n] < 0x80)
		n++;
	return n;
}

bool ngc_utf8_valid(struct ngc_bytes s)
{
	for (;;) {
		size_t len;

		s = ngc_bytes_from(s, ascii_length(s));
		if (s.n == 0)
			break;
		len = ngc_utf8_sequence(s);

		if (len == 0)
			return false;
		s = ngc_bytes_from(s, len);
	}
	return true;
}

/* Characters that end a line or reorder what stands around them on a terminal. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e ||
	       c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

size_t ngc_text_escape_one(struct ngc_bytes s, char out[NGC_ESCAPE_MAX])
{
	static const char named[] = { ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r' };
	uint32_t c;

	if (utf8_decode(s, &c) == 0)
		return (size_t)snprintf(out, NGC_ESCAPE_MAX, "\\x%02x", s.p[0]);
	if (c < sizeof(named) && named[c] != '\0') {
		out[0] = '\\';
		out[1] = named[c];
		return 2;
	}
	if (!is_unsafe(c)) {
		memcpy(out, s.p, s.n);
		return s.n;
	}
	return (
	    size_t)snprintf(out, NGC_ESCAPE_MAX, c < 0x80 ? "\\x%02x" : "\\u{%04x}", c);
}

void ngc_text_escape(struct ngc_buf *out, struct ngc_bytes s)
{
	while (s.n > 0) {
		size_t len = ngc_utf8_sequence(s), n;
		char one[NGC_ESCAPE_MAX];

		if (len == 0)
			len = 1;
		n = ngc_text_escape_one(ngc_bytes(s.p, len), one);
		ngc_buf_add(out, one, n);
		s = ngc_bytes_from(s, len);
	}
}

void ngc_text_base64(struct ngc_buf *out, struct ngc_bytes s)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	while (s.n > 0) {
		size_t n = s.n < 3 ? s.n : 3;
		uint32_t v = (uint32_t)s.p[0] << 16;
		char quad[4] = { 0, 0, '=', '=' };

		if (n > 1)
			v |= (uint32_t)s.p[1] << 8;
		if (n > 2)
			v |= s.p[2];
		for (size_t i = 0; i <= n; i++)
			quad[i] = digits[v >> (18 - 6 * i) & 63];
		ngc_buf_add(out, quad, sizeof(quad));
		s = ngc_bytes_from(s, n);
	}
}

#define WORD_MAX 64

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein distance; words longer than WORD_MAX are infinitely far. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t up = row[j];

			row[j] = min3(up + 1, row[j - 1] + 1,
			    diagonal + (a[i - 1] != b[j - 1]));
			diagonal = up;
		}
	}
	return row[lb];
}

/* The only candidate that begins with word; NULL when there is none or another. */
static const char *completion(const char *word, const char *const *candidates)
{
	const char *found = NULL;

	for (; *candidates != NULL; candidates++) {
		if (word[0] == '\0' || strncmp(*candidates, word, strlen(word)) != 0)
			continue;
		if (found != NULL)
			return NULL;
		found = *candidates;
	}
	return found;
}

const char *ngc_text_nearest(const char *word, const char *const *candidates)
{
	const char *best = completion(word, candidates);
	size_t limit = strlen(word) / 3 + 2; /* the first distance that is too far */

	if (best != NULL)
		return best;
	for (; *candidates != NULL; candidates++) {
		size_t d = distance(word, *candidates);

		if (d < limit && d < strlen(word)) {
			limit = d;
			best = *candidates;
		}
	}
	return best;
}
