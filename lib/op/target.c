/* SPDX-License-Identifier: BSD-2-Clause */
#include "target.h"

#include <stdlib.h>

#include "ngc/mem.h"

static int compare_targets(const void *pa, const void *pb)
{
	const struct target *a = pa, *b = pb;
	int order;

	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (a->keyed != b->keyed)
		return a->keyed ? -1 : 1;
	if (a->keyed && a->crc32 != b->crc32)
		return a->crc32 < b->crc32 ? -1 : 1;
	order = memcmp(a->name, b->name, NGC_NAME_LEN);
	return order != 0 ? order : strcmp(a->dir, b->dir);
}

static struct target *add(struct targets *t, struct ngc_error *err)
{
	if (!ngc_array_grow((void **)&t->list, t->n, &t->cap, sizeof(*t->list))) {
		ngc_no_memory(err);
		return NULL;
	}
	t->list[t->n] = (struct target){ .order = t->n };
	return &t->list[t->n++];
}

static enum ngc_code add_key(struct targets *t, size_t selector, size_t cache,
    const struct ngc_zone *zone, struct ngc_bytes key, struct ngc_error *err)
{
	struct target *one = add(t, err);

	if (one == NULL)
		return NGC_FATAL;
	one->selector = selector;
	one->zone = zone;
	one->cache = cache;
	one->keyed = true;
	one->key = key;
	one->crc32 = ngc_crc32(key);
	ngc_key_name(key, one->name);
	return NGC_OK;
}

/* --key: that key in every zone. */
static enum ngc_code compute_key(const struct ngc_select_run *run, size_t i,
    struct targets *t, struct ngc_error *err)
{
	struct ngc_bytes key = ngc_bytes_of(run->select->selectors[i].text);

	for (size_t c = 0; c < ngc_site_zones(run->site); c++) {
		enum ngc_code code = add_key(t, i, c, ngc_site_zone(run->site, c), key,
		    err);

		if (code != NGC_OK)
			return code;
	}
	return NGC_OK;
}

static enum ngc_code compute_url(const struct ngc_select_run *run, size_t i,
    const struct ngc_url *url, struct targets *t, struct ngc_error *err)
{
	const struct ngc_scope *scope = &run->select->selectors[i].scope;
	const struct ngc_cover *cover;
	enum ngc_code code;

	code = ngc_route_cover(ngc_site_router(run->site), url, scope, &t->covers[i],
	    err);
	if (code != NGC_OK)
		return code;
	cover = t->covers[i];
	for (size_t k = 0; k < cover->n_targets && code == NGC_OK; k++) {
		const struct ngc_target *target = &cover->targets[k];
		size_t cache = ngc_site_zone_index(run->site, target->zone);

		if (cache < ngc_site_zones(run->site))
			code = add_key(t, i, cache, target->zone, target->key, err);
	}
	return code;
}

bool targets_open(const struct targets *t, size_t selector, const struct ngc_zone *zone)
{
	const struct ngc_cover *cover = t->covers[selector];

	if (cover == NULL)
		return false;
	for (size_t i = 0; i < cover->n_open; i++)
		if (cover->open[i].zone == zone)
			return true;
	for (size_t i = 0; cover->more_hosts && i < cover->n_targets; i++)
		if (cover->targets[i].zone == zone)
			return true;
	return false;
}

/* The run's zone whose root is the first root_len bytes of path; the number of zones:
 * none. */
static size_t zone_at(const struct ngc_site *site, const char *path, size_t root_len)
{
	char *root = root_len > 0 ? strndup(path, root_len) : strdup(".");
	struct ngc_place place, other;
	size_t i = ngc_site_zones(site);
	struct ngc_error ignored;

	if (root != NULL && ngc_place_find(root, NULL, &place, &ignored) == NGC_OK)
		for (i = 0; i < ngc_site_zones(site); i++) {
			const struct ngc_zone *z = ngc_site_zone(site, i);

			if (ngc_site_place(site, z, &other) &&
			    ngc_place_same(place, other))
				break;
		}
	free(root);
	return i;
}

/* Which zone a path lies in, and how many of its directories are levels. */
static bool find_zone(const struct ngc_site *site, const char *path,
    const struct ngc_candidate_path *parts, size_t *zone, unsigned *depth)
{
	for (*depth = 0; *depth <= parts->depth; ++*depth) {
		if (!parts->fits[*depth])
			continue;
		*zone = zone_at(site, path, parts->root_len[*depth]);
		if (*zone < ngc_site_zones(site))
			return true;
	}
	return false;
}

/* Why a path lies in no cache: perhaps some directory on the way may not be passed. */
static enum ngc_code refuse_file(const char *path, const struct ngc_candidate_path *parts,
    struct ngc_error *err)
{
	for (unsigned depth = 0; depth <= parts->depth; depth++) {
		char *root = parts->fits[depth] && parts->root_len[depth] > 0
				 ? strndup(path, parts->root_len[depth])
				 : NULL;
		struct ngc_zone zone = { .path = root };
		struct ngc_cache *c = NULL;
		enum ngc_code code = root != NULL ? ngc_cache_open(&zone, NULL, &c, err)
						  : NGC_OK;

		ngc_cache_close(c);
		free(root);
		if (code == NGC_DENIED)
			return code;
	}
	return ngc_fail(err, NGC_INVALID, 0,
	    "%s: not in a cache of this run, or no such directory", path);
}

/* Is it a path in that archive? */
static bool is_within(const char *path, const char *archive)
{
	size_t n = strlen(archive);

	return strncmp(path, archive, n) == 0 && path[n] == '/';
}

