/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/op/select.h"

#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct ngc_scope page;

/* A URL as a reading of a key gives it: host, or none, and target. */
static struct ngc_reading reading_of(const char *url)
{
	const char *slash = strchr(url, '/');
	struct ngc_bytes host = ngc_bytes(url, (size_t)(slash - url));

	return (struct ngc_reading){ .host = slash > url ? host : ngc_bytes(NULL, 0),
		.uri = ngc_bytes_of(slash) };
}

static bool matches_in(const char *pattern, const struct ngc_scope *scope,
    const char *url)
{
	struct ngc_pattern_room *room = ngc_pattern_room_new();
	struct ngc_reading r = reading_of(url);
	unsigned char subject[1024];
	struct ngc_pattern *p;
	struct ngc_error err;
	bool matched;
	size_t n = url_pattern_subject(&r, r.host, subject, sizeof(subject));

	ck_assert_uint_gt(n, 0);
	ck_assert_msg(url_pattern_compile(ngc_bytes_of(pattern), scope, &p, &err) ==
			  NGC_OK,
	    "%s", err.text);
	ck_assert_int_eq(
	    ngc_pattern_match(p, room, ngc_bytes(subject, n), &matched, &err), NGC_OK);
	ngc_pattern_free(p);
	ngc_pattern_room_free(room);
	return matched;
}

static bool matches(const char *pattern, const char *url)
{
	return matches_in(pattern, &page, url);
}

struct row {
	const char *pattern;
	const char *yes[6], *no[6];
};

static void check_rows(const struct row *rows, size_t n)
{
	for (const struct row *r = rows; r < rows + n; r++) {
		for (size_t i = 0; i < 6 && r->yes[i] != NULL; i++)
			ck_assert_msg(matches(r->pattern, r->yes[i]),
			    "'%s' does not match '%s'", r->pattern, r->yes[i]);
		for (size_t i = 0; i < 6 && r->no[i] != NULL; i++)
			ck_assert_msg(!matches(r->pattern, r->no[i]), "'%s' matches '%s'",
			    r->pattern, r->no[i]);
	}
}

