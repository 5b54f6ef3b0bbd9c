/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "dirzone.h"
#include "ngc/cache.h"
#include "ngc/level.h"
#include "ngc/mem.h"
#include "ngc/path.h"
#include "ngc/text.h"
#include "ngc/unpack.h"

/* Where distributions and builders put it; the first that exists. */
static const char *const usual_confs[] = { "/etc/nginx/nginx.conf",
	"/usr/local/nginx/conf/nginx.conf", "/usr/local/etc/nginx/nginx.conf",
	"/usr/local/openresty/nginx/conf/nginx.conf", "/etc/angie/angie.conf", NULL };

/* The directories of archives that were met. */
struct archived {
	struct ngc_cache *cache;
	struct archived *next;
};

/* Where every zone lies, found when it is first asked for. */
struct places {
	struct ngc_place *at; /* NULL: not asked for yet */
	enum ngc_code *found; /* NGC_GONE: nowhere; NGC_DENIED: it cannot be seen */
};

struct ngc_site {
	const char *root, *prefix;
	const char *const *wanted; /* by -z; none: all are */
	size_t n_wanted;
	struct archived **archived; /* the list; it grows while the site is used */
	struct places *places;
	struct ngc_arena *arena;
	struct ngc_conf *conf;
	const struct ngc_zone **all;   /* of the configuration, then of -d */
	size_t n_all;
	const struct ngc_zone **zones; /* those -z leaves */
	size_t n_zones;
	struct ngc_router *router;
};

const struct ngc_zone *ngc_site_zone(const struct ngc_site *s, size_t i)
{
	return i < s->n_zones ? s->zones[i] : NULL;
}

size_t ngc_site_zones(const struct ngc_site *s)
{
	return s->n_zones;
}

size_t ngc_site_zone_index(const struct ngc_site *s, const struct ngc_zone *z)
{
	size_t i = 0;

	while (i < s->n_zones && s->zones[i] != z)
		i++;
	return i;
}

const struct ngc_conf *ngc_site_conf(const struct ngc_site *s)
{
	return s->conf;
}

const struct ngc_router *ngc_site_router(const struct ngc_site *s)
{
	return s->router;
}

const char *ngc_site_root(const struct ngc_site *s)
{
	return s->root;
}

const char *ngc_site_prefix(const struct ngc_site *s)
{
	return s->prefix;
}

/* Only the paths of a configuration lie below a root: the one that they carry. */
static const char *sysroot(const struct ngc_site *s, const struct ngc_zone *z)
{
	return z->configured ? ngc_conf_root(s->conf) : NULL;
}

static enum ngc_code find_places(const struct ngc_site *s, struct ngc_error *err)
{
	struct places *p = s->places;
	struct ngc_place *at;

	if (p->at != NULL)
		return NGC_OK;
	p->found = ngc_arena_alloc(s->arena, s->n_all, sizeof(*p->found));
	at = ngc_arena_alloc(s->arena, s->n_all, sizeof(*at));
	if (at == NULL || p->found == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < s->n_all; i++) {
		const struct ngc_zone *z = s->all[i];

		p->found[i] = z->archive ? NGC_GONE
					 : ngc_place_find(z->path, sysroot(s, z), &at[i],
					       err);
		if (p->found[i] == NGC_FATAL)
			return NGC_FATAL;
	}
	p->at = at;
	return NGC_OK;
}

/*
 * Every other zone, whether it is wanted or not: one that lies there, too, by whatever
 * path, joins the cache; the root of another may lie within.
 */
static enum ngc_code add_others(const struct ngc_site *s, struct ngc_cache *c,
    struct ngc_error *err)
{
	const struct places *p = s->places;
	enum ngc_code code = s->n_all > 1 ? find_places(s, err) : NGC_OK;

	for (size_t i = 0; s->n_all > 1 && i < s->n_all && code == NGC_OK; i++) {
		const struct ngc_zone *z = s->all[i];

		if (z == ngc_cache_zone(c) || p->found[i] == NGC_GONE)
			continue;
		if (p->found[i] == NGC_OK && ngc_place_same(p->at[i], ngc_cache_place(c)))
			code = ngc_cache_join(c, z, err);
		else
			code = ngc_cache_avoid(c, z,
			    p->found[i] == NGC_OK ? &p->at[i] : NULL, err);
	}
	return code;
}

