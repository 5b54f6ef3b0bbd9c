/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CHILD_H
#define CHILD_H

#include "ngc/error.h"
#include "ngc/mem.h"

/*
 * Run a program, found in PATH when its name has no slash, with no standard input, and
 * collect what it writes to both outputs (the first 64 KiB). status: its exit status, or
 * 128 + the signal that ended it. NGC_GONE: there is no such program.
 */
enum ngc_code child_run(const char *const *argv, struct ngc_buf *output, int *status,
    struct ngc_error *err);

#endif
