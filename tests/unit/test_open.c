/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/explain.h"

#include "conf.h"

/* Keys that a URL does not determine: which it takes, which it leaves, what explain calls
 * unknown. */

static const char text[] =
    "http { proxy_cache_path /c keys_zone=main:1m; proxy_cache_path /d1 "
    "keys_zone=disk_1:1m;"
    "proxy_cache_path /d2 keys_zone=disk_2:1m; proxy_cache main;"
    "map $http_user_agent $device { default ''; ~*mobile m_; ~*tablet t_; }"
    "map $cookie_z $zone { 1 disk_1; 2 disk_2; default off; }"
    "map $cookie_lang $lang { de de; fr fr; default $http_accept_language; }"
    "map $geoip_country_code $geozone { DE disk_1; default disk_2; }"
    "map $geoip_country_code $geooff { DE disk_1; default off; }"
    "map $arg_k $late { ~^(.+)$ late; default none; }"
    "map $http_origin $cors { ~^https://(?<cors_host>.*)$ $http_origin; default ''; }"
    "map $http_cookie $wp { default 0; ~wordpress_logged_in 1;"
    " '~session=(?<sid>[a-z]+)' 0; }"
    "geo $near { default far; 10.0.0.0/8 near; }"
    "split_clients $remote_addr $half { 50% a; * b; }"
    "server { listen 80; server_name a.test;"
    " location /device { proxy_pass http://u; proxy_cache_key $device$uri; }"
    " location /cookie { proxy_pass http://u; proxy_cache_key $uri$cookie_lang; }"
    " location /parted { proxy_pass http://u; proxy_cache_key $uri|$cookie_lang; }"
    " location /method { proxy_pass http://u; proxy_cache_key "
    "$uri$request_method$http_x; }"
    " location /before { proxy_pass http://u; proxy_cache_key $http_x$host$uri; }"
    " location /accept { proxy_pass http://u; proxy_cache_key $uri$http_accept; }"
    " location /coding { proxy_pass http://u; proxy_cache_key $uri$http_accept_encoding; "
    "}"
    " location /lang { proxy_pass http://u; proxy_cache_key $uri$lang; }"
    " location /origin { proxy_pass http://u; proxy_cache_key $uri$http_origin; }"
    " location /slice { slice 1m; proxy_pass http://u; proxy_cache_key $uri$slice_range; "
    "}"
    " location /addr { proxy_pass http://u; proxy_cache_key $uri$remote_addr; }"
    " location /geo { proxy_pass http://u; proxy_cache_key $near$uri; }"
    " location /half { proxy_pass http://u; proxy_cache_key $half$uri; }"
    " location /geoip { proxy_pass http://u; proxy_cache_key $uri|$geoip_country_code; }"
    " location ~ ^/city(?<geoip_city_of>)$ { set $city $geoip_city;"
    "   set $n $geoip_country_code;"
    "   proxy_pass http://u; proxy_cache_key $city|$geoip_city; }"
    " location /lua { set_by_lua_block $x { return 1 } proxy_pass http://u;"
    "   proxy_cache_key $uri|$x; }"
    " location /access { set $x 1; access_by_lua_block { ngx.var.x = 2 } proxy_pass "
    "http://u;"
    "   proxy_cache_key $uri|$x; }"
    " location /zone { proxy_cache $zone; proxy_pass http://u; proxy_cache_key $uri; }"
    " location /freezone { proxy_cache disk_$cookie_n; proxy_pass http://u; "
    "proxy_cache_key $uri; }"
    " location /if { set $k a; if ($http_cookie ~ logged_in) { set $k b; } proxy_pass "
    "http://u;"
    "   proxy_cache_key $k$uri; }"
    " location /unused { set $k a; if ($http_cookie ~ logged_in) { set $k b; }"
    "   if ($geoip_city_name) { set $k c; } proxy_pass http://u; proxy_cache_key $uri; }"
    " location /return { if ($http_x) { return 403; } proxy_pass http://u; "
    "proxy_cache_key r$uri; }"
    " location /rewrite { if ($cookie_ab ~ ^b) { rewrite ^ /parted/b last; } proxy_pass "
    "http://u;"
    "   proxy_cache_key r$uri; }"
    " location /body { proxy_cache_methods POST; proxy_pass http://u;"
    "   proxy_cache_key $request_method$uri|$request_body; }"
    " location /valid { proxy_cache_valid 1m; proxy_pass http://u; proxy_cache_key $uri; "
    "}"
    " location /nocache { set $n 1; proxy_no_cache $cookie_x $n; proxy_cache_valid 1m;"
    "   proxy_pass http://u; }"
    " location /bypass { proxy_cache_bypass $host; proxy_cache_valid 1m; proxy_pass "
    "http://u; }"
    " location /doubt { proxy_no_cache $geoip_x; proxy_cache_valid 1m; proxy_pass "
    "http://u; }"
    " location /gone { return 410; }"
    " location /geozone { proxy_cache $geozone; proxy_pass http://u; proxy_cache_key "
    "$uri; }"
    " location /geooff { proxy_cache $geooff; proxy_pass http://u; proxy_cache_key $uri; "
    "}"
    " location /try { try_files $uri /app?lang=$cookie_lang; }"
    " location /app { proxy_pass http://u; proxy_cache_key $uri|$args; }"
    " location ~ ^/short/(..)$ { proxy_pass http://u; proxy_cache_key $1|$late|; }"
    " location /lost { rewrite ^/lost(.*)$ /to/$cookie_l$1 last; }"
    " location /to { proxy_pass http://u; proxy_cache_key to|$request_uri|$uri|$args; }"
    " location /lostpass { rewrite ^/lostpass(.*)$ /pass/$cookie_l$1?a=b last; }"
    " location /pass/ { proxy_pass http://up; }"
    " location /cors { proxy_pass http://u; proxy_cache_key $cors|$cors_host|$uri; }"
    " location /wp { proxy_pass http://u; proxy_cache_key $wp|$sid|$uri; }"
    " location /thirteen { proxy_pass http://u; proxy_cache_key "
    "$uri|$cookie_a|$cookie_b|$cookie_c|$cookie_d|$cookie_e|$cookie_f|$cookie_g|"
    "$cookie_h|$cookie_i|$cookie_j|$cookie_k|$cookie_l|$cookie_m|end; }"
    " location /losttwo { rewrite ^ /two/$cookie_l/x last; }"
    " location ~ ^/two/(?<one>.*)/(.*)$ { proxy_pass http://u; proxy_cache_key "
    "$one|$2; }"
    " location /socket { set $to unix:/sock; proxy_pass http://$to; }"
    " location /intercept { proxy_intercept_errors on; error_page 404 /refused;"
    "  proxy_cache_valid 1m; proxy_pass http://u; }"
    " location /nothing { rewrite ^ ?; proxy_pass http://u; }"
    " location /refused { proxy_pass http://u; proxy_cache_key refused|$uri; }"
    " location /guard { proxy_pass http://u; proxy_cache_key $uri;"
    "  location /guard/net { allow 10.0.0.0/8; deny all; proxy_pass http://u; }"
    "  location /guard/one { deny 10.0.0.1; proxy_pass http://u; }"
    "  location /guard/nets { allow 10.0.0.0/8; allow 192.168.0.0/16; allow all;"
    "   deny 10.0.0.1; proxy_pass http://u; error_page 403 /refused; }"
    "  location /guard/page { deny 10.0.0.1; error_page 403 /refused;"
    "   proxy_pass http://u; }"
    "  location /guard/to { auth_request /auth; error_page 403 /refused;"
    "   proxy_pass http://u; }"
    "  location /guard/ask { auth_request /auth; proxy_pass http://u; }"
    "  location /guard/who { auth_basic x; auth_basic_user_file f;"
    "   error_page 401 /refused; proxy_pass http://u; }"
    "  location /guard/any { satisfy any; allow 10.0.0.0/8; deny all; auth_basic x;"
    "   auth_basic_user_file f; error_page 401 /refused; proxy_pass http://u; }"
    " }"
    " location /asked { set $user ''; auth_request /auth; proxy_pass http://u;"
    "  auth_request_set $user $upstream_http_x_user; proxy_cache_key $uri|$user;"
    "  location /asked/off { auth_request off; proxy_pass http://u; }"
    "  location /asked/own { set $user me; auth_request_set $other 1;"
    "   proxy_pass http://u; }"
    "  location /asked/in { proxy_pass http://u; }"
    " }"
    "} }";

