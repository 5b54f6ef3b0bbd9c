/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/purge.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ngc/mem.h"

struct purge {
	const struct ngc_purge_request *req;
	struct ngc_purge_result *out;
	pthread_mutex_t lock; /* for out and the request's callbacks */
};

const char *ngc_purge_mode_name(enum ngc_purge_mode m)
{
	static const char *const names[] = { "remove", "invalidate", "expire" };

	return names[m];
}

static enum ngc_outcome act(const struct ngc_purge_request *req, struct ngc_entry *e,
    struct ngc_error *err)
{
	if (req->dry_run)
		return NGC_DONE;
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
static void keep_error(struct ngc_purge_result *r, const char *file,
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
	keep_error(p->out, file, err);
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

static void count(struct purge *p, struct ngc_entry *e, enum ngc_outcome outcome,
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

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct purge *p = arg;
	enum ngc_outcome outcome;

	(void)thread;
	outcome = ngc_entry_stat(e, err) == NGC_OK ? act(p->req, e, err) : NGC_FAILED;
	pthread_mutex_lock(&p->lock);
	count(p, e, outcome, err);
	pthread_mutex_unlock(&p->lock);
	return NGC_OK;
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

	pthread_mutex_lock(&p->lock);
	keep_error(p->out, NULL, err);
	if (p->req->problem != NULL)
		p->req->problem(p->req->arg, err);
	pthread_mutex_unlock(&p->lock);
}

enum ngc_code ngc_purge(const struct ngc_purge_request *req, struct ngc_purge_result *out,
    struct ngc_error *err)
{
	struct purge p = { .req = req, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select_run run = { .site = req->site,
		.select = req->select,
		.now = req->now,
		.jobs = req->jobs,
		.walking = req->walking,
		.loose = req->loose,
		.explain_misses = true,
		.damaged = req->mode ==
			   NGC_PURGE_REMOVE, /* elsewhere there is no field to write */
		.stop = req->stop,
		.visit = visit,
		.damaged_met = damaged_met,
		.problem = problem,
		.arg = &p };
	enum ngc_code code;

	*out = (struct ngc_purge_result){ 0 };
	if (ngc_select_is_empty(req->select))
		return ngc_fail(err, NGC_INVALID, 0,
		    "nothing selected: name a URL, a pattern or a filter, or --all for "
		    "everything");
	out->zones = ngc_array_alloc(ngc_site_zones(req->site), sizeof(*out->zones));
	if (out->zones == NULL)
		return ngc_no_memory(err);
	code = ngc_select_execute(&run, &out->found, err);
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
	free(r->zones);
	*r = (struct ngc_purge_result){ 0 };
}