/* A file of an archive: of all the zones that its entries are taken for. */
static enum ngc_code compute_member(const struct ngc_select_run *run, size_t i,
    const char *name, struct targets *t, struct ngc_error *err)
{
	const char *path = run->select->selectors[i].text;

	for (size_t c = 0; c < ngc_site_zones(run->site); c++) {
		const struct ngc_zone *z = ngc_site_zone(run->site, c);
		struct target *one;

		if (!is_within(path, run->archive != NULL ? run->archive : z->path))
			continue;
		one = add(t, err);
		if (one == NULL)
			return NGC_FATAL;
		one->selector = i;
		one->cache = c;
		memcpy(one->name, name, NGC_NAME_LEN);
	}
	return NGC_OK;
}

/* Is it in an archive that this run reads? */
static bool is_member(const struct ngc_select_run *run, const char *path)
{
	const struct ngc_zone *z;

	if (run->archive != NULL)
		return is_within(path, run->archive);
	for (size_t i = 0; (z = ngc_site_zone(run->site, i)) != NULL; i++)
		if (z->archive && is_within(path, z->path))
			return true;
	return false;
}

static enum ngc_code compute_file(const struct ngc_select_run *run, size_t i,
    struct targets *t, struct ngc_error *err)
{
	const char *path = run->select->selectors[i].text;
	struct ngc_candidate_path parts;
	struct target *one;
	unsigned depth;
	size_t cache;

	if (!ngc_candidate_split(path, &parts))
		return ngc_fail(err, NGC_INVALID, 0, "%s: not the path of a cache file",
		    path);
	if (is_member(run, path))
		return compute_member(run, i, parts.name, t, err);
	if (!find_zone(run->site, path, &parts, &cache, &depth))
		return refuse_file(path, &parts, err);
	one = add(t, err);
	if (one == NULL)
		return NGC_FATAL;
	one->selector = i;
	one->zone = ngc_site_zone(run->site, cache);
	one->cache = cache;
	memcpy(one->dir, path + parts.root_len[depth],
	    (size_t)(parts.name - path) - parts.root_len[depth]);
	memcpy(one->name, parts.name, NGC_NAME_LEN);
	return NGC_OK;
}

static enum ngc_code compute_one(const struct ngc_select_run *run, size_t i,
    struct targets *t, struct ngc_error *err)
{
	const struct selector *s = &run->select->selectors[i];

	if (s->kind == NGC_SELECT_KEY)
		return compute_key(run, i, t, err);
	if (s->kind == NGC_SELECT_FILE)
		return compute_file(run, i, t, err);
	if (s->url != NULL || s->path != NULL)
		return compute_url(run, i, s->url != NULL ? s->url : s->path, t, err);
	return NGC_OK;
}

static void sort(struct targets *t)
{
	if (t->n > 0)
		qsort(t->list, t->n, sizeof(*t->list), compare_targets);
	for (size_t i = 0; i < t->n; i++)
		t->places[t->list[i].order] = i;
}

enum ngc_code targets_compute(const struct ngc_select_run *run, struct targets *t,
    struct ngc_error *err)
{
	const struct ngc_select *s = run->select;

	t->covers = ngc_array_alloc(s->n_selectors, sizeof(struct ngc_cover *));
	t->starts = ngc_array_alloc(s->n_selectors + 1, sizeof(*t->starts));
	if (t->covers == NULL || t->starts == NULL)
		return ngc_no_memory(err);
	t->n_covers = s->n_selectors;
	for (size_t i = 0; i < s->n_selectors; i++) {
		enum ngc_code code = compute_one(run, i, t, err);

		if (code != NGC_OK)
			return code;
		t->starts[i + 1] = t->n;
	}
	t->places = ngc_array_alloc(t->n, sizeof(*t->places));
	if (t->places == NULL)
		return ngc_no_memory(err);
	sort(t);
	return NGC_OK;
}

void targets_join(struct targets *t, const size_t *first)
{
	for (size_t i = 0; i < t->n; i++)
		t->list[i].cache = first[t->list[i].cache];
	sort(t);
}

void targets_free(struct targets *t)
{
	for (size_t i = 0; i < t->n_covers; i++)
		ngc_cover_free(t->covers[i]);
	free(t->covers);
	free(t->starts);
	free(t->places);
	free(t->list);
}

/* The run of targets that compare equal, in a list that is sorted so. */
static struct target_range equal_range(struct target_range all,
    int (*compare)(const struct target *, const void *), const void *what)
{
	size_t low = 0, high = all.n, end;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare(&all.first[mid], what) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < all.n && compare(&all.first[end], what) == 0; end++)
		;
	return (struct target_range){ all.first + low, end - low };
}

/* By what stands first in the order of the list. */
static int compare_place(const struct target *t, const void *what)
{
	const struct target *wanted = what;

	if (t->cache != wanted->cache)
		return t->cache < wanted->cache ? -1 : 1;
	return wanted->keyed - t->keyed;
}

struct target_range targets_of(const struct targets *t, size_t cache, bool keyed)
{
	struct target wanted = { .cache = cache, .keyed = keyed };

	return equal_range((struct target_range){ t->list, t->n }, compare_place,
	    &wanted);
}

static int compare_crc(const struct target *t, const void *what)
{
	uint32_t crc = *(const uint32_t *)what;

	return (t->crc32 > crc) - (t->crc32 < crc);
}

static int compare_name(const struct target *t, const void *what)
{
	return memcmp(t->name, what, NGC_NAME_LEN);
}

/* Keys are compared by their checksum first; the caller compares the bytes. */
struct target_range targets_by_key(struct target_range keyed, const struct ngc_header *h)
{
	return equal_range(keyed, compare_crc, &h->crc32);
}

struct target_range targets_by_name(struct target_range paths, const char *name)
{
	return equal_range(paths, compare_name, name);
}
