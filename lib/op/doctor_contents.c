/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "doctor.h"
#include "ngc/units.h"

/* What one walk of a zone tells: its directories, its entries and how many they are. */

#define LAYOUTS_MAX 16 /* kinds of entries that are told apart */
#define NEARLY_FULL 90 /* percent of a key zone */
#define OVERSHOOT   5  /* percent of max_size: nginx trims every ten seconds */

static const struct ailment wrong_levels = { NGC_FAULT, "level_owner",
	"for pages whose files belong there clients get error 500, or they are never "
	"stored",
	"chown the directories to the user of nginx's workers and chmod them 700" };

static const struct ailment odd_levels = { NGC_WARNING, "level_owner",
	"when the workers run as the root's owner, responses whose files belong there "
	"are not stored",
	"chown the directories to the owner of the root and chmod them 700" };

static const struct ailment levels_changed = { NGC_WARNING, "levels_changed",
	"nginx never serves and never removes them, and counts them again at every start",
	"ngxcache verify --repair removes them; or give the zone its old levels "
	"again" };

static const struct ailment mixed_versions = { NGC_WARNING, "mixed_versions",
	"an nginx serves those of its own version alone; the others take up space until "
	"they are asked for or their inactive time is over",
	"wait, or purge the old ones: ngxcache list --fields version,file tells "
	"which" };

static const struct ailment key_zone_full = { NGC_WARNING, "key_zone_full",
	"when the key zone is full, nginx drops the entries that were used least "
	"recently, and at its next start deletes those that do not fit",
	"give keys_zone more memory: 8000 entries take one megabyte" };

static const struct ailment over_max_size = { NGC_WARNING, "over_max_size",
	"there are files that nginx does not count (orphans, copies from elsewhere), or "
	"its cache manager does not keep up: the disk fills beyond the limit",
	"ngxcache verify tells what does not belong here; reload or restart nginx if "
	"its cache manager process is gone" };

/* What one thread met. */
struct tally {
	struct {
		const struct ngc_layout *layout;
		uint64_t entries;
	} kinds[LAYOUTS_MAX];
	uint64_t wrong_dirs;
	char dir[NGC_LEVELS_TEXT]; /* the first of them */
	struct stat st;
};

struct survey {
	struct doctor *d;
	const struct patient *p;
	struct worker_user user; /* of the workers, else the root's owner */
	struct tally *tallies;   /* one a thread */
};

static void problem(void *arg, const struct ngc_error *err)
{
	struct survey *s = arg;

	doctor_problem(s->d, err);
}

static void count_kind(struct tally *t, const struct ngc_layout *layout, uint64_t n)
{
	for (size_t i = 0; i < LAYOUTS_MAX; i++) {
		if (t->kinds[i].layout != NULL && t->kinds[i].layout != layout)
			continue;
		t->kinds[i].layout = layout;
		t->kinds[i].entries += n;
		return;
	}
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct survey *s = arg;

	(void)err;
	if (!e->damaged)
		count_kind(&s->tallies[thread], e->header.layout, 1);
	return NGC_OK;
}

/* Is it, or does it begin, a directory that the levels of the zone lead to? */
static bool is_in_use(const struct ngc_zone *z, const char *dir)
{
	for (unsigned i = 0; *dir != '\0'; i++) {
		size_t n = strcspn(dir, "/");

		if (z->levels_known && (i == z->levels.n || n != z->levels.width[i]))
			return false;
		dir += n + 1;
	}
	return true;
}

static void enter(void *arg, unsigned thread, int fd, const char *dir)
{
	struct survey *s = arg;
	struct tally *t = &s->tallies[thread];
	struct stat st;

	if (dir[0] == '\0' || !is_in_use(s->p->zone, dir) || fstat(fd, &st) != 0 ||
	    doctor_may(&s->user, &st, 7))
		return;
	if (t->wrong_dirs++ == 0) {
		memcpy(t->dir, dir, strlen(dir));
		t->st = st;
	}
}

static void sum_up(struct tally *sum, const struct tally *t)
{
	for (size_t i = 0; i < LAYOUTS_MAX && t->kinds[i].layout != NULL; i++)
		count_kind(sum, t->kinds[i].layout, t->kinds[i].entries);
	if (sum->wrong_dirs == 0 && t->wrong_dirs > 0) {
		memcpy(sum->dir, t->dir, sizeof(sum->dir));
		sum->st = t->st;
	}
	sum->wrong_dirs += t->wrong_dirs;
}

static void judge_levels(const struct survey *s, const struct tally *t)
{
	struct doctor *d = s->d;
	const char *path = doctor_text(d, "%s/%.*s", s->p->zone->path,
	    (int)strlen(t->dir) - 1, t->dir);

	if (path != NULL)
		doctor_find(d, s->user.known ? &wrong_levels : &odd_levels, s->p, path,
		    "%s, %s, may not work in %llu level director%s, such as %s (of %s, "
		    "mode %o)",
		    s->user.name,
		    s->user.known ? "whom nginx's workers run as" : "who owns the root",
		    (unsigned long long)t->wrong_dirs, t->wrong_dirs == 1 ? "y" : "ies",
		    path, doctor_owner(d, &t->st), t->st.st_mode & 07777);
}

