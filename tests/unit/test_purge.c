/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/purge.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "stored.h"

#define DENIED(what) what ": permission denied: run as the owner of the cache ("

#define KEY(page) "httpGETexample.com" page
#define NAME      "b7f54b2df7773722d382f4809d62a74d"

/* Cache a in a tree, what is selected in it, and what a purge of it said. */
struct box {
	struct tree t;
	char dirs[2][PATH_MAX + 32];
	const char *list[2];
	struct ngc_site_request site;
	struct ngc_select *select;
	struct ngc_purge_request req;
	struct ngc_purge_result r;
	struct ngc_error err;
	unsigned descriptors, each, problems, met, inside;
	char last[512];
};

/* Callbacks are called by one thread at a time: they need no lock. */
static void each(void *arg, struct ngc_entry *e)
{
	struct box *b = arg;

	ck_assert_uint_eq(b->inside++, 0);
	ck_assert(e->has_stat);
	b->each++;
	b->inside--;
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct box *b = arg;

	ck_assert_uint_eq(b->inside++, 0);
	snprintf(b->last, sizeof(b->last), "%s", err->text);
	b->problems++;
	b->inside--;
}

static void damaged_met(void *arg, const struct ngc_entry *e)
{
	struct box *b = arg;

	ck_assert_uint_eq(b->inside++, 0);
	ck_assert(e->damaged);
	b->met++;
	b->inside--;
}

static void box_new(struct box *b)
{
	*b = (struct box){ .each = 0 };
	tree_new(&b->t);
	b->descriptors = open_descriptors();
	tree_mkdir(&b->t, "a");
	tree_mkdir(&b->t, "b");
	for (int i = 0; i < 2; i++) {
		snprintf(b->dirs[i], sizeof(b->dirs[i]), "%s,levels=1:2",
		    tree_at(&b->t, i == 0 ? "a" : "b"));
		b->list[i] = b->dirs[i];
	}
	b->site = (struct ngc_site_request){ .dirs = b->list, .n_dirs = 1 };
	b->select = ngc_select_new();
	b->req = (struct ngc_purge_request){ .now = 1900000000,
		.each = each,
		.problem = problem,
		.damaged_met = damaged_met };
}

static void box_free(struct box *b)
{
	ngc_purge_result_free(&b->r);
	ngc_select_free(b->select);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	tree_free(&b->t);
}

static void add(struct box *b, enum ngc_selector_kind kind, const char *text)
{
	ck_assert_int_eq(ngc_select_add(b->select, kind, text, &b->err), NGC_OK);
}

static enum ngc_code purge(struct box *b)
{
	struct ngc_site *site;
	enum ngc_code code;

	ck_assert_msg(
	    ngc_site_open(&b->site, &site, &b->err) == NGC_OK, "%s", b->err.text);
	b->each = b->problems = b->met = 0;
	b->req.site = site;
	b->req.select = b->select;
	b->req.arg = b;
	ngc_purge_result_free(&b->r);
	code = ngc_purge(&b->req, &b->r, &b->err);
	if (code == NGC_OK)
		ck_assert_uint_eq(b->r.matched,
		    b->r.purged + b->r.already_gone + b->r.replaced + b->r.failed);
	ngc_site_free(site);
	return code;
}

static void check_purges(struct box *b, unsigned n)
{
	ck_assert_msg(purge(b) == NGC_OK, "%s", b->err.text);
	ck_assert_uint_eq(b->problems, 0);
	ck_assert_uint_eq(b->r.purged, n);
	ck_assert_uint_eq(b->r.matched, n);
	ck_assert_uint_eq(b->each, n);
}

static void put(struct box *b, const char *root, const char *key, struct stored_file *f)
{
	stored_write(&b->t, root, &(struct stored){ .key = key }, f);
}

static bool is_there(struct box *b, const struct stored_file *f)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "a/%s", f->path);
	return tree_has(&b->t, path);
}

START_TEST(what_is_selected_goes_and_nothing_else)
{
	struct stored_file one, two;
	struct box b;

	box_new(&b);
	put(&b, "a", KEY("/1"), &one);
	put(&b, "a", KEY("/2"), &two);
	add(&b, NGC_SELECT_KEY, KEY("/1"));
	check_purges(&b, 1);
	ck_assert(!is_there(&b, &one));
	ck_assert(is_there(&b, &two));
	ck_assert_uint_eq(b.r.bytes, one.n);
	ck_assert_uint_eq(b.r.zones[0].purged, 1);
	ck_assert_uint_eq(b.r.zones[0].bytes, one.n);
	ck_assert_uint_eq(b.r.variants, 0);
	check_purges(&b, 0);
	box_free(&b);
}
END_TEST

