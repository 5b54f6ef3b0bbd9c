/* SPDX-License-Identifier: BSD-2-Clause */
#include "find.h"

#include "manifest.h"
#include "ngc/mem.h"
#include "ngc/unpack.h"

/*
 * An archive is read once, by one thread: every entry is judged as it goes by, by what is
 * selected of its zone.  Nothing is held but the entry in hand.
 */

struct pass {
	struct find *f;
	const char *path;
	const struct ngc_zone *zone; /* the archive's own; NULL: run->place tells */
	struct ngc_unpack *unpack;
	struct ngc_select_result *out;
	struct ngc_walk_totals *rest; /* what is no entry counts there */
	const struct ngc_zone *begun; /* the zone of the entry before */
	uint64_t met, told;           /* entries; told: by the archive's manifest */
	bool own, manifest;           /* it is this program's; it has a manifest */
};

static const struct ngc_zone *zone_of(const struct pass *p, const char *name)
{
	const struct ngc_select_run *run = p->f->run;

	if (p->zone == NULL)
		return run->place(run->arg, name);
	return p->zone->name != NULL || ngc_site_wants(run->site, name) ? p->zone : NULL;
}

/* What is met of a zone counts as totals. */
static void begin(struct pass *p, const struct ngc_zone *zone,
    struct ngc_walk_totals **totals)
{
	size_t i = ngc_site_zone_index(p->f->run->site, zone);

	if (zone != p->begun)
		find_begin(p->f, i);
	p->begun = zone;
	p->out->zones[i].walked = true;
	*totals = &p->out->zones[i].totals;
}

static enum ngc_code offer(struct pass *p, const struct ngc_member *m,
    struct ngc_error *err)
{
	const struct ngc_zone *zone = zone_of(p, m->zone);
	const struct ngc_cache *cache;
	struct ngc_walk_totals *totals;
	struct ngc_entry e;
	enum ngc_code code;

	if (zone == NULL)
		return NGC_OK;
	cache = ngc_site_archived(p->f->run->site, p->path, m, zone);
	if (cache == NULL)
		return ngc_no_memory(err);
	ngc_member_entry(m, p->unpack, cache, &e);
	code = ngc_entry_unpack(&e, p->f->reader, err);
	if (code != NGC_OK)
		return code;
	begin(p, zone, &totals);
	totals->candidates++;
	totals->damaged += e.damaged;
	totals->orphans += e.orphan;
	return find_offer(p->f, 0, &e, err);
}

/* A member that no archive of a cache has. */
static void refuse(const struct pass *p, const struct ngc_member *m)
{
	struct ngc_error err;

	ngc_member_refused(m, p->path, &err);
	find_problem(p->f, &err);
}

static enum ngc_code take_manifest(struct pass *p, struct ngc_error *err)
{
	struct ngc_buf text = { 0 };
	enum ngc_code code = ngc_unpack_text(p->unpack, &text, err);
	uint64_t entries = 0;

	if (code == NGC_OK && !manifest_entries(ngc_buf_bytes(&text), &entries))
		code = ngc_fail(err, NGC_DAMAGED, 0, "%s: damaged: %s cannot be read",
		    p->path, NGC_ARCHIVE_ABOUT);
	p->told += entries;
	p->manifest = true;
	ngc_buf_free(&text);
	return code;
}

static enum ngc_code meet(struct pass *p, const struct ngc_member *m,
    struct ngc_error *err)
{
	switch (m->kind) {
	case NGC_MEMBER_ENTRY:
		p->met++;
		p->own |= m->summed;
		return offer(p, m, err);
	case NGC_MEMBER_ABOUT:
		return take_manifest(p, err);
	case NGC_MEMBER_TEMPORARY:
		p->rest->temporary++;
		break;
	case NGC_MEMBER_FOREIGN:
		p->rest->foreign++;
		break;
	case NGC_MEMBER_REFUSED:
		refuse(p, m);
		break;
	case NGC_MEMBER_NONE:
		break;
	}
	return NGC_OK;
}

/* Others may have been added to it, but none may be missing. */
static enum ngc_code check_count(const struct pass *p, struct ngc_error *err)
{
	if (p->own && !p->manifest)
		return ngc_fail(err, NGC_DAMAGED, 0, "%s: damaged: without its %s",
		    p->path, NGC_ARCHIVE_ABOUT);
	if (p->met >= p->told)
		return NGC_OK;
	return ngc_fail(err, NGC_DAMAGED, 0,
	    "%s: damaged: %llu entries of %llu that were archived", p->path,
	    (unsigned long long)p->met, (unsigned long long)p->told);
}

/* To the end, or what a visitor returned. */
static enum ngc_code read_through(struct pass *p, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	struct ngc_member m;

	while (code == NGC_OK && !find_stopped(p->f)) {
		enum ngc_code next = ngc_unpack_next(p->unpack, &m, err);

		if (next == NGC_GONE)
			return check_count(p, err);
		code = next == NGC_OK ? meet(p, &m, err) : next;
		if (ngc_unpack_failed(p->unpack, err) != NGC_OK)
			code = NGC_DAMAGED;
	}
	return code;
}

/* What was met of one zone, or of all. */
static void total(struct ngc_select_result *out, const struct ngc_site *site,
    const struct ngc_zone *zone)
{
	for (size_t i = 0; i < ngc_site_zones(site); i++)
		if (zone == NULL || ngc_site_zone(site, i) == zone)
			ngc_walk_totals_add(&out->totals, &out->zones[i].totals);
	out->walked = true;
}

enum ngc_code find_in_archive(struct find *f, const char *path,
    const struct ngc_zone *zone, struct ngc_select_result *out, struct ngc_error *err)
{
	struct pass p = { .f = f,
		.path = path,
		.zone = zone,
		.out = out,
		.rest = &out->totals };
	enum ngc_code code;

	f->phase = ARCHIVED;
	if (zone != NULL)
		begin(&p, zone, &p.rest);
	code = ngc_unpack_open(path, f->run->stop, &p.unpack, err);
	if (code == NGC_OK)
		code = read_through(&p, err);
	total(out, f->run->site, zone);
	ngc_unpack_close(p.unpack);
	if (code != NGC_DAMAGED && code != NGC_DENIED)
		return code;
	if (!find_stopped(f))
		find_problem(f, err);
	return NGC_OK;
}
