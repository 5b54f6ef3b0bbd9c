/* SPDX-License-Identifier: BSD-2-Clause */
#include "coding.h"

#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

struct inflate {
	z_stream z;
	int bits; /* of the window and the wrapping, as inflateInit2() takes them; 0: not
		     known yet */
	bool ended;
};

enum { GZIP = 16 + MAX_WBITS, WRAPPED = MAX_WBITS, RAW = -MAX_WBITS };

static enum ngc_code make(void **state, int bits, struct ngc_error *err)
{
	struct inflate *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return ngc_no_memory(err);
	s->bits = bits;
	if (inflateInit2(&s->z, bits != 0 ? bits : RAW) != Z_OK) {
		free(s);
		return ngc_no_memory(err);
	}
	*state = s;
	return NGC_OK;
}

static enum ngc_code open_gzip(void **state, struct ngc_error *err)
{
	return make(state, GZIP, err);
}

static enum ngc_code open_deflate(void **state, struct ngc_error *err)
{
	return make(state, 0, err);
}

/*
 * "deflate" is meant to be wrapped by zlib's header, and many send it bare.  That header
 * begins with an 8 in its low bits: bare, it would be a block that is stored and has a
 * bit set where there are none.
 */
static int guess_bits(struct ngc_bytes in)
{
	return (in.p[0] & 0x0f) == 8 ? WRAPPED : RAW;
}

/* Begin; or begin again, as gzip allows one stream behind the other. */
static bool begin(struct inflate *s, struct ngc_bytes in)
{
	if (s->bits == 0)
		s->bits = guess_bits(in);
	else if (!s->ended)
		return true;
	else if (s->bits != GZIP)
		return false;
	s->ended = false;
	return inflateReset2(&s->z, s->bits) == Z_OK;
}

static enum ngc_code step(void *state, struct coding_piece *p, struct ngc_error *err)
{
	struct inflate *s = state;
	int result;

	if (s->ended && s->bits == GZIP)
		coding_skip_padding(&p->in);
	if (p->in.n > 0 && !begin(s, p->in))
		return ngc_fail(err, NGC_DAMAGED, 0, "something follows its end");
	p->ended = s->ended;
	if (s->ended || s->bits == 0)
		return NGC_OK;
	s->z.next_in = p->in.p;
	s->z.avail_in = (uInt)p->in.n;
	s->z.next_out = p->out;
	s->z.avail_out = (uInt)p->room;
	result = inflate(&s->z, Z_NO_FLUSH);
	p->in = ngc_bytes_from(p->in, p->in.n - s->z.avail_in);
	p->made = p->room - s->z.avail_out;
	p->ended = s->ended = result == Z_STREAM_END;
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
		return NGC_OK;
	if (result == Z_MEM_ERROR)
		return ngc_no_memory(err);
	return ngc_fail(err, NGC_DAMAGED, 0, "%s",
	    s->z.msg != NULL ? s->z.msg : "not such a stream");
}

static void finish(void *state)
{
	struct inflate *s = state;

	inflateEnd(&s->z);
	free(s);
}

static const unsigned char magic[] = { 0x1f, 0x8b, Z_DEFLATED };

const struct ngc_coding coding_gzip = { "gzip", "x-gzip", { magic, sizeof(magic) },
	open_gzip, step, finish };
const struct ngc_coding coding_deflate = { "deflate", NULL, { NULL, 0 }, open_deflate,
	step, finish };
