/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/purge.h"

#include <stdlib.h>
#include <time.h>

#include "ngc/mem.h"
#include "purge.h"

/*
 * The second pass of --settle selects like the first, with the same filters at the same
 * time. What it meets was stored since, or was left as it is by the first: entries that
 * the mode would not change are passed over, and what failed before fails again unsaid.
 * So nothing need be remembered of the first pass, however much it purged.
 */

const char *ngc_purge_mode_name(enum ngc_purge_mode m)
{
	static const char *const names[] = { "remove", "invalidate", "expire" };

	return names[m];
}

static enum ngc_outcome act(const struct ngc_purge_request *req, struct ngc_entry *e,
    struct ngc_error *err)
{
	if (req->dry_run)
		return req->mode == NGC_PURGE_REMOVE ? ngc_entry_try_remove(e, err)
						     : ngc_entry_try_write(e, err);
	switch (req->mode) {
	case NGC_PURGE_REMOVE:
		return ngc_entry_remove(e, err);
	case NGC_PURGE_INVALIDATE:
		return ngc_entry_invalidate(e, err);
	case NGC_PURGE_EXPIRE:
		return ngc_entry_expire(e, time(NULL), req->refetch, err);
	}
	return NGC_FAILED;
}

/* The first errors are kept for the answer; memory for them is no reason to fail. */
void purge_keep_error(struct ngc_purge_result *r, const char *file,
    const struct ngc_error *err)
{
	struct ngc_purge_error *kept = &r->errors[r->n_errors];

	if (r->n_errors == NGC_PURGE_ERRORS_MAX)
		return;
	kept->file = file != NULL ? strdup(file) : NULL;
	kept->text = strdup(err->text);
	r->n_errors++;
}

static void report_failure(struct purge *p, const struct ngc_entry *e,
    struct ngc_error *err)
{
	struct ngc_buf path = { 0 };
	const char *file;

	ngc_entry_path(e, &path);
	file = ngc_buf_str(&path);
	purge_keep_error(p->out, file, err);
	ngc_wrap(err, "%s", file != NULL ? file : e->name);
	if (p->req->problem != NULL)
		p->req->problem(p->req->arg, err);
	ngc_buf_free(&path);
}

static void count_purged(struct purge *p, struct ngc_entry *e)
{
	struct ngc_purge_result *r = p->out;
	struct ngc_purge_zone *z = &r->zones[ngc_site_zone_index(p->req->site,
	    ngc_cache_zone(e->cache))];
	uint64_t size = e->has_stat ? (uint64_t)e->size : 0;

	r->purged++;
	r->variants += !e->damaged && ngc_header_is_variant(&e->header, e->name);
	r->bytes += size;
	z->purged++;
	z->bytes += size;
	if (p->req->each != NULL)
		p->req->each(p->req->arg, e);
}

void purge_count(struct purge *p, struct ngc_entry *e, enum ngc_outcome outcome,
    struct ngc_error *err)
{
	struct ngc_purge_result *r = p->out;

	r->matched++;
	switch (outcome) {
	case NGC_DONE:
		count_purged(p, e);
		break;
	case NGC_ALREADY_GONE:
		r->already_gone++;
		break;
	case NGC_REPLACED:
		r->replaced++;
		break;
	case NGC_FAILED:
		r->failed++;
		report_failure(p, e, err);
		break;
	}
}

static bool is_earlier(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

enum ngc_code purge_visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct purge *p = arg;
	enum ngc_outcome outcome;
	struct ngc_error ignored;

	(void)thread;
	outcome = act(p->req, e, err);
	if (ngc_entry_stat(e, &ignored) == NGC_OK && p->again && outcome == NGC_FAILED &&
	    is_earlier(e->changed, p->began))
		return NGC_OK; /* as in the first pass */
	pthread_mutex_lock(&p->lock);
	purge_count(p, e, outcome, err);
	pthread_mutex_unlock(&p->lock);
	return NGC_OK;
}

/* Of the second pass: is there anything to do about the entry? */
static bool wanted(void *arg, struct ngc_entry *e)
{
	const struct purge *p = arg;
	const struct ngc_header *h = &e->header;

	if (e->damaged)
		return true;
	if (h->invalidated)
		return false;
	if (ngc_layout_version(h->layout) == 0 && p->req->mode != NGC_PURGE_EXPIRE)
		return h->valid != 1;
	return p->req->mode != NGC_PURGE_EXPIRE || h->valid >= time(NULL) ||
	       (p->req->refetch && (h->etag.n > 0 || h->last_modified != -1));
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	struct purge *p = arg;

	if (p->req->damaged_met == NULL)
		return;
	pthread_mutex_lock(&p->lock);
	p->req->damaged_met(p->req->arg, e);
	pthread_mutex_unlock(&p->lock);
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct purge *p = arg;

	if (p->again && p->out->found.failed > 0)
		return; /* what could not be read is the same */
	pthread_mutex_lock(&p->lock);
	purge_keep_error(p->out, NULL, err);
	if (p->req->problem != NULL)
		p->req->problem(p->req->arg, err);
	pthread_mutex_unlock(&p->lock);
}

struct ngc_select_run purge_run(struct purge *p)
{
	const struct ngc_purge_request *req = p->req;

