/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_CONFINE_H
#define NGC_CONFINE_H

#include "ngc/error.h"
#include "ngc/site.h"

/*
 * From now on this thread, and the threads and processes that it starts, can change
 * nothing on file systems but write to files and remove files below the roots of the
 * site's zones; nor can they run a program, use TCP, or signal others, as far as the
 * kernel can forbid it.  Reading is not affected, nor is a descriptor that is open.
 *
 * output: NULL, or a file that a purge will write its backup to: files may be made,
 * replaced and removed in its directory, and programs run, confined like this process.
 * NGC_GONE: this system offers nothing of that, and nothing has changed.
 */
enum ngc_code ngc_confine(const struct ngc_site *site, const char *output,
    struct ngc_error *err);

#endif
