/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store.h"

/*
 * nginx 1.7.10 to 1.11.5 with use_temp_path=off: temp/5/00/0000000005, in the root of the
 * cache.
 */

#define TEMP_DEPTH (NGC_LEVELS_MAX + 1)
#define TEMP_PATH  (NGC_LEVELS_TEXT + sizeof("temp/") + NGC_LEVELS_TEXT)

struct temp {
	const struct ngc_cache *cache;
	void (*visit)(void *arg, const struct ngc_stray *s);
	void *arg;
	struct ngc_error *err;
};

static bool is_directory(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

static bool is_number(const char *name)
{
	return strspn(name, "0123456789") == 10 && name[10] == '\0';
}

static enum ngc_code temp_dir(const struct temp *t, int updirfd, const char *up,
    const char *name, unsigned depth);

static enum ngc_code temp_name(const struct temp *t, int fd, const char *dir,
    const char *name, unsigned depth)
{
	enum ngc_stray_kind kind = is_number(name) ? NGC_STRAY_TEMP_FILE
						   : NGC_STRAY_OTHER;
	struct ngc_stray s = { t->cache, kind, fd, dir, name };

	if (depth < TEMP_DEPTH && name_kind(name) == NAME_LEVEL && is_directory(fd, name))
		return temp_dir(t, fd, dir, name, depth + 1);
	t->visit(t->arg, &s);
	return NGC_OK;
}

/* A directory that is gone, or swapped for a link, has nothing in it. */
static enum ngc_code denied(const struct temp *t, const char *dir, int sys)
{
	if (sys == ENOENT || sys == ENOTDIR || sys == ELOOP)
		return NGC_OK;
	return ngc_fail(t->err, NGC_DENIED, sys, "%s/%s", t->cache->zone->path, dir);
}

static enum ngc_code temp_dir(const struct temp *t, int updirfd, const char *up,
    const char *name, unsigned depth)
{
	struct dir_reader *d = dir_reader_new();
	enum ngc_code code = NGC_OK, one;
	char dir[TEMP_PATH];
	unsigned char type;
	int fd = -1;

	snprintf(dir, sizeof(dir), "%s%s/", up, name);
	if (d == NULL) {
		code = ngc_no_memory(t->err);
		goto out;
	}
	fd = dir_open_at(updirfd, name);
	if (fd < 0 || dir_reader_start(d, fd) != 0) {
		code = denied(t, dir, errno);
		goto out;
	}
	for (;;) {
		errno = 0;
		name = dir_reader_next(d, &type);
		if (name == NULL)
			break;
		one = temp_name(t, fd, dir, name, depth);
		if (one != NGC_OK)
			code = one;
	}
	if (errno != 0)
		code = denied(t, dir, errno);
out:
	if (fd >= 0)
		close(fd);
	dir_reader_free(d);
	return code;
}

enum ngc_code ngc_stray_temp_files(const struct ngc_stray *dir,
    void (*visit)(void *arg, const struct ngc_stray *s), void *arg, struct ngc_error *err)
{
	const struct temp t = { dir->cache, visit, arg, err };

	return temp_dir(&t, dir->dirfd, dir->dir, dir->name, 1);
}
