/* SPDX-License-Identifier: BSD-2-Clause */
#include "find.h"

/* What a phase comes upon: is it selected, and by which selectors? */

static void hit(struct hand *h, size_t selector)
{
	for (size_t i = 0; i < h->n_hits; i++)
		if (h->hits[i] == selector)
			return;
	h->hits[h->n_hits++] = selector;
}

/* Is it the main entry of the target's key, and not a variant of it? */
static bool is_main_of(const struct target *t, const struct ngc_entry *e)
{
	return memcmp(t->name, e->name, NGC_NAME_LEN) == 0;
}

/* A strict URL takes the main entry of its key alone, without variants. */
static bool is_alone(const struct find *f, const struct target *t)
{
	const struct selector *s = &f->run->select->selectors[t->selector];

	return s->url != NULL && s->scope.strict;
}

/* A main entry that a target names waits for its variants; true when it does. */
static bool defer(struct find *f, struct target *t, const struct ngc_entry *e)
{
	if (f->phase == LAST || f->phase == ARCHIVED || e->header.vary.n == 0 ||
	    e->orphan || !is_main_of(t, e))
		return false;
	if (atomic_exchange(&t->deferred, true))
		return true;
	t->vary_len = e->header.vary.n;
	memcpy(t->vary, e->header.vary.p, t->vary_len);
	return true;
}

/* Is it the file that a target by path names?  In an archive all of the path counts. */
static bool is_file_of(const struct find *f, const struct target *t,
    const struct ngc_entry *e)
{
	const char *text = f->run->select->selectors[t->selector].text;
	struct ngc_buf path = { 0 };
	bool same;

	if (e->stream == NULL)
		return strcmp(t->dir, e->dir) == 0;
	ngc_entry_path(e, &path);
	same = ngc_bytes_equal(ngc_buf_bytes(&path), ngc_bytes_of(text));
	ngc_buf_free(&path);
	return same;
}

/* Which targets take the entry?  True: it is deferred. */
static bool take_by_targets(struct find *f, struct hand *h, struct ngc_entry *e)
{
	struct target_range r = targets_by_name(f->paths, e->name);
	bool deferred = false;

	for (size_t i = 0; i < r.n; i++)
		if (is_file_of(f, &r.first[i], e))
			hit(h, r.first[i].selector);
	if (e->damaged)
		return false;
	r = targets_by_key(f->keyed, &e->header);
	for (size_t i = 0; i < r.n; i++) {
		if (!ngc_bytes_equal(r.first[i].key, e->header.key))
			continue;
		if (is_alone(f, &r.first[i])) {
			if (is_main_of(&r.first[i], e))
				hit(h, r.first[i].selector);
			continue;
		}
		hit(h, r.first[i].selector);
		deferred |= defer(f, &r.first[i], e);
	}
	return deferred;
}

/* A URL whose keys are open in this zone; ambiguous ones are left, unless --loose takes
 * them. */