START_TEST(a_star_is_any_run_of_the_target)
{
	static const struct row rows[] = {
		{ "https://a.b/blog/*", { "a.b/blog/", "a.b/blog/x", "a.b/blog/x/y?z=1" },
		    { "a.b/blog", "a.b/blogs/", "b.a.b/blog/", "x/a.b/blog/" } },
		{ "http://a.b/*.jpg", { "a.b/x.jpg", "a.b/x/y.jpg", "a.b/?.jpg" },
		    { "a.b/x.jpg?v=1", "a.b/xjpg" } },
		{ "http://a.b/*/x/*", { "a.b/1/x/2", "a.b//x/" }, { "a.b/x/" } },
		{ "http://a.b/x?*", { "a.b/x?", "a.b/x?y=1" }, { "a.b/x", "a.b/xy" } },
		{ "http://a.b/x[1]*", { "a.b/x[1]", "a.b/x[1]2" }, { "a.b/x1" } },
		{ "http://a.b/(x|y)*", { "a.b/(x|y)" }, { "a.b/x" } },
		{ "http://a.b/{x,y}*", { "a.b/{x,y}" }, { "a.b/x" } },
		{ "http://a.b/x*#part*", { "a.b/x", "a.b/xy" }, { "a.b/y" } },
		{ "http://a.b?x=*", { "a.b/?x=1" }, { "a.b/x=1", "a.b/" } },
		{ "http://a.b?x=1*", { "a.b/?x=1" }, { "a.b/?x=2" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(a_question_mark_of_the_path_begins_no_query)
{
	static const struct row rows[] = {
		{ "/b%3Fx", { "a.b/b%3Fx", "a.b/b%3fx" }, { "a.b/b?x", "a.b/b%253Fx" } },
		{ "/b?x", { "a.b/b?x" }, { "a.b/b%3Fx" } },
		{ "/b?x%3Fy", { "a.b/b?x?y", "a.b/b?x%3fy" }, { "a.b/b%3Fx?y" } },
		{ "http://a.b/b%3F*?*", { "a.b/b%3Fx?y" }, { "a.b/b?x?y" } },
		{ "http://a.b/b?*", { "a.b/b?x" }, { "a.b/b%3Fx" } },
		{ "http://a.b/b*", { "a.b/b?x", "a.b/b%3Fx" }, { "a.b/a" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(a_star_of_the_host_stays_in_it)
{
	static const struct row rows[] = {
		{ "http://*.a.b/x", { "www.a.b/x", "1.2.a.b/x" },
		    { "a.b/x", "evil/.a.b/x", "evil/y.a.b/x", "www.a.b/xy" } },
		{ "http://*/x", { "a/x", "b.c/x" }, { "a/y/x", "a/b/x" } },
		{ "http://*.a.b", { "www.a.b/" },
		    { "www.a.b/x", "a.b/", "evil/www.a.b/" } },
		{ "http://a.*", { "a.b/", "a.b/x" }, { "b.a/" } },
		{ "http://*", { "a/", "b/c?d" }, { NULL } },
		{ "*://a.b/x", { "a.b/x" }, { "a.c/x" } },
		{ "http://a*b/*", { "ab/", "a.c.b/x" }, { "a/b/x", "a/b/" } },
		{ "http://WWW.A.b/X*", { "www.a.b/X", "WWW.a.B/Xy" }, { "www.a.b/x" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(a_port_does_not_matter)
{
	static const struct row rows[] = {
		{ "http://a.b:8080/x*", { "a.b/x", "a.b:80/x", "a.b:8080/xy" },
		    { "a.c/x" } },
		{ "http://a.b/x*", { "a.b:8080/x" }, { NULL } },
		{ "http://a.b:*/x*", { "a.b/x", "a.b:81/x" }, { "a.c/x" } },
		{ "http://*.a.b:8080", { "www.a.b/", "www.a.b:1/" }, { "www.a.b/x" } },
		{ "http://*:8080/x", { "a/x", "a:1/x" }, { "a/y" } },
		{ "http://[::1]:80/x*", { "[::1]/x", "[::1]:8080/x" }, { "[::2]/x" } },
		{ "http://[::1]/*", { "[::1]:8080/x" }, { NULL } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(a_bare_path_is_that_of_every_host)
{
	static const struct row rows[] = {
		{ "/blog/", { "a.b/blog/", "c/blog/", "a:8080/blog/", "/blog/" },
		    { "a.b/blog", "a.b/blog/x", "a.b/x/blog/" } },
		{ "/blog/*", { "a.b/blog/", "/blog/x?y" }, { "a/x/blog/" } },
		{ "/x?y=[1]", { "a/x?y=[1]" }, { "a/x", "a/xy=1" } },
		{ "/", { "a.b/", "/" }, { "a.b/x" } },
		{ "/*", { "a/", "b/c" }, { NULL } },
		{ "/x#y", { "a/x" }, { "a/x#y" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(percent_encoding_does_not_matter)
{
	static const struct row rows[] = {
		{ "http://a/\xc3\xa6*", { "a/%c3%a6", "a/%C3%A6x", "a/\xc3\xa6" },
		    { "a/x" } },
		{ "http://a/%c3%A6*", { "a/%C3%a6", "a/\xc3\xa6" }, { "a/x" } },
		{ "http://a/x%20y*", { "a/x%20y", "a/x y" }, { "a/x+y", "a/xy" } },
		{ "/%7euser/", { "a/~user/", "a/%7Euser/", "a/%7euser/" },
		    { "a/user/" } },
		{ "http://a/100%*", { "a/100%", "a/100%25", "a/100%x" }, { "a/100" } },
		{ "http://a/%2a*", { "a/*", "a/%2A", "a/*x" }, { "a/x" } },
		{ "http://a/*%2fx", { "a/y%2Fx", "a/y/x" }, { "a/yx" } },
		{ "/%zz*", { "a/%zz", "a/%25zz" }, { "a/zz" } },
		{ "/x%3f*", { "a/x%3Fy" }, { "a/x?y", "a/xy" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(a_star_with_a_backslash_is_a_star)
{
	static const struct row rows[] = {
		{ "http://a/x\\**", { "a/x*", "a/x*y", "a/x%2a" }, { "a/xy", "a/x\\*" } },
		{ "/x\\*y", { "a/x*y" }, { "a/xzy", "a/x\\*y" } },
		{ "/x\\\\*", { "a/x\\", "a/x\\y", "a/x%5cy" }, { "a/x*", "a/x" } },
		{ "/x\\y*", { "a/x\\y", "a/x%5Cyz" }, { "a/xy" } },
		{ "/x*\\", { "a/x\\", "a/xy\\" }, { "a/x" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(a_host_typed_in_utf_8_is_its_xn_form)
{
	static const struct row rows[] = {
		{ "https://b\xc3\xbc"
		  "cher.example/*",
		    { "xn--bcher-kva.example/x" }, { "bcher.example/x" } },
		{ "https://*.b\xc3\xbc"
		  "cher.example/*",
		    { "www.xn--bcher-kva.example/x" }, { "xn--bcher-kva.example/x" } },
		{ "https://B\xc3\x9c"
		  "CHER.example:80/*",
		    { "xn--bcher-kva.example/x" }, { "bcher.example/x" } },
	};

	check_rows(rows, COUNT(rows));
}
END_TEST

START_TEST(what_is_no_url_is_refused)
{
	static const char *const bad[] = { "", "a.b/*", "ftp://a.b/*", "http:/a/*", "*",
		"*.jpg", "http:///x*", "http://", "https://:80/*", "http://user@a.b/*",
		"http://u:p@*/x", "?x*" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		int not_null;
		struct ngc_pattern *p = (void *)&not_null;
		struct ngc_error err;

		ck_assert_msg(url_pattern_compile(ngc_bytes_of(bad[i]), &page, &p,
				  &err) == NGC_INVALID,
		    "%s", bad[i]);
		ck_assert_ptr_null(p);
		ck_assert_ptr_nonnull(strstr(err.text, bad[i]));
	}
	ck_assert(matches("http://a/x*@y", "a/xz@y"));
}
END_TEST

START_TEST(a_subject_has_its_bound)
{
	struct ngc_reading r = reading_of("a.b:80/x%20y");
	unsigned char out[16] = "################";

	ck_assert_uint_eq(url_pattern_subject(&r, r.host, out, 8), 0);
	ck_assert_uint_eq(url_pattern_subject(&r, r.host, out, 16), 7);
	ck_assert_int_eq(memcmp(out, "a.b/x y#", 8), 0);
	r.uri = ngc_bytes(NULL, 0);
	ck_assert_uint_eq(url_pattern_subject(&r, r.host, out, 16), 0);
}
END_TEST

UNIT_MAIN("urlpattern", a_star_is_any_run_of_the_target,
    a_question_mark_of_the_path_begins_no_query, a_star_of_the_host_stays_in_it,
    a_port_does_not_matter, a_bare_path_is_that_of_every_host,
    percent_encoding_does_not_matter, a_star_with_a_backslash_is_a_star,
    a_host_typed_in_utf_8_is_its_xn_form, what_is_no_url_is_refused,
    a_subject_has_its_bound)
