/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"
#include "ngc/units.h"

/* The rewrite module's directives: nginx's ngx_http_rewrite_if_condition() and others. */

static bool is_one_of(struct ngc_bytes word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (ngc_bytes_equal(word, ngc_bytes_of(*list)))
			return true;
	return false;
}

/* Does any directive but a condition have that word, which then may define it? */
static bool is_mentioned(const struct ngc_directive *block, struct ngc_bytes word)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next) {
		for (unsigned i = 1; !ngc_directive_is(d, "if") && i < d->n_words; i++)
			if (ngc_bytes_same(d->words[i], word))
				return true;
		if (d->block && is_mentioned(d, word))
			return true;
	}
	return false;
}

/*
 * A name that no variable can have unless something defines it: "uri=/a".  What follows
 * "arg_" and the like may be anything.
 */
static bool is_odd(struct ngc_bytes name)
{
	static const char *const open[] = { "arg_", "cookie_", "http_", "sent_http_",
		"sent_trailer_", "upstream_cookie_", "upstream_http_",
		"upstream_trailer_" };
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		size_t n = strlen(open[i]);

		if (name.n >= n &&
		    ngc_bytes_same(ngc_bytes(name.p, n), ngc_bytes_of(open[i])))
			return false;
	}
	for (size_t i = 0; i < name.n; i++)
		if (memchr(letters, name.p[i], sizeof(letters) - 1) == NULL)
			return true;
	return false;
}

static enum ngc_code bad_condition(const struct ngc_directive *d, struct ngc_bytes word,
    struct ngc_error *err)
{
	return conf_refuse(d, err, "invalid condition \"%.*s\"", (int)word.n,
	    (const char *)word.p);
}

/* A word of the condition without the parenthesis that is glued to it. */
static struct ngc_bytes trimmed(const struct ngc_directive *d, unsigned i)
{
	struct ngc_bytes w = d->words[i];

	if (i == d->n_words - 1)
		w.n--;
	return i == 1 && w.n > 0 ? ngc_bytes_from(w, 1) : w;
}

static enum ngc_code check_comparison(struct check *c, const struct ngc_directive *d,
    const struct ngc_bytes *part, unsigned n, struct ngc_error *err)
{
	static const char *const operators[] = { "=", "!=", "~", "~*", "!~", "!~*",
		NULL };

	if (n == 2)
		return bad_condition(d, part[0], err);
	if (is_odd(ngc_bytes_from(part[0], 1)) && !is_mentioned(c->conf->tree, part[0]))
		return conf_refuse(d, err, "unknown \"%.*s\" variable",
		    (int)part[0].n - 1, (const char *)part[0].p + 1);
	if (n == 3 && !is_one_of(part[1], operators))
		return conf_refuse(d, err, "unexpected \"%.*s\" in condition",
		    (int)part[1].n, (const char *)part[1].p);
	return n == 3 && memchr(part[1].p, '~', part[1].n) == NULL
		   ? check_text(d, part[2], err)
		   : NGC_OK;
}

enum ngc_code check_if(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	static const char *const tests[] = { "-f", "-d", "-e", "-x", "!-f", "!-d", "!-e",
		"!-x", NULL };
	unsigned last = d->n_words - 1, n = 0;
	struct ngc_bytes part[3], open = d->words[1], close = d->words[last];

	if (open.n == 0 || open.p[0] != '(')
		return bad_condition(d, open, err);
	if (close.n == 0 || close.p[close.n - 1] != ')')
		return bad_condition(d, close, err);
	for (unsigned i = open.n > 1 ? 1 : 2; i <= last - (close.n == 1); i++) {
		if (n == 3)
			return bad_condition(d, part[0], err);
		part[n++] = trimmed(d, i);
	}
	if (n == 0 || part[0].n == 0)
		return bad_condition(d, ngc_bytes_of(")"), err);
	if (check_is_variable(part[0]))
		return check_comparison(c, d, part, n, err);
	return n == 2 && is_one_of(part[0], tests) ? check_text(d, part[1], err)
						   : bad_condition(d, part[0], err);
}

enum ngc_code check_set(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	return check_new_variable(d, 1, err);
}

enum ngc_code check_rewrite(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	static const char *const flags[] = { "last", "break", "redirect", "permanent",
		NULL };

	(void)c;
	if (d->words[2].n == 0)
		return conf_refuse(d, err, "empty replacement");
	if (d->n_words == 4 && !is_one_of(d->words[3], flags))
		return conf_refuse(d, err, "invalid parameter \"%s\"",
		    ngc_directive_arg(d, 3));
	return NGC_OK;
}

static bool is_url(struct ngc_bytes s)
{
	return ngc_bytes_starts(s, ngc_bytes_of("http://")) ||
	       ngc_bytes_starts(s, ngc_bytes_of("https://")) ||
	       ngc_bytes_starts(s, ngc_bytes_of("$scheme"));
}

enum ngc_code check_return(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	int64_t status;

	(void)c;
	if (ngc_parse_number(d->words[1], &status)
		? status <= 999
		: d->n_words == 2 && is_url(d->words[1]))
		return NGC_OK;
	return conf_refuse(d, err, "invalid return code \"%s\"", ngc_directive_arg(d, 1));
}
