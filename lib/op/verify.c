/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "flaw.h"
#include "holders.h"
#include "ngc/mem.h"
#include "ngc/retry.h"

/*
 * Beside a live nginx a file may be caught while its header is rewritten, or when it has
 * just been replaced: what seems wrong is looked at twice, and told of only when its name
 * still stands for it.
 */

struct verify {
	const struct ngc_verify_request *req;
	struct ngc_verify_result *out;
	pthread_mutex_t lock;     /* for all below, out and the callbacks */
	struct holders holders;
	bool asked;               /* holders was filled in */
};

static void problem(void *arg, const struct ngc_error *err)
{
	struct verify *v = arg;

	pthread_mutex_lock(&v->lock);
	v->out->failed++;
	if (v->req->problem != NULL)
		v->req->problem(v->req->arg, err);
	pthread_mutex_unlock(&v->lock);
}

static void tell(struct verify *v, const struct ngc_zone *zone, struct ngc_buf *path,
    const struct flaw *flaw, bool repaired)
{
	struct ngc_finding f = { .zone = zone,
		.file = ngc_buf_bytes(path),
		.reason = flaw->reason,
		.repaired = repaired };

	memcpy(f.detail, flaw->detail, sizeof(f.detail));
	pthread_mutex_lock(&v->lock);
	v->out->found[ngc_reason_class(f.reason)]++;
	v->out->repaired += repaired;
	v->req->found(v->req->arg, &f);
	pthread_mutex_unlock(&v->lock);
}

/* Does a repair remove the entry? */
static bool is_removed(enum ngc_reason reason)
{
	switch (ngc_reason_class(reason)) {
	case NGC_CLASS_DAMAGED:
		return reason != NGC_REASON_UNREADABLE;
	case NGC_CLASS_MISSERVED:
	case NGC_CLASS_ORPHAN:
		return true;
	case NGC_CLASS_TEMPORARY:
	case NGC_CLASS_FOREIGN:
	case NGC_CLASS_OWNERSHIP:
	case NGC_CLASSES:
		break;
	}
	return false;
}

static void repair_failed(struct verify *v, struct ngc_buf *path, struct ngc_error *err)
{
	const char *file = ngc_buf_str(path);

	ngc_wrap(err, "%s", file != NULL ? file : "out of memory");
	problem(v, err);
}

/* Tell of an entry and, when that is wanted, remove it. */
static void treat_entry(struct verify *v, struct ngc_entry *e, const struct flaw *flaw)
{
	bool remove = v->req->repair && is_removed(flaw->reason);
	enum ngc_outcome outcome = NGC_DONE;
	struct ngc_buf path = { 0 };
	struct ngc_error err;

	ngc_entry_path(e, &path);
	if (path.failed) {
		ngc_no_memory(&err);
		problem(v, &err);
		goto out;
	}
	if (remove && !v->req->dry_run)
		outcome = ngc_entry_remove(e, &err);
	if (outcome == NGC_DONE || outcome == NGC_FAILED)
		tell(v, ngc_cache_told(e->cache), &path, flaw,
		    remove && outcome == NGC_DONE);
	if (outcome == NGC_FAILED)
		repair_failed(v, &path, &err);
out:
	ngc_buf_free(&path);
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct verify *v = arg;
	const struct ngc_router *router = ngc_site_router(v->req->site);
	struct flaw flaw;
	enum ngc_code code = flaw_of_entry(e, router, &flaw, err);

	(void)thread;
	if (code == NGC_OK && flaw.reason == NGC_REASON_NONE)
		return NGC_OK;
	if (code == NGC_OK && flaw.reason != NGC_REASON_UNREADABLE)
		code = ngc_entry_reread(e, err);
	if (code == NGC_OK)
		code = flaw_of_entry(e, router, &flaw, err);
	if (code == NGC_OK && flaw.reason != NGC_REASON_NONE)
		treat_entry(v, e, &flaw);
	if (code != NGC_DENIED)
		return code == NGC_GONE ? NGC_OK : code;
	problem(v, err);
	return NGC_OK;
}

/* Remove the very file that was judged.  NGC_REPLACED: it is not there any more. */
static enum ngc_outcome remove_temporary(const struct ngc_stray *s,
    const struct stat *judged, struct ngc_error *err)
{
	struct stat st;

	if (fstatat(s->dirfd, s->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT)
			return NGC_REPLACED;
		ngc_fail(err, NGC_DENIED, errno, "stat");
		return NGC_FAILED;
	}
	if (st.st_dev != judged->st_dev || st.st_ino != judged->st_ino)
		return NGC_REPLACED;
	if (unlinkat(s->dirfd, s->name, 0) == 0)
		return NGC_DONE;
	if (errno == ENOENT)
		return NGC_REPLACED;
	ngc_fail(err, NGC_DENIED, errno, "unlink");
	return NGC_FAILED;
}

