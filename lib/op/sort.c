/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/sort.h"

#include <pthread.h>
#include <stdlib.h>

#include "ngc/mem.h"
#include "spool.h"

/* What is remembered of an entry. */
struct record {
	union {
		int64_t number;     /* what it is sorted by, unless that is the key */
		const unsigned char *key; /* key_len bytes; the record's own once kept */
	};
	off_t kept; /* of an archive: where in the spool; -1: it is a file */
	uint32_t key_len;
	uint16_t zone;
	char dir[NGC_LEVELS_TEXT];
	unsigned char name[NGC_MD5_SIZE]; /* the bytes that its hex digits stand for */
};

/*
 * One thread's: a list, or with a limit a heap that has the last of its order on top.
 * Once sorted, the first done of it were visited.
 */
struct pile {
	struct record *list;
	size_t n, cap, done;
};

struct sorter {
	const struct ngc_select_run *run;
	const struct ngc_sort *how;
	struct pile *piles;
	unsigned n_piles;
	struct spool spool; /* of archives, which one thread reads */
	pthread_mutex_t lock; /* for what the run reports */
	uint64_t failed;
};

const char *ngc_sort_name(enum ngc_sort_kind k)
{
	static const char *const names[NGC_SORTS] = { "key", "size", "cached", "expires",
		"status" };

	return names[k];
}

static int compare(const struct ngc_sort *how, const struct record *a,
    const struct record *b)
{
	int r = how->by == NGC_SORT_KEY
		    ? ngc_bytes_compare(ngc_bytes(a->key, a->key_len),
			  ngc_bytes(b->key, b->key_len))
		    : (a->number > b->number) - (a->number < b->number);

	if (r == 0)
		r = memcmp(a->name, b->name, sizeof(a->name));
	return how->reverse ? -r : r;
}

static int compare_in_order(const void *a, const void *b, void *how)
{
	return compare(how, a, b);
}

/* NGC_DAMAGED, NGC_DENIED: it cannot be told. */
static enum ngc_code take_number(struct ngc_entry *e, enum ngc_sort_kind by, int64_t *out,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	*out = INT64_MIN;
	if (by == NGC_SORT_SIZE) {
		code = ngc_entry_stat(e, err);
		*out = e->size;
	} else if (e->damaged) {
		return NGC_OK;
	} else if (by == NGC_SORT_STATUS) {
		code = ngc_entry_response(e, err);
		*out = e->response.status;
	} else {
		*out = by == NGC_SORT_CACHED ? e->header.date : e->header.valid;
	}
	return code == NGC_DAMAGED ? NGC_OK : code;
}

static void swap(struct record *a, struct record *b)
{
	struct record old = *a;

	*a = *b;
	*b = old;
}

/* The last of the order moves up. */
static void sift_up(const struct ngc_sort *how, struct pile *p)
{
	for (size_t i = p->n - 1; i > 0; i = (i - 1) / 2) {
		if (compare(how, &p->list[i], &p->list[(i - 1) / 2]) <= 0)
			return;
		swap(&p->list[i], &p->list[(i - 1) / 2]);
	}
}

static void sift_down(const struct ngc_sort *how, struct pile *p)
{
	for (size_t i = 0;;) {
		size_t last = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < p->n; k++)
			if (compare(how, &p->list[k], &p->list[last]) > 0)
				last = k;
		if (last == i)
			return;
		swap(&p->list[i], &p->list[last]);
		i = last;
	}
}

/* Does it belong to the first ones, as far as this thread has seen any? */
static bool is_wanted(const struct sorter *s, const struct pile *p,
    const struct record *r)
{
	return s->how->limit == 0 || p->n < s->how->limit ||
	       compare(s->how, r, &p->list[0]) < 0;
}

/* The key is copied only into what is kept. */
static bool own_key(struct record *r)
{
	unsigned char *copy = malloc(r->key_len + (size_t)1);

	if (copy == NULL)
		return false;
	if (r->key_len > 0)
		memcpy(copy, r->key, r->key_len);
	r->key = copy;
	return true;
}

static void drop_key(const struct sorter *s, struct record *r)
{
	if (s->how->by == NGC_SORT_KEY)
		free((void *)(uintptr_t)r->key); /* what own_key() allocated */
}

static enum ngc_code put(struct sorter *s, struct pile *p, struct record *r,
    struct ngc_error *err)
{
	bool full = s->how->limit != 0 && p->n == s->how->limit;

	if (!is_wanted(s, p, r))
		return NGC_OK;
	if ((!full && !ngc_array_grow((void **)&p->list, p->n, &p->cap,
			  sizeof(*p->list))) ||
	    (s->how->by == NGC_SORT_KEY && !own_key(r)))
		return ngc_no_memory(err);
	if (full) {
		drop_key(s, &p->list[0]);
		p->list[0] = *r;
		sift_down(s->how, p);
		return NGC_OK;
	}
	p->list[p->n++] = *r;
	if (s->how->limit != 0)
		sift_up(s->how, p);
	return NGC_OK;
}

static void report(struct sorter *s, const struct ngc_error *err)
{
	pthread_mutex_lock(&s->lock);
	s->failed++;
	if (s->run->problem != NULL)
		s->run->problem(s->run->arg, err);
	pthread_mutex_unlock(&s->lock);
}

static void walk_problem(void *arg, const struct ngc_error *err)
{
	struct sorter *s = arg;

	pthread_mutex_lock(&s->lock);
	s->run->problem(s->run->arg, err);
	pthread_mutex_unlock(&s->lock);
}

static void walk_damaged(void *arg, const struct ngc_entry *e)
{
	const struct sorter *s = arg;

	s->run->damaged_met(s->run->arg, e);
}

