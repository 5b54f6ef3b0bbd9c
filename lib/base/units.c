/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/units.h"

#include <stdio.h>
#include <time.h>

/* The digits at the start of s as a number; false when there are none or it overflows. */
static bool take_digits(struct ngc_bytes *s, int64_t *out)
{
	int64_t v = 0;
	size_t i;

	for (i = 0; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, s->p[i] - '0', &v))
			return false;
	if (i == 0)
		return false;
	*s = ngc_bytes_from(*s, i);
	*out = v;
	return true;
}

bool ngc_parse_number(struct ngc_bytes s, int64_t *out)
{
	int64_t v;

	if (!take_digits(&s, &v) || s.n != 0)
		return false;
	*out = v;
	return true;
}

static bool parse_scaled(struct ngc_bytes s, bool giga, int64_t *out)
{
	int64_t v, scale = 1;

	if (!take_digits(&s, &v) || s.n > 1)
		return false;
	if (s.n == 1) {
		switch (s.p[0] | 0x20) {
		case 'k':
			scale = 1024;
			break;
		case 'm':
			scale = 1024 * 1024;
			break;
		case 'g':
			if (!giga)
				return false;
			scale = 1024 * 1024 * 1024;
			break;
		default:
			return false;
		}
	}
	return !__builtin_mul_overflow(v, scale, out);
}

bool ngc_parse_size(struct ngc_bytes s, int64_t *out)
{
	return parse_scaled(s, false, out);
}

bool ngc_parse_offset(struct ngc_bytes s, int64_t *out)
{
	return parse_scaled(s, true, out);
}

struct time_unit {
	char name[3];
	bool seconds, milliseconds; /* allowed where the result is that */
	int64_t ms;
};

/* Largest first: a unit may only be followed by smaller ones. */
static const struct time_unit time_units[] = {
	{ "y", true, false, 365 * 86400000LL },
	{ "M", true, false, 30 * 86400000LL },
	{ "w", true, true, 7 * 86400000LL },
	{ "d", true, true, 86400000LL },
	{ "h", true, true, 3600000LL },
	{ "m", true, true, 60000LL },
	{ "s", true, true, 1000LL },
	{ "ms", false, true, 1LL },
};

#define N_TIME_UNITS ((unsigned)(sizeof(time_units) / sizeof(time_units[0])))
#define SECONDS      6

/* The unit at the start of s, among those from first on; N_TIME_UNITS: none. */
static unsigned take_unit(struct ngc_bytes *s, unsigned first, bool milliseconds)
{
	for (unsigned i = N_TIME_UNITS; i-- > first;) {
		const struct time_unit *u = &time_units[i];
		struct ngc_bytes name = ngc_bytes_of(u->name);

		if (!ngc_bytes_starts(*s, name))
			continue;
		*s = ngc_bytes_from(*s, name.n);
		return (milliseconds ? u->milliseconds : u->seconds) ? i : N_TIME_UNITS;
	}
	return N_TIME_UNITS;
}

static bool skip_spaces(struct ngc_bytes *s)
{
	size_t before = s->n;

	while (s->n > 0 && s->p[0] == ' ')
		*s = ngc_bytes_from(*s, 1);
	return s->n < before;
}

/*
 * nginx's ngx_parse_time(), its oddities included: a number without a unit is seconds, in
 * front of a space only while no smaller unit than minutes was there, at the end always.
 */
static bool parse_time(struct ngc_bytes s, bool milliseconds, int64_t *out)
{
	int64_t total = 0, scale = milliseconds ? 1 : 1000;
	bool digits = false;
	unsigned next = 0;

	while (s.n > 0) {
		int64_t v = 0;
		unsigned unit = SECONDS;

		if (s.p[0] >= '0' && s.p[0] <= '9') {
			if (!take_digits(&s, &v))
				return false;
			digits = true;
		}
		if (skip_spaces(&s)) {
			if (next > SECONDS)
				return false;
			next = N_TIME_UNITS;
		} else if (s.n > 0) {
			unit = take_unit(&s, next, milliseconds);
			if (unit == N_TIME_UNITS)
				return false;
			next = unit + 1;
			skip_spaces(&s);
		}
		if (__builtin_mul_overflow(v, time_units[unit].ms / scale, &v) ||
		    __builtin_add_overflow(total, v, &total))
			return false;
	}
	*out = total;
	return digits;
}

bool ngc_parse_seconds(struct ngc_bytes s, int64_t *out)
{
	return parse_time(s, false, out);
}

