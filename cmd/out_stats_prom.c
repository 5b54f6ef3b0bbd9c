/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_stats.h"

#include <string.h>

#include "ngc/text.h"

/*
 * Prometheus' text format: all samples of a metric stand below its HELP and TYPE.  What
 * is not known has no sample.
 */

static const struct metric {
	enum stats_field field;
	const char *name, *help;
} zone_metrics[] = {
	{ STATS_ENTRIES, "ngxcache_zone_entries", "Entries of the cache." },
	{ STATS_BYTES, "ngxcache_zone_size_bytes", "Apparent size of the entries." },
	{ STATS_ALLOCATED, "ngxcache_zone_allocated_bytes",
	    "What the entries take on disk, which max_size limits." },
	{ STATS_VARIANTS, "ngxcache_zone_variants", "Entries that are variants." },
	{ STATS_DAMAGED, "ngxcache_zone_damaged_files",
	    "Files named like entries that are none." },
	{ STATS_ORPHANS, "ngxcache_zone_orphans",
	    "Entries where nginx does not look for them." },
	{ STATS_TEMPORARY, "ngxcache_zone_temporary_files",
	    "Temporary files and directories of nginx." },
	{ STATS_FOREIGN, "ngxcache_zone_foreign_files", "Files that are not nginx's." },
	{ STATS_MAX_SIZE, "ngxcache_zone_max_size_bytes", "The configured max_size." },
	{ STATS_KEYS_MAX, "ngxcache_zone_keys_zone_entries_max",
	    "How many entries the key zone holds, about." },
};

/* Text in a label: UTF-8, with what would end it escaped. */
static void add_label(struct ngc_buf *b, const char *name, struct ngc_bytes s)
{
	ngc_buf_add_str(b, b->n > 0 && b->p[b->n - 1] == '{' ? "" : ",");
	ngc_buf_add_str(b, name);
	ngc_buf_add_str(b, "=\"");
	while (s.n > 0) {
		size_t n = ngc_utf8_sequence(s);

		if (s.p[0] == '\n')
			ngc_buf_add_str(b, "\\n");
		else if (s.p[0] == '"' || s.p[0] == '\\')
			ngc_buf_printf(b, "\\%c", s.p[0]);
		else
			ngc_buf_add(b, n > 0 ? (const char *)s.p : "\xef\xbf\xbd",
			    n > 0 ? n : 3);
		s = ngc_bytes_from(s, n > 0 ? n : 1);
	}
	ngc_buf_add_char(b, '"');
}

