/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf.h"

#include "ngc/explain.h"
#include "ngc/route.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct row {
	const char *text; /* of the http block */
	const char
	    *want; /* what the refusal says; NULL: nginx accepts it, and so do we */
};

static void check_rows(const char *before, const struct row *rows, size_t n,
    const char *after)
{
	for (size_t i = 0; i < n; i++) {
		struct ngc_buf b = { 0 };

		ngc_buf_printf(&b, "http {\n%s%s%s }", before, rows[i].text, after);
		if (rows[i].want != NULL)
			conf_refused(ngc_buf_str(&b), rows[i].want);
		else
			ngc_conf_free(conf_of(ngc_buf_str(&b)));
		ngc_buf_free(&b);
	}
}

START_TEST(maps_are_checked)
{
	static const struct row rows[] = {
		{ "map $uri { a b; }", "nginx.conf:2: invalid number of arguments in" },
		{ "map $uri $x;", "directive \"map\" has no opening \"{\"" },
		{ "map $uri x { }", "invalid variable name \"x\"" },
		{ "map $uri $ { }", "invalid variable name \"$\"" },
		{ "map $uri $x { a b c; }", "invalid number of the map parameters" },
		{ "map $uri $x { a; }", "invalid number of the map parameters" },
		{ "map $uri $x { volatile a b; }", "invalid number of the map" },
		{ "map $uri $x {\n a 1;\n A 2; }", ":4: conflicting parameter \"A\"" },
		{ "map $uri $x { '' 1; '' 2; }", "conflicting parameter \"\"" },
		{ "map $uri $x { \\a 1; a 2; }", "conflicting parameter \"a\"" },
		{ "map $uri $x { default 1; default 2; }", "duplicate default map" },
		{ "map $uri $x { hostnames; .a 1; a 2; }", "conflicting parameter" },
		{ "map $uri $x { hostnames; .a 1; *.a 2; }", "conflicting parameter" },
		{ "map $uri $x { hostnames; a.* 1; a.* 2; }", "conflicting parameter" },
		{ "map $uri $x { hostnames; a*b 1; }", "invalid hostname or wildcard" },
		{ "map $uri $x { hostnames; a..b 1; }", "invalid hostname or wildcard" },
		{ "map $uri $x { hostnames; a 1; *.a 2; a.* 3; .b 4; ~a 5; ~a 6; }",
		    NULL },
		{ "map $uri $x { volatile; .a 1; a 2; a*b 3; default 4; Default 5; }",
		    NULL },
		{ "map $uri $x { default 1; \\default 2; hostnames; }", NULL },
		{ "map $uri $x { a 1; } map $uri $y { a 1; }", NULL },
		{ "map $uri $x { }", NULL },
	};

	check_rows("", rows, N(rows), "");
}
END_TEST

START_TEST(a_map_of_many_lines_is_read_at_once)
{
	struct ngc_buf b = { 0 };

	ngc_buf_add_str(&b, "http { map $uri $x {");
	for (unsigned i = 0; i < 100000; i++)
		ngc_buf_printf(&b, " k%u %u;", i, i);
	ngc_buf_add_str(&b, "\nK99999 1; } }");
	conf_refused(ngc_buf_str(&b), ":2: conflicting parameter \"K99999\"");
	ngc_buf_free(&b);
}
END_TEST

START_TEST(geo_is_checked)
{
	static const struct row rows[] = {
		{ "geo { }", "invalid number of arguments in \"geo\"" },
		{ "geo x { }", "invalid variable name \"x\"" },
		{ "geo uri $x { }", "invalid variable name \"uri\"" },
		{ "geo $x { a; }", "invalid number of the geo parameters" },
		{ "geo $x { 10.0.0.0/33 a; }", "invalid network \"10.0.0.0/33\"" },
		{ "geo $x { 10.0.0/8 a; }", "invalid network \"10.0.0/8\"" },
		{ "geo $x { 10.0.0.256 a; }", "invalid network \"10.0.0.256\"" },
		{ "geo $x { ::1/129 a; }", "invalid network \"::1/129\"" },
		{ "geo $x { 1.2.3.4/ a; }", "invalid network \"1.2.3.4/\"" },
		{ "geo $x { zz a; }", "invalid network \"zz\"" },
		{ "geo $x { proxy zz; }", "invalid network \"zz\"" },
		{ "geo $x { delete zz; }", "invalid network \"zz\"" },
		{ "geo $x { ranges; 1.2.3.4 a; }", "invalid range \"1.2.3.4\"" },
		{ "geo $x { ranges; 1.2.3.4-1.2.3.3 a; }", "invalid range" },
		{ "geo $x { ranges; ranges; 1.2.3.4-1.2.3.5 a; default b; }", NULL },
		{ "geo $x { default 1; default 2; proxy ::1; proxy_recursive; }", NULL },
		{ "geo $uri $x { 10.0.0.1/24 a; 1..2.3 b; 255.255.255.255 c; }", NULL },
		{ "geo $x { 2001:DB8::/32 a; ::ffff:1.2.3.4 b; delete 1.2.3.4; }", NULL },
	};

	check_rows("", rows, N(rows), "");
}
END_TEST

