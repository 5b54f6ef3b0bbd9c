/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "store.h"

struct ngc_reader *ngc_reader_new(void)
{
	return malloc(sizeof(struct ngc_reader));
}

void ngc_reader_free(struct ngc_reader *r)
{
	free(r);
}

static ssize_t read_at(const struct ngc_entry *e, void *p, size_t n, size_t pos)
{
	return e->stream != NULL ? e->stream->read(e->stream, p, n)
				 : pread(e->fd, p, n, (off_t)pos);
}

int entry_head_extend(struct ngc_entry *e, size_t want)
{
	size_t have = e->head.n;

	if (want > NGC_HEAD_MAX)
		want = NGC_HEAD_MAX;
	if (have >= want)
		return 0;
	if (e->head.p != e->reader->head)
		memcpy(e->reader->head, e->head.p, have);
	while (have < want) {
		ssize_t n = read_at(e, e->reader->head + have, want - have, have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	e->head = ngc_bytes(e->reader->head, have);
	return 0;
}

/* Parse the header, reading more where it reaches beyond what is there. */
static int header_read(struct ngc_entry *e)
{
	size_t asked, need = FIRST_READ;

	do {
		asked = need;
		if (entry_head_extend(e, asked) != 0)
			return -1;
		e->damaged = ngc_header_parse(e->head, &need, &e->header) != NGC_OK;
	} while (e->damaged && need > asked && e->head.n == asked);
	return 0;
}

/* Does it lie where none of the cache's zones has its files? */
static bool is_orphan(const struct ngc_cache *c, const char *dir, const char *name)
{
	char want[NGC_LEVELS_TEXT];

	for (size_t i = 0; i < c->n_zones; i++)
		if (!c->zones[i]->levels_known ||
		    strcmp(ngc_levels_dir(&c->zones[i]->levels, name, want), dir) == 0)
			return false;
	return true;
}

static enum ngc_code file_denied(const struct ngc_cache *c, const char *dir,
    const char *name, int sys, struct ngc_error *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s%s", c->path, dir, name);
	return access_denied(path, sys, err);
}

enum ngc_code entry_of_start(const struct ngc_cache *c, struct ngc_reader *r, int dirfd,
    const char *dir, const struct start *s, struct ngc_entry *out, struct ngc_error *err)
{
	int sys = s->sys;

	if (s->fd < 0) {
		if (sys == ENOENT || sys == ELOOP || sys == ENXIO || sys == ENOTDIR ||
		    sys == EISDIR)
			return NGC_GONE;
		return file_denied(c, dir, s->name, sys, err);
	}
	out->cache = c;
	out->reader = r;
	out->stream = NULL;
	out->dirfd = dirfd;
	out->dirfd_owned = false;
	out->fd = s->fd;
	out->writable = s->writable;
	memcpy(out->dir, dir, strlen(dir) + 1);
	memcpy(out->name, s->name, NGC_NAME_LEN + 1);
	out->orphan = is_orphan(c, dir, s->name);
	out->has_stat = out->has_response = false;
	out->head = ngc_bytes(s->first, s->n);
	if (sys == 0 && header_read(out) != 0)
		sys = errno;
	if (sys == 0)
		return NGC_OK;
	if (sys == EISDIR || sys == ESPIPE)
		return NGC_GONE;
	return ngc_fail(err, NGC_DENIED, sys, "%s/%s%s", c->path, dir, s->name);
}

/* A walk knows what it opens; a name that was only computed can be a device's. */
static enum ngc_code check_regular(const struct ngc_entry *e, struct ngc_error *err)
{
	struct stat st;

	if (fstat(e->fd, &st) != 0)
		return file_denied(e->cache, e->dir, e->name, errno, err);
	return S_ISREG(st.st_mode) ? NGC_OK : NGC_GONE;
}

/* A single call tells of most names that are looked up: there is no such file. */
static bool is_missing(const struct ngc_cache *c, const char *dir, const char *name)
{
	char path[NGC_LEVELS_TEXT + NGC_NAME_LEN + 1];
	size_t n = strlen(dir);
	struct stat st;

	memcpy(path, dir, n);
	memcpy(path + n, name, NGC_NAME_LEN + 1);
	return fstatat(c->fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

/* Is one of the directories on the way the root of another zone? */
static bool is_elsewhere(const struct ngc_cache *c, const char *dir)
{
	char path[NGC_LEVELS_TEXT];
	struct stat st;

	for (size_t i = 0; c->n_others > 0 && dir[i] != '\0'; i++) {
		path[i] = dir[i] == '/' ? '\0' : dir[i];
		if (dir[i] != '/')
			continue;
		if (fstatat(c->fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    ngc_cache_avoids(c, (struct ngc_place){ st.st_dev, st.st_ino }))
			return true;
		path[i] = '/';
	}
	return false;
}

enum ngc_code ngc_entry_open(const struct ngc_cache *c, struct ngc_reader *r,
    const char *dir, const char *name, struct ngc_entry *out, struct ngc_error *err)
{
	struct start s = { .first = r->head };
	enum ngc_code code;
	int dirfd;

	if (!ngc_candidate_name(dir, name) || is_missing(c, dir, name) ||
	    is_elsewhere(c, dir))
		return NGC_GONE;
	dirfd = level_dir_pass(c->fd, dir);
	if (dirfd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return NGC_GONE;
	if (dirfd < 0)
		return file_denied(c, dir, name, errno, err);
	memcpy(s.name, name, sizeof(s.name));
	start_read(&s, dirfd);
	code = entry_of_start(c, r, dirfd, dir, &s, out, err);
	if (code == NGC_OK)
		code = check_regular(out, err);
	if (code == NGC_OK) {
		out->dirfd_owned = true;
		return NGC_OK;
	}
	if (s.fd >= 0)
		close(s.fd);
	out->fd = -1;
	close(dirfd);
	return code;
}

void ngc_entry_close(struct ngc_entry *e)
{
	if (e->fd >= 0)
		close(e->fd);
	if (e->dirfd_owned)
		close(e->dirfd);
}

enum ngc_code ngc_entry_unpack(struct ngc_entry *e, struct ngc_reader *r,
    struct ngc_error *err)
{
	e->reader = r;
	e->dirfd = e->fd = -1;
	e->dirfd_owned = false;
	e->orphan = is_orphan(e->cache, e->dir, e->name);
	e->has_stat = true;
	e->has_response = false;
	e->head = ngc_bytes(r->head, 0);
	if (header_read(e) != 0)
		return ngc_fail(err, NGC_DENIED, errno, "%s/%s%s", e->cache->path, e->dir,
		    e->name);
	return NGC_OK;
}

void entry_take_stat(struct ngc_entry *e, const struct stat *st)
{
	e->size = st->st_size;
	e->allocated = (uint64_t)st->st_blocks * 512;
	e->dev = st->st_dev;
	e->ino = st->st_ino;
	e->owner = st->st_uid;
	e->mode = st->st_mode & 07777;
	e->links = st->st_nlink;
	e->changed = st->st_ctim;
	e->has_stat = true;
}

enum ngc_code ngc_entry_stat(struct ngc_entry *e, struct ngc_error *err)
{
	struct stat st;

	if (e->has_stat)
		return NGC_OK;
	if (fstat(e->fd, &st) != 0)
		return ngc_fail(err, NGC_DENIED, errno, "%s/%s%s", e->cache->path,
		    e->dir, e->name);
	entry_take_stat(e, &st);
	return NGC_OK;
}

enum ngc_code ngc_entry_reread(struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code;
	struct stat st;

	if (e->stream != NULL) /* it does not change */
		return NGC_OK;
	e->has_stat = e->has_response = false;
	e->head = ngc_bytes(e->reader->head, 0);
	if (header_read(e) != 0)
		return file_denied(e->cache, e->dir, e->name, errno, err);
	code = ngc_entry_stat(e, err);
	if (code != NGC_OK)
		return code;
	if (fstatat(e->dirfd, e->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT
			 ? NGC_GONE
			 : file_denied(e->cache, e->dir, e->name, errno, err);
	return st.st_dev == e->dev && st.st_ino == e->ino ? NGC_OK : NGC_GONE;
}

/* What a pointer into the head points to does not move: the buffer only grows at its end.
 */
enum ngc_code ngc_entry_response(struct ngc_entry *e, struct ngc_error *err)
{
	const struct ngc_header *h = &e->header;
	size_t end;

	if (!e->has_response) {
		if (entry_head_extend(e, h->body_start) != 0)
			return ngc_fail(err, NGC_DENIED, errno, "%s/%s%s",
			    e->cache->path, e->dir, e->name);
		end = e->head.n < h->body_start ? e->head.n : h->body_start;
		ngc_response_parse(ngc_bytes(e->head.p + h->header_start,
				       end - h->header_start),
		    e->reader->scratch, &e->response);
		e->has_response = true;
	}
	return e->head.n < h->body_start ? NGC_DAMAGED : NGC_OK;
}

void ngc_entry_path(const struct ngc_entry *e, struct ngc_buf *out)
{
	ngc_buf_add_str(out, e->cache->path);
	ngc_buf_add_char(out, '/');
	ngc_buf_add_str(out, e->dir);
	ngc_buf_add_str(out, e->name);
}