	return (struct ngc_select_run){ .site = req->site,
		.select = req->select,
		.now = req->now,
		.pace = req->pace,
		.walking = req->walking,
		.loose = req->loose,
		.explain_misses = !p->again,
		.writes = !req->dry_run,
		.damaged = req->mode ==
			   NGC_PURGE_REMOVE, /* elsewhere there is no field to write */
		.stop = req->stop,
		.visit = purge_visit,
		.wanted = p->again ? wanted : NULL,
		.damaged_met = p->again ? NULL : damaged_met,
		.problem = problem,
		.arg = p };
}

static enum ngc_code pass(struct purge *p, struct ngc_select_result *found,
    struct ngc_error *err)
{
	struct ngc_select_run run = purge_run(p);

	/* Variants are stored also when the main entry that told of them is gone. */
	if (p->again && p->out->found.walked)
		run.walking = NGC_WALK_ALWAYS;
	return ngc_select_execute(&run, found, err);
}

bool purge_stopped(const struct ngc_purge_request *req)
{
	return req->stop != NULL && *req->stop != 0;
}

static int64_t milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* In small steps: a signal that comes between the question and the sleep is seen soon. */
static void wait_for_answers(const struct ngc_purge_request *req)
{
	static const struct timespec step = { 0, 50 * 1000000L };
	int64_t began = milliseconds();

	while ((milliseconds() - began) / 1000 < req->settle_seconds &&
	       !purge_stopped(req))
		nanosleep(&step, NULL);
}

static void add_found(struct ngc_select_result *sum, const struct ngc_select_result *more)
{
	for (size_t i = 0; i < sum->n_selectors && i < more->n_selectors; i++) {
		struct ngc_selector_result *s = &sum->selectors[i];
		uint64_t ambiguous = more->selectors[i].ambiguous;

		s->matched += more->selectors[i].matched;
		if (s->ambiguous < ambiguous)
			s->ambiguous = ambiguous;
	}
	sum->matched += more->matched;
	if (sum->ambiguous < more->ambiguous)
		sum->ambiguous = more->ambiguous;
	sum->walked |= more->walked;
	sum->failed += more->failed;
}

static enum ngc_code settle(struct purge *p, struct ngc_error *err)
{
	struct ngc_select_result found;
	enum ngc_code code;

	wait_for_answers(p->req);
	if (purge_stopped(p->req))
		return NGC_OK;
	p->again = true;
	code = pass(p, &found, err);
	add_found(&p->out->found, &found);
	ngc_select_result_free(&found);
	if (code == NGC_INVALID) { /* a directory that was a cache is none any more */
		ngc_wrap(err, "after settling");
		code = err->code = NGC_DENIED;
	}
	return code;
}

/* Whatever nginx says against it, it is too late for "nothing was touched". */
static enum ngc_code reload(struct purge *p, struct ngc_error *err)
{
	struct ngc_reload_request req = { .site = p->req->site,
		.signal = NGC_SIGNAL_RELOAD,
		.stop = p->req->stop };
	enum ngc_code code = ngc_reload(&req, &p->out->reload, err);

	if (code == NGC_INVALID)
		code = err->code = NGC_DENIED;
	return code;
}

enum ngc_code ngc_purge(const struct ngc_purge_request *req, struct ngc_purge_result *out,
    struct ngc_error *err)
{
	struct purge p = { .req = req, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER };
	enum ngc_code code;

	*out = (struct ngc_purge_result){ 0 };
	if (ngc_select_is_empty(req->select))
		return ngc_fail(err, NGC_INVALID, 0,
		    "nothing selected: name a URL, a pattern or a filter, or --all for "
		    "everything");
	if (req->backup != NULL && req->settle)
		return ngc_fail(err, NGC_INVALID, 0,
		    "--backup and --settle exclude each other: what is stored meanwhile "
		    "is in no archive");
	if (req->reload) {
		code = ngc_reload_check(req->site, err);
		if (code != NGC_OK)
			return code;
	}
	out->zones = ngc_array_alloc(ngc_site_zones(req->site), sizeof(*out->zones));
	if (out->zones == NULL) {
		code = ngc_no_memory(err);
		purge_keep_error(out, NULL, err);
		return code;
	}
	clock_gettime(CLOCK_REALTIME_COARSE, &p.began);
	code = req->backup != NULL && !req->dry_run ? purge_with_backup(&p, err)
						    : pass(&p, &out->found, err);
	if (code == NGC_OK && req->settle && !req->dry_run)
		code = settle(&p, err);
	if (code == NGC_OK && req->reload && !req->dry_run && !purge_stopped(req))
		code = reload(&p, err);
	if (code != NGC_OK)
		purge_keep_error(out, NULL, err);
	pthread_mutex_destroy(&p.lock);
	return code;
}

void ngc_purge_result_free(struct ngc_purge_result *r)
{
	for (unsigned i = 0; i < r->n_errors; i++) {
		free(r->errors[i].file);
		free(r->errors[i].text);
	}
	ngc_select_result_free(&r->found);
	ngc_archive_result_free(&r->backup);
	ngc_reload_result_free(&r->reload);
	free(r->zones);
	*r = (struct ngc_purge_result){ 0 };
}
