/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "store.h"

#define PIECE 65536

struct content {
	struct ngc_entry *e;
	off_t pos;
	enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err);
	void *arg;
};

static enum ngc_code unreadable(const struct ngc_entry *e, struct ngc_error *err)
{
	return ngc_fail(err, NGC_DENIED, errno, "%s/%s%s: read", e->cache->path, e->dir,
	    e->name);
}

/* What was read of a member cannot be read again: it is in the head. */
static enum ngc_code write_head(struct content *c, struct ngc_error *err)
{
	struct ngc_entry *e = c->e;
	struct ngc_bytes rest;

	if (entry_head_extend(e, (size_t)c->pos) != 0)
		return unreadable(e, err);
	if ((off_t)e->head.n <= c->pos)
		return NGC_OK;
	rest = ngc_bytes_from(e->head, (size_t)c->pos);
	c->pos += (off_t)rest.n;
	return c->write(c->arg, rest.p, rest.n, err);
}

static enum ngc_code write_rest(struct content *c, unsigned char *piece,
    struct ngc_error *err)
{
	struct ngc_stream *s = c->e->stream;
	enum ngc_code code = NGC_OK;

	while (code == NGC_OK) {
		ssize_t n = s != NULL ? s->read(s, piece, PIECE)
				      : pread(c->e->fd, piece, PIECE, c->pos);

		if (n == 0 && s != NULL && !s->intact(s))
			return ngc_fail(err, NGC_DAMAGED, 0,
			    "%s/%s%s: damaged: its checksum is not that of its bytes",
			    c->e->cache->path, c->e->dir, c->e->name);
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return unreadable(c->e, err);
		code = c->write(c->arg, piece, (size_t)n, err);
		c->pos += n;
	}
	return code;
}

enum ngc_code ngc_entry_content(struct ngc_entry *e, off_t from,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	struct content c = { e, from, write, arg };
	unsigned char *piece = ngc_array_alloc(PIECE, 1);
	enum ngc_code code = piece != NULL ? NGC_OK : ngc_no_memory(err);

	if (code == NGC_OK && e->stream != NULL)
		code = write_head(&c, err);
	if (code == NGC_OK)
		code = write_rest(&c, piece, err);
	free(piece);
	return code;
}
