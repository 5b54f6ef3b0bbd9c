/* SPDX-License-Identifier: BSD-2-Clause */
#include "coding.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "ngc/library.h"

/* xz -9 asks for 65 MiB; a header may ask for 4 GiB. */
#define MEMORY_MAX ((uint64_t)128 << 20)

/* liblzma, as in lzma/base.h and lzma/container.h. */
enum {
	LZMA_OK = 0,
	LZMA_STREAM_END = 1,
	LZMA_MEM_ERROR = 5,
	LZMA_MEMLIMIT_ERROR = 6,
	LZMA_FORMAT_ERROR = 7,
	LZMA_OPTIONS_ERROR = 8,
	LZMA_BUF_ERROR = 10,
};

struct lzma_stream {
	const uint8_t *next_in;
	size_t avail_in;
	uint64_t total_in;
	uint8_t *next_out;
	size_t avail_out;
	uint64_t total_out;
	const void *allocator;
	void *internal;
	void *reserved_pointers[4];
	uint64_t seek_pos, reserved_int2;
	size_t reserved_int3, reserved_int4;
	int reserved_enums[2];
};

struct xz {
	int (*decoder)(struct lzma_stream *s, uint64_t memory, uint32_t flags);
	int (*code)(struct lzma_stream *s, int action);
	void (*end)(struct lzma_stream *s);
	struct lzma_stream lzma;
	bool ended;
};

static const struct ngc_library_function functions[] = {
	{ "lzma_stream_decoder", offsetof(struct xz, decoder) },
	{ "lzma_code", offsetof(struct xz, code) },
	{ "lzma_end", offsetof(struct xz, end) },
	{ NULL, 0 },
};

/* Of a stream, the first or one that follows another. */
static bool begin(struct xz *s)
{
	s->ended = false;
	return s->decoder(&s->lzma, MEMORY_MAX, 0) == LZMA_OK;
}

static enum ngc_code start(void **state, struct ngc_error *err)
{
	struct xz *s = calloc(1, sizeof(*s));
	enum ngc_code code;

	if (s == NULL)
		return ngc_no_memory(err);
	code = ngc_library_load("liblzma.so.5", functions, s, err);
	if (code == NGC_OK && !begin(s))
		code = ngc_no_memory(err);
	if (code == NGC_OK)
		*state = s;
	else
		free(s);
	return code;
}

static const char *what_is_wrong(int result)
{
	switch (result) {
	case LZMA_MEMLIMIT_ERROR:
		return "it asks for more than 128 MiB of memory";
	case LZMA_FORMAT_ERROR:
		return "not such a stream";
	case LZMA_OPTIONS_ERROR:
		return "it is made in a way that is not known";
	default:
		return "its bytes are not those that were written";
	}
}

static enum ngc_code step(void *state, struct coding_piece *p, struct ngc_error *err)
{
	struct xz *s = state;
	int result;

	if (s->ended)
		coding_skip_padding(&p->in);
	p->ended = s->ended;
	if (s->ended && p->in.n == 0)
		return NGC_OK;
	if (s->ended && !begin(s))
		return ngc_no_memory(err);
	s->lzma.next_in = p->in.p;
	s->lzma.avail_in = p->in.n;
	s->lzma.next_out = p->out;
	s->lzma.avail_out = p->room;
	result = s->code(&s->lzma, 0);
	p->in = ngc_bytes_from(p->in, p->in.n - s->lzma.avail_in);
	p->made = p->room - s->lzma.avail_out;
	p->ended = s->ended = result == LZMA_STREAM_END;
	if (result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR)
		return NGC_OK;
	if (result == LZMA_MEM_ERROR)
		return ngc_no_memory(err);
	return ngc_fail(err, NGC_DAMAGED, 0, "%s", what_is_wrong(result));
}

static void finish(void *state)
{
	struct xz *s = state;

	s->end(&s->lzma);
	free(s);
}

static const unsigned char magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };

const struct ngc_coding coding_xz = { "xz", NULL, { magic, sizeof(magic) }, start, step,
	finish };
