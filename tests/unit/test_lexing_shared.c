/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/conf/lexer.h"

#include <jansson.h>
#include <stdio.h>

#include "ngc/conf.h"
#include "unit.h"

/*
 * What a running nginx made of 120 files and 47 spellings, kept beside this repository
 * ($NGC_SHARED, or ../shared).  Without it these tests pass idly.
 */

static FILE *open_shared(const char *name)
{
	const char *shared = getenv("NGC_SHARED");
	struct ngc_buf path = { 0 };
	FILE *f;

	ngc_buf_printf(&path, "%s/confs/_lexing/%s", shared ? shared : "../shared", name);
	f = fopen(ngc_buf_str(&path), "r");
	if (f == NULL)
		printf("skipped: no %s\n", ngc_buf_str(&path));
	ngc_buf_free(&path);
	return f;
}

/* The expected words were read as Latin-1 where they are not UTF-8. */
static json_t *word_json(struct ngc_bytes w)
{
	struct ngc_buf b = { 0 };
	json_t *s = json_stringn((const char *)w.p, w.n);

	for (size_t i = 0; s == NULL && i < w.n; i++)
		ngc_buf_printf(&b, w.p[i] < 0x80 ? "%c" : "%c%c",
		    w.p[i] < 0x80 ? w.p[i] : 0xc0 | w.p[i] >> 6, 0x80 | (w.p[i] & 0x3f));
	if (s == NULL)
		s = json_string(ngc_buf_str(&b));
	ngc_buf_free(&b);
	return s;
}

static bool is_lua(const json_t *name)
{
	const char *end = strstr(json_string_value(name), "_by_lua_block");

	return end != NULL && end[13] == '\0';
}

/* The directives up to the end of the block or file as [name, [args], null or [...]]. */
static json_t *read_block(struct lexer *l, struct ngc_arena *a, enum token until,
    struct ngc_error *err)
{
	json_t *all = json_array(), *words = json_array(), *children;
	enum token t;
	struct ngc_bytes word;

	while (lexer_next(l, a, json_array_size(words) == 0, &t, &word, err) == NGC_OK) {
		if (t == TOKEN_WORD) {
			json_array_append_new(words, word_json(word));
			continue;
		}
		if (t == TOKEN_END || t == TOKEN_CLOSE) {
			json_decref(words);
			if (t == until)
				return all;
			json_decref(all);
			return NULL;
		}
		children = json_null();
		if (t == TOKEN_OPEN && is_lua(json_array_get(words, 0))) {
			if (lexer_lua(l, &word, err) != NGC_OK)
				break;
			json_array_append_new(words, word_json(word));
		} else if (t == TOKEN_OPEN) {
			children = read_block(l, a, TOKEN_CLOSE, err);
			if (children == NULL)
				break;
		}
		json_t *name = json_incref(json_array_get(words, 0));
		json_array_remove(words, 0);
		json_array_append_new(all, json_pack("[o,o,o]", name, words, children));
		words = json_array();
	}
	json_decref(words);
	json_decref(all);
	return NULL;
}

static size_t base64_decode(const char *s, unsigned char *out)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned v = 0, bits = 0;
	size_t n = 0;

	for (; *s != '\0' && *s != '='; s++) {
		v = v << 6 | (unsigned)(strchr(digits, *s) - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[n++] = (unsigned char)(v >> bits);
		}
	}
	return n;
}

static void check_case(const json_t *c)
{
	static unsigned char decoded[65536];
	const char *id = json_string_value(json_object_get(c, "id"));
	const json_t *text = json_object_get(c, "text");
	const json_t *want = json_object_get(c, "directives");
	struct ngc_bytes s = ngc_bytes(json_string_value(text), json_string_length(text));
	struct ngc_arena *a = ngc_arena_new();
	struct ngc_error err = { 0 };
	struct lexer l;
	json_t *got;

	if (text == NULL)
		s = ngc_bytes(decoded,
		    base64_decode(json_string_value(json_object_get(c, "base64")),
			decoded));
	lexer_init(&l, id, s);
	got = read_block(&l, a, TOKEN_END, &err);
	/* One file lexes but for a limit of nginx's. */
	if (want == NULL ||
	    strstr(json_string_value(json_object_get(c, "nginx_t")), "too long")) {
		ck_assert_msg(got == NULL, "%s: read, but nginx says: %s", id,
		    json_string_value(json_object_get(c, "nginx_t")));
	} else {
		ck_assert_msg(got != NULL, "%s: %s", id, err.text);
		ck_assert_msg(json_equal(got, want), "%s: read as %s\ninstead of %s", id,
		    json_dumps(got, 0), json_dumps(want, 0));
	}
	json_decref(got);
	ngc_arena_free(a);
}

