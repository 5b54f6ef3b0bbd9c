/* SPDX-License-Identifier: BSD-2-Clause */
#include "find.h"

#include <stdlib.h>

#include "ngc/mem.h"

void find_problem(struct find *f, const struct ngc_error *err)
{
	atomic_fetch_add(&f->failed, 1);
	pthread_mutex_lock(&f->lock);
	if (f->run->problem != NULL)
		f->run->problem(f->run->arg, err);
	pthread_mutex_unlock(&f->lock);
}

static void walk_problem(void *arg, const struct ngc_error *err)
{
	find_problem(arg, err);
}

static enum ngc_code walk_stray(void *arg, unsigned thread, const struct ngc_stray *s,
    struct ngc_error *err)
{
	struct find *f = arg;

	return f->run->stray(f->run->arg, thread, s, err);
}

/* Nearest entries of more selectors than this are not kept: it would slow a walk down. */
#define NEAREST_SELECTORS 8

static bool prepare_hand(struct find *f, struct hand *h)
{
	const struct ngc_select *s = f->run->select;
	bool nearest = f->run->explain_misses && s->n_selectors <= NEAREST_SELECTORS;

	h->hits = ngc_array_alloc(s->n_selectors, sizeof(*h->hits));
	h->doubts = ngc_array_alloc(s->n_selectors, sizeof(*h->doubts));
	if (nearest)
		h->nearest = ngc_array_alloc(s->n_selectors, sizeof(*h->nearest));
	for (size_t i = 0; h->nearest != NULL && i < s->n_selectors; i++)
		nearest_init(&h->nearest[i], &s->selectors[i]);
	return judge_init(&h->judge, s, ngc_site_router(f->run->site), f->run->now) &&
	       h->hits != NULL && h->doubts != NULL && (!nearest || h->nearest != NULL);
}

/* What only a walk needs: a hand for each thread. */
static enum ngc_code prepare_walk(struct find *f, struct ngc_error *err)
{
	while (f->n_hands < ngc_walk_jobs(&f->run->pace))
		if (!prepare_hand(f, &f->hands[f->n_hands++]))
			return ngc_no_memory(err);
	return NGC_OK;
}

static enum ngc_code walk(struct find *f, size_t zone, enum phase phase,
    struct ngc_select_result *out, struct ngc_error *err)
{
	struct ngc_zone_found *found = &out->zones[zone];
	struct ngc_walk w = { .cache = f->caches[zone],
		.pace = f->run->pace,
		.headers = true,
		.writes = f->run->writes && phase == SCAN &&
			  select_takes_strays(f->run->select),
		.stop = f->run->stop,
		.visit = find_offer,
		.problem = walk_problem,
		.arg = f };
	enum ngc_code code = prepare_walk(f, err);

	if (code != NGC_OK)
		return code;
	if (f->run->stray != NULL && phase == SCAN && select_takes_strays(f->run->select))
		w.stray = walk_stray;
	f->phase = phase;
	out->walked = found->walked = true;
	code = ngc_walk_run(&w, &found->totals, err);
	ngc_walk_totals_add(&out->totals, &found->totals);
	return code;
}

bool find_stopped(const struct find *f)
{
	return f->run->stop != NULL && *f->run->stop != 0;
}

/* Does a URL leave keys open in one of the zones? */
static bool is_open(const struct find *f, size_t selector,
    const struct ngc_zone *const *zones, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (targets_open(&f->targets, selector, zones[i]))
			return true;
	return false;
}

/* Must every entry of the zones be looked at?  Notes for which selectors. */
static bool scans(struct find *f, const struct ngc_zone *const *zones, size_t n)
{
	const struct ngc_select *s = f->run->select;

	f->n_scanning = 0;
	for (size_t i = 0; i < s->n_selectors; i++)
		if (selector_scans(&s->selectors[i]) || is_open(f, i, zones, n))
			f->scanning[f->n_scanning++] = i;
	return f->n_scanning > 0 || select_takes_all(s);
}

/* The same when several zones lie in one cache. */
static bool begin(struct find *f, size_t zone, const struct ngc_zone *const *zones,
    size_t n)
{
	f->keyed = targets_of(&f->targets, zone, true);
	f->paths = targets_of(&f->targets, zone, false);
	return scans(f, zones, n);
}

bool find_begin(struct find *f, size_t zone)
{
	const struct ngc_zone *z = ngc_site_zone(f->run->site, zone);

	return begin(f, zone, &z, 1);
}

