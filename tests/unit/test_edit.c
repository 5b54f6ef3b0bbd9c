/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/entry.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "ngc/cache.h"
#include "stored.h"

#define DENIED(what) what ": permission denied: run as the owner of the cache ("

#define KEY "httpGETexample.com/a"
#define NOW 1900000000 /* the stored entries are fresh then */

/* The library's fstat(): what is to vanish right before it, between an open and what
 * follows. */
static const char *vanishes;

int fstat(int fd, struct stat *st)
{
	if (vanishes != NULL)
		unlink(vanishes);
	vanishes = NULL;
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* One entry in a cache, opened, which is to say judged. */
struct box {
	struct tree t;
	struct ngc_zone zone;
	struct ngc_cache *cache;
	struct ngc_reader *reader;
	struct stored_file f;
	struct ngc_entry e;
	struct ngc_error err;
	unsigned descriptors;
	char root[PATH_MAX], file[PATH_MAX]; /* the file below the tree */
};

static void box_new(struct box *b, const struct stored *s)
{
	char dir[NGC_LEVELS_TEXT] = { 0 };

	tree_new(&b->t);
	b->descriptors = open_descriptors();
	stored_write(&b->t, "c", s, &b->f);
	snprintf(b->root, sizeof(b->root), "%s", tree_at(&b->t, "c"));
	snprintf(b->file, sizeof(b->file), "c/%s", b->f.path);
	b->zone = (struct ngc_zone){ .path = b->root };
	ck_assert_int_eq(ngc_cache_open(&b->zone, NULL, &b->cache, &b->err), NGC_OK);
	b->reader = ngc_reader_new();
	memcpy(dir, b->f.path, strlen(b->f.path) - NGC_NAME_LEN);
	ck_assert_int_eq(
	    ngc_entry_open(b->cache, b->reader, dir, b->f.name, &b->e, &b->err), NGC_OK);
}

static void box_free(struct box *b)
{
	ngc_entry_close(&b->e);
	ngc_reader_free(b->reader);
	ngc_cache_close(b->cache);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	tree_free(&b->t);
}

static const struct stored plain = {
	.key = KEY, .etag = "\"tag\"", .last_modified = 1600000000
};

enum edit { REMOVE, INVALIDATE, EXPIRE, REFETCH, EDITS };

static enum ngc_outcome apply(struct box *b, enum edit edit)
{
	switch (edit) {
	case REMOVE:
		return ngc_entry_remove(&b->e, &b->err);
	case INVALIDATE:
		return ngc_entry_invalidate(&b->e, &b->err);
	case EXPIRE:
		return ngc_entry_expire(&b->e, NOW, false, &b->err);
	default:
		return ngc_entry_expire(&b->e, NOW, true, &b->err);
	}
}

/* The judged file holds what was stored but for the bytes from to to. */
static void check_only_changed(
    const struct box *b, const unsigned char *got, size_t n, size_t from, size_t to)
{
	ck_assert_uint_eq(n, b->f.n);
	for (size_t i = 0; i < n; i++)
		if (i < from || i >= to)
			ck_assert_msg(got[i] == b->f.p[i], "byte %zu", i);
}

static void check_untouched(const struct box *b, const char *name)
{
	static unsigned char got[STORED_MAX];
	size_t n = tree_read(&b->t, name, got, sizeof(got));

	check_only_changed(b, got, n, 0, 0);
}

static void each_layout(void (*check)(const struct stored *s))
{
	for (size_t i = 0; i < STORED_ABIS * 4; i++) {
		struct stored s = plain;

		s.abi = &stored_abis[i / 4];
		s.old = i % 4 == 0;
		s.v2 = i % 4 == 1;
		s.v3 = i % 4 == 2;
		check(&s);
	}
}

/* The version becomes 0; without one the entry becomes long stale. */
static void check_spoilt(
    const struct box *b, const struct stored *s, const unsigned char *got, size_t n)
{
	size_t at = s->old ? b->f.valid_at : b->f.version_at;
	size_t width = s->old ? b->f.abi->time : b->f.abi->word;

	check_only_changed(b, got, n, at, at + width);
	ck_assert_int_eq(stored_get(&b->f, got, at, width), s->old ? 1 : 0);
}

static void check_invalidate(const struct stored *s)
{
	unsigned char got[STORED_MAX];
	struct box b;

	box_new(&b, s);
	ck_assert_int_eq(apply(&b, INVALIDATE), NGC_DONE);
	check_spoilt(&b, s, got, tree_read(&b.t, b.file, got, sizeof(got)));
	box_free(&b);
}

START_TEST(invalidating_spoils_the_version)
{
	each_layout(check_invalidate);
}
END_TEST

/* What open_file_cache holds is spoilt, too, before the name goes. */
static void check_remove(const struct stored *s)
{
	unsigned char got[STORED_MAX];
	ssize_t n;
	struct box b;
	int held;

	box_new(&b, s);
	held = open(tree_at(&b.t, "%s", b.file), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(apply(&b, REMOVE), NGC_DONE);
	ck_assert(!tree_has(&b.t, b.file));
	n = read(held, got, sizeof(got));
	ck_assert_int_ge(n, 0);
	check_spoilt(&b, s, got, (size_t)n);
	close(held);
	box_free(&b);
}

START_TEST(removing_spoils_the_version_and_unlinks)
{
	each_layout(check_remove);
}
END_TEST

static void check_expire(const struct stored *s)
{
	unsigned char got[STORED_MAX];
	size_t n, width;
	struct box b;

	box_new(&b, s);
	width = b.f.abi->time;
	ck_assert_int_eq(apply(&b, EXPIRE), NGC_DONE);
	n = tree_read(&b.t, b.file, got, sizeof(got));
	check_only_changed(&b, got, n, b.f.valid_at, b.f.valid_at + width);
	ck_assert_int_eq(stored_get(&b.f, got, b.f.valid_at, width), NOW - 1);
	box_free(&b);
}

START_TEST(expiring_makes_it_stale)
{
	each_layout(check_expire);
}
END_TEST

static void check_refetch(const struct stored *s)
{
	unsigned char got[STORED_MAX];
	size_t n, width;
	struct box b;

	box_new(&b, s);
	width = b.f.abi->time;
	ck_assert_int_eq(apply(&b, REFETCH), NGC_DONE);
	n = tree_read(&b.t, b.file, got, sizeof(got));
	ck_assert_int_eq(stored_get(&b.f, got, b.f.valid_at, width), NOW - 1);
	ck_assert_int_eq(stored_get(&b.f, got, b.f.last_modified_at, width), -1);
	memcpy(got + b.f.valid_at, b.f.p + b.f.valid_at, width);
	memcpy(got + b.f.last_modified_at, b.f.p + b.f.last_modified_at, width);
	if (!s->old) {
		ck_assert_uint_eq(got[b.f.etag_at], 0);
		got[b.f.etag_at] = b.f.p[b.f.etag_at];
	}
	check_only_changed(&b, got, n, 0, 0);
	box_free(&b);
}

START_TEST(a_refetch_clears_the_validators)
{
	each_layout(check_refetch);
}
END_TEST

START_TEST(what_is_stale_already_keeps_its_time)
{
	static const int64_t valid[] = { 1, NOW - 2, NOW - 1 };

	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		struct box b;

		box_new(&b, &(struct stored){ .key = KEY, .valid = valid[i] });
		ck_assert_int_eq(apply(&b, EXPIRE), NGC_DONE);
		check_untouched(&b, b.file);
		box_free(&b);
	}
}
END_TEST

START_TEST(the_last_second_is_still_fresh)
{
	unsigned char got[STORED_MAX];
	struct box b;

	box_new(&b, &(struct stored){ .key = KEY, .valid = NOW });
	ck_assert_int_eq(apply(&b, EXPIRE), NGC_DONE);
	tree_read(&b.t, b.file, got, sizeof(got));
	ck_assert_int_eq(stored_get(&b.f, got, b.f.valid_at, 8), NOW - 1);
	box_free(&b);
}
END_TEST

START_TEST(a_damaged_file_is_removed_unwritten)
{
	struct stored_file f;
	struct ngc_entry e;
	struct box b;
	int held;
	char got[16];

	box_new(&b, &plain);
	stored_make(&(struct stored){ .key = "other" }, &f);
	tree_write(&b.t, "c/b7f54b2df7773722d382f4809d62a74d", "short", 5);
	ck_assert_int_eq(ngc_entry_open(b.cache, b.reader, "",
			     "b7f54b2df7773722d382f4809d62a74d", &e, &b.err),
	    NGC_OK);
	ck_assert(e.damaged);
	held = open(
	    tree_at(&b.t, "c/b7f54b2df7773722d382f4809d62a74d"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(ngc_entry_remove(&e, &b.err), NGC_DONE);
	ck_assert(!tree_has(&b.t, "c/b7f54b2df7773722d382f4809d62a74d"));
	ck_assert_int_eq(read(held, got, sizeof(got)), 5);
	ck_assert_int_eq(memcmp(got, "short", 5), 0);
	close(held);
	ngc_entry_close(&e);
	box_free(&b);
}
END_TEST

START_TEST(what_was_replaced_is_kept)
{
	for (int edit = 0; edit < EDITS; edit++) {
		struct box b;

		box_new(&b, &plain);
		tree_write(&b.t, b.file, b.f.p, b.f.n); /* the same bytes, another file */
		ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_REPLACED);
		check_untouched(&b, b.file);
		box_free(&b);
	}
}
END_TEST

START_TEST(what_a_link_replaced_is_kept)
{
	for (int edit = 0; edit < EDITS; edit++) {
		struct box b;

		box_new(&b, &plain);
		tree_write(&b.t, "victim", b.f.p, b.f.n);
		ck_assert_int_eq(unlink(tree_at(&b.t, "%s", b.file)), 0);
		tree_link(&b.t, tree_at(&b.t, "victim"), b.file);
		ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_REPLACED);
		check_untouched(&b, "victim");
		ck_assert(tree_has(&b.t, b.file));
		box_free(&b);
	}
}
END_TEST

START_TEST(what_vanished_is_already_gone)
{
	for (int edit = 0; edit < EDITS; edit++) {
		struct box b;

		box_new(&b, &plain);
		ck_assert_int_eq(unlink(tree_at(&b.t, "%s", b.file)), 0);
		ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_ALREADY_GONE);
		box_free(&b);
	}
}
END_TEST