static size_t for_each_line(const char *file, void (*check)(const json_t *))
{
	FILE *f = open_shared(file);
	char *line = NULL;
	size_t cap = 0, n = 0;

	while (f != NULL && getline(&line, &cap, f) > 0) {
		json_t *c = json_loads(line, 0, NULL);

		ck_assert_ptr_nonnull(c);
		check(c);
		json_decref(c);
		n++;
	}
	free(line);
	if (f != NULL)
		fclose(f);
	return n;
}

START_TEST(files_are_read_as_nginx_reads_them)
{
	for_each_line("cases.jsonl", check_case);
}
END_TEST

static void check_spelling(const json_t *c)
{
	const char *source = json_string_value(json_object_get(c, "source"));
	const json_t *value = json_object_get(c, "value");
	struct ngc_arena *a = ngc_arena_new();
	struct ngc_buf text = { 0 };
	struct ngc_error err = { 0 };
	struct ngc_bytes word;
	enum token t;
	struct lexer l;

	ngc_buf_printf(&text, "return 200 %s;", source);
	lexer_init(&l, "args", ngc_buf_bytes(&text));
	for (int i = 0; i < 3; i++)
		ck_assert_msg(lexer_next(&l, a, i == 0, &t, &word, &err) == NGC_OK,
		    "%s: %s", source, err.text);
	ck_assert_int_eq(t, TOKEN_WORD);
	ck_assert_msg(ngc_bytes_equal(word,
			  ngc_bytes(json_string_value(value), json_string_length(value))),
	    "%s: read as %s", source, (const char *)word.p);
	ck_assert_int_eq(lexer_next(&l, a, false, &t, &word, &err), NGC_OK);
	ck_assert_int_eq(t, TOKEN_STOP);
	ngc_buf_free(&text);
	ngc_arena_free(a);
}

START_TEST(words_are_decoded_as_nginx_decodes_them)
{
	for_each_line("args.jsonl", check_spelling);
}
END_TEST

/* The files of an include set in the order first read, as nginx -T names them. */
static void check_include_set(const char *set, const char *want_error)
{
	const char *shared = getenv("NGC_SHARED");
	struct ngc_buf path = { 0 };
	struct ngc_conf_request req = { 0 };
	struct ngc_conf *c;
	struct ngc_error err = { 0 };
	FILE *f;

	ngc_buf_printf(&path, "%s/confs/_lexing/includes/%s/nginx.conf",
	    shared ? shared : "../shared", set);
	req.file = ngc_buf_str(&path);
	req.prefix = "/usr/share/nginx";
	f = fopen(req.file, "r");
	if (f != NULL) {
		fclose(f);
		if (ngc_conf_read(&req, &c, &err) == NGC_OK)
			err.text[0] = '\0';
		ck_assert_msg(want_error ? strstr(err.text, want_error) != NULL
					 : !err.text[0],
		    "%s: %s", set, err.text);
		ngc_conf_free(c);
	}
	ngc_buf_free(&path);
}

START_TEST(include_sets_are_followed)
{
	check_include_set("includes-globbed", NULL);
	check_include_set("includes-regular", "No such file or directory");
	check_include_set("includes-cycle-valid", "is outside location \"/foo\"");
	check_include_set("includes-cycle-invalid", "include cycle");
	check_include_set("ubuntu-default", NULL);
}
END_TEST

UNIT_MAIN("lexing_shared", files_are_read_as_nginx_reads_them,
    words_are_decoded_as_nginx_decodes_them, include_sets_are_followed)
