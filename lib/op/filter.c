/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <stdlib.h>

#include "ngc/mem.h"
#include "ngc/units.h"

/*
 * A filter is compiled once and asked about each entry.  The table at the end of this
 * file says how, and how several filters of a kind go together.
 */

void filter_clear(struct filter *f)
{
	ngc_pattern_free(f->pattern);
	free(f->statuses);
}

/* "404", "3xx", "400-499" */
static bool parse_status(struct ngc_bytes s, struct status_range *out)
{
	int64_t low, high;

	if (s.n == 3 && s.p[0] >= '1' && s.p[0] <= '9' && memcmp(s.p + 1, "xx", 2) == 0) {
		out->low = (s.p[0] - '0') * 100;
		out->high = out->low + 99;
		return true;
	}
	if (s.n == 3 && ngc_parse_number(s, &low)) {
		out->low = out->high = (int)low;
		return true;
	}
	if (s.n != 7 || s.p[3] != '-' || !ngc_parse_number(ngc_bytes(s.p, 3), &low) ||
	    !ngc_parse_number(ngc_bytes(s.p + 4, 3), &high) || low > high)
		return false;
	out->low = (int)low;
	out->high = (int)high;
	return true;
}

static enum ngc_code compile_statuses(struct filter *f, int64_t now,
    struct ngc_error *err)
{
	struct ngc_bytes left = ngc_bytes_of(f->text);

	(void)now;
	f->statuses = ngc_array_alloc(left.n / 2 + 1, sizeof(*f->statuses));
	if (f->statuses == NULL)
		return ngc_no_memory(err);
	for (;;) {
		const unsigned char *comma = left.n > 0 ? memchr(left.p, ',', left.n)
							: NULL;
		size_t n = comma != NULL ? (size_t)(comma - left.p) : left.n;

		if (!parse_status(ngc_bytes(left.p, n), &f->statuses[f->n_statuses++]))
			return ngc_fail(err, NGC_INVALID, 0,
			    "status '%s': expected 404, 3xx or 400-499, separated by "
			    "commas",
			    f->text);
		if (comma == NULL)
			return NGC_OK;
		left = ngc_bytes_from(left, n + 1);
	}
}

/* "example.com", or "*.example.com" for its subdomains: nothing else is a wildcard. */
static enum ngc_code compile_host(struct filter *f, int64_t now, struct ngc_error *err)
{
	struct ngc_bytes host = ngc_bytes_of(f->text);
	struct ngc_buf re = { 0 };
	enum ngc_code code;

	(void)now;
	if (host.n == 0 || strpbrk(f->text, "/ ") != NULL)
		return ngc_fail(err, NGC_INVALID, 0, "host '%s': expected a name",
		    f->text);
	ngc_buf_add_str(&re, "\\A(?i:");
	if (ngc_bytes_starts(host, ngc_bytes_of("*."))) {
		ngc_buf_add_str(&re, ".+");
		host = ngc_bytes_from(host, 1);
	}
	ngc_pattern_quote(&re, host);
	ngc_buf_add_str(&re, ")\\z");
	code = re.failed ? ngc_no_memory(err)
			 : ngc_pattern_regex(ngc_buf_bytes(&re), &f->pattern, err);
	ngc_buf_free(&re);
	return code;
}

static enum ngc_code compile_nothing(struct filter *f, int64_t now, struct ngc_error *err)
{
	(void)f;
	(void)now;
	(void)err;
	return NGC_OK;
}

static enum ngc_code compile_exclude(struct filter *f, int64_t now, struct ngc_error *err)
{
	(void)now;
	return ngc_pattern_glob(ngc_bytes_of(f->text), &f->pattern, err);
}

static enum ngc_code compile_method(struct filter *f, int64_t now, struct ngc_error *err)
{
	(void)now;
	f->name = ngc_bytes_of(f->text);
	return f->name.n > 0 ? NGC_OK
			     : ngc_fail(err, NGC_INVALID, 0, "method: expected a name");
}

static enum ngc_code compile_type(struct filter *f, int64_t now, struct ngc_error *err)
{
	(void)now;
	return ngc_pattern_glob_nocase(ngc_bytes_of(f->text), &f->pattern, err);
}

/* "NAME: GLOB" */
static enum ngc_code compile_header(struct filter *f, int64_t now, struct ngc_error *err)
{
	const char *colon = strchr(f->text, ':'), *value;