enum ngc_code ngc_site_cache(const struct ngc_site *s, const struct ngc_zone *z,
    struct ngc_cache **out, struct ngc_error *err)
{
	enum ngc_code code;

	if (z->archive) {
		*out = NULL;
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: an archive: only what reads entries can look into it", z->path);
	}
	code = ngc_cache_open(z, sysroot(s, z), out, err);
	if (code == NGC_GONE && !z->configured)
		code = err->code = NGC_INVALID;
	if (code == NGC_OK)
		code = add_others(s, *out, err);
	if (code != NGC_OK) {
		ngc_cache_close(*out);
		*out = NULL;
	}
	return code;
}

const struct ngc_zone *ngc_site_archive(const struct ngc_site *s)
{
	for (size_t i = 0; i < s->n_zones; i++)
		if (s->zones[i]->archive)
			return s->zones[i];
	return NULL;
}

/* What is reported of a directory of an archive; NULL: no memory. */
static const struct ngc_zone *tell_archived(const struct ngc_site *s, const char *path,
    const struct ngc_member *m, const struct ngc_zone *zone)
{
	struct ngc_zone *told = ngc_arena_alloc(s->arena, 1, sizeof(*told));
	size_t size = strlen(path) + strlen(m->root) + 2;
	char *full = ngc_arena_alloc(s->arena, size, 1);
	const char *name = zone->archive && zone->name != NULL ? zone->name : m->zone;

	if (told == NULL || full == NULL)
		return NULL;
	snprintf(full, size, "%s%s%s", path, m->root[0] != '\0' ? "/" : "", m->root);
	*told = (struct ngc_zone){ .path = full,
		.archive = true,
		.max_size = -1,
		.min_free = -1 };
	if (name != NULL)
		told->name = ngc_arena_copy(s->arena, name, strlen(name));
	return name == NULL || told->name != NULL ? told : NULL;
}

/* A new cache, first in the list. */
static const struct ngc_cache *add_archived(const struct ngc_site *s, const char *path,
    const struct ngc_member *m, const struct ngc_zone *zone)
{
	struct archived *a = ngc_arena_alloc(s->arena, 1, sizeof(*a));
	const struct ngc_zone *told = tell_archived(s, path, m, zone);

	if (a == NULL || told == NULL)
		return NULL;
	a->cache = ngc_cache_archived(zone, told);
	if (a->cache == NULL)
		return NULL;
	a->next = *s->archived;
	*s->archived = a;
	return a->cache;
}

const struct ngc_cache *ngc_site_archived(const struct ngc_site *s, const char *path,
    const struct ngc_member *m, const struct ngc_zone *zone)
{
	size_t n = strlen(path);

	for (const struct archived *a = *s->archived; a != NULL; a = a->next) {
		const char *full = ngc_cache_path(a->cache);

		if (ngc_cache_zone(a->cache) == zone && strncmp(full, path, n) == 0 &&
		    strcmp(full + n + (full[n] == '/'), m->root) == 0)
			return a->cache;
	}
	return add_archived(s, path, m, zone);
}

bool ngc_site_place(const struct ngc_site *s, const struct ngc_zone *z,
    struct ngc_place *out)
{
	struct ngc_error ignored;

	return ngc_place_find(z->path, sysroot(s, z), out, &ignored) == NGC_OK;
}

int ngc_site_open_root(const struct ngc_site *s, const struct ngc_zone *z)
{
	return ngc_place_open(z->path, sysroot(s, z));
}

static void free_archived(struct ngc_site *s)
{
	if (s->archived == NULL)
		return;
	for (struct archived *a = *s->archived; a != NULL; a = a->next)
		ngc_cache_close(a->cache);
}

