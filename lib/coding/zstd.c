/* SPDX-License-Identifier: BSD-2-Clause */
#include "coding.h"

#include <stdlib.h>

#include "ngc/library.h"

/*
 * libzstd, as in zstd.h, which libarchive is linked to.  libarchive itself hands out
 * nothing of a block in which something is wrong, and calls a small file that is cut by
 * the same words as one that is the coding of nothing.
 */
struct in_buffer {
	const void *p;
	size_t size, pos;
};

struct out_buffer {
	void *p;
	size_t size, pos;
};

struct zstd {
	void *(*create)(void);
	size_t (*decompress)(void *stream, struct out_buffer *out, struct in_buffer *in);
	unsigned (*is_error)(size_t result);
	const char *(*error_name)(size_t result);
	size_t (*destroy)(void *stream);
	void *stream;
	bool ended;
};

static const struct ngc_library_function functions[] = {
	{ "ZSTD_createDStream", offsetof(struct zstd, create) },
	{ "ZSTD_decompressStream", offsetof(struct zstd, decompress) },
	{ "ZSTD_isError", offsetof(struct zstd, is_error) },
	{ "ZSTD_getErrorName", offsetof(struct zstd, error_name) },
	{ "ZSTD_freeDStream", offsetof(struct zstd, destroy) },
	{ NULL, 0 },
};

static enum ngc_code start(void **state, struct ngc_error *err)
{
	struct zstd *s = calloc(1, sizeof(*s));
	enum ngc_code code;

	if (s == NULL)
		return ngc_no_memory(err);
	code = ngc_library_load("libzstd.so.1", functions, s, err);
	if (code == NGC_OK) {
		s->stream = s->create();
		if (s->stream == NULL)
			code = ngc_no_memory(err);
	}
	if (code == NGC_OK)
		*state = s;
	else
		free(s);
	return code;
}

/* A frame may follow another. */
static enum ngc_code step(void *state, struct coding_piece *p, struct ngc_error *err)
{
	struct zstd *s = state;
	struct in_buffer in = { p->in.p, p->in.n, 0 };
	struct out_buffer out = { p->out, p->room, 0 };
	size_t result;

	p->ended = s->ended;
	if (s->ended && p->in.n == 0)
		return NGC_OK;
	result = s->decompress(s->stream, &out, &in);
	p->in = ngc_bytes_from(p->in, in.pos);
	p->made = out.pos;
	if (s->is_error(result))
		return ngc_fail(err, NGC_DAMAGED, 0, "%s", s->error_name(result));
	p->ended = s->ended = result == 0;
	return NGC_OK;
}

static void finish(void *state)
{
	struct zstd *s = state;

	s->destroy(s->stream);
	free(s);
}

const struct ngc_coding coding_zstd = { "zstd", NULL, { NULL, 0 }, start, step, finish };
