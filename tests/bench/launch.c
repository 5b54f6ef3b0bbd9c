/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch OUTPUT PROGRAM [ARGUMENT...]: run it with its standard output in the file OUTPUT
 * and its errors nowhere, and print what it took: seconds, and KiB of memory at most.  A
 * small program, because a child is charged with the memory of whoever started it.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t files;
	struct rusage used;
	double start;
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, argv[1],
	    O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	start = now();
	if (posix_spawnp(&pid, argv[2], &files, NULL, argv + 2, environ) != 0)
		return 3;
	if (wait4(pid, &status, 0, &used) != pid)
		return 3;
	printf("%.6f %ld %ld.%06ld\n", now() - start, used.ru_maxrss,
	    (long)used.ru_utime.tv_sec, (long)used.ru_utime.tv_usec);
	return WIFEXITED(status) ? 0 : 3;
}
