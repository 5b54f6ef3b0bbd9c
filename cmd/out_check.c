/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_check.h"

#include <string.h>

#include "ngc/text.h"
#include "ngc/units.h"

/*
 * The line is of text for people and, behind a '|', of figures for programs.  What
 * carries it may cut it at some kilobytes (NRPE), and people read it on a telephone: so
 * the text is short however many zones there are, and has the worst of them first.
 */

/* Findings are told until the text is so long; the others are counted. */
#define TEXT_ENOUGH 240

static const struct {
	const char *name; /* of the figure */
	const char *what; /* "12% " and this */
} gauges[NGC_GAUGES] = {
	[NGC_GAUGE_FILL] = { "fill", "of max_size" },
	[NGC_GAUGE_KEYS] = { "keys", "of the key zone" },
	[NGC_GAUGE_EXPIRED] = { "expired", "not fresh" },
};

static const struct {
	const char *name;
	int status;
} healths[] = {
	[NGC_HEALTH_OK] = { "OK", 0 },
	[NGC_HEALTH_UNKNOWN] = { "UNKNOWN", 3 },
	[NGC_HEALTH_WARNING] = { "WARNING", 1 },
	[NGC_HEALTH_CRITICAL] = { "CRITICAL", 2 },
};

int out_check_status(enum ngc_health health)
{
	return healths[health].status;
}

/* What stands in front of the '|' must not hold one. */
static void add_text(struct ngc_buf *b, const char *text)
{
	size_t start = b->n;

	ngc_text_escape(b, ngc_bytes_of(text));
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '|')
			b->p[i] = '!';
}

static void begin(struct ngc_buf *b, enum ngc_health health)
{
	ngc_buf_printf(b, "CACHE %s - ", healths[health].name);
}

int out_check_unknown(const char *why)
{
	struct ngc_buf b = { 0 };

	begin(&b, NGC_HEALTH_UNKNOWN);
	add_text(&b, why);
	ngc_buf_add_char(&b, '\n');
	out_write(&b);
	ngc_buf_free(&b);
	return out_check_status(NGC_HEALTH_UNKNOWN);
}

static const char *name_of(const struct ngc_zone *z)
{
	return z->name != NULL ? z->name : z->path;
}

static void text_finding(struct ngc_buf *b, const struct ngc_health_request *req,
    const struct ngc_health_finding *f)
{
	const struct ngc_health_zone *z = f->zone;
	const struct ngc_thresholds *t;

	add_text(b, name_of(z->zone));
	ngc_buf_add_str(b, ": ");
	if (f->gauge == NGC_GAUGES) {
		add_text(b, z->why);
		return;
	}
	t = &req->thresholds[f->gauge];
	ngc_buf_printf(b, "%.1f%% %s (threshold %s)", z->value[f->gauge],
	    gauges[f->gauge].what,
	    f->degree == NGC_HEALTH_CRITICAL ? t->crit.text : t->warn.text);
}

static void text_wrong(struct ngc_buf *b, const struct ngc_health_request *req,
    const struct ngc_health_report *r)
{
	size_t told = 0, well = 0;

	while (told < r->n_findings && (told == 0 || b->n < TEXT_ENOUGH)) {
		ngc_buf_add_str(b, told > 0 ? "; " : "");
		text_finding(b, req, &r->findings[told++]);
	}
	for (size_t i = 0; i < r->n; i++)
		well += r->zones[i].health == NGC_HEALTH_OK;
	if (told < r->n_findings)
		ngc_buf_printf(b, "; %zu more", r->n_findings - told);
	if (well > 0)
		ngc_buf_printf(b, "; %zu %s well", well, well == 1 ? "zone" : "zones");
}

