/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* A hostile key must not stall a walk: some 20 ms of backtracking, then it is given up.
 */
#define MATCH_LIMIT 1000000

struct ngc_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	uint32_t captures; /* pairs of parentheses that catch */
};

struct ngc_pattern_room {
	pcre2_match_data *data;
};

/* offset: where it is wrong; NULL for a pattern that was translated. */
static enum ngc_code compile_failed(int error, struct ngc_bytes shown,
    const size_t *offset, struct ngc_error *err)
{
	PCRE2_UCHAR text[128];
	char where[32] = "";

	pcre2_get_error_message(error, text, sizeof(text));
	if (offset != NULL)
		snprintf(where, sizeof(where), " at offset %zu", *offset);
	return ngc_fail(err, NGC_INVALID, 0, "'%.*s': %s%s",
	    (int)(shown.n < 200 ? shown.n : 200), (const char *)shown.p,
	    (const char *)text, where);
}

/* shown: what the user wrote, of which re was made. */
static enum ngc_code compile(struct ngc_bytes re, struct ngc_bytes shown,
    uint32_t options, struct ngc_pattern **out, struct ngc_error *err)
{
	struct ngc_pattern *p = calloc(1, sizeof(*p));
	size_t offset = 0;
	int error = 0;

	*out = NULL;
	if (p == NULL)
		return ngc_no_memory(err);
	p->code = pcre2_compile(re.p, re.n, options | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY,
	    &error, &offset, NULL);
	p->limits = pcre2_match_context_create(NULL);
	if (p->code == NULL || p->limits == NULL) {
		bool wrong = p->code == NULL && error != PCRE2_ERROR_HEAP_FAILED;

		ngc_pattern_free(p);
		return wrong ? compile_failed(error, shown,
				   re.p == shown.p ? &offset : NULL, err)
			     : ngc_no_memory(err);
	}
	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &p->captures);
	pcre2_set_match_limit(p->limits, MATCH_LIMIT);
	pcre2_jit_compile(p->code,
	    PCRE2_JIT_COMPLETE); /* where there is none: interpreted */
	*out = p;
	return NGC_OK;
}

enum ngc_code ngc_pattern_regex(struct ngc_bytes re, struct ngc_pattern **out,
    struct ngc_error *err)
{
	return compile(re, re, 0, out, err);
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
	for (; i < s.n && s.p[i] != ']'; i++)
		if (s.p[i] == '\\')
			i++;
	return i < s.n ? i : 0;
}

/*
 * How many bytes at the start of a shell pattern belong together: an escaped one, a
 * bracket expression, or just one.  *brackets: there may be more of these; without a ']'
 * there are not.
 */
static size_t token_length(struct ngc_bytes s, bool *brackets)
{
	size_t end;

	if (s.p[0] == '\\' && s.n > 1)
		return 2;
	if (s.p[0] != '[' || !*brackets)
		return 1;
	end = bracket_end(s);
	*brackets = end > 0;
	return end + 1;
}

/* One member of a bracket expression; returns the bytes it took. */
static size_t member_to_regex(struct ngc_buf *re, struct ngc_bytes s)
{
	size_t n = s.p[0] == '\\' && s.n > 1 ? 2 : 1;

	ngc_buf_printf(re, "\\x%02x", s.p[n - 1]);
	return n;
}

/* [!a-c] -> [^\x61-\x63]; s is the expression with its brackets. */
static void bracket_to_regex(struct ngc_buf *re, struct ngc_bytes s)
{
	bool negated = s.p[1] == '!' || s.p[1] == '^';
	struct ngc_bytes left = ngc_bytes(s.p + 1 + negated, s.n - 2 - negated);

	ngc_buf_add_str(re, negated ? "[^" : "[");
	while (left.n > 0) {
		left = ngc_bytes_from(left, member_to_regex(re, left));
		if (left.n < 2 || left.p[0] != '-')
			continue;
		ngc_buf_add_char(re, '-');
		left = ngc_bytes_from(left, 1);
		left = ngc_bytes_from(left, member_to_regex(re, left));
	}
	ngc_buf_add_char(re, ']');
}

struct brace {
	size_t at;
	bool comma;
};

/* Set paired for the braces that are closed and hold a comma; others are plain, as in a
 * shell. */
