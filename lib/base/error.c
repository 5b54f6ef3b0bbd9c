/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ngc/text.h"

static const char dots[] = "...";

/*
 * Write text, escaped, to out, which has room for size bytes.  What does not fit is
 * replaced by dots, as is what was cut off before; no character is cut in two.
 */
static void put_escaped(char *out, size_t size, const char *text, bool cut)
{
	struct ngc_bytes left = ngc_bytes_of(text);
	size_t n = 0, fits = 0; /* fits: up to where the dots can follow */

	while (left.n > 0) {
		size_t len = ngc_utf8_sequence(left), wide;
		char one[NGC_ESCAPE_MAX];

		if (len == 0)
			len = 1;
		wide = ngc_text_escape_one(ngc_bytes(left.p, len), one);
		if (wide > size - 1 - n) {
			cut = true;
			break;
		}
		memcpy(out + n, one, wide);
		n += wide;
		if (n <= size - sizeof(dots))
			fits = n;
		left = ngc_bytes_from(left, len);
	}
	if (cut)
		memcpy(out + fits, dots, sizeof(dots));
	else
		out[n] = '\0';
}

enum ngc_code ngc_fail(struct ngc_error *err, enum ngc_code code, int sys,
    const char *fmt, ...)
{
	char text[sizeof(err->text)], cause[128] = "";
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		text[0] = '\0';
	if (sys != 0) /* strerror() is safe among threads in glibc and musl */
		snprintf(cause, sizeof(cause), ": %s", strerror(sys));
	err->code = code;
	err->sys = sys;
	put_escaped(err->text, sizeof(err->text) - strlen(cause), text,
	    n >= (int)sizeof(text));
	memcpy(err->text + strlen(err->text), cause, strlen(cause) + 1);
	return code;
}

/* Append inner; when there is no room for all of it, its end, which tells the cause. */
static void append_inner(struct ngc_error *err, const char *inner)
{
	size_t n = strlen(err->text), len = strlen(inner);
	size_t room = sizeof(err->text) - 1 - n;

	if (len > room) {
		inner += len - (room - strlen(dots));
		while ((*inner & 0xc0) == 0x80) /* not from the middle of a character */
			inner++;
		memcpy(err->text + n, dots, strlen(dots));
		n += strlen(dots);
	}
	memcpy(err->text + n, inner, strlen(inner) + 1);
}

enum ngc_code ngc_wrap(struct ngc_error *err, const char *fmt, ...)
{
	struct ngc_error inner = *err;
	char context[sizeof(err->text)];
	size_t room = sizeof(context) - strlen(": ") - strlen(inner.text);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	if (n < 0)
		context[0] = '\0';
	if (strlen(inner.text) > sizeof(context) / 2)
		room = sizeof(context) / 2;
	put_escaped(err->text, room, context, n >= (int)sizeof(context));
	append_inner(err, ": ");
	append_inner(err, inner.text);
	return err->code;
}

enum ngc_code ngc_no_memory(struct ngc_error *err)
{
	return ngc_fail(err, NGC_FATAL, 0, "out of memory");
}
