/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ngc/retry.h"
#include "store.h"

struct content {
	struct ngc_source source;
	struct ngc_entry *e;
	off_t pos;
};

static enum ngc_code unreadable(const struct ngc_entry *e, struct ngc_error *err)
{
	return ngc_fail(err, NGC_DENIED, errno, "%s/%s%s: read", e->cache->path, e->dir,
	    e->name);
}

static enum ngc_code not_intact(const struct ngc_entry *e, struct ngc_error *err)
{
	return ngc_fail(err, NGC_DAMAGED, 0,
	    "%s/%s%s: damaged: its checksum is not that of its bytes", e->cache->path,
	    e->dir, e->name);
}

/* What was read of a member already cannot be read again: it is in the head. */
static ssize_t member_read(struct content *c, void *p, size_t n, struct ngc_error *err)
{
	const struct ngc_entry *e = c->e;
	ssize_t got;

	if (c->pos < (off_t)e->head.n) {
		struct ngc_bytes rest = ngc_bytes_from(e->head, (size_t)c->pos);

		got = (ssize_t)(rest.n < n ? rest.n : n);
		memcpy(p, rest.p, (size_t)got);
		return got;
	}
	got = NGC_RETRY(e->stream->read(e->stream, p, n));
	if (got < 0)
		unreadable(e, err);
	if (got != 0 || e->stream->intact(e->stream))
		return got;
	not_intact(e, err);
	return -1;
}

static ssize_t content_read(struct ngc_source *s, void *p, size_t n,
    struct ngc_error *err)
{
	struct content *c = (struct content *)s;
	ssize_t got;

	if (c->e->stream != NULL) {
		got = member_read(c, p, n, err);
	} else {
		got = NGC_RETRY(pread(c->e->fd, p, n, c->pos));
		if (got < 0)
			unreadable(c->e, err);
	}
	if (got > 0)
		c->pos += got;
	return got;
}

static void content_close(struct ngc_source *s)
{
	free(s);
}

enum ngc_code ngc_entry_source(struct ngc_entry *e, off_t from, struct ngc_source **out,
    struct ngc_error *err)
{
	struct content *c;

	*out = NULL;
	if (e->stream != NULL && entry_head_extend(e, (size_t)from) != 0)
		return unreadable(e, err);
	c = malloc(sizeof(*c));
	if (c == NULL)
		return ngc_no_memory(err);
	*c = (struct content){ { content_read, content_close }, e, from };
	*out = &c->source;
	return NGC_OK;
}