START_TEST(what_vanishes_between_open_and_write_is_already_gone)
{
	for (int edit = 0; edit < EDITS; edit++) {
		struct box b;

		box_new(&b, &plain);
		vanishes = tree_at(&b.t, "%s", b.file);
		ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_ALREADY_GONE);
		ck_assert_ptr_null(vanishes);
		box_free(&b);
	}
}
END_TEST

static void overwrite(const struct box *b, size_t at, const void *p, size_t n)
{
	int fd = open(tree_at(&b->t, "%s", b->file), O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, p, n, (off_t)at), (ssize_t)n);
	close(fd);
}

/* nginx rewrites the header of an entry that the upstream says is still good. */
START_TEST(an_entry_revalidated_in_place_is_edited)
{
	for (int edit = 0; edit < EDITS; edit++) {
		unsigned char got[STORED_MAX];
		int64_t later = STORED_VALID + 77;
		struct box b;

		box_new(&b, &(struct stored){ .key = KEY, .valid = 1 });
		overwrite(&b, b.f.valid_at, &later, sizeof(later));
		ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_DONE);
		ck_assert_int_eq(tree_has(&b.t, b.file), edit != REMOVE);
		if (edit != REMOVE) {
			tree_read(&b.t, b.file, got, sizeof(got));
			ck_assert_int_eq(stored_get(&b.f, got, b.f.valid_at, 8),
			    edit == INVALIDATE ? later : NOW - 1);
			ck_assert_int_eq(stored_get(&b.f, got, b.f.version_at, 8),
			    edit == INVALIDATE ? 0 : 5);
		}
		box_free(&b);
	}
}
END_TEST

