/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/route/template.h"

#include "unit.h"

/* The parts of a template: text in <>, variables with their number; "!" when refused. */
static void check_template(const char *text, const char *want)
{
	struct ngc_arena *a = ngc_arena_new();
	struct ngc_buf out = { 0 };
	struct ngc_error err;
	struct template t;

	if (template_compile(a, ngc_bytes_of(text), &t, &err) != NGC_OK)
		ngc_buf_add_str(&out, "!");
	else
		for (size_t i = 0; i < t.n; i++)
			ngc_buf_printf(&out,
			    t.parts[i].var == VAR_TEXT ? "<%.*s>" : "[%.*s]",
			    (int)t.parts[i].text.n, (const char *)t.parts[i].text.p);
	ck_assert_str_eq(ngc_buf_str(&out), want);
	ngc_buf_free(&out);
	ngc_arena_free(a);
}

START_TEST(templates_are_taken_apart)
{
	check_template("", "");
	check_template("plain", "<plain>");
	check_template("$scheme://$host${request_uri}x",
	    "[scheme]<://>[host][request_uri]<x>");
	check_template("$HOST$Arg_Page", "[host][arg_page]");
	check_template("$1$12x", "[1][1]<2x>");
	check_template("a$b_c-d", "<a>[b_c]<-d>");
	check_template("a$", "!");
	check_template("$$", "!");
	check_template("${uri", "!");
	check_template("${}", "!");
	check_template("$-", "!");
	check_template("${a b}", "!");
}
END_TEST

START_TEST(variables_are_known_by_name)
{
	struct part p = { VAR_ARG, ngc_bytes_of("arg_page_no") };

	ck_assert_int_eq(variable_find(ngc_bytes_of("document_uri")), VAR_URI);
	ck_assert_int_eq(variable_find(ngc_bytes_of("http_host")), VAR_HTTP_HOST);
	ck_assert_int_eq(variable_find(ngc_bytes_of("http_accept")), VAR_HTTP);
	ck_assert_int_eq(variable_find(ngc_bytes_of("cookie_x")), VAR_COOKIE);
	ck_assert_int_eq(variable_find(ngc_bytes_of("nosuch")), VAR_OTHER);
	ck_assert(ngc_bytes_equal(variable_suffix(&p), ngc_bytes_of("page_no")));
}
END_TEST

UNIT_MAIN("template", templates_are_taken_apart, variables_are_known_by_name)
