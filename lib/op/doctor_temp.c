/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdio.h>

#include "doctor.h"

/*
 * Where nginx receives what it then moves into a cache: X_temp_path, unless the zone has
 * use_temp_path=off.
 */

static const struct ailment inside_cache = { NGC_WARNING, "temp_inside_cache",
	"when nginx starts, it deletes from a cache whatever is not an entry: responses "
	"that "
	"are just being received are not stored",
	"set the temporary path to a directory beside the cache, or use_temp_path=off "
	"for "
	"the zone" };

static const struct ailment spared = { NGC_NOTE, "temp_inside_cache",
	"no harm as long as the directory is called temp: nginx passes over such ones "
	"when "
	"it reads a cache",
	"keep the name, or set the temporary path to a directory beside the cache" };

static const struct ailment elsewhere = { NGC_WARNING, "temp_other_filesystem",
	"every response is written twice: nginx cannot move the file into the cache, it "
	"copies it",
	"use_temp_path=off for the zone, or a temporary path on the file system of the "
	"cache" };

/* What the configuration says for a level; NULL: nothing. */
static const char *path_set(struct doctor *d, const struct ngc_level *l,
    enum ngc_protocol protocol)
{
	const struct ngc_directive *set;
	char name[32];

	snprintf(name, sizeof(name), "%s_temp_path", ngc_protocol_name(protocol));
	set = doctor_in_force(l, name);
	return set != NULL && set->n_words > 1
		   ? doctor_full_path(d, ngc_directive_arg(set, 1))
		   : NULL;
}

/* The temporary path in force in a level; NULL: not known. */
static const char *temp_path(struct doctor *d, const struct ngc_level *l)
{
	const char *path = path_set(d, l, l->protocol);

	if (path == NULL && doctor_build(d) != NULL)
		path = d->build.temp_path[l->protocol];
	return path;
}

/* Cut the last component off; false: there is none. */
static bool cut(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL || slash == path)
		return false;
	*slash = '\0';
	return true;
}

/* The device of a directory that need not exist yet: then of the one it will be in. */
static bool device_of(const struct doctor *d, const char *path, dev_t *out)
{
	char at[PATH_MAX];
	struct stat st;

	if (strlen(path) >= sizeof(at))
		return false;
	memcpy(at, path, strlen(path) + 1);
	while (!doctor_stat(d, at, &st))
		if (!cut(at))
			return false;
	*out = st.st_dev;
	return true;
}

/* Does a component of path behind the root's say temp? */
static bool is_spared(const char *path)
{
	const char *p = path;

	while ((p = strstr(p, "/temp")) != NULL) {
		p += strlen("/temp");
		if (*p == '/' || *p == '\0')
			return true;
	}
	return false;
}

/* Of a path in a root, what lies below it: "" for the root itself; NULL: not in it. */
static const char *part_inside(const struct doctor *d, const char *path,
    const struct patient *p)
{
	size_t n = strlen(p->zone->path);
	char at[PATH_MAX];
	struct stat st;

	if (strncmp(path, p->zone->path, n) == 0 && (path[n] == '/' || path[n] == '\0'))
		return path + n;
	if (!p->exists || strlen(path) >= sizeof(at))
		return NULL;
	memcpy(at, path, strlen(path) + 1);
	do {
		if (doctor_stat(d, at, &st) && st.st_dev == p->place.dev &&
		    st.st_ino == p->place.ino)
			return path + strlen(at);
	} while (cut(at));
	return NULL;
}

static void check_inside(struct doctor *d, const struct patient *storing,
    const char *path)
{
	for (size_t i = 0; i < d->n_patients; i++) {
		const struct patient *p = &d->patients[i];
		const char *part = part_inside(d, path, p);

		if (part != NULL)
			doctor_find(d, is_spared(part) ? &spared : &inside_cache, storing,
			    path, "the temporary path %s lies in the cache %s", path,
			    p->zone->path);
	}
}

static void check_device(struct doctor *d, const struct patient *p, const char *path)
{
	dev_t device;

	if (p->exists && device_of(d, path, &device) && device != p->place.dev)
		doctor_find(d, &elsewhere, p, path,
		    "the temporary path %s and the cache %s are on different file "
		    "systems",
		    path, p->zone->path);
}

static void check_path(struct doctor *d, const struct patient *p, const char *path)
{
	check_inside(d, p, path);
	check_device(d, p, path);
}

void doctor_check_temp(struct doctor *d, const struct patient *p)
{
	const struct ngc_zone *z = p->zone;
	const char *path;

	if (!z->configured || !z->use_temp_path)
		return;
	for (size_t i = 0; i < p->n_nests; i++) {
		path = temp_path(d, p->nests[i].level);
		if (path != NULL)
			check_path(d, p, path);
	}
	path = p->n_nests == 0 ? path_set(d, ngc_conf_http(d->conf), z->type) : NULL;
	if (path != NULL)
		check_path(d, p, path);
}