static enum ngc_code search(struct find *f, size_t zone, struct ngc_select_result *out,
    struct ngc_error *err)
{
	enum ngc_walking walking = f->run->walking;
	const struct ngc_cache *c = f->caches[zone];
	enum ngc_code code;
	size_t n;
	const struct ngc_zone *const *zones = ngc_cache_zones(c, &n);

	f->n_levels = ngc_cache_levels(c, f->levels);
	if (begin(f, zone, zones, n) && walking != NGC_WALK_NEVER) {
		code = walk(f, zone, SCAN, out, err);
	} else {
		code = find_look_up(f, c, err);
		if (code == NGC_OK && f->keyed.n > 0)
			code = walking == NGC_WALK_ALWAYS ||
				       (walking == NGC_WALK_NEEDED &&
					   find_any_deferred(f))
				   ? walk(f, zone, VARIANTS, out, err)
				   : find_probe_variants(f, c, err);
	}
	return code == NGC_OK && find_any_deferred(f) ? find_visit_deferred(f, c, err)
						      : code;
}

/* The same directory under two names is one cache: its entries count once. */
static void share_if_opened_before(struct find *f, size_t zone)
{
	struct ngc_place place = ngc_cache_place(f->caches[zone]);
	size_t i = 0;

	while (i < zone && (f->caches[i] == NULL ||
			       !ngc_place_same(ngc_cache_place(f->caches[i]), place)))
		i++;
	if (i == zone)
		return;
	ngc_cache_close(f->caches[zone]);
	f->caches[zone] = f->caches[i];
	f->first[zone] = i;
}

/* Is there anything to look for in the zone? */
static bool is_concerned(struct find *f, size_t zone)
{
	const struct ngc_zone *only = f->run->only;

	if (only != NULL && only != ngc_site_zone(f->run->site, zone))
		return false;
	return find_begin(f, zone) || f->keyed.n > 0 || f->paths.n > 0;
}

/* Open what must be looked into, before anything is touched. */
static enum ngc_code open_caches(struct find *f, struct ngc_zone_found *found,
    struct ngc_error *err)
{
	const struct ngc_site *site = f->run->site;

	for (size_t i = 0; i < ngc_site_zones(site); i++) {
		const struct ngc_zone *z = ngc_site_zone(site, i);
		enum ngc_code code;

		f->first[i] = i;
		if (z->archive || !is_concerned(f, i))
			continue;
		code = ngc_site_cache(site, z, &f->caches[i], err);
		found[i].failed = code != NGC_OK;
		if (code == NGC_GONE || code == NGC_DENIED) {
			find_problem(f, err);
			continue;
		}
		if (code != NGC_OK)
			return code;
		share_if_opened_before(f, i);
		found[i].same = f->first[i] != i;
	}
	targets_join(&f->targets, f->first);
	return NGC_OK;
}

/* A URL of which not every key could be found out must not seem to be done. */
static void tell_incomplete(struct find *f)
{
	for (size_t i = 0; i < f->targets.n_covers; i++) {
		const struct ngc_cover *c = f->targets.covers[i];
		struct ngc_error err;

		if (c == NULL || !c->incomplete)
			continue;
		ngc_fail(&err, NGC_DENIED, 0,
		    "%s: the configuration has too many ways for this URL: it may have "
		    "more keys than were looked for",
		    f->run->select->selectors[i].text);
		find_problem(f, &err);
	}
}

/* Patterns cannot be answered without looking at every entry. */
static enum ngc_code check_walking(const struct ngc_select_run *run,
    struct ngc_error *err)
{
	const struct ngc_select *s = run->select;

	if (run->walking != NGC_WALK_NEVER)
		return NGC_OK;
	for (size_t i = 0; i < s->n_selectors; i++)
		if (selector_scans(&s->selectors[i]))
			return ngc_fail(err, NGC_INVALID, 0,
			    "'%s' needs a walk: not with --no-walk",
			    s->selectors[i].text);
	if (select_takes_all(s))
		return ngc_fail(err, NGC_INVALID, 0,
		    "filters alone need a walk: not with --no-walk");
	return NGC_OK;
}

static void clean_hand(struct find *f, struct hand *h)
{
	for (size_t i = 0; h->nearest != NULL && i < f->run->select->n_selectors; i++)
		nearest_free(&h->nearest[i]);
	free(h->nearest);
	free(h->hits);
	free(h->doubts);
	judge_free(&h->judge);
}

static enum ngc_code prepare(struct find *f, struct ngc_select_result *out,
    struct ngc_error *err)
{
	const struct ngc_select_run *run = f->run;
	size_t n = run->select->n_selectors;

