/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/put.h"

#include "fault.h"
#include "stored.h"

#define KEY "httpGETexample.com/a"

/* An entry of the cache "from", to be put into the cache "to". */
struct box {
	struct tree t;
	struct ngc_zone zones[2];
	struct ngc_cache *from, *to;
	struct ngc_reader *reader;
	struct stored_file file;
	struct ngc_entry e;
	struct ngc_put req;
	struct ngc_error err;
	volatile sig_atomic_t stop;
	unsigned descriptors;
	char paths[2][PATH_MAX], dir[NGC_LEVELS_TEXT];
};

static struct ngc_cache *open_cache(struct box *b, int i, const char *name)
{
	struct ngc_cache *c;

	tree_mkdir(&b->t, name);
	snprintf(b->paths[i], PATH_MAX, "%s", tree_at(&b->t, "%s", name));
	b->zones[i] = (struct ngc_zone){
		.path = b->paths[i], .levels_known = true, .levels = { 2, { 1, 2 } }
	};
	ck_assert_int_eq(ngc_cache_open(&b->zones[i], NULL, &c, &b->err), NGC_OK);
	return c;
}

static void box_new(struct box *b, const char *body)
{
	*b = (struct box){ .from = NULL };
	tree_new(&b->t);
	b->descriptors = open_descriptors();
	stored_write(&b->t, "from", &(struct stored){ .key = KEY, .body = body },
	    &b->file);
	b->from = open_cache(b, 0, "from");
	b->to = open_cache(b, 1, "to");
	b->reader = ngc_reader_new();
	snprintf(b->dir, sizeof(b->dir), "%.*s",
	    (int)(strlen(b->file.path) - NGC_NAME_LEN), b->file.path);
	ck_assert_int_eq(ngc_entry_open(b->from, b->reader, b->dir, b->file.name, &b->e,
			     &b->err),
	    NGC_OK);
	ck_assert_int_eq(ngc_entry_stat(&b->e, &b->err), NGC_OK);
	b->req = (struct ngc_put){
		.e = &b->e, .into = b->to, .dir = b->dir, .stop = &b->stop
	};
}

static void box_free(struct box *b)
{
	ngc_entry_close(&b->e);
	ngc_reader_free(b->reader);
	ngc_cache_close(b->from);
	ngc_cache_close(b->to);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	tree_free(&b->t);
}

static enum ngc_code put(struct box *b)
{
	return ngc_put_entry(&b->req, &b->err);
}

static bool is_put(struct box *b)
{
	static unsigned char p[STORED_MAX];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "to/%s", b->file.path);
	return tree_has(&b->t, path) &&
	       tree_read(&b->t, path, p, sizeof(p)) == b->file.n &&
	       memcmp(p, b->file.p, b->file.n) == 0;
}

static mode_t mode_of(struct box *b, const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(tree_at(&b->t, "to/%s", path), &st), 0);
	return st.st_mode & 07777;
}

static int count_one(
    const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)path;
	(void)where;
	return type == FTW_F || type == FTW_SL ? (int)st->st_nlink : 0;
}

/* No file at all: nothing is left of one that could not be written. */
static bool has_no_file(struct box *b)
{
	return nftw(b->paths[1], count_one, 16, FTW_PHYS) == 0;
}

START_TEST(an_entry_gets_its_directories_and_is_its_owners_alone)
{
	struct box b;
	char up[2] = { 0 };

	box_new(&b, "a body");
	umask(0);
	ck_assert_msg(put(&b) == NGC_OK, "%s", b.err.text);
	ck_assert(is_put(&b));
	ck_assert_uint_eq(mode_of(&b, b.file.path), 0600);
	ck_assert_uint_eq(mode_of(&b, b.dir), 0700);
	up[0] = b.dir[0];
	ck_assert_uint_eq(mode_of(&b, up), 0700);
	box_free(&b);
}
END_TEST

