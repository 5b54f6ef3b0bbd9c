/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_CHECK_H
#define CONF_CHECK_H

#include "keyset.h"
#include "model.h"

/* One pass over the levels of a configuration. */
struct check {
	const struct ngc_conf *conf;
	struct keyset keys; /* of the block that is being looked at */
};

/* "$name" */
static inline bool check_is_variable(struct ngc_bytes word)
{
	return word.n > 1 && word.p[0] == '$';
}

/*
 * The arguments of one directive, of which the number is right already: NGC_INVALID
 * "file:line: reason", in nginx's words, when nginx would not start with them.
 */

/* The i-th of any directive is "$name". */
enum ngc_code check_variable(const struct ngc_directive *d, unsigned i,
    struct ngc_error *err);

/* check_maps.c */
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
