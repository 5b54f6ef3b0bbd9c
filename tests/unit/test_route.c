/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/route.h"

#include "conf.h"

/* The same router for a whole test: of a configuration, or of directories with templates.
 */
struct fixture {
	struct ngc_conf *conf;
	struct ngc_zone dirs[4];
	const struct ngc_zone *zones[16];
	size_t n_zones;
	struct ngc_router *router;
};

static void open_router(struct fixture *f)
{
	struct ngc_error err;

	ck_assert_msg(ngc_router_new(f->conf, f->zones, f->n_zones, &f->router, &err) ==
			  NGC_OK,
	    "%s", err.text);
}

static void with_conf(struct fixture *f, const char *text)
{
	*f = (struct fixture){ .conf = conf_of(text) };
	while ((f->zones[f->n_zones] = ngc_conf_zone(f->conf, f->n_zones)) != NULL)
		f->n_zones++;
	open_router(f);
}

static void with_key(struct fixture *f, const char *key)
{
	*f = (struct fixture){ .n_zones = 1 };
	f->dirs[0] = (struct ngc_zone){ .name = "d", .path = "/d", .key = key };
	f->zones[0] = &f->dirs[0];
	open_router(f);
}

static void close_router(struct fixture *f)
{
	ngc_router_free(f->router);
	ngc_conf_free(f->conf);
}

static struct ngc_cover *cover_of(const struct fixture *f, const char *url)
{
	struct ngc_url *u;
	struct ngc_cover *c;
	struct ngc_error err;

	ck_assert_int_eq(ngc_url_parse(ngc_bytes_of(url), &u, &err), NGC_OK);
	ck_assert_int_eq(ngc_route_cover(f->router, u, NULL, &c, &err), NGC_OK);
	ngc_url_free(u);
	return c;
}

static bool has_key(const struct ngc_cover *c, const char *zone, const char *key)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (strcmp(c->targets[i].zone->name, zone) == 0 &&
		    ngc_bytes_equal(c->targets[i].key, ngc_bytes_of(key)))
			return true;
	return false;
}

static void check_covers(const struct fixture *f, const char *url, const char *zone,
    const char *key, bool want)
{
	struct ngc_cover *c = cover_of(f, url);

	ck_assert_msg(has_key(c, zone, key) == want, "%s: %s in %s", url, key, zone);
	ngc_cover_free(c);
}

START_TEST(a_url_covers_both_schemes_and_methods)
{
	struct fixture f;

	with_key(&f, "$scheme$request_method$host$request_uri");
	struct ngc_cover *c = cover_of(&f, "http://A.test/x?y");
	ck_assert(has_key(c, "d", "httpGETa.test/x?y"));
	ck_assert(has_key(c, "d", "httpsGETa.test/x?y"));
	ck_assert(has_key(c, "d", "httpHEADa.test/x?y"));
	ck_assert(has_key(c, "d", "httpsHEADa.test/x?y"));
	ck_assert_uint_eq(c->n_targets, 4);
	ck_assert_uint_eq(c->n_open, 0);
	ngc_cover_free(c);
	close_router(&f);
}
END_TEST

START_TEST(a_url_covers_its_spellings)
{
	struct fixture f;

	with_key(&f, "$request_uri");
	struct ngc_cover *c = cover_of(&f, "http://a.test/%c3%A9 /");
	ck_assert(has_key(c, "d", "/%c3%A9 /"));
	ck_assert(has_key(c, "d", "/%C3%A9%20/"));
	ck_assert(has_key(c, "d", "/%c3%a9%20/"));
	ck_assert(has_key(c, "d", "/\xc3\xa9%20/"));
	ck_assert_uint_eq(c->n_targets, 4);
	ngc_cover_free(c);
	close_router(&f);
}
END_TEST

