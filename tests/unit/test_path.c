/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/path.h"

#include <sys/resource.h>

#include "tree.h"

/* Does the path lead to that file?  NULL: to none, with that errno. */
static void check_leads(const char *root, const char *path, const char *to, int error)
{
	unsigned before = open_descriptors();
	int fd = ngc_path_open(root, path, O_RDONLY, NULL), saved = errno;
	struct stat got, want;

	if (to == NULL) {
		ck_assert_msg(fd < 0, "%s", path);
		ck_assert_msg(saved == error, "%s: %s", path, strerror(saved));
	} else {
		ck_assert_msg(fd >= 0, "%s: %s", path, strerror(saved));
		ck_assert_int_eq(fstat(fd, &got), 0);
		ck_assert_int_eq(stat(to, &want), 0);
		ck_assert_msg(
		    got.st_dev == want.st_dev && got.st_ino == want.st_ino, "%s", path);
		ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		close(fd);
	}
	ck_assert_uint_eq(open_descriptors(), before);
}

START_TEST(links_are_resolved_as_if_the_root_were_slash)
{
	static const struct {
		const char *path, *to;
	} cases[] = {
		{ "/a/file", "a/file" },
		{ "a/file", "a/file" },
		{ "//a///file", "a/file" },
		{ "/a/./file", "a/file" },
		{ "/a/b/../file", "a/file" },
		{ "/../../a/file", "a/file" },
		{ "/a/../../../a/file", "a/file" },
		{ "/abs", "a/file" },
		{ "/up", "a/file" },
		{ "/chain", "a/file" },
		{ "/dir/file", "a/file" },
		{ "/dir/../dir/b/../file", "a/file" },
		{ "/out", "" },
		{ "/", "" },
		{ "/a", "a" },
		{ "/a/", "a" },
		{ "/a/.", "a" },
		{ "/a/b/..", "a" },
		{ "/dir/", "a" },
		{ "/..", "" },
	};
	struct tree t;

	tree_new(&t);
	tree_write_text(&t, "r/a/file", "x");
	tree_mkdir(&t, "r/a/b");
	tree_link(&t, "/a/file", "r/abs");
	tree_link(&t, "../../../../a/file", "r/up");
	tree_link(&t, "/up", "r/chain");
	tree_link(&t, "a/", "r/dir");
	tree_link(&t, "/..", "r/out");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_leads(
		    tree_at(&t, "r"), cases[i].path, tree_at(&t, "r/%s", cases[i].to), 0);
	tree_free(&t);
}
END_TEST

START_TEST(errors_are_those_of_open)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{ "/none", ENOENT },
		{ "/none/file", ENOENT },
		{ "/a/file/x", ENOTDIR },
		{ "/a/file/..", ENOTDIR },
		{ "/a/file/.", ENOTDIR },
		{ "/a/file/", ENOTDIR },
		{ "/dangling", ENOENT },
		{ "/outside", ENOENT },
		{ "/loop", ELOOP },
		{ "", ENOENT },
	};
	struct tree t;

	tree_new(&t);
	tree_write_text(&t, "r/a/file", "x");
	tree_write_text(&t, "secret", "x");
	tree_link(&t, "nothing", "r/dangling");
	tree_link(&t, tree_at(&t, "secret"), "r/outside");
	tree_link(&t, "loop", "r/loop");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_leads(tree_at(&t, "r"), cases[i].path, NULL, cases[i].error);
	check_leads(tree_at(&t, "none"), "/a", NULL, ENOENT);
	tree_free(&t);
}
END_TEST

START_TEST(without_a_root_paths_may_be_relative)
{
	struct tree t;

	tree_new(&t);
	tree_write_text(&t, "a/file", "x");
	ck_assert_int_eq(chdir(t.path), 0);
	check_leads(NULL, "a/file", tree_at(&t, "a/file"), 0);
	check_leads("", "a/../a/file", tree_at(&t, "a/file"), 0);
	check_leads(NULL, ".", t.path, 0);
	check_leads(NULL, "..", tree_at(&t, ".."), 0);
	check_leads(NULL, tree_at(&t, "a/file"), tree_at(&t, "a/file"), 0);
	check_leads(NULL, "file", NULL, ENOENT);
	check_leads(NULL, "", NULL, ENOENT);
	tree_free(&t);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_not_cut)
{
	struct tree t;
	char name[NAME_MAX + 4], path[PATH_MAX];

	tree_new(&t);
	memset(name, 'x', sizeof(name));
	name[NAME_MAX] = '\0';
	snprintf(path, sizeof(path), "%s/xxx", name);
	tree_write_text(&t, path, "x");
	check_leads(t.path, path, tree_at(&t, "%s", path), 0);
	name[NAME_MAX] = 'x';
	name[NAME_MAX + 3] = '\0'; /* cut into two it would be that file */
	check_leads(t.path, name, NULL, ENAMETOOLONG);
	tree_free(&t);
}
END_TEST

