/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "ngc/units.h"

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

static enum ngc_code invalid_value(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err)
{
	return conf_refuse(d, err, "invalid value \"%s\"", ngc_directive_arg(d, i));
}

static enum ngc_code check_error_page(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	unsigned end = d->n_words - 1;
	struct ngc_bytes answer = d->words[end - 1];
	int64_t code;

	(void)c;
	if (answer.n > 0 && answer.p[0] == '=') {
		end--;
		if (end == 1 || (answer.n > 1 && !ngc_parse_number(
						     ngc_bytes_from(answer, 1), &code)))
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

static enum ngc_code check_try_files(struct check *c, const struct ngc_directive *d,
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

static enum ngc_code check_size(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	int64_t size;

	(void)c;
	if (ngc_parse_size(d->words[1], &size))
		return NGC_OK;
	return conf_refuse(d, err, "\"%s\" directive invalid value",
	    ngc_directive_arg(d, 0));
}

static enum ngc_code check_flag(struct check *c, const struct ngc_directive *d,
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

static enum ngc_code check_methods(struct check *c, const struct ngc_directive *d,
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

static enum ngc_code check_valid(struct check *c, const struct ngc_directive *d,
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

static enum ngc_code check_proxy_pass(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	struct ngc_bytes url = d->words[1];
	size_t n = url.n >= 8 && (url.p[4] | 0x20) == 's' ? 8 : 7;

	(void)c;
	if (memchr(url.p, '$', url.n) != NULL)
		return NGC_OK;
	if (url.n < n || !ngc_bytes_same(ngc_bytes(url.p, n),
			     ngc_bytes_of(n == 8 ? "https://" : "http://")))
		return conf_refuse(d, err, "invalid URL prefix");
	url = ngc_bytes_from(url, n);
	if (url.n == 0 || url.p[0] == '/')
		return conf_refuse(d, err, "no host in upstream \"%s\"",
		    (const char *)url.p);
	return NGC_OK;
}

#define ANY 0xffffu
#define NAME(text) text, sizeof(text) - 1
/* The directives of that name of all four modules. */
#define MODULES(suffix, check)                              \
	{ NAME("fastcgi" suffix), 1, ANY, false, check },   \
	{ NAME("proxy" suffix), 1, ANY, false, check },     \
	{ NAME("scgi" suffix), 1, ANY, false, check },      \
	{ NAME("uwsgi" suffix), 1, ANY, false, check }

static const struct rule {
	const char *name;
	size_t length;
	unsigned min, max; /* arguments */
	bool block;
	enum ngc_code (*check)(struct check *c, const struct ngc_directive *d,
	    struct ngc_error *err);
} rules[] = {
	{ NAME("alias"), 1, 1, false, NULL },
	{ NAME("break"), 0, 0, false, NULL },
	{ NAME("error_page"), 2, ANY, false, check_error_page },
	{ NAME("fastcgi_pass"), 1, 1, false, NULL },
	{ NAME("geo"), 1, 2, true, check_geo },
	{ NAME("if"), 1, ANY, true, check_if },
	{ NAME("index"), 1, ANY, false, NULL },
	{ NAME("internal"), 0, 0, false, NULL },
	{ NAME("location"), 1, 2, true, NULL },
	{ NAME("map"), 2, 2, true, check_map },
	{ NAME("merge_slashes"), 1, 1, false, check_flag },
	{ NAME("proxy_cache_convert_head"), 1, 1, false, check_flag },
	{ NAME("proxy_pass"), 1, 1, false, check_proxy_pass },
	{ NAME("return"), 1, 2, false, check_return },
	{ NAME("rewrite"), 2, 3, false, check_rewrite },
	{ NAME("root"), 1, 1, false, NULL },
	{ NAME("scgi_pass"), 1, 1, false, NULL },
	{ NAME("server_name"), 1, ANY, false, NULL },
	{ NAME("set"), 2, 2, false, check_set },
	{ NAME("slice"), 1, 1, false, check_size },
	{ NAME("split_clients"), 2, 2, true, check_split },
	{ NAME("try_files"), 2, ANY, false, check_try_files },
	{ NAME("uwsgi_pass"), 1, 1, false, NULL },
	MODULES("_cache_bypass", NULL),
	MODULES("_cache_methods", check_methods),
	MODULES("_cache_valid", check_valid),
	MODULES("_no_cache", NULL),
};

static const struct rule *find_rule(struct ngc_bytes name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].length == name.n &&
		    memcmp(rules[i].name, name.p, name.n) == 0)
			return &rules[i];
	return NULL;
}

static enum ngc_code check_directive(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	const struct rule *rule = find_rule(d->words[0]);
	enum ngc_code code;

	if (rule == NULL)
		return NGC_OK;
	if (d->block != rule->block)
		return conf_refuse(d, err,
		    rule->block ? "directive \"%s\" has no opening \"{\""
				: "directive \"%s\" is not terminated by \";\"",
		    rule->name);
	code = conf_count(d, rule->min, rule->max, err);
	return code == NGC_OK && rule->check != NULL ? rule->check(c, d, err) : code;
}

/* Regexes and named locations may be there twice, and the first of them counts. */
static enum ngc_code check_locations(struct check *c, const struct ngc_level *outer,
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

/* Blocks nest only as deep as the reader allows. */
static enum ngc_code check_level(struct check *c, const struct ngc_level *l,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	for (const struct ngc_directive *d = l->d->first; d != NULL && code == NGC_OK;
	     d = d->next)
		code = check_directive(c, d, err);
	if (code == NGC_OK && l->kind != NGC_LEVEL_HTTP)
		code = check_locations(c, l, err);
	for (l = l->first; l != NULL && code == NGC_OK; l = l->next)
		code = check_level(c, l, err);
	return code;
}

enum ngc_code conf_check(struct ngc_conf *conf, struct ngc_error *err)
{
	struct check c = { .conf = conf };
	enum ngc_code code = NGC_OK;

	if (conf->http != NULL)
		code = check_level(&c, conf->http, err);
	keyset_free(&c.keys);
	return code;
}
