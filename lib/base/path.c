/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/vfs.h>

#include "ngc/retry.h"

#define PROC_MAGIC 0x9fa0 /* PROC_SUPER_MAGIC; musl has no linux/magic.h */
#endif

/*
 * The path is walked component by component, each opened relative to the one before
 * without following a link; a link's text is put in front of what is left.  openat2(2)
 * could resolve below a root, but does not tell who owns the links, and is Linux's alone.
 *
 * The links of /proc (PID/root, PID/cwd, PID/fd/N) lead where the kernel says, which in
 * another mount namespace is not where their text says.  They are followed so, but not
 * below a root.
 */

#ifdef O_PATH
#define OPEN_TO_PASS (O_PATH | O_CLOEXEC)
#else
#define OPEN_TO_PASS (O_RDONLY | O_CLOEXEC)
#endif

struct walk {
	int root, cur;
	bool real_root;
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

/* Take the next component off the rest: 1, at the end 0, -1 and errno when it is too
 * long. */
static int next_component(struct walk *w, char out[NAME_MAX + 1])
{
	const char *p = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(p, "/");

	if (n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(out, p, n);
	out[n] = '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return n > 0;
}

static bool is_last(const struct walk *w)
{
	return w->rest[strspn(w->rest, "/")] == '\0';
}

/* A component, and when it is a link, its text. */
struct seen {
	struct stat st;
	char text[PATH_MAX];
	size_t n;
	bool of_proc;
	int fd; /* of a directory, to pass it; else -1 */
};

#ifdef O_PATH
/* Stat and text belong together, whoever renames things meanwhile. */
static int look(const struct walk *w, const char *name, struct seen *out)
{
	int fd = NGC_RETRY(openat(w->cur, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
	struct statfs fs;
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	out->fd = -1;
	if (fstat(fd, &out->st) != 0) {
		n = -1;
	} else if (S_ISDIR(out->st.st_mode)) {
		out->fd = fd;
		return 0;
	} else if (S_ISLNK(out->st.st_mode)) {
		n = readlinkat(fd, "", out->text, sizeof(out->text) - 1);
		out->of_proc = fstatfs(fd, &fs) == 0 && fs.f_type == PROC_MAGIC;
	}
	close(fd);
	out->n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -1 : 0;
}
#else
static int look(const struct walk *w, const char *name, struct seen *out)
{
	ssize_t n = 0;

	if (fstatat(w->cur, name, &out->st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	if (S_ISLNK(out->st.st_mode))
		n = readlinkat(w->cur, name, out->text, sizeof(out->text) - 1);
	out->of_proc = false;
	out->fd = -1;
	out->n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -1 : 0;
}
#endif

static int note_link(struct walk *w, uid_t owner)
{
	if (w->links->n == NGC_LINKS_MAX) {
		errno = ELOOP;
		return -1;
	}
	w->links->owner[w->links->n++] = owner;
	return 0;
}

/* Put a link's text in front of the rest, which is empty or begins with a slash. */
static int follow(struct walk *w, const struct seen *link)
{
	size_t rest = strlen(w->rest);

	if (note_link(w, link->st.st_uid) != 0)
		return -1;
	if (link->n + rest >= sizeof(w->rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memmove(w->rest + link->n, w->rest, rest + 1);
	memcpy(w->rest, link->text, link->n);
	if (link->text[0] == '/')
		enter(w, w->root);
	return 0;
}

/* Go up, but never above the root. */
static int go_up(struct walk *w)
{
	int fd;

	if (w->cur == w->root || same_directory(w->cur, w->root))
		return 0;
	fd = NGC_RETRY(openat(w->cur, "..", OPEN_TO_PASS | O_DIRECTORY));
	if (fd < 0)
		return -1;
	enter(w, fd);
	return 0;
}

/* The flags for a component: what is passed, and what stands before a slash, is a
 * directory. */
static int flags_for(const struct walk *w, int flags)
{
	if (!is_last(w))
		return OPEN_TO_PASS | O_DIRECTORY;
	return (w->rest[0] == '/' ? flags | O_DIRECTORY : flags) | O_CLOEXEC;
}

/* Walk one component; *opened becomes the descriptor of the last one, unless it is a
 * link. */
static int step(struct walk *w, const char *name, int flags, int *opened)
{
	bool last = is_last(w);
	int how = flags_for(w, flags) | O_NOFOLLOW, fd;
	struct seen seen;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0)
		return go_up(w);
	if (look(w, name, &seen) != 0)
		return -1;
	if (seen.fd >= 0 && !last) {
		enter(w, seen.fd);
		return 0;
	}
	if (seen.fd >= 0)
		close(seen.fd);
	if (S_ISLNK(seen.st.st_mode) && !(seen.of_proc && w->real_root))
		return follow(w, &seen);
	if (S_ISLNK(seen.st.st_mode)) {
		how &= ~O_NOFOLLOW;
		if (note_link(w, seen.st.st_uid) != 0)
			return -1;
	}
	fd = NGC_RETRY(openat(w->cur, name, how));
	if (fd < 0)
		return -1;
	if (last)
		*opened = fd;
	else
		enter(w, fd);
	return 0;
}

/* Where the path begins: at the root, or in the working directory. */
static int start(struct walk *w, const char *root, const char *path)
{
	w->real_root = root == NULL || root[0] == '\0';
	w->root = NGC_RETRY(open(w->real_root ? "/" : root, OPEN_TO_PASS | O_DIRECTORY));
	w->cur = w->root;
	if (w->root < 0 || !w->real_root || path[0] == '/')
		return w->root < 0 ? -1 : 0;
	w->cur = NGC_RETRY(open(".", OPEN_TO_PASS | O_DIRECTORY));
	if (w->cur < 0) {
		int saved = errno;

		close(w->root);
		errno = saved;
		return -1;
	}
	return 0;
}

int ngc_path_open(const char *root, const char *path, int flags, struct ngc_links *links)
{
	struct ngc_links unused;
	struct walk w = { .links = links };
	char name[NAME_MAX + 1];
	int fd = -1, more, saved;

	if (links == NULL)
		w.links = &unused;
	w.links->n = 0;
	if (path[0] == '\0' || strlen(path) >= sizeof(w.rest)) {
		errno = path[0] == '\0' ? ENOENT : ENAMETOOLONG;
		return -1;
	}
	memcpy(w.rest, path, strlen(path) + 1);
	if (start(&w, root, path) != 0)
		return -1;
	while (fd < 0 && (more = next_component(&w, name)) != 0)
		if (more < 0 || step(&w, name, flags, &fd) != 0)
			goto out;
	if (fd < 0) /* the path ended in "/", "." or ".." */
		fd = NGC_RETRY(openat(w.cur, ".", flags | O_CLOEXEC));
out:
	saved = errno;
	enter(&w, w.root);
	close(w.root);
	errno = saved;
	return fd;
}
