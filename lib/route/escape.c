/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/* nginx's ngx_escape_uri(). */
static bool must_escape(unsigned char c, enum escape how)
{
	if (c <= 0x20 || c >= 0x7f)
		return true;
	return strchr(how == ESCAPE_URI ? "#%?" : "#%&+;?", c) != NULL;
}

struct ngc_bytes run_escape(struct run *r, struct ngc_bytes s, enum escape how)
{
	struct ngc_buf b = { 0 };
	char *copy;

	for (size_t i = 0; i < s.n; i++) {
		if (must_escape(s.p[i], how))
			ngc_buf_printf(&b, "%%%02X", s.p[i]);
		else
			ngc_buf_add_char(&b, (char)s.p[i]);
	}
	copy = b.failed ? NULL : ngc_arena_copy(r->arena, b.p, b.n);
	struct ngc_bytes out = ngc_bytes(copy, copy != NULL ? b.n : 0);
	r->failed = r->failed || copy == NULL;
	ngc_buf_free(&b);
	return out;
}