static bool take_by_cover(struct find *f, struct hand *h, size_t selector)
{
	const struct ngc_entry *e = h->judge.e;
	bool strict = f->run->select->selectors[selector].scope.strict;
	bool ambiguous = false, doubt;
	size_t n;
	const struct ngc_zone *const *zones = ngc_cache_zones(e->cache, &n);

	if (e->damaged || (strict && ngc_header_is_variant(&e->header, e->name)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (ngc_cover_match(f->targets.covers[selector], zones[i], e->header.key,
			&doubt))
			return true;
		ambiguous = ambiguous || doubt;
	}
	if (ambiguous && !f->run->loose)
		h->doubts[h->n_doubts++] = selector;
	return ambiguous && f->run->loose;
}

static enum ngc_code take_by_scans(struct find *f, struct hand *h, struct ngc_error *err)
{
	const struct ngc_select *s = f->run->select;

	for (size_t i = 0; i < f->n_scanning; i++) {
		size_t selector = f->scanning[i];
		const struct selector *one = &s->selectors[selector];
		enum ngc_code code = NGC_OK;
		bool taken = false;

		if (one->url == NULL || one->around != NULL)
			code = judge_selector(&h->judge, one, &taken, err);
		if (code != NGC_OK)
			return code;
		if (f->targets.covers[selector] != NULL && !taken)
			taken = take_by_cover(f, h, selector);
		if (taken)
			hit(h, selector);
	}
	return NGC_OK;
}

/* While a selector has found nothing, what looks like it is kept. */
static void keep_nearest(struct find *f, struct hand *h)
{
	const struct ngc_select *s = f->run->select;

	if (f->phase != SCAN || h->nearest == NULL)
		return;
	for (size_t i = 0; i < s->n_selectors; i++)
		if (f->matched[i] == 0)
			nearest_offer(&h->nearest[i], &s->selectors[i], &h->judge);
}

/* It is left for being ambiguous, unless a filter leaves it out anyway. */
static enum ngc_code count_doubts(struct find *f, struct hand *h, struct ngc_error *err)
{
	bool held;
	enum ngc_code code = judge_filters(&h->judge, &held, err);

	if (code != NGC_OK || !held)
		return code;
	for (size_t i = 0; i < h->n_doubts; i++)
		atomic_fetch_add(&f->ambiguous[h->doubts[i]], 1);
	atomic_fetch_add(&f->left, 1);
	return NGC_OK;
}

/* Is it selected?  Fills in the hits. */
static enum ngc_code judge_entry(struct find *f, struct hand *h, struct ngc_entry *e,
    bool *selected, struct ngc_error *err)
{
	const struct ngc_select *s = f->run->select;
	enum ngc_code code = NGC_OK;

	*selected = false;
	h->n_hits = h->n_doubts = 0;
	judge_start(&h->judge, e);
	if (take_by_targets(f, h, e))
		return NGC_OK;
	if (f->phase == SCAN || f->phase == LAST || f->phase == ARCHIVED)
		code = take_by_scans(f, h, err);
	if (code == NGC_OK && h->n_hits == 0)
		keep_nearest(f, h);
	if (code == NGC_OK && h->n_hits == 0 && h->n_doubts > 0)
		return count_doubts(f, h, err);
	if (code != NGC_OK || (h->n_hits == 0 && !select_takes_all(s)))
		return code;
	return judge_filters(&h->judge, selected, err);
}

static void meet_damaged(struct find *f, const struct ngc_entry *e)
{
	if (f->run->damaged_met == NULL)
		return;
	pthread_mutex_lock(&f->lock);
	f->run->damaged_met(f->run->arg, e);
	pthread_mutex_unlock(&f->lock);
}

/* Is it the file that a path names? */
static bool is_named_by_path(const struct find *f, const struct ngc_entry *e)
{
	struct target_range r = targets_by_name(f->paths, e->name);

	for (size_t i = 0; i < r.n; i++)
		if (is_file_of(f, &r.first[i], e))
			return true;
	return false;
}

/* Is it the main entry of a key that was looked up? */
static bool is_named_by_key(const struct find *f, const struct ngc_entry *e)
{
	struct target_range r = targets_by_key(f->keyed, &e->header);

	for (size_t i = 0; i < r.n && !e->orphan; i++)
		if (memcmp(r.first[i].name, e->name, NGC_NAME_LEN) == 0)
			return true;
	return false;
}

/* Is it for another phase?  A damaged file has no key: it is for paths and for scans. */
static bool passes_over(const struct find *f, const struct ngc_entry *e)
{
	switch (f->phase) {
	case BY_KEY:
		return e->damaged;
	case BY_PATH:
		return !e->damaged && is_named_by_key(f, e);
	case VARIANTS:
	case PROBING:
		return is_named_by_path(f, e) ||
		       (!e->damaged && !ngc_header_is_variant(&e->header, e->name));
	case LAST:
		return e->damaged || e->header.vary.n == 0;
	case SCAN:
	case ARCHIVED:
		break;
	}
	return false;
}

enum ngc_code find_offer(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct find *f = arg;
	struct hand *h = &f->hands[thread];
	enum ngc_code code;
	bool selected;

	if (passes_over(f, e))
		return NGC_OK;
	code = judge_entry(f, h, e, &selected, err);
	if (code == NGC_DAMAGED || code == NGC_DENIED) {
		find_problem(f, err);
		return NGC_OK;
	}
	if (code == NGC_OK && e->damaged && !(selected && f->run->damaged)) {
		meet_damaged(f, e);
		return NGC_OK;
	}
	if (code != NGC_OK || !selected)
		return code;
	if (f->run->wanted != NULL && !f->run->wanted(f->run->arg, e))
		return NGC_OK;
	for (size_t i = 0; i < h->n_hits; i++)
		atomic_fetch_add(&f->matched[h->hits[i]], 1);
	atomic_fetch_add(&f->visited, 1);
	return f->run->visit(f->run->arg, thread, e, err);
}
