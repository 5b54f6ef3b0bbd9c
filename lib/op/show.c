/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/show.h"

#include <pthread.h>
#include <sys/stat.h>

#include "ngc/decode.h"
#include "ngc/urls.h"
#include "select.h"

struct best {
	const struct ngc_select_run *run;
	struct ngc_bytes scheme;
	pthread_mutex_t lock;
	int rank; /* -1: none yet */
	const struct ngc_zone *zone;
	const struct ngc_cache *archived; /* it is in an archive; or NULL */
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1];
};

static int rank_of(const struct best *b, const struct ngc_entry *e)
{
	struct ngc_reading r;

	if (e->damaged)
		return 0;
	ngc_entry_reading(ngc_site_router(b->run->site), e, &r);
	return 1 + 4 * !ngc_header_is_variant(&e->header, e->name) +
	       2 * (r.method.p == NULL ||
		       ngc_bytes_equal(r.method, ngc_bytes_of("GET"))) +
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
		b->archived = e->stream != NULL ? e->cache : NULL;
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

/* Read an archive once more, up to the best entry. */
static enum ngc_code unpack_best(const struct best *b, struct ngc_shown *out,
    struct ngc_error *err)
{
	const char *path = ngc_cache_path(b->archived);
	size_t n = strlen(b->zone->path);
	struct ngc_entry *e = &out->located.entry;
	struct ngc_member m;
	enum ngc_code code;
	struct stat st;

	if (stat(b->zone->path, &st) == 0 && !S_ISREG(st.st_mode))
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: an archive that can be read only once: show needs a file",
		    b->zone->path);
	code = ngc_unpack_open(b->zone->path, b->run->stop, &out->unpack, err);
	while (code == NGC_OK) {
		code = ngc_unpack_next(out->unpack, &m, err);
		if (code != NGC_OK || m.kind != NGC_MEMBER_ENTRY ||
		    strcmp(m.name, b->name) != 0 || strcmp(m.dir, b->dir) != 0 ||
		    strcmp(path + n + (path[n] == '/'), m.root) != 0)
			continue;
		ngc_member_entry(&m, out->unpack, b->archived, e);
		return ngc_entry_unpack(e, out->located.reader, err);
	}
	return code;
}

/* Hold the best entry open, as if a request had led to it. */
static enum ngc_code open_best(const struct best *b, struct ngc_shown *out,
    struct ngc_error *err)
{
	struct ngc_located *l = &out->located;
	enum ngc_code code = NGC_OK;

	l->reader = ngc_reader_new();
	if (l->reader == NULL)
		return ngc_no_memory(err);
	if (b->archived == NULL)
		code = ngc_site_cache(b->run->site, b->zone, &l->cache, err);
	if (code == NGC_OK)
		code = b->archived != NULL
			   ? unpack_best(b, out, err)
			   : ngc_entry_open(l->cache, l->reader, b->dir, b->name,
				 &l->entry, err);
	l->present = code == NGC_OK;
	if (code == NGC_OK && l->entry.damaged)
		code = ngc_fail(err, NGC_DAMAGED, 0,
		    "%s/%s%s: not a cache file of a version we know",
		    ngc_cache_path(l->entry.cache), b->dir, b->name);
	return code;
}

static enum ngc_code select_one(const struct ngc_select_run *run, struct ngc_bytes scheme,
    struct ngc_shown *out, struct ngc_error *err)
{
	struct best b = { .run = run,
		.scheme = scheme,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.rank = -1 };
	struct ngc_select_run mine = *run;
	enum ngc_code code;

	if (selector_scans(&run->select->selectors[0]))
		return ngc_fail(err, NGC_INVALID, 0,
		    "'%s' is a pattern, where one entry is shown: 'ngxcache list' takes "
		    "it; a star itself is \\*",
		    run->select->selectors[0].text);
	mine.damaged = true;
	mine.walking = NGC_WALK_NEVER;
	mine.visit = visit;
	mine.problem = pass_problem;
	mine.arg = &b;
	code = ngc_select_execute(&mine, &out->found, err);
	pthread_mutex_destroy(&b.lock);
	if (code != NGC_OK)
		return code;
	return b.rank >= 0 ? open_best(&b, out, err) : NGC_GONE;
}

