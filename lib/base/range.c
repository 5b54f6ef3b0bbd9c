/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "-1", "10", "99.5"; strtod() alone would take "inf", "0x1p3" and blanks, too. */
static bool take_number(const char **s, double *out)
{
	const char *digits = *s + (**s == '-');
	size_t whole = strspn(digits, "0123456789"), fraction = 0;

	if (whole == 0)
		return false;
	if (digits[whole] == '.') {
		fraction = strspn(digits + whole + 1, "0123456789");
		if (fraction++ == 0)
			return false;
	}
	*out = strtod(*s, NULL);
	*s = digits + whole + fraction;
	return isfinite(*out);
}

/* "[@][START:][END]": without START it begins at 0, without END it has none. */
bool ngc_range_parse(const char *text, struct ngc_range *out)
{
	struct ngc_range r = { .text = text, .low = 0, .high = INFINITY };
	const char *s = text;
	double first = 0;

	if (*s == '@') {
		r.inside = true;
		s++;
	}
	if (strncmp(s, "~:", 2) == 0) {
		r.low = -INFINITY;
		s += 2;
	} else if (*s != ':' && !take_number(&s, &first)) {
		return false;
	} else if (*s == '\0') {
		r.high = first;
	} else if (*s++ == ':') {
		r.low = first;
	} else {
		return false;
	}
	if (*s != '\0' && (!take_number(&s, &r.high) || *s != '\0'))
		return false;
	if (r.low > r.high)
		return false;
	*out = r;
	return true;
}

double ngc_range_beyond(const struct ngc_range *r, double value)
{
	double below = r->low - value, above = value - r->high;
	double out = below > above ? below : above;

	return r->inside ? -out : out;
}

bool ngc_range_alerts(const struct ngc_range *r, double value)
{
	bool within = value >= r->low && value <= r->high;

	return r->text != NULL && within == r->inside;
}
