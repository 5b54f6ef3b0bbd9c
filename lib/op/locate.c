/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/locate.h"

#include "ngc/variant.h"

/* Open the file of l->name; one that is gone or damaged is not present. */
static enum ngc_code open_named(struct ngc_located *l, struct ngc_error *err)
{
	enum ngc_code code;

	ngc_levels_dir(&l->explanation->zone->levels, l->name, l->dir);
	code = ngc_entry_open(l->cache, l->reader, l->dir, l->name, &l->entry, err);
	if (code != NGC_OK)
		return code == NGC_GONE ? NGC_OK : code;
	l->present = !l->entry.damaged;
	if (!l->present)
		ngc_entry_close(&l->entry);
	return NGC_OK;
}

/* The main entry is there: is its variant the one that the request asks for? */
static enum ngc_code choose_variant(struct ngc_located *l,
    const struct ngc_explain_request *req, struct ngc_error *err)
{
	const struct ngc_header *h = &l->entry.header;
	unsigned char variant[NGC_MD5_SIZE];

	if (h->vary.n == 0)
		return NGC_OK;
	ngc_variant_compute(h->key, h->vary, req->headers, req->n_headers, variant);
	if (memcmp(variant, h->variant, NGC_MD5_SIZE) == 0)
		return NGC_OK;
	ngc_entry_close(&l->entry);
	l->present = false;
	ngc_hex(variant, l->name);
	return open_named(l, err);
}

enum ngc_code ngc_locate(const struct ngc_site *site,
    const struct ngc_explain_request *req, struct ngc_located *out, struct ngc_error *err)
{
	const struct ngc_explanation *e;
	enum ngc_code code;

	*out = (struct ngc_located){ 0 };
	code = ngc_route_explain(ngc_site_router(site), req, &out->explanation, err);
	if (code != NGC_OK)
		return code;
	e = out->explanation;
	if (e->key.p == NULL)
		return NGC_OK;
	ngc_key_name(e->key, out->name);
	if (e->zone == NULL)
		return NGC_OK;
	out->placed = true;
	ngc_levels_dir(&e->zone->levels, out->name, out->dir);
	code = ngc_site_cache(site, e->zone, &out->cache, err);
	if (code != NGC_OK)
		return code;
	out->reader = ngc_reader_new();
	if (out->reader == NULL)
		return ngc_no_memory(err);
	code = open_named(out, err);
	return code == NGC_OK && out->present ? choose_variant(out, req, err) : code;
}

void ngc_located_free(struct ngc_located *l)
{
	if (l->present)
		ngc_entry_close(&l->entry);
	ngc_reader_free(l->reader);
	ngc_cache_close(l->cache);
	ngc_explanation_free(l->explanation);
}
