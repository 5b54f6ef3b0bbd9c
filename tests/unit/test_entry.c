/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/entry.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "ngc/cache.h"
#include "ngc/mem.h"
#include "stored.h"

#define KEY  "httpGETexample.com/a"
#define NAME "b7f54b2df7773722d382f4809d62a74d"

/* A cache in a tree, with levels 1:2. */
struct box {
	struct tree t;
	struct ngc_zone zone;
	struct ngc_cache *cache;
	struct ngc_reader *reader;
	unsigned descriptors;
	char path[PATH_MAX];
};

static void box_new(struct box *b)
{
	struct ngc_error err;

	tree_new(&b->t);
	b->descriptors = open_descriptors();
	tree_mkdir(&b->t, "c");
	snprintf(b->path, sizeof(b->path), "%s", tree_at(&b->t, "c"));
	b->zone = (struct ngc_zone){
		.path = b->path, .levels_known = true, .levels = { 2, { 1, 2 } }
	};
	ck_assert_int_eq(ngc_cache_open(&b->zone, NULL, &b->cache, &err), NGC_OK);
	b->reader = ngc_reader_new();
	ck_assert_ptr_nonnull(b->reader);
}

static void box_free(struct box *b)
{
	ngc_reader_free(b->reader);
	ngc_cache_close(b->cache);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	tree_free(&b->t);
}

static void dir_of(const struct stored_file *f, char out[NGC_LEVELS_TEXT])
{
	size_t n = strlen(f->path) - NGC_NAME_LEN;

	memcpy(out, f->path, n);
	out[n] = '\0';
}

static void open_stored(struct box *b, const struct stored_file *f, struct ngc_entry *e)
{
	char dir[NGC_LEVELS_TEXT];
	struct ngc_error err;

	dir_of(f, dir);
	ck_assert_int_eq(
	    ngc_entry_open(b->cache, b->reader, dir, f->name, e, &err), NGC_OK);
}

START_TEST(an_entry_is_opened_and_decoded)
{
	struct ngc_buf path = { 0 };
	struct stored_file f;
	struct ngc_entry e;
	struct ngc_error err;
	struct box b;

	box_new(&b);
	stored_write(&b.t, "c", &(struct stored){ .key = KEY, .status = 404 }, &f);
	open_stored(&b, &f, &e);
	ck_assert(!e.damaged);
	ck_assert(!e.orphan);
	ck_assert_ptr_eq(e.cache, b.cache);
	ck_assert(ngc_bytes_equal(e.header.key, ngc_bytes_of(KEY)));
	ck_assert_int_eq(e.header.valid, STORED_VALID);
	ck_assert_int_eq(ngc_entry_stat(&e, &err), NGC_OK);
	ck_assert_int_eq(e.size, (off_t)f.n);
	ck_assert_int_eq(ngc_entry_response(&e, &err), NGC_OK);
	ck_assert_int_eq(e.response.status, 404);
	ngc_entry_path(&e, &path);
	ck_assert_str_eq(ngc_buf_str(&path), tree_at(&b.t, "c/%s", f.path));
	ngc_buf_free(&path);
	ngc_entry_close(&e);
	box_free(&b);
}
END_TEST

START_TEST(every_layout_is_read)
{
	struct box b;

	box_new(&b);
	for (size_t i = 0; i < STORED_ABIS * 4; i++) {
		struct stored s = { .key = KEY, .abi = &stored_abis[i / 4] };
		struct stored_file f;
		struct ngc_entry e;

		s.old = i % 4 == 0;
		s.v2 = i % 4 == 1;
		s.v3 = i % 4 == 2;
		stored_write(&b.t, "c", &s, &f);
		open_stored(&b, &f, &e);
		ck_assert_msg(!e.damaged, "%s %zu", s.abi->name, i % 4);
		ck_assert_str_eq(ngc_layout_abi(e.header.layout), s.abi->name);
		ngc_entry_close(&e);
	}
	box_free(&b);
}
END_TEST

