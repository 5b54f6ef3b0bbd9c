/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_stats.h"

#include <stdio.h>
#include <stdlib.h>

#include "csv.h"
#include "jsonw.h"

const char *const stats_field_names[STATS_FIELDS] = { "entries", "bytes", "allocated",
	"fresh", "stale", "expired", "invalidated", "variants", "damaged", "orphans",
	"temporary", "foreign", "max_size", "keys_zone_entries_max" };

static uint64_t count_of(const struct ngc_stats_counts *c, enum stats_field f)
{
	switch (f) {
	case STATS_ENTRIES:
		return c->sum.entries;
	case STATS_BYTES:
		return c->sum.bytes;
	case STATS_ALLOCATED:
		return c->sum.allocated;
	case STATS_FRESH:
		return c->states[NGC_FRESH];
	case STATS_STALE:
		return c->states[NGC_STALE];
	case STATS_EXPIRED:
		return c->states[NGC_EXPIRED];
	case STATS_INVALIDATED:
		return c->states[NGC_INVALIDATED];
	case STATS_VARIANTS:
		return c->variants;
	case STATS_DAMAGED:
		return c->damaged;
	case STATS_ORPHANS:
		return c->orphans;
	case STATS_TEMPORARY:
		return c->temporary;
	case STATS_FOREIGN:
		return c->foreign;
	case STATS_MAX_SIZE:
	case STATS_KEYS_MAX:
	case STATS_FIELDS:
		break;
	}
	return 0;
}

bool stats_field(const struct ngc_stats_zone *z, enum stats_field f, uint64_t *out)
{
	bool limit = f == STATS_MAX_SIZE || f == STATS_KEYS_MAX;
	int64_t v = -1;

	if (limit && z->zone != NULL)
		v = f == STATS_MAX_SIZE ? z->zone->max_size : ngc_zone_keys_max(z->zone);
	*out = limit ? (uint64_t)v : count_of(&z->counts, f);
	if (limit)
		return v >= 0;
	return z->known &&
	       (z->counts.walked ||
		   (f != STATS_DAMAGED && f != STATS_TEMPORARY && f != STATS_FOREIGN));
}

bool stats_fill(const struct ngc_stats_zone *z, double *out)
{
	uint64_t max, allocated;

	if (!stats_field(z, STATS_MAX_SIZE, &max) || max == 0 ||
	    !stats_field(z, STATS_ALLOCATED, &allocated))
		return false;
	*out = (double)allocated / (double)max;
	return true;
}

void stats_add_real(struct ngc_buf *b, double v)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	ngc_buf_add_str(b, text);
	if (strpbrk(text, ".e") == NULL)
		ngc_buf_add_str(b, ".0");
}

static void json_field(struct ngc_buf *b, const struct ngc_stats_zone *z,
    enum stats_field f)
{
	uint64_t v;

	if (stats_field(z, f, &v))
		jsonw_member_uint(b, stats_field_names[f], v);
	else
		jsonw_member_null(b, stats_field_names[f]);
}

static void json_zone(struct ngc_buf *b, const struct ngc_stats_zone *z)
{
	double fill;

	jsonw_comma(b);
	ngc_buf_add_char(b, '{');
	jsonw_member_str(b, "zone", z->zone->name);
	for (int f = 0; f < STATS_FIELDS; f++) {
		json_field(b, z, (enum stats_field)f);
		if (f != STATS_MAX_SIZE)
			continue;
		jsonw_name(b, "fill");
		if (stats_fill(z, &fill))
			stats_add_real(b, fill);
		else
			ngc_buf_add_str(b, "null");
	}
	ngc_buf_add_char(b, '}');
}

static void json_sum(struct ngc_buf *b, const struct ngc_sum *sum)
{
	jsonw_member_uint(b, "entries", sum->entries);
	jsonw_member_uint(b, "bytes", sum->bytes);
	jsonw_member_uint(b, "allocated", sum->allocated);
}

