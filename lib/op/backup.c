/* SPDX-License-Identifier: BSD-2-Clause */
#include "purge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

/*
 * A purge of what is safe in an archive.  While the archive is written, a journal (a file
 * without a name) takes down which file each member was read from: its path, inode and
 * time of change.  When the archive is in its place, the journal is gone through, and a
 * file that is still that one, unchanged, is purged.  So the selection is judged once,
 * variants go before their main entry as they were found, and memory stays bounded.
 */

/* A file that was archived. */
struct record {
	size_t zone;
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1];
	dev_t dev;
	ino_t ino;
	struct timespec changed;
};

#define RECORDS 512 /* written and read at a time */

struct backup {
	struct purge *purge;
	int journal;
	off_t size;    /* of the journal */
	struct record records[RECORDS];
	size_t n;      /* records that are not written yet */
	int sys;       /* errno of the journal's failure, or 0 */
	bool told;     /* the failure that is reported next stands among the errors */
	struct ngc_cache **caches; /* one for each zone of the site, opened when needed */
	struct ngc_reader *reader;
};

static void write_journal(struct backup *b)
{
	const char *p = (const char *)b->records;
	size_t left = b->n * sizeof(b->records[0]);

	while (left > 0 && b->sys == 0) {
		ssize_t n = pwrite(b->journal, p, left, b->size);

		if (n < 0 && errno != EINTR)
			b->sys = errno;
		if (n <= 0)
			continue;
		p += n;
		left -= (size_t)n;
		b->size += n;
	}
	b->n = 0;
}

static void take_down(struct backup *b, const struct ngc_entry *e, const struct stat *st)
{
	struct record *r = &b->records[b->n++];

	memset(r, 0, sizeof(*r));
	r->zone = ngc_site_zone_index(b->purge->req->site, ngc_cache_zone(e->cache));
	memcpy(r->dir, e->dir, strlen(e->dir) + 1);
	memcpy(r->name, e->name, sizeof(r->name));
	r->dev = st->st_dev;
	r->ino = st->st_ino;
	r->changed = st->st_ctim;
	if (b->n == RECORDS)
		write_journal(b);
}

static void keep_failure(struct backup *b, const struct ngc_entry *e,
    const struct ngc_error *err)
{
	struct ngc_buf path = { 0 };

	ngc_entry_path(e, &path);
	purge_keep_error(b->purge->out, ngc_buf_str(&path), err);
	ngc_buf_free(&path);
	b->told = true;
}

static void each(void *arg, const struct ngc_entry *e, const struct stat *st,
    enum ngc_archive_fate fate, const struct ngc_error *err)
{
	struct backup *b = arg;
	struct ngc_purge_result *out = b->purge->out;

	if (fate == NGC_ARCHIVED) {
		take_down(b, e, st);
		return;
	}
	out->matched++;
	out->already_gone += fate == NGC_ARCHIVE_GONE;
	out->failed += fate == NGC_ARCHIVE_FAILED;
	if (fate == NGC_ARCHIVE_FAILED)
		keep_failure(b, e, err);
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct backup *b = arg;
	const struct ngc_purge_request *req = b->purge->req;

	if (!b->told)
		purge_keep_error(b->purge->out, NULL, err);
	b->told = false;
	if (req->problem != NULL)
		req->problem(req->arg, err);
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	struct backup *b = arg;
	const struct ngc_purge_request *req = b->purge->req;

	if (req->damaged_met != NULL)
		req->damaged_met(req->arg, e);
}

static void progress(void *arg, const struct ngc_archive_result *so_far)
{
	struct backup *b = arg;
	const struct ngc_purge_request *req = b->purge->req;

	if (req->archived != NULL)
		req->archived(req->arg, so_far);
}

static enum ngc_code archive(struct backup *b, struct ngc_error *err)
{
	struct purge *p = b->purge;
	struct ngc_select_run run = purge_run(p);
	struct ngc_archive_request req = { .run = &run,
		.file = p->req->backup,
		.version = p->req->version,
		.not_empty = true,
		.durable = true,
		.each = each,
		.progress = progress,
		.arg = b };
	enum ngc_code code;

	run.writes = false;
	run.pace.progress = NULL; /* req.progress says more */
	run.problem = problem;
	run.damaged_met = damaged_met;
	run.arg = b;
	code = ngc_archive(&req, &p->out->backup, err);
	p->out->found = p->out->backup.found;
	p->out->backup.found = (struct ngc_select_result){ 0 };
	write_journal(b);
	if (code == NGC_OK && b->sys != 0)
		code = ngc_fail(err, NGC_DENIED, b->sys, "%s: what was archived",
		    p->req->backup);
	return code;
}

