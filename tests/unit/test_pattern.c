/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/pattern.h"

#include <pthread.h>
#include <time.h>

#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

typedef enum ngc_code compile(
    struct ngc_bytes, struct ngc_pattern **, struct ngc_error *);

static bool matches(compile *how, struct ngc_bytes pattern, struct ngc_bytes subject)
{
	struct ngc_pattern_room *room = ngc_pattern_room_new();
	struct ngc_pattern *p;
	struct ngc_error err;
	bool matched;

	ck_assert_msg(how(pattern, &p, &err) == NGC_OK, "%s", err.text);
	ck_assert_int_eq(ngc_pattern_match(p, room, subject, &matched, &err), NGC_OK);
	ngc_pattern_free(p);
	ngc_pattern_room_free(room);
	return matched;
}

struct row {
	const char *pattern;
	const char *yes[5], *no[5];
};

static void check_rows(compile *how, const struct row *rows, size_t n)
{
	for (const struct row *r = rows; r < rows + n; r++) {
		struct ngc_bytes pattern = ngc_bytes_of(r->pattern);

		for (size_t i = 0; i < 5 && r->yes[i] != NULL; i++)
			ck_assert_msg(matches(how, pattern, ngc_bytes_of(r->yes[i])),
			    "'%s' does not match '%s'", r->pattern, r->yes[i]);
		for (size_t i = 0; i < 5 && r->no[i] != NULL; i++)
			ck_assert_msg(!matches(how, pattern, ngc_bytes_of(r->no[i])),
			    "'%s' matches '%s'", r->pattern, r->no[i]);
	}
}

START_TEST(globs_are_anchored_and_take_any_byte)
{
	static const struct row rows[] = {
		{ "", { "" }, { "a" } },
		{ "abc", { "abc" }, { "abcd", "xabc", "ABC", "ab", "abc\n" } },
		{ "*", { "", "a", "a/b", "a\nb", "\xff\x80" }, { NULL } },
		{ "a*c", { "ac", "abc", "a/x/c", "a\nc" }, { "acx", "xac", "a" } },
		{ "*/x", { "/x", "a/b/x" }, { "x", "/x/" } },
		{ "**", { "", "ab" }, { NULL } },
		{ "?", { "a", "/", "\n", "\xe9", "?" }, { "", "ab", "\xc3\xa9" } },
		{ "a?c", { "abc", "a.c" }, { "ac", "abbc" } },
		{ "a.c", { "a.c" }, { "abc" } },
		{ "(a|b)+$", { "(a|b)+$" }, { "a" } },
		{ "^a", { "^a" }, { "a" } },
		{ "\xc3\xa9*", { "\xc3\xa9", "\xc3\xa9t" }, { "\xc3\xa8", "\xe9" } },
		{ "a b", { "a b" }, { "ab" } },
		{ "#(?i)a", { "#(?i)a" }, { "A" } },
		{ "\\Qa\\E", { "QaE" }, { "a" } },
	};

	check_rows(ngc_pattern_glob, rows, COUNT(rows));
}
END_TEST

