/* SPDX-License-Identifier: BSD-2-Clause */
#include "nearest.h"
#include "target.h"

#include <stdlib.h>

#include "ngc/mem.h"
#include "ngc/urls.h"

struct search {
	const struct ngc_select_run *run;
	const struct targets *targets;
	size_t selector;
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
static void note_tried(const struct search *s)
{
	const struct targets *t = s->targets;
	struct ngc_selector_result *r = s->result;

	r->tried = ngc_array_alloc(NGC_TRIED_MAX, sizeof(*r->tried));
	for (size_t i = t->starts[s->selector]; i < t->starts[s->selector + 1]; i++) {
		const struct target *one = &t->list[t->places[i]];

		if (r->tried == NULL || r->n_tried == NGC_TRIED_MAX)
			return;
		if (one->keyed && s->caches[one->cache] != NULL &&
		    note(&r->tried[r->n_tried], one->zone, one->key))
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

/* Was it looked up for the selector, and found wanting, or is it noted already? */
static bool is_known(const struct search *s, const struct ngc_tried *at)
{
	const struct targets *t = s->targets;

	for (size_t i = t->starts[s->selector]; i < t->starts[s->selector + 1]; i++) {
		const struct target *one = &t->list[t->places[i]];

		if (one->zone == at->zone &&
		    memcmp(one->name, at->name, NGC_NAME_LEN) == 0)
			return true;
	}
	for (size_t i = 0; i < s->result->n_near; i++) {
		const struct ngc_tried *near = &s->result->near[i].at;

		if (near->zone == at->zone &&
		    memcmp(near->name, at->name, NGC_NAME_LEN) == 0)
			return true;
	}
	return false;
}

/* The URL that a key tells; where it tells none, the one that led to it. */
static char *url_of(const struct search *s, const struct ngc_zone *zone,
    struct ngc_bytes key, struct ngc_bytes asked)
{
	const struct ngc_router *router = ngc_site_router(s->run->site);
	struct ngc_reading reading;
	struct ngc_entry_url url;
	struct ngc_buf b = { 0 };
	char *text;

	ngc_route_read(router, zone, key, &reading);
	if (ngc_entry_url(zone, &reading, &url))
		ngc_entry_url_write(&url, ngc_buf_add_bytes, &b);
	else
		ngc_buf_add_bytes(&b, asked);
	text = ngc_buf_str(&b) != NULL ? strdup(ngc_buf_str(&b)) : NULL;
	ngc_buf_free(&b);
	return text;
}

static void try_target(struct search *s, const struct ngc_target *target,
    struct ngc_bytes asked)
{
	struct ngc_selector_result *r = s->result;
	struct ngc_near *near = &r->near[r->n_near];
	size_t zone = ngc_site_zone_index(s->run->site, target->zone);

	if (zone == ngc_site_zones(s->run->site) || s->caches[zone] == NULL ||
	    !note(&near->at, target->zone, target->key))
		return;
	near->url = !is_known(s, &near->at) &&
			    is_there(s->caches[zone], s->reader, &near->at)
			? url_of(s, target->zone, target->key, asked)
			: NULL;
	if (near->url != NULL)
		r->n_near++;
	else
		free(near->at.key);
}

/* Add what exists under one other URL, or under another scope of the same. */
static void try_url(struct search *s, const struct ngc_url *url,
    const struct ngc_scope *scope)
{
	struct ngc_cover *cover = NULL;
	struct ngc_error ignored;

	if (ngc_route_cover(ngc_site_router(s->run->site), url, scope, &cover,
		&ignored) != NGC_OK)
		return;
	for (size_t i = 0; i < cover->n_targets && s->result->n_near < NGC_NEAR_MAX; i++)
		try_target(s, &cover->targets[i], url->text);
	ngc_cover_free(cover);
}

/* The page itself, by what --strict leaves out; its other slash form; its other hosts. */
static void try_scopes(struct search *s, const struct ngc_url *u)
{
	static const struct ngc_scope wider[] = { { .strict = false },
		{ .any_slash = true }, { .any_host = true } };

	for (size_t i = 0; i < sizeof(wider) / sizeof(wider[0]); i++)
		try_url(s, u, &wider[i]);
}

/* The same without its query, in both slash forms. */
static void try_without_query(struct search *s, const struct ngc_url *u)
{
	static const struct ngc_scope any_slash = { .any_slash = true };
	struct ngc_buf b = { 0 };
	struct ngc_url *url = NULL;
	struct ngc_error ignored;

	ngc_buf_add_bytes(&b, u->scheme);
	ngc_buf_add_str(&b, "://");
	ngc_buf_add_bytes(&b, u->authority);
	ngc_buf_add_bytes(&b, u->path);
	if (!b.failed && ngc_url_parse(ngc_buf_bytes(&b), &url, &ignored) == NGC_OK)
		try_url(s, url, &any_slash);
	ngc_url_free(url);
	ngc_buf_free(&b);
}

static void note_near(struct search *s, const struct ngc_url *url)
{
	s->reader = ngc_reader_new();
	if (s->reader != NULL) {
		try_scopes(s, url);
		if (url->query.p != NULL)
			try_without_query(s, url);
	}
	ngc_reader_free(s->reader);
}

/* What a walk came by; it need not be looked up. */
static void note_nearest(struct search *s, const struct nearest *n)
{
	struct ngc_selector_result *r = s->result;

	for (size_t i = 0; i < NEAREST_KEPT && r->n_near < NGC_NEAR_MAX; i++) {
		const struct nearest_entry *one = &n->best[i];
		struct ngc_bytes key = ngc_bytes(one->key, one->key_len);
		struct ngc_near *near = &r->near[r->n_near];

		if (one->key == NULL || !note(&near->at, one->zone, key))
			continue;
		near->at.placed = true;
		memcpy(near->at.dir, one->dir, sizeof(near->at.dir));
		near->url = !is_known(s, &near->at) ? url_of(s, one->zone, key, key)
						    : NULL;
		if (near->url != NULL)
			r->n_near++;
		else
			free(near->at.key);
	}
}

void miss_explain(const struct ngc_select_run *run, const struct targets *t,
    size_t selector, struct ngc_cache *const *caches, const struct nearest *nearest,
    struct ngc_selector_result *out)
{
	const struct ngc_url *url = run->select->selectors[selector].url;
	const struct ngc_cover *cover = t->covers[selector];
	struct search s = { .run = run,
		.targets = t,
		.selector = selector,
		.caches = caches,
		.result = out };

	out->uncached = url != NULL && cover != NULL && cover->n_targets == 0 &&
			cover->n_open == 0 && !cover->incomplete;
	note_tried(&s);
	out->near = ngc_array_alloc(NGC_NEAR_MAX, sizeof(*out->near));
	if (out->near == NULL)
		return;
	if (url != NULL)
		note_near(&s, url);
	if (nearest != NULL)
		note_nearest(&s, nearest);
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
	free(r->zones);
	*r = (struct ngc_select_result){ 0 };
}