static void pair_braces(struct ngc_bytes s, struct brace *open, bool *paired)
{
	bool brackets = true;
	size_t n = 0;

	for (size_t i = 0; i < s.n; i += token_length(ngc_bytes_from(s, i), &brackets)) {
		if (s.p[i] == '{') {
			open[n++] = (struct brace){ i, false };
		} else if (s.p[i] == ',' && n > 0) {
			open[n - 1].comma = true;
		} else if (s.p[i] == '}' && n > 0) {
			n--;
			paired[i] = paired[open[n].at] = open[n].comma;
		}
	}
}

static void plain_to_regex(struct ngc_buf *re, unsigned char c, bool paired,
    size_t *depth)
{
	if (c == '*') {
		ngc_buf_add_str(re, ".*");
	} else if (c == '?') {
		ngc_buf_add_char(re, '.');
	} else if (c == '{' && paired) {
		ngc_buf_add_str(re, "(?:");
		++*depth;
	} else if (c == '}' && paired) {
		ngc_buf_add_char(re, ')');
		--*depth;
	} else if (c == ',' && *depth > 0) {
		ngc_buf_add_char(re, '|');
	} else {
		ngc_pattern_quote(re, ngc_bytes(&c, 1));
	}
}

static void glob_to_regex(struct ngc_buf *re, struct ngc_bytes s, const bool *paired)
{
	bool brackets = true;
	size_t depth = 0, n;

	ngc_buf_add_str(re, "\\A(?:");
	for (size_t i = 0; i < s.n; i += n) {
		n = token_length(ngc_bytes_from(s, i), &brackets);
		if (n == 1)
			plain_to_regex(re, s.p[i], paired[i], &depth);
		else if (s.p[i] == '[')
			bracket_to_regex(re, ngc_bytes(s.p + i, n));
		else
			ngc_pattern_quote(re, ngc_bytes(s.p + i + 1, 1));
	}
	ngc_buf_add_str(re, ")\\z");
}

static enum ngc_code compile_glob(struct ngc_bytes glob, uint32_t options,
    struct ngc_pattern **out, struct ngc_error *err)
{
	struct brace *open = ngc_array_alloc(glob.n, sizeof(*open));
	bool *paired = ngc_array_alloc(glob.n, sizeof(*paired));
	struct ngc_buf re = { .failed = open == NULL || paired == NULL };
	enum ngc_code code;

	*out = NULL;
	if (!re.failed) {
		pair_braces(glob, open, paired);
		glob_to_regex(&re, glob, paired);
	}
	code = re.failed ? ngc_no_memory(err)
			 : compile(ngc_buf_bytes(&re), glob, options, out, err);
	free(open);
	free(paired);
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
	r->data = pcre2_match_data_create(2, NULL);
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

enum ngc_code ngc_pattern_match(const struct ngc_pattern *p,
    struct ngc_pattern_room *room, struct ngc_bytes subject, bool *matched,
    struct ngc_error *err)
{
	const unsigned char *s = subject.p != NULL ? subject.p
						   : (const unsigned char *)"";
	int r = pcre2_match(p->code, s, subject.n, 0, 0, room->data, p->limits);
	PCRE2_UCHAR text[128];

	if (r == PCRE2_ERROR_JIT_STACKLIMIT) /* the interpreter has the heap */
		r = pcre2_match(p->code, s, subject.n, 0, PCRE2_NO_JIT, room->data,
		    p->limits);
	*matched = r >= 0;
	if (r >= 0 || r == PCRE2_ERROR_NOMATCH)
		return NGC_OK;
	if (r >= PCRE2_ERROR_UTF32_ERR2 && r <= PCRE2_ERROR_UTF8_ERR1)
		return NGC_OK; /* (*UTF): what is not UTF-8 does not match */
	pcre2_get_error_message(r, text, sizeof(text));
	return ngc_fail(err, NGC_DAMAGED, 0, "matching was given up: %s",
	    (const char *)text);
}

enum ngc_code ngc_pattern_capture(const struct ngc_pattern *p,
    struct ngc_pattern_room *room, struct ngc_bytes subject, struct ngc_bytes *out,
    struct ngc_error *err)
{
	size_t pair = p->captures > 0;
	const size_t *at = pcre2_get_ovector_pointer(room->data) + 2 * pair;
	bool matched;
	enum ngc_code code = ngc_pattern_match(p, room, subject, &matched, err);

	*out = ngc_bytes(NULL, 0);
	/* With \K in a lookahead, a match may end in front of where it starts. */
	if (code == NGC_OK && matched && at[0] != PCRE2_UNSET && at[0] <= at[1])
		*out = ngc_bytes(subject.p + at[0], at[1] - at[0]);
	return code;
}