START_TEST(globs_have_brackets)
{
	static const struct row rows[] = {
		{ "[abc]", { "a", "b", "c" }, { "d", "", "ab", "[abc]" } },
		{ "[a-c]x", { "ax", "bx", "cx" }, { "dx", "-x" } },
		{ "[!a-c]", { "d", "/", "\n", "\xff", "-" }, { "a", "c", "" } },
		{ "[^a]", { "b", "^" }, { "a" } },
		{ "[a^]", { "a", "^" }, { "b" } },
		{ "[a!]", { "a", "!" }, { "b" } },
		{ "[]]", { "]" }, { "", "a" } },
		{ "[]a]", { "]", "a" }, { "b" } },
		{ "[!]]", { "a" }, { "]" } },
		{ "[!]a]", { "b" }, { "]", "a" } },
		{ "[a-]", { "a", "-" }, { "b" } },
		{ "[-a]", { "a", "-" }, { "b" } },
		{ "[!-a]", { "b" }, { "a", "-" } },
		{ "[a-c-e]", { "a", "b", "-", "e" }, { "d" } },
		{ "[--0]", { "-", ".", "0" }, { "1", "," } },
		{ "[+--]", { "+", ",", "-" }, { "." } },
		{ "[0-9a-f]*", { "0", "fa" }, { "g", "" } },
		{ "[\xe0-\xef]", { "\xe9" }, { "\xdf", "\xf0" } },
		{ "[[]", { "[" }, { "a" } },
		{ "[*?]", { "*", "?" }, { "a", "" } },
		{ "[{a,b}]", { "{", "a", ",", "b", "}" }, { "c" } },
		{ "[.^$|()]", { ".", "^", "$", "|", "(" }, { "a" } },
		{ "[\\]]", { "]" }, { "\\", "\\]", "a" } },
		{ "[\\]a]", { "]", "a" }, { "\\", "\\a]" } },
		{ "[a\\-c]", { "a", "-", "c" }, { "b", "\\" } },
		{ "[\\!a]", { "!", "a" }, { "b", "\\" } },
		{ "[\\\\]", { "\\" }, { "a" } },
		{ "[", { "[" }, { "a" } },
		{ "[a", { "[a" }, { "a" } },
		{ "a[]", { "a[]" }, { "a" } },
		{ "[!]", { "[!]" }, { "a" } },
		{ "[a\\]", { "[a]" }, { "a" } },
		{ "]", { "]" }, { "a" } },
		{ "[a]{b,c}", { "ab", "ac" }, { "a" } },
	};

	check_rows(ngc_pattern_glob, rows, COUNT(rows));
}
END_TEST

START_TEST(globs_have_braces)
{
	static const struct row rows[] = {
		{ "{a,b}", { "a", "b" }, { "", "ab", "{a,b}", "c" } },
		{ "x{a,b}y", { "xay", "xby" }, { "xy" } },
		{ "{a,}b", { "ab", "b" }, { "aab" } },
		{ "{,a}", { "", "a" }, { "," } },
		{ "{a,b}{c,d}", { "ac", "bd" }, { "ab", "a" } },
		{ "{a,b{c,d}}", { "a", "bc", "bd" }, { "b", "ac" } },
		{ "{a,{b,{c,d}}}e", { "ae", "be", "ce", "de" }, { "e" } },
		{ "{*.jpg,*.png}", { "a.jpg", "/x.png" }, { "a.gif", "jpg" } },
		{ "{a,[bc]}", { "a", "b", "c" }, { "[bc]" } },
		{ "{a\\,b,c}", { "a,b", "c" }, { "a", "b" } },
		{ "{a,b\\}}", { "a", "b}" }, { "b" } },
		{ "{a|b,c}", { "a|b", "c" }, { "a", "b" } },
		{ "a,b", { "a,b" }, { "a", "b" } },
		{ "{a}", { "{a}" }, { "a" } },
		{ "{}", { "{}" }, { "" } },
		{ "{a,b", { "{a,b" }, { "a" } },
		{ "a,b}", { "a,b}" }, { "a" } },
		{ "}{", { "}{" }, { "" } },
		{ "{a,b}{", { "a{", "b{" }, { "a", "{a,b}{" } },
		{ "{{a,b}", { "{a", "{b" }, { "a" } },
		{ "{a,b}}", { "a}", "b}" }, { "a" } },
		{ "{a,b}[{]", { "a{", "b{" }, { "a" } },
		{ "\\{a,b}", { "{a,b}" }, { "a" } },
		{ "{x,{y}}", { "x", "{y}" }, { "y" } },
		{ "{{a,b},c}", { "a", "b", "c" }, { "{a" } },
		{ "{[,],x}", { ",", "x" }, { "[", "]" } },
	};

	check_rows(ngc_pattern_glob, rows, COUNT(rows));
}
END_TEST

