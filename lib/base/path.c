/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The path is walked component by component, each opened relative to the one before without
 * following a link; a link's text is put in front of what is left.  openat2(2) could resolve
 * below a root, but does not tell who owns the links, and is Linux's alone.
 */

#ifdef O_PATH
#define OPEN_TO_PASS (O_PATH | O_CLOEXEC)
#else
#define OPEN_TO_PASS (O_RDONLY | O_CLOEXEC)
#endif

struct walk {
	int root, cur;
	char rest[PATH_MAX]; /* what is still to be walked */
	struct ngc_links *links;
};

static bool same_directory(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

static void enter(struct walk *w, int fd)
{
	if (w->cur != w->root)
		close(w->cur);
	w->cur = fd;
}

/* Take the next component off the rest; false at the end. */
static bool next_component(struct walk *w, char out[NAME_MAX + 1])
{
	const char *p = w->rest;
	size_t n;

	while (*p == '/')
		p++;
	n = strcspn(p, "/");
	if (n == 0)
		return false;
	if (n > NAME_MAX)
		n = NAME_MAX; /* too long to exist: the open fails */
	memcpy(out, p, n);
	out[n] = '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return true;
}

static bool is_last(const struct walk *w)
{
	return w->rest[strspn(w->rest, "/")] == '\0';
}

/*
 * Stat a component and, when it is a link, read its text: *n is its length.  The two belong
 * together, whoever renames things meanwhile.
 */
static int look(const struct walk *w, const char *name, struct stat *st, char text[PATH_MAX],
    ssize_t *n)
{
#ifdef O_PATH
	int fd = openat(w->cur, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), r;

	if (fd < 0)
		return -1;
	r = fstat(fd, st);
	*n = r == 0 && S_ISLNK(st->st_mode) ? readlinkat(fd, "", text, PATH_MAX - 1) : 0;
	close(fd);
#else
	int r = fstatat(w->cur, name, st, AT_SYMLINK_NOFOLLOW);

	*n = r == 0 && S_ISLNK(st->st_mode) ? readlinkat(w->cur, name, text, PATH_MAX - 1) : 0;
#endif
	return r == 0 && *n >= 0 ? 0 : -1;
}

/* Put the n bytes of a link's text in front of the rest. */
static int follow(struct walk *w, uid_t owner, const char *text, size_t n)
{
	size_t rest = strlen(w->rest);

	if (w->links->n == NGC_LINKS_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (n + 1 + rest >= sizeof(w->rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	w->links->owner[w->links->n++] = owner;
	memmove(w->rest + n + 1, w->rest, rest + 1);
	memcpy(w->rest, text, n);
	w->rest[n] = '/';
	if (text[0] == '/')
		enter(w, w->root);
	return 0;
}

/* Go up, but never above the root. */
static int go_up(struct walk *w)
{
	int fd;

	if (w->cur == w->root || same_directory(w->cur, w->root))
		return 0;
	fd = openat(w->cur, "..", OPEN_TO_PASS | O_DIRECTORY);
	if (fd < 0)
		return -1;
	enter(w, fd);
	return 0;
}

/* Walk one component; *opened becomes the descriptor of the last one, unless it is a link. */
static int step(struct walk *w, const char *name, int flags, int *opened)
{
	struct stat st;
	char text[PATH_MAX];
	ssize_t n;
	bool last = is_last(w);
	int fd;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0)
		return go_up(w);
	if (look(w, name, &st, text, &n) != 0)
		return -1;
	if (S_ISLNK(st.st_mode))
		return follow(w, st.st_uid, text, (size_t)n);
	fd = openat(w->cur, name,
	    (last ? flags : OPEN_TO_PASS | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (last)
		*opened = fd;
	else
		enter(w, fd);
	return 0;
}

int ngc_path_open(const char *root, const char *path, int flags, struct ngc_links *links)
{
	struct ngc_links unused;
	struct walk w = { .links = links != NULL ? links : &unused };
	char name[NAME_MAX + 1];
	int fd = -1, saved;

	w.links->n = 0;
	if (strlen(path) >= sizeof(w.rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(w.rest, path, strlen(path) + 1);
	w.root = open(root != NULL && root[0] != '\0' ? root : "/", OPEN_TO_PASS | O_DIRECTORY);
	if (w.root < 0)
		return -1;
	w.cur = w.root;
	if ((root == NULL || root[0] == '\0') && path[0] != '/') {
		w.cur = open(".", OPEN_TO_PASS | O_DIRECTORY);
		if (w.cur < 0)
			w.cur = w.root;
	}
	while (fd < 0 && next_component(&w, name))
		if (step(&w, name, flags, &fd) != 0)
			goto out;
	if (fd < 0) /* the path ended in "/", "." or ".." */
		fd = openat(w.cur, ".", flags | O_CLOEXEC);
out:
	saved = errno;
	enter(&w, w.root);
	close(w.root);
	errno = saved;
	return fd;
}
