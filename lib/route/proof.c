/* SPDX-License-Identifier: BSD-2-Clause */
#include "readings.h"
#include "router.h"

/*
 * Whether a key proves the host it was stored for.  What a stranger can choose must not
 * stand before the host, nor go on into it: then what a key begins with is enough, and
 * nothing needs to be known of the rest.
 */

/* Text that could not be the rest of a host's name. */
static bool ends_name(struct ngc_bytes text)
{
	unsigned char c = text.p[0];

	return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
	       !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_' && c < 0x80;
}

/* Is what stands from the i-th piece on no part of a host in front of it? */
static bool ends_host(const struct pattern *p, unsigned i)
{
	for (; i < p->n; i++) {
		const struct piece *a = &p->pieces[i];

		if (a->grammar == GRAMMAR_TEXT && a->text.n > 0)
			return ends_name(a->text);
		if (a->grammar != GRAMMAR_TEXT && a->grammar != GRAMMAR_IS_ARGS)
			return a->grammar == GRAMMAR_TARGET || a->grammar == GRAMMAR_PATH;
	}
	return true;
}

/* Can what a URI's piece holds begin like that? */
static bool may_be_uri(const struct piece *a, struct ngc_bytes s)
{
	return a->grammar != GRAMMAR_TARGET
		   ? a->grammar != GRAMMAR_PATH || (s.n > 0 && s.p[0] == '/')
		   : s.n > 0 && (s.p[0] == '/' || s.p[0] == '?');
}

/* Does the text of the pieces from the i-th on stand in the key, in that order? */
static bool has_text(const struct pattern *p, unsigned i, struct ngc_bytes key)
{
	for (; i < p->n; i++) {
		struct ngc_bytes text = p->pieces[i].text;
		const unsigned char *at;

		if (p->pieces[i].grammar != GRAMMAR_TEXT || text.n == 0)
			continue;
		at = key.n > 0 ? memmem(key.p, key.n, text.p, text.n) : NULL;
		if (at == NULL)
			return false;
		key = ngc_bytes_from(key, (size_t)(at - key.p) + text.n);
	}
	return true;
}

static bool hides_from(const struct pattern *p, unsigned i, struct ngc_bytes key);

/* The same behind each of the words that the i-th piece can be. */
static bool hides_behind_words(const struct pattern *p, unsigned i, struct ngc_bytes key)
{
	const char *const *words = pattern_words(p->pieces[i].grammar);

	for (; *words != NULL; words++)
		if (ngc_bytes_starts(key, ngc_bytes_of(*words)) &&
		    hides_from(p, i + 1, ngc_bytes_from(key, strlen(*words))))
			return true;
	return false;
}

/* And behind a method that nginx need not know, as a subrequest has it. */
static bool hides_behind_capitals(const struct pattern *p, unsigned i,
    struct ngc_bytes key)
{
	for (size_t n = 0; n < key.n && ((key.p[n] >= 'A' && key.p[n] <= 'Z') ||
					    key.p[n] == '_' || key.p[n] == '-');
	     n++)
		if (hides_from(p, i + 1, ngc_bytes_from(key, n + 1)))
			return true;
	return false;
}

/*
 * Can the pattern, from the i-th piece on, give that key with something in front of the
 * host, or in place of it, that a client or an upstream server chooses?  Whatever that
 * is, and what follows it: only the text of the template counts.
 */
static bool hides_from(const struct pattern *p, unsigned i, struct ngc_bytes key)
{
	const struct piece *a = &p->pieces[i];

	if (i == p->n)
		return false;
	switch (a->grammar) {
	case GRAMMAR_TEXT:
		if (!ngc_bytes_starts(key, a->text))
			return false;
		if (a->tells == TELLS_HOST && !a->shared)
			return !ends_host(p, i + 1);
		return hides_from(p, i + 1, ngc_bytes_from(key, a->text.n));
	case GRAMMAR_SCHEME:
	case GRAMMAR_METHOD:
		return hides_behind_words(p, i, key);
	case GRAMMAR_WORD:
		return hides_behind_capitals(p, i, key);
	case GRAMMAR_HOST:
	case GRAMMAR_HTTP_HOST:
		return (a->tells != TELLS_HOST || !ends_host(p, i + 1)) &&
		       has_text(p, i + 1, key);
	default:
		return may_be_uri(a, key) && has_text(p, i + 1, key);
	}
}

/* By the templates that may have given it, doubtful ones, too. */
static bool is_proven(const struct zone_keys *z, struct ngc_bytes key,
    struct ngc_bytes host)
{
	struct readings doubts = { 0 };

	for (size_t i = 0; i < z->n_patterns; i++) {
		const struct pattern *p = z->patterns[i].pattern;

		if (hides_from(p, 0, key))
			return false;
		if (z->patterns[i].doubtful)
			pattern_read(p, key, &doubts);
	}
	return !doubts.incomplete &&
	       (doubts.n == 0 || (doubts.first.host_proven && !doubts.other_hosts &&
				     ngc_bytes_equal(doubts.first.host, host)));
}

bool ngc_route_proves_host(const struct ngc_router *r,
    const struct ngc_zone *const *zones, size_t n, struct ngc_bytes key,
    const struct ngc_reading *reading)
{
	bool proven = reading->host_proven;

	for (size_t i = 0; i < n && proven; i++) {
		const struct zone_keys *z = router_zone(r, zones[i]);

		proven = router_guesses(zones[i]) ||
			 (z != NULL && is_proven(z, key, reading->host));
	}
	return proven;
}