enum ngc_code ngc_show(const struct ngc_select_run *run,
    const struct ngc_explain_request *req, struct ngc_shown *out, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	bool followed = false;

	*out = (struct ngc_shown){ 0 };
	if (req != NULL && ngc_site_conf(run->site) != NULL) {
		code = ngc_locate(run->site, req, &out->located, err);
		if (code == NGC_GONE) /* of the cache: the entry was not looked for */
			code = err->code = NGC_DENIED;
		followed = out->located.explanation != NULL &&
			   out->located.explanation->key.p != NULL;
	}
	if (code == NGC_OK && !followed)
		code = select_one(run,
		    req != NULL ? req->url->scheme : ngc_bytes_of(NULL), out, err);
	out->entry = &out->located.entry;
	return code == NGC_OK && !out->located.present ? NGC_GONE : code;
}

struct walk_for_others {
	const struct ngc_select_run *run;
	const struct ngc_others *of;
	pthread_mutex_t lock;
};

static bool is_other(const struct ngc_others *of, const struct ngc_entry *e)
{
	if (e->damaged || !ngc_bytes_equal(e->header.key, of->key))
		return false;
	if (of->but == NULL)
		return true;
	return strcmp(ngc_cache_path(e->cache), ngc_cache_path(of->but->cache)) == 0 &&
	       (strcmp(e->dir, of->but->dir) != 0 || strcmp(e->name, of->but->name) != 0);
}

static enum ngc_code visit_other(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct walk_for_others *w = arg;
	enum ngc_code code;

	(void)thread;
	if (!is_other(w->of, e))
		return NGC_OK;
	pthread_mutex_lock(&w->lock);
	code = w->of->each(w->of->arg, e, err);
	pthread_mutex_unlock(&w->lock);
	return code;
}

static void others_problem(void *arg, const struct ngc_error *err)
{
	const struct walk_for_others *w = arg;

	if (w->run->problem != NULL)
		w->run->problem(w->run->arg, err);
}

enum ngc_code ngc_show_others(const struct ngc_select_run *run,
    const struct ngc_others *others, uint64_t *failed, struct ngc_error *err)
{
	struct walk_for_others w = { run, others, PTHREAD_MUTEX_INITIALIZER };
	struct ngc_select *all = ngc_select_new();
	struct ngc_select_result found = { 0 };
	struct ngc_select_run mine = *run;
	enum ngc_code code = all != NULL
				 ? ngc_select_add(all, NGC_SELECT_ALL, "--all", err)
				 : ngc_no_memory(err);

	mine.select = all;
	mine.only = others->zone;
	mine.walking = NGC_WALK_ALWAYS;
	mine.explain_misses = false;
	mine.visit = visit_other;
	mine.problem = others_problem;
	mine.arg = &w;
	if (code == NGC_OK)
		code = ngc_select_execute(&mine, &found, err);
	*failed = found.failed;
	ngc_select_result_free(&found);
	ngc_select_free(all);
	pthread_mutex_destroy(&w.lock);
	return code;
}

void ngc_shown_free(struct ngc_shown *s)
{
	ngc_located_free(&s->located);
	ngc_unpack_close(s->unpack);
	ngc_select_result_free(&s->found);
}

static enum ngc_code not_decoded(const struct ngc_entry *e, struct ngc_error *err)
{
	return ngc_wrap(err, "%s/%s%s", ngc_cache_path(e->cache), e->dir, e->name);
}

/* What of a header that is cut is there counts. */
static enum ngc_code decode_body(struct ngc_entry *e, struct ngc_source **body,
    struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_response(e, err);

	if (code != NGC_OK && code != NGC_DAMAGED)
		return code;
	code = ngc_decode(&e->response, body, err);
	return code == NGC_OK ? code : not_decoded(e, err);
}

enum ngc_code ngc_shown_body(const struct ngc_shown *s, bool decode,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	struct ngc_entry *e = s->entry;
	struct ngc_source *body;
	enum ngc_code code = ngc_entry_source(e, (off_t)e->header.body_start, &body, err);

	if (code != NGC_OK)
		return code;
	if (decode)
		code = decode_body(e, &body, err);
	if (code != NGC_OK)
		goto out;
	code = ngc_source_pass(body, write, arg, err);
	if (decode && code == NGC_DAMAGED)
		not_decoded(e, err);
out:
	body->close(body);
	return code;
}
