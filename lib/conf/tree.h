/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_TREE_H
#define CONF_TREE_H

#include "ngc/directive.h"
#include "source.h"

/*
 * Read a file and what it includes into a tree.  Relative includes are looked up beside
 * the main file.  out: the main context, in the source's arena.
 * NGC_INVALID: "file:line: reason".
 */
enum ngc_code tree_read(struct source *s, const char *main_file,
    struct ngc_directive **out, struct ngc_error *err);

#endif
