/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_MANIFEST_H
#define OP_MANIFEST_H

#include "ngc/archive.h"

/*
 * The member of an archive that tells what it holds, a JSON document.
 * directories: of the zones of the site, in the archive.  created: now, by the system's
 * clock.  out: appended to.
 */
enum ngc_code manifest_write(const struct ngc_archive_request *req,
    const struct ngc_archive_result *result, char *const *directories, int64_t created,
    struct ngc_buf *out, struct ngc_error *err);

/* How many entries the archive holds, as its manifest tells.  False: it is none. */
bool manifest_entries(struct ngc_bytes text, uint64_t *entries);

/*
 * The directory of a zone in an archive: its name, or of a directory of the command line
 * without one the last part of its path, made safe: bytes other than letters, digits,
 * '-', '_' and '.' are written %XX, and a '.' at the beginning or behind another.
 */
void manifest_directory(const struct ngc_zone *z, struct ngc_buf *out);

#endif
