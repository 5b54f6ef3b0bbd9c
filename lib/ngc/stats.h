/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_STATS_H
#define NGC_STATS_H

#include "ngc/select.h"

/*
 * What entries are grouped by: host, path, media type, ... and the first capture of a
 * regular expression over keys.
 */
struct ngc_by;

/*
 * Add what text names, several parted by commas: "host,path:2,status"; "regex:RE" takes
 * the rest of it.  *by: NULL, or what was made before.
 * NGC_INVALID: not known, or there already.
 */
enum ngc_code ngc_by_add(struct ngc_by **by, const char *text, struct ngc_error *err);
void ngc_by_free(struct ngc_by *by); /* NULL is fine */

size_t ngc_by_count(const struct ngc_by *by);               /* NULL: 0 */
const char *ngc_by_name(const struct ngc_by *by, size_t i); /* "host", ..., "regex" */
bool ngc_by_is_number(const struct ngc_by *by, size_t i);   /* its values are numbers */

struct ngc_sum {
	uint64_t entries, bytes, allocated;
};

struct ngc_stats_counts {
	struct ngc_sum sum;
	uint64_t states[NGC_INVALIDATED + 1]; /* entries of each enum ngc_state */
	uint64_t variants, orphans;
	/* Files that are no entries; known when a directory was read through. */
	bool walked;
	uint64_t damaged, temporary, foreign;
};

struct ngc_stats_zone {
	const struct ngc_zone *zone;
	bool known; /* it could be looked into, and was not under another name */
	struct ngc_stats_counts counts;
};

struct ngc_group {
	struct ngc_bytes label; /* for ngc_group_value() */
	struct ngc_sum sum;
};

/* A value of a group, valid UTF-8 and not empty; absent: its entries have none. */
struct ngc_bytes ngc_group_value(const struct ngc_group *g, size_t i);

#define NGC_GROUPS_MAX 100000

struct ngc_stats_request {
	const struct ngc_by *by; /* NULL: no groups */
	size_t top;              /* tell the largest groups only; 0: all */
	size_t groups_max;       /* hold so many; 0: NGC_GROUPS_MAX */
};

struct ngc_stats {
	struct ngc_stats_zone *zones; /* one for each of the site's, and then one for
				       * each directory of an archive */
	size_t n_zones;
	struct ngc_stats_counts total;
	struct ngc_group *groups; /* by bytes, then entries, the most first */
	size_t n_groups;
	struct ngc_sum other; /* the groups that are not told */
	uint64_t crowded;     /* entries among them that are there because too many groups
				 were met: each group that is told is told whole */
	struct ngc_select_result found;
	struct ngc_arena *arena;
};
void ngc_stats_free(struct ngc_stats *s); /* leaves it empty */

/*
 * Count the selected entries: the headers and the sizes, and for groups what they ask
 * for. An entry with several tags is in the group of each.  Memory is bounded by the
 * number of groups held.
 * run: as for ngc_select_execute(), without visit.
 * out: to be freed with ngc_stats_free() in any case.
 */
enum ngc_code ngc_stats_collect(const struct ngc_select_run *run,
    const struct ngc_stats_request *req, struct ngc_stats *out, struct ngc_error *err);

#endif
