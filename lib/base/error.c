/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ngc/text.h"

/* Copy text into err->text, escaped; a character that does not fit whole is dropped. */
static void store_text(struct ngc_error *err, const char *text)
{
	size_t n = 0;
	struct ngc_bytes left = ngc_bytes_of(text);

	while (left.n > 0) {
		size_t len = ngc_utf8_sequence(left);
		char one[NGC_ESCAPE_MAX];
		size_t wide;

		if (len == 0)
			len = 1;
		wide = ngc_text_escape_one(ngc_bytes(left.p, len), one);
		if (wide > sizeof(err->text) - 1 - n)
			break;
		memcpy(err->text + n, one, wide);
		n += wide;
		left = ngc_bytes_from(left, len);
	}
	err->text[n] = '\0';
}

enum ngc_code ngc_fail(struct ngc_error *err, enum ngc_code code, int sys, const char *fmt, ...)
{
	char text[sizeof(err->text)], cause[128];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		text[0] = '\0';
	if (sys != 0) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, ": %s",
		    strerror_r(sys, cause, sizeof(cause)));
	}
	err->code = code;
	err->sys = sys;
	store_text(err, text);
	return code;
}

enum ngc_code ngc_wrap(struct ngc_error *err, const char *fmt, ...)
{
	struct ngc_error inner = *err;
	char context[sizeof(err->text)];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	if (n < 0)
		context[0] = '\0';
	store_text(err, context);
	n = (int)strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s", inner.text);
	return err->code;
}

enum ngc_code ngc_no_memory(struct ngc_error *err)
{
	return ngc_fail(err, NGC_FATAL, 0, "out of memory");
}
