/* SPDX-License-Identifier: BSD-2-Clause */
#include "copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ngc/digest.h"
#include "ngc/mem.h"
#include "ngc/retry.h"

/* What is copied into memory, and a piece of what is larger. */
#define MEMORY ((size_t)1 << 20)

/* How often a file may change before it is given up. */
#define ATTEMPTS 5

/* Clocks of file systems tick so often at least. */
#define TICK_NSEC 10000000L

enum ngc_code copy_open(struct copy *c, int spool, struct ngc_error *err)
{
	c->spool = spool;
	c->memory = malloc(MEMORY);
	return c->memory != NULL ? NGC_OK : ngc_no_memory(err);
}

void copy_close(struct copy *c)
{
	free(c->memory);
	if (c->spool >= 0)
		close(c->spool);
	c->memory = NULL;
	c->spool = -1;
}

static enum ngc_code failed(const char *what, int sys, struct ngc_error *err)
{
	return ngc_fail(err, NGC_DENIED, sys, "%s", what);
}

/* The next part behind at that holds data; false: there is none. */
static bool next_extent(int fd, off_t at, off_t size, struct copy_extent *out)
{
	off_t data = lseek(fd, at, SEEK_DATA), hole;

	if (data < 0 && errno == ENXIO)
		return false;
	if (data < 0 || data >= size) {
		*out = (struct copy_extent){ at, size - at };
		return data < 0; /* it cannot be told: all of it */
	}
	hole = lseek(fd, data, SEEK_HOLE);
	if (hole < 0 || hole > size)
		hole = size;
	*out = (struct copy_extent){ data, hole - data };
	return true;
}

/* Find the parts; what is behind the last one that there is room for belongs to it. */
static void find_extents(struct copy *c, int fd)
{
	off_t at = 0, size = c->st.st_size;

	c->n_extents = 0;
	c->sparse = (off_t)c->st.st_blocks * 512 < size;
	while (c->sparse && at < size && c->n_extents < COPY_EXTENTS_MAX) {
		struct copy_extent *x = &c->extents[c->n_extents];

		if (!next_extent(fd, at, size, x))
			break;
		at = x->at + x->n;
		c->n_extents++;
	}
	if (c->n_extents == COPY_EXTENTS_MAX)
		c->extents[c->n_extents - 1].n = size -
						 c->extents[c->n_extents - 1].at;
	if (c->n_extents == 1 && c->extents[0].n == size)
		c->sparse = false;
	if (!c->sparse) {
		c->extents[0] = (struct copy_extent){ 0, size };
		c->n_extents = size > 0;
	}
}

/* Read n bytes; NGC_DAMAGED: there are not so many. */
static enum ngc_code read_at(const struct ngc_entry *e, unsigned char *to, size_t n,
    off_t at, struct ngc_error *err)
{
	while (n > 0) {
		ssize_t done = pread(e->fd, to, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return failed("read", errno, err);
		if (done == 0)
			return NGC_DAMAGED;
		to += done;
		n -= (size_t)done;
		at += done;
	}
	return NGC_OK;
}

static bool write_at(int fd, const unsigned char *p, size_t n, off_t at)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, p, n, at);

		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
			at += done;
		}
	}
	return true;
}

static bool stopped(const struct copy *c)
{
	return c->stop != NULL && *c->stop != 0;
}

/* Never written to. */
static unsigned char zeros[65536];

static enum ngc_code give_hole(const struct copy *c, off_t n,
    enum ngc_code (*sink)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	while (n > 0 && code == NGC_OK) {
		size_t piece = n < (off_t)sizeof(zeros) ? (size_t)n : sizeof(zeros);

		code = sink(arg, zeros, piece, err);
		n -= (off_t)piece;
		if (stopped(c))
			return ngc_fail(err, NGC_FATAL, EINTR, "copy");
	}
	return code;
}

static enum ngc_code spool_extent(struct copy *c, const struct ngc_entry *e,
    struct copy_extent x, struct ngc_error *err)
{
	while (x.n > 0) {
		size_t n = x.n < (off_t)MEMORY ? (size_t)x.n : MEMORY;
		enum ngc_code code = read_at(e, c->memory, n, x.at, err);

		if (code != NGC_OK)
			return code;
		if (!write_at(c->spool, c->memory, n, x.at))
			return ngc_fail(err, NGC_FATAL, errno, "copy");
		if (stopped(c))
			return ngc_fail(err, NGC_FATAL, EINTR, "copy");
		c->sum = ngc_crc32_more(c->sum, ngc_bytes(c->memory, n));
		x.at += (off_t)n;
		x.n -= (off_t)n;
	}
	return NGC_OK;
}

