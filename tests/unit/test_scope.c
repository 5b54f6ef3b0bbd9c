/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/route.h"

#include "conf.h"

/* What a URL covers under --strict, --any-query, --any-slash and --any-host. */

static const char text[] =
    "http { proxy_cache_path /z keys_zone=z:1m; proxy_cache z;"
    "map $http_user_agent $device { default d; ~*mobile m; }"
    "server { listen 80; listen 443 ssl; server_name a.test www.a.test .dot.test;"
    " proxy_cache_key $scheme$request_method$host$request_uri;"
    " location / { proxy_pass http://u; }"
    " location /parts { proxy_pass http://u; proxy_cache_key $host$uri$is_args$args; }"
    " location /bare { proxy_pass http://u; proxy_cache_key $host$uri$args; }"
    " location /arg { proxy_pass http://u; proxy_cache_key $arg_p|$uri; }"
    " location /device { proxy_pass http://u; proxy_cache_key $device$uri; }"
    " location /cookie { proxy_pass http://u; proxy_cache_key $cookie_c|$request_uri; }"
    " location /default { proxy_pass http://u/x; proxy_cache_key "
    "$proxy_host$request_uri; }"
    " location /front { rewrite ^(.*)$ /index.php?q=$1 last; }"
    " location /branch { set $k n; if ($args ~ s) { set $k s; } proxy_pass http://u;"
    "   proxy_cache_key $k$uri; }"
    " location = /index.php { proxy_pass http://u; proxy_cache_key $uri?$args; } }"
    "server { listen 80; server_name b.test ~^r[0-9]+[.]test$ www.a.test;"
    " location / { proxy_pass http://u; proxy_cache_key $host$uri; } }"
    "server { listen 80 default_server; server_name _;"
    " location / { proxy_pass http://u; proxy_cache_key $host$uri; } }"
    "}";

struct site {
	struct ngc_conf *conf;
	struct ngc_router *router;
	const struct ngc_zone *zone;
};

static void site_open(struct site *s)
{
	struct ngc_error err;

	s->conf = conf_of(text);
	s->zone = ngc_conf_zone(s->conf, 0);
	ck_assert_msg(ngc_router_new(s->conf, &s->zone, 1, &s->router, &err) == NGC_OK,
	    "%s", err.text);
}

static void site_close(struct site *s)
{
	ngc_router_free(s->router);
	ngc_conf_free(s->conf);
}

static struct ngc_cover *cover_of(const struct site *s, const char *url,
    const struct ngc_scope *scope)
{
	struct ngc_url *u;
	struct ngc_cover *c;
	struct ngc_error err;

	ck_assert_int_eq(ngc_url_parse(ngc_bytes_of(url), &u, &err), NGC_OK);
	ck_assert_int_eq(ngc_route_cover(s->router, u, scope, &c, &err), NGC_OK);
	ngc_url_free(u);
	return c;
}

struct row {
	const char *url;
	struct ngc_scope scope;
	const char *yes[6], *no[6];
	bool walk, more_hosts;
};

static void check_row(const struct site *s, const struct row *r)
{
	struct ngc_cover *c = cover_of(s, r->url, &r->scope);
	bool ambiguous;

	for (size_t i = 0; i < 6 && r->yes[i] != NULL; i++)
		ck_assert_msg(ngc_cover_match(c, s->zone, ngc_bytes_of(r->yes[i]),
				  &ambiguous),
		    "%s does not cover %s", r->url, r->yes[i]);
	for (size_t i = 0; i < 6 && r->no[i] != NULL; i++)
		ck_assert_msg(!ngc_cover_match(c, s->zone, ngc_bytes_of(r->no[i]),
				  &ambiguous),
		    "%s covers %s", r->url, r->no[i]);
	ck_assert_msg((c->n_open > 0) == r->walk, "%s: walk", r->url);
	ck_assert_msg(c->more_hosts == r->more_hosts, "%s: more hosts", r->url);
	ngc_cover_free(c);
}

static void check_rows(const struct row *rows, size_t n)
{
	struct site s;

	site_open(&s);
	for (size_t i = 0; i < n; i++)
		check_row(&s, &rows[i]);
	site_close(&s);
}

#define STRICT    { .strict = true }
#define ANY_QUERY { .any_query = true }
#define ANY_SLASH { .any_slash = true }
#define ANY_HOST  { .any_host = true }

