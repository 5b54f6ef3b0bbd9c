/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/archive.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "manifest.h"
#include "ngc/mem.h"
#include "tar.h"

struct archiver {
	const struct ngc_archive_request *req;
	struct ngc_archive_result *out;
	pthread_mutex_t lock; /* an archive has one end: entries go in one by one */
	struct output output;
	struct copy copy;
	struct tar *tar;
	char **directories; /* of the zones */
	struct ngc_buf path;
};

enum ngc_code ngc_archive_check_name(const char *file, struct ngc_error *err)
{
	return tar_check_name(file, err);
}

static bool is_taken(const struct archiver *a, const char *directory, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(a->directories[i], directory) == 0)
			return true;
	return false;
}

/* Two directories of the command line may have the same name: "cache", "cache~2". */
static char *name_directory(const struct archiver *a, const struct ngc_zone *z, size_t n)
{
	struct ngc_buf b = { 0 };
	size_t end;

	manifest_directory(z, &b);
	end = b.n;
	for (unsigned k = 2; ngc_buf_str(&b) != NULL &&
			     is_taken(a, ngc_buf_str(&b), n);
	     k++) {
		b.n = end;
		ngc_buf_printf(&b, "~%u", k);
	}
	return (char *)b.p;
}

static enum ngc_code name_directories(struct archiver *a, struct ngc_error *err)
{
	const struct ngc_site *site = a->req->run->site;

	a->directories = ngc_array_alloc(ngc_site_zones(site), sizeof(char *));
	if (a->directories == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < ngc_site_zones(site); i++) {
		a->directories[i] = name_directory(a, ngc_site_zone(site, i), i);
		if (a->directories[i] == NULL)
			return ngc_no_memory(err);
	}
	return NGC_OK;
}

static size_t zone_of(const struct archiver *a, const struct ngc_entry *e)
{
	return ngc_site_zone_index(a->req->run->site, ngc_cache_zone(e->cache));
}

/* The path of an entry in the archive; NULL: no memory. */
static const char *path_of(struct archiver *a, const struct ngc_entry *e)
{
	a->path.n = 0;
	ngc_buf_printf(&a->path, "%s/%s%s", a->directories[zone_of(a, e)], e->dir,
	    e->name);
	return ngc_buf_str(&a->path);
}

static void count(struct archiver *a, const struct ngc_entry *e)
{
	struct ngc_archive_zone *z = &a->out->zones[zone_of(a, e)];
	uint64_t size = (uint64_t)a->copy.st.st_size;

	a->out->entries++;
	a->out->bytes += size;
	z->entries++;
	z->bytes += size;
}

static enum ngc_code add_entry(struct archiver *a, const struct ngc_entry *e,
    struct ngc_error *err)
{
	const char *path = path_of(a, e);
	enum ngc_code code = path == NULL ? ngc_no_memory(err)
					  : tar_add_copy(a->tar, path, &a->copy, err);

	if (code == NGC_OK)
		count(a, e);
	return code;
}

static void wrap_path(const struct ngc_entry *e, struct ngc_error *err)
{
	struct ngc_buf path = { 0 };
	const char *text;

	ngc_entry_path(e, &path);
	text = ngc_buf_str(&path);
	ngc_wrap(err, "%s", text != NULL ? text : e->name);
	ngc_buf_free(&path);
}

static void tell_fate(struct archiver *a, const struct ngc_entry *e, enum ngc_code copied,
    struct ngc_error *err)
{
	const struct ngc_select_run *run = a->req->run;
	enum ngc_archive_fate fate = copied == NGC_OK   ? NGC_ARCHIVED
				     : copied == NGC_GONE ? NGC_ARCHIVE_GONE
							  : NGC_ARCHIVE_FAILED;

	a->out->gone += fate == NGC_ARCHIVE_GONE;
	a->out->failed += fate == NGC_ARCHIVE_FAILED;
	a->out->size = a->output.written;
	if (a->req->each != NULL)
		a->req->each(a->req->arg, e, &a->copy.st, fate, err);
	if (fate == NGC_ARCHIVE_FAILED) {
		wrap_path(e, err);
		if (run->problem != NULL)
			run->problem(run->arg, err);
	}
	if (a->req->progress != NULL)
		a->req->progress(a->req->arg, a->out);
}

static enum ngc_code archive_entry(struct archiver *a, const struct ngc_entry *e,
    struct ngc_error *err)
{
	enum ngc_code copied = copy_take(&a->copy, e, err), code = NGC_OK;

	if (copied == NGC_FATAL) {
		wrap_path(e, err);
		return copied;
	}
	if (copied == NGC_OK)
		code = add_entry(a, e, err);
	if (code == NGC_OK)
		tell_fate(a, e, copied, err);
	return code;
}

