/* SPDX-License-Identifier: BSD-2-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "ngc/retry.h"

/* Where the spools of a stream lie: it may be larger than what fits into memory. */
static const char *const spool_dirs[] = { "/var/tmp", "/tmp" };

static enum ngc_code failed(const struct output *o, int sys, struct ngc_error *err)
{
	return ngc_fail(err, NGC_DENIED, sys, "%s", o->name);
}

static enum ngc_code open_stream(struct output *o, struct ngc_error *err)
{
	struct stat st;

	o->stream = true;
	if (strcmp(o->path, "-") == 0) {
		o->name = "standard output";
		o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else {
		o->fd = NGC_RETRY(open(o->path, O_WRONLY | O_NOCTTY | O_CLOEXEC));
	}
	if (o->fd < 0 || fstat(o->fd, &st) != 0)
		return failed(o, errno, err);
	if (isatty(o->fd))
		return ngc_fail(err, NGC_INVALID, 0, "%s: a terminal takes no archive",
		    o->name);
	for (size_t i = 0; o->dir < 0 && i < 2; i++)
		o->dir = NGC_RETRY(
		    open(spool_dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return NGC_OK;
}

/* What stands behind the last slash. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

int output_directory(const char *path)
{
	struct ngc_buf dir = { 0 };
	size_t n = (size_t)(base_name(path) - path);
	const char *text;
	int fd = -1;

	ngc_buf_add(&dir, path, n);
	text = ngc_buf_str(&dir);
	if (text != NULL)
		fd = NGC_RETRY(
		    open(n > 0 ? text : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	else
		errno = ENOMEM;
	ngc_buf_free(&dir);
	return fd;
}

/* ".NAME.PID.N": nobody takes a name for finished that begins with a dot. */
static char *name_beside(const char *path, unsigned n)
{
	struct ngc_buf b = { 0 };

	ngc_buf_printf(&b, ".%.200s.%ld.%u", base_name(path), (long)getpid(), n);
	ngc_buf_add_char(&b, '\0');
	if (!b.failed)
		return (char *)b.p;
	ngc_buf_free(&b);
	errno = ENOMEM;
	return NULL;
}

#define NAMES_TRIED 100

/* Create a file under a name of its own; the name is the caller's to free(). */
static int create_named(int dir, const char *path, char **name)
{
	int fd = -1;

	*name = NULL;
	for (unsigned n = 0; n < NAMES_TRIED; n++) {
		*name = name_beside(path, n);
		if (*name == NULL)
			return -1;
		fd = NGC_RETRY(
		    openat(dir, *name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
		if (fd >= 0 || errno != EEXIST)
			break;
		free(*name);
		*name = NULL;
	}
	if (fd < 0) {
		free(*name);
		*name = NULL;
	}
	return fd;
}

/* Without a name nothing is left of it, however the run ends. */
static int create_unnamed(int dir)
{
#ifdef O_TMPFILE
	return NGC_RETRY(openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
#else
	(void)dir;
	errno = EOPNOTSUPP;
	return -1;
#endif
}

/* Can a file without a name be given one later? */
static bool can_be_named(int fd)
{
	char proc[32];
	struct stat st;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	return fd >= 0 && stat(proc, &st) == 0;
}

static enum ngc_code open_file(struct output *o, struct ngc_error *err)
{
	o->dir = output_directory(o->path);
	if (o->dir < 0)
		return failed(o, errno, err);
	o->fd = create_unnamed(o->dir);
	if (can_be_named(o->fd))
		return NGC_OK;
	if (o->fd >= 0)
		close(o->fd);
	o->fd = create_named(o->dir, o->path, &o->temp);
	return o->fd >= 0 ? NGC_OK : failed(o, errno, err);
}

enum ngc_code output_open(struct output *o, const char *path,
    const volatile sig_atomic_t *stop, struct ngc_error *err)
{
	struct stat st;
	bool there = stat(path, &st) == 0;

	*o = (struct output){ .path = path,
		.name = path,
		.fd = -1,
		.dir = -1,
		.stop = stop };
	if (strcmp(path, "-") == 0 || (there && !S_ISREG(st.st_mode) &&
					  !S_ISDIR(st.st_mode)))
		return open_stream(o, err);
	if (base_name(path)[0] == '\0' || (there && S_ISDIR(st.st_mode)))
		return ngc_fail(err, NGC_INVALID, EISDIR, "%s", path);
	return open_file(o, err);
}

static bool stopped(const struct output *o)
{
	return o->stop != NULL && *o->stop != 0;
}

/*
 * Wait until a reader takes more.  A signal ends the wait, but not one that came right
 * before it: so it is no long one.
 */
static bool wait_for_room(const struct output *o)
{
	struct pollfd p = { o->fd, POLLOUT, 0 };

	while (!stopped(o))
		if (poll(&p, 1, 500) > 0)
			return true;
	errno = EINTR;
	return false;
}

bool output_write(struct output *o, const void *p, size_t n)
{
	const char *from = p;

	while (n > 0) {
		/* So much never blocks where a pipe has room. */
		size_t piece = o->stream && n > PIPE_BUF ? PIPE_BUF : n;
		ssize_t done = -1;

		if (!o->stream || wait_for_room(o))
			done = write(o->fd, from, piece);
		if (done < 0 && (errno != EINTR || stopped(o))) {
			o->sys = errno;
			return false;
		}
		if (done < 0)
			continue;
		from += done;
		n -= (size_t)done;
		o->written += (uint64_t)done;
	}
	return true;
}

/* Give a file without a name one in its directory. */
static int give_name(struct output *o)
{
	char proc[32];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", o->fd);
	for (unsigned n = 0; n < NAMES_TRIED; n++) {
		char *name = name_beside(o->path, n);

		if (name == NULL)
			return -1;
		if (linkat(AT_FDCWD, proc, o->dir, name, AT_SYMLINK_FOLLOW) == 0) {
			o->temp = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

enum ngc_code output_commit(struct output *o, struct ngc_error *err)
{
	if (o->stream)
		return NGC_OK;
	if (NGC_RETRY(fsync(o->fd)) != 0 || (o->temp == NULL && give_name(o) != 0) ||
	    renameat(o->dir, o->temp, o->dir, base_name(o->path)) != 0)
		return failed(o, errno, err);
	free(o->temp);
	o->temp = NULL;
	if (NGC_RETRY(fsync(o->dir)) != 0 &&
	    errno != EINVAL) /* some cannot be asked to */
		return failed(o, errno, err);
	return NGC_OK;
}

void output_close(struct output *o)
{
	if (o->temp != NULL)
		unlinkat(o->dir, o->temp, 0);
	free(o->temp);
	if (o->fd >= 0)
		close(o->fd);
	if (o->dir >= 0)
		close(o->dir);
	o->temp = NULL;
	o->fd = o->dir = -1;
}

static int spool_in(int dir)
{
	int fd = create_unnamed(dir);
	char *name;

	if (fd >= 0)
		return fd;
	fd = create_named(dir, "ngxcache", &name);
	if (fd >= 0)
		unlinkat(dir, name, 0);
	free(name);
	return fd;
}

int output_spool(const struct output *o)
{
	return spool_in(o->dir);
}

int output_spool_beside(const char *path)
{
	int dir = output_directory(path), fd, sys;

	if (dir < 0)
		return -1;
	fd = spool_in(dir);
	sys = errno;
	close(dir);
	errno = sys;
	return fd;
}