/* Open the file, so that it can be asked about; -1: held, *why says so, or gone. */
static int open_unheld(struct verify *v, const struct ngc_stray *s,
    const struct stat *judged, const char **why)
{
	struct ngc_place place = { judged->st_dev, judged->st_ino };
	enum held held = HELD_UNKNOWN;
	struct stat st;
	int fd;

	if (!v->asked)
		holders_read(&v->holders);
	v->asked = true;
	fd = NGC_RETRY(openat(s->dirfd, s->name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	if (fd >= 0 && fstat(fd, &st) == 0 &&
	    ngc_place_same(place, (struct ngc_place){ st.st_dev, st.st_ino }))
		held = holders_ask(&v->holders, fd, place);
	if (held == HELD_NOT)
		return fd;
	if (fd >= 0)
		close(fd);
	*why = held == HELD ? "a process holds it open"
			    : "it cannot be told whether a process holds it open";
	return -1;
}

/* Sets *removed; in a dry run: it would be. */
static enum ngc_outcome repair_temporary(struct verify *v, const struct ngc_stray *s,
    const struct stat *st, struct flaw *flaw, bool *removed, struct ngc_error *err)
{
	enum ngc_outcome outcome = NGC_DONE;
	const char *why;
	int fd;

	pthread_mutex_lock(&v->lock); /* no other thread has a file open while one asks */
	fd = open_unheld(v, s, st, &why);
	if (fd < 0) {
		snprintf(flaw->detail, sizeof(flaw->detail), "%s", why);
	} else {
		if (!v->req->dry_run)
			outcome = remove_temporary(s, st, err);
		*removed = outcome == NGC_DONE;
		holders_close(fd);
	}
	pthread_mutex_unlock(&v->lock);
	return outcome;
}

static void treat_stray(struct verify *v, const struct ngc_stray *s,
    const struct stat *st, struct flaw *flaw)
{
	const struct ngc_zone *zone = ngc_cache_zone(s->cache);
	struct ngc_buf path = { 0 };
	enum ngc_outcome outcome = NGC_DONE;
	struct ngc_error err;
	bool repaired = false;

	ngc_buf_printf(&path, "%s/%s", zone->path, s->dir);
	ngc_buf_add_str(&path, s->name);
	if (path.failed) {
		ngc_no_memory(&err);
		problem(v, &err);
		goto out;
	}
	if (v->req->repair && flaw->reason == NGC_REASON_TEMPORARY &&
	    flaw_is_old(st, time(NULL)))
		outcome = repair_temporary(v, s, st, flaw, &repaired, &err);
	if (outcome != NGC_REPLACED)
		tell(v, zone, &path, flaw, repaired);
	if (outcome == NGC_FAILED)
		repair_failed(v, &path, &err);
out:
	ngc_buf_free(&path);
}

static void stray_failed(struct verify *v, const struct ngc_stray *s, int sys)
{
	struct ngc_error err;

	ngc_fail(&err, NGC_DENIED, sys, "%s/%s%s", ngc_cache_path(s->cache), s->dir,
	    s->name);
	problem(v, &err);
}

static void judge_stray(void *arg, const struct ngc_stray *s)
{
	struct verify *v = arg;
	struct ngc_error err;
	struct flaw flaw;
	struct stat st;

	if (fstatat(s->dirfd, s->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno != ENOENT)
			stray_failed(v, s, errno);
		return;
	}
	if (S_ISDIR(st.st_mode) &&
	    ngc_cache_avoids(s->cache, (struct ngc_place){ st.st_dev, st.st_ino }))
		return;
	if (S_ISDIR(st.st_mode) && s->kind == NGC_STRAY_TEMP_DIR) {
		if (ngc_stray_temp_files(s, judge_stray, v, &err) != NGC_OK)
			problem(v, &err);
		return;
	}
	flaw_of_stray(s, &st, v->req->now, &flaw);
	if (flaw.reason != NGC_REASON_NONE)
		treat_stray(v, s, &st, &flaw);
}

static enum ngc_code stray(void *arg, unsigned thread, const struct ngc_stray *s,
    struct ngc_error *err)
{
	(void)thread;
	(void)err;
	judge_stray(arg, s);
	return NGC_OK;
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	struct verify *v = arg;

	if (v->req->damaged_met == NULL)
		return;
	pthread_mutex_lock(&v->lock);
	v->req->damaged_met(v->req->arg, e);
	pthread_mutex_unlock(&v->lock);
}

enum ngc_code ngc_verify(const struct ngc_verify_request *req,
    struct ngc_verify_result *out, struct ngc_error *err)
{
	struct verify v = { .req = req, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select_run run = { .site = req->site,
		.select = req->select,
		.now = req->now,
		.pace = req->pace,
		.walking = req->walking,
		.loose = req->loose,
		.explain_misses = true,
		.damaged = true,
		.stop = req->stop,
		.visit = visit,
		.stray = stray,
		.damaged_met = damaged_met,
		.problem = problem,
		.arg = &v };
	enum ngc_code code;

	*out = (struct ngc_verify_result){ 0 };
	code = ngc_select_execute(&run, &out->selected, err);
	holders_free(&v.holders);
	pthread_mutex_destroy(&v.lock);
	return code;
}

void ngc_verify_result_free(struct ngc_verify_result *r)
{
	ngc_select_result_free(&r->selected);
	*r = (struct ngc_verify_result){ 0 };
}
