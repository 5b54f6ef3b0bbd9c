/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/restore.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ngc/mem.h"
#include "ngc/put.h"
#include "ngc/unpack.h"
#include "ngc/usage.h"

/* nginx's manager begins to remove entries when a key zone is nearly full. */
#define KEYS_PER_MIB 8000

#define BLOCK_SIZE 4096 /* of most file systems: what a file takes is a multiple */

/* A zone that is restored into. */
struct into {
	const struct ngc_zone *zone;
	struct ngc_cache *cache;        /* NULL: not opened, or it failed */
	bool asked, crowded;            /* opened; told that it is full */
	uint64_t entries, bytes;        /* that are there */
	int64_t entries_max, bytes_max; /* -1: no limit */
};

/* Names of directories in the archive that no zone has: told once each. */
#define STRANGERS_MAX 16

struct restore {
	const struct ngc_restore_request *req;
	struct ngc_restore_result *out;
	struct into *zones;        /* one for each zone of the site */
	struct ngc_reader *reader; /* for what is there */
	struct timespec began;
	pthread_mutex_t lock; /* for the problems that walks report */
	char *strangers[STRANGERS_MAX];
	size_t n_strangers;
};

static void tell(struct restore *r, struct ngc_entry *e, const struct ngc_error *err)
{
	struct ngc_buf path = { 0 };

	if (e != NULL)
		ngc_entry_path(e, &path);
	pthread_mutex_lock(&r->lock);
	if (r->req->problem != NULL)
		r->req->problem(r->req->arg, e != NULL ? ngc_buf_str(&path) : NULL, err);
	pthread_mutex_unlock(&r->lock);
	ngc_buf_free(&path);
}

static void problem(void *arg, const struct ngc_error *err)
{
	tell(arg, NULL, err);
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	const struct restore *r = arg;

	r->req->damaged_met(r->req->arg, e);
}

/* --- where to --- */

/* Was the site opened for what it is to take, whatever that is called? */
static bool takes_any(const struct ngc_site *s)
{
	return ngc_site_zones(s) == 1 &&
	       (ngc_site_conf(s) == NULL || !ngc_site_wants(s, NULL));
}

static bool is_configured(const struct ngc_site *s, const char *name)
{
	const struct ngc_conf *conf = ngc_site_conf(s);
	const struct ngc_zone *z;

	for (size_t i = 0; conf != NULL && (z = ngc_conf_zone(conf, i)) != NULL; i++)
		if (name != NULL && strcmp(z->name, name) == 0)
			return true;
	return false;
}

static void tell_stranger(struct restore *r, const char *name)
{
	struct ngc_error err;

	if (name == NULL)
		name = "";
	for (size_t i = 0; i < r->n_strangers; i++)
		if (strcmp(r->strangers[i], name) == 0)
			return;
	if (r->n_strangers == STRANGERS_MAX)
		return;
	r->strangers[r->n_strangers] = strdup(name);
	if (r->strangers[r->n_strangers] != NULL)
		r->n_strangers++;
	r->out->found.failed++;
	ngc_fail(&err, NGC_DENIED, 0,
	    "%s: no zone is called '%s': say with -z or -d where its entries go",
	    r->req->archive, name);
	tell(r, NULL, &err);
}

static const struct ngc_zone *place(void *arg, const char *name)
{
	struct restore *r = arg;
	const struct ngc_site *site = r->req->site;
	const struct ngc_zone *z;

	for (size_t i = 0; (z = ngc_site_zone(site, i)) != NULL; i++)
		if (z->name != NULL && name != NULL && strcmp(z->name, name) == 0)
			return z;
	if (is_configured(site, name)) /* -z left it out */
		return NULL;
	if (takes_any(site))
		return ngc_site_zone(site, 0);
	tell_stranger(r, name);
	return NULL;
}

static int64_t keys_max(const struct ngc_zone *z)
{
	const int64_t mib = 1 << 20;

	return z->configured ? z->keys_zone_size / mib * KEYS_PER_MIB +
				   z->keys_zone_size % mib * KEYS_PER_MIB / mib
			     : -1;
}

/* Open a cache, and count what is there where there are limits. */
static enum ngc_code into_open(struct restore *r, struct into *to, struct ngc_error *err)
{
	const struct ngc_restore_request *req = r->req;
	struct ngc_usage_request measure = { .site = req->site,
		.pace = req->pace,
		.stop = req->stop,
		.problem = problem,
		.arg = r };
	struct ngc_usage usage;
	enum ngc_code code = ngc_site_cache(req->site, to->zone, &to->cache, err);

