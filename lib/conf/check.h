/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_CHECK_H
#define CONF_CHECK_H

#include <stdint.h>

#include "keyset.h"
#include "model.h"
#include "rules.h"

/* One pass over the levels of a configuration. */
struct check {
	struct ngc_conf *conf;
	struct ngc_level *level;    /* the one that is being read */
	unsigned place;             /* what it is to its directives: IN_SERVER, ... */
	uint32_t seen;              /* a bit for each enum once that was there */
	struct ngc_caching caching; /* in force so far */
	bool own_caching;           /* it differs from the parent's */
	struct keyset keys;         /* of a block */
};

/* "$name" */
static inline bool check_is_variable(struct ngc_bytes word)
{
	return word.n > 1 && word.p[0] == '$';
}

/*
 * Whether nginx takes a directive where it stands: its place, its end, the number of its
 * arguments, their variables, and that it is not there twice; then what the rule says.
 */
enum ngc_code check_directive(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);

/* No two static locations in a level are the same. */
enum ngc_code check_locations(struct check *c, const struct ngc_level *outer,
    struct ngc_error *err);

/*
 * The arguments of one directive, of which the number is right already: NGC_INVALID
 * "file:line: reason", in nginx's words, when nginx would not start with them.
 */

/* The i-th of any directive is "$name". */
enum ngc_code check_variable(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err);

/* It is one that a configuration may define: not one of nginx's own. */
enum ngc_code check_new_variable(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err);

/* The variables of a text, which is a word of d or part of one. */
enum ngc_code check_text(const struct ngc_directive *d, struct ngc_bytes s,
    struct ngc_error *err);

enum ngc_code check_cache(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_error_page(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_flag(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_index(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_methods(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_names(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_root(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_satisfy(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_size(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_split_path(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_try_files(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_valid(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);

/* check_upstream.c */
enum ngc_code check_pass(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_proxy_pass(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);

/* check_maps.c */
enum ngc_code check_allow(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_map(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_geo(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_split(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);

/* check_rewrite.c */
enum ngc_code check_if(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_rewrite(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_return(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);
enum ngc_code check_set(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err);

#endif
