/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/path.h"
#include "store.h"

/* Never a cache, whatever lies in them. */
static const char *const system_dirs[] = { "/", "/etc", "/usr", "/var", "/home" };

static bool is_system_dir(const struct stat *st)
{
	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++) {
		struct stat other;

		if (stat(system_dirs[i], &other) == 0 && other.st_dev == st->st_dev &&
		    other.st_ino == st->st_ino)
			return true;
	}
	return false;
}

/* A link may lead to the cache when root made it, or whom the cache belongs to anyway. */
static bool links_trusted(const struct ngc_links *links, uid_t owner)
{
	for (unsigned i = 0; i < links->n; i++)
		if (links->owner[i] != 0 && links->owner[i] != owner)
			return false;
	return true;
}

/* Is the directory empty, or is there a trace of nginx's cache in it?  -1: cannot be read. */
static int looks_like_cache(int fd)
{
	struct dir_reader *d = dir_reader_new();
	const char *name = NULL;
	unsigned char type;
	bool empty = true;
	int result = -1;

	if (d == NULL || dir_reader_start(d, fd) != 0)
		goto out;
	errno = 0;
	while ((name = dir_reader_next(d, &type)) != NULL && name_kind(name) == NAME_OTHER)
		empty = false;
	if (name != NULL)
		result = 1;
	else if (errno == 0)
		result = empty;
out:
	dir_reader_free(d);
	return result;
}

static enum ngc_code open_failed(const char *path, int sys, struct ngc_error *err)
{
	if (sys == ENOENT)
		return ngc_fail(err, NGC_GONE, 0, "%s: no such directory", path);
	if (sys == ENOTDIR)
		return ngc_fail(err, NGC_INVALID, 0, "%s: not a directory", path);
	return access_denied(path, sys, err);
}

/* Refuse what is no cache. */
static enum ngc_code judge_root(const char *path, int fd, const struct stat *st,
    const struct ngc_links *links, struct ngc_error *err)
{
	if (is_system_dir(st))
		return ngc_fail(err, NGC_INVALID, 0, "%s: a system directory, not a cache", path);
	if (!links_trusted(links, st->st_uid))
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: a symbolic link on the way belongs neither to root nor to the owner "
		    "of the directory it leads to",
		    path);
	switch (looks_like_cache(fd)) {
	case 1:
		return NGC_OK;
	case 0:
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: not a cache: neither entries nor level directories in it", path);
	default:
		return access_denied(path, errno, err);
	}
}

/* What of a reported path lies below sysroot. */
static const char *below(const char *path, const char *sysroot)
{
	return path + (sysroot != NULL ? strlen(sysroot) : 0);
}

enum ngc_code ngc_cache_open(const struct ngc_zone *zone, const char *sysroot,
    struct ngc_cache **out, struct ngc_error *err)
{
	struct ngc_cache *c = NULL;
	struct ngc_links links;
	enum ngc_code code;
	struct stat st;
	int fd;

	*out = NULL;
	fd = ngc_path_open(sysroot, below(zone->path, sysroot), O_RDONLY | O_DIRECTORY, &links);
	if (fd < 0)
		return open_failed(zone->path, errno, err);
	code = NGC_FATAL;
	if (fstat(fd, &st) != 0) {
		ngc_fail(err, code, errno, "%s", zone->path);
		goto out;
	}
	code = judge_root(zone->path, fd, &st, &links, err);
	if (code != NGC_OK)
		goto out;
	c = calloc(1, sizeof(*c));
	if (c == NULL) {
		code = ngc_no_memory(err);
		goto out;
	}
	*c = (struct ngc_cache){ zone, fd, { st.st_dev, st.st_ino }, st.st_uid };
	fd = -1;
	*out = c;
out:
	if (fd >= 0)
		close(fd);
	return code;
}

void ngc_cache_close(struct ngc_cache *c)
{
	if (c == NULL)
		return;
	close(c->fd);
	free(c);
}

const struct ngc_zone *ngc_cache_zone(const struct ngc_cache *c)
{
	return c->zone;
}

struct ngc_place ngc_cache_place(const struct ngc_cache *c)
{
	return c->place;
}

bool ngc_place_find(const char *path, const char *sysroot, struct ngc_place *out)
{
	int fd = ngc_path_open(sysroot, below(path, sysroot), O_RDONLY | O_DIRECTORY, NULL);
	struct stat st;
	bool found = fd >= 0 && fstat(fd, &st) == 0;

	if (found)
		*out = (struct ngc_place){ st.st_dev, st.st_ino };
	if (fd >= 0)
		close(fd);
	return found;
}
