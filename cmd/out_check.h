/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_CHECK_H
#define OUT_CHECK_H

#include "cmd.h"
#include "ngc/health.h"

/* How well the caches are, as a monitoring plugin tells it: a line, and a status. */
int out_check_status(enum ngc_health health);
void out_check(const struct ngc_health_request *req, const struct ngc_health_report *r);

/* That it cannot be told, and why.  Returns the status. */
int out_check_unknown(const char *why);

#endif