static void head(struct ngc_buf *b, const char *name, const char *help)
{
	ngc_buf_printf(b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* "NAME{zone=...,path=...": a path makes directories without a name differ. */
static void begin_zone(struct ngc_buf *b, const char *name, const struct ngc_zone *z)
{
	ngc_buf_printf(b, "%s{", name);
	add_label(b, "zone", ngc_bytes_of(z->name));
	add_label(b, "path", ngc_bytes_of(z->path));
}

static void end_uint(struct ngc_buf *b, uint64_t v)
{
	ngc_buf_printf(b, "} %llu\n", (unsigned long long)v);
}

static void zone_metric(struct ngc_buf *b, const struct ngc_stats *s,
    const struct metric *m)
{
	head(b, m->name, m->help);
	for (size_t i = 0; i < s->n_zones; i++) {
		uint64_t v;

		if (!stats_field(&s->zones[i], m->field, &v))
			continue;
		begin_zone(b, m->name, s->zones[i].zone);
		end_uint(b, v);
	}
}

static void state_metric(struct ngc_buf *b, const struct ngc_stats *s)
{
	static const char name[] = "ngxcache_zone_state_entries";

	head(b, name, "Entries of the cache in each state.");
	for (size_t i = 0; i < s->n_zones; i++) {
		const struct ngc_stats_zone *z = &s->zones[i];

		for (int state = 0; z->known && state <= NGC_INVALIDATED; state++) {
			begin_zone(b, name, z->zone);
			add_label(b, "state",
			    ngc_bytes_of(ngc_state_name((enum ngc_state)state)));
			end_uint(b, z->counts.states[state]);
		}
	}
}

static void limit_metrics(struct ngc_buf *b, const struct ngc_stats *s)
{
	static const char fill[] = "ngxcache_zone_fill_ratio";
	static const char inactive[] = "ngxcache_zone_inactive_seconds";
	double v;

	head(b, fill, "Allocated bytes of max_size.");
	for (size_t i = 0; i < s->n_zones; i++) {
		if (!stats_fill(&s->zones[i], &v))
			continue;
		begin_zone(b, fill, s->zones[i].zone);
		ngc_buf_add_str(b, "} ");
		stats_add_real(b, v);
		ngc_buf_add_char(b, '\n');
	}
	head(b, inactive, "After what time without a request nginx removes an entry.");
	for (size_t i = 0; i < s->n_zones; i++) {
		if (!s->zones[i].zone->configured)
			continue;
		begin_zone(b, inactive, s->zones[i].zone);
		end_uint(b, (uint64_t)s->zones[i].zone->inactive);
	}
}

/* group NULL: those that are not told, marked so that no group can be alike. */
static void group_sample(struct ngc_buf *b, const struct out_stats *o, const char *name,
    const struct ngc_group *group, uint64_t v)
{
	ngc_buf_printf(b, "%s{", name);
	for (size_t i = 0; i < ngc_by_count(o->by); i++)
		add_label(b, ngc_by_name(o->by, i),
		    group != NULL ? ngc_group_value(group, i) : ngc_bytes_of("other"));
	if (group == NULL)
		add_label(b, "other", ngc_bytes_of("true"));
	end_uint(b, v);
}

static void group_metrics(struct ngc_buf *b, const struct out_stats *o)
{
	static const struct {
		size_t offset;
		const char *name, *help;
	} metrics[] = {
		{ offsetof(struct ngc_sum, entries), "ngxcache_group_entries",
		    "Entries of the group." },
		{ offsetof(struct ngc_sum, bytes), "ngxcache_group_size_bytes",
		    "Apparent size of the group's entries." },
		{ offsetof(struct ngc_sum, allocated), "ngxcache_group_allocated_bytes",
		    "What the group's entries take on disk." },
	};
	const struct ngc_stats *s = o->s;

	for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++) {
		uint64_t v;

		head(b, metrics[m].name, metrics[m].help);
		for (size_t i = 0; i < s->n_groups; i++) {
			memcpy(&v, (const char *)&s->groups[i].sum + metrics[m].offset,
			    sizeof(v));
			group_sample(b, o, metrics[m].name, &s->groups[i], v);
		}
		memcpy(&v, (const char *)&s->other + metrics[m].offset, sizeof(v));
		if (s->other.entries > 0)
			group_sample(b, o, metrics[m].name, NULL, v);
	}
}

/* The format leaves control characters as they are, a terminal must not see them. */
static void make_safe(struct ngc_buf *b)
{
	struct ngc_bytes left = ngc_buf_bytes(b);
	struct ngc_buf safe = { 0 };

	while (left.n > 0) {
		const unsigned char *end = memchr(left.p, '\n', left.n);
		size_t n = end != NULL ? (size_t)(end - left.p) : left.n;

		ngc_text_escape(&safe, ngc_bytes(left.p, n));
		ngc_buf_add_char(&safe, '\n');
		left = ngc_bytes_from(left, n + (end != NULL));
	}
	safe.failed |= b->failed;
	ngc_buf_free(b);
	*b = safe;
}

void out_stats_prometheus(struct ngc_buf *b, const struct out_stats *o)
{
	for (size_t i = 0; i < sizeof(zone_metrics) / sizeof(zone_metrics[0]); i++)
		zone_metric(b, o->s, &zone_metrics[i]);
	state_metric(b, o->s);
	limit_metrics(b, o->s);
	if (o->by != NULL)
		group_metrics(b, o);
	head(b, "ngxcache_stats_failures",
	    "Zones, directories and files that could not be looked at.");
	ngc_buf_printf(b, "ngxcache_stats_failures %llu\n",
	    (unsigned long long)o->s->found.failed);
	head(b, "ngxcache_stats_timestamp_seconds", "When these figures were taken.");
	ngc_buf_printf(b, "ngxcache_stats_timestamp_seconds %lld\n",
	    (long long)o->env->now);
	if (o->columns > 0)
		make_safe(b);
}
