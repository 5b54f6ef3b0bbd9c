/* SPDX-License-Identifier: BSD-2-Clause */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <stdint.h>
#include <sys/syscall.h>

#include "ngc/retry.h"

/*
 * getdents64(2) with a large buffer: readdir(3) asks for 32 KiB at a time and copies
 * every name, which is a tenth of the time of a walk over names.
 */
#define BUFFER_SIZE (256 * 1024)

struct dir_reader {
	int fd;
	size_t pos, end;
	_Alignas(8) unsigned char buffer[BUFFER_SIZE];
};

/* The kernel's struct linux_dirent64. */
struct kernel_dirent {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

struct dir_reader *dir_reader_new(void)
{
	return malloc(sizeof(struct dir_reader));
}

void dir_reader_free(struct dir_reader *d)
{
	free(d);
}

int dir_reader_start(struct dir_reader *d, int fd)
{
	d->fd = fd;
	d->pos = d->end = 0;
	return 0;
}

static bool fill(struct dir_reader *d)
{
	long n = NGC_RETRY(syscall(SYS_getdents64, d->fd, d->buffer, sizeof(d->buffer)));

	if (n <= 0) {
		if (n == 0)
			errno = 0;
		return false;
	}
	d->pos = 0;
	d->end = (size_t)n;
	return true;
}

const char *dir_reader_next(struct dir_reader *d, unsigned char *type)
{
	for (;;) {
		const struct kernel_dirent *e;

		if (d->pos == d->end && !fill(d))
			return NULL;
		e = (const struct kernel_dirent *)(const void *)(d->buffer + d->pos);
		d->pos += e->reclen;
		if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0)
			continue;
		*type = e->type;
		return e->name;
	}
}

#else

struct dir_reader {
	DIR *dir;
};

struct dir_reader *dir_reader_new(void)
{
	return calloc(1, sizeof(struct dir_reader));
}

static void stop(struct dir_reader *d)
{
	if (d->dir != NULL)
		closedir(d->dir);
	d->dir = NULL;
}

void dir_reader_free(struct dir_reader *d)
{
	if (d != NULL)
		stop(d);
	free(d);
}

int dir_reader_start(struct dir_reader *d, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	stop(d);
	if (copy < 0)
		return -1;
	d->dir = fdopendir(copy);
	if (d->dir == NULL) {
		close(copy);
		return -1;
	}
	rewinddir(d->dir);
	return 0;
}

const char *dir_reader_next(struct dir_reader *d, unsigned char *type)
{
	struct dirent *e;

	do {
		errno = 0;
		e = readdir(d->dir);
		if (e == NULL)
			return NULL;
	} while (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0);
	*type = e->d_type;
	return e->d_name;
}

#endif

/* Only the owner and root may ask for O_NOATIME. */
int dir_open_at(int dirfd, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = NGC_RETRY(openat(dirfd, name, flags | O_NOATIME));

	if (fd < 0 && errno == EPERM && O_NOATIME != 0)
		fd = NGC_RETRY(openat(dirfd, name, flags));
	return fd;
}

/* Going on from a directory needs no right to read it. */
#if defined(O_PATH)
#define O_PASS O_PATH
#elif defined(O_SEARCH)
#define O_PASS O_SEARCH
#else
#define O_PASS O_RDONLY
#endif

static int pass_at(int dirfd, const char *name)
{
	return NGC_RETRY(
	    openat(dirfd, name, O_PASS | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/* Opened anew, not duplicated: a duplicate would share the position of readers of the
 * root. */
static int open_below(int rootfd, const char *dir, int (*open_last)(int, const char *))
{
	int fd = rootfd;

	if (*dir == '\0')
		return open_last(rootfd, ".");
	while (fd >= 0 && *dir != '\0') {
		char name[3] = { 0 };
		size_t n = strcspn(dir, "/");
		int up = fd, saved;

		memcpy(name, dir, n < sizeof(name) ? n : sizeof(name) - 1);
		dir += n + (dir[n] == '/');
		fd = *dir == '\0' ? open_last(up, name) : pass_at(up, name);
		saved = errno;
		if (up != rootfd)
			close(up);
		errno = saved;
	}
	return fd;
}

int level_dir_open(int rootfd, const char *dir)
{
	return open_below(rootfd, dir, dir_open_at);
}

int level_dir_pass(int rootfd, const char *dir)
{
	return open_below(rootfd, dir, pass_at);
}