START_TEST(a_path_that_is_too_long_is_refused)
{
	static char path[2 * PATH_MAX];
	struct tree t;
	char text[4000];

	tree_new(&t);
	memset(path, '/', sizeof(path) - 1);
	check_leads(t.path, path, NULL, ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	check_leads(t.path, path, t.path, 0);
	memset(text, '/', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	tree_link(&t, text, "long");
	check_leads(t.path, "/long", t.path, 0);
	snprintf(path, sizeof(path), "/long/%.200s", text);
	check_leads(t.path, path, NULL, ENAMETOOLONG);
	tree_free(&t);
}
END_TEST

START_TEST(the_owners_of_all_links_are_told)
{
	struct ngc_links links = { .n = 99 };
	struct tree t;
	int fd;

	tree_new(&t);
	tree_mkdir(&t, "r/a/b");
	tree_link(&t, "/a", "r/one");
	tree_link(&t, "/one/b", "r/two");
	if (geteuid() == 0)
		ck_assert_int_eq(lchown(tree_at(&t, "r/one"), 1234, 1234), 0);
	fd = ngc_path_open(tree_at(&t, "r"), "/two", O_RDONLY | O_DIRECTORY, &links);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_uint_eq(links.n, 2);
	ck_assert_uint_eq(links.owner[0], geteuid());
	ck_assert_uint_eq(links.owner[1], geteuid() == 0 ? 1234 : geteuid());
	fd = ngc_path_open(tree_at(&t, "r"), "/a", O_RDONLY, &links);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_uint_eq(links.n, 0);
	tree_free(&t);
}
END_TEST

START_TEST(as_many_links_as_the_kernel_follows)
{
	struct tree t;
	char from[16], to[16];

	tree_new(&t);
	tree_write_text(&t, "0", "x");
	for (int i = 1; i <= NGC_LINKS_MAX + 1; i++) {
		snprintf(from, sizeof(from), "%d", i);
		snprintf(to, sizeof(to), "%d", i - 1);
		tree_link(&t, to, from);
	}
	snprintf(to, sizeof(to), "%d", NGC_LINKS_MAX);
	check_leads(t.path, to, tree_at(&t, "0"), 0);
	check_leads(t.path, from, NULL, ELOOP);
	tree_free(&t);
}
END_TEST

/* /proc/PID/root and its like lead elsewhere than their text says. */
START_TEST(a_link_of_proc_leads_where_the_kernel_says)
{
	struct tree t;
	struct stat got, want;
	char path[64];
	int held, fd;

	tree_new(&t);
	tree_mkdir(&t, "held");
	held = open(tree_at(&t, "held"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(held, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", held);
	check_leads(NULL, path, tree_at(&t, "held"), 0);
	check_leads(NULL, "/proc/self/cwd", ".", 0);
	ck_assert_int_eq(rmdir(tree_at(&t, "held")), 0);
	tree_mkdir(&t, "held (deleted)");
	ck_assert_int_eq(fstat(held, &want), 0);
	fd = ngc_path_open(NULL, path, O_RDONLY | O_DIRECTORY, NULL);
	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	ck_assert_int_eq(fstat(fd, &got), 0);
	ck_assert_uint_eq(got.st_ino, want.st_ino);
	close(fd);
	close(held);
	tree_free(&t);
}
END_TEST

START_TEST(below_a_root_no_link_of_proc_leads_out)
{
	struct tree t;
	char text[64];
	int held;

	tree_new(&t);
	tree_mkdir(&t, "r");
	tree_write_text(&t, "out/file", "x");
	held = open(tree_at(&t, "out"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(held, 0);
	snprintf(text, sizeof(text), "/self/fd/%d/file", held);
	check_leads("/proc", text, NULL, ENOENT);
	close(held);
	tree_free(&t);
}
END_TEST

START_TEST(without_descriptors_nothing_else_is_opened)
{
	struct rlimit few;
	struct tree t;

	tree_new(&t);
	tree_mkdir(&t, "etc");
	ck_assert_int_eq(chdir(t.path), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
	few.rlim_cur = 64;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int room = 0; room < 3; room++) {
		int held[64], n = 0, saved;

		while ((held[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
			n++;
		for (int i = 0; i < room; i++)
			close(held[--n]);
		errno = 0;
		saved = ngc_path_open(NULL, "etc", O_RDONLY, NULL) < 0 ? errno : 0;
		while (n > 0)
			close(held[--n]);
		ck_assert_msg(saved == EMFILE, "room %d: %s", room, strerror(saved));
	}
	tree_free(&t);
}
END_TEST

UNIT_MAIN("path", links_are_resolved_as_if_the_root_were_slash, errors_are_those_of_open,
    without_a_root_paths_may_be_relative, a_name_that_is_too_long_is_not_cut,
    a_path_that_is_too_long_is_refused, the_owners_of_all_links_are_told,
    as_many_links_as_the_kernel_follows, a_link_of_proc_leads_where_the_kernel_says,
    below_a_root_no_link_of_proc_leads_out, without_descriptors_nothing_else_is_opened)
