/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/mem.h"

/* One directory of a walk: its names told apart, its candidates opened in batches. */

static unsigned depth_of(const struct level_dir *d)
{
	unsigned depth = 0;

	for (const char *p = d->path; *p != '\0'; p++)
		depth += *p == '/';
	return depth;
}

/* d_type, asked of stat where the file system does not tell. */
static unsigned char type_of(int dirfd, const char *name, unsigned char type)
{
	struct stat st;

	if (type != DT_UNKNOWN)
		return type;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return DT_UNKNOWN;
	return S_ISREG(st.st_mode) ? DT_REG : S_ISDIR(st.st_mode) ? DT_DIR : DT_LNK;
}

static void report_file(struct worker *w, const struct level_dir *d, const char *name,
    int sys)
{
	ngc_fail(&w->err, NGC_DENIED, sys, "%s/%s%s",
	    ngc_cache_path(w->crew->walk->cache), d->path, name);
	walk_report(w);
}

static void add_size(struct worker *w, int dirfd, const struct level_dir *d,
    const char *name)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno != ENOENT)
			report_file(w, d, name, errno);
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	w->totals.candidates++;
	w->totals.bytes += (uint64_t)st.st_size;
	w->totals.allocated += (uint64_t)st.st_blocks * 512;
}

static enum ngc_code stray(struct worker *w, int dirfd, const struct level_dir *d,
    const char *name, enum ngc_stray_kind kind)
{
	const struct ngc_walk *walk = w->crew->walk;
	struct ngc_stray s = { walk->cache, kind, dirfd, d->path, name };

	if (walk->stray == NULL)
		return NGC_OK;
	return walk->stray(walk->arg, w->number, &s, &w->err);
}

static enum ngc_code visit(struct worker *w, int dirfd, const struct level_dir *d,
    const struct start *s)
{
	const struct ngc_walk *walk = w->crew->walk;
	struct ngc_entry e;
	enum ngc_code code;

	code = entry_of_start(walk->cache, w->reader, dirfd, d->path, s, &e, &w->err);
	if (code == NGC_GONE)
		return NGC_OK;
	if (code == NGC_DENIED && w->err.sys == EIO && walk->stray != NULL)
		return stray(w, dirfd, d, s->name, NGC_STRAY_UNREADABLE);
	if (code != NGC_OK) {
		walk_report(w);
		return NGC_OK;
	}
	w->totals.candidates++;
	w->totals.damaged += e.damaged;
	w->totals.orphans += e.orphan;
	if (walk->sizes && ngc_entry_stat(&e, &w->err) != NGC_OK) {
		walk_report(w);
	} else if (walk->sizes) {
		w->totals.bytes += (uint64_t)e.size;
		w->totals.allocated += e.allocated;
	}
	return walk->visit(walk->arg, w->number, &e, &w->err);
}

static enum ngc_code visit_batch(struct worker *w, int dirfd, const struct level_dir *d)
{
	struct batch *b = w->batch;
	enum ngc_code code = NGC_OK;
	size_t from = 0;

	while (code == NGC_OK && from < b->n && !walk_stopped(w->crew)) {
		size_t to = batch_read(b, from, dirfd);

		for (size_t i = from;
		     code == NGC_OK && i < to && !walk_stopped(w->crew); i++)
			code = visit(w, dirfd, d, &b->of[i]);
		batch_close(b, from, to);
		walk_pause(w);
		from = to;
	}
	b->n = 0;
	return code;
}

static enum ngc_code candidate(struct worker *w, int dirfd, const struct level_dir *d,
    const char *name)
{
	if (w->crew->walk->headers) {
		batch_add(w->batch, name);
		return w->batch->n == BATCH_MAX ? visit_batch(w, dirfd, d) : NGC_OK;
	}
	if (w->crew->walk->sizes)
		add_size(w, dirfd, d, name);
	else
		w->totals.candidates++;
	if (w->totals.candidates % BATCH_MAX == 0)
		walk_pause(w);
	return NGC_OK;
}

static enum ngc_code one_name(struct worker *w, int dirfd, const struct level_dir *d,
    const char *name, unsigned char type)
{
	enum ngc_stray_kind kind = NGC_STRAY_OTHER;

	switch (name_kind(name)) {
	case NAME_CANDIDATE:
		if (strcmp(name + NGC_NAME_LEN - w->tail_len, w->tail) == 0 &&
		    type_of(dirfd, name, type) == DT_REG)
			return candidate(w, dirfd, d, name);
		kind = NGC_STRAY_NAME;
		break;
	case NAME_LEVEL:
		if (depth_of(d) < NGC_LEVELS_MAX && type_of(dirfd, name, type) == DT_DIR)
			return walk_push(w, d, name);
		break;
	case NAME_TEMP_FILE:
		w->totals.temporary++;
		return stray(w, dirfd, d, name, NGC_STRAY_TEMP_FILE);
	case NAME_TEMP_DIR:
		w->totals.temporary++;
		return stray(w, dirfd, d, name, NGC_STRAY_TEMP_DIR);
	case NAME_OTHER:
		break;
	}
	w->totals.foreign++;
	return stray(w, dirfd, d, name, kind);
}

static bool is_other_root(const struct ngc_walk *walk, int fd)
{
	struct stat st;

	return walk->cache->n_others > 0 && fstat(fd, &st) == 0 &&
	       ngc_cache_avoids(walk->cache, (struct ngc_place){ st.st_dev, st.st_ino });
}

/* A directory that cannot be opened or read; one that is gone, or swapped for a link, is
 * none. */
static void report_directory(struct worker *w, const struct level_dir *d, int sys)
{
	struct ngc_buf path = { 0 };
	const char *text;

	if (sys == ENOENT || sys == ENOTDIR || sys == ELOOP)
		return;
	ngc_buf_printf(&path, "%s/%s", w->crew->walk->cache->zone->path, d->path);
	if (path.n > 0 && d->path[0] != '\0')
		path.n--; /* the slash behind a level directory */
	text = ngc_buf_str(&path);
	access_denied(text != NULL ? text : d->path, sys, &w->err);
	ngc_buf_free(&path);
	walk_report(w);
}

static enum ngc_code read_names(struct worker *w, int fd, const struct level_dir *d)
{
	enum ngc_code code = NGC_OK;
	unsigned char type;
	const char *name;

	if (dir_reader_start(w->dir, fd) != 0) {
		report_directory(w, d, errno);
		return NGC_OK;
	}
	levels_tail(d->path, w->tail);
	w->tail_len = strlen(w->tail);
	w->batch->n = 0;
	while (code == NGC_OK && !walk_stopped(w->crew)) {
		errno = 0;
		name = dir_reader_next(w->dir, &type);
		if (name == NULL) {
			if (errno != 0)
				report_directory(w, d, errno);
			break;
		}
		code = one_name(w, fd, d, name, type);
	}
	return code == NGC_OK ? visit_batch(w, fd, d) : code;
}

enum ngc_code walk_directory(struct worker *w, const struct level_dir *d)
{
	const struct ngc_walk *walk = w->crew->walk;
	int fd = level_dir_open(walk->cache->fd, d->path);
	enum ngc_code code = NGC_OK;

	if (fd < 0) {
		report_directory(w, d, errno);
		return NGC_OK;
	}
	if (d->path[0] == '\0' || !is_other_root(walk, fd)) {
		if (walk->enter != NULL)
			walk->enter(walk->arg, w->number, fd, d->path);
		code = read_names(w, fd, d);
	}
	close(fd);
	return code;
}