	to->asked = true;
	if (code == NGC_OK)
		code = ngc_put_allowed(to->cache, err);
	to->entries_max = keys_max(to->zone);
	to->bytes_max = to->zone->configured ? to->zone->max_size : -1;
	if (code == NGC_OK && !req->force &&
	    (to->entries_max >= 0 || to->bytes_max >= 0)) {
		code = ngc_usage_measure(&measure, to->zone, &usage, err);
		to->entries = usage.totals.candidates;
		to->bytes = usage.totals.allocated;
	}
	if (code != NGC_OK) {
		ngc_cache_close(to->cache);
		to->cache = NULL;
	}
	return code;
}

/* --- whether --- */

/* What keeps it from being an entry that nginx would serve; NULL: nothing. */
static const char *flaw(const struct ngc_entry *e)
{
	if (e->damaged)
		return "not a cache file of a version we know";
	if (!ngc_header_name_ok(&e->header, e->name))
		return "named by neither its key nor its variant";
	if (e->size < (off_t)e->header.body_start)
		return "it ends before its body begins";
	if (e->header.invalidated)
		return "it was invalidated: nginx does not serve it";
	return NULL;
}

static bool is_since(struct timespec t, struct timespec began)
{
	return t.tv_sec != began.tv_sec ? t.tv_sec > began.tv_sec
					: t.tv_nsec >= began.tv_nsec;
}

struct there {
	bool present; /* some file is */
	bool stays;
	uint64_t allocated;
};

/* Look at what has the place of an entry. */
static enum ngc_code look(struct restore *r, const struct into *to, const char *dir,
    const struct ngc_entry *e, struct there *out, struct ngc_error *err)
{
	struct ngc_entry old;
	enum ngc_code code = ngc_entry_open(to->cache, r->reader, dir, e->name, &old,
	    err);

	*out = (struct there){ 0 };
	if (code == NGC_GONE)
		return NGC_OK;
	if (code != NGC_OK)
		return code;
	code = ngc_entry_stat(&old, err);
	out->present = true;
	out->allocated = old.allocated;
	out->stays = is_since(old.changed, r->began) ||
		     (!r->req->overwrite && !old.damaged && !old.header.invalidated &&
			 old.header.date >= e->header.date);
	ngc_entry_close(&old);
	return code;
}

