/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../lib/op/manifest.h"

#include <jansson.h>

#include "ngc/libarchive.h"
#include "ngc/mem.h"
#include "stored.h"

#define MEMBERS_MAX 600

/* Caches a and b in a tree, an archive of them, and what was said of it. */
struct box {
	struct tree t;
	char dirs[2][PATH_MAX + 32], file[PATH_MAX + 32];
	const char *list[2];
	struct ngc_site_request site;
	struct ngc_select *select;
	struct ngc_select_run run;
	struct ngc_archive_request req;
	struct ngc_archive_result r;
	struct ngc_error err;
	volatile sig_atomic_t stop;
	unsigned descriptors, inside, fates[3], problems, progress, stop_after;
};

/* Callbacks are called by one thread at a time: they need no lock. */
static void each(void *arg, const struct ngc_entry *e, const struct stat *st,
    enum ngc_archive_fate fate, const struct ngc_error *err)
{
	struct box *b = arg;

	(void)err;
	ck_assert_uint_eq(b->inside++, 0);
	ck_assert(S_ISREG(st->st_mode));
	ck_assert_uint_eq(strlen(e->name), NGC_NAME_LEN);
	b->fates[fate]++;
	if (b->fates[fate] == b->stop_after)
		b->stop = SIGTERM;
	b->inside--;
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct box *b = arg;

	(void)err;
	ck_assert_uint_eq(b->inside++, 0);
	b->problems++;
	b->inside--;
}

static void progress(void *arg, const struct ngc_archive_result *so_far)
{
	struct box *b = arg;

	ck_assert_uint_eq(b->inside++, 0);
	ck_assert_uint_eq(so_far->entries, b->fates[NGC_ARCHIVED]);
	b->progress++;
	b->inside--;
}

static void box_new(struct box *b)
{
	*b = (struct box){ .inside = 0 };
	tree_new(&b->t);
	b->descriptors = open_descriptors();
	tree_mkdir(&b->t, "a");
	tree_mkdir(&b->t, "b");
	tree_mkdir(&b->t, "d");
	for (int i = 0; i < 2; i++) {
		snprintf(b->dirs[i], sizeof(b->dirs[i]), "%s,levels=1:2",
		    tree_at(&b->t, i == 0 ? "a" : "b"));
		b->list[i] = b->dirs[i];
	}
	snprintf(b->file, sizeof(b->file), "%s", tree_at(&b->t, "d/x.tar"));
	b->site = (struct ngc_site_request){ .dirs = b->list, .n_dirs = 2 };
	b->select = ngc_select_new();
	b->run = (struct ngc_select_run){ .now = 1900000000,
		.select = b->select,
		.stop = &b->stop,
		.problem = problem,
		.arg = b };
	b->req = (struct ngc_archive_request){ .run = &b->run,
		.file = b->file,
		.version = "1.2.3",
		.each = each,
		.progress = progress,
		.arg = b };
}

static void box_free(struct box *b)
{
	ngc_archive_result_free(&b->r);
	ngc_select_free(b->select);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	tree_free(&b->t);
}

static enum ngc_code archive(struct box *b)
{
	struct ngc_site *site;
	enum ngc_code code;

	ck_assert_msg(
	    ngc_site_open(&b->site, &site, &b->err) == NGC_OK, "%s", b->err.text);
	b->run.site = site;
	memset(b->fates, 0, sizeof(b->fates));
	ngc_archive_result_free(&b->r);
	code = ngc_archive(&b->req, &b->r, &b->err);
	ngc_site_free(site);
	return code;
}

/* --- what is in the file --- */

struct reader {
	int fd;
	char piece[8192];
};

static ssize_t read_piece(struct archive *a, void *arg, const void **p)
{
	struct reader *r = arg;

	(void)a;
	*p = r->piece;
	return read(r->fd, r->piece, sizeof(r->piece));
}

struct member {
	char path[PATH_MAX];
	unsigned char p[STORED_MAX];
	size_t n;
};

/* The n-th member; false: there are fewer. */
static bool member(struct box *b, size_t n, struct member *m)
{
	struct reader r = { .fd = open(b->file, O_RDONLY) };
	const struct ngc_libarchive *lib;
	struct archive_entry *e;
	struct archive *a;
	int found = ARCHIVE_OK;

	ck_assert_int_ge(r.fd, 0);
	ck_assert_int_eq(ngc_libarchive_load(&lib, &b->err), NGC_OK);
	a = lib->read_new();
	lib->read_support_format_tar(a);
	ck_assert_int_eq(
	    lib->read_open2(a, &r, NULL, read_piece, NULL, NULL), ARCHIVE_OK);
	for (size_t i = 0; i <= n && found == ARCHIVE_OK; i++)
		found = lib->read_next_header(a, &e);
	if (found == ARCHIVE_OK) {
		snprintf(m->path, sizeof(m->path), "%s", lib->entry_pathname(e));
		m->n = (size_t)lib->read_data(a, m->p, sizeof(m->p));
	}
	lib->read_free(a);
	close(r.fd);
	return found == ARCHIVE_OK;
}

static size_t members(struct box *b)
{
	static struct member m;
	size_t n = 0;

	while (member(b, n, &m))
		n++;
	return n;
}

static bool nothing_left(struct box *b)
{
	return rmdir(tree_at(&b->t, "d")) == 0;
}