START_TEST(a_header_with_another_key_is_not_overwritten)
{
	static const struct stored others[] = {
		{ .key = "httpGETexample.com/b" },
		{ .key = "httpGETexample.com/long" },
		{ .key = KEY, .v3 = true },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		for (int edit = 0; edit < EDITS; edit++) {
			struct box b;

			box_new(&b, &plain);
			stored_make(&others[i], &b.f);
			overwrite(&b, 0, b.f.p, b.f.n);
			ck_assert_int_eq(
			    truncate(tree_at(&b.t, "%s", b.file), (off_t)b.f.n), 0);
			ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_REPLACED);
			check_untouched(&b, b.file);
			box_free(&b);
		}
	}
}
END_TEST

START_TEST(what_changed_behind_the_header_does_not_matter)
{
	struct box b;
	int fd;

	box_new(&b, &plain);
	fd = open(tree_at(&b.t, "%s", b.file), O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(write(fd, "more", 4), 4);
	close(fd);
	ck_assert_int_eq(apply(&b, REMOVE), NGC_DONE);
	ck_assert(!tree_has(&b.t, b.file));
	box_free(&b);
}
END_TEST

START_TEST(a_file_that_was_cut_meanwhile_is_not_written)
{
	struct box b;

	box_new(&b, &plain);
	ck_assert_int_eq(truncate(tree_at(&b.t, "%s", b.file), 100), 0);
	ck_assert_int_eq(apply(&b, INVALIDATE), NGC_REPLACED);
	b.f.n = 100;
	check_untouched(&b, b.file);
	box_free(&b);
}
END_TEST

START_TEST(a_file_with_several_links_is_removed_unwritten)
{
	for (int edit = 0; edit < EDITS; edit++) {
		struct box b;

		box_new(&b, &plain);
		ck_assert_int_eq(
		    link(tree_at(&b.t, "%s", b.file), tree_at(&b.t, "other")), 0);
		if (edit == REMOVE) {
			ck_assert_int_eq(apply(&b, REMOVE), NGC_DONE);
			ck_assert(!tree_has(&b.t, b.file));
		} else {
			ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_FAILED);
			ck_assert_str_eq(b.err.text, "not written: it has several links");
		}
		check_untouched(&b, "other");
		box_free(&b);
	}
}
END_TEST

