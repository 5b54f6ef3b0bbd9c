/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/text.h"

#include "unit.h"

START_TEST(utf8_is_what_unicode_says_it_is)
{
	static const struct {
		const char *text;
		size_t want; /* of the first sequence */
	} cases[] = {
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\x80", 0 },
		{ "\xbf", 0 },
		{ "\xc0\x80", 0 },         /* overlong NUL */
		{ "\xc1\xbf", 0 },
		{ "\xc2\x80", 2 },
		{ "\xdf\xbf", 2 },
		{ "\xc2", 0 },
		{ "\xc2\x41", 0 },
		{ "\xc2\xc2", 0 },
		{ "\xe0\x9f\xbf", 0 },     /* overlong */
		{ "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xed\xa0\x80", 0 },     /* surrogates */
		{ "\xed\xbf\xbf", 0 },
		{ "\xee\x80\x80", 3 },
		{ "\xef\xbf\xbf", 3 },
		{ "\xe2\x82", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 }, /* overlong */
		{ "\xf0\x90\x80\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 }, /* U+10FFFF */
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xf8\x88\x80\x80\x80", 0 },
		{ "\xff", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(ngc_utf8_sequence(ngc_bytes_of(cases[i].text)),
		    cases[i].want);
	ck_assert_uint_eq(ngc_utf8_sequence(ngc_bytes("\0", 1)), 1);
}
END_TEST

START_TEST(text_is_valid_only_as_a_whole)
{
	ck_assert(ngc_utf8_valid(ngc_bytes_of("")));
	ck_assert(ngc_utf8_valid(ngc_bytes_of(NULL)));
	ck_assert(ngc_utf8_valid(ngc_bytes_of("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80")));
	ck_assert(ngc_utf8_valid(ngc_bytes("a\0b", 3)));
	ck_assert(!ngc_utf8_valid(ngc_bytes_of("a\xff")));
	ck_assert(!ngc_utf8_valid(ngc_bytes_of("\xc3\xa4\xc3")));
}
END_TEST

static void check_escaped(struct ngc_bytes s, const char *want)
{
	struct ngc_buf b = { 0 };

	ngc_text_escape(&b, s);
	ck_assert_str_eq(ngc_buf_str(&b), want);
	ngc_buf_free(&b);
}

START_TEST(escaped_text_is_safe_on_a_terminal)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "http://example.com/a?b=c", "http://example.com/a?b=c" },
		{ "a\nb\tc\rd", "a\\nb\\tc\\rd" },
		{ "\\n", "\\n" },
		{ "\x1b[31m\x07\x7f", "\\x1b[31m\\x07\\x7f" },
		{ "\xc2\x9b", "\\u{009b}" },              /* C1: CSI */
		{ "\xc2\x85", "\\u{0085}" },              /* C1: NEL */
		{ "\xc2\xa0\xc3\xa4", "\xc2\xa0\xc3\xa4" },
		{ "\xe2\x80\xae", "\\u{202e}" },          /* RLO */
		{ "\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}" },
		{ "\xe2\x81\xa6\xe2\x81\xa9", "\\u{2066}\\u{2069}" },
		{ "\xe2\x80\x8e\xe2\x80\x8f", "\\u{200e}\\u{200f}" },
		{ "\xd8\x9c", "\\u{061c}" },
		{ "\xef\xbb\xbf", "\\u{feff}" },
		{ "\x9b\xff", "\\x9b\\xff" },
		{ "\xe2\x82", "\\xe2\\x82" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_escaped(ngc_bytes_of(cases[i].text), cases[i].want);
	check_escaped(ngc_bytes("a\0b", 3), "a\\x00b");
}
END_TEST

START_TEST(every_byte_alone_and_every_character_is_escaped_within_the_room)
{
	char out[NGC_ESCAPE_MAX];

	for (unsigned c = 0; c < 256; c++) {
		unsigned char byte = (unsigned char)c;
		size_t n = ngc_text_escape_one(ngc_bytes(&byte, 1), out);

		ck_assert(n >= 1 && n <= sizeof(out));
		for (size_t i = 0; i < n; i++)
			ck_assert(out[i] >= ' ' && out[i] <= '~');
	}
	ck_assert_uint_eq(ngc_text_escape_one(ngc_bytes("\xf4\x8f\xbf\xbf", 4), out), 4);
}
END_TEST

START_TEST(base64_is_that_of_rfc_4648)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xff\xff\xff", "////" },
		{ "\xfb\xef\xbe", "++++" },
		{ "\xff", "/w==" },
	};
	struct ngc_buf b = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b.n = 0;
		ngc_text_base64(&b, ngc_bytes_of(cases[i].text));
		ck_assert_str_eq(ngc_buf_str(&b), cases[i].want);
	}
	b.n = 0;
	ngc_text_base64(&b, ngc_bytes("\0\0", 2));
	ck_assert_str_eq(ngc_buf_str(&b), "AAA=");
	ngc_buf_free(&b);
}
END_TEST

START_TEST(the_nearest_word_is_one_a_person_may_have_meant)
{
	static const char *const words[] = { "purge", "list", "stats", "show", "verify",
		NULL };
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "prugde", "purge" },
		{ "purg", "purge" },
		{ "purge", "purge" },
		{ "lists", "list" },
		{ "stat", "stats" },
		{ "sow", "show" },
		{ "xyzzy", NULL },
		{ "", NULL },
		{ "s", NULL },
		{ "reload", NULL },
	};
	char word[500];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_pstr_eq(ngc_text_nearest(cases[i].word, words), cases[i].want);
	memset(word, 'l', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	ck_assert_ptr_null(ngc_text_nearest(word, words));
	ck_assert_ptr_null(ngc_text_nearest("list", words + 5));
}
END_TEST

START_TEST(the_nearest_of_several_is_the_best)
{
	static const char *const words[] = { "purges", "purger", "purge", NULL };

	ck_assert_str_eq(ngc_text_nearest("purge", words), "purge");
	ck_assert_str_eq(ngc_text_nearest("purgex", words), "purges");
}
END_TEST

UNIT_MAIN("text", utf8_is_what_unicode_says_it_is, text_is_valid_only_as_a_whole,
    escaped_text_is_safe_on_a_terminal,
    every_byte_alone_and_every_character_is_escaped_within_the_room,
    base64_is_that_of_rfc_4648, the_nearest_word_is_one_a_person_may_have_meant,
    the_nearest_of_several_is_the_best)
