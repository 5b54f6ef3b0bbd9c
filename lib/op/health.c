/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/health.h"

#include <stdio.h>
#include <stdlib.h>

#include "ngc/mem.h"
#include "ngc/stats.h"

static void worsen(enum ngc_health *h, enum ngc_health other)
{
	if (*h < other)
		*h = other;
}

static void set_gauge(const struct ngc_health_request *req, struct ngc_health_zone *z,
    enum ngc_gauge gauge, double part, double whole)
{
	const struct ngc_thresholds *t = &req->thresholds[gauge];
	double percent = whole > 0 ? 100 * part / whole : 0;

	z->known[gauge] = true;
	z->value[gauge] = percent;
	z->gauges[gauge] = ngc_range_alerts(&t->crit, percent)   ? NGC_HEALTH_CRITICAL
			   : ngc_range_alerts(&t->warn, percent) ? NGC_HEALTH_WARNING
								 : NGC_HEALTH_OK;
	worsen(&z->health, z->gauges[gauge]);
}

/* Of a root that is not fine. */
static enum ngc_health root_health(enum ngc_root root)
{
	return root == NGC_ROOT_UNKNOWN ? NGC_HEALTH_UNKNOWN : NGC_HEALTH_CRITICAL;
}

static void set_root(struct ngc_health_zone *z, enum ngc_root root, const char *why)
{
	z->root = root;
	snprintf(z->why, sizeof(z->why), "%s", why);
	worsen(&z->health, root_health(root));
}

static void set_incomplete(struct ngc_health_zone *z)
{
	if (z->root == NGC_ROOT_FINE)
		set_root(z, NGC_ROOT_UNKNOWN, "not all of it could be read");
}

static void judge_writable(const struct ngc_health_request *req,
    struct ngc_health_zone *z)
{
	const struct ngc_conf *conf = ngc_site_conf(req->site);
	/* Below a root, names of users are others'. */
	bool ours = conf != NULL && ngc_site_root(req->site) == NULL;
	const char *user = ours && z->zone->configured ? ngc_conf_user(conf) : NULL;
	struct ngc_cache *cache;
	struct ngc_error err;

	if (ngc_site_cache(req->site, z->zone, &cache, &err) != NGC_OK)
		return; /* it is gone meanwhile */
	if (ngc_cache_writable(cache, user, &err) != NGC_OK)
		set_root(z, NGC_ROOT_UNWRITABLE, err.text);
	ngc_cache_close(cache);
}

static void judge_usage(const struct ngc_health_request *req, struct ngc_health_zone *z)
{
	const struct ngc_walk_totals *t = &z->usage.totals;
	int64_t keys = ngc_zone_keys_max(z->zone);

	if (z->zone->max_size > 0)
		set_gauge(req, z, NGC_GAUGE_FILL, (double)t->allocated,
		    (double)z->zone->max_size);
	if (keys > 0)
		set_gauge(req, z, NGC_GAUGE_KEYS, (double)t->candidates, (double)keys);
	if (t->failed > 0)
		set_incomplete(z);
}

static enum ngc_code examine(const struct ngc_health_request *req,
    struct ngc_health_zone *z, struct ngc_error *err)
{
	struct ngc_usage_request usage = { .site = req->site,
		.pace = req->pace,
		.stop = req->stop,
		.problem = req->problem,
		.arg = req->arg };
	enum ngc_code code = ngc_usage_measure(&usage, z->zone, &z->usage, err);

	if (code == NGC_FATAL || (code == NGC_INVALID && !z->zone->configured))
		return code;
	if (code != NGC_OK) {
		set_root(z, code == NGC_GONE ? NGC_ROOT_MISSING : NGC_ROOT_UNKNOWN,
		    err->text);
		return NGC_OK;
	}
	judge_writable(req, z);
	judge_usage(req, z);
	return NGC_OK;
}

/* By the headers of all zones. */
static enum ngc_code count_expired(const struct ngc_health_request *req,
    struct ngc_health_report *out, struct ngc_error *err)
{
	struct ngc_select *all = ngc_select_new();
	struct ngc_select_run run = { .site = req->site,
		.select = all,
		.now = req->now,
		.pace = req->pace,
		.stop = req->stop,
		.problem = req->problem,
		.arg = req->arg };
	struct ngc_stats_request none = { 0 };
	struct ngc_stats s = { 0 };
	enum ngc_code code;

