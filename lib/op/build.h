/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BUILD_H
#define BUILD_H

#include <limits.h>

#include "ngc/error.h"
#include "ngc/zone.h"

/* What is compiled into the nginx of this machine, as "nginx -V" tells.  "": not told. */
struct nginx_build {
	const char *program; /* the name it was found by */
	char prefix[PATH_MAX];
	char conf_path[PATH_MAX];
	char pid_path[PATH_MAX];
	char error_log_path[PATH_MAX];
	char temp_path[NGC_PROTOCOLS][PATH_MAX];
};

/* Ask the first nginx (or angie, openresty, ...) that is found.  NGC_GONE: there is none.
 */
enum ngc_code nginx_build_ask(struct nginx_build *out, struct ngc_error *err);

/* Ask that one. */
enum ngc_code nginx_build_ask_program(const char *program, struct nginx_build *out,
    struct ngc_error *err);

/* The programs that are nginx; ends with NULL. */
extern const char *const nginx_programs[];

#endif
