/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "ngc/units.h"
#include "ngc/variable.h"

/*
 * Wrong arguments of the directives that lib/route interprets: a configuration nginx
 * refuses must not give keys.  Regexes are not compiled here but when they are tried.
 */

enum ngc_code check_variable(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err)
{
	return check_is_variable(d->words[i])
		   ? NGC_OK
		   : conf_refuse(d, err, "invalid variable name \"%s\"",
			 ngc_directive_arg(d, i));
}

enum ngc_code check_new_variable(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err)
{
	static const char *const fixed[] = { "scheme", "host", "uri", "document_uri",
		"request_uri", "document_root", "query_string", "is_args",
		"request_filename", "server_name", "server_port", "server_protocol",
		"server_addr", "remote_addr", "remote_port", "remote_user",
		"request_method", "request", "content_type", "content_length",
		"http_host", "http_user_agent", "http_referer", "http_cookie" };
	enum ngc_code code = check_variable(d, i, err);

	for (size_t k = 0; code == NGC_OK && k < sizeof(fixed) / sizeof(fixed[0]); k++)
		if (ngc_bytes_same(ngc_bytes_from(d->words[i], 1),
			ngc_bytes_of(fixed[k])))
			code = conf_refuse(d, err, "the duplicate \"%s\" variable",
			    ngc_directive_arg(d, i) + 1);
	return code;
}

static enum ngc_code invalid_value(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err)
{
	return conf_refuse(d, err, "invalid value \"%s\"", ngc_directive_arg(d, i));
}

enum ngc_code check_error_page(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	unsigned end = d->n_words - 1;
	struct ngc_bytes answer = d->words[end - 1];
	int64_t code;

	(void)c;
	if (answer.n > 0 && answer.p[0] == '=') {
		end--;
		if (end == 1 ||
		    (answer.n > 1 && !ngc_parse_number(ngc_bytes_from(answer, 1), &code)))
			return invalid_value(d, end, err);
	}
	for (unsigned i = 1; i < end; i++) {
		if (!ngc_parse_number(d->words[i], &code) || code == 499)
			return invalid_value(d, i, err);
		if (code < 300 || code > 599)
			return conf_refuse(d, err,
			    "value \"%s\" must be between 300 and 599",
			    ngc_directive_arg(d, i));
	}
	return NGC_OK;
}

enum ngc_code check_try_files(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	struct ngc_bytes last = d->words[d->n_words - 1];
	int64_t code;

	(void)c;
	if (last.n == 0 || last.p[0] != '=' ||
	    (ngc_parse_number(ngc_bytes_from(last, 1), &code) && code <= 999))
		return NGC_OK;
	return conf_refuse(d, err, "invalid code \"%s\"", (const char *)last.p);
}

enum ngc_code check_size(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	int64_t size;

	(void)c;
	if (ngc_parse_size(d->words[1], &size))
		return NGC_OK;
	return conf_refuse(d, err, "\"%s\" directive invalid value",
	    ngc_directive_arg(d, 0));
}

enum ngc_code check_flag(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	if (ngc_bytes_same(d->words[1], ngc_bytes_of("on")) ||
	    ngc_bytes_same(d->words[1], ngc_bytes_of("off")))
		return NGC_OK;
	return conf_refuse(d, err,
	    "invalid value \"%s\" in \"%s\" directive, it must be \"on\" or \"off\"",
	    ngc_directive_arg(d, 1), ngc_directive_arg(d, 0));
}

enum ngc_code check_satisfy(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	return ngc_bytes_same(d->words[1], ngc_bytes_of("all")) ||
		       ngc_bytes_same(d->words[1], ngc_bytes_of("any"))
		   ? NGC_OK
		   : invalid_value(d, 1, err);
}

/* How many groups a regex catches, at the most; nothing is compiled for it. */
static unsigned count_groups(const char *p)
{
	unsigned n = 0;

	for (; *p != '\0'; p++) {
		if (p[0] == '\\' && p[1] != '\0')
			p++;
		else if (p[0] == '(')
			n += p[1] != '?' || p[2] == '<' || p[2] == 'P' || p[2] == '\'';
	}
	return n;
}

enum ngc_code check_split_path(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	return count_groups(ngc_directive_arg(d, 1)) >= 2
		   ? NGC_OK
		   : conf_refuse(d, err, "pattern \"%s\" must have 2 captures",
			 ngc_directive_arg(d, 1));
}

enum ngc_code check_methods(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	for (unsigned i = 1; i < d->n_words; i++)
		if (!ngc_bytes_same(d->words[i], ngc_bytes_of("GET")) &&
		    !ngc_bytes_same(d->words[i], ngc_bytes_of("HEAD")) &&
		    !ngc_bytes_same(d->words[i], ngc_bytes_of("POST")))
			return invalid_value(d, i, err);
	return NGC_OK;
}

enum ngc_code check_valid(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	unsigned last = d->n_words - 1;
	int64_t n;

	(void)c;
	if (!ngc_parse_seconds(d->words[last], &n))
		return conf_refuse(d, err, "invalid time value \"%s\"",
		    ngc_directive_arg(d, last));
	for (unsigned i = 1; i < last; i++)
		if (!ngc_bytes_equal(d->words[i], ngc_bytes_of("any")) &&
		    (!ngc_parse_number(d->words[i], &n) || n < 100 || n > 599))
			return conf_refuse(d, err, "invalid status \"%s\"",
			    ngc_directive_arg(d, i));
	return NGC_OK;
}

