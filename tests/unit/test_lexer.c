/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/conf/lexer.h"

#include "unit.h"

/* The tokens of a text: words in <>, then ; { } and . for the end, ! for an error. */
static const char *tokens(struct ngc_bytes text, struct ngc_buf *out)
{
	struct ngc_arena *a = ngc_arena_new();
	struct ngc_error err;
	struct ngc_bytes word;
	struct lexer l;
	enum token t;
	bool first = true;

	out->n = 0;
	lexer_init(&l, "f", text);
	do {
		if (lexer_next(&l, a, first, &t, &word, &err) != NGC_OK) {
			ngc_buf_printf(out, "! %s", err.text);
			break;
		}
		if (t == TOKEN_WORD)
			ngc_buf_printf(out, "<%.*s>", (int)word.n, (const char *)word.p);
		else
			ngc_buf_add_char(out, ".w;{}"[t]);
		first = t != TOKEN_WORD;
	} while (t != TOKEN_END);
	ngc_arena_free(a);
	return ngc_buf_str(out);
}

struct lexer_case {
	const char *text, *want;
};

static void check_all(const struct lexer_case *c)
{
	struct ngc_buf b = { 0 };

	for (; c->text != NULL; c++)
		ck_assert_str_eq(tokens(ngc_bytes_of(c->text), &b), c->want);
	ngc_buf_free(&b);
}

START_TEST(words_end_where_nginx_ends_them)
{
	static const struct lexer_case cases[] = {
		{ "", "." },
		{ "a b;c{d;}", "<a><b>;<c>{<d>;}." },
		{ "a\t\r\nb ;", "<a><b>;." },
		{ "a\fb\vc\xc2\xa0"
		  "d;",
		    "<a\fb\vc\xc2\xa0"
		    "d>;." },
		{ "a#b #c\n;", "<a#b>;." },
		{ "# only a comment", "." },
		{ "a}b;", "<a}b>;." },
		{ "a\"b\"c;", "<a\"b\"c>;." },
		{ "x ${uri}y \\.php${;", "<x><${uri}y><\\.php${>;." },
		{ "x $a{;}", "<x><$a>{! f:1: unexpected \";\"" },
		{ "a ( $b = \"x\") {", "<a><(><$b><=><x><)>{." },
		{ "a \"\" '';", "<a><><>;." },
		{ "\"a;{}#\" 'b\nc';", "<a;{}#><b\nc>;." },
		{ NULL, NULL },
	};

	check_all(cases);
}
END_TEST

START_TEST(escapes_are_decoded_alike_in_all_words)
{
	static const struct lexer_case cases[] = {
		{ "a\\tb \"a\\tb\" 'a\\tb';", "<a\tb><a\tb><a\tb>;." },
		{ "a\\ b a\\;b a\\{b;", "<a\\ b><a\\;b><a\\{b>;." },
		{ "\"a\\\"b\" 'a\\'b' a\\\\b;", "<a\"b><a'b><a\\b>;." },
		{ "\\d\\.\\x41\\$;", "<\\d\\.\\x41\\$>;." },
		{ "\\#x \"#x\";", "<\\#x><#x>;." },
		{ "a\\n\\r;", "<a\n\r>;." },
		{ NULL, NULL },
	};

	check_all(cases);
}
END_TEST

START_TEST(errors_name_their_line)
{
	static const struct lexer_case cases[] = {
		{ ";", "! f:1: unexpected \";\"" },
		{ "\n{", "! f:2: unexpected \"{\"" },
		{ "a }", "<a>! f:1: unexpected \"}\"" },
		{ "\"a\"b;", "! f:1: unexpected \"b\"" },
		{ "'it''s';", "! f:1: unexpected \"'\"" },
		{ "a\n", "<a>! f:2: unexpected end of file, expecting \";\" or \"}\"" },
		{ "a", "! f:1: unexpected end of file, expecting \";\" or \"}\"" },
		{ "a \"b", "<a>! f:1: unexpected end of file, expecting \";\" or \"}\"" },
		{ "a 'b'", "<a>! f:1: unexpected end of file, expecting \";\" or \"}\"" },
		{ "a \\", "<a>! f:1: unexpected end of file, expecting \";\" or \"}\"" },
		{ NULL, NULL },
	};
	struct ngc_buf b = { 0 };

	check_all(cases);
	ck_assert_str_eq(tokens(ngc_bytes("a\0b;", 4), &b), "! f:1: a NUL byte");
	ngc_buf_free(&b);
}
END_TEST

START_TEST(words_have_nginx_s_length)
{
	struct ngc_buf text = { 0 }, out = { 0 };

	for (size_t n = 4094; n <= 4096; n++) {
		text.n = 0;
		for (size_t i = 0; i < n; i++)
			ngc_buf_add_char(&text, 'a');
		ngc_buf_add_char(&text, ';');
		ck_assert_int_eq(tokens(ngc_buf_bytes(&text), &out)[0] == '<', n <= 4095);
		text.p[0] = '"';
		text.n = n;
		ngc_buf_add_str(&text, "a\";");
		ck_assert_int_eq(tokens(ngc_buf_bytes(&text), &out)[0] == '<', n <= 4094);
	}
	ngc_buf_free(&text);
	ngc_buf_free(&out);
}
END_TEST

struct lua_case {
	const char *text;
	int length; /* of the body; -1: not closed */
};

START_TEST(lua_bodies_end_at_their_brace)
{
	static const struct lua_case cases[] = {
		{ "}", 0 },
		{ " a = {} } x", 8 },
		{ "'}' }", 4 },
		{ "\"\\\"}\" }", 6 },
		{ "[[ } ]] }", 8 },
		{ "[==[ } ]] ]==] }", 15 },
		{ "-- }\n }", 6 },
		{ "--[[ }\n } ]] }", 13 },
		{ "a[1] }", 5 },
		{ "{", -1 },
		{ "'", -1 },
		{ "[[", -1 },
		{ "--", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_error err;
		struct ngc_bytes body;
		struct lexer l;
		enum ngc_code code;

		lexer_init(&l, "f", ngc_bytes_of(cases[i].text));
		code = lexer_lua(&l, &body, &err);
		ck_assert_msg((code == NGC_OK) == (cases[i].length >= 0), "%s",
		    cases[i].text);
		if (code == NGC_OK)
			ck_assert_msg((int)body.n == cases[i].length, "%s: %zu",
			    cases[i].text, body.n);
	}
}
END_TEST

UNIT_MAIN("lexer", words_end_where_nginx_ends_them,
    escapes_are_decoded_alike_in_all_words, errors_name_their_line,
    words_have_nginx_s_length, lua_bodies_end_at_their_brace)
