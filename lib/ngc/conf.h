/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_CONF_H
#define NGC_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/zone.h"

/* An nginx configuration: the files, read as nginx reads them, and what they say of
 * caches. */
struct ngc_conf;

struct ngc_conf_request {
	const char *file;      /* the main file, below root; NULL: dump is read instead */
	struct ngc_bytes dump; /* the output of nginx -T */
	const char *prefix; /* for relative paths; NULL: ask prefix_ask when one is met */
	const char *root;      /* every path lies below it; NULL or "": none */
	/*
	 * The compiled-in prefix, asked for only when a relative path is met: fills the
	 * buffer (NUL-terminated) or fails.  NULL: a relative path is an error.
	 */
	enum ngc_code (
	    *prefix_ask)(void *arg, char *out, size_t size, struct ngc_error *err);
	void *prefix_arg;
};

/*
 * Read a configuration and everything it includes.
 * out: on NGC_OK owned by the caller (ngc_conf_free()), otherwise NULL.
 * NGC_INVALID: "file:line: reason": what makes the reading unsafe (words, blocks,
 * includes, arguments of directives this library interprets).  Other wrong or unknown
 * directives are warnings.
 */
enum ngc_code ngc_conf_read(const struct ngc_conf_request *req, struct ngc_conf **out,
    struct ngc_error *err);
void ngc_conf_free(struct ngc_conf *c); /* NULL is fine */

/* "file:line: what was passed over", in order; NULL beyond the last. */
const char *ngc_conf_warning(const struct ngc_conf *c, size_t i);

/* The zones, in the order in which they are declared; NULL beyond the last. */
const struct ngc_zone *ngc_conf_zone(const struct ngc_conf *c, size_t i);

/* Main-context settings, NULL when not given.  Paths are absolute and carry the root. */
const char *ngc_conf_file(const struct ngc_conf *c); /* the main file; "-" for a dump */
const char *ngc_conf_pid(const struct ngc_conf *c);
const char *ngc_conf_error_log(
    const struct ngc_conf *c); /* the last main-level file, if any */
const char *ngc_conf_user(const struct ngc_conf *c);

/* A place that stores into a zone: a location (or server) whose requests X_pass handles.
 */
struct ngc_use {
	const char *zone;                /* as written: a name, or text with variables */
	enum ngc_protocol protocol;
	const char *const *server_names; /* as written, ends with NULL */
	const char *const *listen; /* as written, with their options; ends with NULL */
	const char *location;            /* "MODIFIER PATTERN"; NULL at server level */
	const char *const
	    *parents; /* enclosing locations, outermost first; ends with NULL */
	const char *pass;                /* the argument of X_pass */
	const char *key; /* the key template in force; NULL: nginx's default */
	const char *file;
	unsigned line;
};

/* Find the uses, which ngc_conf_use() else does itself.  NGC_FATAL: no memory. */
enum ngc_code ngc_conf_list_uses(const struct ngc_conf *c, struct ngc_error *err);

/* The uses, in file order; NULL beyond the last, or when they could not be found. */
const struct ngc_use *ngc_conf_use(const struct ngc_conf *c, size_t i);

/*
 * The kinds of facts that the zone and the key of a use depend on, by name and sorted;
 * ends with NULL, lives as long as the configuration.  NULL: no memory.  By one thread at
 * a time.
 */
const char *const *ngc_use_needs(const struct ngc_conf *c, const struct ngc_use *u);

/* May a request handled by this use be stored in that zone? */
bool ngc_use_may_select(const struct ngc_conf *c, const struct ngc_use *u,
    const struct ngc_zone *z);

#endif