static void json_group(struct ngc_buf *b, const struct out_stats *o,
    const struct ngc_group *g)
{
	jsonw_comma(b);
	ngc_buf_add_str(b, "{\"by\":{");
	for (size_t i = 0; i < ngc_by_count(o->by); i++) {
		struct ngc_bytes value = ngc_group_value(g, i);

		if (value.p != NULL && ngc_by_is_number(o->by, i)) {
			jsonw_name(b, ngc_by_name(o->by, i));
			ngc_buf_add_bytes(b, value);
		} else {
			jsonw_member_bytes(b, ngc_by_name(o->by, i), value);
		}
	}
	ngc_buf_add_char(b, '}');
	json_sum(b, &g->sum);
	ngc_buf_add_char(b, '}');
}

/* The groups that are not told; "other" is a word that a value may be, too. */
static void json_other(struct ngc_buf *b, const struct out_stats *o)
{
	jsonw_comma(b);
	ngc_buf_add_str(b, "{\"by\":{");
	for (size_t i = 0; i < ngc_by_count(o->by); i++)
		jsonw_member_str(b, ngc_by_name(o->by, i), "other");
	ngc_buf_add_char(b, '}');
	json_sum(b, &o->s->other);
	jsonw_member_bool(b, "other", true);
	ngc_buf_add_char(b, '}');
}

void out_stats_json(struct ngc_buf *b, const struct out_stats *o)
{
	struct ngc_stats_zone total = { .known = true, .counts = o->s->total };

	ngc_buf_add_char(b, '{');
	jsonw_member_int(b, "schema", 1);
	jsonw_member_str(b, "command", "stats");
	jsonw_name(b, "zones");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; i < o->s->n_zones; i++)
		json_zone(b, &o->s->zones[i]);
	ngc_buf_add_char(b, ']');
	jsonw_name(b, "groups");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; i < o->s->n_groups; i++)
		json_group(b, o, &o->s->groups[i]);
	if (o->s->other.entries > 0)
		json_other(b, o);
	ngc_buf_add_char(b, ']');
	jsonw_name(b, "total");
	ngc_buf_add_char(b, '{');
	for (int f = 0; f < STATS_MAX_SIZE; f++)
		json_field(b, &total, (enum stats_field)f);
	ngc_buf_add_str(b, "}}\n");
}

static void csv_fill(struct ngc_buf *b, const struct ngc_stats_zone *z)
{
	double fill;

	if (stats_fill(z, &fill))
		stats_add_real(b, fill);
	csv_str(b, NULL);
}

static void csv_zone(struct ngc_buf *b, const struct ngc_stats_zone *z)
{
	csv_str(b, z->zone->name);
	for (int f = 0; f < STATS_FIELDS; f++) {
		uint64_t v;
		bool known = stats_field(z, (enum stats_field)f, &v);

		csv_uint(b, known, v);
		if (f == STATS_MAX_SIZE)
			csv_fill(b, z);
	}
	csv_end(b);
}

static void csv_zones(struct ngc_buf *b, const struct ngc_stats *s)
{
	csv_str(b, "zone");
	for (int f = 0; f < STATS_FIELDS; f++) {
		csv_str(b, stats_field_names[f]);
		if (f == STATS_MAX_SIZE)
			csv_str(b, "fill");
	}
	csv_end(b);
	for (size_t i = 0; i < s->n_zones; i++)
		csv_zone(b, &s->zones[i]);
}

static void csv_sum(struct ngc_buf *b, const struct ngc_sum *sum)
{
	csv_uint(b, true, sum->entries);
	csv_uint(b, true, sum->bytes);
	csv_uint(b, true, sum->allocated);
	csv_end(b);
}

static void csv_groups(struct ngc_buf *b, const struct out_stats *o)
{
	size_t n = ngc_by_count(o->by);

	for (size_t i = 0; i < n; i++)
		csv_str(b, ngc_by_name(o->by, i));
	for (int f = 0; f <= STATS_ALLOCATED; f++)
		csv_str(b, stats_field_names[f]);
	csv_end(b);
	for (size_t k = 0; k < o->s->n_groups; k++) {
		for (size_t i = 0; i < n; i++)
			csv_cell(b, ngc_group_value(&o->s->groups[k], i));
		csv_sum(b, &o->s->groups[k].sum);
	}
	if (o->s->other.entries == 0)
		return;
	for (size_t i = 0; i < n; i++)
		csv_str(b, "other");
	csv_sum(b, &o->s->other);
}

void out_stats_csv(struct ngc_buf *b, const struct out_stats *o)
{
	if (o->by != NULL)
		csv_groups(b, o);
	else
		csv_zones(b, o->s);
}
