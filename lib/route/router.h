/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_ROUTER_H
#define ROUTE_ROUTER_H

#include "ngc/level.h"
#include "ngc/route.h"
#include "reading.h"
#include "sockets.h"
#include "template.h"

/* A key template of a zone without configuration. */
struct key_template {
	struct template t;
	bool guessed;
};

/* How keys of a zone are read back, and who can have written such keys. */
struct zone_pattern {
	const struct pattern *pattern;
	const struct ngc_server
	    *writer; /* one of them; NULL: there is no configuration */
	bool several;                    /* there are others */
	bool tls;                        /* some of them listens with TLS */
	bool hides_host; /* the key may depend on the host without holding it */
	bool doubtful;   /* not thought to be of this zone, or to be what its keys are */
};

/* What is known of the keys of one zone. */
struct zone_keys {
	const struct ngc_zone *zone;
	struct zone_pattern *patterns;
	size_t n_patterns, cap_patterns;
	const struct ngc_server **storing; /* those that may store in it, in file order */
	size_t n_storing, cap_storing;
	const struct key_template *templates; /* of a zone without configuration */
	size_t n_templates;
};

struct definition;

/* sources.c: the variables that the configuration gives values to, by name. */
struct sources {
	struct source *list;
	size_t n, cap;
	bool collected;
	bool programs; /* Lua and the like may write to any of them */
};

struct ngc_router {
	struct ngc_arena *arena;
	const struct ngc_conf *conf; /* NULL: none */
	struct zone_keys *zones;     /* by the address of their zone */
	size_t n_zones;
	struct sockets sockets;
	struct regexes *regexes;
	struct pattern
	    *last_pattern; /* learn.c: what was made last is mostly wanted again */
	struct template last_template;
	struct definition *definitions; /* of variables */
	size_t n_definitions, cap_definitions;
	struct sources sources;
};

/* The keys of a zone; NULL: it is none of the router's. */
struct zone_keys *router_zone(const struct ngc_router *r, const struct ngc_zone *z);

/* Does nobody tell what its keys are like? */
static inline bool router_guesses(const struct ngc_zone *z)
{
	return !z->configured && z->key == NULL;
}

/*
 * What a query comes to: NGC_INVALID when a regex that was tried does not compile, which
 * nginx would not start with, else NGC_OK, or no memory when it failed.
 */
enum ngc_code router_result(const struct ngc_router *r, bool ok, struct ngc_error *err);

/* Give every zone its patterns and templates. */
enum ngc_code router_learn(struct ngc_router *r, struct ngc_error *err);

#endif