static void failed(struct purge *p, const struct ngc_error *err)
{
	p->out->matched++;
	p->out->failed++;
	purge_keep_error(p->out, NULL, err);
	if (p->req->problem != NULL)
		p->req->problem(p->req->arg, err);
}

/* The cache of a zone, opened when it is needed; NULL: it cannot be, err tells. */
static struct ngc_cache *cache_of(struct backup *b, size_t zone, struct ngc_error *err)
{
	const struct ngc_site *site = b->purge->req->site;

	if (b->caches[zone] == NULL)
		ngc_site_cache(site, ngc_site_zone(site, zone), &b->caches[zone], err);
	return b->caches[zone];
}

static bool is_archived(const struct ngc_entry *e, const struct record *r)
{
	return e->dev == r->dev && e->ino == r->ino &&
	       e->changed.tv_sec == r->changed.tv_sec &&
	       e->changed.tv_nsec == r->changed.tv_nsec;
}

static enum ngc_code purge_one(struct backup *b, const struct record *r,
    struct ngc_error *err)
{
	struct purge *p = b->purge;
	struct ngc_cache *c = cache_of(b, r->zone, err);
	enum ngc_code code = NGC_DENIED;
	struct ngc_entry e;

	if (c != NULL)
		code = ngc_entry_open(c, b->reader, r->dir, r->name, &e, err);
	if (code == NGC_GONE) {
		p->out->matched++;
		p->out->already_gone++;
		return NGC_OK;
	}
	if (code != NGC_OK) {
		failed(p, err);
		return NGC_OK;
	}
	if (ngc_entry_stat(&e, err) != NGC_OK)
		failed(p, err);
	else if (!is_archived(&e, r))
		purge_count(p, &e, NGC_REPLACED, err);
	else
		code = purge_visit(p, 0, &e, err);
	ngc_entry_close(&e);
	return code;
}

/* Read the next records; *n is 0 at the end. */
static enum ngc_code read_journal(struct backup *b, off_t at, size_t *n,
    struct ngc_error *err)
{
	off_t left = b->size - at;
	size_t want = left < (off_t)sizeof(b->records) ? (size_t)left
						       : sizeof(b->records);
	size_t have = 0;

	while (have < want) {
		ssize_t k = pread(b->journal, (char *)b->records + have, want - have,
		    at + (off_t)have);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return ngc_fail(err, NGC_FATAL, k < 0 ? errno : EIO,
			    "what was archived");
		have += (size_t)k;
	}
	*n = have / sizeof(b->records[0]);
	return NGC_OK;
}

static enum ngc_code purge_archived(struct backup *b, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	size_t n = 0;

	for (off_t at = 0; at < b->size && code == NGC_OK;
	     at += (off_t)(n * sizeof(b->records[0]))) {
		code = read_journal(b, at, &n, err);
		for (size_t i = 0; i < n && code == NGC_OK; i++) {
			if (purge_stopped(b->purge->req))
				return NGC_OK;
			code = purge_one(b, &b->records[i], err);
		}
	}
	return code;
}

enum ngc_code purge_with_backup(struct purge *p, struct ngc_error *err)
{
	size_t zones = ngc_site_zones(p->req->site);
	struct backup *b = calloc(1, sizeof(*b));
	enum ngc_code code;

	if (b == NULL)
		return ngc_no_memory(err);
	b->purge = p;
	b->reader = ngc_reader_new();
	b->caches = ngc_array_alloc(zones, sizeof(struct ngc_cache *));
	b->journal = output_spool_beside(p->req->backup);
	if (b->reader == NULL || b->caches == NULL)
		code = ngc_no_memory(err);
	else if (b->journal < 0)
		code = ngc_fail(err, NGC_DENIED, errno, "%s", p->req->backup);
	else
		code = archive(b, err);
	if (code == NGC_OK && p->out->backup.complete)
		code = purge_archived(b, err);
	for (size_t i = 0; b->caches != NULL && i < zones; i++)
		ngc_cache_close(b->caches[i]);
	if (b->journal >= 0)
		close(b->journal);
	ngc_reader_free(b->reader);
	free(b->caches);
	free(b);
	return code;
}
