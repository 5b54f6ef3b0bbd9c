/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/put.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "ngc/retry.h"
#include "store.h"

/*
 * As nginx stores a response: written beside its place under a name that its loader
 * passes over, and renamed.  Files and directories are the owner's of the root, and his
 * alone.
 */

#define TEMP_NAME (NGC_NAME_LEN + sizeof(".0123456789"))
#define ATTEMPTS  100

struct put {
	const struct ngc_put *req;
	uid_t owner;
	gid_t group;
	int dirfd, fd;
	char temp[TEMP_NAME]; /* "": there is none */
	off_t written;
};

static enum ngc_code failed(const struct put *p, const char *what, int sys,
    struct ngc_error *err)
{
	bool full = sys == ENOSPC || sys == EDQUOT || sys == EROFS;

	return ngc_fail(err, full ? NGC_FATAL : NGC_DENIED, sys, "%s/%s%s: %s",
	    p->req->into->path, p->req->dir, p->req->e->name, what);
}

enum ngc_code ngc_put_allowed(const struct ngc_cache *into, struct ngc_error *err)
{
	char owner[OWNER_TEXT];

	if (geteuid() == 0 || geteuid() == into->owner)
		return NGC_OK;
	return ngc_fail(err, NGC_DENIED, 0,
	    "%s: files must be its owner's: run as %s or as "
	    "root",
	    into->path, owner_name(into->owner, owner));
}

/* The owner, and his group: of the root, or whom the workers run as. */
static void find_owner(struct put *p, gid_t group)
{
	struct passwd pw, *found = NULL;
	const char *user = p->req->user;
	char names[1024];
	int r;

	p->owner = p->req->into->owner;
	p->group = group;
	if (p->owner == 0 && user != NULL)
		r = getpwnam_r(user, &pw, names, sizeof(names), &found);
	else
		r = getpwuid_r(p->owner, &pw, names, sizeof(names), &found);
	if (r != 0 || found == NULL)
		return;
	p->owner = pw.pw_uid;
	p->group = pw.pw_gid;
}

static bool give(const struct put *p, int fd)
{
	return geteuid() != 0 || fchown(fd, p->owner, p->group) == 0;
}

/* Open a directory of levels in another, or make it. */
static int enter(const struct put *p, int dirfd, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = NGC_RETRY(openat(dirfd, name, flags));

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (mkdirat(dirfd, name, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = NGC_RETRY(openat(dirfd, name, flags));
	if (fd >= 0 && (!give(p, fd) || fchmod(fd, 0700) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static enum ngc_code open_directory(struct put *p, struct ngc_error *err)
{
	const char *dir = p->req->dir;

	p->dirfd = fcntl(p->req->into->fd, F_DUPFD_CLOEXEC, 0);
	while (p->dirfd >= 0 && *dir != '\0') {
		char name[NGC_LEVELS_TEXT];
		size_t n = strcspn(dir, "/");
		int fd;

		memcpy(name, dir, n);
		name[n] = '\0';
		fd = enter(p, p->dirfd, name);
		if (fd < 0)
			return failed(p, "directory", errno, err);
		close(p->dirfd);
		p->dirfd = fd;
		dir += n + 1;
	}
	return p->dirfd >= 0 ? NGC_OK : failed(p, "directory", errno, err);
}

static enum ngc_code open_temp(struct put *p, struct ngc_error *err)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		unsigned long long number = (unsigned long long)now.tv_nsec * 7 + i;

		snprintf(p->temp, sizeof(p->temp), "%s.%010llu", p->req->e->name,
		    number % 10000000000ULL);
		p->fd = NGC_RETRY(openat(p->dirfd, p->temp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
		if (p->fd >= 0 || errno != EEXIST)
			break;
	}
	if (p->fd >= 0)
		return NGC_OK;
	p->temp[0] = '\0';
	return failed(p, "create", errno, err);
}

static bool stopped(const struct put *p)
{
	return p->req->stop != NULL && *p->req->stop != 0;
}

static enum ngc_code write_piece(void *arg, const void *from, size_t n,
    struct ngc_error *err)
{
	struct put *p = arg;
	const unsigned char *piece = from;

	while (n > 0) {
		ssize_t done = pwrite(p->fd, piece, n, p->written);

		if (done < 0 && errno == EINTR && !stopped(p))
			continue;
		if (done < 0)
			return failed(p, "write", errno, err);
		piece += done;
		n -= (size_t)done;
		p->written += done;
	}
	return stopped(p) ? NGC_GONE : NGC_OK;
}

/*
 * There must be room for all of it before any is written: an archive can claim a file of
 * any size, and another one may fit.
 */
static enum ngc_code check_room(const struct put *p, struct ngc_error *err)
{
	struct statvfs vfs;

	if (fstatvfs(p->dirfd, &vfs) != 0 ||
	    (uint64_t)p->req->e->size / vfs.f_frsize < vfs.f_bavail)
		return NGC_OK;
	failed(p, "write", ENOSPC, err);
	if (vfs.f_bavail > 0)
		err->code = NGC_DENIED;
	return err->code;
}

/* What could not be written until now is told of here; interrupted, it is closed. */
static bool close_file(struct put *p)
{
	int fd = p->fd;

	p->fd = -1;
	return fd < 0 || close(fd) == 0 || errno == EINTR;
}

static enum ngc_code write_file(struct put *p, struct ngc_error *err)
{
	struct ngc_entry *e = p->req->e;
	const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, e->changed };
	struct ngc_source *content;
	enum ngc_code code = ngc_entry_source(e, 0, &content, err);

	if (code != NGC_OK)
		return code;
	code = ngc_source_pass(content, write_piece, p, err);
	content->close(content);
	if (code != NGC_OK)
		return code;
	if (p->written != e->size)
		return ngc_fail(err, NGC_DAMAGED, 0, "%s/%s%s: %lld bytes of %lld",
		    ngc_cache_path(e->cache), e->dir, e->name, (long long)p->written,
		    (long long)e->size);
	if (!give(p, p->fd) || fchmod(p->fd, 0600) != 0)
		return failed(p, "owner and mode", errno, err);
	futimens(p->fd, times);
	if (!close_file(p))
		return failed(p, "write", errno, err);
	if (renameat(p->dirfd, p->temp, p->dirfd, e->name) != 0)
		return failed(p, "rename", errno, err);
	p->temp[0] = '\0';
	return NGC_OK;
}

enum ngc_code ngc_put_entry(const struct ngc_put *req, struct ngc_error *err)
{
	struct put p = { .req = req, .dirfd = -1, .fd = -1 };
	enum ngc_code code;
	struct stat st;

	if (fstat(req->into->fd, &st) != 0)
		return failed(&p, "root", errno, err);
	find_owner(&p, st.st_gid);
	code = open_directory(&p, err);
	if (code == NGC_OK)
		code = check_room(&p, err);
	if (code == NGC_OK)
		code = open_temp(&p, err);
	if (code == NGC_OK)
		code = write_file(&p, err);
	if (p.temp[0] != '\0')
		unlinkat(p.dirfd, p.temp, 0);
	close_file(&p);
	if (p.dirfd >= 0)
		close(p.dirfd);
	return code;
}