static enum ngc_code visit(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	struct archiver *a = arg;
	enum ngc_code code;

	(void)thread;
	pthread_mutex_lock(&a->lock);
	code = archive_entry(a, e, err);
	pthread_mutex_unlock(&a->lock);
	return code;
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct archiver *a = arg;
	const struct ngc_select_run *run = a->req->run;

	pthread_mutex_lock(&a->lock);
	if (run->problem != NULL)
		run->problem(run->arg, err);
	pthread_mutex_unlock(&a->lock);
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	struct archiver *a = arg;
	const struct ngc_select_run *run = a->req->run;

	pthread_mutex_lock(&a->lock);
	if (run->damaged_met != NULL)
		run->damaged_met(run->arg, e);
	pthread_mutex_unlock(&a->lock);
}

static bool stopped(const struct archiver *a)
{
	const volatile sig_atomic_t *stop = a->req->run->stop;

	return stop != NULL && *stop != 0;
}

static enum ngc_code open_output(struct archiver *a, struct ngc_error *err)
{
	const struct ngc_archive_request *req = a->req;
	enum ngc_code code = tar_check_name(req->file, err);

	if (code == NGC_OK)
		code = output_open(&a->output, req->file, req->run->stop, err);
	if (code == NGC_OK && req->durable && a->output.stream)
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: expected a file: what a pipe or a device keeps is not known",
		    req->file);
	return code;
}

static enum ngc_code open_archive(struct archiver *a, struct ngc_error *err)
{
	enum ngc_code code = name_directories(a, err);

	if (code == NGC_OK)
		code = open_output(a, err);
	if (code == NGC_OK)
		code = copy_open(&a->copy, output_spool(&a->output), err);
	if (code == NGC_OK)
		code = tar_create(&a->output, &a->tar, err);
	a->copy.stop = a->req->run->stop;
	return code;
}

static enum ngc_code add_manifest(struct archiver *a, struct ngc_error *err)
{
	struct stat st = { .st_mode = 0600, .st_uid = geteuid(), .st_gid = getegid() };
	struct ngc_buf text = { 0 };
	enum ngc_code code;

	clock_gettime(CLOCK_REALTIME, &st.st_mtim);
	code = manifest_write(a->req, a->out, a->directories, st.st_mtim.tv_sec, &text,
	    err);
	if (code == NGC_OK)
		code = tar_add_text(a->tar, NGC_ARCHIVE_MANIFEST, &st,
		    ngc_buf_bytes(&text), err);
	ngc_buf_free(&text);
	return code;
}

static enum ngc_code finish(struct archiver *a, struct ngc_error *err)
{
	enum ngc_code code = add_manifest(a, err);

	if (code == NGC_OK)
		code = tar_finish(a->tar, err);
	if (code == NGC_OK)
		code = output_commit(&a->output, err);
	a->out->size = a->output.written;
	a->out->complete = code == NGC_OK;
	return code;
}

static enum ngc_code fill(struct archiver *a, struct ngc_error *err)
{
	struct ngc_select_run mine = *a->req->run;

	mine.visit = visit;
	mine.wanted = NULL;
	mine.stray = NULL;
	mine.problem = problem;
	mine.damaged_met = damaged_met;
	mine.arg = a;
	return ngc_select_execute(&mine, &a->out->found, err);
}

enum ngc_code ngc_archive(const struct ngc_archive_request *req,
    struct ngc_archive_result *out, struct ngc_error *err)
{
	struct archiver a = { .req = req,
		.out = out,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.output = { .fd = -1, .dir = -1 },
		.copy = { .spool = -1 } };
	size_t n = ngc_site_zones(req->run->site);
	enum ngc_code code;

	*out = (struct ngc_archive_result){ 0 };
	out->zones = ngc_array_alloc(n, sizeof(*out->zones));
	if (out->zones == NULL)
		return ngc_no_memory(err);
	code = open_archive(&a, err);
	if (code == NGC_OK)
		code = fill(&a, err);
	if (code == NGC_OK && !stopped(&a) && (out->entries > 0 || !req->not_empty))
		code = finish(&a, err);
	if (stopped(&a) && !out->complete)
		code = NGC_OK;
	tar_free(a.tar);
	copy_close(&a.copy);
	output_close(&a.output);
	for (size_t i = 0; a.directories != NULL && i < n; i++)
		free(a.directories[i]);
	free(a.directories);
	ngc_buf_free(&a.path);
	pthread_mutex_destroy(&a.lock);
	return code;
}

void ngc_archive_result_free(struct ngc_archive_result *r)
{
	ngc_select_result_free(&r->found);
	free(r->zones);
	*r = (struct ngc_archive_result){ 0 };
}
