/* SPDX-License-Identifier: BSD-2-Clause */
#include "master.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "ngc/retry.h"
#include "ngc/units.h"

/*
 * nginx and its descendants rewrite their command line: "nginx: master process ...",
 * "nginx: worker process", "nginx: worker process is shutting down".
 */

/* Read a small file whole; its length, or -1. */
static ssize_t read_small(const char *path, char *out, size_t size)
{
	int fd = NGC_RETRY(open(path, O_RDONLY | O_CLOEXEC));
	size_t n = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -1;
	while (n < size - 1 && (got = read(fd, out + n, size - 1 - n)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	out[n] = '\0';
	return got < 0 ? -1 : (ssize_t)n;
}

enum ngc_code master_read_pid(const char *path, pid_t *out, struct ngc_error *err)
{
	char text[32];
	ssize_t n = read_small(path, text, sizeof(text));
	int64_t pid;

	if (n < 0 && errno == ENOENT)
		return ngc_fail(err, NGC_DENIED, 0,
		    "nginx is not running: there is no pid file %s", path);
	if (n < 0)
		return ngc_fail(err, NGC_DENIED, errno, "pid file %s", path);
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	if (!ngc_parse_number(ngc_bytes(text, (size_t)n), &pid) || pid < 2 ||
	    pid > INT32_MAX)
		return ngc_fail(err, NGC_DENIED, 0, "pid file %s: no process id in it",
		    path);
	*out = (pid_t)pid;
	return NGC_OK;
}

/* The command line, its arguments parted by blanks. */
static bool read_title(pid_t pid, char *out, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)pid);
	n = read_small(path, out, size);
	if (n <= 0)
		return false;
	while (n > 0 && out[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (out[i] == '\0')
			out[i] = ' ';
	return true;
}

static bool is_nginx_program(const char *program)
{
	static const char *const names[] = { "nginx", "openresty", "angie", "tengine",
		"freenginx" };
	const char *slash = strrchr(program, '/');
	const char *base = slash != NULL ? slash + 1 : program;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/*
 * The binary, as the kernel knows it; another user's process does not show it, its title
 * does: "nginx: master process PROGRAM ...".
 */
static void read_program(struct master *m)
{
	static const char deleted[] = " (deleted)"; /* replaced by an upgrade */
	const char *title = strstr(m->title, "master process ");
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/exe", (long)m->pid);
	n = readlink(path, m->program, sizeof(m->program) - 1);
	if (n > 0) {
		m->program[n] = '\0';
		if ((size_t)n > strlen(deleted) &&
		    strcmp(m->program + n - strlen(deleted), deleted) == 0)
			m->program[(size_t)n - strlen(deleted)] = '\0';
		return;
	}
	if (title != NULL)
		snprintf(m->program, sizeof(m->program), "%.*s",
		    (int)strcspn(title + strlen("master process "), " "),
		    title + strlen("master process "));
}

enum ngc_code master_identify(pid_t pid, struct master *out, struct ngc_error *err)
{
	*out = (struct master){ .pid = pid };
	if (!read_title(pid, out->title, sizeof(out->title)))
		return ngc_fail(err, NGC_DENIED, 0,
		    "nginx is not running: process %ld of its pid file is gone",
		    (long)pid);
	read_program(out);
	if (strstr(out->title, ": master process") == NULL ||
	    !is_nginx_program(out->program))
		return ngc_fail(err, NGC_DENIED, 0,
		    "process %ld is not an nginx master process but '%.100s': not "
		    "signalled",
		    (long)pid, out->title);
	return NGC_OK;
}

bool master_option(const struct master *m, const char *option, char out[PATH_MAX])
{
	const char *p = m->title;
	size_t n = strlen(option);

	while ((p = strstr(p, option)) != NULL) {
		if (p > m->title && p[-1] == ' ' && p[n] == ' ') {
			size_t len = strcspn(p + n + 1, " ");

			if (len >= PATH_MAX)
				return false;
			memcpy(out, p + n + 1, len);
			out[len] = '\0';
			return true;
		}
		p += n;
	}
	return false;
}

/* The fourth field of /proc/PID/stat; the second, the name, may hold anything. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[1024];
	const char *p;
	long parent;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if (read_small(path, text, sizeof(text)) < 0)
		return 0;
	p = strrchr(text, ')');
	if (p == NULL || sscanf(p + 1, " %*c %ld", &parent) != 1)
		return 0;
	return (pid_t)parent;
}

pid_t master_loader(pid_t master)
{
	DIR *proc = opendir("/proc");
	const struct dirent *e;
	pid_t found = 0;

	while (proc != NULL && found == 0 && (e = readdir(proc)) != NULL) {
		char title[256];
		int64_t pid;

		if (ngc_parse_number(ngc_bytes_of(e->d_name), &pid) && pid <= INT32_MAX &&
		    parent_of((pid_t)pid) == master &&
		    read_title((pid_t)pid, title, sizeof(title)) &&
		    strstr(title, ": cache loader process") != NULL)
			found = (pid_t)pid;
	}
	if (proc != NULL)
		closedir(proc);
	return found;
}

static bool takes_requests(pid_t pid)
{
	char title[256];

	return read_title(pid, title, sizeof(title)) &&
	       strstr(title, ": worker process") != NULL &&
	       strstr(title, "shutting down") == NULL;
}

pid_t *master_workers(pid_t master)
{
	DIR *proc = opendir("/proc");
	pid_t *list = NULL;
	size_t n = 0, cap = 0;
	const struct dirent *e;

	if (proc == NULL)
		return NULL;
	while ((e = readdir(proc)) != NULL) {
		int64_t pid;

		if (!ngc_parse_number(ngc_bytes_of(e->d_name), &pid) || pid > INT32_MAX ||
		    parent_of((pid_t)pid) != master || !takes_requests((pid_t)pid))
			continue;
		if (!ngc_array_grow((void **)&list, n, &cap, sizeof(*list)))
			goto failed;
		list[n++] = (pid_t)pid;
	}
	closedir(proc);
	if (!ngc_array_grow((void **)&list, n, &cap, sizeof(*list))) {
		free(list);
		return NULL;
	}
	list[n] = 0;
	return list;
failed:
	closedir(proc);
	free(list);
	return NULL;
}

static int64_t milliseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The ticks from boot to the start of a process; 0: not known. */
static int64_t start_ticks(pid_t pid)
{
	unsigned long long ticks = 0;
	char path[64], text[1024];
	const char *p = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	if (fgets(text, sizeof(text), f) != NULL)
		p = strrchr(text, ')'); /* the name may hold anything */
	fclose(f);
	if (p == NULL || sscanf(p + 1,
			     " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
			     "%*d %*d %*d %*d %*d %llu",
			     &ticks) != 1)
		return 0;
	return (int64_t)ticks;
}

int64_t master_process_start(pid_t pid)
{
	int64_t ticks = start_ticks(pid);
	struct timespec now, up;

	if (ticks == 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &up) != 0)
		return 0;
	return milliseconds(now) - milliseconds(up) + ticks * 1000 / sysconf(_SC_CLK_TCK);
}
