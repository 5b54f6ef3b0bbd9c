/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/url.h"

#include "ngc/mem.h"
#include "unit.h"

static void check_is(struct ngc_bytes got, const char *want, const char *what)
{
	ck_assert_msg(want != NULL
			  ? got.p != NULL && ngc_bytes_equal(got, ngc_bytes_of(want))
			  : got.p == NULL,
	    "%s: '%.*s' instead of '%s'", what, (int)got.n, (const char *)got.p,
	    want ? want : "(absent)");
}

struct url_case {
	const char *text, *scheme, *host;
	unsigned port;
	const char *target, *path, *query;
};

START_TEST(urls_are_taken_apart)
{
	static const struct url_case cases[] = {
		{ "http://a.test/x?y=1#z", "http", "a.test", 0, "/x?y=1", "/x", "y=1" },
		{ "HTTPS://A.Test:8443", "https", "a.test", 8443, "/", "/", NULL },
		{ "http://a.test?q", "http", "a.test", 0, "/?q", "/", "q" },
		{ "http://a.test/x?", "http", "a.test", 0, "/x?", "/x", "" },
		{ "http://a.test./#f", "http", "a.test", 0, "/", "/", NULL },
		{ "http://[::1]:81/", "http", "[::1]", 81, "/", "/", NULL },
		{ "http://b\xc3\xbc"
		  "cher.test/",
		    "http", "xn--bcher-kva.test", 0, "/", "/", NULL },
		{ "http://\xd0\x9f\xd1\x80\xd0\xb8\xd0\xbc\xd0\xb5\xd1\x80.test/", "http",
		    "xn--e1afmkfd.test", 0, "/", "/", NULL },
		{ "/blog/?p=2", NULL, NULL, 0, "/blog/?p=2", "/blog/", "p=2" },
		{ "//x", NULL, NULL, 0, "//x", "//x", NULL },
		{ "http://a.test/A%20b c", "http", "a.test", 0, "/A%20b c", "/A%20b c",
		    NULL },
	};
	struct ngc_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct url_case *c = &cases[i];
		struct ngc_url *u;

		ck_assert_msg(ngc_url_parse(ngc_bytes_of(c->text), &u, &err) == NGC_OK,
		    "%s: %s", c->text, err.text);
		check_is(u->text, c->text, c->text);
		check_is(u->scheme, c->scheme, c->text);
		check_is(u->host, c->host, c->text);
		ck_assert_uint_eq(u->port, c->port);
		check_is(u->target, c->target, c->text);
		check_is(u->path, c->path, c->text);
		check_is(u->query, c->query, c->text);
		ngc_url_free(u);
	}
}
END_TEST

START_TEST(what_is_no_url_is_refused)
{
	static const char *const cases[] = { "", "www.a.test", "ftp://a.test/",
		"http:///x", "http://", "http://u@a.test/", "http://u:p@a.test/",
		"http://a.test:0/", "http://a.test:65536/", "http://a.test:8o/",
		"http://a b/", "http://a%2e/", "http://[::1/", "http://a.test/\n",
		"/a\x7f", "http://.a/", "http://\xff/", "http://a\"b/",
		"https:/a.test/" };
	struct ngc_error err;
	struct ngc_url *u;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(ngc_url_parse(ngc_bytes_of(cases[i]), &u, &err) ==
				  NGC_INVALID,
		    "%s", cases[i]);
		ck_assert_ptr_null(u);
	}
	ck_assert_int_eq(ngc_url_parse(ngc_bytes("/a\0b", 4), &u, &err), NGC_INVALID);
}
END_TEST

START_TEST(the_authority_is_kept_as_typed)
{
	struct ngc_error err;
	struct ngc_url *u;

	ck_assert_int_eq(ngc_url_parse(ngc_bytes_of("http://CDN.Test.:80/x"), &u, &err),
	    NGC_OK);
	check_is(u->authority, "CDN.Test.:80", "authority");
	check_is(u->host, "cdn.test", "host");
	ngc_url_free(u);
}
END_TEST

struct path_case {
	const char *path, *merged, *kept; /* NULL: refused */
};

START_TEST(paths_are_normalised_as_nginx_does)
{
	static const struct path_case cases[] = {
		{ "/", "/", "/" },
		{ "/a//b", "/a/b", "/a//b" },
		{ "///", "/", "///" },
		{ "/a/./b/../c", "/a/c", "/a/c" },
		{ "/a/.", "/a/", "/a/" },
		{ "/a/b/..", "/a/", "/a/" },
		{ "/a/..", "/", "/" },
		{ "/a//../b", "/b", "/a/b" },
		{ "/..", NULL, NULL },
		{ "/a/../..", NULL, NULL },
		{ "/a%2fb%20c", "/a/b c", "/a/b c" },
		{ "/%2e%2E/x", NULL, NULL },
		{ "/a/%2e%2e/x", "/x", "/x" },
		{ "/%3f%23%25", "/?#%", "/?#%" },
		{ "/a+b", "/a+b", "/a+b" },
		{ "/%00", NULL, NULL },
		{ "/%zz", NULL, NULL },
		{ "/%4", NULL, NULL },
		{ "/...", "/...", "/..." },
		{ "/.a/..b", "/.a/..b", "/.a/..b" },
		{ "x", NULL, NULL },
		{ "", NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct path_case *c = &cases[i];
		struct ngc_buf b = { 0 };

		ngc_buf_add_char(&b, '#');
		ck_assert_msg(ngc_url_normalise(ngc_bytes_of(c->path), &b) ==
				  (c->merged != NULL),
		    "%s", c->path);
		check_is(ngc_bytes_from(ngc_buf_bytes(&b), 1), c->merged ? c->merged : "",
		    c->path);
		b.n = 1;
		ck_assert_msg(ngc_url_resolve(ngc_bytes_of(c->path), &b) ==
				  (c->kept != NULL),
		    "%s", c->path);
		check_is(ngc_bytes_from(ngc_buf_bytes(&b), 1), c->kept ? c->kept : "",
		    c->path);
		ngc_buf_free(&b);
	}
}
END_TEST

UNIT_MAIN("url", urls_are_taken_apart, what_is_no_url_is_refused,
    the_authority_is_kept_as_typed, paths_are_normalised_as_nginx_does)
