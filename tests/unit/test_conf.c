/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf.h"

#include "ngc/level.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char zone_a[] = "http { proxy_cache_path /c/a keys_zone=a:1m; ";

/* Read with something in the http block, beside a zone named a. */
static struct ngc_conf *http_with(const char *text)
{
	struct ngc_buf b = { 0 };
	struct ngc_conf *c;

	ngc_buf_printf(&b, "%s%s }", zone_a, text);
	c = conf_of(ngc_buf_str(&b));
	ngc_buf_free(&b);
	return c;
}

static void http_refused(const char *text, const char *want)
{
	struct ngc_buf b = { 0 };

	ngc_buf_printf(&b, "%s%s }", zone_a, text);
	conf_refused(ngc_buf_str(&b), want);
	ngc_buf_free(&b);
}

START_TEST(zones_have_nginx_s_defaults)
{
	struct ngc_conf *c = conf_of(
	    "http { fastcgi_cache_path /c/x/ keys_zone=x:10m; }");
	const struct ngc_zone *z = ngc_conf_zone(c, 0);

	ck_assert_str_eq(z->name, "x");
	ck_assert_str_eq(z->path, "/c/x");
	ck_assert_int_eq(z->type, NGC_FASTCGI);
	ck_assert(z->configured && z->levels_known && z->use_temp_path);
	ck_assert_uint_eq(z->levels.n, 0);
	ck_assert_int_eq(z->keys_zone_size, 10 << 20);
	ck_assert_int_eq(z->max_size, -1);
	ck_assert_int_eq(z->min_free, -1);
	ck_assert_int_eq(z->inactive, 600);
	ck_assert_str_eq(z->file, "/etc/nginx/nginx.conf");
	ck_assert_uint_eq(z->line, 1);
	ck_assert_ptr_null(ngc_conf_zone(c, 1));
	ngc_conf_free(c);
}
END_TEST

START_TEST(zones_have_all_parameters)
{
	struct ngc_conf *c = conf_of(
	    "http {\n uwsgi_cache_path rel levels=1:2 max_size=2g "
	    "\"inactive=1h 30m\" min_free=5m use_temp_path=off keys_zone=a_b.c:512k "
	    "loader_files=5 loader_sleep=20ms loader_threshold=1 manager_files=2 "
	    "manager_sleep=1s manager_threshold=5m; }");
	const struct ngc_zone *z = ngc_conf_zone(c, 0);

	ck_assert_str_eq(z->name, "a_b.c");
	ck_assert_str_eq(z->path, "/prefix/rel");
	ck_assert_uint_eq(z->levels.n, 2);
	ck_assert_int_eq(z->max_size, 2147483648);
	ck_assert_int_eq(z->min_free, 5 << 20);
	ck_assert_int_eq(z->inactive, 5400);
	ck_assert(!z->use_temp_path);
	ck_assert_uint_eq(z->line, 2);
	ngc_conf_free(c);
}
END_TEST