	(void)now;
	if (colon == NULL || colon == f->text)
		return ngc_fail(err, NGC_INVALID, 0, "header '%s': expected NAME: GLOB",
		    f->text);
	f->name = ngc_bytes(f->text, (size_t)(colon - f->text));
	value = colon + 1;
	value += strspn(value, " \t");
	return ngc_pattern_glob(ngc_bytes_of(value), &f->pattern, err);
}

static enum ngc_code compile_size(struct filter *f, int64_t now, struct ngc_error *err)
{
	(void)now;
	if (ngc_parse_offset(ngc_bytes_of(f->text), &f->number))
		return NGC_OK;
	return ngc_fail(err, NGC_INVALID, 0,
	    "size '%s': expected a number like 512k, 10m or 2g", f->text);
}

static enum ngc_code compile_age(struct filter *f, int64_t now, struct ngc_error *err)
{
	(void)now;
	if (ngc_parse_seconds(ngc_bytes_of(f->text), &f->number))
		return NGC_OK;
	return ngc_fail(err, NGC_INVALID, 0,
	    "time '%s': expected one like 90, 10m, 1h 30m or 7d", f->text);
}

static enum ngc_code compile_instant(struct filter *f, int64_t now, struct ngc_error *err)
{
	if (ngc_parse_instant(ngc_bytes_of(f->text), now, &f->number))
		return NGC_OK;
	return ngc_fail(err, NGC_INVALID, 0,
	    "time '%s': expected Unix seconds, 2026-11-30T12:00:00Z or now", f->text);
}

/* Where keys carry no host: the only server that can have written them. */
static enum ngc_code ask_writer(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	struct ngc_writer w;

	ngc_route_writer(judge_reading(j), &w);
	for (size_t i = 0; i < w.n && !*held && code == NGC_OK; i++)
		code = judge_match(j, f->pattern, w.names[i], f->text, held, err);
	return code;
}

static enum ngc_code ask_host(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_reading *r = judge_reading(j);

	if (!r->host_certain)
		return NGC_OK;
	if (r->host.p == NULL)
		return ask_writer(j, f, held, err);
	return judge_match(j, f->pattern, ngc_host_without_port(r->host), f->text, held,
	    err);
}

/* The stored response; what is there of a header that is cut counts. */
static enum ngc_code response(struct judge *j, const struct ngc_response **out,
    struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_response(j->e, err);

	*out = &j->e->response;
	return code == NGC_DAMAGED ? NGC_OK : code;
}

static enum ngc_code ask_status(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_response *r;
	enum ngc_code code = response(j, &r, err);

	for (size_t i = 0; code == NGC_OK && i < f->n_statuses; i++)
		*held |= r->status >= f->statuses[i].low &&
			 r->status <= f->statuses[i].high;
	return code;
}

static enum ngc_code ask_expired(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)f;
	(void)err;
	*held = ngc_header_state(&j->e->header, j->now) != NGC_FRESH;
	return NGC_OK;
}

static enum ngc_code ask_fresh(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)f;
	(void)err;
	*held = ngc_header_state(&j->e->header, j->now) == NGC_FRESH;
	return NGC_OK;
}

static enum ngc_code ask_exclude(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	return judge_match(j, f->pattern, j->e->header.key, f->text, held, err);
}

static enum ngc_code ask_method(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_reading *r = judge_reading(j);

	(void)err;
	*held = r->method.p != NULL && ngc_bytes_equal(r->method, f->name);
	return NGC_OK;
}

static enum ngc_code ask_type(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_response *r;
	enum ngc_code code = response(j, &r, err);
	struct ngc_bytes type;

	if (code != NGC_OK)
		return code;
	type = ngc_response_media_type(r);
	return type.p == NULL ? NGC_OK
			      : judge_match(j, f->pattern, type, f->text, held, err);
}

static enum ngc_code ask_header(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_response *r;
	enum ngc_code code = response(j, &r, err);
	struct ngc_bytes name, value;
	size_t pos = 0;

	while (code == NGC_OK && !*held && ngc_response_next(r, &pos, &name, &value))
		if (ngc_bytes_same(name, f->name))
			code = judge_match(j, f->pattern, value, f->text, held, err);
	return code;
}

static enum ngc_code ask_larger(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_stat(j->e, err);

	*held = code == NGC_OK && j->e->size > f->number;
	return code;
}

static enum ngc_code ask_smaller(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_stat(j->e, err);

	*held = code == NGC_OK && j->e->size < f->number;
	return code;
}

/* now - age, saturated: an age may be longer than all time. */
static int64_t before_now(const struct judge *j, int64_t age)
{
	int64_t t;

	return __builtin_sub_overflow(j->now, age, &t) ? INT64_MIN : t;
}

