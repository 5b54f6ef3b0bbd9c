/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_NEEDS_H
#define CONF_NEEDS_H

#include "model.h"

/*
 * The kinds of facts that the zone and the key of a level depend on, by name and sorted;
 * ends with NULL.  NULL: no memory.
 */
const char *const *conf_needs(struct ngc_conf *c, const struct ngc_level *l);

#endif
