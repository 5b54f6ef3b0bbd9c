/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

/*
 * nginx's ngx_escape_uri().  Since 1.21.1 it escapes nine more characters: a selector
 * covers both ways, for a cache may have been filled by an older nginx.
 */

static bool is_newly_escaped(unsigned char c)
{
	return c != 0 && strchr("\"<>\\^`{|}", c) != NULL;
}

static bool must_escape(unsigned char c, enum escape how)
{
	if (c <= 0x20 || c >= 0x7f)
		return true;
	return strchr(how == ESCAPE_URI ? "#%?" : "#%&+;?", c) != NULL;
}

/* Is it an old nginx that escapes s?  Asked only where that makes a difference. */
static bool by_old_nginx(struct run *r, struct ngc_bytes s)
{
	const struct unknown *version;

	for (size_t i = 0; r->asked->all && i < s.n; i++) {
		if (!is_newly_escaped(s.p[i]))
			continue;
		version = run_unknown(r, ngc_bytes_of("nginx_version"), GRAMMAR_ANY,
		    false);
		return run_choose(r, 2, version) == 1;
	}
	return false;
}

struct ngc_bytes run_escape(struct run *r, struct ngc_bytes s, enum escape how)
{
	bool old = by_old_nginx(r, s);
	struct ngc_buf b = { 0 };
	char *copy;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];

		if (must_escape(c, how) || (!old && is_newly_escaped(c)))
			ngc_buf_printf(&b, "%%%02X", c);
		else
			ngc_buf_add_char(&b, (char)c);
	}
	copy = b.failed ? NULL : ngc_arena_copy(r->arena, b.p, b.n);
	r->failed = r->failed || copy == NULL;
	s = ngc_bytes(copy, copy != NULL ? b.n : 0);
	ngc_buf_free(&b);
	return s;
}
