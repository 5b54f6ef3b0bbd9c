/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/op/child.h"

#include <signal.h>

#include "tree.h"

/* Run a shell command; its output is to be freed. */
static int run(const char *command, struct ngc_buf *output)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	unsigned before = open_descriptors();
	struct ngc_error err;
	int status = -1;

	ck_assert_msg(child_run(argv, output, &status, &err) == NGC_OK, "%s", err.text);
	ck_assert_uint_eq(open_descriptors(), before);
	return status;
}

static void check_run(const char *command, int status, const char *output)
{
	struct ngc_buf b = { 0 };

	ck_assert_msg(run(command, &b) == status, "%s", command);
	ck_assert_str_eq(ngc_buf_str(&b), output);
	ngc_buf_free(&b);
}

START_TEST(both_outputs_are_collected)
{
	check_run("echo out; echo err >&2; echo out", 0, "out\nerr\nout\n");
	check_run("true", 0, "");
	check_run("printf x", 0, "x");
}
END_TEST

START_TEST(the_status_is_told)
{
	check_run("exit 3", 3, "");
	check_run("kill -TERM $$", 128 + SIGTERM, "");
	check_run("echo x; kill -KILL $$", 128 + SIGKILL, "x\n");
}
END_TEST

START_TEST(there_is_no_standard_input)
{
	check_run("cat", 0, "");
}
END_TEST

/* The program ignores SIGPIPE; what it runs must not. */
START_TEST(a_broken_pipe_ends_a_child)
{
	signal(SIGPIPE, SIG_IGN);
	check_run("(sh -c 'kill -PIPE $$; echo survived'); echo $?", 0, "141\n");
}
END_TEST

START_TEST(descriptors_are_not_inherited)
{
	struct ngc_buf b = { 0 };

	for (int fd = 3; fd < 256; fd++) /* those of the test framework */
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	ck_assert_int_eq(run("ls /proc/self/fd | wc -l", &b), 0);
	ck_assert_int_le(
	    strtol(ngc_buf_str(&b), NULL, 10), 4); /* 0, 1, 2 and the directory */
	ngc_buf_free(&b);
}
END_TEST

START_TEST(what_is_not_there_is_gone)
{
	static const char *const programs[] = { "no-such-program-at-all",
		"/no/such/program", "/etc/passwd", "/etc" };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const char *argv[] = { programs[i], NULL };
		unsigned before = open_descriptors();
		struct ngc_buf b = { 0 };
		struct ngc_error err;
		int status;

		ck_assert_msg(
		    child_run(argv, &b, &status, &err) == NGC_GONE, "%s", programs[i]);
		ck_assert_ptr_nonnull(strstr(err.text, programs[i]));
		ck_assert_uint_eq(open_descriptors(), before);
		ngc_buf_free(&b);
	}
}
END_TEST

/* The rest is read, so that the child can end, but not kept. */
START_TEST(of_a_long_output_the_start_is_kept)
{
	struct ngc_buf b = { 0 };

	ck_assert_int_eq(run("yes | head -c 1000000; exit 5", &b), 5);
	ck_assert_uint_eq(b.n, 65536);
	ck_assert_int_eq(strncmp(ngc_buf_str(&b), "y\ny\n", 4), 0);
	ngc_buf_free(&b);
	ngc_buf_add_str(&b, "before ");
	ck_assert_int_eq(run("echo after", &b), 0);
	ck_assert_str_eq(ngc_buf_str(&b), "before after\n");
	ngc_buf_free(&b);
}
END_TEST

UNIT_MAIN("child", both_outputs_are_collected, the_status_is_told,
    there_is_no_standard_input, a_broken_pipe_ends_a_child, descriptors_are_not_inherited,
    what_is_not_there_is_gone, of_a_long_output_the_start_is_kept)
