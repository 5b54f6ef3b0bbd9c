/* SPDX-License-Identifier: BSD-2-Clause */
#include "target.h"

#include <stdlib.h>

#include "ngc/mem.h"

struct search {
	const struct ngc_select_run *run;
	struct ngc_cache *const *caches;
	struct ngc_reader *reader;
	struct ngc_selector_result *result;
};

static bool note(struct ngc_tried *out, const struct ngc_zone *zone, struct ngc_bytes key)
{
	char *copy = malloc(key.n + 1);

	if (copy == NULL)
		return false;
	if (key.n > 0)
		memcpy(copy, key.p, key.n);
	*out = (struct ngc_tried){ .zone = zone,
		.key = copy,
		.key_len = key.n,
		.placed = zone->levels_known };
	ngc_key_name(key, out->name);
	if (out->placed)
		ngc_levels_dir(&zone->levels, out->name, out->dir);
	return true;
}

/* In the order in which they were computed; what could not be looked into was not tried.
 */
static void note_tried(const struct search *s, const struct targets *t, size_t selector)
{
	struct ngc_selector_result *r = s->result;

	r->tried = ngc_array_alloc(NGC_TRIED_MAX, sizeof(*r->tried));
	for (size_t i = t->starts[selector]; i < t->starts[selector + 1]; i++) {
		const struct target *one = &t->list[t->places[i]];

		if (r->tried == NULL || r->n_tried == NGC_TRIED_MAX)
			return;
		if (one->keyed && s->caches[one->cache] != NULL &&
		    note(&r->tried[r->n_tried], ngc_site_zone(s->run->site, one->cache),
			one->key))
			r->n_tried++;
	}
}

/* Is there an entry of that key, at a place where nginx looks? */
static bool is_there(const struct ngc_cache *c, struct ngc_reader *reader,
    const struct ngc_tried *at)
{
	unsigned kinds = at->placed ? 1 : NGC_LEVELS_KINDS;

	for (unsigned i = 0; i < kinds; i++) {
		struct ngc_levels levels = ngc_levels_kind(i);
		char dir[NGC_LEVELS_TEXT];
		struct ngc_error ignored;
		struct ngc_entry e;
		bool found;

		ngc_levels_dir(&levels, at->name, dir);
		if (ngc_entry_open(c, reader, at->placed ? at->dir : dir, at->name, &e,
			&ignored) != NGC_OK)
			continue;
		found = !e.damaged;
		ngc_entry_close(&e);
		if (found)
			return true;
	}
	return false;
}

/* Add what exists under one other URL. */
static void try_url(struct search *s, const char *text)
{
	struct ngc_selector_result *r = s->result;
	struct ngc_cover *cover = NULL;
	struct ngc_url *url = NULL;
	struct ngc_error ignored;

	if (ngc_url_parse(ngc_bytes_of(text), &url, &ignored) != NGC_OK ||
	    ngc_route_cover(ngc_site_router(s->run->site), url, NULL, &cover,
		&ignored) !=
		NGC_OK)
		goto out;
	for (size_t i = 0; i < cover->n_targets && r->n_near < NGC_NEAR_MAX; i++) {
		struct ngc_near *near = &r->near[r->n_near];
		size_t zone = ngc_site_zone_index(s->run->site, cover->targets[i].zone);

		if (zone == ngc_site_zones(s->run->site) || s->caches[zone] == NULL ||
		    !note(&near->at, cover->targets[i].zone, cover->targets[i].key))
			continue;
		near->url = is_there(s->caches[zone], s->reader, &near->at) ? strdup(text)
									    : NULL;
		if (near->url != NULL)
			r->n_near++;
		else
			free(near->at.key);
	}
out:
	ngc_cover_free(cover);
	ngc_url_free(url);
}

static void add_origin(struct ngc_buf *b, const struct ngc_url *u)
{
	ngc_buf_add_bytes(b, u->scheme);
	ngc_buf_add_str(b, "://");
	ngc_buf_add_bytes(b, u->authority);
}

/* The other slash form, and either without the query. */
static void try_neighbours(struct search *s, const struct ngc_url *u)
{
	bool slash = u->path.n > 0 && u->path.p[u->path.n - 1] == '/';

	for (int other = 1; other >= 0; other--)
		for (int query = u->query.p != NULL; query >= 0; query--) {
			struct ngc_buf b = { 0 };
			size_t path = u->path.n - (other && slash);

			if ((!other && (query || u->query.p == NULL)) || path == 0)
				continue;
			add_origin(&b, u);
			ngc_buf_add(&b, u->path.p, path);
			if (other && !slash)
				ngc_buf_add_char(&b, '/');
			if (query)
				ngc_buf_add(&b, u->query.p - 1, u->query.n + 1);
			if (ngc_buf_str(&b) != NULL)
				try_url(s, ngc_buf_str(&b));
			ngc_buf_free(&b);
		}
}

static void note_near(struct search *s, const struct ngc_url *url)
{
	s->result->near = ngc_array_alloc(NGC_NEAR_MAX, sizeof(*s->result->near));
	s->reader = ngc_reader_new();
	if (s->result->near != NULL && s->reader != NULL)
		try_neighbours(s, url);
	ngc_reader_free(s->reader);
}

void misses_explain(const struct ngc_select_run *run, const struct targets *t,
    struct ngc_cache *const *caches, struct ngc_select_result *out)
{
	for (size_t i = 0; i < out->n_selectors; i++) {
		struct search s = { run, caches, NULL, &out->selectors[i] };

		if (out->selectors[i].matched > 0)
			continue;
		note_tried(&s, t, i);
		if (run->select->selectors[i].url != NULL)
			note_near(&s, run->select->selectors[i].url);
	}
}

void ngc_select_result_free(struct ngc_select_result *r)
{
	for (size_t i = 0; i < r->n_selectors; i++) {
		struct ngc_selector_result *s = &r->selectors[i];

		for (size_t k = 0; k < s->n_tried; k++)
			free(s->tried[k].key);
		for (size_t k = 0; k < s->n_near; k++) {
			free(s->near[k].at.key);
			free(s->near[k].url);
		}
		free(s->tried);
		free(s->near);
	}
	free(r->selectors);
	*r = (struct ngc_select_result){ 0 };
}
