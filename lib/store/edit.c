/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/retry.h"
#include "store.h"

/*
 * nginx reads the header of an entry on every request, also through a descriptor that its
 * open_file_cache keeps: bytes changed in place are seen at once, an unlinked name only
 * when that cache looks again.  So a removal first spoils the header, then unlinks.
 */

static enum ngc_outcome failed(const struct ngc_entry *e, const char *what, int sys,
    struct ngc_error *err)
{
	char owner[OWNER_TEXT];

	if ((sys == EACCES || sys == EPERM) && geteuid() != 0)
		ngc_fail(err, NGC_DENIED, 0,
		    "%s: permission denied: run as the owner of the cache (%s) or as "
		    "root",
		    what, owner_name(e->cache->owner, owner));
	else
		ngc_fail(err, NGC_DENIED, sys, "%s", what);
	err->sys = sys;
	return NGC_FAILED;
}

/* Does the name still stand for the file that was judged? */
static enum ngc_outcome still_there(struct ngc_entry *e, struct ngc_error *err)
{
	struct stat st;

	if (ngc_entry_stat(e, err) != NGC_OK)
		return NGC_FAILED;
	if (fstatat(e->dirfd, e->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? NGC_ALREADY_GONE : failed(e, "stat", errno, err);
	return st.st_dev == e->dev && st.st_ino == e->ino ? NGC_DONE : NGC_REPLACED;
}

/*
 * Read the header again, through the descriptor that is open for writing.  nginx rewrites
 * it in place when it revalidates an entry: that is the same entry still.  Another key is
 * another.
 */
static enum ngc_outcome reread_header(struct ngc_entry *e, int fd, struct ngc_error *err)
{
	const struct ngc_header judged = e->header;
	size_t pos = 0, end = judged.header_start;

	while (pos < end) {
		ssize_t n = pread(fd, e->reader->head + pos, end - pos, (off_t)pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(e, "read", errno, err);
		if (n == 0)
			return NGC_REPLACED;
		pos += (size_t)n;
	}
	if (ngc_header_parse(ngc_bytes(e->reader->head, end), NULL, &e->header) ==
		NGC_OK &&
	    e->header.layout == judged.layout && e->header.crc32 == judged.crc32 &&
	    e->header.key.n == judged.key.n)
		return NGC_DONE;
	e->header = judged;
	return NGC_REPLACED;
}

/* May the file be written, of which st was read through a descriptor just now? */
static enum ngc_outcome may_write(struct ngc_entry *e, const struct stat *st,
    struct ngc_error *err)
{
	if (st->st_nlink == 0) /* unlinked since it was opened */
		return still_there(e, err);
	if (!S_ISREG(st->st_mode) || st->st_nlink != 1)
		return failed(e, "not written: it has several links", 0, err);
	if (st->st_uid != e->cache->owner)
		return failed(e, "not written: its owner is not the cache's", 0, err);
	return NGC_DONE;
}

/* Is what was opened to write, by the same name, the file that was judged? */
static enum ngc_outcome check_reopened(struct ngc_entry *e, int fd, struct ngc_error *err)
{
	enum ngc_outcome outcome;
	struct stat st;

	if (ngc_entry_stat(e, err) != NGC_OK)
		return NGC_FAILED;
	if (fstat(fd, &st) != 0)
		return failed(e, "stat", errno, err);
	if (st.st_dev != e->dev || st.st_ino != e->ino)
		return NGC_REPLACED;
	outcome = may_write(e, &st, err);
	return outcome == NGC_DONE ? reread_header(e, fd, err) : outcome;
}

/* The descriptor that was judged can write: its header was read through it. */
static enum ngc_outcome check_judged(struct ngc_entry *e, struct ngc_error *err)
{
	struct stat st;

	if (fstat(e->fd, &st) != 0)
		return failed(e, "stat", errno, err);
	entry_take_stat(e, &st);
	return may_write(e, &st, err);
}

/*
 * Open the judged file for writing.  NGC_FAILED for one that may not be written: *fd is
 * -1 then, as always when NGC_DONE is not returned.  To be ended with end_write().
 */
static enum ngc_outcome open_to_write(struct ngc_entry *e, int *out,
    struct ngc_error *err)
{
	enum ngc_outcome outcome;
	int fd = e->fd;

	*out = -1;
	if (e->writable) {
		outcome = check_judged(e, err);
	} else {
		fd = NGC_RETRY(openat(e->dirfd, e->name,
		    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
		if (fd < 0)
			return errno == ENOENT ? NGC_ALREADY_GONE
			       : errno == ELOOP
				   ? NGC_REPLACED
				   : failed(e, "open for writing", errno, err);
		outcome = check_reopened(e, fd, err);
	}
	if (outcome == NGC_DONE)
		*out = fd;
	else if (fd != e->fd)
		close(fd);
	return outcome;
}

static void end_write(const struct ngc_entry *e, int fd)
{
	if (fd != e->fd)
		close(fd);
}

static enum ngc_outcome write_field(const struct ngc_entry *e, int fd,
    enum ngc_field field, int64_t value, struct ngc_error *err)
{
	struct ngc_patch p;

	if (!ngc_header_patch(&e->header, field, value, &p))
		return NGC_DONE;
	for (size_t done = 0; done < p.size;) {
		ssize_t n = NGC_RETRY(
		    pwrite(fd, p.bytes + done, p.size - done, p.offset + (off_t)done));

		if (n < 0)
			return failed(e, "write", errno, err);
		done += (size_t)n;
	}
	return NGC_DONE;
}

/* Make nginx refuse the entry; v0 has no version to spoil, there it is made long stale.
 */
static enum ngc_outcome spoil(struct ngc_entry *e, struct ngc_error *err)
{
	bool versioned = ngc_layout_version(e->header.layout) != 0;
	enum ngc_outcome outcome;
	int fd;

	outcome = open_to_write(e, &fd, err);
	if (outcome != NGC_DONE)
		return outcome;
	outcome = versioned ? write_field(e, fd, NGC_FIELD_VERSION, 0, err)
			    : write_field(e, fd, NGC_FIELD_VALID, 1, err);
	end_write(e, fd);
	return outcome;
}

enum ngc_outcome ngc_entry_remove(struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_outcome outcome = NGC_DONE;

	/* A file that may not be written is unlinked all the same. */
	if (!e->damaged)
		outcome = spoil(e, err);
	if (outcome == NGC_DONE || outcome == NGC_FAILED)
		outcome = still_there(e, err);
	if (outcome != NGC_DONE)
		return outcome;
	if (unlinkat(e->dirfd, e->name, 0) != 0)
		return errno == ENOENT ? NGC_ALREADY_GONE
				       : failed(e, "unlink", errno, err);
	return NGC_DONE;
}

enum ngc_outcome ngc_entry_try_remove(struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_outcome outcome = still_there(e, err);

	if (outcome == NGC_DONE && faccessat(e->dirfd, ".", W_OK, AT_EACCESS) != 0)
		return failed(e, "unlink", errno, err);
	return outcome;
}

enum ngc_outcome ngc_entry_try_write(struct ngc_entry *e, struct ngc_error *err)
{
	int fd;
	enum ngc_outcome outcome = open_to_write(e, &fd, err);

	if (outcome == NGC_DONE)
		end_write(e, fd);
	return outcome;
}

enum ngc_outcome ngc_entry_invalidate(struct ngc_entry *e, struct ngc_error *err)
{
	return spoil(e, err);
}

enum ngc_outcome ngc_entry_expire(struct ngc_entry *e, int64_t now, bool refetch,
    struct ngc_error *err)
{
	enum ngc_outcome outcome;
	int fd;

	outcome = open_to_write(e, &fd, err);
	if (outcome != NGC_DONE)
		return outcome;
	if (refetch) {
		outcome = write_field(e, fd, NGC_FIELD_ETAG_LEN, 0, err);
		if (outcome == NGC_DONE)
			outcome = write_field(e, fd, NGC_FIELD_LAST_MODIFIED, -1, err);
	}
	if (outcome == NGC_DONE && e->header.valid >= now)
		outcome = write_field(e, fd, NGC_FIELD_VALID, now - 1, err);
	end_write(e, fd);
	return outcome;
}
