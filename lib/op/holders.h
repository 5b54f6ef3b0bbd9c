/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_HOLDERS_H
#define OP_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/cache.h"

/* The files that processes hold open, at the time of the question. */
struct holders {
	struct ngc_place *open; /* sorted */
	size_t n, cap;
	bool known; /* false: not all of them could be found out */
};

/* Ask the system.  holders_free() in any case. */
void holders_read(struct holders *h);
void holders_free(struct holders *h);

enum held {
	HELD_NOT, /* and whoever opens it now waits for holders_close() */
	HELD,
	HELD_UNKNOWN,
};

/*
 * Does some process hold a file open?  fd: opened for reading since holders_read(), and
 * the only descriptor of the file that this process has.  Whoever opens the file while fd
 * is open makes the kernel send SIGIO, which must be ignored.
 */
enum held holders_ask(const struct holders *h, int fd, struct ngc_place file);
void holders_close(int fd);

#endif
