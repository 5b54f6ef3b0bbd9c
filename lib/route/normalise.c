/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/mem.h"
#include "ngc/url.h"

/* nginx's ngx_http_parse_complex_uri(), by whole segments. */

static int hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next byte of the path, decoded; -1: a bad escape or NUL. */
static int take_byte(struct ngc_bytes *s)
{
	unsigned char c = s->p[0];
	int high, low;

	*s = ngc_bytes_from(*s, 1);
	if (c != '%')
		return c != '\0' ? c : -1;
	if (s->n < 2 || (high = hex_digit(s->p[0])) < 0 || (low = hex_digit(s->p[1])) < 0)
		return -1;
	*s = ngc_bytes_from(*s, 2);
	return high << 4 | low ? high << 4 | low : -1;
}

/*
 * Drop the segment before the '/' that out ends with, from start on; false: there is
 * none.
 */
static bool drop_segment(struct ngc_buf *out, size_t start)
{
	if (out->n <= start + 1)
		return false;
	out->n--;
	while (out->p[out->n - 1] != '/')
		out->n--;
	return true;
}

/*
 * A segment, begun at offset from, has ended, with a '/' or with the path.  False: it
 * leads above the root.
 */
static bool end_segment(struct ngc_buf *out, size_t start, size_t from, bool slash,
    bool merge)
{
	struct ngc_bytes segment = ngc_bytes(out->p + from, out->n - from);

	if (ngc_bytes_equal(segment, ngc_bytes_of("."))) {
		out->n = from;
		return true;
	}
	if (ngc_bytes_equal(segment, ngc_bytes_of(".."))) {
		out->n = from;
		return drop_segment(out, start);
	}
	if (slash && !(merge && segment.n == 0))
		ngc_buf_add_char(out, '/');
	return true;
}

static bool resolve(struct ngc_bytes path, struct ngc_buf *out, bool merge)
{
	size_t start = out->n, from;

	if (path.n == 0 || path.p[0] != '/')
		return false;
	ngc_buf_add_char(out, '/');
	path = ngc_bytes_from(path, 1);
	from = out->n;
	while (path.n > 0 && !out->failed) {
		int c = take_byte(&path);

		if (c < 0)
			return false;
		if (c != '/') {
			ngc_buf_add_char(out, (char)c);
			continue;
		}
		if (!end_segment(out, start, from, true, merge))
			return false;
		from = out->n;
	}
	return out->failed || end_segment(out, start, from, false, merge);
}

static bool resolve_or_undo(struct ngc_bytes path, struct ngc_buf *out, bool merge)
{
	size_t start = out->n;
	bool ok = resolve(path, out, merge);

	if (!ok)
		out->n = start;
	return ok;
}

bool ngc_url_normalise(struct ngc_bytes path, struct ngc_buf *out)
{
	return resolve_or_undo(path, out, true);
}

bool ngc_url_resolve(struct ngc_bytes path, struct ngc_buf *out)
{
	return resolve_or_undo(path, out, false);
}
