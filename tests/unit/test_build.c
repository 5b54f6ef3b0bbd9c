/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/op/build.h"

#include "tree.h"

#define DEBIAN                                                                           \
	"nginx version: nginx/1.22.1\n"                                                  \
	"built with OpenSSL 3.0.15 3 Sep 2024\n"                                         \
	"TLS SNI support enabled\n"                                                      \
	"configure arguments: --with-cc-opt='-g -O2 -ffile-prefix-map=/build/x=. "       \
	"-fPIC' "                                                                        \
	"--prefix=/usr/share/nginx --conf-path=/etc/nginx/nginx.conf "                   \
	"--http-log-path=/var/log/nginx/access.log "                                     \
	"--error-log-path=/var/log/nginx/error.log --lock-path=/var/lock/nginx.lock "    \
	"--pid-path=/run/nginx.pid --with-debug\n"

#define NGINX_ORG                                                                        \
	"nginx version: nginx/1.28.0\n"                                                  \
	"built by gcc 12.2.0 (Debian 12.2.0-14)\n"                                       \
	"configure arguments: --prefix=/etc/nginx --sbin-path=/usr/sbin/nginx "          \
	"--conf-path=/etc/nginx/nginx.conf --error-log-path=/var/log/nginx/error.log "   \
	"--pid-path=/run/nginx.pid --with-ld-opt='-Wl,-z,relro -Wl,-z,now'\n"

