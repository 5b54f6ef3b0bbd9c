/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_RULES_H
#define CONF_RULES_H

#include "ngc/directive.h"
#include "ngc/error.h"
#include "ngc/zone.h"

/*
 * The directives this program interprets: where nginx allows them, with how many
 * arguments, and what part they play.  All others are none of our business.
 */

/* Where a directive may stand. */
enum {
	IN_MAIN = 1 << 0,
	IN_HTTP = 1 << 1,
	IN_SERVER = 1 << 2,
	IN_SERVER_IF = 1 << 3,
	IN_LOCATION = 1 << 4,
	IN_LOCATION_IF = 1 << 5,
	IN_LIMIT_EXCEPT = 1 << 6,
};

enum role {
	ROLE_NONE,
	ROLE_HTTP,
	ROLE_SERVER,
	ROLE_LOCATION,
	ROLE_IF,
	ROLE_LIMIT_EXCEPT,
	ROLE_MAP,  /* map, geo, split_clients */
	ROLE_DATA, /* other blocks whose lines are data */
	ROLE_ZONE,
	ROLE_CACHE,
	ROLE_KEY,
	ROLE_METHODS,
	ROLE_PASS,    /* of a module that caches */
	ROLE_HANDLER, /* what else produces answers instead of an X_pass in front of it */
	ROLE_LISTEN,
	ROLE_NAMES,
	ROLE_SSL,
};

/* What may stand once in a block; root and alias count as one. */
enum once {
	ONCE_NONE,
	ONCE_ROOT,
	ONCE_TRY_FILES,
	ONCE_INTERNAL,
	ONCE_LIMIT_EXCEPT,
	ONCE_MERGE_SLASHES,
	ONCE_SLICE,
	ONCE_CONVERT_HEAD,
	ONCE_RECURSIVE,
	ONCE_SATISFY,
	ONCE_CACHE, /* + protocol, as those below */
	ONCE_KEY = ONCE_CACHE + NGC_PROTOCOLS,
	ONCE_PASS = ONCE_KEY + NGC_PROTOCOLS,
};

struct check;
struct rule {
	const char *name;
	unsigned char length;
	unsigned char min, max; /* arguments */
	unsigned char places;
	bool block;
	unsigned char role, once;
	unsigned char texts; /* the arguments from here on may have variables; 0: none */
	unsigned char protocol;
	enum ngc_code (*check)(struct check *c, const struct ngc_directive *d,
	    struct ngc_error *err);
};
#define ANY 255

/* The first is for the directives that are none of ours. */
extern const struct rule rules[];

static inline const struct rule *rule_of(const struct ngc_directive *d)
{
	return &rules[d->rule];
}

/* The rules by name. */
struct rule_names {
	unsigned char slot[512];
};

void rule_names_init(struct rule_names *n);
/* An index of rules[]. */
unsigned char rule_find(const struct rule_names *n, struct ngc_bytes name);

#endif
