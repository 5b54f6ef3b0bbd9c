/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STORED_H
#define STORED_H

#include <stdbool.h>
#include <stdint.h>

#include "ngc/bytes.h"
#include "ngc/digest.h"
#include "ngc/zone.h"
#include "tree.h"

/* Cache files as nginx writes them, laid out by C's own rules of size and alignment. */

static const struct stored_abi {
	const char *name;
	bool big;
	size_t word, time, time_align;
} stored_abis[] = {
	{ "lp64le", false, 8, 8, 8 },
	{ "lp64be", true, 8, 8, 8 },
	{ "ilp32le", false, 4, 4, 4 },
	{ "ilp32be", true, 4, 4, 4 },
	{ "i386t64", false, 4, 8, 4 },
};

#define STORED_ABIS  (sizeof(stored_abis) / sizeof(stored_abis[0]))
#define STORED_VALID 2000000000
#define STORED_MAX   16384

/* What is left out has the value behind the colon. */
struct stored {
	const char *key;
	struct ngc_bytes raw_key;     /* instead of key, when it is present */
	const char *levels;           /* : "1:2" */
	const struct stored_abi *abi; /* : lp64le */
	bool old, v2, v3;             /* the layout without a version, 2, 3 : 5 */
	bool invalidated;
	int64_t valid;           /* : STORED_VALID */
	int64_t last_modified;   /* : -1 */
	const char *etag, *vary; /* : none */
	unsigned variant;        /* with vary: which one; 0: named by the key */
	const char *name;        /* : as nginx names it */
	int status;              /* : 200 */
	const char *headers;     /* each ended by CR LF : none */
	int64_t date;            /* : 1700000000 */
	const char *body;        /* : "hello" */
};

struct stored_file {
	unsigned char p[STORED_MAX];
	size_t n;
	const struct stored_abi *abi;
	size_t version_at, valid_at, last_modified_at, etag_at;
	char name[NGC_NAME_LEN + 1];
	char path[NGC_LEVELS_TEXT + NGC_NAME_LEN + 1]; /* below the root */
};

static inline size_t stored_put(
    struct stored_file *f, int64_t v, size_t width, size_t align)
{
	size_t at = (f->n + align - 1) / align * align;

	for (size_t i = 0; i < width; i++) {
		size_t nth = f->abi->big ? width - 1 - i : i;

		f->p[at + i] = (unsigned char)(v >> 8 * nth);
	}
	f->n = at + width;
	return at;
}

static inline size_t stored_put_time(struct stored_file *f, int64_t v)
{
	return stored_put(f, v, f->abi->time, f->abi->time_align);
}

static inline void stored_add(struct stored_file *f, const void *p, size_t n)
{
	ck_assert_uint_le(n, STORED_MAX - f->n);
	if (n > 0)
		memcpy(f->p + f->n, p, n);
	f->n += n;
}

static inline size_t stored_put_text(struct stored_file *f, const char *text, size_t room)
{
	size_t at = f->n, n = text != NULL ? strlen(text) : 0;

	f->p[at] = (unsigned char)n;
	if (n > 0)
		memcpy(f->p + at + 1, text, n);
	f->n += 1 + room;
	return at;
}

/* The number of a field, as it stands in bytes read back. */
static inline int64_t stored_get(
    const struct stored_file *f, const unsigned char *p, size_t at, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width; i++)
		v = v << 8 | p[at + (f->abi->big ? i : width - 1 - i)];
	return width == 4 ? (int32_t)v : (int64_t)v;
}

static inline struct ngc_bytes stored_key(const struct stored *s)
{
	return s->raw_key.p != NULL ? s->raw_key : ngc_bytes_of(s->key);
}

static inline const char *stored_headers(const struct stored *s)
{
	return s->headers != NULL ? s->headers : "";
}