struct site {
	struct ngc_conf *conf;
	const struct ngc_zone *zones[8];
	size_t n_zones;
	struct ngc_router *router;
};

static void open_site(struct site *s)
{
	struct ngc_error err;

	*s = (struct site){ .conf = conf_of(text) };
	while ((s->zones[s->n_zones] = ngc_conf_zone(s->conf, s->n_zones)) != NULL)
		s->n_zones++;
	ck_assert_int_eq(ngc_router_new(s->conf, s->zones, s->n_zones, &s->router, &err),
	    NGC_OK);
}

static void close_site(struct site *s)
{
	ngc_router_free(s->router);
	ngc_conf_free(s->conf);
}

static struct ngc_url *url_of(const char *path)
{
	struct ngc_buf b = { 0 };
	struct ngc_url *u;
	struct ngc_error err;

	ngc_buf_printf(&b, "http://a.test%s", path);
	ck_assert_int_eq(ngc_url_parse(ngc_buf_bytes(&b), &u, &err), NGC_OK);
	ngc_buf_free(&b);
	return u;
}

enum want { TAKEN, LEFT, AMBIGUOUS };

struct key_case {
	const char *path, *key;
	enum want want;
};

START_TEST(a_url_takes_what_its_open_parts_can_hold)
{
	static const struct key_case cases[] = {
		{ "/device", "/device", TAKEN },
		{ "/device", "m_/device", TAKEN },
		{ "/device", "t_/device", TAKEN },
		{ "/device", "x_/device", LEFT },
		{ "/cookie", "/cookie", TAKEN },
		{ "/cookie", "/cookiede", AMBIGUOUS },
		{ "/cookie", "/cooki", LEFT },
		{ "/parted", "/parted|", TAKEN },
		{ "/parted", "/parted|any thing", TAKEN },
		{ "/parted", "/parted", LEFT },
		{ "/method", "/methodGETx", TAKEN },
		{ "/method", "/methodPOST", LEFT },
		{ "/before", "xa.test/before", TAKEN },
		{ "/before", "a.test/beforex", LEFT },
		{ "/accept", "/accept", TAKEN },
		{ "/accept", "/accepttext/html,image/*;q=0.8, */*;q=0.1", TAKEN },
		{ "/accept", "/accept/more", LEFT },
		{ "/accept", "/acceptance/x", LEFT },
		{ "/coding", "/codinggzip, br;q=0.9", TAKEN },
		{ "/coding", "/coding*", TAKEN },
		{ "/coding", "/codings", LEFT },
		{ "/lang", "/langde", TAKEN },
		{ "/lang", "/langde-AT,de;q=0.9", TAKEN },
		{ "/lang", "/lang/x", LEFT },
		{ "/origin", "/originhttps://b.test", TAKEN },
		{ "/origin", "/originnull", TAKEN },
		{ "/origin", "/originhttps://b.test/x", LEFT },
		{ "/slice", "/slicebytes=0-1048575", TAKEN },
		{ "/slice", "/slice", LEFT },
		{ "/slice", "/slicebytes=0-", LEFT },
		{ "/addr", "/addr10.0.0.1", TAKEN },
		{ "/addr", "/addr2001:db8::1", TAKEN },
		{ "/addr", "/addr10.0.0", LEFT },
		{ "/addr", "/address", LEFT },
		{ "/geo", "far/geo", TAKEN },
		{ "/geo", "near/geo", TAKEN },
		{ "/geo", "x/geo", LEFT },
		{ "/half", "b/half", TAKEN },
		{ "/geoip", "/geoip|DE", TAKEN },
		{ "/lua", "/lua|anything", TAKEN },
		{ "/access", "/access|2", TAKEN },
		{ "/if", "a/if", TAKEN },
		{ "/if", "b/if", TAKEN },
		{ "/unused", "/unused", TAKEN },
		{ "/return", "r/return", TAKEN },
		{ "/rewrite", "r/rewrite", TAKEN },
		{ "/rewrite", "/parted/b|x", TAKEN },
		{ "/body", "POST/body|a=1", TAKEN },
		{ "/body", "GET/body|", TAKEN },
		{ "/body", "PUT/body|", LEFT },
		{ "/try", "/app|lang=de", TAKEN },
		{ "/try", "/app|lang=de x", TAKEN },
		{ "/try", "/app|", LEFT },
		{ "/lost/x?q", "to|/lost/x?q|/to/de/x|q", TAKEN },
		{ "/lost/x?q", "to|/lost/x?q|/to/de/y|q", LEFT },
		{ "/lost/x?q", "to|/lost/y?q|/to/de/x|q", LEFT },
		{ "/lost/x?q", "/device", LEFT },
		{ "/lostpass/x?q", "http://up/pass/de/x?a=b&q", TAKEN },
		{ "/lostpass/x?q", "http://up/pass/de/x", LEFT },
		{ "/cors", "https://a.test|a.test|/cors", TAKEN },
		{ "/cors", "||/cors", TAKEN },
		{ "/thirteen", "/thirteen||||||||||||x||end", TAKEN },
		{ "/thirteen", "/thirteen|s|||||||||||||||||||||||||||||end", TAKEN },
		{ "/thirteen", "/thirteen|||||||||||||||||||||||||||||||||bend", LEFT },
		{ "/wp", "0||/wp", TAKEN },
		{ "/wp", "1||/wp", TAKEN },
		{ "/wp", "0|def|/wp", TAKEN },
		{ "/wp", "1|def|/wp", LEFT },
		{ "/losttwo", "de|x", TAKEN },
		{ "/socket", "http://unix:/sockx/socket", TAKEN },
		{ "/guard/net", "/guard/net", TAKEN },
		{ "/guard/nets", "/guard/nets", TAKEN },
		{ "/guard/nets", "refused|/refused", LEFT },
		{ "/guard/page", "/guard/page", TAKEN },
		{ "/guard/page", "refused|/refused", TAKEN },
		{ "/guard/to", "refused|/refused", TAKEN },
		{ "/guard/who", "/guard/who", TAKEN },
		{ "/guard/who", "refused|/refused", TAKEN },
		{ "/guard/any", "/guard/any", TAKEN },
		{ "/guard/any", "refused|/refused", TAKEN },
		{ "/asked", "/asked|bob", TAKEN },
		{ "/asked", "/asked|", TAKEN },
		{ "/asked/in", "/asked/in|bob", TAKEN },
		{ "/asked/off", "/asked/off|", TAKEN },
		{ "/asked/off", "/asked/off|bob", LEFT },
		{ "/asked/own", "/asked/own|me", TAKEN },
		{ "/asked/own", "/asked/own|bob", LEFT },
	};
	struct ngc_error err;
	struct site s;

	open_site(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_url *u = url_of(cases[i].path);
		struct ngc_cover *c;
		bool ambiguous, taken;

		ck_assert_int_eq(ngc_route_cover(s.router, u, NULL, &c, &err), NGC_OK);
		taken = ngc_cover_match(c, s.zones[0], ngc_bytes_of(cases[i].key),
		    &ambiguous);
		ck_assert_msg(taken == (cases[i].want == TAKEN), "%s: %s", cases[i].path,
		    cases[i].key);
		ck_assert_msg(ambiguous == (cases[i].want == AMBIGUOUS),
		    "%s: %s ambiguous", cases[i].path, cases[i].key);
		ck_assert(!c->incomplete);
		ngc_cover_free(c);
		ngc_url_free(u);
	}
	close_site(&s);
}
END_TEST

