/* SPDX-License-Identifier: BSD-2-Clause */
#include "idna.h"

#include <stdint.h>

#include "ngc/text.h"

/* Punycode (RFC 3492), with its parameters for host names. */

#define LABEL_MAX 63
#define BASE      36
#define T_MIN     1
#define T_MAX     26
#define SKEW      38
#define DAMP      700

/* Of the case mappings, those of the alphabets that host names are typed in. */
static uint32_t lower(uint32_t c)
{
	if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) ||
	    (c >= 0x391 && c <= 0x3ab) || (c >= 0x410 && c <= 0x42f))
		return c + 32;
	if (c >= 0x400 && c <= 0x40f)
		return c + 80;
	if (c >= 0x100 && c <= 0x137)
		return c | 1;
	return c;
}

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
	uint32_t k = 0;

	delta /= first ? DAMP : 2;
	delta += delta / points;
	for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
		delta /= BASE - T_MIN;
	return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static void add_digit(struct ngc_buf *out, uint32_t d)
{
	ngc_buf_add_char(out, (char)(d < 26 ? 'a' + d : '0' + d - 26));
}

/* One delta as a variable-length integer. */
static void add_delta(struct ngc_buf *out, uint32_t delta, uint32_t bias)
{
	for (uint32_t k = BASE;; k += BASE) {
		uint32_t t = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;

		if (delta < t)
			break;
		add_digit(out, t + (delta - t) % (BASE - t));
		delta = (delta - t) / (BASE - t);
	}
	add_digit(out, delta);
}

static uint32_t next_point(const uint32_t *c, uint32_t n, uint32_t from)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++)
		if (c[i] >= from && c[i] < next)
			next = c[i];
	return next;
}

/* Labels have few characters: nothing here can overflow. */
static void add_punycode(struct ngc_buf *out, const uint32_t *c, uint32_t n)
{
	uint32_t done = 0, basic, point = 0x80, delta = 0, bias = 72;

	ngc_buf_add_str(out, "xn--");
	for (uint32_t i = 0; i < n; i++) {
		if (c[i] < 0x80) {
			ngc_buf_add_char(out, (char)c[i]);
			done++;
		}
	}
	basic = done;
	if (basic > 0)
		ngc_buf_add_char(out, '-');
	while (done < n) {
		uint32_t next = next_point(c, n, point);

		delta += (next - point) * (done + 1);
		for (uint32_t i = 0; i < n; i++) {
			if (c[i] < next) {
				delta++;
			} else if (c[i] == next) {
				add_delta(out, delta, bias);
				bias = adapt(delta, done + 1, done == basic);
				done++;
				delta = 0;
			}
		}
		delta++;
		point = next + 1;
	}
}

/* The value of a valid UTF-8 sequence of len bytes. */
static uint32_t code_point(const unsigned char *p, size_t len)
{
	uint32_t c = len == 1 ? p[0] : p[0] & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

static bool add_label(struct ngc_bytes label, struct ngc_buf *out)
{
	uint32_t c[LABEL_MAX], n = 0;
	bool ascii = true;

	while (label.n > 0) {
		size_t len = ngc_utf8_sequence(label);

		if (len == 0 || n == LABEL_MAX)
			return false;
		c[n] = lower(code_point(label.p, len));
		ascii = ascii && c[n] < 0x80;
		n++;
		label = ngc_bytes_from(label, len);
	}
	if (!ascii)
		add_punycode(out, c, n);
	for (uint32_t i = 0; ascii && i < n; i++)
		ngc_buf_add_char(out, (char)c[i]);
	return true;
}

bool idna_host(struct ngc_bytes host, struct ngc_buf *out)
{
	for (;;) {
		const unsigned char *dot = host.n > 0 ? memchr(host.p, '.', host.n)
						      : NULL;
		size_t n = dot != NULL ? (size_t)(dot - host.p) : host.n;

		if (!add_label(ngc_bytes(host.p, n), out))
			return false;
		if (dot == NULL)
			return true;
		ngc_buf_add_char(out, '.');
		host = ngc_bytes_from(host, n + 1);
	}
}