void ngc_site_free(struct ngc_site *s)
{
	if (s == NULL)
		return;
	free_archived(s);
	ngc_router_free(s->router);
	ngc_conf_free(s->conf);
	ngc_arena_free(s->arena);
	free(s);
}

static enum ngc_code ask_prefix(void *arg, char *out, size_t size, struct ngc_error *err)
{
	struct nginx_build build;
	enum ngc_code code = nginx_build_ask(&build, err);

	(void)arg;
	if (code != NGC_OK)
		return ngc_fail(err, NGC_INVALID, 0,
		    "a relative path needs nginx's prefix: give it with -p");
	snprintf(out, size, "%s", build.prefix);
	return NGC_OK;
}

static bool exists_below(const char *root, const char *path)
{
	int fd = ngc_path_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, NULL);

	if (fd < 0)
		return errno != ENOENT && errno != ENOTDIR; /* reading it says why */
	close(fd);
	return true;
}

/* The configuration to read; NULL: none is found. */
static const char *find_conf(const struct ngc_site_request *req, struct ngc_arena *a)
{
	struct nginx_build build;
	struct ngc_error ignored;

	if (req->conf != NULL)
		return req->conf;
	if (req->conf_default != NULL && req->conf_default[0] != '\0')
		return req->conf_default;
	for (const char *const *p = usual_confs; *p != NULL; p++)
		if (exists_below(req->root, *p))
			return *p;
	if (req->root != NULL || nginx_build_ask(&build, &ignored) != NGC_OK)
		return NULL;
	return ngc_arena_copy(a, build.conf_path, strlen(build.conf_path));
}

static enum ngc_code read_conf(struct ngc_site *s, const struct ngc_site_request *req,
    struct ngc_error *err)
{
	struct ngc_conf_request c = { .dump = req->dump,
		.prefix = req->prefix,
		.root = req->root,
		.prefix_ask = ask_prefix };
	const char *file = find_conf(req, s->arena);

	if (file == NULL)
		return ngc_fail(err, NGC_INVALID, 0,
		    "no nginx configuration found: name it with -c, or a cache with -d");
	if (strcmp(file, "-") != 0)
		c.file = file;
	return ngc_conf_read(&c, &s->conf, err);
}

/* Is a configuration to be read?  Files alone do without. */
static bool wants_conf(const struct ngc_site_request *req)
{
	return req->conf != NULL ||
	       (req->n_dirs == 0 && (req->n_files == 0 || req->n_zones > 0));
}

/* A zone for the cache that a file lies in, unless there is one. */
static enum ngc_code add_root_of(struct ngc_site *s, const char *file,
    struct ngc_error *err)
{
	const struct ngc_zone *z;
	enum ngc_code code = zone_of_file(s->arena, file, &z, err);

	if (code != NGC_OK)
		return code;
	for (size_t i = 0; i < s->n_all; i++)
		if (strcmp(s->all[i]->path, z->path) == 0)
			return NGC_OK;
	s->all[s->n_all++] = z;
	return NGC_OK;
}

static enum ngc_code collect_zones(struct ngc_site *s, const struct ngc_site_request *req,
    struct ngc_error *err)
{
	size_t n = 0;

	while (s->conf != NULL && ngc_conf_zone(s->conf, n) != NULL)
		n++;
	s->all = ngc_arena_alloc(s->arena, n + req->n_dirs + req->n_files,
	    sizeof(struct ngc_zone *));
	s->zones = ngc_arena_alloc(s->arena, n + req->n_dirs + req->n_files,
	    sizeof(struct ngc_zone *));
	if (s->all == NULL || s->zones == NULL)
		return ngc_no_memory(err);
	for (s->n_all = 0; s->n_all < n; s->n_all++)
		s->all[s->n_all] = ngc_conf_zone(s->conf, s->n_all);
	for (size_t i = 0; i < req->n_dirs; i++) {
		enum ngc_code code = zone_of_dir(s->arena, req->dirs[i],
		    &s->all[s->n_all], err);

		if (code != NGC_OK)
			return code;
		s->n_all++;
	}
	for (size_t i = 0; !wants_conf(req) && req->n_dirs == 0 && i < req->n_files;
	     i++) {
		enum ngc_code code = add_root_of(s, req->files[i], err);

		if (code != NGC_OK)
			return code;
	}
	return NGC_OK;
}