static enum ngc_code ask_older(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)err;
	*held = j->e->header.date < before_now(j, f->number);
	return NGC_OK;
}

static enum ngc_code ask_newer(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)err;
	*held = j->e->header.date > before_now(j, f->number);
	return NGC_OK;
}

static enum ngc_code ask_before(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)err;
	*held = j->e->header.date <= f->number;
	return NGC_OK;
}

static enum ngc_code ask_since(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)err;
	*held = j->e->header.date >= f->number;
	return NGC_OK;
}

static enum ngc_code ask_variant(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	(void)f;
	(void)err;
	*held = ngc_header_is_variant(&j->e->header, j->e->name);
	return NGC_OK;
}

/* How several filters of a kind go together. */
enum together { ALL, ANY, NONE };

static const struct filter_type {
	enum ngc_filter_kind kind;
	enum together together;
	enum ngc_code (*compile)(struct filter *f, int64_t now, struct ngc_error *err);
	/* Sets *held, which is false, when the entry in hand is such a one. */
	enum ngc_code (*ask)(struct judge *j, const struct filter *f, bool *held,
	    struct ngc_error *err);
} types[NGC_FILTERS] = { /* in the order of their cost */
	{ NGC_FILTER_EXPIRED, ALL, compile_nothing, ask_expired },
	{ NGC_FILTER_FRESH, ALL, compile_nothing, ask_fresh },
	{ NGC_FILTER_OLDER, ALL, compile_age, ask_older },
	{ NGC_FILTER_NEWER, ALL, compile_age, ask_newer },
	{ NGC_FILTER_CACHED_BEFORE, ALL, compile_instant, ask_before },
	{ NGC_FILTER_CACHED_SINCE, ALL, compile_instant, ask_since },
	{ NGC_FILTER_VARIANTS, ALL, compile_nothing, ask_variant },
	{ NGC_FILTER_EXCLUDE, NONE, compile_exclude, ask_exclude },
	{ NGC_FILTER_METHOD, ANY, compile_method, ask_method },
	{ NGC_FILTER_HOST, ANY, compile_host, ask_host },
	{ NGC_FILTER_LIMIT_HOST, ANY, compile_host, limit_ask },
	{ NGC_FILTER_LARGER, ALL, compile_size, ask_larger },
	{ NGC_FILTER_SMALLER, ALL, compile_size, ask_smaller },
	{ NGC_FILTER_STATUS, ANY, compile_statuses, ask_status },
	{ NGC_FILTER_TYPE, ANY, compile_type, ask_type },
	{ NGC_FILTER_HEADER, ALL, compile_header, ask_header },
};

enum ngc_code ngc_select_filter(struct ngc_select *s, enum ngc_filter_kind kind,
    const char *text, int64_t now, struct ngc_error *err)
{
	struct filter one = { .kind = kind, .text = text };
	const struct filter_type *type = types;
	enum ngc_code code;

	if (!ngc_array_grow((void **)&s->filters, s->n_filters, &s->cap_filters,
		sizeof(*s->filters)))
		return ngc_no_memory(err);
	while (type->kind != kind)
		type++;
	code = type->compile(&one, now, err);
	if (code != NGC_OK) {
		filter_clear(&one);
		return code;
	}
	s->filters[s->n_filters++] = one;
	return NGC_OK;
}

/* Do the filters of one kind, together, let the entry pass? */
static enum ngc_code ask_type_of(struct judge *j, const struct filter_type *type,
    bool *passes, struct ngc_error *err)
{
	size_t asked = 0, held = 0;

	for (size_t i = 0; i < j->select->n_filters; i++) {
		const struct filter *f = &j->select->filters[i];
		enum ngc_code code;
		bool one = false;

		if (f->kind != type->kind)
			continue;
		code = type->ask(j, f, &one, err);
		if (code != NGC_OK)
			return code;
		asked++;
		held += one;
	}
	*passes = type->together == ALL ? held == asked
		: type->together == ANY ? held > 0 || asked == 0
					: held == 0;
	return NGC_OK;
}

enum ngc_code judge_filters(struct judge *j, bool *held, struct ngc_error *err)
{
	*held = j->select->n_filters == 0 || !j->e->damaged;
	for (size_t i = 0; *held && j->select->n_filters > 0 && i < NGC_FILTERS; i++) {
		enum ngc_code code = ask_type_of(j, &types[i], held, err);

		if (code != NGC_OK)
			return code;
	}
	return NGC_OK;
}