START_TEST(nothing_selected_is_refused_and_a_filter_is_enough)
{
	struct stored_file f;
	struct box b;

	box_new(&b);
	put(&b, "a", KEY("/1"), &f);
	ck_assert_int_eq(purge(&b), NGC_INVALID);
	ck_assert(is_there(&b, &f));
	ck_assert_int_eq(
	    ngc_select_filter(b.select, NGC_FILTER_EXPIRED, NULL, 0, &b.err), NGC_OK);
	check_purges(&b, 0);
	ck_assert(is_there(&b, &f));
	b.req.now = STORED_VALID + 1;
	check_purges(&b, 1);
	ck_assert(!is_there(&b, &f));
	box_free(&b);
}
END_TEST

START_TEST(a_dry_run_counts_the_same_and_touches_nothing)
{
	unsigned char got[STORED_MAX];
	struct stored_file f;
	char path[PATH_MAX];
	struct box b;

	box_new(&b);
	put(&b, "a", KEY("/1"), &f);
	add(&b, NGC_SELECT_ALL, NULL);
	b.req.dry_run = true;
	for (int mode = NGC_PURGE_REMOVE; mode <= NGC_PURGE_EXPIRE; mode++) {
		b.req.mode = (enum ngc_purge_mode)mode;
		check_purges(&b, 1);
		ck_assert_uint_eq(b.r.bytes, f.n);
		snprintf(path, sizeof(path), "a/%s", f.path);
		ck_assert_uint_eq(tree_read(&b.t, path, got, sizeof(got)), f.n);
		ck_assert_int_eq(memcmp(got, f.p, f.n), 0);
	}
	box_free(&b);
}
END_TEST

/* By the system's clock, whatever now is said to be. */
START_TEST(other_modes_leave_the_file)
{
	unsigned char got[STORED_MAX];
	int64_t before, valid;
	struct stored_file f;
	char path[PATH_MAX];
	struct box b;

	box_new(&b);
	stored_write(&b.t, "a",
	    &(struct stored){ .key = KEY("/1"), .etag = "x", .valid = 4000000000 }, &f);
	snprintf(path, sizeof(path), "a/%s", f.path);
	add(&b, NGC_SELECT_ALL, NULL);
	b.req.mode = NGC_PURGE_EXPIRE;
	b.req.refetch = true;
	b.req.now = 1;
	before = time(NULL);
	check_purges(&b, 1);
	tree_read(&b.t, path, got, sizeof(got));
	valid = stored_get(&f, got, f.valid_at, 8);
	ck_assert_int_ge(valid, before - 1);
	ck_assert_int_le(valid, time(NULL) - 1);
	ck_assert_uint_eq(got[f.etag_at], 0);
	b.req.mode = NGC_PURGE_INVALIDATE;
	check_purges(&b, 1);
	tree_read(&b.t, path, got, sizeof(got));
	ck_assert_int_eq(stored_get(&f, got, f.version_at, 8), 0);
	ck_assert_int_eq(stored_get(&f, got, f.valid_at, 8), valid);
	box_free(&b);
}
END_TEST

START_TEST(damaged_files_are_removed_and_not_written)
{
	struct box b;

	box_new(&b);
	tree_write_text(&b.t, "a/d/74/" NAME, "short");
	add(&b, NGC_SELECT_ALL, NULL);
	b.req.mode = NGC_PURGE_INVALIDATE;
	check_purges(&b, 0);
	ck_assert_uint_eq(b.met, 1);
	ck_assert(tree_has(&b.t, "a/d/74/" NAME));
	b.req.mode = NGC_PURGE_REMOVE;
	check_purges(&b, 1);
	ck_assert_uint_eq(b.met, 0);
	ck_assert(!tree_has(&b.t, "a/d/74/" NAME));
	box_free(&b);
}
END_TEST