/* "12 of version 3 (lp64le), 5 of version 5 (lp64le)" */
static void judge_kinds(const struct survey *s, const struct tally *t)
{
	struct ngc_buf b = { 0 };
	const char *text;

	if (t->kinds[1].layout == NULL)
		return;
	for (size_t i = 0; i < LAYOUTS_MAX && t->kinds[i].layout != NULL; i++)
		ngc_buf_printf(&b, "%s%llu of version %d (%s)", i > 0 ? ", " : "",
		    (unsigned long long)t->kinds[i].entries,
		    ngc_layout_version(t->kinds[i].layout),
		    ngc_layout_abi(t->kinds[i].layout));
	text = ngc_buf_str(&b);
	doctor_find(s->d, &mixed_versions, s->p, s->p->zone->path,
	    "entries of several versions of the file format: %s",
	    text != NULL ? text : "");
	ngc_buf_free(&b);
}

static void judge_fill(const struct survey *s, const struct ngc_walk_totals *t)
{
	const struct ngc_zone *z = s->p->zone;
	int64_t most = ngc_zone_keys_max(z);
	char size[NGC_UNIT_TEXT], max[NGC_UNIT_TEXT];

	if (most > 0 && t->candidates >= (uint64_t)most * NEARLY_FULL / 100)
		doctor_find(s->d, &key_zone_full, s->p, z->path,
		    "%llu entries in a key zone of %s, which holds about %lld",
		    (unsigned long long)t->candidates,
		    ngc_format_size((uint64_t)z->keys_zone_size, size), (long long)most);
	if (z->max_size >= 0 &&
	    t->allocated > (uint64_t)z->max_size / 100 * (100 + OVERSHOOT))
		doctor_find(s->d, &over_max_size, s->p, z->path,
		    "the entries take %s on disk; max_size is %s",
		    ngc_format_size(t->allocated, size),
		    ngc_format_size((uint64_t)z->max_size, max));
}

static void judge(const struct survey *s, const struct ngc_walk_totals *totals)
{
	unsigned threads = ngc_walk_jobs(&s->d->req->pace);
	char levels[NGC_LEVELS_TEXT];
	struct tally sum = { 0 };

	for (unsigned i = 0; i < threads; i++)
		sum_up(&sum, &s->tallies[i]);
	if (sum.wrong_dirs > 0)
		judge_levels(s, &sum);
	if (totals->orphans > 0)
		doctor_find(s->d, &levels_changed, s->p, s->p->zone->path,
		    "entries where the zone's levels (%s) do not lead to: %llu of %llu",
		    s->p->zone->levels.n > 0
			? ngc_levels_format(&s->p->zone->levels, levels)
			: "none",
		    (unsigned long long)totals->orphans,
		    (unsigned long long)totals->candidates);
	judge_kinds(s, &sum);
	judge_fill(s, totals);
}

/* Whom the level directories should belong to. */
static bool find_user(struct survey *s)
{
	struct stat st;
	const char *name;

	s->user = s->d->user;
	if (s->user.known)
		return true;
	if (!doctor_stat(s->d, s->p->zone->path, &st))
		return false;
	s->user.uid = st.st_uid;
	name = doctor_owner(s->d, &st);
	snprintf(s->user.name, sizeof(s->user.name), "%s", name != NULL ? name : "");
	return true;
}

static enum ngc_code survey(struct survey *s, struct ngc_cache *cache,
    struct ngc_error *err)
{
	const struct ngc_doctor_request *req = s->d->req;
	struct ngc_walk walk = { .cache = cache,
		.pace = req->pace,
		.headers = true,
		.sizes = true,
		.stop = req->stop,
		.visit = visit,
		.enter = find_user(s) ? enter : NULL,
		.problem = problem,
		.arg = s };
	struct ngc_walk_totals totals = { 0 };
	enum ngc_code code = NGC_OK;

	s->tallies = ngc_array_alloc(ngc_walk_jobs(&req->pace), sizeof(*s->tallies));
	if (s->tallies == NULL)
		code = ngc_no_memory(err);
	if (code == NGC_OK)
		code = ngc_walk_run(&walk, &totals, err);
	if (code == NGC_OK && (req->stop == NULL || *req->stop == 0))
		judge(s, &totals);
	s->d->out->entries += totals.candidates;
	free(s->tallies);
	return code;
}

enum ngc_code doctor_check_contents(struct doctor *d, const struct patient *p,
    struct ngc_error *err)
{
	struct survey s = { .d = d, .p = p };
	struct ngc_cache *cache = NULL;
	struct stat st;
	enum ngc_code code = ngc_site_cache(d->req->site, p->zone, &cache, err);

	if (code == NGC_OK)
		code = survey(&s, cache, err);
	else if (p->zone->configured && code != NGC_FATAL) {
		if (doctor_stat(d, p->zone->path, &st) ? S_ISDIR(st.st_mode)
						       : errno != ENOENT)
			doctor_problem(d, err); /* else it is a finding */
		code = NGC_OK;
	} else if (code == NGC_DENIED) {
		doctor_problem(d, err);
		code = NGC_OK;
	}
	ngc_cache_close(cache);
	return code;
}
