/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_RANGE_H
#define NGC_RANGE_H

#include <stdbool.h>

/*
 * A threshold as the Monitoring Plugins guidelines write it: the range in which a value
 * is well.  "10", ":10": 0 to 10; "10:": 10 or more; "~:10": 10 or less; "10:20": from 10
 * to 20; "@10:20": anywhere but from 10 to 20.
 */
struct ngc_range {
	const char *text; /* as given; NULL: no threshold, nothing alerts */
	double low, high; /* both belong to it; may be infinite */
	bool inside;      /* "@": a value within it alerts */
};

/* text must outlive out.  False, and *out is left alone: not such a range. */
bool ngc_range_parse(const char *text, struct ngc_range *out);

bool ngc_range_alerts(const struct ngc_range *r, double value);
/* How far a value that alerts is from one that does not. */
double ngc_range_beyond(const struct ngc_range *r, double value);

#endif