static inline void stored_variant(const struct stored *s, unsigned char out[NGC_MD5_SIZE])
{
	char text[64];

	snprintf(text, sizeof(text), "%u", s->variant);
	ngc_md5(ngc_bytes_of(text), out);
	out[0] ^= (unsigned char)ngc_crc32(stored_key(s));
}

static inline void stored_put_struct(
    const struct stored *s, struct stored_file *f, size_t head)
{
	struct ngc_bytes key = stored_key(s);
	size_t room = s->v2 || s->v3 ? 42 : 128, start = head + 7 + key.n;
	unsigned char variant[NGC_MD5_SIZE];
	int version = s->invalidated ? 0 : s->v2 ? 2 : s->v3 ? 3 : 5;

	if (!s->old)
		f->version_at = stored_put(f, version, f->abi->word, f->abi->word);
	f->valid_at = stored_put_time(f, s->valid != 0 ? s->valid : STORED_VALID);
	if (!s->old && !s->v2 && !s->v3) {
		stored_put_time(f, 0);
		stored_put_time(f, 0);
	}
	f->last_modified_at = stored_put_time(
	    f, s->last_modified != 0 ? s->last_modified : -1);
	stored_put_time(f, s->date != 0 ? s->date : 1700000000);
	stored_put(f, ngc_crc32(key), 4, 4);
	stored_put(f, 0, 2, 2);
	stored_put(f, (int64_t)start, 2, 2);
	stored_put(f, (int64_t)(start + 19 + strlen(stored_headers(s))), 2, 2);
	if (!s->old)
		f->etag_at = stored_put_text(f, s->etag, room);
	if (!s->old && !s->v2) {
		stored_variant(s, variant);
		stored_put_text(f, s->vary, room);
		stored_add(f, variant, sizeof(variant));
	}
	stored_put(f, 0, 0,
	    f->abi->word > f->abi->time_align ? f->abi->word : f->abi->time_align);
}

/* Compose the file, and name it. */
static inline void stored_make(const struct stored *s, struct stored_file *f)
{
	struct ngc_bytes key = stored_key(s);
	const char *body = s->body != NULL ? s->body : "hello";
	struct ngc_levels levels;
	unsigned char variant[NGC_MD5_SIZE];
	char status[32], dir[NGC_LEVELS_TEXT];
	size_t head;

	*f = (struct stored_file){ .abi = s->abi != NULL ? s->abi : &stored_abis[0] };
	stored_put_struct(s, f, 0);
	head = f->n;
	f->n = 0;
	stored_put_struct(s, f, head);
	stored_add(f, "\nKEY: ", 6);
	stored_add(f, key.p, key.n);
	snprintf(status, sizeof(status), "\nHTTP/1.1 %3d OK\r\n",
	    s->status != 0 ? s->status : 200);
	stored_add(f, status, strlen(status));
	stored_add(f, stored_headers(s), strlen(stored_headers(s)));
	stored_add(f, "\r\n", 2);
	stored_add(f, body, strlen(body));
	ngc_key_name(key, f->name);
	if (s->vary != NULL && s->variant != 0) {
		stored_variant(s, variant);
		ngc_hex(variant, f->name);
	}
	if (s->name != NULL)
		memcpy(f->name, s->name, sizeof(f->name));
	ck_assert(ngc_levels_parse(
	    ngc_bytes_of(s->levels != NULL ? s->levels : "1:2"), &levels));
	snprintf(f->path, sizeof(f->path), "%s%s", ngc_levels_dir(&levels, f->name, dir),
	    f->name);
}

/* Store it in the cache of that name in the tree. */
static inline void stored_write(
    const struct tree *t, const char *root, const struct stored *s, struct stored_file *f)
{
	char path[PATH_MAX];

	stored_make(s, f);
	snprintf(path, sizeof(path), "%s/%s", root, f->path);
	tree_write(t, path, f->p, f->n);
}

/* Nothing but a key. */
static inline void stored_add_key(const struct tree *t, const char *root, const char *key)
{
	struct stored_file f;

	stored_write(t, root, &(struct stored){ .key = key }, &f);
}

#endif
