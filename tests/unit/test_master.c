/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/op/master.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tree.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(a_pid_file_holds_a_process_id)
{
	static const struct {
		const char *text;
		pid_t pid; /* 0: refused */
	} cases[] = {
		{ "1234\n", 1234 },
		{ "1234", 1234 },
		{ "2\n", 2 },
		{ "1234 \n\n", 1234 },
		{ "2147483647\n", 2147483647 },
		{ "2147483648\n", 0 },
		{ "99999999999999999999999999999999999999\n", 0 },
		{ "1\n", 0 },
		{ "0\n", 0 },
		{ "-5\n", 0 },
		{ "+5\n", 0 },
		{ " 5\n", 0 },
		{ "12x\n", 0 },
		{ "12\n34\n", 0 },
		{ "", 0 },
		{ "\n", 0 },
	};
	struct tree t;

	tree_new(&t);
	for (size_t i = 0; i < COUNT(cases); i++) {
		unsigned before = open_descriptors();
		struct ngc_error err;
		pid_t pid = 0;
		enum ngc_code code;

		tree_write_text(&t, "nginx.pid", cases[i].text);
		code = master_read_pid(tree_at(&t, "nginx.pid"), &pid, &err);
		ck_assert_msg(code == (cases[i].pid != 0 ? NGC_OK : NGC_DENIED), "'%s'",
		    cases[i].text);
		ck_assert_int_eq(pid, cases[i].pid);
		if (code != NGC_OK)
			ck_assert_ptr_nonnull(
			    strstr(err.text, "nginx.pid: no process id in it"));
		ck_assert_uint_eq(open_descriptors(), before);
	}
	tree_free(&t);
}
END_TEST

START_TEST(a_missing_pid_file_says_that_nginx_is_not_running)
{
	struct ngc_error err;
	struct tree t;
	pid_t pid;

	tree_new(&t);
	ck_assert_int_eq(master_read_pid(tree_at(&t, "none"), &pid, &err), NGC_DENIED);
	ck_assert_ptr_nonnull(
	    strstr(err.text, "nginx is not running: there is no pid file"));
	ck_assert_int_eq(master_read_pid(t.path, &pid, &err), NGC_DENIED);
	ck_assert_int_eq(err.sys, EISDIR);
	tree_free(&t);
}
END_TEST

