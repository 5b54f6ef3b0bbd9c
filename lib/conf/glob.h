/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_GLOB_H
#define CONF_GLOB_H

#include "source.h"

/* False: no memory. */
bool paths_add(struct paths *p, const char *path);

/*
 * Add the files below root that match an absolute pattern, unsorted.  glob(3) would do
 * but for the root and the locale's order, and that it passes over what may not be read.
 * NGC_INVALID: a directory of the pattern may not be listed, and nginx, as another user,
 * may find files in it.
 */
enum ngc_code glob_files(struct ngc_arena *a, const char *root, const char *pattern,
    struct paths *out, struct ngc_error *err);

#endif