START_TEST(only_candidates_are_touched)
{
	static const char *const others[] = { "a/" NAME ".0123456789", "a/temp/" NAME,
		"a/README", "a/1/" NAME, "a/d/74/x", "a/abc/" NAME, "a/0/1/2/3/" NAME };
	struct stored_file f;
	struct box b;

	box_new(&b);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		tree_write_text(&b.t, others[i], "x");
	tree_mkdir(&b.t, "victim");
	put(&b, "victim", KEY("/victim"), &f);
	ck_assert_ptr_null(strchr("01d", f.path[0])); /* there is no such directory yet */
	tree_link(&b.t, tree_at(&b.t, "victim/%.1s", f.path),
	    tree_at(&b.t, "a/%.1s", f.path) + strlen(b.t.path) + 1);
	tree_link(&b.t, tree_at(&b.t, "victim/%s", f.path),
	    "a/00000000000000000000000000000000");
	put(&b, "a", KEY("/1"), &f);
	add(&b, NGC_SELECT_ALL, NULL);
	add(&b, NGC_SELECT_KEY, KEY("/victim"));
	check_purges(&b, 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(tree_has(&b.t, others[i]), "%s", others[i]);
	ck_assert(tree_has(&b.t, "a/00000000000000000000000000000000"));
	stored_make(&(struct stored){ .key = KEY("/victim") }, &f);
	ck_assert(
	    tree_has(&b.t, tree_at(&b.t, "victim/%s", f.path) + strlen(b.t.path) + 1));
	box_free(&b);
}
END_TEST

START_TEST(variants_are_counted)
{
	struct stored s = { .key = KEY("/v"), .vary = "Accept-Encoding" };
	struct stored_file f;
	struct box b;

	box_new(&b);
	stored_write(&b.t, "a", &s, &f);
	s.variant = 1;
	stored_write(&b.t, "a", &s, &f);
	add(&b, NGC_SELECT_URL, "http://example.com/v");
	check_purges(&b, 2);
	ck_assert_uint_eq(b.r.variants, 1);
	ck_assert(b.r.found.walked);
	box_free(&b);
}
END_TEST

START_TEST(each_zone_has_its_numbers)
{
	struct stored_file f;
	struct box b;

	box_new(&b);
	b.site.n_dirs = 2;
	put(&b, "a", KEY("/1"), &f);
	put(&b, "b", KEY("/1"), &f);
	put(&b, "b", KEY("/22"), &f);
	add(&b, NGC_SELECT_GLOB, "*");
	check_purges(&b, 3);
	ck_assert_uint_eq(b.r.zones[0].purged, 1);
	ck_assert_uint_eq(b.r.zones[1].purged, 2);
	ck_assert_uint_eq(b.r.zones[0].bytes + b.r.zones[1].bytes, b.r.bytes);
	box_free(&b);
}
END_TEST

/* What happens to a file between the moment it was judged and the edit. */
static const struct box *meanwhile;
static const struct stored_file *stored_again;

int fstat(int fd, struct stat *st)
{
	int r = fstatat(fd, "", st, AT_EMPTY_PATH);

	if (meanwhile != NULL && S_ISREG(st->st_mode) && (st->st_mode & 07777) == 0600) {
		const struct tree *t = &meanwhile->t;
		const char *path = tree_at(t, "a/%s", stored_again->path) +
				   strlen(t->path) + 1;

		meanwhile = NULL;
		if (stored_again->n > 0)
			tree_write(t, path, stored_again->p, stored_again->n);
		else
			unlink(tree_at(t, "%s", path));
	}
	return r;
}

START_TEST(what_nginx_stored_meanwhile_is_kept)
{
	struct stored_file f;
	struct box b;

	box_new(&b);
	put(&b, "a", KEY("/1"), &f);
	add(&b, NGC_SELECT_GLOB, "*");
	for (int mode = NGC_PURGE_REMOVE; mode <= NGC_PURGE_EXPIRE; mode++) {
		meanwhile = &b;
		stored_again = &f;
		b.req.mode = (enum ngc_purge_mode)mode;
		ck_assert_int_eq(purge(&b), NGC_OK);
		ck_assert_uint_eq(b.r.replaced, 1);
		ck_assert_uint_eq(b.r.matched, 1);
		ck_assert_uint_eq(b.r.bytes, 0);
		ck_assert_uint_eq(b.each, 0);
		ck_assert(is_there(&b, &f));
	}
	box_free(&b);
}
END_TEST

START_TEST(what_vanished_meanwhile_is_no_failure)
{
	struct stored_file f, gone;
	struct box b;

	box_new(&b);
	for (int mode = NGC_PURGE_REMOVE; mode <= NGC_PURGE_EXPIRE; mode++) {
		put(&b, "a", KEY("/1"), &f);
		gone = f;
		gone.n = 0;
		meanwhile = &b;
		stored_again = &gone;
		b.req.mode = (enum ngc_purge_mode)mode;
		if (ngc_select_is_empty(b.select))
			add(&b, NGC_SELECT_GLOB, "*");
		ck_assert_int_eq(purge(&b), NGC_OK);
		ck_assert_uint_eq(b.r.already_gone, 1);
		ck_assert_uint_eq(b.r.matched, 1);
		ck_assert_uint_eq(b.r.bytes, 0);
		ck_assert_uint_eq(b.problems, 0);
	}
	box_free(&b);
}
END_TEST

/* As a user who may look, but not write. */
static void check_fails(struct box *b)
{
	if (geteuid() == 0)
		ck_assert_int_eq(setuid(65534), 0);
	ck_assert_int_eq(purge(b), NGC_OK);
	ck_assert_uint_eq(b->r.failed, 120);
	ck_assert_uint_eq(b->r.purged, 0);
	ck_assert_uint_eq(b->r.bytes, 0);
	ck_assert_uint_eq(b->each, 0);
	ck_assert_uint_eq(b->problems, 120);
	ck_assert_uint_eq(b->r.n_errors, NGC_PURGE_ERRORS_MAX);
	ck_assert_ptr_eq(strstr(b->r.errors[0].text, DENIED("unlink")),
	    b->r.errors[0].text);
	ck_assert_ptr_nonnull(b->r.errors[0].file);
	ck_assert_ptr_nonnull(strstr(b->last, DENIED(": unlink")));
	ck_assert_int_eq(strncmp(b->last, b->t.path, strlen(b->t.path)), 0);
	_exit(0);
}

START_TEST(a_failure_frees_nothing_and_is_reported)
{
	struct stored_file f;
	struct box b;
	int status;

	if (geteuid() != 0)
		return; /* one's own directories can be written */
	box_new(&b);
	for (int i = 0; i < 120; i++) {
		char key[64];

		snprintf(key, sizeof(key), KEY("/%d"), i);
		put(&b, "a", key, &f);
		ck_assert_int_eq(chmod(tree_at(&b.t, "a/%s", f.path), 0644), 0);
	}
	add(&b, NGC_SELECT_GLOB, "*");
	if (fork() == 0)
		check_fails(&b);
	ck_assert_int_gt(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	box_free(&b);
}
END_TEST

START_TEST(many_threads_count_right)
{
	struct stored_file f;
	struct box b;

	box_new(&b);
	b.req.pace.jobs = 16;
	for (int i = 0; i < 500; i++) {
		char key[64];

		snprintf(key, sizeof(key), KEY("/%d"), i);
		stored_make(&(struct stored){ .key = key }, &f);
		put(&b, "a", key, &f);
		if (i % 5 == 0)
			ck_assert_int_eq(truncate(tree_at(&b.t, "a/%s", f.path), 5), 0);
	}
	add(&b, NGC_SELECT_REGEX, "[0-9]$");
	check_purges(&b, 400);
	ck_assert_uint_eq(b.met, 100);
	ck_assert_uint_eq(b.r.found.selectors[0].matched, 400);
	ck_assert_uint_eq(b.r.zones[0].purged, 400);
	box_free(&b);
}
END_TEST

START_TEST(modes_have_names)
{
	ck_assert_str_eq(ngc_purge_mode_name(NGC_PURGE_REMOVE), "remove");
	ck_assert_str_eq(ngc_purge_mode_name(NGC_PURGE_INVALIDATE), "invalidate");
	ck_assert_str_eq(ngc_purge_mode_name(NGC_PURGE_EXPIRE), "expire");
}
END_TEST

UNIT_MAIN("purge", what_is_selected_goes_and_nothing_else,
    nothing_selected_is_refused_and_a_filter_is_enough,
    a_dry_run_counts_the_same_and_touches_nothing, other_modes_leave_the_file,
    damaged_files_are_removed_and_not_written, only_candidates_are_touched,
    variants_are_counted, each_zone_has_its_numbers, what_nginx_stored_meanwhile_is_kept,
    what_vanished_meanwhile_is_no_failure, a_failure_frees_nothing_and_is_reported,
    many_threads_count_right, modes_have_names)
