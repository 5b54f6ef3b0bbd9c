/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/usage.h"

#include <stdlib.h>

#include "ngc/unpack.h"

static void count(struct ngc_walk_totals *t, const struct ngc_member *m)
{
	if (m->kind == NGC_MEMBER_ENTRY) {
		t->candidates++;
		t->bytes += (uint64_t)m->size;
		t->allocated += (uint64_t)m->size;
	}
	t->temporary += m->kind == NGC_MEMBER_TEMPORARY;
	t->foreign += m->kind == NGC_MEMBER_FOREIGN;
}

/* By the sizes that an archive tells of its members. */
static enum ngc_code measure_archive(const struct ngc_usage_request *req,
    const struct ngc_zone *zone, struct ngc_usage *out, struct ngc_error *err)
{
	struct ngc_unpack *u = NULL;
	struct ngc_member m;
	enum ngc_code code = ngc_unpack_open(zone->path, req->stop, &u, err);

	out->exists = true;
	while (code == NGC_OK) {
		code = ngc_unpack_next(u, &m, err);
		if (code != NGC_OK)
			break;
		count(&out->totals, &m);
		if (m.kind != NGC_MEMBER_REFUSED || req->problem == NULL)
			continue;
		ngc_member_refused(&m, zone->path, err);
		req->problem(req->arg, err);
	}
	ngc_unpack_close(u);
	out->known = code == NGC_GONE;
	return out->known ? NGC_OK : code;
}

enum ngc_code ngc_usage_measure(const struct ngc_usage_request *req,
    const struct ngc_zone *zone, struct ngc_usage *out, struct ngc_error *err)
{
	struct ngc_walk walk = { .pace = req->pace,
		.sizes = true,
		.stop = req->stop,
		.problem = req->problem,
		.arg = req->arg };
	struct ngc_cache *cache = NULL;
	enum ngc_code code;

	*out = (struct ngc_usage){ 0 };
	if (zone->archive)
		return measure_archive(req, zone, out, err);
	code = ngc_site_cache(req->site, zone, &cache, err);
	if (code != NGC_OK) {
		out->exists = code != NGC_GONE;
		return code;
	}
	out->exists = true;
	walk.cache = cache;
	code = ngc_walk_run(&walk, &out->totals, err);
	out->known = code == NGC_OK;
	ngc_cache_close(cache);
	return code;
}
