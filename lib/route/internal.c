/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#include "ngc/variable.h"

/* The path of the request as it came, or as it stands. */
static bool is_path(struct ngc_bytes name)
{
	return ngc_bytes_same(name, ngc_bytes_of("uri")) ||
	       ngc_bytes_same(name, ngc_bytes_of("document_uri")) ||
	       ngc_bytes_same(name, ngc_bytes_of("request_uri"));
}

/* Is it a URI that begins with a slash, whatever its variables hold? */
static bool has_slash(struct ngc_bytes uri)
{
	size_t n = 1;

	if (uri.n == 0 || uri.p[0] != '$')
		return uri.n > 0 && uri.p[0] == '/';
	while (n < uri.n && ngc_variable_char(uri.p[n]))
		n++;
	return is_path(ngc_bytes(uri.p + 1, n - 1));
}

/*
 * Does $1 of the regex hold what begins with a slash, whenever it matches?  The group has
 * to come first, and be too simple to be mistaken.
 */
static bool catches_slash(struct ngc_bytes regex)
{
	size_t start = regex.n > 0 && regex.p[0] == '^', n;
	struct ngc_bytes group = ngc_bytes_from(regex, start);

	if (!ngc_bytes_starts(group, ngc_bytes_of("(/")) ||
	    memchr(regex.p, '|', regex.n) != NULL)
		return false;
	group = ngc_bytes_from(group, 2);
	n = strcspn((const char *)group.p, "()[\\");
	return n < group.n && group.p[n] == ')' && strchr("?*{", group.p[0]) == NULL &&
	       (n + 1 == group.n || strchr("?*{", group.p[n + 1]) == NULL);
}

/* May the rewrite leave a URI that does not begin with a slash? */
static bool rewrites_away(const struct ngc_directive *d)
{
	struct ngc_bytes to = d->words[2];
	const char *flag = ngc_directive_arg(d, 3);

	if (has_slash(to) || ngc_bytes_starts(to, ngc_bytes_of("http://")) ||
	    ngc_bytes_starts(to, ngc_bytes_of("https://")) ||
	    ngc_bytes_starts(to, ngc_bytes_of("$scheme")) ||
	    (flag != NULL && (strcmp(flag, "permanent") == 0 ||
				 strcmp(flag, "redirect") == 0)))
		return false;
	return !ngc_bytes_starts(to, ngc_bytes_of("$1")) || !catches_slash(d->words[1]);
}

/* May try_files? */
static bool tries_elsewhere(const struct ngc_directive *d)
{
	for (unsigned i = 1; i < d->n_words; i++)
		if (!has_slash(d->words[i]) &&
		    (i + 1 < d->n_words || d->words[i].n == 0 ||
			memchr("@=", d->words[i].p[0], 2) == NULL))
			return true;
	return false;
}

/* May the directive lead to a URI that does not begin with a slash? */
static bool bends(const struct ngc_directive *d)
{
	static const char *const subrequests[] = { "auth_request", "mirror",
		"add_before_body", "add_after_body" };

	if (ngc_directive_is(d, "rewrite"))
		return d->n_words > 2 && rewrites_away(d);
	if (ngc_directive_is(d, "try_files"))
		return tries_elsewhere(d);
	for (size_t i = 0; i < sizeof(subrequests) / sizeof(subrequests[0]); i++)
		if (ngc_directive_is(d, subrequests[i]))
			return d->n_words > 1 && !has_slash(d->words[1]) &&
			       !ngc_bytes_same(d->words[1], ngc_bytes_of("off"));
	return false;
}

/* Their lengths are known: every directive of a server is compared with them. */
#define NAME(s) { (const unsigned char *)s, sizeof(s) - 1 }

static bool makes_subrequests(const struct ngc_directive *d)
{
	static const struct ngc_bytes names[] = { NAME("auth_request"), NAME("mirror"),
		NAME("ssi"), NAME("add_before_body"), NAME("add_after_body") };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (d->n_words > 0 && ngc_bytes_equal(d->words[0], names[i]))
			return true;
	return false;
}

static bool has_subrequests(const struct ngc_directive *block, bool deep)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next)
		if (makes_subrequests(d) ||
		    (deep && d->block && has_subrequests(d, true)))
			return true;
	return false;
}

/* In a block; deep: or in one within. */
static bool bends_in(const struct ngc_directive *block, bool deep)
{
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next)
		if (bends(d) || (deep && d->block && bends_in(d, true)))
			return true;
	return false;
}

bool internal_bends_uri(const struct ngc_server *s)
{
	return bends_in(s->level->d, true) || bends_in(s->level->d->parent, false);
}

bool internal_subrequests(const struct ngc_server *s)
{
	return has_subrequests(s->level->d, true) ||
	       has_subrequests(s->level->d->parent, false);
}