START_TEST(a_key_of_too_many_parts_makes_a_cover_incomplete)
{
	struct ngc_buf b = { 0 };
	struct ngc_url *u = url_of("/x");
	struct ngc_router *router;
	const struct ngc_zone *zone;
	struct ngc_cover *c;
	struct ngc_conf *conf;
	struct ngc_error err;

	ngc_buf_add_str(&b, "http { proxy_cache_path /c keys_zone=z:1m; proxy_cache z;"
			    "server { listen 80; server_name a.test; location / {"
			    "proxy_pass http://u; proxy_cache_key $uri");
	for (int i = 0; i < 100; i++)
		ngc_buf_add_str(&b, "|$cookie_a");
	ngc_buf_add(&b, "; } } }", sizeof("; } } }"));
	conf = conf_of((const char *)ngc_buf_bytes(&b).p);
	zone = ngc_conf_zone(conf, 0);
	ck_assert_int_eq(ngc_router_new(conf, &zone, 1, &router, &err), NGC_OK);
	ck_assert_int_eq(ngc_route_cover(router, u, NULL, &c, &err), NGC_OK);
	ck_assert(c->incomplete);
	ngc_cover_free(c);
	ngc_router_free(router);
	ngc_conf_free(conf);
	ngc_url_free(u);
	ngc_buf_free(&b);
}
END_TEST

