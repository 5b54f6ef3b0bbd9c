/* SPDX-License-Identifier: BSD-2-Clause */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (64 * 1024)

extern char **environ;

/* posix_spawn() takes char *const[] for historical reasons; it does not write to the
 * strings. */
static char *const *spawn_argv(const char *const *argv)
{
	union {
		const char *const *from;
		char *const *to;
	} u = { argv };

	return u.to;
}

/* The child gets default signal handling, whatever we ignore. */
static int spawn(const char *const *argv, int output, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int e;

	e = posix_spawn_file_actions_init(&files);
	if (e != 0)
		return e;
	e = posix_spawnattr_init(&attr);
	if (e != 0)
		goto out_files;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	e = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (e == 0)
		e = posix_spawn_file_actions_adddup2(&files, output, 1);
	if (e == 0)
		e = posix_spawn_file_actions_adddup2(&files, output, 2);
#if __GLIBC_PREREQ(2, 34)
	if (e == 0) /* what our caller left open, as a web server's sockets */
		e = posix_spawn_file_actions_addclosefrom_np(&files, 3);
#endif
	if (e == 0)
		e = posix_spawnp(pid, argv[0], &files, &attr, spawn_argv(argv), environ);
	posix_spawnattr_destroy(&attr);
out_files:
	posix_spawn_file_actions_destroy(&files);
	return e;
}

static void collect(int fd, struct ngc_buf *output)
{
	size_t left = OUTPUT_MAX;
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) != 0) {
		size_t keep;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		keep = (size_t)n < left ? (size_t)n : left;
		ngc_buf_add(output, text, keep);
		left -= keep;
	}
}

enum ngc_code child_run(const char *const *argv, struct ngc_buf *output, int *status,
    struct ngc_error *err)
{
	int pipes[2], e, st = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return ngc_fail(err, NGC_FATAL, errno, "pipe");
	e = spawn(argv, pipes[1], &pid);
	close(pipes[1]);
	if (e != 0) {
		close(pipes[0]);
		return ngc_fail(err, e == ENOENT || e == EACCES ? NGC_GONE : NGC_FATAL, e,
		    "%s", argv[0]);
	}
	collect(pipes[0], output);
	close(pipes[0]);
	while (waitpid(pid, &st, 0) < 0)
		if (errno != EINTR)
			return ngc_fail(err, NGC_FATAL, errno, "%s", argv[0]);
	*status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
	return NGC_OK;
}