static uint64_t space(off_t size)
{
	return ((uint64_t)size + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_SIZE;
}

static bool has_room(const struct restore *r, const struct into *to,
    const struct ngc_entry *e, const struct there *old)
{
	uint64_t bytes = to->bytes - old->allocated + space(e->size);

	return r->req->force ||
	       ((old->present || to->entries_max < 0 ||
		    to->entries < (uint64_t)to->entries_max) &&
		   (to->bytes_max < 0 || bytes <= (uint64_t)to->bytes_max));
}

static void tell_full(struct restore *r, struct into *to)
{
	struct ngc_error err;

	if (to->crowded)
		return;
	to->crowded = true;
	ngc_fail(&err, NGC_DENIED, 0,
	    "zone %s: full: it holds %lld entries%s; --force restores more, and nginx "
	    "removes them",
	    to->zone->name, (long long)to->entries_max,
	    to->bytes_max >= 0 ? " and its max_size" : "");
	tell(r, NULL, &err);
}

/* --- the entry in hand --- */

static void count(struct restore *r, struct into *to, const struct ngc_entry *e,
    const struct there *old)
{
	struct ngc_restore_zone *z = &r->out->zones[to - r->zones];

	r->out->restored++;
	r->out->bytes += (uint64_t)e->size;
	r->out->variants += ngc_header_is_variant(&e->header, e->name);
	z->restored++;
	z->bytes += (uint64_t)e->size;
	to->entries += !old->present;
	to->bytes += space(e->size) - old->allocated;
}

static enum ngc_code put(struct restore *r, struct into *to, struct ngc_entry *e,
    struct ngc_error *err)
{
	char dir[NGC_LEVELS_TEXT];
	const struct ngc_conf *conf = ngc_site_conf(r->req->site);
	struct ngc_put req = { .e = e,
		.into = to->cache,
		.user = conf != NULL ? ngc_conf_user(conf) : NULL,
		.stop = r->req->stop };
	struct there old;
	enum ngc_code code;

	req.dir = to->zone->levels_known ? ngc_levels_dir(&to->zone->levels, e->name, dir)
					 : e->dir;
	code = look(r, to, req.dir, e, &old, err);
	if (code != NGC_OK)
		return code;
	if (old.stays) {
		r->out->kept++;
		r->out->zones[to - r->zones].kept++;
		return NGC_OK;
	}
	if (!has_room(r, to, e, &old)) {
		r->out->no_room++;
		r->out->zones[to - r->zones].no_room++;
		tell_full(r, to);
		return NGC_OK;
	}
	if (!r->req->dry_run)
		code = ngc_put_entry(&req, err);
	if (code == NGC_OK)
		count(r, to, e, &old);
	return code;
}

static void refuse(struct restore *r, struct ngc_entry *e, const char *why)
{
	struct ngc_error err;

	r->out->refused++;
	ngc_fail(&err, NGC_DAMAGED, 0, "%s/%s%s: %s", ngc_cache_path(e->cache), e->dir,
	    e->name, why);
	tell(r, e, &err);
}

/* Put it where it belongs; the zone is opened for its first entry. */
static enum ngc_code restore(struct restore *r, struct ngc_entry *e,
    struct ngc_error *err)
{
	size_t zone = ngc_site_zone_index(r->req->site, ngc_cache_zone(e->cache));
	struct into *to = &r->zones[zone];
	enum ngc_code code = to->asked ? NGC_OK : into_open(r, to, err);

	if (code != NGC_OK)
		tell(r, NULL, err);
	if (to->cache == NULL) {
		r->out->failed++;
		return NGC_OK;
	}
	code = put(r, to, e, err);
	if (code == NGC_GONE) /* stopped */
		r->out->matched--;
	else
		r->out->failed += code != NGC_OK;
	if (code == NGC_DENIED || code == NGC_DAMAGED)
		tell(r, e, err);
	return code == NGC_FATAL ? code : NGC_OK;
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct restore *r = arg;
	const char *why = flaw(e);
	enum ngc_code code = NGC_OK;

	(void)thread;
	r->out->matched++;
	if (why != NULL)
		refuse(r, e, why);
	else
		code = restore(r, e, err);
	if (code == NGC_OK && r->req->progress != NULL)
		r->req->progress(r->req->arg, r->out);
	return code;
}

static enum ngc_code prepare(struct restore *r, struct ngc_error *err)
{
	size_t n = ngc_site_zones(r->req->site);

	clock_gettime(CLOCK_REALTIME_COARSE, &r->began); /* the clock of files */
	r->zones = ngc_array_alloc(n, sizeof(*r->zones));
	r->out->zones = ngc_array_alloc(n, sizeof(*r->out->zones));
	r->reader = ngc_reader_new();
	if (r->zones == NULL || r->out->zones == NULL || r->reader == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < n; i++)
		r->zones[i].zone = ngc_site_zone(r->req->site, i);
	/* What is wrong with the only one is told before anything is read. */
	return n == 1 ? into_open(r, &r->zones[0], err) : NGC_OK;
}

static void clean_up(struct restore *r)
{
	for (size_t i = 0; r->zones != NULL && i < ngc_site_zones(r->req->site); i++)
		ngc_cache_close(r->zones[i].cache);
	for (size_t i = 0; i < r->n_strangers; i++)
		free(r->strangers[i]);
	free(r->zones);
	ngc_reader_free(r->reader);
	pthread_mutex_destroy(&r->lock);
}

enum ngc_code ngc_restore(const struct ngc_restore_request *req,
    struct ngc_restore_result *out, struct ngc_error *err)
{
	struct restore r = { .req = req, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select_run run = { .site = req->site,
		.select = req->select,
		.now = req->now,
		.pace.jobs = 1,
		.loose = req->loose,
		.damaged = true,
		.stop = req->stop,
		.archive = req->archive,
		.place = place,
		.visit = visit,
		.damaged_met = req->damaged_met != NULL ? damaged_met : NULL,
		.problem = problem,
		.arg = &r };
	enum ngc_code code;

	*out = (struct ngc_restore_result){ 0 };
	code = prepare(&r, err);
	if (code == NGC_OK)
		code = ngc_select_execute(&run, &out->found, err);
	clean_up(&r);
	return code;
}

void ngc_restore_result_free(struct ngc_restore_result *r)
{
	ngc_select_result_free(&r->found);
	free(r->zones);
	*r = (struct ngc_restore_result){ 0 };
}
