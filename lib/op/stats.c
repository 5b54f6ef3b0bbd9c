/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/stats.h"

#include <pthread.h>
#include <stdlib.h>

#include "groups.h"
#include "label.h"

/*
 * Every thread counts for itself, and groups in a small table of its own.  A table that
 * is full is added to the one of all threads, which is bounded: once it is full, groups
 * that it does not know are "other" for good, so that those it knows are exact.
 */

#define MINE_MAX       4096
#define MINE_BYTES_MAX ((size_t)2 << 20)
#define ALL_BYTES_MAX  ((size_t)64 << 20)

struct collector {
	const struct ngc_select_run *run;
	struct ngc_stats *out;
	struct hand *hands;
	size_t n_hands;
	pthread_mutex_t lock; /* for out, all, and the run's callbacks */
	struct groups all;
	size_t cap_zones;
	bool failed_row; /* there was no memory for one */
	uint64_t failed;
};

struct hand {
	struct collector *c;
	const struct ngc_zone *zone; /* what counts is of */
	struct ngc_stats_counts counts;
	uint64_t entry; /* the number of the one in hand */
	struct ngc_sum sum;
	struct labeller labeller;
	struct groups mine;
};

static void add_counts(struct ngc_stats_counts *sum, const struct ngc_stats_counts *c)
{
	sum_add(&sum->sum, &c->sum);
	for (size_t i = 0; i <= NGC_INVALIDATED; i++)
		sum->states[i] += c->states[i];
	sum->variants += c->variants;
	sum->orphans += c->orphans;
	sum->walked |= c->walked;
	sum->damaged += c->damaged;
	sum->temporary += c->temporary;
	sum->foreign += c->foreign;
}

/* The row of a zone; directories of archives get theirs when they are met. */
static struct ngc_stats_zone *row_of(struct collector *c, const struct ngc_zone *zone)
{
	struct ngc_stats *s = c->out;

	for (size_t i = 0; i < s->n_zones; i++)
		if (s->zones[i].zone == zone)
			return &s->zones[i];
	if (!ngc_array_grow((void **)&s->zones, s->n_zones, &c->cap_zones,
		sizeof(*s->zones)))
		return NULL;
	s->zones[s->n_zones] = (struct ngc_stats_zone){ .zone = zone,
		.known = true,
		.counts = { .walked = true } };
	return &s->zones[s->n_zones++];
}

static void hand_over_counts(struct hand *h)
{
	struct collector *c = h->c;
	struct ngc_stats_zone *row;

	if (h->zone == NULL)
		return;
	pthread_mutex_lock(&c->lock);
	row = row_of(c, h->zone);
	if (row != NULL)
		add_counts(&row->counts, &h->counts);
	c->failed_row |= row == NULL;
	pthread_mutex_unlock(&c->lock);
	h->counts = (struct ngc_stats_counts){ 0 };
}

static enum ngc_code add_to_all(struct collector *c, const struct ngc_group *g,
    struct ngc_error *err)
{
	enum ngc_code code = groups_add(&c->all, g->label, &g->sum, 0, err);

	if (code != NGC_GONE)
		return code;
	sum_add(&c->out->other, &g->sum);
	c->out->crowded += g->sum.entries;
	return NGC_OK;
}

static enum ngc_code hand_over_groups(struct hand *h, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	pthread_mutex_lock(&h->c->lock);
	for (size_t i = 0; i < h->mine.size && code == NGC_OK; i++)
		if (h->mine.slots[i].group.label.p != NULL)
			code = add_to_all(h->c, &h->mine.slots[i].group, err);
	pthread_mutex_unlock(&h->c->lock);
	if (code == NGC_OK && !groups_clear(&h->mine))
		code = ngc_no_memory(err);
	return code;
}

static enum ngc_code add_label(void *arg, struct ngc_bytes label, struct ngc_error *err)
{
	struct hand *h = arg;
	enum ngc_code code = groups_add(&h->mine, label, &h->sum, h->entry, err);