START_TEST(a_backslash_makes_the_next_byte_plain)
{
	static const struct row rows[] = {
		{ "\\*", { "*" }, { "", "a", "\\*" } },
		{ "a\\?b", { "a?b" }, { "axb" } },
		{ "\\[a]", { "[a]" }, { "a" } },
		{ "\\{a,b\\}", { "{a,b}" }, { "a" } },
		{ "\\\\", { "\\" }, { "\\\\", "" } },
		{ "\\\\*", { "\\", "\\a" }, { "*" } },
		{ "\\a", { "a" }, { "\\a" } },
		{ "a\\", { "a\\" }, { "a" } },
		{ "\\d", { "d" }, { "1" } },
	};

	check_rows(ngc_pattern_glob, rows, COUNT(rows));
}
END_TEST

START_TEST(case_matters_but_where_it_is_told_not_to)
{
	static const struct row rows[] = { { "Text/[H]tml*",
	    { "text/html", "TEXT/HTML; charset=x" }, { "text/plain" } } };

	check_rows(ngc_pattern_glob_nocase, rows, COUNT(rows));
	ck_assert(!matches(ngc_pattern_glob, ngc_bytes_of("A"), ngc_bytes_of("a")));
	ck_assert(!matches(
	    ngc_pattern_glob_nocase, ngc_bytes("\xc3\xa9", 2), ngc_bytes("\xc3\x89", 2)));
}
END_TEST

START_TEST(patterns_take_keys_with_nul)
{
	ck_assert(
	    matches(ngc_pattern_glob, ngc_bytes("a\0*", 3), ngc_bytes("a\0b\0c", 5)));
	ck_assert(matches(ngc_pattern_glob, ngc_bytes_of("a?b"), ngc_bytes("a\0b", 3)));
	ck_assert(!matches(ngc_pattern_glob, ngc_bytes_of("a"), ngc_bytes("a\0", 2)));
	ck_assert(
	    matches(ngc_pattern_regex, ngc_bytes_of("\\x00b$"), ngc_bytes("a\0b", 3)));
	ck_assert(matches(ngc_pattern_glob, ngc_bytes_of(""), ngc_bytes(NULL, 0)));
	ck_assert(matches(ngc_pattern_regex, ngc_bytes_of("^$"), ngc_bytes(NULL, 0)));
	ck_assert(matches(ngc_pattern_regex, ngc_bytes_of(""), ngc_bytes_of("a")));
}
END_TEST

START_TEST(a_regex_looks_at_bytes)
{
	static const struct row rows[] = {
		{ "b", { "abc", "b" }, { "ac", "B" } },
		{ "^a.c$", { "abc", "a\nc" }, { "abc\n", "xabc", "ac" } },
		{ "c$", { "abc" }, { "abc\n", "cd" } },
		{ "^b", { "b" }, { "a\nb" } },
		{ "(?m)^b$", { "a\nb\nc" }, { "ab" } },
		{ "(?i)ABC", { "abc" }, { "ab" } },
		{ "^.$", { "\xe9", "\n" }, { "\xc3\xa9" } },
		{ "(*UTF)^.$", { "\xc3\xa9", "a" }, { "\xe9", "\xc3\xa9\xff" } },
		{ "\\xe9", { "\xe9" }, { "e9" } },
		{ "(a)(b)(c)\\3", { "abcc" }, { "abc" } },
	};

	check_rows(ngc_pattern_regex, rows, COUNT(rows));
}
END_TEST