START_TEST(split_clients_is_checked)
{
	static const struct row rows[] = {
		{ "split_clients $x { }", "invalid number of arguments" },
		{ "split_clients $uri x { }", "invalid variable name \"x\"" },
		{ "split_clients $uri $x { 60% a; 60% b; }", "percent total is greater" },
		{ "split_clients $uri $x { * a; 5% b; }", "percent total is greater" },
		{ "split_clients $uri $x { 0% a; }", "invalid percent value \"0%\"" },
		{ "split_clients $uri $x { 1.234% a; }", "invalid percent value" },
		{ "split_clients $uri $x { 10 a; }", "invalid percent value \"10\"" },
		{ "split_clients $uri $x { .5% a; 5.% b; 94.5% c; * d; }", NULL },
	};

	check_rows("", rows, N(rows), "");
}
END_TEST

START_TEST(conditions_are_checked)
{
	static const struct row rows[] = {
		{ "if $uri { }", "invalid condition \"$uri\"" },
		{ "if ($uri { }", "invalid condition \"($uri\"" },
		{ "if (!$uri) { }", "invalid condition \"!$uri\"" },
		{ "if () { }", "invalid condition \")\"" },
		{ "if ( ) { }", "invalid condition \")\"" },
		{ "if ($) { }", "invalid condition \"$\"" },
		{ "if ($uri=/a) { }", "unknown \"uri=/a\" variable" },
		{ "if (${uri} = a) { }", "unknown \"{uri}\" variable" },
		{ "if ($uri == a) { }", "unexpected \"==\" in condition" },
		{ "if ($uri = ) { }", "invalid condition \"$uri\"" },
		{ "if ($uri ~ a b) { }", "invalid condition \"$uri\"" },
		{ "if (-z a) { }", "invalid condition \"-z\"" },
		{ "if (-f) { }", "invalid condition \"-f\"" },
		{ "if (-f a b) { }", "invalid condition \"-f\"" },
		{ "if (a) { }", "invalid condition \"a\"" },
		{ "if ($uri);", "directive \"if\" has no opening \"{\"" },
		{ "if ($uri) { } if ( $uri ) { } if ($uri = '') { }", NULL },
		{ "if ( $uri ~ a ) { } if ($uri !~* 'a b') { } if ($uri != a){ }", NULL },
		{ "if (!-f $request_filename) { } if ( -d a ) { } if (-x a) { }", NULL },
		{ "set $a=b 1; if ($a=b) { } if ($arg_x-y) { }", NULL },
	};

	check_rows("server { ", rows, N(rows), " }");
	check_rows("server { location / { ", rows, N(rows), " } }");
}
END_TEST

START_TEST(the_other_directives_are_checked)
{
	static const struct row rows[] = {
		{ "set $x;", "invalid number of arguments in \"set\"" },
		{ "set x y;", "invalid variable name \"x\"" },
		{ "set $a b { }", "directive \"set\" is not terminated by \";\"" },
		{ "rewrite a;", "invalid number of arguments in \"rewrite\"" },
		{ "rewrite a b foo;", "invalid parameter \"foo\"" },
		{ "rewrite a '';", "empty replacement" },
		{ "return;", "invalid number of arguments in \"return\"" },
		{ "return abc;", "invalid return code \"abc\"" },
		{ "return 1000;", "invalid return code \"1000\"" },
		{ "return http://a b;", "invalid return code \"http://a\"" },
		{ "return $x;", "invalid return code \"$x\"" },
		{ "break x;", "invalid number of arguments in \"break\"" },
		{ "try_files a;", "invalid number of arguments in \"try_files\"" },
		{ "try_files a =a;", "invalid code \"=a\"" },
		{ "try_files a =1000;", "invalid code \"=1000\"" },
		{ "error_page 404;", "invalid number of arguments in \"error_page\"" },
		{ "error_page 99 /a;", "value \"99\" must be between 300 and 599" },
		{ "error_page 499 /a;", "invalid value \"499\"" },
		{ "error_page = /a;", "invalid value \"=\"" },
		{ "error_page 404 =x /a;", "invalid value \"=x\"" },
		{ "slice abc;", "\"slice\" directive invalid value" },
		{ "proxy_cache_convert_head maybe;", "it must be \"on\" or \"off\"" },
		{ "proxy_cache_methods FOO;", "invalid value \"FOO\"" },
		{ "scgi_cache_valid 200 1q;", "invalid time value \"1q\"" },
		{ "proxy_cache_valid any;", "invalid time value \"any\"" },
		{ "uwsgi_cache_valid 99 1m;", "invalid status \"99\"" },
		{ "proxy_cache_bypass;", "invalid number of arguments" },
		{ "fastcgi_no_cache;", "invalid number of arguments" },
		{ "root;", "invalid number of arguments in \"root\"" },
		{ "proxy_pass;", "invalid number of arguments in \"proxy_pass\"" },
		{ "proxy_pass ftp://a;", "invalid URL prefix" },
		{ "proxy_pass a;", "invalid URL prefix" },
		{ "proxy_pass http:///a;", "no host in upstream \"/a\"" },
		{ "proxy_pass HTTPS://a;", NULL },
		{ "proxy_pass http://unix:/s:/a;", NULL },
		{ "proxy_pass $scheme://a;", NULL },
		{ "set $a-b ''; break; slice 1m; proxy_cache_convert_head OFF;", NULL },
		{ "rewrite a b; rewrite a http://b permanent;", NULL },
		{ "return 444; return 200 ''; return $scheme://a; return 301 a;", NULL },
		{ "try_files a b;", NULL },
		{ "try_files $uri =404;", NULL },
		{ "try_files $uri @x;", NULL },
		{ "error_page 404 500 /a; error_page 404 = @a; error_page 404 =200 /x;",
		    NULL },
		{ "proxy_cache_methods get POST GET; fastcgi_cache_methods HEAD;", NULL },
		{ "proxy_cache_valid 1y; proxy_cache_valid 200 any '1h 30m';", NULL },
	};

	check_rows("server { location / { ", rows, N(rows), " } }");
}
END_TEST

