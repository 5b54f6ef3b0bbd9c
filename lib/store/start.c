/* SPDX-License-Identifier: BSD-2-Clause */
#include "store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>

#include "ngc/retry.h"
#endif

/* The thread sanitizer follows descriptors, but not through close_range(). */
#if defined(SYS_close_range) && !defined(__SANITIZE_THREAD__)
#define CLOSE_RANGE 1
#endif

/*
 * Opening and reading the start of candidates.  Without O_NOATIME a scan after nginx
 * wrote dirties every inode; only the owner and root may ask for it.
 */
static int open_as(const struct start *s, int dirfd, int mode)
{
	int flags = mode | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = NGC_RETRY(openat(dirfd, s->name, flags | O_NOATIME));

	if (fd < 0 && errno == EPERM && O_NOATIME != 0)
		fd = NGC_RETRY(openat(dirfd, s->name, flags));
	return fd;
}

static void start_open(struct start *s, int dirfd, bool writes)
{
	s->n = 0;
	s->fd = writes ? open_as(s, dirfd, O_RDWR) : -1;
	s->writable = s->fd >= 0;
	if (!writes ||
	    (s->fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS)))
		s->fd = open_as(s, dirfd, O_RDONLY);
	s->sys = s->fd < 0 ? errno : 0;
}

static void take_read(struct start *s, ssize_t n)
{
	s->sys = n < 0 ? errno : 0;
	s->n = n < 0 ? 0 : (size_t)n;
}

/* Read, waiting for the disk. */
static void start_wait(struct start *s)
{
	take_read(s, NGC_RETRY(pread(s->fd, s->first, FIRST_READ, 0)));
}

void start_read(struct start *s, int dirfd)
{
	start_open(s, dirfd, false);
	if (s->fd >= 0)
		start_wait(s);
}

/* Read what the page cache holds; false: the disk has to be waited for. */
static bool read_cached(struct start *s)
{
#ifdef RWF_NOWAIT
	struct iovec to = { s->first, FIRST_READ };
	ssize_t n = preadv2(s->fd, &to, 1, 0, RWF_NOWAIT);

	if (n >= 0) {
		take_read(s, n);
		return true;
	}
#else
	(void)s;
#endif
	return false;
}

struct batch *batch_new(bool writes)
{
	struct batch *b = malloc(sizeof(*b));

	if (b == NULL)
		return NULL;
	b->n = 0;
	b->writes = writes;
	b->cold = false;
	for (size_t i = 0; i < BATCH_MAX; i++)
		b->of[i].first = b->first[i];
	return b;
}

void batch_free(struct batch *b)
{
	free(b);
}

void batch_add(struct batch *b, const char *name)
{
	memcpy(b->of[b->n++].name, name, NGC_NAME_LEN + 1);
}

/* Stops where descriptors run out. */
static size_t open_all(struct batch *b, size_t from, int dirfd)
{
	for (size_t i = from; i < b->n; i++) {
		start_open(&b->of[i], dirfd, b->writes);
		if (i > from && (b->of[i].sys == EMFILE || b->of[i].sys == ENFILE))
			return i;
	}
	return b->n;
}

/*
 * First what needs no waiting, while the disk is asked for the rest.  On a cold tree it
 * is told beforehand that what follows the start of a body will not be read.
 */
size_t batch_read(struct batch *b, size_t from, int dirfd)
{
	size_t to = open_all(b, from, dirfd), n = 0;
	unsigned char waiting[BATCH_MAX];

	for (size_t i = from; i < to; i++) {
		int fd = b->of[i].fd;

		if (fd >= 0 && b->cold)
			posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		if (fd < 0 || read_cached(&b->of[i]))
			continue;
		posix_fadvise(fd, 0, FIRST_READ, POSIX_FADV_WILLNEED);
		waiting[n++] = (unsigned char)i;
	}
	for (size_t i = 0; i < n; i++)
		start_wait(&b->of[waiting[i]]);
	b->cold = n > 0;
	return to;
}

/* The end of the run of descriptors that follow each other, so that no other lies
 * between. */
static size_t run_end(const struct batch *b, size_t from, size_t to)
{
	size_t i = from + 1;

	while (i < to && b->of[from].fd >= 0 &&
	       b->of[i].fd == b->of[from].fd + (int)(i - from))
		i++;
	return i;
}

static void close_run(int first, int last)
{
	if (first < 0)
		return;
#ifdef CLOSE_RANGE
	if (first < last && syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	for (int fd = first; fd <= last; fd++)
		close(fd);
}

void batch_close(const struct batch *b, size_t from, size_t to)
{
	while (from < to) {
		size_t end = run_end(b, from, to);

		close_run(b->of[from].fd, b->of[end - 1].fd);
		from = end;
	}
}
