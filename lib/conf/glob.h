/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_GLOB_H
#define CONF_GLOB_H

#include "source.h"

/* False: no memory. */
bool paths_add(struct paths *p, const char *path);

/*
 * Add the files below root that match an absolute pattern, unsorted.  glob(3) would do
 * but for the root and the locale's order.  A directory that cannot be read has no
 * matches, as with glob(3).
 */
bool glob_files(struct ngc_arena *a, const char *root, const char *pattern,
    struct paths *out);

#endif
