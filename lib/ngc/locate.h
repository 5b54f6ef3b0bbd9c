/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_LOCATE_H
#define NGC_LOCATE_H

#include <stdbool.h>

#include "ngc/cache.h"
#include "ngc/entry.h"
#include "ngc/explain.h"
#include "ngc/site.h"

/* Where nginx would look for the answer to one request. */
struct ngc_located {
	struct ngc_explanation *explanation;
	bool placed;                    /* key and zone are known: dir and name hold */
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1]; /* of the main entry, or of the request's variant */
	bool present;                   /* entry is open, and is not damaged */
	struct ngc_entry entry;
	struct ngc_cache *cache;
	struct ngc_reader *reader;
};

/*
 * Follow a request to its file.  When the main entry there carries a Vary, the file is
 * that of the variant that the request's headers make. out: to be freed with
 * ngc_located_free() in any case; the explanation holds also when the file could not be
 * looked at. NGC_INVALID: no configuration was read.  NGC_GONE: the cache's directory is
 * missing.  NGC_DENIED: it may not be read.
 */
enum ngc_code ngc_locate(const struct ngc_site *site,
    const struct ngc_explain_request *req, struct ngc_located *out,
    struct ngc_error *err);
void ngc_located_free(struct ngc_located *l);

#endif
