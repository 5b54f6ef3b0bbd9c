/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/header.h"

/*
 * nginx writes ngx_http_file_cache_header_t as it lies in memory, so its shape follows
 * the release (v0, v2, v3, v5) and the machine (word size, width and alignment of time_t,
 * byte order).  Nothing in the file names the machine; but the struct is followed by
 * "\nKEY: ", and within one byte order no two layouts have the same size.  So the mark
 * picks the layout, the version and the offsets confirm it, the key's CRC-32 proves it.
 */

struct ngc_layout {
	char abi[8];
	bool big_endian;
	uint8_t version;
	uint8_t word, time; /* widths of ngx_uint_t and time_t */
	uint16_t size;
	uint16_t valid, updating, error, last_modified, date, crc32;
	uint16_t header_start, body_start;
	uint16_t etag_len, etag, etag_max; /* here and below 0 is "no such field" */
	uint16_t vary_len, vary, vary_max, variant;
};

#define LP64_V5                                                                          \
	.version = 5, .word = 8, .time = 8, .size = 336, .valid = 8, .updating = 16,     \
	.error = 24, .last_modified = 32, .date = 40, .crc32 = 48, .header_start = 54,   \
	.body_start = 56, .etag_len = 58, .etag = 59, .etag_max = 128, .vary_len = 187,  \
	.vary = 188, .vary_max = 128, .variant = 316

#define LP64_V3                                                                          \
	.version = 3, .word = 8, .time = 8, .size = 144, .valid = 8,                     \
	.last_modified = 16, .date = 24, .crc32 = 32, .header_start = 38,                \
	.body_start = 40, .etag_len = 42, .etag = 43, .etag_max = 42, .vary_len = 85,    \
	.vary = 86, .vary_max = 42, .variant = 128

#define LP64_V2                                                                          \
	.version = 2, .word = 8, .time = 8, .size = 88, .valid = 8, .last_modified = 16, \
	.date = 24, .crc32 = 32, .header_start = 38, .body_start = 40, .etag_len = 42,   \
	.etag = 43, .etag_max = 42

#define LP64_V0                                                                          \
	.version = 0, .word = 8, .time = 8, .size = 40, .valid = 0, .last_modified = 8,  \
	.date = 16, .crc32 = 24, .header_start = 30, .body_start = 32

#define ILP32_V5                                                                         \
	.version = 5, .word = 4, .time = 4, .size = 308, .valid = 4, .updating = 8,      \
	.error = 12, .last_modified = 16, .date = 20, .crc32 = 24, .header_start = 30,   \
	.body_start = 32, .etag_len = 34, .etag = 35, .etag_max = 128, .vary_len = 163,  \
	.vary = 164, .vary_max = 128, .variant = 292

#define ILP32_V3                                                                         \
	.version = 3, .word = 4, .time = 4, .size = 128, .valid = 4, .last_modified = 8, \
	.date = 12, .crc32 = 16, .header_start = 22, .body_start = 24, .etag_len = 26,   \
	.etag = 27, .etag_max = 42, .vary_len = 69, .vary = 70, .vary_max = 42,          \
	.variant = 112

#define ILP32_V2                                                                         \
	.version = 2, .word = 4, .time = 4, .size = 72, .valid = 4, .last_modified = 8,  \
	.date = 12, .crc32 = 16, .header_start = 22, .body_start = 24, .etag_len = 26,   \
	.etag = 27, .etag_max = 42

#define ILP32_V0                                                                         \
	.version = 0, .word = 4, .time = 4, .size = 24, .valid = 0, .last_modified = 4,  \
	.date = 8, .crc32 = 12, .header_start = 18, .body_start = 20

/* i386 with a 64-bit time_t, which is aligned to 4 bytes there. */
#define I386T64_V5                                                                       \
	.version = 5, .word = 4, .time = 8, .size = 328, .valid = 4, .updating = 12,     \
	.error = 20, .last_modified = 28, .date = 36, .crc32 = 44, .header_start = 50,   \
	.body_start = 52, .etag_len = 54, .etag = 55, .etag_max = 128, .vary_len = 183,  \
	.vary = 184, .vary_max = 128, .variant = 312