START_TEST(constant_alternatives_need_no_walk)
{
	static const struct {
		const char *path;
		size_t targets;
	} cases[] = { { "/device", 3 }, { "/geo", 2 }, { "/half", 2 }, { "/if", 2 },
		{ "/unused", 1 } };
	struct ngc_error err;
	struct site s;

	open_site(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_url *u = url_of(cases[i].path);
		struct ngc_cover *c;

		ck_assert_int_eq(ngc_route_cover(s.router, u, NULL, &c, &err), NGC_OK);
		ck_assert_msg(c->n_targets == cases[i].targets, "%s: %zu", cases[i].path,
		    c->n_targets);
		ck_assert_uint_eq(c->n_open, 0);
		ngc_cover_free(c);
		ngc_url_free(u);
	}
	close_site(&s);
}
END_TEST

START_TEST(a_zone_that_is_open_is_every_one_it_may_be)
{
	static const char *const paths[] = { "/zone", "/freezone" };
	struct ngc_error err;
	struct site s;

	open_site(&s);
	for (size_t i = 0; i < 2; i++) {
		struct ngc_url *u = url_of(paths[i]);
		struct ngc_bytes key = ngc_bytes_of(paths[i]);
		struct ngc_cover *c;
		bool ambiguous;

		ck_assert_int_eq(ngc_route_cover(s.router, u, NULL, &c, &err), NGC_OK);
		ck_assert(!ngc_cover_match(c, s.zones[0], key, &ambiguous));
		ck_assert(ngc_cover_match(c, s.zones[1], key, &ambiguous));
		ck_assert(ngc_cover_match(c, s.zones[2], key, &ambiguous));
		ck_assert_uint_eq(c->n_targets, 2);
		ngc_cover_free(c);
		ngc_url_free(u);
	}
	close_site(&s);
}
END_TEST