static unsigned char digit(char c)
{
	return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void pack_name(const char *hex, unsigned char out[NGC_MD5_SIZE])
{
	for (size_t i = 0; i < NGC_MD5_SIZE; i++)
		out[i] = (unsigned char)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
}

static enum ngc_code remember(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct sorter *s = arg;
	struct record r = { .kept = -1,
		.zone = (uint16_t)ngc_site_zone_index(s->run->site,
		    ngc_cache_zone(e->cache)) };
	enum ngc_code code = NGC_OK;

	if (s->how->by != NGC_SORT_KEY) {
		code = take_number(e, s->how->by, &r.number, err);
	} else if (!e->damaged) {
		r.key_len = (uint32_t)e->header.key.n;
		r.key = e->header.key.p;
	}
	if (code == NGC_DENIED) {
		report(s, err);
		return NGC_OK;
	}
	if (code != NGC_OK)
		return code;
	memcpy(r.dir, e->dir, sizeof(r.dir));
	pack_name(e->name, r.name);
	if (e->stream != NULL && is_wanted(s, &s->piles[thread], &r))
		code = spool_put(&s->spool, e, &r.kept, err);
	return code == NGC_OK ? put(s, &s->piles[thread], &r, err) : code;
}

static void sort_piles(struct sorter *s)
{
	struct ngc_sort how = *s->how;

	for (unsigned i = 0; i < s->n_piles; i++)
		if (s->piles[i].n > 0)
			qsort_r(s->piles[i].list, s->piles[i].n, sizeof(struct record),
			    compare_in_order, &how);
}

/* The first of what no pile has handed out yet; NULL: there is no more. */
static const struct record *next_record(struct sorter *s)
{
	struct pile *from = NULL;

	for (unsigned i = 0; i < s->n_piles; i++) {
		struct pile *p = &s->piles[i];

		if (p->done < p->n &&
		    (from == NULL || compare(s->how, &p->list[p->done],
					 &from->list[from->done]) < 0))
			from = p;
	}
	return from != NULL ? &from->list[from->done++] : NULL;
}

static enum ngc_code visit_one(struct sorter *s, const struct ngc_cache *c,
    struct ngc_reader *reader, const struct record *r, struct ngc_error *err)
{
	char name[NGC_NAME_LEN + 1];
	struct ngc_entry e;
	enum ngc_code code;

	ngc_hex(r->name, name);
	code = r->kept >= 0 ? spool_get(&s->spool, r->kept, reader, &e, err)
			    : ngc_entry_open(c, reader, r->dir, name, &e, err);
	if (code == NGC_DENIED)
		report(s, err);
	if (code == NGC_DENIED || code == NGC_GONE)
		return NGC_OK;
	if (code != NGC_OK)
		return code;
	code = s->run->visit(s->run->arg, 0, &e, err);
	ngc_entry_close(&e);
	return code;
}

static bool stopped(const struct sorter *s)
{
	return s->run->stop != NULL && *s->run->stop != 0;
}

/* caches: one for each zone, opened when it is needed. */
static enum ngc_code visit_all(struct sorter *s, struct ngc_cache **caches,
    struct ngc_error *err)
{
	struct ngc_reader *reader = ngc_reader_new();
	uint64_t limit = s->how->limit != 0 ? s->how->limit : UINT64_MAX;
	enum ngc_code code = reader != NULL ? NGC_OK : ngc_no_memory(err);

	for (uint64_t i = 0; i < limit && code == NGC_OK && !stopped(s); i++) {
		const struct record *r = next_record(s);

		if (r == NULL)
			break;
		if (caches[r->zone] == NULL && r->kept < 0)
			code = ngc_site_cache(s->run->site,
			    ngc_site_zone(s->run->site, r->zone), &caches[r->zone], err);
		if (code == NGC_OK)
			code = visit_one(s, caches[r->zone], reader, r, err);
	}
	ngc_reader_free(reader);
	return code;
}

static enum ngc_code in_order(struct sorter *s, struct ngc_error *err)
{
	size_t n = ngc_site_zones(s->run->site);
	struct ngc_cache **caches = ngc_array_alloc(n, sizeof(*caches));
	enum ngc_code code;

	sort_piles(s);
	code = caches != NULL ? visit_all(s, caches, err) : ngc_no_memory(err);
	for (size_t i = 0; caches != NULL && i < n; i++)
		ngc_cache_close(caches[i]);
	free(caches);
	return code;
}

static void pile_free(const struct sorter *s, struct pile *p)
{
	for (size_t i = 0; i < p->n; i++)
		drop_key(s, &p->list[i]);
	free(p->list);
}

enum ngc_code ngc_select_sorted(const struct ngc_select_run *run,
    const struct ngc_sort *how, struct ngc_select_result *out, struct ngc_error *err)
{
	struct sorter s = { .run = run,
		.how = how,
		.n_piles = ngc_walk_jobs(&run->pace),
		.lock = PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select_run mine = *run;
	enum ngc_code code;

	*out = (struct ngc_select_result){ 0 };
	s.piles = ngc_array_alloc(s.n_piles, sizeof(*s.piles));
	if (s.piles == NULL)
		return ngc_no_memory(err);
	mine.visit = remember;
	mine.arg = &s;
	mine.problem = run->problem != NULL ? walk_problem : NULL;
	mine.damaged_met = run->damaged_met != NULL ? walk_damaged : NULL;
	code = ngc_select_execute(&mine, out, err);
	if (code == NGC_OK)
		code = in_order(&s, err);
	out->failed += s.failed;
	for (unsigned i = 0; i < s.n_piles; i++)
		pile_free(&s, &s.piles[i]);
	free(s.piles);
	spool_close(&s.spool);
	pthread_mutex_destroy(&s.lock);
	return code;
}