START_TEST(a_foreign_owner_s_file_is_removed_unwritten)
{
	for (int edit = 0; geteuid() == 0 && edit < EDITS; edit++) {
		struct box b;
		int held;
		unsigned char got[STORED_MAX];

		box_new(&b, &plain);
		ck_assert_int_eq(chown(tree_at(&b.t, "%s", b.file), 1234, 1234), 0);
		held = open(tree_at(&b.t, "%s", b.file), O_RDONLY | O_CLOEXEC);
		if (edit == REMOVE) {
			ck_assert_int_eq(apply(&b, REMOVE), NGC_DONE);
			ck_assert(!tree_has(&b.t, b.file));
		} else {
			ck_assert_int_eq(apply(&b, (enum edit)edit), NGC_FAILED);
			ck_assert_str_eq(
			    b.err.text, "not written: its owner is not the cache's");
		}
		ck_assert_int_eq(read(held, got, sizeof(got)), (ssize_t)b.f.n);
		check_only_changed(&b, got, b.f.n, 0, 0);
		close(held);
		box_free(&b);
	}
}
END_TEST

START_TEST(what_may_not_be_written_says_why)
{
	struct box b;
	int status;

	box_new(&b, &plain);
	ck_assert_int_eq(chmod(tree_at(&b.t, "%s", b.file), 0444), 0);
	if (fork() == 0) {
		if (geteuid() == 0)
			ck_assert_int_eq(setuid(65534), 0);
		ck_assert_int_eq(apply(&b, INVALIDATE), NGC_FAILED);
		ck_assert_ptr_eq(strstr(b.err.text, DENIED("open for writing")),
		    b.err.text);
		ck_assert_int_eq(b.err.sys, EACCES);
		_exit(0);
	}
	ck_assert_int_gt(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	box_free(&b);
}
END_TEST

START_TEST(what_may_not_be_unlinked_says_why)
{
	struct box b;
	int status;

	box_new(&b, &plain);
	if (geteuid() == 0 && fork() == 0) {
		ck_assert_int_eq(setuid(65534), 0);
		ck_assert_int_eq(apply(&b, REMOVE), NGC_FAILED);
		ck_assert_ptr_eq(strstr(b.err.text, DENIED("unlink")), b.err.text);
		_exit(0);
	}
	if (geteuid() == 0) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	check_untouched(&b, b.file);
	box_free(&b);
}
END_TEST

/* Beside a process that stores and removes the same name all the time nothing is ever an
 * error. */
START_TEST(beside_a_live_nginx_nothing_fails)
{
	unsigned seen[NGC_FAILED + 1] = { 0 };
	struct box b;
	pid_t child;

	box_new(&b, &plain);
	child = fork();
	while (child == 0) {
		tree_write(&b.t, b.file, b.f.p, b.f.n);
		unlink(tree_at(&b.t, "%s", b.file));
	}
	for (unsigned i = 0; i < 5000; i++) {
		struct ngc_entry e;
		char dir[NGC_LEVELS_TEXT] = { 0 };
		enum ngc_outcome outcome;

		memcpy(dir, b.f.path, strlen(b.f.path) - NGC_NAME_LEN);
		if (ngc_entry_open(b.cache, b.reader, dir, b.f.name, &e, &b.err) !=
		    NGC_OK)
			continue;
		outcome = i % 2 == 0 ? ngc_entry_invalidate(&e, &b.err)
				     : ngc_entry_remove(&e, &b.err);
		seen[outcome]++;
		ck_assert_msg(outcome != NGC_FAILED, "%s", b.err.text);
		ngc_entry_close(&e);
	}
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_gt(
	    seen[NGC_DONE] + seen[NGC_ALREADY_GONE] + seen[NGC_REPLACED], 0);
	box_free(&b);
}
END_TEST

UNIT_MAIN("edit", invalidating_spoils_the_version,
    removing_spoils_the_version_and_unlinks, expiring_makes_it_stale,
    a_refetch_clears_the_validators, what_is_stale_already_keeps_its_time,
    the_last_second_is_still_fresh, a_damaged_file_is_removed_unwritten,
    what_was_replaced_is_kept, what_a_link_replaced_is_kept,
    what_vanished_is_already_gone, what_vanishes_between_open_and_write_is_already_gone,
    an_entry_revalidated_in_place_is_edited, a_header_with_another_key_is_not_overwritten,
    what_changed_behind_the_header_does_not_matter,
    a_file_that_was_cut_meanwhile_is_not_written,
    a_file_with_several_links_is_removed_unwritten,
    a_foreign_owner_s_file_is_removed_unwritten, what_may_not_be_written_says_why,
    what_may_not_be_unlinked_says_why, beside_a_live_nginx_nothing_fails)
