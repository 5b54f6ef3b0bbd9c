/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_SITE_H
#define NGC_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/cache.h"
#include "ngc/conf.h"
#include "ngc/error.h"
#include "ngc/route.h"
#include "ngc/zone.h"

/*
 * What a run works on: the zones of an nginx configuration, or directories named on the
 * command line, and the router that turns URLs into their keys.
 */
struct ngc_site;

struct ngc_site_request {
	const char *conf;         /* -c; "-": dump is the text; NULL: found */
	const char *conf_default; /* tried first when conf is NULL ($NGXCACHE_CONF); may
				     be NULL */
	struct ngc_bytes dump;    /* for conf "-": what nginx -T printed */
	const char *prefix;       /* -p, or NULL */
	const char *root;         /* -R, or NULL */
	const char *const *zones; /* -z: only these */
	size_t n_zones;
	const char *const *dirs;  /* -d: DIR[,name=NAME][,levels=L][,key=TEMPLATE], where
				   * DIR may be an archive */
	size_t n_dirs;
	const char *const
	    *files;     /* the files that are all the run is about: with neither conf, */
	size_t n_files; /* zones nor dirs, the caches they lie in are the zones */
};

/*
 * out: on NGC_OK owned by the caller (ngc_site_free()), otherwise NULL.  The request's
 * strings must outlive it. NGC_INVALID: no configuration found, or a wrong one, an
 * unknown zone, a wrong -d.
 */
enum ngc_code ngc_site_open(const struct ngc_site_request *req, struct ngc_site **out,
    struct ngc_error *err);
void ngc_site_free(struct ngc_site *s); /* NULL is fine */

/* The zones of the run, in the order of the configuration, then of -d; NULL beyond the
 * last. */
const struct ngc_zone *ngc_site_zone(const struct ngc_site *s, size_t i);
size_t ngc_site_zones(const struct ngc_site *s);
/* Which of them it is; ngc_site_zones(): none, -z left it out. */
size_t ngc_site_zone_index(const struct ngc_site *s, const struct ngc_zone *z);

/*
 * Open the cache of one of its zones, as ngc_cache_open() does, joined by every other
 * zone that lies there, by whatever path and if -z left it out; a directory of the
 * command line that does not exist, or an archive, is NGC_INVALID.
 */
enum ngc_code ngc_site_cache(const struct ngc_site *s, const struct ngc_zone *z,
    struct ngc_cache **out, struct ngc_error *err);

/* The archives among them: the first, or NULL. */
const struct ngc_zone *ngc_site_archive(const struct ngc_site *s);

/*
 * The directory of an archive that a member lies in, as a cache; it is made when it is
 * first asked for, and is the site's.  path: of the archive.  zone: what its entries are
 * taken for.  Its name is the archive's, where that has one, or the member's zone.  NULL:
 * no memory.
 */
struct ngc_member;
const struct ngc_cache *ngc_site_archived(const struct ngc_site *s, const char *path,
    const struct ngc_member *m, const struct ngc_zone *zone);

/* Does -z leave a zone of that name (NULL: none)? */
bool ngc_site_wants(const struct ngc_site *s, const char *name);

/* Where its root lies; false when there is none. */
bool ngc_site_place(const struct ngc_site *s, const struct ngc_zone *z,
    struct ngc_place *out);

/* That directory, opened: the caller's to close; -1 and errno. */
int ngc_site_open_root(const struct ngc_site *s, const struct ngc_zone *z);

const struct ngc_conf *ngc_site_conf(const struct ngc_site *s); /* NULL: none was read */
const struct ngc_router *ngc_site_router(const struct ngc_site *s);
const char *ngc_site_root(const struct ngc_site *s);   /* -R, or NULL */
const char *ngc_site_prefix(const struct ngc_site *s); /* -p, or NULL */

#endif