#define I386T64_V3                                                                       \
	.version = 3, .word = 4, .time = 8, .size = 140, .valid = 4,                     \
	.last_modified = 12, .date = 20, .crc32 = 28, .header_start = 34,                \
	.body_start = 36, .etag_len = 38, .etag = 39, .etag_max = 42, .vary_len = 81,    \
	.vary = 82, .vary_max = 42, .variant = 124

#define I386T64_V2                                                                       \
	.version = 2, .word = 4, .time = 8, .size = 84, .valid = 4, .last_modified = 12, \
	.date = 20, .crc32 = 28, .header_start = 34, .body_start = 36, .etag_len = 38,   \
	.etag = 39, .etag_max = 42

#define I386T64_V0                                                                       \
	.version = 0, .word = 4, .time = 8, .size = 36, .valid = 0, .last_modified = 8,  \
	.date = 16, .crc32 = 24, .header_start = 30, .body_start = 32

/* The most frequent first: what nearly every server writes is decided at once. */
static const struct ngc_layout layouts[] = {
	{ .abi = "lp64le", LP64_V5 },
	{ .abi = "lp64le", LP64_V3 },
	{ .abi = "lp64le", LP64_V0 },
	{ .abi = "lp64le", LP64_V2 },
	{ .abi = "lp64be", .big_endian = true, LP64_V5 },
	{ .abi = "ilp32le", ILP32_V5 },
	{ .abi = "i386t64", I386T64_V5 },
	{ .abi = "lp64be", .big_endian = true, LP64_V3 },
	{ .abi = "ilp32le", ILP32_V3 },
	{ .abi = "i386t64", I386T64_V3 },
	{ .abi = "lp64be", .big_endian = true, LP64_V2 },
	{ .abi = "ilp32le", ILP32_V2 },
	{ .abi = "i386t64", I386T64_V2 },
	{ .abi = "lp64be", .big_endian = true, LP64_V0 },
	{ .abi = "ilp32le", ILP32_V0 },
	{ .abi = "i386t64", I386T64_V0 },
	{ .abi = "ilp32be", .big_endian = true, ILP32_V5 },
	{ .abi = "ilp32be", .big_endian = true, ILP32_V3 },
	{ .abi = "ilp32be", .big_endian = true, ILP32_V2 },
	{ .abi = "ilp32be", .big_endian = true, ILP32_V0 },
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const unsigned char key_mark[] = { '\n', 'K', 'E', 'Y', ':', ' ' };

int ngc_layout_version(const struct ngc_layout *l)
{
	return l->version;
}

const char *ngc_layout_abi(const struct ngc_layout *l)
{
	return l->abi;
}

size_t ngc_layout_size(const struct ngc_layout *l)
{
	return l->size;
}

/* The smallest header_start: the struct, the mark, an empty key and its LF. */
static size_t least_start(const struct ngc_layout *l)
{
	return l->size + sizeof(key_mark) + 1;
}

static uint64_t get(const struct ngc_layout *l, const unsigned char *p, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width; i++)
		v = v << 8 | p[l->big_endian ? i : width - 1 - i];
	return v;
}

static int64_t get_time(const struct ngc_layout *l, const unsigned char *p)
{
	uint64_t v = get(l, p, l->time);

	return l->time == 4 ? (int32_t)v : (int64_t)v;
}

/* A string field: the byte with its length may claim more than the field holds. */
static struct ngc_bytes get_text(const unsigned char *head, size_t len_at, size_t at,
    size_t max)
{
	size_t n;

	if (len_at == 0)
		return ngc_bytes(NULL, 0);
	n = head[len_at];
	return ngc_bytes(head + at, n < max ? n : max);
}

/* The fields that need no proof, once the layout is known. */
static void get_fields(const struct ngc_layout *l, const unsigned char *p,
    struct ngc_header *out)
{
	out->layout = l;
	out->valid = get_time(l, p + l->valid);
	out->updating = l->updating != 0 ? get_time(l, p + l->updating) : -1;
	out->error = l->error != 0 ? get_time(l, p + l->error) : -1;
	out->last_modified = get_time(l, p + l->last_modified);
	out->date = get_time(l, p + l->date);
	out->etag = get_text(p, l->etag_len, l->etag, l->etag_max);
	out->vary = get_text(p, l->vary_len, l->vary, l->vary_max);
	out->variant = out->vary.n > 0 ? p + l->variant : NULL;
}