	if (code != NGC_GONE)
		return code;
	code = hand_over_groups(h, err);
	return code == NGC_OK ? groups_add(&h->mine, label, &h->sum, h->entry, err)
			      : code;
}

static void count(struct hand *h, const struct ngc_entry *e)
{
	const struct ngc_zone *zone = ngc_cache_told(e->cache);

	if (h->zone != zone) {
		hand_over_counts(h);
		h->zone = zone;
	}
	sum_add(&h->counts.sum, &h->sum);
	h->counts.states[ngc_header_state(&e->header, h->c->run->now)]++;
	h->counts.variants += ngc_header_is_variant(&e->header, e->name);
	h->counts.orphans += e->orphan;
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct collector *c = arg;

	pthread_mutex_lock(&c->lock);
	if (c->run->problem != NULL)
		c->run->problem(c->run->arg, err);
	pthread_mutex_unlock(&c->lock);
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	struct collector *c = arg;

	pthread_mutex_lock(&c->lock);
	c->run->damaged_met(c->run->arg, e);
	pthread_mutex_unlock(&c->lock);
}

/* What cannot be read or grouped is reported and left out. */
static enum ngc_code leave_out(struct collector *c, enum ngc_code code,
    const struct ngc_error *err)
{
	if (code != NGC_DENIED && code != NGC_DAMAGED)
		return code;
	problem(c, err);
	pthread_mutex_lock(&c->lock);
	c->failed++;
	pthread_mutex_unlock(&c->lock);
	return NGC_OK;
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct collector *c = arg;
	struct hand *h = &c->hands[thread];
	enum ngc_code code = ngc_entry_stat(e, err);

	h->entry++;
	h->sum = (struct ngc_sum){ 1, (uint64_t)e->size, e->allocated };
	if (code == NGC_OK && h->labeller.by != NULL)
		code = label_entry(&h->labeller, e, add_label, h, err);
	if (code != NGC_OK)
		return leave_out(c, code, err);
	count(h, e);
	return NGC_OK;
}

static bool prepare(struct collector *c, const struct ngc_stats_request *req)
{
	size_t max = req->groups_max > 0 ? req->groups_max : NGC_GROUPS_MAX;
	bool ok = true;

	c->out->n_zones = c->cap_zones = ngc_site_zones(c->run->site);
	c->out->zones = ngc_array_alloc(c->out->n_zones, sizeof(*c->out->zones));
	c->hands = ngc_array_alloc(c->n_hands, sizeof(*c->hands));
	if (c->out->zones == NULL || c->hands == NULL)
		return false;
	for (size_t i = 0; i < c->out->n_zones; i++)
		c->out->zones[i].zone = ngc_site_zone(c->run->site, i);
	if (req->by != NULL)
		ok = groups_init(&c->all, max, ALL_BYTES_MAX);
	for (size_t i = 0; i < c->n_hands; i++) {
		struct hand *h = &c->hands[i];

		h->c = c;
		if (req->by != NULL)
			ok = ok && labeller_init(&h->labeller, req->by, c->run) &&
			     groups_init(&h->mine, MINE_MAX, MINE_BYTES_MAX);
	}
	return ok;
}

static void clean_up(struct collector *c)
{
	for (size_t i = 0; c->hands != NULL && i < c->n_hands; i++) {
		labeller_free(&c->hands[i].labeller);
		groups_free(&c->hands[i].mine);
	}
	free(c->hands);
	groups_free(&c->all);
	pthread_mutex_destroy(&c->lock);
}

static int compare(const void *a, const void *b)
{
	const struct ngc_group *x = a, *y = b;

	if (x->sum.bytes != y->sum.bytes)
		return x->sum.bytes < y->sum.bytes ? 1 : -1;
	if (x->sum.entries != y->sum.entries)
		return x->sum.entries < y->sum.entries ? 1 : -1;
	return label_compare(x->label, y->label);
}

