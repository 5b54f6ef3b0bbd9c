/* SPDX-License-Identifier: BSD-2-Clause */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static bool start(struct spool *s)
{
	char path[] = "/tmp/ngxcache.XXXXXX";

	if (s->open)
		return true;
	s->fd = mkostemp(path, O_CLOEXEC);
	s->open = s->fd >= 0;
	if (s->open)
		unlink(path);
	return s->open;
}

static bool write_all(struct spool *s, const void *p, size_t n)
{
	const unsigned char *from = p;

	while (n > 0) {
		ssize_t done = pwrite(s->fd, from, n, s->end);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		from += done;
		n -= (size_t)done;
		s->end += done;
	}
	return true;
}

enum ngc_code spool_put(struct spool *s, struct ngc_entry *e, off_t *at,
    struct ngc_error *err)
{
	*at = s->end;
	if (!e->damaged && ngc_entry_response(e, err) == NGC_DENIED)
		return NGC_DENIED;
	if (!start(s) || !write_all(s, e, sizeof(*e)) ||
	    !write_all(s, e->head.p, e->head.n))
		return ngc_fail(err, NGC_FATAL, errno, "temporary file in /tmp");
	return NGC_OK;
}

static ssize_t read_next(struct ngc_stream *stream, void *p, size_t n)
{
	struct spool *s = (struct spool *)stream;
	ssize_t got = pread(s->fd, p, n < s->left ? n : s->left, s->pos);

	if (got > 0) {
		s->pos += got;
		s->left -= (size_t)got;
	}
	return got;
}

enum ngc_code spool_get(struct spool *s, off_t at, struct ngc_reader *r,
    struct ngc_entry *out, struct ngc_error *err)
{
	unsigned char *p = (unsigned char *)out;
	size_t n = 0;

	s->stream.read = read_next;
	s->pos = at;
	s->left = sizeof(*out);
	while (n < sizeof(*out)) {
		ssize_t got = read_next(&s->stream, p + n, sizeof(*out) - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return ngc_fail(err, NGC_FATAL, got < 0 ? errno : 0,
			    "temporary file in /tmp");
		n += (size_t)got;
	}
	s->left = out->head.n;
	out->stream = &s->stream;
	return ngc_entry_unpack(out, r, err);
}

void spool_close(struct spool *s)
{
	if (s->open)
		close(s->fd);
}
