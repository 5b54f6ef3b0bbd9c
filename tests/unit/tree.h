/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TREE_H
#define TREE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

/* A directory of its own for each test, and files in it. */
struct tree {
	char path[PATH_MAX];
};

static inline void tree_new(struct tree *t)
{
	const char *base = getenv("TMPDIR");
	char made[PATH_MAX];

	snprintf(made, sizeof(made), "%s/ngc.XXXXXX", base != NULL ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(made));
	ck_assert_int_eq(chmod(made, 0755), 0);
	ck_assert_ptr_nonnull(realpath(made, t->path));
}

static inline int tree_remove_one(
    const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static inline void tree_free(struct tree *t)
{
	ck_assert_int_eq(nftw(t->path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The path of something below it; valid until it was called four times more. */
__attribute__((format(printf, 2, 3))) static inline const char *tree_at(
    const struct tree *t, const char *fmt, ...)
{
	static char paths[4][2 * PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	va_list ap;
	int n = snprintf(path, PATH_MAX, "%s/", t->path);

	va_start(ap, fmt);
	vsnprintf(path + n, PATH_MAX, fmt, ap);
	va_end(ap);
	return path;
}

/* Make the directories that a path leads through. */
static inline void tree_make_parents(const char *path)
{
	char copy[2 * PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = strchr(copy + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		ck_assert_msg(mkdir(copy, 0755) == 0 || errno == EEXIST, "%s", copy);
		*p = '/';
	}
}

static inline void tree_mkdir(const struct tree *t, const char *name)
{
	tree_make_parents(tree_at(t, "%s/", name));
}

/* Written beside its place and renamed, as nginx does. */
static inline void tree_write(
    const struct tree *t, const char *name, const void *p, size_t n)
{
	char path[2 * PATH_MAX], temp[2 * PATH_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "%s", tree_at(t, "%s", name));
	snprintf(temp, sizeof(temp), "%s.new", path);
	tree_make_parents(path);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_msg(fd >= 0, "%s: %s", temp, strerror(errno));
	ck_assert_int_eq(write(fd, p, n), (ssize_t)n);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(rename(temp, path), 0);
}

static inline void tree_write_text(
    const struct tree *t, const char *name, const char *text)
{
	tree_write(t, name, text, strlen(text));
}

static inline void tree_link(const struct tree *t, const char *to, const char *name)
{
	const char *path = tree_at(t, "%s", name);

	tree_make_parents(path);
	ck_assert_int_eq(symlink(to, path), 0);
}

static inline bool tree_has(const struct tree *t, const char *name)
{
	struct stat st;

	return lstat(tree_at(t, "%s", name), &st) == 0;
}

/* What a file holds, at most size bytes. */
static inline size_t tree_read(
    const struct tree *t, const char *name, void *out, size_t size)
{
	int fd = open(tree_at(t, "%s", name), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	ck_assert_msg(fd >= 0, "%s", name);
	n = read(fd, out, size);
	close(fd);
	ck_assert_int_ge(n, 0);
	return (size_t)n;
}

/* How many descriptors are open: what a call leaves open shows. */
static inline unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

#endif
