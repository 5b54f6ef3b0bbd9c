/* SPDX-License-Identifier: BSD-2-Clause */
#include "lexer.h"

/* nginx's ngx_conf_read_token(), one token a call. */

void lexer_init(struct lexer *l, const char *file, struct ngc_bytes text)
{
	*l = (struct lexer){ .file = file, .text = text, .line = 1, .word_line = 1 };
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum ngc_code unexpected(const struct lexer *l, unsigned char c,
    struct ngc_error *err)
{
	return ngc_fail(err, NGC_INVALID, 0, "%s:%u: unexpected \"%c\"", l->file, l->line,
	    c);
}

static enum ngc_code unexpected_end(const struct lexer *l, struct ngc_error *err)
{
	return ngc_fail(err, NGC_INVALID, 0,
	    "%s:%u: unexpected end of file, expecting \";\" or \"}\"", l->file, l->line);
}

static enum ngc_code too_long(const struct lexer *l, unsigned char quote,
    struct ngc_error *err)
{
	if (quote != 0)
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s:%u: too long parameter, probably missing terminating \"%c\" "
		    "character",
		    l->file, l->word_line, quote);
	return ngc_fail(err, NGC_INVALID, 0, "%s:%u: a word of more than %d bytes",
	    l->file, l->word_line, LEXER_WORD_MAX - 1);
}

/* Skip white space and comments; false at the end of the file. */
static bool skip_blanks(struct lexer *l)
{
	const unsigned char *p = l->text.p + l->pos, *end = l->text.p + l->text.n;

	for (; p < end; p++) {
		if (*p == ' ')
			continue;
		if (*p == '#')
			p = memchr(p, '\n', (size_t)(end - p));
		if (p == NULL)
			break;
		if (*p == '\n')
			l->line++;
		else if (!is_blank(*p))
			break;
	}
	l->pos = p != NULL ? (size_t)(p - l->text.p) : l->text.n;
	return l->pos < l->text.n;
}

/* Decode a word; escapes nginx does not know keep their backslash.  Its length. */
static size_t decode(struct ngc_bytes raw, unsigned char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < raw.n; i++) {
		unsigned char c = raw.p[i], next = i + 1 < raw.n ? raw.p[i + 1] : 0;

		if (c == '\\' && next != 0 && memchr("\"'\\trn", next, 6) != NULL) {
			i++;
			c = next == 't'   ? '\t'
			    : next == 'r' ? '\r'
			    : next == 'n' ? '\n'
					  : next;
		}
		to[n++] = c;
	}
	return n;
}

/*
 * What may end a word, or needs a closer look; most bytes of most words are none of
 * these.
 */
static const bool is_special[256] = { ['\0'] = true,
	['\n'] = true,
	['\t'] = true,
	['\r'] = true,
	[' '] = true,
	[';'] = true,
	['{'] = true,
	['$'] = true,
	['\\'] = true,
	['"'] = true,
	['\''] = true };

/*
 * Find the end of the word that begins at pos (behind its quote, if it has one) and leave
 * pos there.
 */
static enum ngc_code scan_word(struct lexer *l, unsigned char quote, bool *escaped,
    struct ngc_error *err)
{
	const unsigned char *text = l->text.p;
	size_t pos = l->pos, longest = pos + LEXER_WORD_MAX - (quote != 0);
	size_t end = longest < l->text.n ? longest : l->text.n;
	bool dollar = false; /* a '{' after '$' is part of the word */

	for (;; pos++) {
		unsigned char c;

		while (pos < end && !is_special[text[pos]]) {
			dollar = false;
			pos++;
		}
		l->pos = pos;
		if (pos >= l->text.n)
			return unexpected_end(l, err);
		if (pos >= longest)
			return too_long(l, quote, err);
		c = text[pos];
		if (c == '{' && dollar)
			continue;
		if (quote != 0 ? c == quote : is_blank(c) || c == ';' || c == '{')
			return NGC_OK;
		dollar = c == '$';
		if (c == '\\') {
			*escaped = true;
			c = ++pos < l->text.n ? text[pos] : '\\';
		}
		if (c == '\0')
			return ngc_fail(err, NGC_INVALID, 0, "%s:%u: a NUL byte", l->file,
			    l->word_line);
		l->line += c == '\n';
	}
}

/* What stands after a word: only these may. */
static enum ngc_code end_word(struct lexer *l, unsigned char quote, struct ngc_error *err)
{
	unsigned char c = l->text.p[l->pos++];

	if (quote != 0) {
		if (l->pos >= l->text.n)
			return unexpected_end(l, err);
		c = l->text.p[l->pos];
		if (c == ')') /* it begins the next word */
			return NGC_OK;
		if (!is_blank(c) && c != ';' && c != '{')
			return unexpected(l, c, err);
		l->pos++;
	}
	l->line += c == '\n';
	l->held = c == ';' || c == '{' ? c : 0;
	return NGC_OK;
}