static void text_sum(struct ngc_buf *b, const struct ngc_health_report *r)
{
	uint64_t entries = 0, allocated = 0;
	char size[NGC_UNIT_TEXT];

	for (size_t i = 0; i < r->n; i++) {
		entries += r->zones[i].usage.totals.candidates;
		allocated += r->zones[i].usage.totals.allocated;
	}
	if (r->n == 1)
		add_text(b, name_of(r->zones[0].zone));
	else
		ngc_buf_printf(b, "%zu zones", r->n);
	ngc_buf_printf(b, ": %llu %s, %s on disk", (unsigned long long)entries,
	    entries == 1 ? "entry" : "entries", ngc_format_size(allocated, size));
}

/* "12.0% of max_size", of several zones the most: "at most 12.0% of max_size (blog)". */
static void text_most(struct ngc_buf *b, const struct ngc_health_report *r,
    enum ngc_gauge gauge)
{
	const struct ngc_health_zone *most = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const struct ngc_health_zone *z = &r->zones[i];

		if (z->known[gauge] &&
		    (most == NULL || z->value[gauge] > most->value[gauge]))
			most = z;
	}
	if (most == NULL)
		return;
	ngc_buf_printf(b, ", %s%.1f%% %s", r->n > 1 ? "at most " : "", most->value[gauge],
	    gauges[gauge].what);
	if (r->n == 1)
		return;
	ngc_buf_add_str(b, " (");
	add_text(b, name_of(most->zone));
	ngc_buf_add_char(b, ')');
}

static void text_well(struct ngc_buf *b, const struct ngc_health_report *r)
{
	text_sum(b, r);
	for (int i = 0; i < NGC_GAUGES; i++)
		text_most(b, r, (enum ngc_gauge)i);
}

/* "'my zone_fill'=": a label has neither = nor '. */
static void figure(struct ngc_buf *b, const struct ngc_zone *z, const char *name)
{
	const char *zone = name_of(z);
	bool quotes = strspn(zone, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.-/") < strlen(zone);
	size_t start = b->n + quotes + 1;

	ngc_buf_add_str(b, quotes ? " '" : " ");
	add_text(b, zone);
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '=' || b->p[i] == '\'')
			b->p[i] = '_';
	ngc_buf_printf(b, "_%s%s=", name, quotes ? "'" : "");
}

static void figure_uint(struct ngc_buf *b, const struct ngc_zone *z, const char *name,
    const char *unit, uint64_t v, int64_t max)
{
	figure(b, z, name);
	ngc_buf_printf(b, "%llu%s;;;0;", (unsigned long long)v, unit);
	if (max > 0)
		ngc_buf_printf(b, "%lld", (long long)max);
}

static void figures(struct ngc_buf *b, const struct ngc_health_request *req,
    const struct ngc_health_zone *z)
{
	if (!z->usage.known)
		return;
	figure_uint(b, z->zone, "allocated", "B", z->usage.totals.allocated,
	    z->zone->max_size);
	figure_uint(b, z->zone, "entries", "", z->usage.totals.candidates,
	    ngc_zone_keys_max(z->zone));
	for (size_t i = 0; i < NGC_GAUGES; i++) {
		const struct ngc_thresholds *t = &req->thresholds[i];

		if (!z->known[i])
			continue;
		figure(b, z->zone, gauges[i].name);
		ngc_buf_printf(b, "%.2f%%;%s;%s;0;", z->value[i],
		    t->warn.text != NULL ? t->warn.text : "",
		    t->crit.text != NULL ? t->crit.text : "");
	}
}

void out_check(const struct ngc_health_request *req, const struct ngc_health_report *r)
{
	struct ngc_buf b = { 0 };

	begin(&b, r->health);
	if (r->n == 0)
		ngc_buf_add_str(&b, "there is no cache");
	else if (r->n_findings > 0)
		text_wrong(&b, req, r);
	else
		text_well(&b, r);
	ngc_buf_add_str(&b, " |");
	for (size_t i = 0; i < r->n; i++)
		figures(&b, req, &r->zones[i]);
	if (b.n > 0 && b.p[b.n - 1] == '|')
		b.n -= 2; /* there are none */
	ngc_buf_add_char(&b, '\n');
	out_write(&b);
	ngc_buf_free(&b);
}
