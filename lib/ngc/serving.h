/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_SERVING_H
#define NGC_SERVING_H

#include <sys/types.h>

#include "ngc/site.h"

/* What the nginx of a site makes of files that it did not store itself. */
enum ngc_serving {
	NGC_SERVING_UNKNOWN, /* there is no configuration that tells which nginx it is */
	NGC_SERVING_STOPPED, /* it finds them when it is started */
	NGC_SERVING_COLD,    /* it has just been started, and finds them still */
	NGC_SERVING_WARM,    /* it does not look for what it does not know of */
};
const char *ngc_serving_name(enum ngc_serving s); /* "stopped", ...; NULL: unknown */

/* pid: its master process; 0: none. */
enum ngc_serving ngc_serving_ask(const struct ngc_site *site, pid_t *pid);

#endif