static enum ngc_code read_word(struct lexer *l, struct ngc_arena *a,
    struct ngc_bytes *word, struct ngc_error *err)
{
	unsigned char c = l->text.p[l->pos], quote = c == '"' || c == '\'' ? c : 0;
	struct ngc_bytes raw;
	bool escaped = false;
	enum ngc_code code;

	if (l->to == NULL)
		l->to = ngc_arena_alloc(a, l->text.n, 1);
	if (l->to == NULL)
		return ngc_no_memory(err);
	l->word_line = l->line;
	l->pos += quote != 0;
	raw.p = l->text.p + l->pos;
	code = scan_word(l, quote, &escaped, err);
	if (code != NGC_OK)
		return code;
	raw.n = (size_t)(l->text.p + l->pos - raw.p);
	*word = ngc_bytes(l->to, raw.n);
	if (escaped)
		word->n = decode(raw, l->to);
	else
		memcpy(l->to, raw.p, raw.n);
	l->to += word->n + 1;
	return end_word(l, quote, err);
}

enum ngc_code lexer_next(struct lexer *l, struct ngc_arena *a, bool first,
    enum token *out, struct ngc_bytes *word, struct ngc_error *err)
{
	unsigned char c = l->held;

	l->held = 0;
	*out = TOKEN_END;
	if (c == 0) {
		if (!skip_blanks(l))
			return first ? NGC_OK : unexpected_end(l, err);
		c = l->text.p[l->pos];
		if (c != ';' && c != '{' && c != '}') {
			*out = TOKEN_WORD;
			return read_word(l, a, word, err);
		}
		l->pos++;
	}
	if (first != (c == '}'))
		return unexpected(l, c, err);
	*out = c == ';' ? TOKEN_STOP : c == '{' ? TOKEN_OPEN : TOKEN_CLOSE;
	return NGC_OK;
}

/* The level of a Lua long bracket "[==[" at pos, or -1. */
static int long_bracket(struct ngc_bytes t, size_t pos)
{
	int level = 0;

	if (pos >= t.n || t.p[pos] != '[')
		return -1;
	for (pos++; pos < t.n && t.p[pos] == '='; pos++)
		level++;
	return pos < t.n && t.p[pos] == '[' ? level : -1;
}

/*
 * Move behind the "]==]" that closes a long bracket; at the end of the text if none does.
 */
static size_t skip_long(struct ngc_bytes t, size_t pos, int level)
{
	for (pos += (size_t)level + 2; pos < t.n; pos++) {
		size_t i = pos + 1;

		if (t.p[pos] != ']')
			continue;
		while (i < t.n && t.p[i] == '=')
			i++;
		if (i < t.n && t.p[i] == ']' && i - pos - 1 == (size_t)level)
			return i + 1;
	}
	return t.n;
}

static size_t skip_string(struct ngc_bytes t, size_t pos)
{
	unsigned char quote = t.p[pos];

	for (pos++; pos < t.n && t.p[pos] != quote; pos++)
		if (t.p[pos] == '\\')
			pos++;
	return pos < t.n ? pos + 1 : t.n;
}

/* Behind whatever begins at pos: a string, a comment, or one character. */
static size_t skip_lua(struct ngc_bytes t, size_t pos)
{
	int level = long_bracket(t, pos);

	if (level >= 0)
		return skip_long(t, pos, level);
	if (t.p[pos] == '"' || t.p[pos] == '\'')
		return skip_string(t, pos);
	if (t.p[pos] != '-' || pos + 1 >= t.n || t.p[pos + 1] != '-')
		return pos + 1;
	level = long_bracket(t, pos + 2);
	if (level >= 0)
		return skip_long(t, pos + 2, level);
	while (pos < t.n && t.p[pos] != '\n')
		pos++;
	return pos;
}

enum ngc_code lexer_lua(struct lexer *l, struct ngc_bytes *body, struct ngc_error *err)
{
	size_t start = l->pos, pos = start, depth = 1;

	while (pos < l->text.n) {
		unsigned char c = l->text.p[pos];

		if (c == '{')
			depth++;
		else if (c == '}' && --depth == 0)
			break;
		pos = skip_lua(l->text, pos);
	}
	if (pos >= l->text.n)
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s:%u: a Lua block without its closing \"}\"", l->file, l->line);
	for (size_t i = start; i < pos; i++)
		if (l->text.p[i] == '\n')
			l->line++;
	l->pos = pos + 1;
	*body = ngc_bytes(l->text.p + start, pos - start);
	return NGC_OK;
}