/* sleep(1) under another name, with another title. */
static pid_t start(const struct tree *t, const char *program, const char *title)
{
	char copy[3 * PATH_MAX];
	const char *path = tree_at(t, "%s", program);
	pid_t pid;

	snprintf(copy, sizeof(copy), "cp \"$(command -v sleep)\" '%s'", path);
	ck_assert_int_eq(system(copy), 0);
	pid = fork();
	if (pid == 0) {
		execl(path, title, "1000", (char *)NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A child needs a moment until it runs its program. */
static enum ngc_code identify(
    pid_t pid, const char *title, struct master *m, struct ngc_error *err)
{
	static const struct timespec pause = { 0, 5000000 };
	enum ngc_code code = NGC_DENIED;

	for (int i = 0; i < 1000; i++) {
		code = master_identify(pid, m, err);
		if (strncmp(m->title, title, strlen(title)) == 0)
			break;
		nanosleep(&pause, NULL);
	}
	return code;
}

START_TEST(a_master_is_told_by_title_and_program)
{
	static const struct {
		const char *program, *title;
		bool is;
	} cases[] = {
		{ "nginx", "nginx: master process /usr/sbin/nginx -c /x", true },
		{ "nginx-debug", "nginx: master process nginx", true },
		{ "angie", "angie: master process angie", true },
		{ "tengine", "nginx: master process tengine", true },
		{ "openresty", "nginx: master process openresty", true },
		{ "freenginx", "nginx: master process freenginx", true },
		{ "nginx", "nginx: worker process", false },
		{ "nginx", "nginx", false },
		{ "apache2", "nginx: master process /usr/sbin/nginx", false },
		{ "sleep", "php-fpm: master process (/etc/php-fpm.conf)", false },
	};
	struct tree t;

	tree_new(&t);
	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = start(&t, cases[i].program, cases[i].title);
		struct ngc_error err;
		struct master m;
		enum ngc_code code = identify(pid, cases[i].title, &m, &err);

		ck_assert_msg(code == (cases[i].is ? NGC_OK : NGC_DENIED), "case %zu", i);
		ck_assert_int_eq(m.pid, pid);
		if (cases[i].is)
			ck_assert_str_eq(m.program, tree_at(&t, "%s", cases[i].program));
		else
			ck_assert_ptr_nonnull(strstr(err.text, "not signalled"));
		end(pid);
	}
	tree_free(&t);
}
END_TEST

/* An upgrade of the package replaces it; the new one has the same name. */
START_TEST(a_program_that_was_replaced_keeps_its_name)
{
	struct ngc_error err;
	struct master m;
	struct tree t;
	pid_t pid;

	tree_new(&t);
	pid = start(&t, "nginx", "nginx: master process nginx");
	ck_assert_int_eq(identify(pid, "nginx: master", &m, &err), NGC_OK);
	ck_assert_int_eq(unlink(tree_at(&t, "nginx")), 0);
	ck_assert_int_eq(master_identify(pid, &m, &err), NGC_OK);
	ck_assert_str_eq(m.program, tree_at(&t, "nginx"));
	end(pid);
	tree_free(&t);
}
END_TEST

START_TEST(a_process_that_is_gone_is_no_master)
{
	struct ngc_error err;
	struct master m;
	pid_t pid = fork();
	siginfo_t ended;

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(master_identify(pid, &m, &err), NGC_DENIED); /* a zombie */
	ck_assert_ptr_nonnull(strstr(err.text, "of its pid file is gone"));
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(master_identify(pid, &m, &err), NGC_DENIED);
	ck_assert_ptr_nonnull(strstr(err.text, "nginx is not running: process "));
}
END_TEST

START_TEST(options_of_the_command_line_are_found)
{
	static const struct {
		const char *title, *option, *value; /* NULL: not given */
	} cases[] = {
		{ "nginx: master process nginx -c /x/n.conf -p /y", "-p", "/y" },
		{ "nginx: master process nginx -c /x/n.conf -p /y", "-c", "/x/n.conf" },
		{ "nginx: master process nginx -c /x -g daemon off;", "-g", "daemon" },
		{ "nginx: master process nginx", "-p", NULL },
		{ "nginx: master process nginx -p", "-p", NULL },
		{ "nginx: master process /opt/a-p /b", "-p", NULL },
		{ "nginx: master process nginx --p /x", "-p", NULL },
		{ "nginx: master process nginx -px", "-p", NULL },
		{ "nginx: master process nginx -px -p /y", "-p", "/y" },
		{ "nginx: master process nginx -p-p /x", "-p", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct master m = { .pid = 2 };
		char value[PATH_MAX];
		bool found;

		memcpy(m.title, cases[i].title, strlen(cases[i].title) + 1);
		found = master_option(&m, cases[i].option, value);
		ck_assert_msg(found == (cases[i].value != NULL), "%s", cases[i].title);
		if (found)
			ck_assert_str_eq(value, cases[i].value);
	}
}
END_TEST

static bool contains(const pid_t *list, pid_t pid)
{
	for (; *list != 0; list++)
		if (*list == pid)
			return true;
	return false;
}

/* Of this process, which stands for the master. */
START_TEST(workers_are_children_that_take_requests)
{
	static const char *const titles[] = { "nginx: worker process",
		"nginx: worker process is shutting down", "nginx: cache manager process",
		"nginx: cache loader process", "nginx: worker process" };
	unsigned before = open_descriptors();
	pid_t pids[COUNT(titles)], *list;
	struct tree t;

	tree_new(&t);
	for (size_t i = 0; i < COUNT(titles); i++) {
		struct ngc_error err;
		struct master m;

		pids[i] = start(&t, i == 0 ? "one) (two" : "nginx", titles[i]);
		identify(pids[i], titles[i], &m, &err);
		if (i + 1 < COUNT(titles))
			ck_assert_int_eq(
			    remove(tree_at(&t, i == 0 ? "one) (two" : "nginx")), 0);
	}
	list = master_workers(getpid());
	ck_assert_ptr_nonnull(list);
	ck_assert(contains(list, pids[0]));
	ck_assert(contains(list, pids[4]));
	ck_assert_int_eq(list[2], 0);
	free(list);
	list = master_workers(pids[0]);
	ck_assert_ptr_nonnull(list);
	ck_assert_int_eq(list[0], 0);
	free(list);
	for (size_t i = 0; i < COUNT(titles); i++)
		end(pids[i]);
	ck_assert_uint_eq(open_descriptors(), before);
	tree_free(&t);
}
END_TEST

UNIT_MAIN("master", a_pid_file_holds_a_process_id,
    a_missing_pid_file_says_that_nginx_is_not_running,
    a_master_is_told_by_title_and_program, a_program_that_was_replaced_keeps_its_name,
    a_process_that_is_gone_is_no_master, options_of_the_command_line_are_found,
    workers_are_children_that_take_requests)
