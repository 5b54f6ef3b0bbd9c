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

static bool place_below(const char *sysroot, const char *path, struct ngc_place *out)
{
	int fd = ngc_path_open(sysroot, path, O_RDONLY | O_DIRECTORY, NULL);
	struct stat st;
	bool found = fd >= 0 && fstat(fd, &st) == 0;
	int saved = errno;

	if (found)
		*out = (struct ngc_place){ st.st_dev, st.st_ino };
	if (fd >= 0)
		close(fd);
	errno = saved;
	return found;
}

/* Is it one of them, of this system or of the one below sysroot? */
static bool is_system_dir(struct ngc_place place, const char *sysroot)
{
	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++) {
		struct ngc_place other;
		struct stat st;

		if (stat(system_dirs[i], &st) == 0 &&
		    ngc_place_same(place, (struct ngc_place){ st.st_dev, st.st_ino }))
			return true;
		if (sysroot != NULL && sysroot[0] != '\0' &&
		    place_below(sysroot, system_dirs[i], &other) &&
		    ngc_place_same(place, other))
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

/* Does only nginx make such a name?  Where the type is not known, by its form alone. */
static bool is_trace(const char *name, unsigned char type)
{
	switch (name_kind(name)) {
	case NAME_CANDIDATE:
	case NAME_TEMP_FILE:
		return type == DT_REG || type == DT_UNKNOWN;
	case NAME_LEVEL:
		return type == DT_DIR || type == DT_UNKNOWN;
	case NAME_TEMP_DIR:
	case NAME_OTHER:
		break;
	}
	return false;
}

/*
 * Is there a trace of nginx's cache in the directory, or nothing but perhaps a "temp",
 * which is no proof but may stand in an empty cache?  -1: it cannot be read.
 */
static int looks_like_cache(int fd)
{
	struct dir_reader *d = dir_reader_new();
	const char *name = NULL;
	unsigned char type;
	bool empty = true;
	int result = -1, saved;

	if (d == NULL || dir_reader_start(d, fd) != 0)
		goto out;
	errno = 0;
	while ((name = dir_reader_next(d, &type)) != NULL && !is_trace(name, type))
		empty = empty && name_kind(name) == NAME_TEMP_DIR;
	if (name != NULL)
		result = 1;
	else if (errno == 0)
		result = empty;
out:
	saved = errno;
	dir_reader_free(d);
	errno = saved;
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
static enum ngc_code judge_root(const struct ngc_cache *c, const char *sysroot,
    const struct ngc_links *links, struct ngc_error *err)
{
	const char *path = c->zone->path;

	if (is_system_dir(c->place, sysroot))
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: a system directory, not a cache", path);
	if (!links_trusted(links, c->owner))
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: a symbolic link on the way belongs neither to root nor to the "
		    "owner "
		    "of the directory it leads to",
		    path);
	switch (looks_like_cache(c->fd)) {
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
	if (sysroot == NULL || sysroot[0] == '\0')
		return path;
	path += strlen(sysroot);
	return *path != '\0' ? path : "/";
}

enum ngc_code ngc_cache_join(struct ngc_cache *c, const struct ngc_zone *zone,
    struct ngc_error *err)
{
	const struct ngc_zone **more = realloc(c->zones,
	    (c->n_zones + 1) * sizeof(struct ngc_zone *));

	if (more == NULL)
		return ngc_no_memory(err);
	c->zones = more;
	c->zones[c->n_zones++] = zone;
	return NGC_OK;
}

enum ngc_code ngc_cache_open(const struct ngc_zone *zone, const char *sysroot,
    struct ngc_cache **out, struct ngc_error *err)
{
	struct ngc_cache *c = calloc(1, sizeof(*c));
	struct ngc_links links;
	enum ngc_code code;
	struct stat st;

	*out = NULL;
	if (c == NULL)
		return ngc_no_memory(err);
	c->zone = zone;
	c->told = zone;
	c->path = zone->path;
	c->fd = -1;
	code = ngc_cache_join(c, zone, err);
	if (code != NGC_OK)
		goto out;
	c->fd = ngc_path_open(sysroot, below(zone->path, sysroot), O_RDONLY | O_DIRECTORY,
	    &links);
	if (c->fd < 0) {
		code = open_failed(zone->path, errno, err);
		goto out;
	}
	fcntl(c->fd, F_SETFL, O_NOATIME); /* refused: it is read all the same */
	if (fstat(c->fd, &st) != 0) {
		code = ngc_fail(err, NGC_FATAL, errno, "%s", zone->path);
		goto out;
	}
	c->place = (struct ngc_place){ st.st_dev, st.st_ino };
	c->owner = st.st_uid;
	code = judge_root(c, sysroot, &links, err);
	if (code != NGC_OK)
		goto out;
	*out = c;
	c = NULL;
out:
	ngc_cache_close(c);
	return code;
}

struct ngc_cache *ngc_cache_archived(const struct ngc_zone *zone,
    const struct ngc_zone *told)
{
	struct ngc_cache *c = calloc(1, sizeof(*c));
	struct ngc_error ignored;

	if (c == NULL)
		return NULL;
	*c = (struct ngc_cache){ .zone = zone,
		.told = told,
		.path = told->path,
		.fd = -1 };
	if (ngc_cache_join(c, zone, &ignored) == NGC_OK)
		return c;
	ngc_cache_close(c);
	return NULL;
}

void ngc_cache_close(struct ngc_cache *c)
{
	if (c == NULL)
		return;
	if (c->fd >= 0)
		close(c->fd);
	free(c->zones);
	free(c->others);
	free(c);
}

const struct ngc_zone *ngc_cache_zone(const struct ngc_cache *c)
{
	return c->zone;
}

const struct ngc_zone *const *ngc_cache_zones(const struct ngc_cache *c, size_t *n)
{
	*n = c->n_zones;
	return c->zones;
}

static bool same_levels(const struct ngc_levels *a, const struct ngc_levels *b)
{
	return a->n == b->n && memcmp(a->width, b->width, a->n) == 0;
}

unsigned ngc_cache_levels(const struct ngc_cache *c,
    struct ngc_levels out[NGC_LEVELS_KINDS])
{
	unsigned n = 0;

	for (size_t i = 0; i < c->n_zones; i++) {
		const struct ngc_levels *l = &c->zones[i]->levels;
		unsigned k = 0;

		if (!c->zones[i]->levels_known)
			break;
		while (k < n && !same_levels(&out[k], l))
			k++;
		if (k == n)
			out[n++] = *l;
		if (i + 1 == c->n_zones)
			return n;
	}
	for (n = 0; n < NGC_LEVELS_KINDS; n++)
		out[n] = ngc_levels_kind(n);
	return n;
}

const struct ngc_zone *ngc_cache_told(const struct ngc_cache *c)
{
	return c->told;
}

const char *ngc_cache_name(const struct ngc_cache *c)
{
	return c->told->name;
}

const char *ngc_cache_path(const struct ngc_cache *c)
{
	return c->path;
}

struct ngc_place ngc_cache_place(const struct ngc_cache *c)
{
	return c->place;
}

uid_t ngc_cache_owner(const struct ngc_cache *c)
{
	return c->owner;
}

int ngc_place_open(const char *path, const char *sysroot)
{
	if (sysroot == NULL) /* the kernel resolves it the same, in one call */
		return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return ngc_path_open(sysroot, below(path, sysroot), O_RDONLY | O_DIRECTORY, NULL);
}

enum ngc_code ngc_place_find(const char *path, const char *sysroot, struct ngc_place *out,
    struct ngc_error *err)
{
	if (place_below(sysroot, below(path, sysroot), out))
		return NGC_OK;
	return ngc_fail(err,
	    errno == ENOENT || errno == ENOTDIR ? NGC_GONE
	    : errno == EACCES		       ? NGC_DENIED
					       : NGC_FATAL,
	    errno, "%s", path);
}

enum ngc_code ngc_cache_avoid(struct ngc_cache *c, const struct ngc_zone *zone,
    const struct ngc_place *place, struct ngc_error *err)
{
	struct ngc_place *more;

	if (place == NULL) {
		c->unseen = zone;
		return NGC_OK;
	}
	more = realloc(c->others, (c->n_others + 1) * sizeof(*more));
	if (more == NULL)
		return ngc_no_memory(err);
	c->others = more;
	c->others[c->n_others++] = *place;
	return NGC_OK;
}

bool ngc_cache_avoids(const struct ngc_cache *c, struct ngc_place place)
{
	for (size_t i = 0; i < c->n_others; i++)
		if (ngc_place_same(c->others[i], place))
			return true;
	return false;
}

const struct ngc_zone *ngc_cache_unseen(const struct ngc_cache *c)
{
	return c->unseen;
}
