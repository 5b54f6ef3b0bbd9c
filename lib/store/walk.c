/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "walk.h"

/*
 * The walk: directories wait on a stack, threads take them off and push what they find
 * below. A directory is a path of at most "ab/cd/ef/", names are looked at relative to
 * its descriptor and never become path strings, and every thread has one set of buffers
 * for all its entries.
 */

static unsigned count_processors(void)
{
	long n;
#ifdef __linux__
	cpu_set_t set; /* glibc's sysconf() reads a file of /sys */

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
#endif
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

/* How many we may run on.  The first answer stands: arrays were made for it. */
static unsigned processors(void)
{
	static _Atomic unsigned known;

	if (known == 0)
		known = count_processors();
	return known;
}

/* A chain of waits for the disk is what threads hide: more than there are processors. */
unsigned ngc_walk_jobs(const struct ngc_pace *pace)
{
	unsigned chosen = 2 * processors();

	if (pace->jobs != 0)
		return pace->jobs;
	if (pace->gentle)
		return 1;
	return chosen > 16 ? chosen : 16;
}

static void fail_crew(struct crew *c, enum ngc_code code, const struct ngc_error *err)
{
	pthread_mutex_lock(&c->lock);
	if (c->code == NGC_OK) {
		c->code = code;
		c->err = *err;
	}
	pthread_cond_broadcast(&c->more);
	pthread_mutex_unlock(&c->lock);
}

bool walk_stopped(const struct crew *c)
{
	return c->walk->stop != NULL && *c->walk->stop != 0;
}

void walk_report(struct worker *w)
{
	struct crew *c = w->crew;

	w->totals.failed++;
	pthread_mutex_lock(&c->lock);
	if (c->walk->problem != NULL)
		c->walk->problem(c->walk->arg, &w->err);
	pthread_mutex_unlock(&c->lock);
}

#define REST_MIN  (1000 * 1000) /* nanoseconds; shorter ones are not worth the call */
#define REST_MAX  (100 * 1000 * 1000) /* a signal waits as long at most */

static int64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void rest(struct worker *w)
{
	int64_t worked = clock_now() - w->woke;
	struct timespec t = { 0 };

	if (worked < REST_MIN)
		return;
	t.tv_nsec = worked < REST_MAX ? worked : REST_MAX - 1;
	nanosleep(&t, NULL);
	w->woke = clock_now();
}

void walk_pause(struct worker *w)
{
	const struct ngc_pace *pace = &w->crew->walk->pace;

	if (pace->progress != NULL && w->told < w->totals.candidates) {
		pthread_mutex_lock(&w->crew->lock);
		pace->progress(pace->arg, w->totals.candidates - w->told);
		pthread_mutex_unlock(&w->crew->lock);
		w->told = w->totals.candidates;
	}
	if (pace->gentle)
		rest(w);
}

enum ngc_code walk_push(struct worker *w, const struct level_dir *up, const char *name)
{
	struct crew *c = w->crew;
	size_t base = strlen(up->path), n = strlen(name);
	enum ngc_code code = NGC_OK;

	pthread_mutex_lock(&c->lock);
	if (ngc_array_grow((void **)&c->stack, c->n, &c->cap, sizeof(*c->stack))) {
		struct level_dir *d = &c->stack[c->n++];

		memcpy(d->path, up->path, base);
		memcpy(d->path + base, name, n);
		memcpy(d->path + base + n, "/", 2);
		pthread_cond_signal(&c->more);
	} else {
		code = ngc_no_memory(&w->err);
	}
	pthread_mutex_unlock(&c->lock);
	return code;
}

/* Take a directory off the stack; false when there is no more work for anybody. */
static bool take(struct crew *c, struct level_dir *out)
{
	bool got = false;

	pthread_mutex_lock(&c->lock);
	while (c->n == 0 && c->busy > 0 && c->code == NGC_OK)
		pthread_cond_wait(&c->more, &c->lock);
	if (c->n > 0 && c->code == NGC_OK && !walk_stopped(c)) {
		*out = c->stack[--c->n];
		c->busy++;
		got = true;
	}
	if (!got)
		pthread_cond_broadcast(&c->more);
	pthread_mutex_unlock(&c->lock);
	return got;
}

static void done(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	if (--c->busy == 0)
		pthread_cond_broadcast(&c->more);
	pthread_mutex_unlock(&c->lock);
}

void ngc_walk_totals_add(struct ngc_walk_totals *sum, const struct ngc_walk_totals *t)
{
	sum->candidates += t->candidates;
	sum->damaged += t->damaged;
	sum->orphans += t->orphans;
	sum->temporary += t->temporary;
	sum->foreign += t->foreign;
	sum->bytes += t->bytes;
	sum->allocated += t->allocated;
	sum->failed += t->failed;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct crew *c = w->crew;
	struct level_dir d;

	while (take(c, &d)) {
		enum ngc_code code = walk_directory(w, &d);

		if (code != NGC_OK)
			fail_crew(c, code, &w->err);
		done(c);
	}
	return NULL;
}

/*
 * Descriptors of its own spare a thread the lock on the table that all would share; what
 * was open before stays open here, too.
 */
static void own_descriptors(void)
{
	/* The thread sanitizer takes equal numbers for the same descriptor. */
#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
	unshare(CLONE_FILES);
#endif
}

static void *work_apart(void *arg)
{
	own_descriptors();
	return work(arg);
}

static bool worker_init(struct worker *w, struct crew *c, unsigned number)
{
	w->crew = c;
	w->number = number;
	w->woke = clock_now();
	w->dir = dir_reader_new();
	w->reader = ngc_reader_new();
	w->batch = batch_new(c->walk->writes);
	return w->dir != NULL && w->reader != NULL && w->batch != NULL;
}

static void worker_free(struct worker *w)
{
	dir_reader_free(w->dir);
	ngc_reader_free(w->reader);
	batch_free(w->batch);
}

/* The root first, alone: a small cache needs no second thread. */
static enum ngc_code start_with_root(struct worker *first)
{
	static const struct level_dir root = { "" };

	return walk_directory(first, &root);
}

enum ngc_code ngc_walk_run(const struct ngc_walk *walk, struct ngc_walk_totals *totals,
    struct ngc_error *err)
{
	unsigned jobs = ngc_walk_jobs(&walk->pace), used = 1, ready = 0;
	struct crew c = { .walk = walk,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.more = PTHREAD_COND_INITIALIZER };
	struct worker *workers = ngc_array_alloc(jobs, sizeof(*workers));

	if (workers == NULL || !worker_init(&workers[0], &c, 0)) {
		c.code = ngc_no_memory(&c.err);
		goto out;
	}
	c.code = start_with_root(&workers[0]);
	if (c.code != NGC_OK) {
		c.err = workers[0].err;
		goto out;
	}
	while (used < jobs && used < c.n && worker_init(&workers[used], &c, used))
		used++;
	for (ready = 1; ready < used; ready++)
		if (pthread_create(&workers[ready].thread, NULL, work_apart,
			&workers[ready]) != 0)
			break; /* those that run do the work */
	work(&workers[0]);
	for (unsigned i = 1; i < ready; i++)
		pthread_join(workers[i].thread, NULL);
out:
	for (unsigned i = 0; workers != NULL && i < jobs; i++) {
		ngc_walk_totals_add(totals, &workers[i].totals);
		worker_free(&workers[i]);
	}
	free(workers);
	free(c.stack);
	if (c.code != NGC_OK)
		*err = c.err;
	return c.code;
}