START_TEST(a_location_is_there_once)
{
	static const struct row rows[] = {
		{ "location / { }\nlocation / { }", "nginx.conf:3: duplicate location" },
		{ "location /a { } location ^~ /a { }", "duplicate location \"/a\"" },
		{ "location = /a { } location =/a { }", "duplicate location \"/a\"" },
		{ "location / { location /a { } location /a { } }", "duplicate" },
		{ "location /a;", "directive \"location\" has no opening \"{\"" },
		{ "location / { } location = / { } location /A { } location /a { }",
		    NULL },
		{ "location ~ a { } location ~ a { } location @a { } location @a { }",
		    NULL },
		{ "location / { location / { } }", NULL },
	};

	check_rows("server { ", rows, N(rows), " }");
	ngc_conf_free(
	    conf_of("http { server { location / { } } server { location / { } } }"));
}
END_TEST

START_TEST(what_is_not_http_is_not_checked)
{
	ngc_conf_free(conf_of("stream { map $a { b c d; } server { return a b c; } }"
			      "http { upstream u { set x; } types { map a; } }"));
}
END_TEST

/* Follow http://h/a in a server; want: what it is refused with, or NULL. */
static void follow(const char *text, const char *want)
{
	struct ngc_url url = { .scheme = ngc_bytes_of("http"),
		.host = ngc_bytes_of("h"),
		.authority = ngc_bytes_of("h"),
		.target = ngc_bytes_of("/a") };
	struct ngc_explain_request req = { .url = &url, .method = ngc_bytes_of("GET") };
	struct ngc_buf b = { 0 };
	struct ngc_error err = { 0 };
	struct ngc_explanation *e;
	struct ngc_cover *cover;
	struct ngc_router *r;
	struct ngc_conf *c;
	const struct ngc_zone *zone;

	ngc_buf_printf(&b,
	    "http { proxy_cache_path /c keys_zone=a:1m; proxy_cache a; "
	    "proxy_cache_key $uri$m;\n%s }",
	    text);
	c = conf_of(ngc_buf_str(&b));
	zone = ngc_conf_zone(c, 0);
	for (unsigned all = 0; all < 2; all++) {
		enum ngc_code code;

		ck_assert_int_eq(ngc_router_new(c, &zone, 1, &r, &err), NGC_OK);
		code = all ? ngc_route_cover(r, &url, NULL, &cover, &err)
			   : ngc_route_explain(r, &req, &e, &err);
		ck_assert_int_eq(code, want != NULL ? NGC_INVALID : NGC_OK);
		if (want != NULL)
			ck_assert_msg(strstr(err.text, want) != NULL, "'%s'", err.text);
		else if (all)
			ngc_cover_free(cover);
		else
			ngc_explanation_free(e);
		ngc_router_free(r);
	}
	ngc_conf_free(c);
	ngc_buf_free(&b);
}

START_TEST(a_regex_that_is_tried_must_compile)
{
#define PASS "location / { proxy_pass http://u; }"
#define MAP  "map 1 $m { default ''; } "

	follow(MAP "server { location ~ ( { } " PASS " }",
	    "/etc/nginx/nginx.conf:2: \"(\": missing closing parenthesis");
	follow(MAP "server {\nrewrite a( /b; " PASS " }", ":3: \"a(\": missing");
	follow(MAP "server { if ($uri ~* x( ) { } " PASS " }", ":2: \"x(\": missing");
	follow(MAP "server { server_name ~h(; } server { " PASS " }", "\"h(\": missing");
	follow("map $uri $m { ~*b( a; } server { " PASS " }", "\"b(\": missing");
	follow(MAP "server { " PASS " } server { server_name b; location ~ ( { } }",
	    NULL);
	follow(MAP "server { location = /a { proxy_pass http://u; } location ~ ( { } }",
	    NULL);
}
END_TEST

UNIT_MAIN("check", maps_are_checked, a_map_of_many_lines_is_read_at_once, geo_is_checked,
    split_clients_is_checked, conditions_are_checked, the_other_directives_are_checked,
    a_location_is_there_once, what_is_not_http_is_not_checked,
    a_regex_that_is_tried_must_compile)
