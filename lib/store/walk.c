/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ngc/mem.h"
#include "store.h"

/*
 * The walk: directories wait on a stack, threads take them off and push what they find
 * below. A directory is a path of at most "ab/cd/ef/", names are looked at relative to
 * its descriptor and never become path strings, and every thread has one set of buffers
 * for all its entries.
 */

struct level_dir {
	char path[NGC_LEVELS_TEXT];
};

struct crew {
	const struct ngc_walk *walk;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t more;
	struct level_dir *stack;
	size_t n, cap;
	unsigned busy; /* threads that may still push */
	enum ngc_code code; /* not NGC_OK: everybody stops */
	struct ngc_error err;
};

struct worker {
	struct crew *crew;
	pthread_t thread;
	unsigned number;
	struct dir_reader *dir;
	struct ngc_reader *reader;
	struct batch *batch; /* of the directory at hand */
	char tail[NGC_LEVELS_TEXT]; /* how its candidates' names end */
	size_t tail_len;
	struct ngc_walk_totals totals;
	uint64_t told; /* of the candidates, to who asks for progress */
	int64_t woke;  /* when it last rested */
	struct ngc_error err;
};

/* A chain of waits for the disk is what threads hide: more than there are processors. */
unsigned ngc_walk_jobs(const struct ngc_pace *pace)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned chosen = cpus > 0 ? 2 * (unsigned)cpus : 2;

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

static bool stopped(struct crew *c)
{
	return c->walk->stop != NULL && *c->walk->stop != 0;
}

static void report(struct worker *w)
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

/* Between two batches. */
static void pause_between(struct worker *w)
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

static enum ngc_code push(struct worker *w, const struct level_dir *up, const char *name)
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
	report(w);
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
		report(w);
		return NGC_OK;
	}
	w->totals.candidates++;
	w->totals.damaged += e.damaged;
	w->totals.orphans += e.orphan;
	if (walk->sizes && ngc_entry_stat(&e, &w->err) != NGC_OK) {
		report(w);
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

	while (code == NGC_OK && from < b->n && !stopped(w->crew)) {
		size_t to = batch_read(b, from, dirfd);

		for (size_t i = from; code == NGC_OK && i < to && !stopped(w->crew); i++)
			code = visit(w, dirfd, d, &b->of[i]);
		batch_close(b, from, to);
		pause_between(w);
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
		pause_between(w);
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
			return push(w, d, name);
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
	report(w);
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
	while (code == NGC_OK && !stopped(w->crew)) {
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

/* What a visitor returned. */
static enum ngc_code one_directory(struct worker *w, const struct level_dir *d)
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

/* Take a directory off the stack; false when there is no more work for anybody. */
static bool take(struct crew *c, struct level_dir *out)
{
	bool got = false;

	pthread_mutex_lock(&c->lock);
	while (c->n == 0 && c->busy > 0 && c->code == NGC_OK)
		pthread_cond_wait(&c->more, &c->lock);
	if (c->n > 0 && c->code == NGC_OK && !stopped(c)) {
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
		enum ngc_code code = one_directory(w, &d);

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

	return one_directory(first, &root);
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
