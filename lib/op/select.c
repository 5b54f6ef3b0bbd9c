/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/select.h"

#include <stdlib.h>

#include "ngc/mem.h"
#include "select.h"

struct ngc_select *ngc_select_new(void)
{
	return calloc(1, sizeof(struct ngc_select));
}

static void selector_clear(struct selector *s)
{
	ngc_pattern_free(s->pattern);
	ngc_pattern_free(s->around);
	ngc_url_free(s->url);
	ngc_url_free(s->path);
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
	free(s->tag_headers);
	ngc_arena_free(s->arena);
	free(s);
}

void ngc_select_scope(struct ngc_select *s, const struct ngc_scope *scope)
{
	s->scope = *scope;
}

size_t ngc_select_selectors(const struct ngc_select *s)
{
	return s->n_selectors;
}

bool ngc_select_is_empty(const struct ngc_select *s)
{
	return select_takes_all(s) && s->n_filters == 0;
}

bool select_takes_strays(const struct ngc_select *s)
{
	bool all = select_takes_all(s);

	for (size_t i = 0; i < s->n_selectors && !all; i++)
		all = s->selectors[i].kind == NGC_SELECT_ALL;
	return all && s->n_filters == 0;
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
static enum ngc_code parse_url(const char *text, struct ngc_url **out,
    struct ngc_error *err)
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

/*
 * A path is a pattern over the URLs that keys tell, and has keys that tell none; not one
 * that no request can have.
 */
static enum ngc_code compile_path(struct selector *s, struct ngc_error *err)
{
	enum ngc_code code = url_pattern_compile(ngc_bytes_of(s->text), &s->scope,
	    &s->pattern, err);

	if (code == NGC_OK)
		code = parse_url(s->text, &s->path, err);
	return code == NGC_INVALID && s->pattern != NULL ? NGC_OK : code;
}

/* A URL names one page; with a star, or without a host, it is a pattern. */
static enum ngc_code compile_url(struct selector *s, struct ngc_error *err)
{
	struct ngc_bytes text = ngc_bytes_of(s->text);
	enum ngc_code code;

	if (has_star(s->text))
		return url_pattern_compile(text, &s->scope, &s->pattern, err);
	if (s->text[0] == '/')
		return compile_path(s, err);
	code = parse_url(s->text, &s->url, err);
	if (code == NGC_OK && (s->scope.recursive || s->scope.any_host))
		code = url_pattern_around(s->url, &s->scope, &s->around, err);
	return code;
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
			    "'%s': not the name of a cache file (32 lower-case hex "
			    "digits)",
			    s->text);
		return NGC_OK;
	case NGC_SELECT_TAG:
		if (s->text[0] == '\0' || strpbrk(s->text, " ,\t") != NULL)
			return ngc_fail(err, NGC_INVALID, 0,
			    "tag '%s': expected one word without blanks and commas",
			    s->text);
		return NGC_OK;
	case NGC_SELECT_KEY:
	case NGC_SELECT_ALL:
		break;
	}
	return NGC_OK;
}

enum ngc_code ngc_select_add(struct ngc_select *s, enum ngc_selector_kind kind,
    const char *text, struct ngc_error *err)
{
	struct selector one = { .kind = kind, .text = text, .scope = s->scope };
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

enum ngc_code ngc_select_tag_header(struct ngc_select *s, const char *name,
    struct ngc_error *err)
{
	/* One more than there are: the list ends with NULL. */
	if (!ngc_array_grow((void **)&s->tag_headers, s->n_tag_headers + 1,
		&s->cap_tag_headers, sizeof(*s->tag_headers)))
		return ngc_no_memory(err);
	s->tag_headers[s->n_tag_headers++] = name;
	s->tag_headers[s->n_tag_headers] = NULL;
	return NGC_OK;
}

const char *const *ngc_select_tag_headers(const struct ngc_select *s)
{
	return s != NULL ? s->tag_headers : NULL;
}
