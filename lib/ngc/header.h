/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_HEADER_H
#define NGC_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "ngc/bytes.h"
#include "ngc/digest.h"
#include "ngc/error.h"

/*
 * The binary header at the start of every cache file: nginx's
 * ngx_http_file_cache_header_t, a C struct in the byte order and alignment of the machine
 * that wrote it, followed by
 * "\nKEY: ", the key and "\n".
 */

/* header_start and body_start are 16 bits wide: this much always holds key and response
 * header. */
#define NGC_HEAD_MAX 65536

/* Where the fields of one nginx release on one kind of machine lie. */
struct ngc_layout;
int ngc_layout_version(const struct ngc_layout *l); /* 0 (no version field), 2, 3 or 5 */
const char *ngc_layout_abi(const struct ngc_layout *l); /* "lp64le", "i386t64", ... */
size_t ngc_layout_size(const struct ngc_layout *l);     /* where "\nKEY: " stands */

/* The most a layout holds of a Vary: NGX_HTTP_CACHE_VARY_LEN. */
#define NGC_VARY_MAX 128

struct ngc_header {
	const struct ngc_layout *layout;
	bool invalidated;       /* the version field is 0: nginx refuses the entry */
	int64_t valid;          /* Unix seconds; fresh while valid >= now */
	int64_t
	    updating; /* seconds after valid, stale-while-revalidate; -1: no such field */
	int64_t error; /* seconds after valid, stale-if-error; -1: no such field */
	int64_t last_modified;  /* Unix seconds; -1: the response had none */
	int64_t date;           /* when nginx stored or revalidated the entry */
	uint32_t crc32;         /* of the key */
	unsigned header_start;  /* offset of the stored response header */
	unsigned
	    body_start; /* offset of the body; may lie beyond the end of a cut file */
	struct ngc_bytes key;   /* points into the parsed bytes, as do the next three */
	struct ngc_bytes etag;  /* clamped to its field; empty: none */
	struct ngc_bytes vary;  /* clamped to its field; empty: none */
	const unsigned char *variant; /* NGC_MD5_SIZE bytes; NULL when vary is empty */
};

/*
 * Decode the header at the start of a cache file, of whatever nginx and machine.
 *
 * head: the first bytes of the file, as many as were read; out borrows from them.
 * need: set to the number of bytes that must be there for the answer to be certain; a
 * caller that gets NGC_DAMAGED and need > head.n reads that many and asks again (at the
 * end of the file there are no more: the entry is damaged).  At most NGC_HEAD_MAX.  May
 * be NULL. NGC_DAMAGED: not the start of a cache file in a layout we know, or its key
 * does not have the crc32 that stands there.  *out is undefined then.
 */
enum ngc_code ngc_header_parse(struct ngc_bytes head, size_t *need,
    struct ngc_header *out);

/* What keeps nginx from reading a header. */
enum ngc_header_flaw {
	NGC_FLAW_NONE,
	NGC_FLAW_SHORT,   /* the file ends before its key does */
	NGC_FLAW_VERSION, /* no layout we know has such a version */
	NGC_FLAW_OFFSETS, /* an offset or a length is impossible */
	NGC_FLAW_MARK,    /* "\nKEY: " does not stand where it must */
	NGC_FLAW_CRC,     /* the key's CRC-32 is another */
};

/*
 * Look again at what ngc_header_parse() read, as far as NGC_HEAD_MAX or the end of the
 * file, for the layout that explains most of it.  A header that parses may have a flaw,
 * too: nginx refuses one whose Vary is longer than its field.
 */
enum ngc_header_flaw ngc_header_flaw(struct ngc_bytes head);

/* Is this a variant's file?  nginx names it by the stored variant instead of the key's
 * MD5. */
bool ngc_header_is_variant(const struct ngc_header *h, const char name[NGC_NAME_LEN]);

/* Is name what nginx gives this entry: the key's MD5, or the stored variant? */
bool ngc_header_name_ok(const struct ngc_header *h, const char name[NGC_NAME_LEN]);

/*
 * What nginx would make of the entry at time now, without the configuration:
 * invalidated, else fresh (valid >= now), else stale (now within valid + updating or
 * valid + error), else expired.
 */
enum ngc_state { NGC_FRESH, NGC_STALE, NGC_EXPIRED, NGC_INVALIDATED };
enum ngc_state ngc_header_state(const struct ngc_header *h, int64_t now);
const char *ngc_state_name(enum ngc_state s);

/* Fields that may be changed in place. */
enum ngc_field {
	NGC_FIELD_VERSION,
	NGC_FIELD_VALID,
	NGC_FIELD_LAST_MODIFIED,
	NGC_FIELD_ETAG_LEN,
};

/* A write of a few bytes at one offset: a field in the entry's own byte order and width.
 */
struct ngc_patch {
	unsigned offset, size;
	unsigned char bytes[8];
};

/* Encode value for a field; false when the layout has no such field. */
bool ngc_header_patch(const struct ngc_header *h, enum ngc_field field, int64_t value,
    struct ngc_patch *out);

#endif
