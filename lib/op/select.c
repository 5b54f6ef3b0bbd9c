/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/select.h"

#include <stdlib.h>

#include "ngc/mem.h"
#include "ngc/units.h"
#include "select.h"

struct ngc_select *ngc_select_new(void)
{
	return calloc(1, sizeof(struct ngc_select));
}

static void filter_clear(struct filter *f)
{
	ngc_pattern_free(f->pattern);
	free(f->statuses);
}

static void selector_clear(struct selector *s)
{
	ngc_pattern_free(s->pattern);
	ngc_url_free(s->url);
}

void ngc_select_free(struct ngc_select *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n_selectors; i++)
		selector_clear(&s->selectors[i]);
	for (size_t i = 0; i < s->n_filters; i++)
		filter_clear(&s->filters[i]);
	free(s->selectors);
	free(s->filters);
	free(s);
}

size_t ngc_select_selectors(const struct ngc_select *s)
{
	return s->n_selectors;
}

size_t ngc_select_filters(const struct ngc_select *s)
{
	return s->n_filters;
}

bool ngc_select_only(const struct ngc_select *s, enum ngc_selector_kind kind)
{
	for (size_t i = 0; i < s->n_selectors; i++)
		if (s->selectors[i].kind != kind)
			return false;
	return s->n_selectors > 0;
}

/* A star that no backslash makes plain. */
static bool has_star(const char *text)
{
	for (; *text != '\0'; text++) {
		if (text[0] == '\\' && text[1] != '\0')
			text++;
		else if (*text == '*')
			return true;
	}
	return false;
}

/* A star behind a backslash is a star also in a URL that is no pattern. */
static enum ngc_code parse_url(const char *text, struct ngc_url **out, struct ngc_error *err)
{
	struct ngc_buf plain = { 0 };
	enum ngc_code code;

	for (; *text != '\0'; text++) {
		if (text[0] == '\\' && text[1] == '*')
			text++;
		ngc_buf_add_char(&plain, *text);
	}
	code = plain.failed ? ngc_no_memory(err)
			    : ngc_url_parse(ngc_buf_bytes(&plain), out, err);
	ngc_buf_free(&plain);
	return code;
}

/* A URL names one page; with a star, or without a host, it is a pattern. */
static enum ngc_code compile_url(struct selector *s, struct ngc_error *err)
{
	struct ngc_bytes text = ngc_bytes_of(s->text);

	if (has_star(s->text) || s->text[0] == '/')
		return url_pattern_compile(text, &s->pattern, err);
	return parse_url(s->text, &s->url, err);
}

static enum ngc_code compile_selector(struct selector *s, struct ngc_error *err)
{
	struct ngc_candidate_path parts;

	switch (s->kind) {
	case NGC_SELECT_URL:
		return compile_url(s, err);
	case NGC_SELECT_GLOB:
		return ngc_pattern_glob(ngc_bytes_of(s->text), &s->pattern, err);
	case NGC_SELECT_REGEX:
		return ngc_pattern_regex(ngc_bytes_of(s->text), &s->pattern, err);
	case NGC_SELECT_FILE:
		if (!ngc_candidate_split(s->text, &parts))
			return ngc_fail(err, NGC_INVALID, 0,
			    "'%s': not the name of a cache file (32 lower-case hex digits)",
			    s->text);
		return NGC_OK;
	case NGC_SELECT_KEY:
	case NGC_SELECT_ALL:
		break;
	}
	return NGC_OK;
}

enum ngc_code ngc_select_add(struct ngc_select *s, enum ngc_selector_kind kind, const char *text,
    struct ngc_error *err)
{
	struct selector one = { .kind = kind, .text = text };
	enum ngc_code code;

	if (!ngc_array_grow((void **)&s->selectors, s->n_selectors, &s->cap_selectors,
		sizeof(*s->selectors)))
		return ngc_no_memory(err);
	code = compile_selector(&one, err);
	if (code != NGC_OK) {
		selector_clear(&one);
		return code;
	}
	s->selectors[s->n_selectors++] = one;
	return NGC_OK;
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

static enum ngc_code compile_statuses(struct filter *f, struct ngc_error *err)
{
	struct ngc_bytes left = ngc_bytes_of(f->text);

	f->statuses = ngc_array_alloc(left.n / 2 + 1, sizeof(*f->statuses));
	if (f->statuses == NULL)
		return ngc_no_memory(err);
	for (;;) {
		const unsigned char *comma = left.n > 0 ? memchr(left.p, ',', left.n) : NULL;
		size_t n = comma != NULL ? (size_t)(comma - left.p) : left.n;

		if (!parse_status(ngc_bytes(left.p, n), &f->statuses[f->n_statuses++]))
			return ngc_fail(err, NGC_INVALID, 0,
			    "status '%s': expected 404, 3xx or 400-499, separated by commas",
			    f->text);
		if (comma == NULL)
			return NGC_OK;
		left = ngc_bytes_from(left, n + 1);
	}
}

/* "example.com", or "*.example.com" for its subdomains: nothing else is a wildcard. */
static enum ngc_code compile_host(struct filter *f, struct ngc_error *err)
{
	struct ngc_bytes host = ngc_bytes_of(f->text);
	struct ngc_buf re = { 0 };
	enum ngc_code code;

	if (host.n == 0 || strpbrk(f->text, "/ ") != NULL)
		return ngc_fail(err, NGC_INVALID, 0, "host '%s': expected a name", f->text);
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

static enum ngc_code compile_filter(struct filter *f, struct ngc_error *err)
{
	switch (f->kind) {
	case NGC_FILTER_HOST:
		return compile_host(f, err);
	case NGC_FILTER_STATUS:
		return compile_statuses(f, err);
	case NGC_FILTER_EXCLUDE:
		return ngc_pattern_glob(ngc_bytes_of(f->text), &f->pattern, err);
	case NGC_FILTER_EXPIRED:
	case NGC_FILTER_FRESH:
		break;
	}
	return NGC_OK;
}

enum ngc_code ngc_select_filter(struct ngc_select *s, enum ngc_filter_kind kind,
    const char *text, struct ngc_error *err)
{
	struct filter one = { .kind = kind, .text = text };
	enum ngc_code code;

	if (!ngc_array_grow((void **)&s->filters, s->n_filters, &s->cap_filters,
		sizeof(*s->filters)))
		return ngc_no_memory(err);
	code = compile_filter(&one, err);
	if (code != NGC_OK) {
		filter_clear(&one);
		return code;
	}
	s->filters[s->n_filters++] = one;
	return NGC_OK;
}