bool ngc_parse_milliseconds(struct ngc_bytes s, int64_t *out)
{
	return parse_time(s, true, out);
}

/* Exactly n digits, then the character end ('\0': the end of the text). */
static bool take_field(struct ngc_bytes *s, size_t n, char end, int *out)
{
	int v = 0;

	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		v = v * 10 + (s->p[i] - '0');
	}
	*s = ngc_bytes_from(*s, n);
	*out = v;
	if (end == '\0')
		return s->n == 0;
	if (s->n == 0 || s->p[0] != (unsigned char)end)
		return false;
	*s = ngc_bytes_from(*s, 1);
	return true;
}

static bool parse_calendar(struct ngc_bytes s, int64_t *out)
{
	struct tm tm = { 0 }, back;
	time_t t;

	if (s.n == 0 || s.p[s.n - 1] != 'Z')
		return false;
	s.n--;
	if (!take_field(&s, 4, '-', &tm.tm_year) || !take_field(&s, 2, '-', &tm.tm_mon) ||
	    !take_field(&s, 2, 'T', &tm.tm_mday) ||
	    !take_field(&s, 2, ':', &tm.tm_hour) || !take_field(&s, 2, ':', &tm.tm_min) ||
	    !take_field(&s, 2, '\0', &tm.tm_sec))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	back = tm;
	t = timegm(&back);
	/* timegm() carries what is out of range: a date that does not exist comes back
	 * changed. */
	if (back.tm_mday != tm.tm_mday || back.tm_mon != tm.tm_mon ||
	    back.tm_hour != tm.tm_hour || back.tm_min != tm.tm_min ||
	    back.tm_sec != tm.tm_sec)
		return false;
	*out = t;
	return true;
}

bool ngc_parse_instant(struct ngc_bytes s, int64_t now, int64_t *out)
{
	if (ngc_bytes_equal(s, ngc_bytes_of("now"))) {
		*out = now;
		return true;
	}
	return ngc_parse_number(s, out) || parse_calendar(s, out);
}

const char *ngc_format_size(uint64_t bytes, char out[NGC_UNIT_TEXT])
{
	static const char units[] = " kmgtpe";
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 1023.5 && u < sizeof(units) - 2) {
		v /= 1024;
		u++;
	}
	if (u == 0)
		snprintf(out, NGC_UNIT_TEXT, "%llu", (unsigned long long)bytes);
	else
		snprintf(out, NGC_UNIT_TEXT,
		    v < 9.95 && v != (double)(int)v ? "%.1f%c" : "%.0f%c", v, units[u]);
	return out;
}

/* The largest unit that occurs, and so many that follow it, without those of which there
 * are none. */
static const char *format_seconds(int64_t seconds, size_t following, char *out)
{
	static const struct {
		char name;
		uint64_t s;
	} units[] = { { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	uint64_t left = seconds < 0 ? 0 - (uint64_t)seconds : (uint64_t)seconds;
	const char *before = seconds < 0 ? "-" : "";
	size_t u = 0, n = 0;

	while (u < 3 && left < units[u].s)
		u++;
	for (size_t end = u + following; u < 4 && u <= end; u++) {
		if (n > 0 && left < units[u].s)
			continue;
		n += (size_t)snprintf(out + n, NGC_UNIT_TEXT - n, "%s%llu%c", before,
		    (unsigned long long)(left / units[u].s), units[u].name);
		left %= units[u].s;
		before = " ";
	}
	return out;
}

const char *ngc_format_seconds(int64_t seconds, char out[NGC_UNIT_TEXT])
{
	return format_seconds(seconds, 1, out);
}

const char *ngc_format_seconds_exact(int64_t seconds, char out[NGC_UNIT_TEXT])
{
	return format_seconds(seconds, 3, out);
}

const char *ngc_format_instant(int64_t t, char out[NGC_UNIT_TEXT])
{
	time_t clock = (time_t)t;
	struct tm tm;

	if (t < -62135596800LL || t > 253402300799LL || gmtime_r(&clock, &tm) == NULL)
		snprintf(out, NGC_UNIT_TEXT, "%lld", (long long)t);
	else
		strftime(out, NGC_UNIT_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return out;
}

bool ngc_parse_ipv4(struct ngc_bytes s, uint32_t *out)
{
	unsigned octet = 0, dots = 0;
	uint32_t v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.') {
			v = v << 8 | octet;
			octet = 0;
			dots++;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		octet = octet * 10 + (s.p[i] - '0');
		if (octet > 255)
			return false;
	}
	if (dots != 3)
		return false;
	*out = v << 8 | octet;
	return true;
}