/* A zone named without variables must exist, and be one of the module's. */
enum ngc_code check_cache(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_protocol p = rule_of(d)->protocol;
	const struct ngc_zone *z;

	if (memchr(d->words[1].p, '$', d->words[1].n) != NULL ||
	    ngc_bytes_equal(d->words[1], ngc_bytes_of("off")))
		return NGC_OK;
	z = ngc_conf_zone_named(c->conf, d->words[1]);
	if (z == NULL)
		return conf_refuse(d, err, "\"%s\" zone \"%s\" is unknown",
		    ngc_directive_arg(d, 0), ngc_directive_arg(d, 1));
	if (z->type != p)
		return conf_refuse(d, err,
		    "zone \"%s\" is one of %s_cache_path, not of %s_cache_path", z->name,
		    ngc_protocol_name(z->type), ngc_protocol_name(p));
	return NGC_OK;
}

enum ngc_code check_index(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	for (unsigned i = 1; i < d->n_words; i++)
		if (d->words[i].n == 0)
			return conf_refuse(d, err,
			    "index \"\" in \"index\" directive is invalid");
	return NGC_OK;
}

enum ngc_code check_names(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	(void)c;
	for (unsigned i = 1; i < d->n_words; i++) {
		struct ngc_bytes w = d->words[i];
		unsigned char first = w.n > 0 ? w.p[0] : 0;

		if (first == '~' && w.n == 1)
			return conf_refuse(d, err, "empty regex in server name \"~\"");
		if ((first == '*' && (w.n < 3 || w.p[1] != '.')) ||
		    (first == '.' && w.n < 2))
			return conf_refuse(d, err, "server name \"%s\" is invalid",
			    (const char *)w.p);
	}
	return NGC_OK;
}

/* root or alias */
enum ngc_code check_root(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	static const char *const circular[] = { "$document_root", "${document_root}",
		"$realpath_root", "${realpath_root}" };
	const char *name = ngc_directive_arg(d, 0), *path = ngc_directive_arg(d, 1);

	if (*name == 'a' && c->level->kind == NGC_LEVEL_NAMED)
		return conf_refuse(d, err,
		    "the \"alias\" directive cannot be used inside the named location");
	for (size_t i = 0; i < sizeof(circular) / sizeof(circular[0]); i++)
		if (strstr(path, circular[i]) != NULL)
			return conf_refuse(d, err,
			    "the %s variable cannot be used in the \"%s\" directive",
			    circular[i], name);
	return NGC_OK;
}

/* nginx's ngx_http_script_compile() */
enum ngc_code check_text(const struct ngc_directive *d, struct ngc_bytes s,
    struct ngc_error *err)
{
	const unsigned char *p = memchr(s.p, '$', s.n), *start;

	for (; p != NULL; p = memchr(p, '$', (size_t)(s.p + s.n - p))) {
		bool bracket = p[1] == '{'; /* a NUL ends the word */

		start = p + 1 + bracket;
		for (p = start; ngc_variable_char(*p);)
			p++;
		if (bracket && *p != '}')
			return conf_refuse(d, err,
			    "the closing bracket in \"%.*s\" variable is missing",
			    (int)(p - start), (const char *)start);
		if (p == start)
			return conf_refuse(d, err, "invalid variable name in \"%.*s\"",
			    (int)s.n, (const char *)s.p);
	}
	return NGC_OK;
}

static enum ngc_code check_shape(struct check *c, const struct ngc_directive *d,
    const struct rule *rule, struct ngc_error *err)
{
	enum ngc_code code;

	if (!(rule->places & c->place))
		return conf_refuse(d, err, "\"%s\" directive is not allowed here",
		    rule->name);
	if (d->block != rule->block)
		return conf_refuse(d, err,
		    rule->block ? "directive \"%s\" has no opening \"{\""
				: "directive \"%s\" is not terminated by \";\"",
		    rule->name);
	code = conf_count(d, rule->min, rule->max == ANY ? ~0u : rule->max, err);
	if (code != NGC_OK)
		return code;
	if (rule->once != ONCE_NONE && c->seen >> rule->once & 1)
		return conf_refuse(d, err, "\"%s\" directive is duplicate", rule->name);
	c->seen |= 1u << rule->once;
	return NGC_OK;
}

enum ngc_code check_directive(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	const struct rule *rule = rule_of(d);
	enum ngc_code code = check_shape(c, d, rule, err);
	unsigned i = rule->texts > 0 ? rule->texts : d->n_words;

	for (; i < d->n_words && code == NGC_OK; i++)
		code = check_text(d, d->words[i], err);
	return code == NGC_OK && rule->check != NULL ? rule->check(c, d, err) : code;
}

/* Regexes and named locations may be there twice, and the first of them counts. */
enum ngc_code check_locations(struct check *c, const struct ngc_level *outer,
    struct ngc_error *err)
{
	const struct key *before;

	keyset_clear(&c->keys, false);
	for (const struct ngc_level *l = outer->first; l != NULL; l = l->next) {
		struct key k = { .text = l->pattern,
			.kind = l->kind == NGC_LEVEL_EXACT ? '=' : '^',
			.d = l->d };

		if (l->kind < NGC_LEVEL_EXACT || l->kind > NGC_LEVEL_PREFIX_FINAL)
			continue;
		if (!keyset_add(&c->keys, &k, &before))
			return ngc_no_memory(err);
		if (before != NULL)
			return conf_refuse(l->d, err,
			    "duplicate location \"%.*s\", first in %s:%u",
			    (int)l->pattern.n, (const char *)l->pattern.p,
			    before->d->file, before->d->line);
	}
	return NGC_OK;
}
