/* SPDX-License-Identifier: BSD-2-Clause */
#include "holders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "ngc/retry.h"

/*
 * Two witnesses.  The descriptors that /proc shows miss the processes of other containers
 * and, where we are not allowed to look, more.  A write lease is given only for a file
 * that nobody else has open, wherever he is; but not on every file system, and some
 * kernels see those alone who write, as nginx does.
 */

static int compare(const void *a, const void *b)
{
	const struct ngc_place *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->dev < y->dev ? -1 : x->dev > y->dev;
}

#ifdef __linux__

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

/* A process may end at any time: what is gone holds nothing. */
static bool gone(int sys)
{
	return sys == ENOENT || sys == ESRCH;
}

static bool is_number(const char *name)
{
	return name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

/* Call each() for all the numbers in a directory; false: it could not be read through. */
static bool each_number(int dirfd, const char *name, struct holders *h,
    bool (*each)(struct holders *h, int dirfd, const char *name))
{
	int fd = NGC_RETRY(openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	bool ok = true;

	if (d == NULL) {
		ok = fd < 0 && gone(errno);
		if (fd >= 0)
			close(fd);
		return ok;
	}
	for (errno = 0; ok && (e = readdir(d)) != NULL; errno = 0)
		ok = !is_number(e->d_name) || each(h, fd, e->d_name);
	ok = ok && (errno == 0 || gone(errno));
	closedir(d);
	return ok;
}

static bool take_file(struct holders *h, int dirfd, const char *name)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, 0) != 0)
		return gone(errno);
	if (!S_ISREG(st.st_mode))
		return true;
	if (!ngc_array_grow((void **)&h->open, h->n, &h->cap, sizeof(*h->open)))
		return false;
	h->open[h->n++] = (struct ngc_place){ st.st_dev, st.st_ino };
	return true;
}

static bool take_process(struct holders *h, int dirfd, const char *name)
{
	int fd = NGC_RETRY(openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	bool ok;

	if (fd < 0)
		return gone(errno);
	ok = each_number(fd, "fd", h, take_file);
	close(fd);
	return ok;
}

static bool read_all(struct holders *h)
{
	/* Without process 1, /proc hides the processes of others. */
	return access("/proc/1", F_OK) == 0 &&
	       each_number(AT_FDCWD, "/proc", h, take_process);
}

#else

static bool read_all(struct holders *h)
{
	(void)h;
	return false;
}

#endif

void holders_read(struct holders *h)
{
	*h = (struct holders){ 0 };
	h->known = read_all(h);
	if (h->n > 0)
		qsort(h->open, h->n, sizeof(*h->open), compare);
}

void holders_free(struct holders *h)
{
	free(h->open);
	*h = (struct holders){ 0 };
}

static enum held ask_for_lease(int fd)
{
#ifdef F_SETLEASE
	if (fcntl(fd, F_SETLEASE, F_WRLCK) == 0)
		return HELD_NOT;
	if (errno == EAGAIN)
		return HELD;
#else
	(void)fd;
#endif
	return HELD_UNKNOWN;
}

/* Another thread may have begun with a copy of fd, and keep a lease that is not given up.
 */
void holders_close(int fd)
{
#ifdef F_SETLEASE
	fcntl(fd, F_SETLEASE, F_UNLCK);
#endif
	close(fd);
}

enum held holders_ask(const struct holders *h, int fd, struct ngc_place file)
{
	enum held held;

	if (h->n > 0 && bsearch(&file, h->open, h->n, sizeof(*h->open), compare) != NULL)
		return HELD;
	held = ask_for_lease(fd);
	return held == HELD_UNKNOWN && h->known ? HELD_NOT : held;
}