START_TEST(request_line_variables_are_expanded)
{
	static const char *const cases[][2] = {
		{ "$uri$is_args$args", "/a b?q=%41&r" },
		{ "$document_uri|$query_string", "/a b|q=%41&r" },
		{ "$arg_Q-$arg_r-$arg_z", "%41--" },
		{ "$server_name:$server_port", "a.test:8080" },
		{ "${https}x", "x" },
	};
	struct fixture f;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		with_key(&f, cases[i][0]);
		check_covers(&f, "http://a.test:8080//a%20b?q=%41&r", "d", cases[i][1],
		    true);
		close_router(&f);
	}
}
END_TEST

START_TEST(what_a_url_leaves_open_is_said)
{
	struct fixture f;
	struct ngc_cover *c;

	with_key(&f, "$uri$cookie_lang");
	c = cover_of(&f, "http://a.test/");
	ck_assert(has_key(c, "d", "/"));
	ck_assert_uint_eq(c->n_targets, 1);
	ck_assert_uint_eq(c->n_open, 1);
	ck_assert(c->open[0].ambiguous);
	ck_assert_str_eq(c->open[0].variable, "cookie_lang");
	ck_assert_str_eq(c->open[0].template, "$uri$cookie_lang");
	ngc_cover_free(c);
	close_router(&f);
}
END_TEST

struct reading_case {
	const char *template, *key; /* template NULL: none is known */
	bool read;
	const char *scheme, *method, *host, *uri;
	bool certain;
};

static void check_part(struct ngc_bytes got, const char *want,
    const struct reading_case *c)
{
	ck_assert_msg(want != NULL
			  ? got.p != NULL && ngc_bytes_equal(got, ngc_bytes_of(want))
			  : got.p == NULL,
	    "%s read by %s: '%.*s' instead of '%s'", c->key,
	    c->template ? c->template : "guess", (int)got.n, (const char *)got.p,
	    want ? want : "(absent)");
}

