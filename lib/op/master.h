/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MASTER_H
#define MASTER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ngc/error.h"

/* A running nginx master process, as /proc tells. */
struct master {
	pid_t pid;
	char program[PATH_MAX]; /* its binary */
	char title[4096]; /* "nginx: master process /usr/sbin/nginx -c /x/nginx.conf" */
};

/* Read a pid file.  NGC_DENIED: it is missing, unreadable or holds no process id. */
enum ngc_code master_read_pid(const char *path, pid_t *out, struct ngc_error *err);

/*
 * Look at a process.  NGC_DENIED: there is none of that number, or it is not an nginx
 * master (or openresty's, angie's, tengine's, freenginx's).
 */
enum ngc_code master_identify(pid_t pid, struct master *out, struct ngc_error *err);

/* The value that follows an option ("-p") in the command line the master was started
 * with. */
bool master_option(const struct master *m, const char *option, char out[PATH_MAX]);

/*
 * The workers of a master that take new requests: an array to free() that ends with 0;
 * NULL: no memory or no /proc.
 */
pid_t *master_workers(pid_t master);

/* The process that reads the caches in after a start, until it has; 0: there is none. */
pid_t master_loader(pid_t master);

/* Milliseconds since 1970 when a process began; 0: not known. */
int64_t master_process_start(pid_t pid);

#endif
