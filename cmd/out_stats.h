/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_STATS_H
#define OUT_STATS_H

#include "cmd.h"
#include "ngc/stats.h"

/* Statistics for people and for programs. */
struct out_stats {
	const struct cmd_env *env;
	const struct ngc_by *by; /* NULL: no groups were asked for */
	const struct ngc_stats *s;
	size_t columns; /* of the terminal that shows the table; 0: none does */
};

void out_stats_json(struct ngc_buf *b, const struct out_stats *o);
void out_stats_csv(struct ngc_buf *b, const struct out_stats *o);
void out_stats_prometheus(struct ngc_buf *b, const struct out_stats *o);
void out_stats_table(struct ngc_buf *b, const struct out_stats *o);

/* The numbers of a zone, in the order of the JSON document; fill, which is none, stands
 * behind max_size. */
enum stats_field {
	STATS_ENTRIES,
	STATS_BYTES,
	STATS_ALLOCATED,
	STATS_FRESH,
	STATS_STALE,
	STATS_EXPIRED,
	STATS_INVALIDATED,
	STATS_VARIANTS,
	STATS_DAMAGED,
	STATS_ORPHANS,
	STATS_TEMPORARY,
	STATS_FOREIGN,
	STATS_MAX_SIZE,
	STATS_KEYS_MAX,
	STATS_FIELDS,
};
extern const char *const stats_field_names[STATS_FIELDS];

/* False: it is not known. */
bool stats_field(const struct ngc_stats_zone *z, enum stats_field f, uint64_t *out);

/* allocated / max_size; false: it is not known, or there is no limit. */
bool stats_fill(const struct ngc_stats_zone *z, double *out);

/* Append a number in the fewest digits that give it back; never an integer's form. */
void stats_add_real(struct ngc_buf *b, double v);

#endif
