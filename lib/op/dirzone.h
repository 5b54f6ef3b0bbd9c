/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_DIRZONE_H
#define OP_DIRZONE_H

#include "ngc/error.h"
#include "ngc/mem.h"
#include "ngc/zone.h"

/* Zones that no configuration tells of: they live in the arena. */

/* Of -d: "DIR[,name=NAME][,levels=L][,key=TEMPLATE]".  NGC_INVALID: it is not such. */
enum ngc_code zone_of_dir(struct ngc_arena *a, const char *text,
    const struct ngc_zone **out, struct ngc_error *err);

/* The cache that a file lies in, by its path.  NGC_INVALID: no name of a cache file. */
enum ngc_code zone_of_file(struct ngc_arena *a, const char *file,
    const struct ngc_zone **out, struct ngc_error *err);

#endif