	code = all != NULL ? ngc_stats_collect(&run, &none, &s, err) : ngc_no_memory(err);
	for (size_t i = 0; code == NGC_OK && i < out->n; i++) {
		const struct ngc_stats_counts *c = &s.zones[i].counts;

		if (s.zones[i].known)
			set_gauge(req, &out->zones[i], NGC_GAUGE_EXPIRED,
			    (double)(c->sum.entries - c->states[NGC_FRESH]),
			    (double)c->sum.entries);
		if (s.found.zones[i].totals.failed > 0)
			set_incomplete(&out->zones[i]);
	}
	ngc_stats_free(&s);
	ngc_select_free(all);
	return code;
}

static void add_finding(struct ngc_health_report *out, const struct ngc_health_zone *z,
    enum ngc_health degree, enum ngc_gauge gauge, double beyond)
{
	out->findings[out->n_findings++] = (struct ngc_health_finding){ .zone = z,
		.degree = degree,
		.gauge = gauge,
		.beyond = beyond };
}

static void find(const struct ngc_health_request *req, const struct ngc_health_zone *z,
    struct ngc_health_report *out)
{
	if (z->root != NGC_ROOT_FINE)
		add_finding(out, z, root_health(z->root), NGC_GAUGES, 0);
	for (size_t i = 0; i < NGC_GAUGES; i++) {
		const struct ngc_thresholds *t = &req->thresholds[i];
		bool critical = z->gauges[i] == NGC_HEALTH_CRITICAL;

		if (z->gauges[i] != NGC_HEALTH_OK)
			add_finding(out, z, z->gauges[i], (enum ngc_gauge)i,
			    ngc_range_beyond(critical ? &t->crit : &t->warn,
				z->value[i]));
	}
}

/* The worse one first: a root before figures, the furthest of these, as configured. */
static int compare(const void *a, const void *b)
{
	const struct ngc_health_finding *x = a, *y = b;

	if (x->degree != y->degree)
		return x->degree > y->degree ? -1 : 1;
	if ((x->gauge == NGC_GAUGES) != (y->gauge == NGC_GAUGES))
		return x->gauge == NGC_GAUGES ? -1 : 1;
	if (x->beyond != y->beyond)
		return x->beyond > y->beyond ? -1 : 1;
	if (x->zone != y->zone)
		return x->zone < y->zone ? -1 : 1;
	return (int)x->gauge - (int)y->gauge;
}

static enum ngc_code conclude(const struct ngc_health_request *req,
    struct ngc_health_report *out, struct ngc_error *err)
{
	out->findings = ngc_array_alloc(out->n,
	    (NGC_GAUGES + 1) * sizeof(*out->findings));
	if (out->findings == NULL)
		return ngc_no_memory(err);
	out->health = out->n > 0 ? NGC_HEALTH_OK : NGC_HEALTH_UNKNOWN;
	for (size_t i = 0; i < out->n; i++) {
		worsen(&out->health, out->zones[i].health);
		find(req, &out->zones[i], out);
	}
	if (out->n_findings > 0)
		qsort(out->findings, out->n_findings, sizeof(*out->findings), compare);
	return NGC_OK;
}

enum ngc_code ngc_health_examine(const struct ngc_health_request *req,
    struct ngc_health_report *out, struct ngc_error *err)
{
	const struct ngc_thresholds *expired = &req->thresholds[NGC_GAUGE_EXPIRED];
	enum ngc_code code = NGC_OK;

	*out = (struct ngc_health_report){ .n = ngc_site_zones(req->site) };
	out->zones = ngc_array_alloc(out->n, sizeof(*out->zones));
	if (out->zones == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < out->n && code == NGC_OK; i++) {
		out->zones[i].zone = ngc_site_zone(req->site, i);
		code = examine(req, &out->zones[i], err);
	}
	if (code == NGC_OK && (expired->warn.text != NULL || expired->crit.text != NULL))
		code = count_expired(req, out, err);
	return code == NGC_OK ? conclude(req, out, err) : code;
}

void ngc_health_free(struct ngc_health_report *r)
{
	free(r->findings);
	free(r->zones);
	*r = (struct ngc_health_report){ 0 };
}
