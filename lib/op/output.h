/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_OUTPUT_H
#define OP_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ngc/error.h"

/*
 * A large file that is written once.  It has no name, or one that begins with a dot,
 * until it is complete: then it takes its place in one step.  What is there and is no
 * file (a pipe, a device) is written to as it is, and so is standard output, "-".
 */
struct output {
	const char *path, *name; /* name: for messages */
	int fd;
	int dir;         /* the directory of the path; of a stream, one for spools */
	char *temp;      /* its name there; NULL: none */
	bool stream;
	uint64_t written;
	int sys;         /* errno of the write that failed */
	const volatile sig_atomic_t *stop; /* not 0: no write waits any more; or NULL */
};

/*
 * NGC_INVALID: a terminal, which no archive is for, or a directory.  NGC_DENIED: it
 * cannot be created.  output_close() in any case.
 */
enum ngc_code output_open(struct output *o, const char *path,
    const volatile sig_atomic_t *stop, struct ngc_error *err);

/* False: sys says why; EINTR when the run was stopped. */
bool output_write(struct output *o, const void *p, size_t n);

/* All is written: make it durable and put it in its place. */
enum ngc_code output_commit(struct output *o, struct ngc_error *err);

/* What was not committed vanishes. */
void output_close(struct output *o);

/* The directory that a path lies in, opened; -1 and errno.  The caller's to close. */
int output_directory(const char *path);

/* A file without a name, for reading and writing: in the same directory, or in that of a
 * path.  -1 and errno.  The caller's to close. */
int output_spool(const struct output *o);
int output_spool_beside(const char *path);

#endif
