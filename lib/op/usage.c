/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/usage.h"

#include <stdlib.h>

enum ngc_code ngc_usage_measure(const struct ngc_usage_request *req,
    const struct ngc_zone *zone, struct ngc_usage *out, struct ngc_error *err)
{
	struct ngc_walk walk = { .jobs = req->jobs,
		.sizes = true,
		.stop = req->stop,
		.problem = req->problem,
		.arg = req->arg };
	struct ngc_place *places = NULL;
	struct ngc_cache *cache = NULL;
	enum ngc_code code;

	*out = (struct ngc_usage){ 0 };
	code = ngc_site_cache(req->site, zone, &cache, err);
	if (code != NGC_OK) {
		out->exists = code != NGC_GONE;
		return code;
	}
	out->exists = true;
	code = ngc_site_places(req->site, &places, &walk.n_others, err);
	if (code == NGC_OK) {
		walk.cache = cache;
		walk.others = places;
		code = ngc_walk_run(&walk, &out->totals, err);
		out->known = code == NGC_OK;
	}
	free(places);
	ngc_cache_close(cache);
	return code;
}