	f->hands = ngc_array_alloc(ngc_walk_jobs(&run->pace), sizeof(*f->hands));
	f->matched = ngc_array_alloc(n, sizeof(*f->matched));
	f->ambiguous = ngc_array_alloc(n, sizeof(*f->ambiguous));
	f->caches = ngc_array_alloc(ngc_site_zones(run->site),
	    sizeof(struct ngc_cache *));
	f->first = ngc_array_alloc(ngc_site_zones(run->site), sizeof(*f->first));
	f->reader = ngc_reader_new();
	f->scanning = ngc_array_alloc(n, sizeof(*f->scanning));
	out->selectors = ngc_array_alloc(n, sizeof(*out->selectors));
	out->zones = ngc_array_alloc(ngc_site_zones(run->site), sizeof(*out->zones));
	if (f->hands == NULL || f->matched == NULL || f->ambiguous == NULL ||
	    f->caches == NULL || f->first == NULL || f->reader == NULL ||
	    f->scanning == NULL || out->selectors == NULL || out->zones == NULL)
		return ngc_no_memory(err);
	for (out->n_selectors = 0; out->n_selectors < n; out->n_selectors++)
		out->selectors[out->n_selectors].text =
		    run->select->selectors[out->n_selectors].text;
	return prepare_hand(f, &f->hands[f->n_hands++]) ? NGC_OK : ngc_no_memory(err);
}

static void clean_up(struct find *f)
{
	for (size_t i = 0; f->hands != NULL && i < f->n_hands; i++)
		clean_hand(f, &f->hands[i]);
	for (size_t i = 0;
	     f->caches != NULL && f->first != NULL && i < ngc_site_zones(f->run->site);
	     i++)
		if (f->first[i] == i)
			ngc_cache_close(f->caches[i]);
	free(f->hands);
	free(f->scanning);
	free(f->matched);
	free(f->ambiguous);
	free(f->caches);
	free(f->first);
	ngc_reader_free(f->reader);
	targets_free(&f->targets);
	pthread_mutex_destroy(&f->lock);
}

static enum ngc_code search_zones(struct find *f, struct ngc_select_result *out,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	for (size_t i = 0;
	     i < ngc_site_zones(f->run->site) && code == NGC_OK && !find_stopped(f);
	     i++) {
		const struct ngc_zone *z = ngc_site_zone(f->run->site, i);

		if (f->caches[i] != NULL && f->first[i] == i)
			code = search(f, i, out, err);
		else if (z->archive && is_concerned(f, i))
			code = find_in_archive(f, z->path, z, out, err);
	}
	return code;
}

/* What all threads came by that is nearest to a selector; NULL: nobody asked. */
static struct nearest *gather_nearest(struct find *f, size_t selector)
{
	struct nearest *first = f->hands[0].nearest;

	if (first == NULL)
		return NULL;
	for (size_t i = 1; i < f->n_hands; i++)
		nearest_merge(&first[selector], &f->hands[i].nearest[selector]);
	return &first[selector];
}

enum ngc_code ngc_select_execute(const struct ngc_select_run *run,
    struct ngc_select_result *out, struct ngc_error *err)
{
	struct find f = { .run = run, .lock = PTHREAD_MUTEX_INITIALIZER };
	enum ngc_code code;

	*out = (struct ngc_select_result){ 0 };
	code = check_walking(run, err);
	if (code == NGC_OK)
		code = prepare(&f, out, err);
	if (code == NGC_OK)
		code = targets_compute(run, &f.targets, err);
	if (code == NGC_OK && run->archive == NULL)
		code = open_caches(&f, out->zones, err);
	if (code == NGC_OK)
		tell_incomplete(&f);
	if (code == NGC_OK)
		code = run->archive != NULL
			   ? find_in_archive(&f, run->archive, NULL, out, err)
			   : search_zones(&f, out, err);
	for (size_t i = 0; i < out->n_selectors; i++) {
		out->selectors[i].matched = f.matched[i];
		out->selectors[i].ambiguous = f.ambiguous[i];
	}
	out->matched = f.visited;
	out->ambiguous = f.left;
	out->failed += f.failed;
	for (size_t i = 0; code == NGC_OK && run->explain_misses && i < out->n_selectors;
	     i++)
		if (f.matched[i] == 0)
			miss_explain(run, &f.targets, i, f.caches, gather_nearest(&f, i),
			    &out->selectors[i]);
	clean_up(&f);
	return code;
}