struct explain_case {
	const char *path, *unknown, *key, *zone; /* unknown NULL: all is known */
};

START_TEST(what_a_request_does_not_settle_is_named)
{
	static const struct explain_case cases[] = {
		{ "/device", NULL, "/device", "main" },
		{ "/cookie", NULL, "/cookie", "main" },
		{ "/slice", NULL, "/slicebytes=0-1048575", "main" },
		{ "/addr", "remote_addr", NULL, "main" },
		{ "/geo", "remote_addr", NULL, "main" },
		{ "/half", "remote_addr", NULL, "main" },
		{ "/geoip", "geoip_country_code", NULL, "main" },
		{ "/city", "geoip_city", NULL, "main" },
		{ "/lua", "x", NULL, "main" },
		{ "/access", "x", NULL, "main" },
		{ "/unused", NULL, "/unused", "main" },
		{ "/if", NULL, "a/if", "main" },
		{ "/geozone", "geoip_country_code", "/geozone", NULL },
		{ "/geooff", "geoip_country_code", NULL, NULL },
		{ "/freezone", NULL, NULL, NULL },
		{ "/zone", NULL, NULL, NULL },
		{ "/short/ab?k=c", "1", NULL, "main" },
		{ "/socket", "proxy_pass", NULL, "main" },
		{ "/lost/x", NULL, "to|/lost/x|/to//x|", "main" },
		{ "/short/ab?k=cde", "1", NULL, "main" },
		{ "/guard/net", NULL, "/guard/net", "main" },
		{ "/guard/page", "remote_addr", NULL, "main" },
		{ "/guard/to", "auth_request", NULL, "main" },
		{ "/guard/who", NULL, "refused|/refused", "main" },
		{ "/asked", "user", NULL, "main" },
		{ "/asked/in", "user", NULL, "main" },
		{ "/asked/off", NULL, "/asked/off|", "main" },
		{ "/asked/own", NULL, "/asked/own|me", "main" },
	};
	struct ngc_error err;
	struct site s;

	open_site(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct explain_case *c = &cases[i];
		struct ngc_url *u = url_of(c->path);
		struct ngc_explain_request req = { .url = u,
			.method = ngc_bytes_of("GET") };
		struct ngc_explanation *e;

		ck_assert_int_eq(ngc_route_explain(s.router, &req, &e, &err), NGC_OK);
		ck_assert_msg(c->unknown != NULL
				  ? e->unknown[0] != NULL &&
					strcmp(e->unknown[0], c->unknown) == 0
				  : e->unknown[0] == NULL,
		    "%s: unknown %s", c->path, e->unknown[0]);
		ck_assert_msg((e->key.p == NULL) == (c->key == NULL) &&
				  ngc_bytes_equal(e->key, ngc_bytes_of(c->key)),
		    "%s: %.*s", c->path, (int)e->key.n, (const char *)e->key.p);
		ck_assert_msg(c->zone != NULL
				  ? e->zone != NULL && strcmp(e->zone->name, c->zone) == 0
				  : e->zone == NULL,
		    "%s: zone", c->path);
		ngc_explanation_free(e);
		ngc_url_free(u);
	}
	close_site(&s);
}
END_TEST