/* Longer than what is read at first, and as long as header_start reaches. */
START_TEST(long_keys_are_read)
{
	static const size_t lengths[] = { 0, 100, 168, 169, 170, 512, 4096, 10000 };
	static char key[10001];
	struct box b;

	box_new(&b);
	memset(key, 'k', sizeof(key));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct stored s = { .raw_key = ngc_bytes(key, lengths[i]) };
		struct stored_file f;
		struct ngc_entry e;
		struct ngc_error err;

		stored_write(&b.t, "c", &s, &f);
		open_stored(&b, &f, &e);
		ck_assert_msg(!e.damaged, "%zu", lengths[i]);
		ck_assert_uint_eq(e.header.key.n, lengths[i]);
		ck_assert_int_eq(ngc_entry_response(&e, &err), NGC_OK);
		ck_assert_int_eq(e.response.status, 200);
		ck_assert_uint_eq(e.header.key.n, lengths[i]);
		ck_assert(ngc_bytes_equal(e.header.key, s.raw_key));
		ngc_entry_close(&e);
	}
	box_free(&b);
}
END_TEST

START_TEST(a_cut_file_is_damaged_and_leaks_nothing)
{
	struct stored_file f;
	struct box b;

	box_new(&b);
	stored_make(&(struct stored){ .key = KEY }, &f);
	for (size_t n = 0; n < f.n - 24; n++) {
		char path[PATH_MAX];
		struct ngc_entry e;

		snprintf(path, sizeof(path), "c/%s", f.path);
		tree_write(&b.t, path, f.p, n);
		open_stored(&b, &f, &e);
		ck_assert_msg(e.damaged, "%zu", n);
		ngc_entry_close(&e);
	}
	box_free(&b);
}
END_TEST

/* Each time it is asked: a filter may have asked before. */
START_TEST(a_response_that_is_cut_off_is_damaged_each_time)
{
	struct stored_file f;
	struct ngc_entry e;
	struct ngc_error err;
	char path[PATH_MAX];
	struct box b;

	box_new(&b);
	stored_make(&(struct stored){ .key = KEY }, &f);
	snprintf(path, sizeof(path), "c/%s", f.path);
	tree_write(&b.t, path, f.p, f.n - strlen("\r\nhello"));
	open_stored(&b, &f, &e);
	ck_assert(!e.damaged);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(ngc_entry_response(&e, &err), NGC_DAMAGED);
		ck_assert_int_eq(e.response.status, 200);
	}
	ngc_entry_close(&e);
	box_free(&b);
}
END_TEST

START_TEST(an_orphan_lies_in_other_levels)
{
	static const struct {
		const char *levels;
		bool orphan;
	} cases[] = { { "", true }, { "1", true }, { "1:2", false }, { "2:1", true } };
	struct box b;

	box_new(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stored_file f;
		struct ngc_entry e;

		stored_write(&b.t, "c",
		    &(struct stored){ .key = KEY, .levels = cases[i].levels }, &f);
		open_stored(&b, &f, &e);
		ck_assert_int_eq(e.orphan, cases[i].orphan);
		ngc_entry_close(&e);
		b.zone.levels_known = false;
		open_stored(&b, &f, &e);
		ck_assert(!e.orphan);
		ngc_entry_close(&e);
		b.zone.levels_known = true;
	}
	box_free(&b);
}
END_TEST

static enum ngc_code try_open(struct box *b, const char *dir, const char *name)
{
	struct ngc_entry e = { .fd = -1 };
	struct ngc_error err;
	enum ngc_code code = ngc_entry_open(b->cache, b->reader, dir, name, &e, &err);

	if (code == NGC_OK)
		ngc_entry_close(&e);
	else
		ck_assert_int_eq(e.fd, -1); /* nothing that a caller could close again */
	return code;
}

