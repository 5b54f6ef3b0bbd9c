/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_READING_H
#define ROUTE_READING_H

#include "ngc/directive.h"
#include "ngc/level.h"
#include "ngc/route.h"
#include "template.h"

/*
 * A template turned round: what each piece of a key can be, so that a key can be taken
 * apart again.
 */

/* What text a variable can hold. */
enum grammar {
	GRAMMAR_TEXT,       /* exactly this */
	GRAMMAR_SCHEME,     /* http, https */
	GRAMMAR_METHOD,     /* a method nginx knows */
	GRAMMAR_HOST,       /* lower case, no '/', no port */
	GRAMMAR_PLAIN_HOST, /* of the characters of host names only: for guesses */
	GRAMMAR_HTTP_HOST,  /* no '/' */
	GRAMMAR_WORD,       /* of capitals, as a method nginx does not know */
	GRAMMAR_TARGET,     /* '/' or '?', then a line: old nginx took blanks, too */
	GRAMMAR_PATH,       /* '/', then anything */
	GRAMMAR_QUERY,      /* anything: a set may have made it */
	GRAMMAR_ARGUMENT,   /* the same without '&' */
	GRAMMAR_IS_ARGS,    /* '?' or nothing */
	GRAMMAR_HTTPS,      /* "on" or nothing */
	GRAMMAR_PORT,       /* digits; nothing on a unix socket */
	GRAMMAR_RANGE,      /* bytes=N-N */
	GRAMMAR_ACCEPT,     /* media ranges */
	GRAMMAR_CODINGS,    /* content codings: what Accept-Encoding lists */
	GRAMMAR_LANGUAGES,  /* language tags */
	GRAMMAR_ORIGIN,     /* SCHEME://HOST[:PORT], "null", or nothing */
	GRAMMAR_ADDRESS,    /* an IPv4 or IPv6 address, or "unix:" */
	GRAMMAR_RESULTS,   /* a result of a map, geo or split_clients */
	GRAMMAR_ANY,
	GRAMMAR_SEGMENT,   /* anything without '/' */
};

/* What a piece tells of the request. */
enum told {
	TELLS_NOTHING,
	TELLS_SCHEME,
	TELLS_METHOD,
	TELLS_HOST,
	TELLS_PORT,
	TELLS_URI,
	TELLS_URI_TOO,
	TELLS_ARGS, /* the query of a path that stands elsewhere */
	TELLS_ARGUMENT, /* one of its arguments */
	TELLS_BASE, /* it stands for the location's path */
	TELLS_REST,
};

struct piece {
	enum grammar grammar;
	enum told tells;
	struct ngc_bytes text;
	bool shared; /* of TELLS_HOST: the server's name, who has others, too */
	struct ngc_bytes base; /* of TELLS_BASE: that path; of TELLS_URI: it begins so */
	const struct ngc_directive *block; /* of GRAMMAR_RESULTS: the lines */
	/* Of TELLS_URI: the location that may have rewritten it; NULL: none. */
	const struct ngc_level *rewritten;
};

/*
 * More pieces than this are not taken apart: such a key has no reading, and a cover with
 * one is not complete.
 */
#define PIECES_MAX 128

struct pattern {
	struct piece pieces[PIECES_MAX];
	unsigned n;
	bool guessed; /* no configuration says that the zone's keys are like this */
	bool nocase;  /* the text is matched without regard to case */
};

/* Empty; the pieces it may get are not zeroed, for there is room for many. */
static inline void pattern_begin(struct pattern *p)
{
	p->n = 0;
	p->guessed = p->nocase = false;
}

/* The words a piece of that grammar can be, up to a NULL; NULL: it is no list. */
const char *const *pattern_words(enum grammar g);

/* Add what a variable or text of a template becomes; false: too many pieces. */
bool pattern_add(struct pattern *p, const struct part *part);
bool pattern_add_text(struct pattern *p, struct ngc_bytes text, enum told tells);
/* Text that nginx put for the path of a location, then what follows that in the URI. */
bool pattern_add_base(struct pattern *p, struct ngc_bytes text, struct ngc_bytes base);

/*
 * The same of what is open, or text, in one request's value; a value is a row of these.
 */
struct segment;
bool pattern_add_segment(struct pattern *p, const struct segment *s);

/* A URI that came to the location as it was. */
bool pattern_add_target(struct pattern *p, const struct ngc_level *location);

/* Has b nothing that a, which is the same but for locations, has not? */
bool pattern_covers(const struct pattern *a, const struct pattern *b);
bool pattern_same(const struct pattern *a, const struct pattern *b);

/* Can the pattern give that key? */
bool pattern_match(const struct pattern *p, struct ngc_bytes key);

/* Do its keys tell the path, whatever location was reached, and the query in one with it?
 */
bool pattern_tells_uri(const struct pattern *p, bool query);

/* The URI may be one that a location rewrote; of $uri alone, or of $request_uri, too. */
void pattern_rewritten(struct pattern *p, const struct ngc_level *location, bool all);

/* Mark the pieces that together are path and query; call it once all are added. */
void pattern_end(struct pattern *p);

/* Take a key apart in every way the pattern can give it, and add what each says. */
struct readings;
void pattern_read(const struct pattern *p, struct ngc_bytes key, struct readings *out);

#endif