/* Is the version field this layout's, or 0?  A v0 layout has none. */
static bool version_fits(const struct ngc_layout *l, const unsigned char *p,
    bool *invalidated)
{
	uint64_t version;

	*invalidated = false;
	if (l->version == 0)
		return true;
	version = get(l, p, l->word);
	*invalidated = version == 0;
	return version == 0 || version == l->version;
}

/*
 * Try one layout, the cheapest tests first.  need is raised to what would have to be
 * there when too little is.
 */
static bool try_layout(const struct ngc_layout *l, struct ngc_bytes head, size_t *need,
    struct ngc_header *out)
{
	size_t least = least_start(l), lacking;

	if (head.n < least) {
		lacking = least;
		goto too_short;
	}
	if (memcmp(head.p + l->size, key_mark, sizeof(key_mark)) != 0 ||
	    !version_fits(l, head.p, &out->invalidated))
		return false;
	out->header_start = (unsigned)get(l, head.p + l->header_start, 2);
	out->body_start = (unsigned)get(l, head.p + l->body_start, 2);
	if (out->header_start < least || out->body_start < out->header_start)
		return false;
	if (out->header_start > head.n) {
		lacking = out->header_start;
		goto too_short;
	}
	if (head.p[out->header_start - 1] != '\n')
		return false;
	out->key = ngc_bytes(head.p + least - 1, out->header_start - least);
	out->crc32 = (uint32_t)get(l, head.p + l->crc32, 4);
	if (ngc_crc32(out->key) != out->crc32)
		return false;
	get_fields(l, head.p, out);
	return true;
too_short:
	if (*need < lacking)
		*need = lacking;
	return false;
}

enum ngc_code ngc_header_parse(struct ngc_bytes head, size_t *need,
    struct ngc_header *out)
{
	size_t lacking = 0;
	enum ngc_code code = NGC_DAMAGED;

	for (size_t i = 0; i < N_LAYOUTS && code != NGC_OK; i++)
		if (try_layout(&layouts[i], head, &lacking, out))
			code = NGC_OK;
	if (need != NULL)
		*need = code == NGC_OK ? out->header_start : lacking;
	return code;
}

/* How far a layout explains the bytes, and what stops it there. */
struct reach {
	unsigned steps;
	enum ngc_header_flaw flaw;
};

static struct reach reached(unsigned steps, enum ngc_header_flaw flaw)
{
	return (struct reach){ steps, flaw };
}

/*
 * Does some LF end a key with the stored CRC-32?  Then the key is whole, and it is the
 * offset that lies.
 */
static bool key_is_whole(const struct ngc_layout *l, struct ngc_bytes head)
{
	struct ngc_bytes left = ngc_bytes_from(head, least_start(l) - 1);
	uint32_t wanted = (uint32_t)get(l, head.p + l->crc32, 4), crc = 0;

	for (size_t i = 0; i < left.n; i++) {
		if (left.p[i] == '\n' && crc == wanted)
			return true;
		crc = ngc_crc32_more(crc, ngc_bytes(left.p + i, 1));
	}
	return false;
}

/* What is wrong behind a key mark that stands where this layout has it. */
static struct reach reach_offsets(const struct ngc_layout *l, struct ngc_bytes head)
{
	size_t start = (size_t)get(l, head.p + l->header_start, 2);
	size_t body = (size_t)get(l, head.p + l->body_start, 2);
	size_t least = least_start(l);

	if (start < least || body < start)
		return reached(3, NGC_FLAW_OFFSETS);
	if (start > head.n)
		return key_is_whole(l, head) ? reached(7, NGC_FLAW_OFFSETS)
					     : reached(4, NGC_FLAW_SHORT);
	if (head.p[start - 1] != '\n')
		return reached(5, NGC_FLAW_OFFSETS);
	if (ngc_crc32(ngc_bytes(head.p + least - 1, start - least)) !=
	    (uint32_t)get(l, head.p + l->crc32, 4))
		return reached(6, NGC_FLAW_CRC);
	if (l->vary_len != 0 && head.p[l->vary_len] > l->vary_max)
		return reached(8, NGC_FLAW_OFFSETS);
	return reached(9, NGC_FLAW_NONE);
}

