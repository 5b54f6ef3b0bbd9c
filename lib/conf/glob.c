/* SPDX-License-Identifier: BSD-2-Clause */
#include "glob.h"

#include <dirent.h>
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

static bool exists(const char *root, const char *path)
{
	int fd = ngc_path_open(root, path, O_PATH, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Add the entries of dir that match one pattern component. */
static bool match_dir(struct ngc_arena *a, const char *root, const char *dir,
    const char *pattern, struct paths *out)
{
	int fd = ngc_path_open(root, *dir != '\0' ? dir : "/", O_RDONLY | O_DIRECTORY,
	    NULL);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	bool ok = true;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	while (ok && (e = readdir(d)) != NULL) {
		if (fnmatch(pattern, e->d_name, FNM_PERIOD) == 0) {
			char *path = join(a, dir, e->d_name);

			ok = path != NULL && paths_add(out, path);
		}
	}
	closedir(d);
	return ok;
}

/* Extend every path of from by one component of the pattern. */
static bool step(struct ngc_arena *a, const char *root, const struct paths *from,
    const char *component, bool last, struct paths *to)
{
	bool wild = strpbrk(component, "*?[") != NULL;

	for (size_t i = 0; i < from->n; i++) {
		char *path;

		if (wild) {
			if (!match_dir(a, root, from->path[i], component, to))
				return false;
			continue;
		}
		path = join(a, from->path[i], component);
		if (path == NULL)
			return false;
		if ((!last || exists(root, path)) && !paths_add(to, path))
			return false;
	}
	return true;
}

bool glob_files(struct ngc_arena *a, const char *root, const char *pattern,
    struct paths *out)
{
	struct paths from = { 0 }, to = { 0 };
	bool ok = paths_add(&from, "");

	while (ok && *pattern == '/') {
		size_t n = strcspn(++pattern, "/");
		char *component = ngc_arena_copy(a, pattern, n);

		pattern += n;
		to.n = 0;
		ok = component != NULL &&
		     step(a, root, &from, component, *pattern == '\0', &to);
		struct paths swap = from;
		from = to;
		to = swap;
	}
	for (size_t i = 0; ok && i < from.n; i++)
		ok = paths_add(out, from.path[i]);
	free(from.path);
	free(to.path);
	return ok;
}
