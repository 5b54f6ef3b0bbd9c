/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_MODEL_H
#define CONF_MODEL_H

#include "ngc/conf.h"
#include "ngc/level.h"
#include "ngc/mem.h"
#include "source.h"

/* A growing list of pointers. */
struct list {
	void **item;
	size_t n, cap;
};

/* A use and the level it stands for. */
struct use {
	struct ngc_use pub; /* first */
	const struct ngc_level *level;
};

/* What most runs never ask for is made out when it is first asked for. */
struct late {
	struct list uses, warnings;
	bool has_uses, has_warnings, has_prefix;
	const char *prefix; /* NULL: nobody could tell */
};

struct ngc_conf {
	struct ngc_arena
	    *arena; /* everything below lives here, but for the lists' arrays */
	struct source source;
	const char *file;
	const struct ngc_directive *tree;
	struct ngc_level *http;
	struct list servers, zones;
	struct late *late;
	struct list zones_by_name; /* sorted */
	struct list maps;          /* the map, geo and split_clients blocks */
	struct list settings;      /* of the http level */
	const char *pid, *error_log, *user;
	const char *prefix; /* NULL: not asked for yet */
	enum ngc_code (
	    *prefix_ask)(void *arg, char *out, size_t size, struct ngc_error *err);
	void *prefix_arg;
};

bool list_add(struct list *l, void *item);

/* Record a warning about d; false: no memory. */
bool conf_warn(const struct ngc_conf *c, const struct ngc_directive *d, const char *text);

/* NGC_INVALID "file:line: text". */
enum ngc_code conf_refuse(const struct ngc_directive *d, struct ngc_error *err,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* NGC_INVALID unless d has at least min and at most max arguments. */
enum ngc_code conf_count(const struct ngc_directive *d, unsigned min, unsigned max,
    struct ngc_error *err);

/* path below the prefix, with the root in front, in the arena. */
enum ngc_code conf_full_path(struct ngc_conf *c, const char *path, const char **out,
    struct ngc_error *err);

/* The stages of reading, in this order; each works on what those before it built. */
enum ngc_code conf_read_main(struct ngc_conf *c, struct ngc_error *err);
enum ngc_code conf_read_zones(struct ngc_conf *c, struct ngc_error *err);
enum ngc_code conf_read_levels(struct ngc_conf *c, struct ngc_error *err);

/* Make a server of its level: names and addresses. */
enum ngc_code conf_read_server(struct ngc_conf *c, const struct ngc_level *l,
    struct ngc_error *err);

/* Fill in what is late; false: no memory. */
bool conf_list_uses(const struct ngc_conf *c);
bool conf_check_known(const struct ngc_conf *c);

#endif
