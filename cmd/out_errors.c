/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_errors.h"

#include "jsonw.h"

void out_errors_add(struct out_errors *e, const char *file, const char *text)
{
	if (e->n++ >= ERRORS_MAX)
		return;
	jsonw_comma(&e->json);
	ngc_buf_add_char(&e->json, '{');
	jsonw_member_str(&e->json, "file", file);
	jsonw_member_str(&e->json, "error", text);
	ngc_buf_add_char(&e->json, '}');
}

void out_errors_begin(struct ngc_buf *b, const struct out_errors *e)
{
	jsonw_name(b, "errors");
	ngc_buf_add_char(b, '[');
	ngc_buf_add_bytes(b, ngc_buf_bytes(&e->json));
	b->failed |= e->json.failed; /* a part of it would not be JSON */
}