struct reason_case {
	const char *path, *method, *reason; /* how the first reason begins; NULL: none */
	enum ngc_cacheable cacheable;
};

START_TEST(explain_tells_what_keeps_a_response_out)
{
	static const struct reason_case cases[] = {
		{ "/device", "GET", "no *_cache_valid", NGC_CACHEABLE_UNKNOWN },
		{ "/device", "POST", "the method is not cached", NGC_CACHEABLE_NO },
		{ "/zone", "GET", "the cache is off", NGC_CACHEABLE_NO },
		{ "/nocache", "GET", "proxy_no_cache", NGC_CACHEABLE_NO },
		{ "/bypass", "GET", "proxy_cache_bypass", NGC_CACHEABLE_YES },
		{ "/valid", "GET", NULL, NGC_CACHEABLE_YES },
		{ "/doubt", "GET", "proxy_no_cache", NGC_CACHEABLE_UNKNOWN },
		{ "/gone", "GET", "answered by nginx", NGC_CACHEABLE_NO },
		{ "/nothing", "GET", "rewritten to nothing", NGC_CACHEABLE_NO },
		{ "/guard/net", "GET", "allow (", NGC_CACHEABLE_UNKNOWN },
		{ "/guard/one", "GET", "deny (", NGC_CACHEABLE_UNKNOWN },
		{ "/guard/nets", "GET", "no *_cache_valid", NGC_CACHEABLE_UNKNOWN },
		{ "/guard/ask", "GET", "auth_request (", NGC_CACHEABLE_UNKNOWN },
		{ "/intercept", "GET", "error_page (", NGC_CACHEABLE_YES },
	};
	struct ngc_error err;
	struct site s;

	open_site(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct reason_case *c = &cases[i];
		struct ngc_url *u = url_of(c->path);
		struct ngc_explain_request req = { .url = u,
			.method = ngc_bytes_of(c->method) };
		struct ngc_explanation *e;

		ck_assert_int_eq(ngc_route_explain(s.router, &req, &e, &err), NGC_OK);
		ck_assert_msg(c->reason != NULL ? e->reasons[0] != NULL &&
						      strncmp(e->reasons[0], c->reason,
							  strlen(c->reason)) == 0
						: e->reasons[0] == NULL,
		    "%s: %s", c->path, e->reasons[0]);
		ck_assert_msg(e->cacheable == c->cacheable, "%s: cacheable", c->path);
		ngc_explanation_free(e);
		ngc_url_free(u);
	}
	close_site(&s);
}
END_TEST

START_TEST(explain_lists_the_variables_of_the_template)
{
	struct ngc_url *u = url_of("/lua");
	struct ngc_explain_request req = { .url = u, .method = ngc_bytes_of("GET") };
	struct ngc_explanation *e;
	struct ngc_error err;
	struct site s;

	open_site(&s);
	ck_assert_int_eq(ngc_route_explain(s.router, &req, &e, &err), NGC_OK);
	ck_assert_uint_eq(e->n_variables, 2);
	ck_assert_str_eq(e->variables[0].name, "uri");
	ck_assert(ngc_bytes_equal(e->variables[0].value, ngc_bytes_of("/lua")));
	ck_assert_str_eq(e->variables[1].name, "x");
	ck_assert_ptr_null(e->variables[1].value.p);
	ngc_explanation_free(e);
	ngc_url_free(u);
	close_site(&s);
}
END_TEST

UNIT_MAIN("open", explain_lists_the_variables_of_the_template,
    explain_tells_what_keeps_a_response_out, a_url_takes_what_its_open_parts_can_hold,
    a_key_of_too_many_parts_makes_a_cover_incomplete,
    constant_alternatives_need_no_walk, a_zone_that_is_open_is_every_one_it_may_be,
    what_a_request_does_not_settle_is_named)
