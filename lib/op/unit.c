/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "ngc/path.h"

/*
 * As systemd.unit(5) tells: the first file of the unit's name counts; drop-ins from
 * NAME.d/ in any of the directories come behind it, sorted by their names, of equal names
 * the first one's.  A later setting replaces an earlier one.
 */

static const char *const units[] = { "nginx.service", "openresty.service",
	"angie.service", "tengine.service", "freenginx.service", NULL };

static const char *const unit_dirs[] = { "/etc/systemd/system", "/run/systemd/system",
	"/usr/local/lib/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system",
	NULL };

static char *strip(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n > 0 && strchr(" \t\r\n", s[n - 1]) != NULL)
		s[--n] = '\0';
	return s;
}

static bool is_yes(const char *value)
{
	static const char *const words[] = { "1", "yes", "y", "true", "t", "on",
		"connected", "disconnected" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(value, words[i]) == 0)
			return true;
	return false;
}

/* Take PrivateTmp= of the section [Service] over into *on. */
static void read_settings(FILE *f, bool *on)
{
	static const char name[] = "PrivateTmp";
	bool service = false;
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, f) > 0) {
		char *p = strip(line), *value = strchr(p, '=');

		if (*p == '[') {
			service = strcmp(p, "[Service]") == 0;
		} else if (service && value != NULL) {
			*value = '\0';
			if (strcmp(strip(p), name) == 0)
				*on = is_yes(strip(value + 1));
		}
	}
	free(line);
}

static bool read_file(const char *root, const char *path, bool *on)
{
	int fd = ngc_path_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, NULL);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (f == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	read_settings(f, on);
	fclose(f);
	return true;
}

struct dropin {
	char *name;
	size_t dir;
};

struct dropins {
	struct dropin *list;
	size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
	const struct dropin *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r != 0 ? r : (x->dir > y->dir) - (x->dir < y->dir);
}

static void collect(struct dropins *all, const char *root, const char *unit, size_t dir)
{
	char path[PATH_MAX];
	const struct dirent *e;
	DIR *d;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.d", unit_dirs[dir], unit);
	fd = ngc_path_open(root, path, O_RDONLY | O_DIRECTORY, NULL);
	d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		size_t n = strlen(e->d_name);
		struct dropin one = { NULL, dir };

		if (n < 6 || strcmp(e->d_name + n - 5, ".conf") != 0 ||
		    !ngc_array_grow((void **)&all->list, all->n, &all->cap, sizeof(one)))
			continue;
		one.name = strdup(e->d_name);
		if (one.name != NULL)
			all->list[all->n++] = one;
	}
	closedir(d);
}

static void read_dropins(const char *root, const char *unit, bool *on)
{
	struct dropins all = { 0 };
	char path[PATH_MAX];

	for (size_t dir = 0; unit_dirs[dir] != NULL; dir++)
		collect(&all, root, unit, dir);
	if (all.n > 0)
		qsort(all.list, all.n, sizeof(*all.list), by_name);
	for (size_t i = 0; i < all.n; i++) {
		if (i > 0 && strcmp(all.list[i].name, all.list[i - 1].name) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s.d/%s", unit_dirs[all.list[i].dir],
		    unit, all.list[i].name);
		read_file(root, path, on);
	}
	for (size_t i = 0; i < all.n; i++)
		free(all.list[i].name);
	free(all.list);
}

static bool has_private_tmp(const char *root, const char *unit)
{
	bool on = false, found = false;
	char path[PATH_MAX];

	for (size_t dir = 0; !found && unit_dirs[dir] != NULL; dir++) {
		snprintf(path, sizeof(path), "%s/%s", unit_dirs[dir], unit);
		found = read_file(root, path, &on);
	}
	if (found)
		read_dropins(root, unit, &on);
	return on;
}

const char *unit_with_private_tmp(const char *root)
{
	for (size_t i = 0; units[i] != NULL; i++)
		if (has_private_tmp(root, units[i]))
			return units[i];
	return NULL;
}