START_TEST(wrong_zones_are_refused)
{
	static const char *const cases[][2] = {
		{ "proxy_cache_path /x;", "must have \"keys_zone\"" },
		{ "proxy_cache_path;", "invalid number of arguments" },
		{ "proxy_cache_path /x keys_zone=x;", "invalid \"keys_zone=x\"" },
		{ "proxy_cache_path /x keys_zone=x:1g;", "invalid \"keys_zone=x:1g\"" },
		{ "proxy_cache_path /x keys_zone=x:8191;",
		    "invalid \"keys_zone=x:8191\"" },
		{ "proxy_cache_path /x keys_zone=:1m;", "invalid \"keys_zone=:1m\"" },
		{ "proxy_cache_path /x keys_zone=x:1m levels=3;",
		    "invalid \"levels=3\"" },
		{ "proxy_cache_path /x keys_zone=x:1m max_size=1t;",
		    "invalid \"max_size=1t\"" },
		{ "proxy_cache_path /x keys_zone=x:1m inactive=5ms;",
		    "invalid \"inactive" },
		{ "proxy_cache_path /x keys_zone=x:1m use_temp_path=no;",
		    "use_temp_path=no" },
		{ "proxy_cache_path /x keys_zone=x:1m Levels=1;", "invalid parameter" },
		{ "proxy_cache_path /x keys_zone=a:1m;",
		    "zone \"a\" is already declared in " },
		{ "scgi_cache_path /x keys_zone=a:1m;",
		    "zone \"a\" is already declared" },
		{ "proxy_cache_path /c/a keys_zone=x:1m;",
		    "the path \"/c/a\" is that of the zone in /etc/nginx/nginx.conf:1" },
		{ "proxy_cache_path r/ keys_zone=x:1m; scgi_cache_path r keys_zone=y:1m;",
		    "the path \"/prefix/r\" is that of" },
		{ "server { proxy_cache_path /x keys_zone=x:1m; }",
		    "is not allowed here" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		http_refused(cases[i][0], cases[i][1]);
	conf_refused("proxy_cache_path /x keys_zone=x:1m;", "nginx.conf:1: ");
}
END_TEST

/* nginx compares an absolute path with the '/' at its end, but does not use it. */
START_TEST(a_slash_at_the_end_makes_another_zone_of_the_same_path)
{
	struct ngc_conf *c = http_with("fastcgi_cache_path /c/a/ keys_zone=b:1m;");

	ck_assert_str_eq(ngc_conf_zone(c, 0)->path, "/c/a");
	ck_assert_str_eq(ngc_conf_zone(c, 1)->path, "/c/a");
	ngc_conf_free(c);
}
END_TEST

START_TEST(nested_paths_are_two_zones)
{
	struct ngc_conf *c = http_with("fastcgi_cache_path /c/a/b keys_zone=b:1m;");

	ck_assert_str_eq(ngc_conf_zone(c, 1)->path, "/c/a/b");
	ngc_conf_free(c);
}
END_TEST

START_TEST(uses_inherit_each_directive_by_itself)
{
	struct ngc_conf *c = http_with(
	    "proxy_cache_key http;"
	    "server { listen 80; listen [::]:80 default_server; server_name a *.b; "
	    "proxy_cache a;"
	    " location / { proxy_pass http://u; proxy_cache_key inner;"
	    "  location ~* \\.gif$ { proxy_pass http://v; }"
	    "  location /off { proxy_cache off; proxy_pass http://w; }"
	    "  location /static { } }"
	    " location @n { proxy_pass http://x; }"
	    " location =/e { fastcgi_pass f; } }");
	const struct ngc_use *u = ngc_conf_use(c, 0);

	ck_assert_str_eq(u->location, "/");
	ck_assert_str_eq(u->zone, "a");
	ck_assert_str_eq(u->key, "inner");
	ck_assert_str_eq(u->pass, "http://u");
	ck_assert_str_eq(u->server_names[0], "a");
	ck_assert_str_eq(u->server_names[1], "*.b");
	ck_assert_ptr_null(u->server_names[2]);
	ck_assert_str_eq(u->listen[1], "[::]:80 default_server");
	ck_assert_ptr_null(u->parents[0]);
	u = ngc_conf_use(c, 1);
	ck_assert_str_eq(u->location, "~* \\.gif$");
	ck_assert_str_eq(u->key, "inner");
	ck_assert_str_eq(u->parents[0], "/");
	u = ngc_conf_use(c, 2);
	ck_assert_str_eq(u->location, "@n");
	ck_assert_str_eq(u->key, "http");
	ck_assert_ptr_null(ngc_conf_use(c, 3));
	ngc_conf_free(c);
}
END_TEST

START_TEST(settings_behind_a_block_hold_in_it)
{
	struct ngc_conf *c = http_with("server { location / { proxy_pass http://u; } "
				       "proxy_cache a; } proxy_cache_key k;");

	ck_assert_str_eq(ngc_conf_use(c, 0)->key, "k");
	ck_assert_str_eq(ngc_conf_use(c, 0)->listen[0], "*:80");
	ck_assert_str_eq(ngc_conf_use(c, 0)->server_names[0], "");
	ngc_conf_free(c);
}
END_TEST

START_TEST(wrong_cache_directives_are_refused)
{
	static const char *const cases[][2] = {
		{ "proxy_cache a; proxy_cache a;",
		    "\"proxy_cache\" directive is duplicate" },
		{ "proxy_cache nosuch;", "zone \"nosuch\" is unknown" },
		{ "fastcgi_cache a;", "zone \"a\" is one of proxy_cache_path" },
		{ "proxy_cache a b;", "invalid number of arguments" },
		{ "proxy_cache_key;", "invalid number of arguments" },
		{ "server { location / { if ($x) { proxy_cache a; } } }",
		    "is not allowed here" },
		{ "server { location { } }",
		    "invalid number of arguments in \"location\"" },
		{ "server { location ? /x { } }", "invalid location modifier \"?\"" },
		{ "server { listen 0; }", "invalid address or port" },
		{ "server { listen a:99999; }", "invalid address or port" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		http_refused(cases[i][0], cases[i][1]);
	ngc_conf_free(http_with("proxy_cache a; server { proxy_cache a; location / { "
				"proxy_cache off; } }"));
}
END_TEST

/* Tried: nginx asks the upstream of the directive that comes last. */
START_TEST(the_last_pass_of_a_location_handles_its_requests)
{
	struct ngc_conf *c = http_with(
	    "fastcgi_cache_path /c/f keys_zone=f:1m;"
	    "server { proxy_cache a; fastcgi_cache f; proxy_cache_key p; "
	    "fastcgi_cache_key f;"
	    " location /f { proxy_pass http://u; fastcgi_pass u:1; }"
	    " location /p { fastcgi_pass u:1; proxy_pass http://u; }"
	    " location /g { proxy_pass http://u; grpc_pass u:1; }"
	    " location /s { proxy_pass http://u; stub_status; }"
	    " location /l { proxy_pass http://u; content_by_lua_block { } }"
	    " location /r { grpc_pass u:1; proxy_pass http://v; } }");
	static const char *const want[][3] = { { "/f", "u:1", "f" },
		{ "/p", "http://u", "a" }, { "/r", "http://v", "a" } };

	for (size_t i = 0; i < 3; i++) {
		const struct ngc_use *u = ngc_conf_use(c, i);

		ck_assert_str_eq(u->location, want[i][0]);
		ck_assert_str_eq(u->pass, want[i][1]);
		ck_assert_str_eq(u->zone, want[i][2]);
	}
	ck_assert_ptr_null(ngc_conf_use(c, 3));
	ngc_conf_free(c);
}
END_TEST

START_TEST(methods_that_are_cached_add_up)
{
	struct ngc_conf *c = http_with(
	    "proxy_cache_methods GET;"
	    "server { proxy_cache_methods POST; proxy_cache_methods GET HEAD; }"
	    "server { proxy_cache_methods GET; proxy_cache_methods HEAD POST; }"
	    "server { }");
	static const char *const want[] = { "POST", "HEAD", "GET" };

	for (size_t i = 0; i < 3; i++) {
		const struct ngc_level *server = ngc_conf_server(c, i)->level;

		ck_assert_str_eq(ngc_directive_arg(server->caching->methods[NGC_PROXY],
				     1),
		    want[i]);
	}
	ngc_conf_free(c);
}
END_TEST

/* As Angie has it: each expression is a location with that block. */
START_TEST(a_location_may_have_several_expressions)
{
	struct ngc_conf *c = http_with("server { location =/a ^~ /b ~* c$ @d {"
				       " proxy_cache a; proxy_pass http://u; } }");
	static const char *const want[] = { "= /a", "^~ /b", "~* c$", "@d" };

	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(ngc_conf_use(c, i)->location, want[i]);
	ck_assert_ptr_null(ngc_conf_use(c, 4));
	ngc_conf_free(c);
}
END_TEST

START_TEST(foreign_directives_are_passed_over)
{
	struct ngc_conf *c = http_with(
	    "more_set_headers 'A: b'; server { nonsense; "
	    "content_by_lua_block { if x then { } end } lua { a b; } listen 80; } "
	    "map $a $b { foo bar; }");

	ck_assert_str_eq(ngc_conf_warning(c, 0),
	    "/etc/nginx/nginx.conf:1: unknown directive \"more_set_headers\" is passed "
	    "over");
	ck_assert_ptr_nonnull(strstr(ngc_conf_warning(c, 1), "\"nonsense\""));
	ck_assert_ptr_nonnull(strstr(ngc_conf_warning(c, 2), "\"lua\""));
	ck_assert_ptr_null(ngc_conf_warning(c, 3));
	ngc_conf_free(c);
}
END_TEST

START_TEST(a_zone_by_variable_may_be_several)
{
	struct ngc_conf *c = http_with(
	    "proxy_cache_path /c/1 keys_zone=disk_1:1m;"
	    "proxy_cache_path /c/2 keys_zone=disk_2:1m; fastcgi_cache_path /f "
	    "keys_zone=disk_f:1m;"
	    "server { location / { proxy_cache disk_$d; proxy_pass http://u; } }");
	const struct ngc_use *u = ngc_conf_use(c, 0);

	ck_assert_str_eq(u->zone, "disk_$d");
	ck_assert(!ngc_use_may_select(c, u, ngc_conf_zone(c, 0)));
	ck_assert(ngc_use_may_select(c, u, ngc_conf_zone(c, 1)));
	ck_assert(ngc_use_may_select(c, u, ngc_conf_zone(c, 2)));
	ck_assert(!ngc_use_may_select(c, u, ngc_conf_zone(c, 3)));
	ngc_conf_free(c);
}
END_TEST

START_TEST(a_zone_by_map_or_set_is_one_of_their_values)
{
	struct ngc_conf *c = http_with(
	    "proxy_cache_path /c/1 keys_zone=disk_1:1m;"
	    "proxy_cache_path /c/2 keys_zone=disk_2:1m;"
	    "map $arg_z $m { default disk_$n; off off; } split_clients $uri $n { 50% 1; "
	    "* 3; }"
	    "server { set $s off; if ($arg_a) { set $s disk_2; } proxy_cache_key k;"
	    " location /m { proxy_cache $m; proxy_pass http://u; }"
	    " location /s { proxy_cache ${s}; proxy_pass http://u; }"
	    " location /none { proxy_cache x$s; proxy_pass http://u; } }");
	static const bool want[3][3] = { { false, true, false }, { false, false, true },
		{ false, false, false } };

	for (size_t u = 0; u < 3; u++)
		for (size_t z = 0; z < 3; z++)
			ck_assert_msg(ngc_use_may_select(c, ngc_conf_use(c, u),
					  ngc_conf_zone(c, z)) == want[u][z],
			    "use %zu, zone %zu", u, z);
	ngc_conf_free(c);
}
END_TEST

static void check_needs(const char *directives, const char *want)
{
	struct ngc_buf b = { 0 }, got = { 0 };
	struct ngc_conf *c;

	ngc_buf_printf(&b,
	    "map $http_x $m { default $cookie_y; } geo $g { default 1; }"
	    "server { set $s $arg_a; if ($request_body) { set $i 1; } location ~ (?<n>x) "
	    "{"
	    " proxy_pass http://u; proxy_cache a; %s } }",
	    directives);
	c = http_with(ngc_buf_str(&b));
	for (const char *const *need = ngc_use_needs(c, ngc_conf_use(c, 0));
	     *need != NULL; need++)
		ngc_buf_printf(&got, "%s ", *need);
	ck_assert_str_eq(ngc_buf_str(&got), want);
	ngc_conf_free(c);
	ngc_buf_free(&b);
	ngc_buf_free(&got);
}

START_TEST(uses_tell_what_they_need)
{
	check_needs("proxy_cache_key const;", "");
	check_needs("", "default_key request_line ");
	check_needs("proxy_cache_key $scheme$ARG_x;", "request_line ");
	check_needs("proxy_cache_key ${m};", "header map ");
	check_needs("proxy_cache_key $g;", "connection geo ");
	check_needs("proxy_cache_key $s;", "request_line set ");
	check_needs("proxy_cache_key $i;", "if request_body set ");
	check_needs("proxy_cache_key $1;", "regex_capture ");
	check_needs("proxy_cache_key $n;", "regex_capture ");
	check_needs("proxy_cache_key $geoip_city;", "unknown ");
}
END_TEST

START_TEST(includes_of_a_dump_are_its_files)
{
	struct ngc_conf *c = conf_of_files(NULL, "/e/nginx.conf",
	    "include main.d/*.conf; http { include z/?.conf; include opt[.]conf; }",
	    "/e/z/b.conf", "proxy_cache_path /b keys_zone=b:1m;", "/e/z/a.conf",
	    "proxy_cache_path /a keys_zone=a:1m;", "/e/z/B.conf",
	    "proxy_cache_path /B keys_zone=B:1m;", "/e/z/.h.conf", "syntax error",
	    "/e/main.d/pid.conf",
	    "pid /run/n.pid; user u g; error_log logs/e.log warn;"
	    "error_log stderr;",
	    NULL);

	ck_assert_str_eq(ngc_conf_zone(c, 0)->name, "B");
	ck_assert_str_eq(ngc_conf_zone(c, 1)->name, "a");
	ck_assert_str_eq(ngc_conf_zone(c, 2)->name, "b");
	ck_assert_str_eq(ngc_conf_zone(c, 2)->file, "/e/z/b.conf");
	ck_assert_str_eq(ngc_conf_pid(c), "/run/n.pid");
	ck_assert_str_eq(ngc_conf_user(c), "u");
	ck_assert_str_eq(ngc_conf_error_log(c), "/prefix/logs/e.log");
	ck_assert_str_eq(ngc_conf_file(c), "-");
	ngc_conf_free(c);
}
END_TEST

START_TEST(wrong_includes_are_refused)
{
	conf_of_files("/e/n:1: include /e/x: not in this dump", "/e/n", "include x;",
	    NULL);
	conf_of_files("/e/n:1: include takes one argument", "/e/n", "include x y;", NULL);
	conf_of_files("/e/b:1: include cycle: /e/a includes itself", "/e/n", "include a;",
	    "/e/a", "include b;", "/e/b", "include a;", NULL);
	conf_of_files("include cycle", "/e/n", "include n;", NULL);
	conf_of_files("/e/a:2: unexpected end of file, expecting \"}\"", "/e/n",
	    "include a; }", "/e/a", "http {", NULL);
	conf_of_files("/e/a:1: unexpected \"}\"", "/e/n", "http { include a;", "/e/a",
	    "}", NULL);
	conf_of_files("/e/a:2: unexpected end of file", "/e/n", "include a;", "/e/a", "y",
	    NULL);
	conf_refused("a { b { c {", "expecting \"}\"");
	conf_refused("http { map $a $b { x { } } }", "unexpected \"{\"");
	conf_refused("http { } http { }", "\"http\" directive is duplicate");
}
END_TEST

START_TEST(a_dump_must_be_one)
{
	struct ngc_conf_request req = { .dump = ngc_bytes_of("http { }") };
	struct ngc_conf *c;
	struct ngc_error err;

	ck_assert_int_eq(ngc_conf_read(&req, &c, &err), NGC_INVALID);
	ck_assert_ptr_null(c);
	req.dump = ngc_bytes_of(
	    "nginx: test is successful\n# configuration file /n:\nhttp { }\n");
	ck_assert_int_eq(ngc_conf_read(&req, &c, &err), NGC_OK);
	ngc_conf_free(c);
}
END_TEST

static void write_file(const char *dir, const char *name, const char *text)
{
	struct ngc_buf path = { 0 };
	FILE *f;

	ngc_buf_printf(&path, "%s/%s", dir, name);
	f = fopen(ngc_buf_str(&path), "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ngc_buf_free(&path);
}

static void link_file(const char *to, const char *dir, const char *name)
{
	struct ngc_buf path = { 0 };

	ngc_buf_printf(&path, "%s/%s", dir, name);
	ck_assert_int_eq(symlink(to, ngc_buf_str(&path)), 0);
	ngc_buf_free(&path);
}

static void make_dir(const char *dir, const char *name)
{
	struct ngc_buf path = { 0 };

	ngc_buf_printf(&path, "%s/%s", dir, name);
	ck_assert_int_eq(mkdir(ngc_buf_str(&path), 0700), 0);
	ngc_buf_free(&path);
}

START_TEST(everything_lies_below_the_root)
{
	char root[] = "/tmp/ngc_conf.XXXXXX";
	struct ngc_conf_request req = { .file = "/n/nginx.conf", .root = root };
	struct ngc_conf *c;
	struct ngc_error err = { 0 };
	struct ngc_buf want = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(root));
	make_dir(root, "n");
	make_dir(root, "n/on");
	make_dir(root, "all");
	write_file(root, "n/nginx.conf",
	    "http { include on/*; include /all/../../../all/b; }");
	write_file(root, "all/a", "proxy_cache_path /c/a keys_zone=a:1m;");
	write_file(root, "all/b", "proxy_cache_path /c/b keys_zone=b:1m;");
	link_file("/all/a", root, "n/on/a");
	ck_assert_msg(ngc_conf_read(&req, &c, &err) == NGC_OK, "%s", err.text);
	ngc_buf_printf(&want, "%s/c/a", root);
	ck_assert_str_eq(ngc_conf_zone(c, 0)->path, ngc_buf_str(&want));
	ck_assert_str_eq(ngc_conf_zone(c, 1)->name, "b");
	ngc_conf_free(c);
	link_file("/etc/passwd", root, "n/on/out");
	ck_assert_int_eq(ngc_conf_read(&req, &c, &err), NGC_INVALID);
	ck_assert_msg(strstr(err.text, "No such file") != NULL, "%s", err.text);
	ngc_buf_free(&want);
	remove_tree(root);
}
END_TEST

START_TEST(a_relative_path_asks_for_the_prefix)
{
	struct ngc_conf_request req = { .dump = ngc_bytes_of(
					    "# configuration file /n:\npid p;\n") };
	struct ngc_conf *c;
	struct ngc_error err = { 0 };

	ck_assert_int_eq(ngc_conf_read(&req, &c, &err), NGC_INVALID);
	ck_assert_msg(strstr(err.text, "'p' is relative") != NULL, "%s", err.text);
	req.dump = ngc_bytes_of("# configuration file /n:\npid /p;\n");
	ck_assert_int_eq(ngc_conf_read(&req, &c, &err), NGC_OK);
	ngc_conf_free(c);
}
END_TEST

UNIT_MAIN("conf", zones_have_nginx_s_defaults, zones_have_all_parameters,
    wrong_zones_are_refused, a_slash_at_the_end_makes_another_zone_of_the_same_path,
    nested_paths_are_two_zones, uses_inherit_each_directive_by_itself,
    settings_behind_a_block_hold_in_it, wrong_cache_directives_are_refused,
    the_last_pass_of_a_location_handles_its_requests, methods_that_are_cached_add_up,
    a_location_may_have_several_expressions, foreign_directives_are_passed_over,
    a_zone_by_variable_may_be_several, a_zone_by_map_or_set_is_one_of_their_values,
    uses_tell_what_they_need, includes_of_a_dump_are_its_files,
    wrong_includes_are_refused, a_dump_must_be_one, everything_lies_below_the_root,
    a_relative_path_asks_for_the_prefix)