bool ngc_site_wants(const struct ngc_site *s, const char *name)
{
	for (size_t i = 0; i < s->n_wanted; i++)
		if (name != NULL && strcmp(name, s->wanted[i]) == 0)
			return true;
	return s->n_wanted == 0;
}

/* Can the name be that of a zone?  What an archive holds shows when it is read. */
static bool is_known(const struct ngc_site *s, const char *name)
{
	for (size_t i = 0; i < s->n_all; i++) {
		const struct ngc_zone *z = s->all[i];

		if (z->name != NULL ? strcmp(z->name, name) == 0 : z->archive)
			return true;
	}
	return false;
}

static const char *nearest_zone(const struct ngc_site *s, const char *name)
{
	const char **names = ngc_array_alloc(s->n_all + 1, sizeof(*names)), *near;
	size_t n = 0;

	if (names == NULL)
		return NULL;
	for (size_t i = 0; i < s->n_all; i++)
		if (s->all[i]->name != NULL)
			names[n++] = s->all[i]->name;
	names[n] = NULL;
	near = ngc_text_nearest(name, names);
	free(names);
	return near;
}

static enum ngc_code unknown_zone(const struct ngc_site *s, const char *name,
    struct ngc_error *err)
{
	const char *near = nearest_zone(s, name), *text;
	struct ngc_buf known = { 0 };
	enum ngc_code code;

	if (near != NULL)
		ngc_buf_printf(&known, ", did you mean '%s'?", near);
	for (size_t i = 0, n = 0; i < s->n_all; i++)
		if (s->all[i]->name != NULL)
			ngc_buf_printf(&known, "%s%s",
			    n++ > 0	? ", "
			    : near != NULL ? " there is: "
					   : "; there is: ",
			    s->all[i]->name);
	text = ngc_buf_str(&known);
	code = ngc_fail(err, NGC_INVALID, 0, "unknown zone '%s'%s", name,
	    text != NULL && known.n > 0 ? text : "; there is none");
	ngc_buf_free(&known);
	return code;
}

static enum ngc_code choose_zones(struct ngc_site *s, const struct ngc_site_request *req,
    struct ngc_error *err)
{
	s->wanted = req->zones;
	s->n_wanted = req->n_zones;
	for (size_t i = 0; i < req->n_zones; i++)
		if (!is_known(s, req->zones[i]))
			return unknown_zone(s, req->zones[i], err);
	for (size_t i = 0; i < s->n_all; i++) {
		const struct ngc_zone *z = s->all[i];

		if (ngc_site_wants(s, z->name) || (z->archive && z->name == NULL))
			s->zones[s->n_zones++] = z;
	}
	return NGC_OK;
}

enum ngc_code ngc_site_open(const struct ngc_site_request *req, struct ngc_site **out,
    struct ngc_error *err)
{
	struct ngc_site *s = calloc(1, sizeof(*s));
	enum ngc_code code;

	*out = NULL;
	if (s == NULL)
		return ngc_no_memory(err);
	s->root = req->root;
	s->prefix = req->prefix;
	s->arena = ngc_arena_new();
	if (s->arena != NULL)
		s->archived = ngc_arena_alloc(s->arena, 1, sizeof(struct archived *));
	if (s->archived != NULL)
		s->places = ngc_arena_alloc(s->arena, 1, sizeof(*s->places));
	code = s->places != NULL ? NGC_OK : ngc_no_memory(err);
	if (code == NGC_OK && wants_conf(req))
		code = read_conf(s, req, err);
	if (code == NGC_OK)
		code = collect_zones(s, req, err);
	if (code == NGC_OK)
		code = choose_zones(s, req, err);
	if (code == NGC_OK)
		code = ngc_router_new(s->conf, s->all, s->n_all, &s->router, err);
	if (code != NGC_OK) {
		ngc_site_free(s);
		return code;
	}
	*out = s;
	return NGC_OK;
}