START_TEST(what_does_not_compile_says_where)
{
	static const struct {
		compile *how;
		const char *pattern, *text;
	} cases[] = {
		{ ngc_pattern_regex, "a(b",
		    "'a(b': missing closing parenthesis at offset 3" },
		{ ngc_pattern_regex, "a\\", "'a\\': \\ at end of pattern at offset 2" },
		{ ngc_pattern_regex, "*a",
		    "'*a': quantifier does not follow a repeatable item" },
		{ ngc_pattern_regex, "[z-a]", "'[z-a]': range out of order" },
		{ ngc_pattern_glob, "x[z-a]", "'x[z-a]': range out of order" },
		{ ngc_pattern_glob_nocase, "[z-a]", "'[z-a]': range out of order" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int not_null;
		struct ngc_pattern *p = (void *)&not_null;
		struct ngc_error err;
		size_t n = strlen(cases[i].text);

		ck_assert_int_eq(
		    cases[i].how(ngc_bytes_of(cases[i].pattern), &p, &err), NGC_INVALID);
		ck_assert_ptr_null(p);
		ck_assert_msg(strncmp(err.text, cases[i].text, n) == 0, "%s", err.text);
	}
}
END_TEST

/* Of the processor, however busy it is. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

START_TEST(a_hostile_key_is_given_up_and_does_not_hang)
{
	static const char *const hostile[] = { "(a+)+$", "^(a|a)*$", "(a*)*b",
		"(.*)*(.*)*x$" };
	struct ngc_pattern_room *room = ngc_pattern_room_new();
	char key[5001];

	memset(key, 'a', 5000);
	key[5000] = '!';
	for (size_t i = 0; i < COUNT(hostile); i++) {
		struct ngc_pattern *p;
		struct ngc_error err;
		double start;
		bool matched = true;

		ck_assert_int_eq(
		    ngc_pattern_regex(ngc_bytes_of(hostile[i]), &p, &err), NGC_OK);
		start = seconds();
		if (ngc_pattern_match(p, room, ngc_bytes(key, 5001), &matched, &err) !=
		    NGC_OK) {
			ck_assert_int_eq(err.code, NGC_DAMAGED);
			ck_assert_ptr_nonnull(
			    strstr(err.text, "matching was given up: "));
		}
		ck_assert(!matched);
		ck_assert_msg(seconds() - start < 5, "%s", hostile[i]);
		ngc_pattern_free(p);
	}
	ngc_pattern_room_free(room);
}
END_TEST

/* What the fast matcher has no stack for the slow one still decides. */
START_TEST(a_long_key_is_no_hostile_one)
{
	static const char *const patterns[] = { "^(?:[a-z]|/)*$", "^(?:[a-z]+/?)*$",
		"^((.)(.)?)*$" };
	static char key[60000];

	memset(key, 'a', sizeof(key));
	for (size_t i = 0; i < sizeof(key); i += 10)
		key[i] = '/';
	key[0] = 'a';
	for (size_t i = 0; i < COUNT(patterns); i++)
		ck_assert(matches(ngc_pattern_regex, ngc_bytes_of(patterns[i]),
		    ngc_bytes(key, sizeof(key))));
}
END_TEST

START_TEST(long_globs_compile_soon)
{
	static char glob[100000];
	struct ngc_pattern *p;
	struct ngc_error err;
	double start = seconds();

	memset(glob, '{', sizeof(glob));
	ck_assert_int_eq(ngc_pattern_glob(ngc_bytes(glob, 20000), &p, &err), NGC_OK);
	ngc_pattern_free(p);
	memset(glob, '[', sizeof(glob));
	ck_assert_int_eq(ngc_pattern_glob(ngc_bytes(glob, 20000), &p, &err), NGC_OK);
	ngc_pattern_free(p);
	ck_assert(seconds() - start < 2);
	memset(glob, 'a', sizeof(glob)); /* longer than a regular expression may be */
	if (ngc_pattern_glob(ngc_bytes(glob, sizeof(glob)), &p, &err) != NGC_OK)
		ck_assert_int_eq(err.code, NGC_INVALID);
	ngc_pattern_free(p);
}
END_TEST

START_TEST(every_byte_can_be_quoted)
{
	unsigned char all[256];
	struct ngc_buf re = { 0 };

	for (unsigned i = 0; i < 256; i++)
		all[i] = (unsigned char)i;
	ngc_pattern_quote(&re, ngc_bytes(all, sizeof(all)));
	ck_assert(
	    matches(ngc_pattern_regex, ngc_buf_bytes(&re), ngc_bytes(all, sizeof(all))));
	ngc_buf_free(&re);
	for (unsigned i = 0; i < 256; i++) {
		struct ngc_bytes one = ngc_bytes(&all[i], 1);

		ngc_pattern_quote(&re, one);
		for (unsigned k = 0; k < 256; k++)
			ck_assert_int_eq(matches(ngc_pattern_regex, ngc_buf_bytes(&re),
					     ngc_bytes(&all[k], 1)),
			    i == k);
		ngc_buf_free(&re);
	}
}
END_TEST

static void *match_often(void *arg)
{
	struct ngc_pattern_room *room = ngc_pattern_room_new();
	struct ngc_error err;
	bool matched;

	for (int i = 0; i < 2000; i++) {
		ck_assert_int_eq(
		    ngc_pattern_match(arg, room,
			i % 2 == 0 ? ngc_bytes_of("xayb") : ngc_bytes_of("xay"), &matched,
			&err),
		    NGC_OK);
		ck_assert_int_eq(matched, i % 2 == 0);
	}
	ngc_pattern_room_free(room);
	return NULL;
}

START_TEST(threads_share_a_pattern)
{
	pthread_t threads[4];
	struct ngc_pattern *p;
	struct ngc_error err;

	ck_assert_int_eq(ngc_pattern_regex(ngc_bytes_of("(a|b).*b$"), &p, &err), NGC_OK);
	for (size_t i = 0; i < COUNT(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, match_often, p), 0);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	ngc_pattern_free(p);
}
END_TEST

START_TEST(the_first_parentheses_tell_what_they_caught)
{
	static const struct {
		const char *re, *subject, *caught;
	} cases[] = {
		{ "/(\\w+)/(\\d+)", "a/shoes/42", "shoes" },
		{ "/(?:\\w+)/(\\d+)", "a/shoes/42", "42" },
		{ "\\d+", "a/shoes/42", "42" },
		{ "(b)?a", "a", NULL },
		{ "(x)|(a)", "a", NULL },
		{ "(b*)a", "a", "" },
		{ "(b)", "a", NULL },
		{ "", "a", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ngc_pattern_room *room = ngc_pattern_room_new();
		struct ngc_pattern *p;
		struct ngc_bytes got;
		struct ngc_error err;

		ck_assert_msg(ngc_pattern_regex(ngc_bytes_of(cases[i].re), &p, &err) ==
				  NGC_OK,
		    "%s", err.text);
		ck_assert_int_eq(ngc_pattern_capture(p, room,
				     ngc_bytes_of(cases[i].subject), &got, &err),
		    NGC_OK);
		ck_assert_msg((got.p == NULL) == (cases[i].caught == NULL) &&
				  ngc_bytes_equal(got, ngc_bytes_of(cases[i].caught)),
		    "%s", cases[i].re);
		ngc_pattern_free(p);
		ngc_pattern_room_free(room);
	}
}
END_TEST

UNIT_MAIN("pattern", globs_are_anchored_and_take_any_byte, globs_have_brackets,
    globs_have_braces, a_backslash_makes_the_next_byte_plain,
    case_matters_but_where_it_is_told_not_to, patterns_take_keys_with_nul,
    a_regex_looks_at_bytes, what_does_not_compile_says_where,
    a_hostile_key_is_given_up_and_does_not_hang, a_long_key_is_no_hostile_one,
    long_globs_compile_soon, every_byte_can_be_quoted, threads_share_a_pattern,
    the_first_parentheses_tell_what_they_caught)