static enum ngc_code spool(struct copy *c, const struct ngc_entry *e,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	off_t at = 0;

	if (c->spool < 0)
		return failed("it is large, and there is no place for a copy", 0, err);
	if (NGC_RETRY(ftruncate(c->spool, 0)) != 0)
		return ngc_fail(err, NGC_FATAL, errno, "copy");
	for (size_t i = 0; i < c->n_extents && code == NGC_OK; i++) {
		struct copy_extent x = c->extents[i];

		c->sum = ngc_crc32_zeros(c->sum, (uint64_t)(x.at - at));
		code = spool_extent(c, e, x, err);
		at = x.at + x.n;
	}
	c->sum = ngc_crc32_zeros(c->sum, (uint64_t)(c->st.st_size - at));
	return code;
}

static enum ngc_code copy_once(struct copy *c, const struct ngc_entry *e,
    struct ngc_error *err)
{
	size_t size = (size_t)c->st.st_size;
	enum ngc_code code;

	find_extents(c, e->fd);
	c->sum = 0;
	c->spooled = c->st.st_size > (off_t)MEMORY;
	if (c->spooled)
		return spool(c, e, err);
	c->sparse = false;
	code = read_at(e, c->memory, size, 0, err);
	if (code == NGC_OK)
		c->sum = ngc_crc32(ngc_bytes(c->memory, size));
	return code;
}

/* A change within the same tick of the clock as the last one could not be told. */
static bool changed_just_now(const struct stat *st)
{
	struct timespec now;
	int64_t age;

	clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec - st->st_ctim.tv_sec > 1)
		return false;
	age = (int64_t)(now.tv_sec - st->st_ctim.tv_sec) * 1000000000 + now.tv_nsec -
	      st->st_ctim.tv_nsec;
	return age >= 0 && age < TICK_NSEC;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Does its name still stand for it? */
static enum ngc_code still_named(const struct copy *c, const struct ngc_entry *e,
    struct ngc_error *err)
{
	struct stat st;

	if (fstatat(e->dirfd, e->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? NGC_GONE : failed("stat", errno, err);
	return st.st_dev == c->st.st_dev && st.st_ino == c->st.st_ino ? NGC_OK : NGC_GONE;
}

enum ngc_code copy_take(struct copy *c, const struct ngc_entry *e, struct ngc_error *err)
{
	static const struct timespec tick = { 0, TICK_NSEC };

	for (int i = 0; i < ATTEMPTS; i++) {
		struct stat after;
		enum ngc_code code;

		if (fstat(e->fd, &c->st) != 0)
			return failed("stat", errno, err);
		if (changed_just_now(&c->st))
			nanosleep(&tick, NULL);
		code = copy_once(c, e, err);
		if (code != NGC_OK && code != NGC_DAMAGED)
			return code;
		if (fstat(e->fd, &after) != 0)
			return failed("stat", errno, err);
		if (after.st_nlink == 0)
			return NGC_GONE;
		if (code == NGC_OK && is_same(&c->st, &after))
			return still_named(c, e, err);
	}
	return failed("it changes while it is read", 0, err);
}

static enum ngc_code give_extent(struct copy *c, struct copy_extent x,
    enum ngc_code (*sink)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	while (x.n > 0 && code == NGC_OK) {
		ssize_t n = pread(c->spool, c->memory,
		    x.n < (off_t)MEMORY ? (size_t)x.n : MEMORY, x.at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ngc_fail(err, NGC_FATAL, n < 0 ? errno : EIO,
			    "a copied entry");
		code = sink(arg, c->memory, (size_t)n, err);
		x.at += n;
		x.n -= n;
		if (stopped(c))
			return ngc_fail(err, NGC_FATAL, EINTR, "copy");
	}
	return code;
}

enum ngc_code copy_give(struct copy *c,
    enum ngc_code (*sink)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	off_t at = 0;

	if (!c->spooled)
		return c->st.st_size > 0
			 ? sink(arg, c->memory, (size_t)c->st.st_size, err)
			 : NGC_OK;
	for (size_t i = 0; i < c->n_extents && code == NGC_OK; i++) {
		struct copy_extent x = c->extents[i];

		code = give_hole(c, x.at - at, sink, arg, err);
		if (code == NGC_OK)
			code = give_extent(c, x, sink, arg, err);
		at = x.at + x.n;
	}
	if (code == NGC_OK)
		code = give_hole(c, c->st.st_size - at, sink, arg, err);
	if (ftruncate(c->spool, 0) != 0) {
		/* It takes its room until the next one. */
	}
	return code;
}
