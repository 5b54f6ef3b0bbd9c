/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/pattern.h"

#include <ctype.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* A hostile key must not stall a walk: some 20 ms of backtracking, then it is given up. */
#define MATCH_LIMIT 1000000

struct ngc_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

struct ngc_pattern_room {
	pcre2_match_data *data;
};

static enum ngc_code compile_failed(int error, size_t offset, struct ngc_bytes re,
    struct ngc_error *err)
{
	PCRE2_UCHAR text[128];

	pcre2_get_error_message(error, text, sizeof(text));
	return ngc_fail(err, NGC_INVALID, 0, "'%.*s': %s at offset %zu",
	    (int)(re.n < 200 ? re.n : 200), (const char *)re.p, (const char *)text, offset);
}

static enum ngc_code compile(struct ngc_bytes re, uint32_t options, struct ngc_pattern **out,
    struct ngc_error *err)
{
	struct ngc_pattern *p = calloc(1, sizeof(*p));
	size_t offset = 0;
	int error = 0;

	*out = NULL;
	if (p == NULL)
		return ngc_no_memory(err);
	p->code = pcre2_compile(re.p, re.n, options | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, &error,
	    &offset, NULL);
	p->limits = pcre2_match_context_create(NULL);
	if (p->code == NULL || p->limits == NULL) {
		ngc_pattern_free(p);
		return error != 0 && error != PCRE2_ERROR_NOMEMORY
			   ? compile_failed(error, offset, re, err)
			   : ngc_no_memory(err);
	}
	pcre2_set_match_limit(p->limits, MATCH_LIMIT);
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE); /* where there is none: interpreted */
	*out = p;
	return NGC_OK;
}

enum ngc_code ngc_pattern_regex(struct ngc_bytes re, struct ngc_pattern **out,
    struct ngc_error *err)
{
	return compile(re, 0, out, err);
}

void ngc_pattern_quote(struct ngc_buf *re, struct ngc_bytes literal)
{
	for (size_t i = 0; i < literal.n; i++) {
		unsigned char c = literal.p[i];

		if (c >= 0x80 || isalnum(c))
			ngc_buf_add_char(re, (char)c);
		else
			ngc_buf_printf(re, "\\x%02x", c);
	}
}

/* The end of a bracket expression that begins at s.p[0] == '['; 0: it is not closed. */
static size_t bracket_end(struct ngc_bytes s)
{
	size_t i = 1;

	if (i < s.n && (s.p[i] == '!' || s.p[i] == '^'))
		i++;
	if (i < s.n && s.p[i] == ']')
		i++;
	while (i < s.n && s.p[i] != ']')
		i++;
	return i < s.n ? i : 0;
}

/* [!a-c] -> [^\x61-\x63]; s is the expression with its brackets. */
static void bracket_to_regex(struct ngc_buf *re, struct ngc_bytes s)
{
	size_t i = 1;

	ngc_buf_add_char(re, '[');
	if (s.p[i] == '!' || s.p[i] == '^') {
		ngc_buf_add_char(re, '^');
		i++;
	}
	for (; i < s.n - 1; i++) {
		bool range = s.p[i] == '-' && i > 1 && i + 2 < s.n;

		ngc_buf_printf(re, range ? "-" : "\\x%02x", s.p[i]);
	}
	ngc_buf_add_char(re, ']');
}

/* How many braces that open in s are closed: an unclosed one is a plain character. */
static size_t braces_closed(struct ngc_bytes s)
{
	size_t open = 0, closed = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '{')
			open++;
		else if (s.p[i] == '}' && closed < open)
			closed++;
	}
	return open == closed ? closed : 0;
}

static void glob_to_regex(struct ngc_buf *re, struct ngc_bytes s)
{
	bool braces = braces_closed(s) > 0;
	size_t depth = 0;

	ngc_buf_add_str(re, "\\A(?:");
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = s.p[i];
		size_t end;

		if (c == '\\' && i + 1 < s.n) {
			ngc_pattern_quote(re, ngc_bytes(&s.p[++i], 1));
		} else if (c == '*') {
			ngc_buf_add_str(re, ".*");
		} else if (c == '?') {
			ngc_buf_add_char(re, '.');
		} else if (c == '[' && (end = bracket_end(ngc_bytes_from(s, i))) != 0) {
			bracket_to_regex(re, ngc_bytes(s.p + i, end + 1));
			i += end;
		} else if (c == '{' && braces) {
			ngc_buf_add_str(re, "(?:");
			depth++;
		} else if (c == '}' && depth > 0) {
			ngc_buf_add_char(re, ')');
			depth--;
		} else if (c == ',' && depth > 0) {
			ngc_buf_add_char(re, '|');
		} else {
			ngc_pattern_quote(re, ngc_bytes(&c, 1));
		}
	}
	ngc_buf_add_str(re, ")\\z");
}

static enum ngc_code compile_glob(struct ngc_bytes glob, uint32_t options,
    struct ngc_pattern **out, struct ngc_error *err)
{
	struct ngc_buf re = { 0 };
	enum ngc_code code;

	*out = NULL;
	glob_to_regex(&re, glob);
	code = re.failed ? ngc_no_memory(err) : compile(ngc_buf_bytes(&re), options, out, err);
	ngc_buf_free(&re);
	return code;
}

enum ngc_code ngc_pattern_glob(struct ngc_bytes glob, struct ngc_pattern **out,
    struct ngc_error *err)
{
	return compile_glob(glob, 0, out, err);
}

enum ngc_code ngc_pattern_glob_nocase(struct ngc_bytes glob, struct ngc_pattern **out,
    struct ngc_error *err)
{
	return compile_glob(glob, PCRE2_CASELESS, out, err);
}

void ngc_pattern_free(struct ngc_pattern *p)
{
	if (p == NULL)
		return;
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->limits);
	free(p);
}

struct ngc_pattern_room *ngc_pattern_room_new(void)
{
	struct ngc_pattern_room *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->data = pcre2_match_data_create(1, NULL);
	if (r->data == NULL) {
		free(r);
		return NULL;
	}
	return r;
}

void ngc_pattern_room_free(struct ngc_pattern_room *r)
{
	if (r == NULL)
		return;
	pcre2_match_data_free(r->data);
	free(r);
}

enum ngc_code ngc_pattern_match(const struct ngc_pattern *p, struct ngc_pattern_room *room,
    struct ngc_bytes subject, bool *matched, struct ngc_error *err)
{
	static const unsigned char empty[1];
	int r = pcre2_match(p->code, subject.p != NULL ? subject.p : empty, subject.n, 0, 0,
	    room->data, p->limits);
	PCRE2_UCHAR text[128];

	*matched = r >= 0;
	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return NGC_OK;
	if (r >= PCRE2_ERROR_UTF32_ERR2 && r <= PCRE2_ERROR_UTF8_ERR1)
		return NGC_OK; /* (*UTF): what is not UTF-8 does not match */
	pcre2_get_error_message(r, text, sizeof(text));
	return ngc_fail(err, NGC_DAMAGED, 0, "matching was given up: %s", (const char *)text);
}