/* The largest first; what is behind the first top ones is "other". */
static enum ngc_code rank(struct collector *c, size_t top, struct ngc_error *err)
{
	struct ngc_stats *s = c->out;
	size_t n = 0;

	s->groups = ngc_array_alloc(c->all.n, sizeof(*s->groups));
	if (s->groups == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < c->all.size; i++)
		if (c->all.slots[i].group.label.p != NULL)
			s->groups[n++] = c->all.slots[i].group;
	s->arena = c->all.arena;
	c->all.arena = NULL;
	if (n > 0)
		qsort(s->groups, n, sizeof(*s->groups), compare);
	s->n_groups = top > 0 && top < n ? top : n;
	for (size_t i = s->n_groups; i < n; i++)
		sum_add(&s->other, &s->groups[i].sum);
	return NGC_OK;
}

/* What the walks tell beside the entries. */
static void add_walked(struct ngc_stats *s, size_t n_site)
{
	for (size_t i = 0; i < n_site; i++) {
		const struct ngc_zone_found *found = &s->found.zones[i];
		struct ngc_stats_counts *c = &s->zones[i].counts;

		s->zones[i].known = !found->failed && !found->same;
		c->walked = found->walked;
		c->damaged = found->totals.damaged;
		c->temporary = found->totals.temporary;
		c->foreign = found->totals.foreign;
	}
}

/* An archive whose directories have rows has one itself for what belongs to none. */
static void drop_archives(struct ngc_stats *s, size_t n_site)
{
	bool any = s->n_zones > n_site;
	size_t kept = 0;

	for (size_t i = 0; i < s->n_zones; i++) {
		const struct ngc_stats_counts *c = &s->zones[i].counts;

		if (!any || i >= n_site || !s->zones[i].zone->archive ||
		    c->damaged + c->temporary + c->foreign > 0)
			s->zones[kept++] = s->zones[i];
	}
	s->n_zones = kept;
}

static void total(struct ngc_stats *s, size_t n_site)
{
	add_walked(s, n_site);
	drop_archives(s, n_site);
	for (size_t i = 0; i < s->n_zones; i++)
		add_counts(&s->total, &s->zones[i].counts);
}

enum ngc_code ngc_stats_collect(const struct ngc_select_run *run,
    const struct ngc_stats_request *req, struct ngc_stats *out, struct ngc_error *err)
{
	struct collector c = { .run = run,
		.out = out,
		.n_hands = ngc_walk_jobs(&run->pace),
		.lock = PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select_run mine = *run;
	enum ngc_code code = NGC_OK;

	*out = (struct ngc_stats){ 0 };
	mine.visit = visit;
	mine.problem = problem;
	mine.damaged_met = run->damaged_met != NULL ? damaged_met : NULL;
	mine.damaged = false;
	mine.arg = &c;
	code = prepare(&c, req) ? ngc_select_execute(&mine, &out->found, err)
				: ngc_no_memory(err);
	for (size_t i = 0; c.hands != NULL && i < c.n_hands; i++) {
		hand_over_counts(&c.hands[i]);
		if (code == NGC_OK && req->by != NULL)
			code = hand_over_groups(&c.hands[i], err);
	}
	out->found.failed += c.failed;
	if (code == NGC_OK && c.failed_row)
		code = ngc_no_memory(err);
	if (code == NGC_OK && req->by != NULL)
		code = rank(&c, req->top, err);
	if (out->found.zones != NULL && out->zones != NULL) {
		total(out, ngc_site_zones(run->site));
	} else {
		free(out->zones); /* there is nothing in them */
		out->zones = NULL;
	}
	clean_up(&c);
	return code;
}

void ngc_stats_free(struct ngc_stats *s)
{
	free(s->zones);
	free(s->groups);
	ngc_arena_free(s->arena);
	ngc_select_result_free(&s->found);
	*s = (struct ngc_stats){ 0 };
}