START_TEST(an_archive_holds_each_file_and_last_what_it_holds)
{
	static struct member m;
	struct stored_file one, two;
	struct box b;
	json_t *d;

	box_new(&b);
	stored_write(&b.t, "a", &(struct stored){ .key = "one" }, &one);
	stored_write(&b.t, "b", &(struct stored){ .key = "two" }, &two);
	ck_assert_msg(archive(&b) == NGC_OK, "%s", b.err.text);
	ck_assert(b.r.complete);
	ck_assert_uint_eq(b.r.entries, 2);
	ck_assert_uint_eq(b.r.bytes, one.n + two.n);
	ck_assert_uint_eq(b.r.zones[1].bytes, two.n);
	ck_assert_uint_eq(b.fates[NGC_ARCHIVED], 2);
	ck_assert_uint_eq(b.progress, 2);

	ck_assert(member(&b, 0, &m));
	ck_assert_str_eq(m.path + 2, one.path);
	ck_assert_mem_eq(m.path, "a/", 2);
	ck_assert_uint_eq(m.n, one.n);
	ck_assert_mem_eq(m.p, one.p, one.n);
	ck_assert(member(&b, 2, &m));
	ck_assert_str_eq(m.path, NGC_ARCHIVE_MANIFEST);
	d = json_loadb((const char *)m.p, m.n, 0, NULL);
	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(json_integer_value(json_object_get(d, "format")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(d, "entries")), 2);
	ck_assert_str_eq(json_string_value(json_object_get(d, "version")), "1.2.3");
	ck_assert_uint_eq(json_array_size(json_object_get(d, "zones")), 2);
	json_decref(d);
	ck_assert(!member(&b, 3, &m));
	box_free(&b);
}
END_TEST

START_TEST(threads_put_entries_in_one_by_one)
{
	struct stored_file f;
	struct box b;
	char key[32];

	box_new(&b);
	for (int i = 0; i < MEMBERS_MAX; i++) {
		snprintf(key, sizeof(key), "httpGETexample.com/%d", i);
		stored_write(&b.t, "a", &(struct stored){ .key = key }, &f);
	}
	b.run.pace.jobs = 8;
	ck_assert_msg(archive(&b) == NGC_OK, "%s", b.err.text);
	ck_assert_uint_eq(b.r.entries, MEMBERS_MAX);
	ck_assert_uint_eq(members(&b), MEMBERS_MAX + 1);
	box_free(&b);
}
END_TEST

START_TEST(a_run_that_is_stopped_leaves_nothing)
{
	struct box b;

	box_new(&b);
	stored_add_key(&b.t, "a", "one");
	stored_add_key(&b.t, "a", "two");
	b.run.pace.jobs = 1;
	b.stop_after = 1;
	ck_assert_int_eq(archive(&b), NGC_OK);
	ck_assert(!b.r.complete);
	ck_assert(nothing_left(&b));
	box_free(&b);
}
END_TEST

START_TEST(what_is_no_cache_is_no_archive)
{
	struct box b;

	box_new(&b);
	tree_write_text(&b.t, "a/notes", "none");
	ck_assert_int_eq(archive(&b), NGC_INVALID);
	ck_assert(!b.r.complete);
	ck_assert(nothing_left(&b));
	box_free(&b);
}
END_TEST

START_TEST(nothing_selected_is_an_archive_unless_that_is_not_wanted)
{
	struct box b;

	box_new(&b);
	b.req.not_empty = true;
	ck_assert_int_eq(archive(&b), NGC_OK);
	ck_assert(!b.r.complete);
	ck_assert(!tree_has(&b.t, "d/x.tar"));
	b.req.not_empty = false;
	ck_assert_int_eq(archive(&b), NGC_OK);
	ck_assert(b.r.complete);
	ck_assert_uint_eq(members(&b), 1);
	box_free(&b);
}
END_TEST

START_TEST(a_pipe_is_no_safe_place)
{
	struct box b;

	box_new(&b);
	b.req.file = "/dev/null";
	ck_assert_int_eq(archive(&b), NGC_OK);
	b.req.durable = true;
	ck_assert_int_eq(archive(&b), NGC_INVALID);
	box_free(&b);
}
END_TEST

/* Path of a name, and its directory in an archive. */
static const struct {
	const char *name, *path, *directory;
} directories[] = {
	{ "pages", "/c", "pages" },
	{ "Pages-2_x.y", "/c", "Pages-2_x.y" },
	{ NULL, "/var/cache/nginx", "nginx" },
	{ NULL, "nginx", "nginx" },
	{ "a/b", "/c", "a%2Fb" },
	{ "../../etc", "/c", "%2E%2E%2F.%2E%2Fetc" },
	{ "..", "/c", "%2E%2E" },
	{ ".", "/c", "%2E" },
	{ "a..b", "/c", "a.%2Eb" },
	{ "a%2Fb", "/c", "a%252Fb" },
	{ "a~2", "/c", "a%7E2" },
	{ "caf\xc3\xa9\n", "/c", "caf%C3%A9%0A" },
};

START_TEST(the_directory_of_a_zone_is_safe_and_its_own)
{
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		struct ngc_zone z = { .name = directories[i].name,
			.path = directories[i].path };
		struct ngc_buf b = { 0 };

		manifest_directory(&z, &b);
		ck_assert_str_eq(ngc_buf_str(&b), directories[i].directory);
		ngc_buf_free(&b);
	}
}
END_TEST

UNIT_MAIN("archive", an_archive_holds_each_file_and_last_what_it_holds,
    threads_put_entries_in_one_by_one, a_run_that_is_stopped_leaves_nothing,
    what_is_no_cache_is_no_archive,
    nothing_selected_is_an_archive_unless_that_is_not_wanted, a_pipe_is_no_safe_place,
    the_directory_of_a_zone_is_safe_and_its_own)
