/* SPDX-License-Identifier: BSD-2-Clause */
#include "glob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "ngc/path.h"

bool paths_add(struct paths *p, const char *path)
{
	if (!ngc_array_grow((void **)&p->path, p->n, &p->cap, sizeof(*p->path)))
		return false;
	p->path[p->n++] = path;
	return true;
}

/* dir "/" name, in the arena; NULL: no memory. */
static char *join(struct ngc_arena *a, const char *dir, const char *name)
{
	size_t nd = strlen(dir), nn = strlen(name);
	char *path = ngc_arena_alloc(a, nd + nn + 2, 1);

	if (path == NULL)
		return NULL;
	memcpy(path, dir, nd);
	path[nd] = '/';
	memcpy(path + nd + 1, name, nn);
	return path;
}

/* Nothing that the pattern means can lie there; otherwise nginx might find something. */
static bool is_absent(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == ELOOP || sys == ENAMETOOLONG;
}

static enum ngc_code cannot_look(const char *root, const char *path, int sys,
    struct ngc_error *err)
{
	return is_absent(sys) ? NGC_OK
			      : ngc_fail(err, NGC_INVALID, sys, "%s%s", root, path);
}

static enum ngc_code add_path(struct paths *out, const char *path, struct ngc_error *err)
{
	return path != NULL && paths_add(out, path) ? NGC_OK : ngc_no_memory(err);
}

static enum ngc_code add_if_there(const char *root, const char *path, struct paths *out,
    struct ngc_error *err)
{
	int fd = ngc_path_open(root, path, O_PATH, NULL);

	if (fd < 0)
		return cannot_look(root, path, errno, err);
	close(fd);
	return add_path(out, path, err);
}

/* Add the entries of dir that match one pattern component. */
static enum ngc_code match_dir(struct ngc_arena *a, const char *root, const char *dir,
    const char *pattern, struct paths *out, struct ngc_error *err)
{
	const char *path = *dir != '\0' ? dir : "/";
	int fd = ngc_path_open(root, path, O_RDONLY | O_DIRECTORY, NULL);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	enum ngc_code code = NGC_OK;
	const struct dirent *e;

	if (d == NULL) {
		code = cannot_look(root, path, errno, err);
		if (fd >= 0)
			close(fd);
		return code;
	}
	while (code == NGC_OK && (errno = 0, e = readdir(d)) != NULL)
		if (fnmatch(pattern, e->d_name, FNM_PERIOD) == 0)
			code = add_path(out, join(a, dir, e->d_name), err);
	if (code == NGC_OK && errno != 0)
		code = ngc_fail(err, NGC_INVALID, errno, "%s%s", root, path);
	closedir(d);
	return code;
}

/* Extend every path of from by one component of the pattern. */
static enum ngc_code step(struct ngc_arena *a, const char *root, const struct paths *from,
    const char *component, bool last, struct paths *to, struct ngc_error *err)
{
	bool wild = strpbrk(component, "*?[\\") != NULL;
	enum ngc_code code = NGC_OK;

	for (size_t i = 0; i < from->n && code == NGC_OK; i++) {
		const char *path;

		if (wild) {
			code = match_dir(a, root, from->path[i], component, to, err);
			continue;
		}
		path = join(a, from->path[i], component);
		if (path != NULL && last)
			code = add_if_there(root, path, to, err);
		else
			code = add_path(to, path, err);
	}
	return code;
}

enum ngc_code glob_files(struct ngc_arena *a, const char *root, const char *pattern,
    struct paths *out, struct ngc_error *err)
{
	struct paths from = { 0 }, to = { 0 };
	enum ngc_code code = add_path(&from, "", err);

	while (code == NGC_OK && *pattern == '/') {
		size_t n = strcspn(++pattern, "/");
		char *component = ngc_arena_copy(a, pattern, n);

		pattern += n;
		to.n = 0;
		code = component == NULL ? ngc_no_memory(err)
					 : step(a, root, &from, component,
					       *pattern == '\0', &to, err);
		struct paths swap = from;
		from = to;
		to = swap;
	}
	for (size_t i = 0; code == NGC_OK && i < from.n; i++)
		code = add_path(out, from.path[i], err);
	free(from.path);
	free(to.path);
	return code;
}
