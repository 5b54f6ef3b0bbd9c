/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_RELOAD_H
#define NGC_RELOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "ngc/mem.h"
#include "ngc/site.h"

enum ngc_signal {
	NGC_SIGNAL_RELOAD, /* SIGHUP: new workers with the new configuration */
	NGC_SIGNAL_REOPEN, /* SIGUSR1: log files */
	NGC_SIGNAL_QUIT,   /* SIGQUIT: finish what is being answered, then end */
	NGC_SIGNAL_STOP,   /* SIGTERM: end at once */
};
const char *ngc_signal_name(enum ngc_signal s);

struct ngc_reload_request {
	const struct ngc_site *site;
	enum ngc_signal signal;
	const volatile sig_atomic_t *stop; /* not 0: do not wait any longer */
};

struct ngc_reload_result {
	pid_t pid;                 /* of the master; 0: not found */
	bool tested;               /* nginx -t accepted the configuration */
	bool ok;                   /* done: new workers run, or the master has ended */
	pid_t *before,
	    *after; /* the workers that take requests; arrays that end with 0 */
	struct ngc_buf messages;   /* what nginx said, line by line, each ended by LF */
};
void ngc_reload_result_free(struct ngc_reload_result *r); /* leaves it empty */

/*
 * Could this site's nginx be signalled at all?  NGC_INVALID: there is no configuration
 * file, or it lies below a root that is no process's.
 */
enum ngc_code ngc_reload_check(const struct ngc_site *site, struct ngc_error *err);

/*
 * Signal the nginx whose pid file the configuration names, after nginx -t (for a reload)
 * and after making sure that the process is an nginx master; then wait, 10 seconds at
 * most, until what was asked for has happened. out: filled in also on failure; to be
 * freed with ngc_reload_result_free(). NGC_INVALID: nginx -t refuses the configuration:
 * nothing was signalled. NGC_DENIED: nginx is not running, cannot be signalled, or only
 * the running master refused.
 */
enum ngc_code ngc_reload(const struct ngc_reload_request *req,
    struct ngc_reload_result *out, struct ngc_error *err);

#endif
