/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_HEALTH_H
#define NGC_HEALTH_H

#include "ngc/range.h"
#include "ngc/usage.h"

/* How well the caches are, by thresholds. */

/* The worse of two is the greater one. */
enum ngc_health {
	NGC_HEALTH_OK,
	NGC_HEALTH_UNKNOWN,
	NGC_HEALTH_WARNING,
	NGC_HEALTH_CRITICAL
};

/* What thresholds are about, in percent. */
enum ngc_gauge {
	NGC_GAUGE_FILL,    /* allocated bytes of max_size */
	NGC_GAUGE_KEYS,    /* entries of what the key zone holds */
	NGC_GAUGE_EXPIRED, /* entries that are not fresh of all */
	NGC_GAUGES,
};

struct ngc_thresholds {
	struct ngc_range warn, crit;
};

struct ngc_health_request {
	const struct ngc_site *site;
	struct ngc_thresholds thresholds[NGC_GAUGES];
	int64_t now;
	struct ngc_pace pace;
	const volatile sig_atomic_t *stop;
	void (*problem)(void *arg,
	    const struct ngc_error *err); /* by one thread at a time */
	void *arg;
};

enum ngc_root {
	NGC_ROOT_FINE,
	NGC_ROOT_MISSING,
	NGC_ROOT_UNWRITABLE, /* nginx cannot store in it */
	NGC_ROOT_UNKNOWN,    /* it, or what is in it, could not be looked at */
};

struct ngc_health_zone {
	const struct ngc_zone *zone;
	enum ngc_root root;
	char why[512]; /* of a root that is not fine */
	struct ngc_usage usage;
	bool known[NGC_GAUGES];
	double value[NGC_GAUGES];
	enum ngc_health gauges[NGC_GAUGES];
	enum ngc_health health; /* of all there is */
};

/* One thing that is not well with a zone. */
struct ngc_health_finding {
	const struct ngc_health_zone *zone;
	enum ngc_health degree;
	enum ngc_gauge gauge; /* NGC_GAUGES: its root */
	double beyond;        /* how far its value is out of the range */
};

struct ngc_health_report {
	struct ngc_health_zone *zones; /* one for each of the site's */
	size_t n;
	struct ngc_health_finding *findings; /* the worst first */
	size_t n_findings;
	enum ngc_health health; /* UNKNOWN without a zone */
};
void ngc_health_free(struct ngc_health_report *r); /* leaves it empty */

/*
 * Examine all zones.  Names and sizes are all that is read, and headers when a threshold
 * for expired entries is set.
 * NGC_OK: out is filled in, whatever is the matter with a zone.
 * NGC_INVALID: a directory of the command line is no cache.  NGC_FATAL. out: to be freed
 * with ngc_health_free() in any case.
 */
enum ngc_code ngc_health_examine(const struct ngc_health_request *req,
    struct ngc_health_report *out, struct ngc_error *err);

#endif
