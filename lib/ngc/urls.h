/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_URLS_H
#define NGC_URLS_H

#include "ngc/select.h"

/* What the key of an entry says, by the templates of all zones of its cache. */
bool ngc_entry_reading(const struct ngc_router *r, const struct ngc_entry *e,
    struct ngc_reading *out);

/* Does the key prove the host that this reading of it gives? */
bool ngc_entry_proves_host(const struct ngc_router *r, const struct ngc_entry *e,
    const struct ngc_reading *reading);

/* The URL of an entry: SCHEME://HOST, and path and query. */
struct ngc_entry_url {
	struct ngc_bytes scheme, host;
	struct ngc_bytes port; /* absent: host has it, or the scheme's */
	struct ngc_bytes path; /* the head of the path, without percent-encoding */
	struct ngc_bytes uri;  /* the rest, as it is */
	struct ngc_bytes args; /* the query, where it is not in uri; may be empty */
};

/*
 * Put together what the key tells and, for what it does not, what the configuration tells
 * of its zone: the host of the only server that can have stored it, https when such a
 * server listens with TLS.  reading: of a key of that zone; out borrows what it does.
 * False: it is not known, or several sites could have stored it.
 */
bool ngc_entry_url(const struct ngc_zone *zone, const struct ngc_reading *reading,
    struct ngc_entry_url *out);

/* Write it, percent-encoded where it must be: add() appends text to b in its way. */
void ngc_entry_url_write(const struct ngc_entry_url *url,
    void (*add)(struct ngc_buf *b, struct ngc_bytes s), struct ngc_buf *b);

/* A URL, and in how many entries of a zone it is stored. */
struct ngc_url_count {
	const struct ngc_zone *zone;
	const char *url; /* url_len bytes, and a NUL */
	size_t url_len;
	uint64_t entries;
};

struct ngc_urls {
	struct ngc_url_count
	    *list; /* no two alike, sorted by URL, then in the zones' order */
	size_t n, cap;
	struct ngc_arena *arena;
	uint64_t without; /* entries whose URL is not known */
	struct ngc_select_result found;
};
void ngc_urls_free(struct ngc_urls *u); /* leaves it empty */

/*
 * Collect the URLs of the selected entries.
 * run: as for ngc_select_execute(), without visit.
 * out: to be freed with ngc_urls_free() in any case.
 */
enum ngc_code ngc_urls_collect(const struct ngc_select_run *run, struct ngc_urls *out,
    struct ngc_error *err);

#endif
