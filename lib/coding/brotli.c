/* SPDX-License-Identifier: BSD-2-Clause */
#include "coding.h"

#include <stdint.h>
#include <stdlib.h>

#include "ngc/library.h"

/* libbrotlidec, as in brotli/decode.h. */
enum { BROTLI_ERROR, BROTLI_SUCCESS, BROTLI_NEEDS_INPUT, BROTLI_NEEDS_OUTPUT };

struct brotli {
	void *(*create)(void *alloc, void *release, void *opaque);
	int (*decompress)(void *decoder, size_t *in_n, const uint8_t **in, size_t *out_n,
	    uint8_t **out, size_t *total);
	void (*destroy)(void *decoder);
	void *decoder;
	bool ended;
};

static const struct ngc_library_function functions[] = {
	{ "BrotliDecoderCreateInstance", offsetof(struct brotli, create) },
	{ "BrotliDecoderDecompressStream", offsetof(struct brotli, decompress) },
	{ "BrotliDecoderDestroyInstance", offsetof(struct brotli, destroy) },
	{ NULL, 0 },
};

static enum ngc_code start(void **state, struct ngc_error *err)
{
	struct brotli *s = calloc(1, sizeof(*s));
	enum ngc_code code;

	if (s == NULL)
		return ngc_no_memory(err);
	code = ngc_library_load("libbrotlidec.so.1", functions, s, err);
	if (code == NGC_OK) {
		s->decoder = s->create(NULL, NULL, NULL);
		if (s->decoder == NULL)
			code = ngc_no_memory(err);
	}
	if (code == NGC_OK)
		*state = s;
	else
		free(s);
	return code;
}

static enum ngc_code step(void *state, struct coding_piece *p, struct ngc_error *err)
{
	struct brotli *s = state;
	size_t in_n = p->in.n, out_n = p->room;
	const uint8_t *in = p->in.p;
	uint8_t *out = p->out;
	int result;

	p->ended = s->ended;
	if (s->ended)
		return p->in.n == 0 ? NGC_OK
				    : ngc_fail(err, NGC_DAMAGED, 0,
					  "something follows its end");
	result = s->decompress(s->decoder, &in_n, &in, &out_n, &out, NULL);
	p->in = ngc_bytes_from(p->in, p->in.n - in_n);
	p->made = p->room - out_n;
	p->ended = s->ended = result == BROTLI_SUCCESS;
	return result != BROTLI_ERROR ? NGC_OK
				      : ngc_fail(err, NGC_DAMAGED, 0,
					    "not such a stream");
}

static void finish(void *state)
{
	struct brotli *s = state;

	s->destroy(s->decoder);
	free(s);
}

const struct ngc_coding coding_br = { "br", NULL, { NULL, 0 }, start, step, finish };
