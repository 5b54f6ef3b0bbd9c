/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_stats.h"

#include <stdio.h>

#include "ngc/units.h"
#include "table.h"

#define BAR 20

static void cell_uint(struct table *t, bool known, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	table_cell_str(t, known ? text : "-");
}

static void cell_size(struct table *t, const struct out_stats *o, bool known, uint64_t v)
{
	char text[NGC_UNIT_TEXT];

	table_cell_str(t, known ? out_size(o->env, v, text) : "-");
}

static void cell_share(struct table *t, bool known, double share)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*f%%", share < 0.0995 ? 1 : 0, 100 * share);
	table_cell_str(t, known ? text : "-");
}

/* As much of the bar as the share is; a terminal alone shows it. */
static void cell_bar(struct table *t, const struct out_stats *o, bool known, double share)
{
	char text[BAR + 1] = "";
	int n = share >= 1 ? BAR : (int)(share * BAR + 0.5);

	if (o->columns == 0)
		return;
	for (int i = 0; known && i < BAR; i++)
		text[i] = i < n ? '#' : '.';
	table_cell_str(t, text);
}

static void bars_column(struct table *t, const struct out_stats *o)
{
	if (o->columns == 0)
		return;
	table_column(t, "", false);
	t->spare = true;
}

static void row_name(struct table *t, const struct ngc_stats_zone *z)
{
	if (z->zone == NULL)
		table_cell_str(t, "total");
	else
		table_cell_str(t, z->zone->name != NULL ? z->zone->name : z->zone->path);
}

static void usage_row(struct table *t, const struct out_stats *o,
    const struct ngc_stats_zone *z)
{
	uint64_t v, entries, max;
	bool known = stats_field(z, STATS_ENTRIES, &entries);
	double fill = 0;

	row_name(t, z);
	cell_uint(t, known, entries);
	known = stats_field(z, STATS_BYTES, &v);
	cell_size(t, o, known, v);
	known = stats_field(z, STATS_ALLOCATED, &v);
	cell_size(t, o, known, v);
	known = stats_field(z, STATS_MAX_SIZE, &v);
	cell_size(t, o, known, v);
	known = stats_fill(z, &fill);
	cell_share(t, known, fill);
	known = z->known && stats_field(z, STATS_KEYS_MAX, &max) && max > 0;
	cell_share(t, known, known ? (double)entries / (double)max : 0);
	known = stats_fill(z, &fill);
	cell_bar(t, o, known, fill);
}

static void usage_table(struct ngc_buf *b, const struct out_stats *o,
    const struct ngc_stats_zone *total)
{
	static const char *const headings[] = { "ENTRIES", "SIZE", "ON DISK", "MAX SIZE",
		"FILL", "KEYS" };
	struct table t = { 0 };

	table_column(&t, "ZONE", false);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&t, headings[i], true);
	bars_column(&t, o);
	for (size_t i = 0; i < o->s->n_zones; i++)
		usage_row(&t, o, &o->s->zones[i]);
	usage_row(&t, o, total);
	table_write(&t, b, o->columns);
}

static void states_row(struct table *t, const struct ngc_stats_zone *z)
{
	row_name(t, z);
	for (int f = STATS_FRESH; f < STATS_MAX_SIZE; f++) {
		uint64_t v;
		bool known = stats_field(z, (enum stats_field)f, &v);

		cell_uint(t, known, v);
	}
}

static void states_table(struct ngc_buf *b, const struct out_stats *o,
    const struct ngc_stats_zone *total)
{
	static const char *const headings[] = { "FRESH", "STALE", "EXPIRED", "INVALID",
		"VARY", "DAMAGED", "ORPHANS", "TEMP", "FOREIGN" };
	struct table t = { 0 };

	table_column(&t, "ZONE", false);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&t, headings[i], true);
	for (size_t i = 0; i < o->s->n_zones; i++)
		states_row(&t, &o->s->zones[i]);
	states_row(&t, total);
	table_write(&t, b, o->columns);
}

static void sum_cells(struct table *t, const struct out_stats *o,
    const struct ngc_sum *sum)
{
	uint64_t all = o->s->total.sum.bytes;
	double share = all > 0 ? (double)sum->bytes / (double)all : 0;

	cell_uint(t, true, sum->entries);
	cell_size(t, o, true, sum->bytes);
	cell_size(t, o, true, sum->allocated);
	cell_share(t, all > 0, share);
	cell_bar(t, o, all > 0, share);
}

static void named_sum(struct table *t, const struct out_stats *o, const char *name,
    const struct ngc_sum *sum)
{
	for (size_t i = 0; i < ngc_by_count(o->by); i++)
		table_cell_str(t, i == 0 ? name : "");
	sum_cells(t, o, sum);
}

/* "host" -> "HOST" */
static void heading(struct table *t, const char *name, bool right)
{
	char text[16];
	size_t n = 0;

	for (; n < sizeof(text) - 1 && name[n] != '\0'; n++)
		text[n] = name[n] >= 'a' && name[n] <= 'z' ? name[n] - 'a' + 'A'
							   : name[n];
	text[n] = '\0';
	table_column(t, text, right);
}

static void groups_table(struct ngc_buf *b, const struct out_stats *o)
{
	static const char *const headings[] = { "ENTRIES", "SIZE", "ON DISK", "SHARE" };
	struct table t = { 0 };

	for (size_t i = 0; i < ngc_by_count(o->by); i++)
		heading(&t, ngc_by_name(o->by, i), false);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&t, headings[i], true);
	bars_column(&t, o);
	for (size_t k = 0; k < o->s->n_groups; k++) {
		const struct ngc_group *g = &o->s->groups[k];

		for (size_t i = 0; i < ngc_by_count(o->by); i++) {
			struct ngc_bytes value = ngc_group_value(g, i);

			table_cell(&t, value.p != NULL ? value : ngc_bytes_of("-"));
		}
		sum_cells(&t, o, &g->sum);
	}
	if (o->s->other.entries > 0)
		named_sum(&t, o, "other", &o->s->other);
	named_sum(&t, o, "total", &o->s->total.sum);
	table_write(&t, b, o->columns);
}

void out_stats_table(struct ngc_buf *b, const struct out_stats *o)
{
	struct ngc_stats_zone total = { .known = true, .counts = o->s->total };

	if (o->by != NULL) {
		groups_table(b, o);
		return;
	}
	usage_table(b, o, &total);
	ngc_buf_add_char(b, '\n');
	states_table(b, o, &total);
}