static struct reach reach_layout(const struct ngc_layout *l, struct ngc_bytes head)
{
	bool numbered, invalidated, marked;
	struct reach beyond;

	if (head.n < l->word)
		return reached(0, NGC_FLAW_SHORT);
	numbered = l->version != 0 && get(l, head.p, l->word) == l->version;
	if (head.n < least_start(l))
		return reached(numbered ? 3 : 0, NGC_FLAW_SHORT);
	marked = memcmp(head.p + l->size, key_mark, sizeof(key_mark)) == 0;
	beyond = reach_offsets(l, head);
	if (marked && version_fits(l, head.p, &invalidated))
		return beyond;
	if (beyond.flaw == NGC_FLAW_NONE) /* the key proves the layout */
		return reached(7, marked ? NGC_FLAW_VERSION : NGC_FLAW_MARK);
	if (marked)
		return reached(1, NGC_FLAW_VERSION);
	return numbered ? reached(2, NGC_FLAW_MARK) : reached(0, NGC_FLAW_VERSION);
}

enum ngc_header_flaw ngc_header_flaw(struct ngc_bytes head)
{
	struct reach best = reach_layout(&layouts[0], head);

	for (size_t i = 1; i < N_LAYOUTS; i++) {
		struct reach one = reach_layout(&layouts[i], head);

		if (one.steps > best.steps)
			best = one;
	}
	return best.flaw;
}

bool ngc_header_is_variant(const struct ngc_header *h, const char name[NGC_NAME_LEN])
{
	char hex[NGC_NAME_LEN + 1];

	if (h->variant == NULL)
		return false;
	ngc_hex(h->variant, hex);
	return memcmp(name, hex, NGC_NAME_LEN) == 0;
}

bool ngc_header_name_ok(const struct ngc_header *h, const char name[NGC_NAME_LEN])
{
	char hex[NGC_NAME_LEN + 1];

	ngc_key_name(h->key, hex);
	return memcmp(name, hex, NGC_NAME_LEN) == 0 || ngc_header_is_variant(h, name);
}

/* Is now, which is after valid, within that many seconds of it? */
static bool within(int64_t valid, int64_t seconds, int64_t now)
{
	return seconds > 0 && (uint64_t)now - (uint64_t)valid <= (uint64_t)seconds;
}

enum ngc_state ngc_header_state(const struct ngc_header *h, int64_t now)
{
	if (h->invalidated)
		return NGC_INVALIDATED;
	if (h->valid >= now)
		return NGC_FRESH;
	if (within(h->valid, h->updating, now) || within(h->valid, h->error, now))
		return NGC_STALE;
	return NGC_EXPIRED;
}

const char *ngc_state_name(enum ngc_state s)
{
	static const char *const names[] = {
		[NGC_FRESH] = "fresh",
		[NGC_STALE] = "stale",
		[NGC_EXPIRED] = "expired",
		[NGC_INVALIDATED] = "invalidated",
	};

	return names[s];
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

/* Encode what a field of that width can hold of a value. */
static bool put(const struct ngc_layout *l, size_t at, size_t width, int64_t value,
    struct ngc_patch *out)
{
	out->offset = (unsigned)at;
	out->size = (unsigned)width;
	for (size_t i = 0; i < width; i++) {
		out->bytes[l->big_endian ? width - 1 - i : i] = (unsigned char)value;
		value >>= 8;
	}
	return true;
}

static bool put_time(const struct ngc_layout *l, size_t at, int64_t value,
    struct ngc_patch *out)
{
	if (l->time == 4)
		value = clamp(value, INT32_MIN, INT32_MAX);
	return put(l, at, l->time, value, out);
}

bool ngc_header_patch(const struct ngc_header *h, enum ngc_field field, int64_t value,
    struct ngc_patch *out)
{
	const struct ngc_layout *l = h->layout;

	switch (field) {
	case NGC_FIELD_VERSION:
		return l->version != 0 && put(l, 0, l->word, value, out);
	case NGC_FIELD_VALID:
		return put_time(l, l->valid, value, out);
	case NGC_FIELD_LAST_MODIFIED:
		return put_time(l, l->last_modified, value, out);
	case NGC_FIELD_ETAG_LEN:
		return l->etag_len != 0 &&
		       put(l, l->etag_len, 1, clamp(value, 0, l->etag_max), out);
	}
	return false;
}
