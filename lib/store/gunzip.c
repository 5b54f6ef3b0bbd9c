/* SPDX-License-Identifier: BSD-2-Clause */
#include "gunzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define RAW_SIZE 65536

struct gunzip {
	z_stream z;
	bool between;    /* a file of gzip's has ended, another may follow */
	const char *why; /* it is damaged */
	unsigned char raw[RAW_SIZE];
};

bool gunzip_knows(const unsigned char *p, size_t n)
{
	static const unsigned char magic[GUNZIP_MAGIC] = { 0x1f, 0x8b, Z_DEFLATED };

	return n >= GUNZIP_MAGIC && memcmp(p, magic, GUNZIP_MAGIC) == 0;
}

struct gunzip *gunzip_new(const unsigned char *first, size_t n)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	if (inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
		free(g);
		return NULL;
	}
	memcpy(g->raw, first, n);
	g->z.next_in = g->raw;
	g->z.avail_in = (uInt)n;
	return g;
}

void gunzip_free(struct gunzip *g)
{
	if (g == NULL)
		return;
	inflateEnd(&g->z);
	free(g);
}

/* False: the file goes on, and cannot; g->why says so. */
static bool inflate_some(struct gunzip *g)
{
	int r = inflate(&g->z, Z_NO_FLUSH);

	g->between = r == Z_STREAM_END;
	if (r == Z_BUF_ERROR)
		g->why = "it ends within what gzip has compressed";
	else if (r != Z_OK && !g->between)
		g->why = g->z.msg != NULL ? g->z.msg : "gzip cannot be undone";
	return g->why == NULL;
}

ssize_t gunzip_read(struct gunzip *g, ssize_t (*read)(void *arg, void *p, size_t n),
    void *arg, unsigned char *out, size_t n, const char **why)
{
	g->z.next_out = out;
	g->z.avail_out = (uInt)n;
	while (g->z.avail_out == n && g->why == NULL) {
		if (g->z.avail_in == 0) {
			ssize_t got = read(arg, g->raw, sizeof(g->raw));

			if (got < 0)
				return -1;
			g->z.next_in = g->raw;
			g->z.avail_in = (uInt)got;
		}
		/* As gzip does: what is not its own behind a file of its is padding. */
		if (g->between && (g->z.avail_in == 0 || g->z.next_in[0] != 0x1f))
			return 0;
		if (g->between)
			inflateReset(&g->z);
		inflate_some(g);
	}
	if (g->z.avail_out < n)
		return (ssize_t)(n - g->z.avail_out);
	*why = g->why;
	return -1;
}
