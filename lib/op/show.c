/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/show.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

struct best {
	const struct ngc_select_run *run;
	struct ngc_bytes scheme;
	pthread_mutex_t lock;
	int rank; /* -1: none yet */
	const struct ngc_zone *zone;
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1];
};

static int rank_of(const struct best *b, const struct ngc_entry *e)
{
	struct ngc_reading r;

	if (e->damaged)
		return 0;
	ngc_route_read(ngc_site_router(b->run->site), ngc_cache_zone(e->cache), e->header.key, &r);
	return 1 + 4 * !ngc_header_is_variant(&e->header, e->name) +
	       2 * (r.method.p == NULL || ngc_bytes_equal(r.method, ngc_bytes_of("GET"))) +
	       (b->scheme.p == NULL || ngc_bytes_equal(r.scheme, b->scheme));
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct best *b = arg;
	int rank = rank_of(b, e);

	(void)thread;
	(void)err;
	pthread_mutex_lock(&b->lock);
	if (rank > b->rank) {
		b->rank = rank;
		b->zone = ngc_cache_zone(e->cache);
		memcpy(b->dir, e->dir, sizeof(b->dir));
		memcpy(b->name, e->name, sizeof(b->name));
	}
	pthread_mutex_unlock(&b->lock);
	return NGC_OK;
}

static void pass_problem(void *arg, const struct ngc_error *err)
{
	const struct best *b = arg;

	if (b->run->problem != NULL)
		b->run->problem(b->run->arg, err);
}

enum ngc_code ngc_show(const struct ngc_select_run *run, const char *scheme,
    struct ngc_shown *out, struct ngc_error *err)
{
	struct best b = { .run = run,
		.scheme = ngc_bytes_of(scheme),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.rank = -1 };
	struct ngc_select_run mine = *run;
	enum ngc_code code;

	*out = (struct ngc_shown){ .entry = { .fd = -1 } };
	mine.damaged = true;
	mine.visit = visit;
	mine.problem = pass_problem;
	mine.arg = &b;
	code = ngc_select_execute(&mine, &out->found, err);
	pthread_mutex_destroy(&b.lock);
	if (code != NGC_OK)
		return code;
	if (b.rank < 0)
		return ngc_fail(err, NGC_GONE, 0, "nothing found");
	code = ngc_site_cache(run->site, b.zone, &out->cache, err);
	if (code != NGC_OK)
		return code;
	out->reader = ngc_reader_new();
	if (out->reader == NULL)
		return ngc_no_memory(err);
	code = ngc_entry_open(out->cache, out->reader, b.dir, b.name, &out->entry, err);
	if (code == NGC_GONE)
		return ngc_fail(err, code, 0, "nothing found");
	if (code == NGC_OK && out->entry.damaged)
		return ngc_fail(err, NGC_DAMAGED, 0, "%s/%s%s: not a cache file of a version we know",
		    b.zone->path, b.dir, b.name);
	return code;
}

void ngc_shown_free(struct ngc_shown *s)
{
	if (s->entry.fd >= 0)
		ngc_entry_close(&s->entry);
	ngc_reader_free(s->reader);
	ngc_cache_close(s->cache);
	ngc_select_result_free(&s->found);
}

enum ngc_code ngc_shown_body(const struct ngc_shown *s,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err), void *arg,
    struct ngc_error *err)
{
	off_t pos = (off_t)s->entry.header.body_start;
	unsigned char piece[16384];
	enum ngc_code code = NGC_OK;

	while (code == NGC_OK) {
		ssize_t n = pread(s->entry.fd, piece, sizeof(piece), pos);

		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ngc_fail(err, NGC_DENIED, errno, "%s/%s%s",
			    ngc_cache_zone(s->cache)->path, s->entry.dir, s->entry.name);
		code = write(arg, piece, (size_t)n, err);
		pos += n;
	}
	return code;
}