START_TEST(strict_is_the_one_request)
{
	static const struct row rows[] = {
		{ "http://a.test/x", STRICT, { "httpGETa.test/x" },
		    { "httpsGETa.test/x", "httpHEADa.test/x" }, false, false },
		{ "https://a.test/%c3%a9", STRICT, { "httpsGETa.test/%c3%a9" },
		    { "httpGETa.test/%c3%a9", "httpsGETa.test/%C3%A9" }, false, false },
		{ "http://a.test/device", STRICT, { "d/device" }, { "m/device" }, false,
		    false },
		{ "http://a.test/cookie", STRICT, { "|/cookie" }, { "1|/cookie" }, false,
		    false },
		{ "http://a.test/branch", STRICT, { "n/branch" }, { "s/branch" }, false,
		    false },
		{ "http://a.test:81/x", STRICT, { NULL },
		    { "httpGETa.test/x", "httpGETa.test:81/x" }, false, false },
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}
END_TEST

START_TEST(any_query_is_every_query_and_none)
{
	static const struct row rows[] = {
		{ "http://a.test/x?z", ANY_QUERY,
		    { "httpGETa.test/x", "httpsHEADa.test/x?a=1", "httpGETa.test/x?" },
		    { "httpGETa.test/x1", "httpGETa.test/x/?a", "httpGETb.test/x?a" },
		    true, false },
		{ "http://a.test/parts", ANY_QUERY,
		    { "a.test/parts", "a.test/parts?a=/", "a.test/parts?b&c" },
		    { "a.test/partsa=1", "a.test/parts/?a" }, true, false },
		{ "http://a.test/bare", ANY_QUERY, { "a.test/bare" },
		    { "a.test/barea=1" }, true, false },
		{ "http://a.test/arg", ANY_QUERY, { "|/arg", "7|/arg" },
		    { "|/arg?p=7", "7|/argo" }, true, false },
		{ "http://a.test/default", ANY_QUERY, { "u/default", "u/default?x" },
		    { "u/defaults" }, true, false },
		{ "http://a.test/front", ANY_QUERY,
		    { "/index.php?q=/front", "/index.php?q=/front&p=2" },
		    { "/index.php?q=/front2", "/index.php?q=/frontp=2" }, true, false },
		{ "http://a.test/branch", ANY_QUERY, { "n/branch", "s/branch" },
		    { "x/branch" }, false, false },
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}
END_TEST

START_TEST(any_slash_is_the_path_with_and_without_it)
{
	static const struct row rows[] = {
		{ "http://a.test/x?q", ANY_SLASH,
		    { "httpGETa.test/x?q", "httpGETa.test/x/?q" },
		    { "httpGETa.test/x", "httpGETa.test/x//?q" }, false, false },
		{ "http://a.test/x/", ANY_SLASH,
		    { "httpGETa.test/x", "httpGETa.test/x/" }, { "httpGETa.test/" },
		    false, false },
		{ "http://a.test/", ANY_SLASH, { "httpGETa.test/" }, { "httpGETa.test" },
		    false, false },
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}
END_TEST

START_TEST(any_host_is_every_name_of_the_server)
{
	static const struct row rows[] = {
		{ "http://a.test/x", ANY_HOST,
		    { "httpGETa.test/x", "httpsGETwww.a.test/x", "httpGETdot.test/x" },
		    { "httpGETb.test/x", "httpGETsub.dot.test/x", "b.test/x" }, false,
		    true },
		/* www.a.test is the first server's. */
		{ "http://b.test/x", ANY_HOST, { "b.test/x" },
		    { "www.a.test/x", "a.test/x", "httpGETa.test/x" }, false, true },
		{ "http://other.test/x", ANY_HOST, { "other.test/x" }, { "b.test/x" },
		    false, true },
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}
END_TEST

START_TEST(scopes_go_together)
{
	static const struct row rows[] = {
		{ "http://a.test/x",
		    { .strict = true, .any_query = true, .any_slash = true },
		    { "httpGETa.test/x", "httpGETa.test/x/?q", "httpGETa.test/x?q" },
		    { "httpsGETa.test/x", "httpHEADa.test/x?q", "httpGETa.test/x/y" },
		    true, false },
		{ "http://a.test/cookie", { .strict = true, .any_query = true },
		    { "|/cookie", "|/cookie?q" }, { "1|/cookie" }, true, false },
		{ "http://a.test/x", { .strict = true, .any_host = true },
		    { "httpGETa.test/x", "httpGETwww.a.test/x" },
		    { "httpsGETa.test/x", "httpGETb.test/x" }, false, true },
	};

	check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}
END_TEST

static bool same_server(const struct site *s, const char *host, const char *other)
{
	return ngc_route_same_server(s->router, ngc_bytes_of(host), ngc_bytes_of(other));
}

START_TEST(hosts_of_a_server_are_told_by_its_names)
{
	struct site s;

	site_open(&s);
	ck_assert(same_server(&s, "a.test", "www.a.test"));
	ck_assert(same_server(&s, "a.test", "x.dot.test"));
	ck_assert(same_server(&s, "b.test", "r12.test"));
	ck_assert(!same_server(&s, "b.test", "www.a.test"));
	ck_assert(!same_server(&s, "a.test", "b.test"));
	/* It is the default of its port 443, but that is not by its names. */
	ck_assert(!same_server(&s, "a.test", "other.test"));
	ck_assert(same_server(&s, "other.test", "another.test"));
	ck_assert(!same_server(&s, "other.test", "a.test"));
	site_close(&s);
}
END_TEST

UNIT_MAIN("scope", strict_is_the_one_request, any_query_is_every_query_and_none,
    any_slash_is_the_path_with_and_without_it, any_host_is_every_name_of_the_server,
    scopes_go_together, hosts_of_a_server_are_told_by_its_names)