START_TEST(only_regular_files_are_entries)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct box b;
	int s;

	box_new(&b);
	tree_mkdir(&b.t, "c/d/74/" NAME);
	ck_assert_int_eq(try_open(&b, "d/74/", NAME), NGC_GONE);
	ck_assert_int_eq(mkfifo(tree_at(&b.t, "c/d/" NAME), 0600), 0);
	ck_assert_int_eq(try_open(&b, "d/", NAME), NGC_GONE);
	tree_write_text(&b.t, "file", "x");
	tree_link(&b.t, tree_at(&b.t, "file"), "c/" NAME);
	ck_assert_int_eq(try_open(&b, "", NAME), NGC_GONE);
	ck_assert_int_eq(unlink(tree_at(&b.t, "c/" NAME)), 0);
	ck_assert_int_eq(chdir(b.path), 0);
	memcpy(address.sun_path, NAME, sizeof(NAME));
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(try_open(&b, "", NAME), NGC_GONE);
	close(s);
	ck_assert_int_eq(unlink(tree_at(&b.t, "c/" NAME)), 0);
	if (mknod(tree_at(&b.t, "c/" NAME), S_IFCHR | 0600, 0x103) ==
	    0) /* as /dev/null */
		ck_assert_int_eq(try_open(&b, "", NAME), NGC_GONE);
	box_free(&b);
}
END_TEST

START_TEST(what_is_not_there_is_gone)
{
	struct box b;

	box_new(&b);
	tree_write_text(&b.t, "c/4d", "a file");
	tree_mkdir(&b.t, "other/74");
	tree_write_text(&b.t, "other/74/" NAME, "x");
	tree_link(&b.t, "../other", "c/d");
	ck_assert_int_eq(try_open(&b, "", NAME), NGC_GONE);
	ck_assert_int_eq(try_open(&b, "4d/", NAME), NGC_GONE);
	ck_assert_int_eq(try_open(&b, "4d/a7/62/", NAME), NGC_GONE);
	ck_assert_int_eq(try_open(&b, "d/74/", NAME), NGC_GONE); /* through a link */
	ck_assert_int_eq(try_open(&b, "../other/74/", NAME), NGC_GONE);
	ck_assert_int_eq(try_open(&b, "", "../" NAME), NGC_GONE);
	ck_assert_int_eq(try_open(&b, "", "temp"), NGC_GONE);
	box_free(&b);
}
END_TEST

START_TEST(what_may_not_be_read_is_denied)
{
	int status;
	struct box b;

	box_new(&b);
	tree_write_text(&b.t, "c/" NAME, "x");
	tree_write_text(&b.t, "c/d/" NAME, "x");
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/" NAME), 0), 0);
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/d"), 0), 0);
	if (fork() == 0) {
		if (geteuid() == 0)
			ck_assert_int_eq(setuid(65534), 0);
		ck_assert_int_eq(try_open(&b, "", NAME), NGC_DENIED);
		ck_assert_int_eq(try_open(&b, "d/", NAME), NGC_DENIED);
		_exit(0);
	}
	ck_assert_int_gt(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/d"), 0700), 0);
	box_free(&b);
}
END_TEST

/* O_NOATIME is for the owner alone; others read all the same. */
START_TEST(another_user_s_file_is_read)
{
	int status;
	struct box b;

	box_new(&b);
	tree_write_text(&b.t, "c/" NAME, "x");
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/" NAME), 0644), 0);
	if (geteuid() == 0 && fork() == 0) {
		ck_assert_int_eq(setuid(65534), 0);
		ck_assert_int_eq(try_open(&b, "", NAME), NGC_OK);
		_exit(0);
	}
	if (geteuid() == 0) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	box_free(&b);
}
END_TEST

UNIT_MAIN("entry", an_entry_is_opened_and_decoded, every_layout_is_read,
    long_keys_are_read, a_cut_file_is_damaged_and_leaks_nothing,
    a_response_that_is_cut_off_is_damaged_each_time, an_orphan_lies_in_other_levels,
    only_regular_files_are_entries, what_is_not_there_is_gone,
    what_may_not_be_read_is_denied, another_user_s_file_is_read)