START_TEST(keys_are_read_back)
{
	static const char wp[] = "$scheme$request_method$host$request_uri";
	static const struct reading_case cases[] = {
		{ wp, "httpsGETa.test/x?y", true, "https", "GET", "a.test", "/x?y",
		    true },
		{ wp, "httpHEADa.test/", true, "http", "HEAD", "a.test", "/", true },
		{ wp, "httpGETa.test", false, NULL, NULL, NULL, NULL, false },
		{ wp, "httpGOTa.test/", false, NULL, NULL, NULL, NULL, false },
		/* nginx before 1.21.1 took blanks in a request line. */
		{ wp, "httpGETa.test/ x", true, "http", "GET", "a.test", "/ x", true },
		{ wp, "httpGETa.test/\nx", false, NULL, NULL, NULL, NULL, false },
		{ wp, "", false, NULL, NULL, NULL, NULL, false },
		{ "$scheme$host$request_uri", "httpsa.test/", true, "https", NULL,
		    "a.test", "/", false },
		{ "$scheme$host$request_uri", "httpa.test/", true, "http", NULL, "a.test",
		    "/", true },
		{ "$scheme://$host$uri$is_args$args", "https://a.test/x?y", true, "https",
		    NULL, "a.test", "/x?y", true },
		{ "$host$uri|$cookie_a", "a.test/x|y", true, NULL, NULL, "a.test", "/x",
		    true },
		{ "$cookie_lang$host$request_uri", "a.test/", true, NULL, NULL, "a.test",
		    "/", false },
		{ "$cookie_lang|$host$request_uri", "de|a.test/x", true, NULL, NULL,
		    "a.test", "/x", true },
		{ "$cookie_lang|$host$request_uri", "b.test/x|a.test/y", true, NULL, NULL,
		    "a.test", "/y", true },
		{ "$http_host|$host$uri", "A.test:81|a.test/x", true, NULL, NULL,
		    "a.test", "/x", true },
		{ "$http_host|$host$uri", "b.test|a.test/x", true, NULL, NULL, "a.test",
		    "/x", false },
		{ "$host|$http_host$uri", "a.test|b.test/x", true, NULL, NULL, "a.test",
		    "/x", false },
		{ "$request_uri", "/x", true, NULL, NULL, NULL, "/x", true },
		{ "$request_uri$slice_range", "/xbytes=0-99", true, NULL, NULL, NULL,
		    "/x", true },
		{ "$request_uri$slice_range", "/xbytes=0-", false, NULL, NULL, NULL, NULL,
		    false },
		{ "const", "const", true, NULL, NULL, NULL, NULL, true },
		{ "const", "constant", false, NULL, NULL, NULL, NULL, false },
		{ NULL, "httpGETa.test/x", true, "http", "GET", "a.test", "/x", true },
		{ NULL, "https://a.test/x", true, "https", NULL, "a.test", "/x", false },
		{ NULL, "GETa.test/x", true, NULL, "GET", "a.test", "/x", true },
		{ NULL, "/x", true, NULL, NULL, NULL, "/x", false },
		{ NULL, "any thing", false, NULL, NULL, NULL, NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct reading_case *c = &cases[i];
		struct ngc_reading r;
		struct fixture f;

		with_key(&f, c->template);
		ck_assert_msg(ngc_route_read(f.router, f.zones[0], ngc_bytes_of(c->key),
				  &r) == c->read,
		    "%s read by %s", c->key, c->template ? c->template : "guess");
		check_part(r.scheme, c->scheme, c);
		check_part(r.method, c->method, c);
		check_part(r.host, c->host, c);
		check_part(r.uri, c->uri, c);
		ck_assert_msg(r.host_certain == c->certain, "%s read by %s: certain %d",
		    c->key, c->template ? c->template : "guess", r.host_certain);
		close_router(&f);
	}
}
END_TEST

START_TEST(a_long_key_of_many_readings_is_not_certain)
{
	struct ngc_buf key = { 0 };
	struct ngc_reading r;
	struct fixture f;

	with_key(&f, "$http_a$http_b$http_c$http_d$host$request_uri");
	for (int i = 0; i < 5000; i++)
		ngc_buf_add_str(&key, "ab/");
	ngc_route_read(f.router, f.zones[0], ngc_buf_bytes(&key), &r);
	ck_assert(!r.host_certain);
	ngc_buf_free(&key);
	close_router(&f);
}
END_TEST

struct conf_reading {
	const char *key;
	const char *host, *uri; /* both NULL: not read */
	bool certain;
};

START_TEST(keys_are_read_by_what_their_variables_may_be)
{
	static const char text[] =
	    "http { proxy_cache_path /c keys_zone=z:1m; proxy_cache z;"
	    "map $http_user_agent $device { default ''; ~*mobile m_; }"
	    "map $http_authorization $auth { '' $scheme$request_method$host$request_uri;"
	    "  default private; }"
	    "server { listen 80; server_name a.test; set $id $device$request_method;"
	    "  set $up backend;"
	    "  location / { proxy_pass http://u; proxy_cache_key $id|$host$request_uri; }"
	    "  location /auth { proxy_pass http://u; proxy_cache_key $auth; }"
	    "  location /name { proxy_pass http://u; proxy_cache_key $server_name:$uri; }"
	    "  location /host { proxy_pass http://u:81; proxy_cache_key "
	    "$proxy_host$request_uri; }"
	    "  location /default { proxy_pass http://app:8080; }"
	    "  location /var { proxy_pass https://$up; }"
	    "} }";
	static const struct conf_reading cases[] = {
		{ "GET|a.test/x?y", "a.test", "/x?y", true },
		{ "m_HEAD|b.test/x", "b.test", "/x", true },
		{ "t_GET|a.test/x", NULL, NULL, false },
		{ "httpsGETa.test/x", "a.test", "/x", true },
		{ "private", NULL, "", false }, /* for other requests it has the host */
		{ "a.test:/x y", "a.test", "/x y", true },
		{ "u:81/x", NULL, "/x", true },
		{ "http://app:8080/x?y", NULL, "/x?y", true },
		{ "https://backend/x", NULL, "/x", true },
		{ "https://other/x", NULL, NULL, false },
	};
	struct fixture f;

	with_conf(&f, text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct conf_reading *c = &cases[i];
		struct ngc_reading r;
		bool read = ngc_route_read(f.router, f.zones[0], ngc_bytes_of(c->key),
		    &r);

		ck_assert_msg(read == (c->host != NULL || c->uri != NULL), "%s", c->key);
		ck_assert_msg(ngc_bytes_equal(r.host, ngc_bytes_of(c->host)),
		    "%s: host %.*s", c->key, (int)r.host.n, (const char *)r.host.p);
		ck_assert_msg(ngc_bytes_equal(r.uri, ngc_bytes_of(c->uri)), "%s: uri",
		    c->key);
		ck_assert_msg(r.host_certain == c->certain, "%s: certain", c->key);
	}
	close_router(&f);
}
END_TEST

/* A server of those names whose locations store under the templates. */
static void with_templates(struct fixture *f, const char *names, const char *one,
    const char *two)
{
	struct ngc_buf text = { 0 };

	ngc_buf_printf(&text,
	    "http { proxy_cache_path /c keys_zone=z:1m; proxy_cache z;"
	    "server { listen 80; server_name %s;"
	    "  location /1 { proxy_pass http://u; proxy_cache_key \"%s\"; }"
	    "  location /2 { proxy_pass http://u; proxy_cache_key \"%s\"; } } }",
	    names, one, two);
	with_conf(f, ngc_buf_str(&text));
	ngc_buf_free(&text);
}

START_TEST(a_key_of_several_hosts_is_read_as_that_of_a_server)
{
	static const char user[] = "$remote_user|$request_uri";
	static const char site[] = "$host$request_uri";
	static const struct {
		const char *names, *one, *two, *key, *host, *uri;
	} cases[] = {
		{ "a.test b.test", "$uri$host", "", "/xa.test", "a.test", "/x" },
		{ "a.test xa.test", "$uri$host", "", "/xa.test", NULL, NULL },
		{ "*.test", "$uri$host", "", "/xa.test", NULL, NULL },
		{ "_", "$uri$host", "", "/xa.test", NULL, NULL },
		{ "~^a", "$uri$host", "", "/xa.test", NULL, NULL },
		{ "*.a.test", "$uri$host", "", "/xw.a.test/", NULL, NULL },
		{ "w.*", "$args$host$uri", "", "q=1w.test/x", "w.test", "/x" },
		{ "A.test", "$uri$http_host", "", "/xA.tesT:81", "A.tesT:81", "/x" },
		{ "a.test", "$args$host$uri", "", "q=1a.test/x", "a.test", "/x" },
		{ "a.test b.test", "$cookie_x$host$uri", "", "zb.test/a.test", "b.test",
		    "/a.test" },
		{ "a.test", "$cookie_x$host$uri", "", "a.test/a.test/", "a.test", NULL },
		{ "a.test", user, site, "joe|/p?x", NULL, "/p?x" },
		{ "a.test", user, site, "a|b|/x", NULL, "/x" },
		{ "a.test", user, site, "a.test/x", "a.test", "/x" },
		{ "sa.test", "$scheme$host$uri", "", "httpsa.test/x", "sa.test", "/x" },
		{ "_", "$scheme$host$uri", "", "httpsa.test/x", "a.test", "/x" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_reading r;
		struct fixture f;

		with_templates(&f, cases[i].names, cases[i].one, cases[i].two);
		ngc_route_read(f.router, f.zones[0], ngc_bytes_of(cases[i].key), &r);
		ck_assert_msg((r.host.p == NULL) == (cases[i].host == NULL) &&
				  ngc_bytes_equal(r.host, ngc_bytes_of(cases[i].host)),
		    "%s of %s: host %.*s", cases[i].key, cases[i].names, (int)r.host.n,
		    (const char *)r.host.p);
		ck_assert_msg((r.uri.p == NULL) == (cases[i].uri == NULL) &&
				  ngc_bytes_equal(r.uri, ngc_bytes_of(cases[i].uri)),
		    "%s of %s: uri %.*s", cases[i].key, cases[i].names, (int)r.uri.n,
		    (const char *)r.uri.p);
		ck_assert_msg(r.host_certain == (i == 13), "%s: certain", cases[i].key);
		close_router(&f);
	}
}
END_TEST

START_TEST(wrong_templates_are_refused)
{
	struct ngc_zone z = { .name = "d", .path = "/d", .key = "${uri" };
	const struct ngc_zone *zones[] = { &z };
	struct ngc_router *r;
	struct ngc_error err;

	ck_assert_int_eq(ngc_router_new(NULL, zones, 1, &r, &err), NGC_INVALID);
	ck_assert_ptr_null(r);
}
END_TEST

/* Servers that tell by their key which of them was chosen. */
static const char servers[] =
    "http { proxy_cache_path /c keys_zone=z:1m; proxy_cache z;"
    "server { listen 80; server_name first; location / { proxy_pass http://u;"
    "  proxy_cache_key first; } }"
    "server { listen 80; server_name a.test .dot.test; location / { proxy_pass http://u;"
    "  proxy_cache_key a; } }"
    "server { listen 80; server_name *.a.test; location / { proxy_pass http://u;"
    "  proxy_cache_key head; } }"
    "server { listen 80; server_name *.b.a.test; location / { proxy_pass http://u;"
    "  proxy_cache_key longer; } }"
    "server { listen 80; server_name mail.*; location / { proxy_pass http://u;"
    "  proxy_cache_key tail; } }"
    "server { listen 80; server_name mail.w.*; location / { proxy_pass http://u;"
    "  proxy_cache_key longtail; } }"
    "server { listen 80; server_name ~^r\\d+\\.; location / { proxy_pass http://u;"
    "  proxy_cache_key regex1; } }"
    "server { listen 80; server_name ~^r; location / { proxy_pass http://u;"
    "  proxy_cache_key regex2; } }"
    "server { listen 81 default_server; location / { proxy_pass http://u;"
    "  proxy_cache_key other; } } }";

START_TEST(a_server_is_chosen_as_nginx_chooses)
{
	static const char *const cases[][2] = {
		{ "a.test", "a" },
		{ "A.TEST", "a" },
		{ "a.test.", "a" },
		{ "dot.test", "a" },
		{ "x.dot.test", "a" },
		{ "x.a.test", "head" },
		{ "x.b.a.test", "longer" },
		{ "b.a.test", "head" },
		{ "mail.a.test", "head" },
		{ "mail.x", "tail" },
		{ "mail.w.x", "longtail" },
		{ "r1.x", "regex1" },
		{ "rx", "regex2" },
		{ "nosuch", "first" },
	};
	static const char *const keys[] = { "first", "a", "head", "longer", "tail",
		"longtail", "regex1", "regex2", "other" };
	struct fixture f;

	with_conf(&f, servers);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_buf url = { 0 };

		ngc_buf_printf(&url, "http://%s:80/", cases[i][0]);
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			check_covers(&f, ngc_buf_str(&url), "z", keys[k],
			    strcmp(keys[k], cases[i][1]) == 0);
		ngc_buf_free(&url);
	}
	check_covers(&f, "http://a.test:81/", "z", "other", true);
	close_router(&f);
}
END_TEST

START_TEST(a_host_that_nginx_refuses_covers_nothing)
{
	struct fixture f;

	with_conf(&f,
	    "http { proxy_cache_path /c keys_zone=z:1m; proxy_cache z;"
	    "server { listen 80; location / { proxy_pass http://u;"
	    "  proxy_cache_key all; } } }");
	check_covers(&f, "http://a./", "z", "all", true);
	check_covers(&f, "http://a../", "z", "all", false);
	check_covers(&f, "http://a..b/", "z", "all", false);
	close_router(&f);
}
END_TEST

UNIT_MAIN("route", a_host_that_nginx_refuses_covers_nothing,
    a_server_is_chosen_as_nginx_chooses,
    a_url_covers_both_schemes_and_methods, a_url_covers_its_spellings,
    request_line_variables_are_expanded, what_a_url_leaves_open_is_said,
    keys_are_read_back, keys_are_read_by_what_their_variables_may_be,
    a_key_of_several_hosts_is_read_as_that_of_a_server,
    a_long_key_of_many_readings_is_not_certain, wrong_templates_are_refused)