START_TEST(what_is_there_is_replaced_and_what_it_leads_to_is_not)
{
	char path[PATH_MAX], text[8];
	struct box b;

	box_new(&b, "a body");
	tree_write_text(&b.t, "mine", "mine");
	snprintf(path, sizeof(path), "to/%s", b.file.path);
	tree_link(&b.t, tree_at(&b.t, "mine"), path);
	ck_assert_int_eq(put(&b), NGC_OK);
	ck_assert(is_put(&b));
	ck_assert_uint_eq(tree_read(&b.t, "mine", text, sizeof(text)), 4);
	box_free(&b);
}
END_TEST

START_TEST(a_directory_that_is_a_link_is_not_entered)
{
	struct box b;
	char up[8];

	box_new(&b, "a body");
	tree_mkdir(&b.t, "elsewhere");
	snprintf(up, sizeof(up), "to/%c", b.dir[0]);
	tree_link(&b.t, tree_at(&b.t, "elsewhere"), up);
	ck_assert_int_eq(put(&b), NGC_DENIED);
	ck_assert_int_eq(rmdir(tree_at(&b.t, "elsewhere")), 0); /* it is empty */
	box_free(&b);
}
END_TEST

START_TEST(one_that_is_given_up_or_not_as_long_as_told_leaves_nothing)
{
	struct box b;

	box_new(&b, "a body");
	b.stop = SIGTERM;
	ck_assert_int_eq(put(&b), NGC_GONE);
	ck_assert(has_no_file(&b));
	b.stop = 0;
	b.e.size++;
	ck_assert_int_eq(put(&b), NGC_DAMAGED);
	ck_assert(has_no_file(&b));
	b.e.size = (off_t)1 << 60;
	ck_assert_int_eq(put(&b), NGC_DENIED);
	ck_assert_int_eq(b.err.sys, ENOSPC);
	ck_assert(has_no_file(&b));
	box_free(&b);
}
END_TEST

START_TEST(an_allocation_that_fails_leaves_nothing)
{
	struct box b;

	box_new(&b, "a body");
	for (fault.at = 1; fault_begin(); fault.at++) {
		enum ngc_code code = put(&b);

		fault_end();
		if (fault.seen < fault.at)
			break;
		ck_assert_int_eq(code, NGC_FATAL);
		ck_assert(has_no_file(&b));
	}
	ck_assert_uint_gt(fault.at, 1);
	ck_assert(is_put(&b));
	box_free(&b);
}
END_TEST

START_TEST(root_gives_files_to_the_owner_of_the_root_or_to_the_user)
{
	struct box b;
	struct stat st;

	if (geteuid() != 0)
		return;
	box_new(&b, "a body");
	b.req.user = "nobody";
	ck_assert_int_eq(put(&b), NGC_OK);
	ck_assert_int_eq(stat(tree_at(&b.t, "to/%s", b.file.path), &st), 0);
	ck_assert_uint_ne(st.st_uid, 0);
	ck_assert_int_eq(stat(tree_at(&b.t, "to/%s", b.dir), &st), 0);
	ck_assert_uint_ne(st.st_uid, 0);
	b.req.user = NULL;
	ck_assert_int_eq(put(&b), NGC_OK);
	ck_assert_int_eq(stat(tree_at(&b.t, "to/%s", b.file.path), &st), 0);
	ck_assert_uint_eq(st.st_uid, 0);
	box_free(&b);
}
END_TEST

START_TEST(who_is_not_the_owner_is_told_before_anything_is_written)
{
	struct box b;
	struct ngc_error err;

	box_new(&b, "a body");
	ck_assert_int_eq(ngc_put_allowed(b.to, &err), NGC_OK);
	if (geteuid() == 0) {
		ck_assert_int_eq(seteuid(65534), 0);
		ck_assert_int_eq(ngc_put_allowed(b.to, &err), NGC_DENIED);
		ck_assert_int_eq(seteuid(0), 0);
	}
	box_free(&b);
}
END_TEST

UNIT_MAIN("put", an_entry_gets_its_directories_and_is_its_owners_alone,
    what_is_there_is_replaced_and_what_it_leads_to_is_not,
    a_directory_that_is_a_link_is_not_entered,
    one_that_is_given_up_or_not_as_long_as_told_leaves_nothing,
    an_allocation_that_fails_leaves_nothing,
    root_gives_files_to_the_owner_of_the_root_or_to_the_user,
    who_is_not_the_owner_is_told_before_anything_is_written)
