/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORE_INPUT_H
#define STORE_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ngc/error.h"

/*
 * The bytes of an archive, with gzip and xz undone: libarchive undoes them, too, but does
 * not look at gzip's checksums, and lets xz take as much memory as a stranger asks for.
 */
struct input;

/* As ngc_unpack_open(); input_close() what is in *out. */
enum ngc_code input_open(const char *path, const volatile sig_atomic_t *stop,
    struct input **out, struct ngc_error *err);
void input_close(struct input *in); /* NULL is fine */

/* The next bytes, valid until the next call; 0: that was all.  -1: err tells why. */
ssize_t input_next(struct input *in, const void **p, struct ngc_error *err);

/* Pass over n bytes, or over none where that takes reading them; returns how many. */
int64_t input_skip(struct input *in, int64_t n);

/* Something is being undone. */
bool input_was_coded(const struct input *in);

#endif