/* A program of that name in a directory that is the whole PATH. */
static void make_program(
    const struct tree *t, const char *name, const char *output, int status)
{
	static char text[4 * PATH_MAX];
	const char *path = tree_at(t, "%s", name);

	snprintf(text, sizeof(text),
	    "#!/bin/sh\n[ \"$*\" = -V ] || exit 9\ncat <<'END' >&2\n%sEND\nexit %d\n",
	    output, status);
	tree_write_text(t, name, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

static void set_path(const struct tree *t)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", t->path);
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
}

static void ask(const char *output, struct nginx_build *b)
{
	struct ngc_error err;
	struct tree t;

	tree_new(&t);
	make_program(&t, "nginx", output, 0);
	set_path(&t);
	ck_assert_msg(nginx_build_ask(b, &err) == NGC_OK, "%s", err.text);
	ck_assert_str_eq(b->program, "nginx");
	tree_free(&t);
}

START_TEST(the_paths_of_real_builds_are_read)
{
	struct nginx_build b;

	ask(DEBIAN, &b);
	ck_assert_str_eq(b.prefix, "/usr/share/nginx");
	ck_assert_str_eq(b.conf_path, "/etc/nginx/nginx.conf");
	ck_assert_str_eq(b.error_log_path, "/var/log/nginx/error.log");
	ck_assert_str_eq(b.pid_path, "/run/nginx.pid");
	ask(NGINX_ORG, &b);
	ck_assert_str_eq(b.prefix, "/etc/nginx");
	ck_assert_str_eq(b.pid_path, "/run/nginx.pid");
	ask("configure arguments: --prefix=/a --error-log-path=stderr\n", &b);
	ck_assert_str_eq(b.error_log_path, "");
}
END_TEST

START_TEST(temporary_paths_are_read_and_lie_in_the_prefix_otherwise)
{
	struct nginx_build b;

	ask("configure arguments: --prefix=/a --http-proxy-temp-path=/var/proxy "
	    "--http-scgi-temp-path=scgi/tmp\n",
	    &b);
	ck_assert_str_eq(b.temp_path[NGC_PROXY], "/var/proxy");
	ck_assert_str_eq(b.temp_path[NGC_FASTCGI], "/a/fastcgi_temp");
	ck_assert_str_eq(b.temp_path[NGC_UWSGI], "/a/uwsgi_temp");
	ck_assert_str_eq(b.temp_path[NGC_SCGI], "/a/scgi/tmp");
}
END_TEST

START_TEST(one_program_can_be_asked)
{
	struct nginx_build b;
	struct ngc_error err;
	struct tree t;

	tree_new(&t);
	make_program(&t, "mine", "configure arguments: --prefix=/mine\n", 0);
	ck_assert_int_eq(nginx_build_ask_program(tree_at(&t, "mine"), &b, &err), NGC_OK);
	ck_assert_str_eq(b.prefix, "/mine");
	ck_assert_int_eq(nginx_build_ask_program(tree_at(&t, "none"), &b, &err),
	    NGC_GONE);
	tree_free(&t);
}
END_TEST

/* One argument more, and the path that comes out. */
START_TEST(arguments_are_found_as_a_shell_parts_them)
{
	static const struct {
		const char *arguments, *prefix, *conf;
	} cases[] = {
		{ "", "/usr/local/nginx", "/usr/local/nginx/conf/nginx.conf" },
		{ "--with-debug", "/usr/local/nginx",
		    "/usr/local/nginx/conf/nginx.conf" },
		{ "--prefix=/a", "/a", "/a/conf/nginx.conf" },
		{ "--prefix=/a --conf-path=n.conf", "/a", "/a/n.conf" },
		{ "--conf-path=/n.conf", "/usr/local/nginx", "/n.conf" },
		{ "--prefix='/a b'", "/a b", "/a b/conf/nginx.conf" },
		{ "'--prefix=/a b' --with-debug", "/a b", "/a b/conf/nginx.conf" },
		{ "--prefix='/a' --conf-path='/b/n'", "/a", "/b/n" },
		{ "--with-cc-opt='-O2 --prefix=/wrong' --prefix=/a", "/a",
		    "/a/conf/nginx.conf" },
		{ "--x-prefix=/wrong --prefix=/a", "/a", "/a/conf/nginx.conf" },
		{ "--with-x=--prefix=/wrong --prefix=/a", "/a", "/a/conf/nginx.conf" },
		{ "--prefix=/old --prefix=/a", "/a", "/a/conf/nginx.conf" },
		{ "--with-pcre=/x --prefix=/a/", "/a/", "/a//conf/nginx.conf" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nginx_build b;
		char text[1024];

		snprintf(text, sizeof(text),
		    "nginx version: nginx/1.28.0\nconfigure arguments: %s\n",
		    cases[i].arguments);
		ask(text, &b);
		ck_assert_msg(strcmp(b.prefix, cases[i].prefix) == 0, "%s: %s",
		    cases[i].arguments, b.prefix);
		ck_assert_msg(strcmp(b.conf_path, cases[i].conf) == 0, "%s: %s",
		    cases[i].arguments, b.conf_path);
		ck_assert_int_eq(strncmp(b.pid_path, b.prefix, strlen(b.prefix)), 0);
	}
}
END_TEST

START_TEST(a_path_that_is_too_long_is_cut_nowhere)
{
	static char text[3 * PATH_MAX];
	struct nginx_build b;
	int n = snprintf(text, sizeof(text), "configure arguments: --prefix=/");

	memset(text + n, 'x', PATH_MAX - 10);
	snprintf(text + n + PATH_MAX - 10, 100, " --with-debug\n");
	ck_assert_int_lt(n, 100);
	ask(text, &b);
	ck_assert_uint_eq(strlen(b.prefix), PATH_MAX - 9);
	ck_assert_str_eq(b.conf_path, "");
}
END_TEST

START_TEST(the_first_nginx_that_is_there_is_asked)
{
	struct nginx_build b;
	struct ngc_error err;
	struct tree t;

	for (size_t i = 0; nginx_programs[i] != NULL; i++)
		if (nginx_programs[i][0] == '/' && access(nginx_programs[i], X_OK) == 0)
			return; /* it would be asked before angie */
	tree_new(&t);
	set_path(&t);
	ck_assert_int_eq(nginx_build_ask(&b, &err), NGC_GONE);
	make_program(&t, "angie", "configure arguments: --prefix=/angie\n", 0);
	ck_assert_int_eq(nginx_build_ask(&b, &err), NGC_OK);
	ck_assert_str_eq(b.program, "angie");
	ck_assert_str_eq(b.prefix, "/angie");
	tree_free(&t);
}
END_TEST

START_TEST(one_that_fails_is_not_believed)
{
	struct nginx_build b;
	struct ngc_error err;
	struct tree t;

	tree_new(&t);
	set_path(&t);
	make_program(&t, "nginx", DEBIAN, 1);
	ck_assert_int_eq(nginx_build_ask(&b, &err), NGC_GONE);
	ck_assert_str_eq(err.text, "nginx -V failed");
	tree_free(&t);
}
END_TEST

UNIT_MAIN("build", the_paths_of_real_builds_are_read,
    temporary_paths_are_read_and_lie_in_the_prefix_otherwise, one_program_can_be_asked,
    arguments_are_found_as_a_shell_parts_them, a_path_that_is_too_long_is_cut_nowhere,
    the_first_nginx_that_is_there_is_asked, one_that_fails_is_not_believed)
