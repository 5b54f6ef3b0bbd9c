/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <sys/wait.h>

#include "stored.h"

#define NAME "b7f54b2df7773722d382f4809d62a74d"

static enum ngc_code open_at(const char *sysroot, const char *path, struct ngc_error *err)
{
	struct ngc_zone zone = { .path = path };
	unsigned before = open_descriptors();
	struct ngc_cache *c = (struct ngc_cache *)&zone;
	enum ngc_code code = ngc_cache_open(&zone, sysroot, &c, err);

	ck_assert_int_eq(c != NULL, code == NGC_OK);
	if (c != NULL) {
		ck_assert_ptr_eq(ngc_cache_zone(c), &zone);
		ck_assert_uint_ne(ngc_cache_place(c).ino, 0);
	}
	ngc_cache_close(c);
	ck_assert_uint_eq(open_descriptors(), before);
	return code;
}

/* Its text is "PATH: REASON". */
static void check_refused(const char *path, enum ngc_code code, const char *reason)
{
	struct ngc_error err;
	char want[2 * PATH_MAX];

	ck_assert_msg(open_at(NULL, path, &err) == code, "%s", path);
	snprintf(want, sizeof(want), "%s: %s", path, reason);
	ck_assert_str_eq(err.text, want);
}

START_TEST(a_cache_shows_by_what_is_in_it)
{
	static const struct {
		const char *names[3];
		bool is;
	} cases[] = {
		{ { NULL }, true },
		{ { NAME }, true },
		{ { "a/" }, true },
		{ { "9f/" }, true },
		{ { NAME ".0123456789" }, true },
		{ { "temp/" }, true },
		{ { "index.html", NAME }, true },
		{ { "index.html", "a/", "temp/" }, true },
		{ { "index.html" }, false },
		{ { "index.html", "temp/" }, false },
		{ { "abc/" }, false },
		{ { "a" }, false },
		{ { "9f" }, false },
		{ { NAME "/" }, false },
		{ { ".hidden" }, false },
	};
	struct ngc_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tree t;
		enum ngc_code code;

		tree_new(&t);
		for (size_t k = 0; k < 3 && cases[i].names[k] != NULL; k++)
			if (strchr(cases[i].names[k], '/') != NULL)
				tree_make_parents(tree_at(&t, "%s", cases[i].names[k]));
			else
				tree_write_text(&t, cases[i].names[k], "x");
		code = open_at(NULL, t.path, &err);
		ck_assert_msg(code == (cases[i].is ? NGC_OK : NGC_INVALID),
		    "case %zu: %s", i, cases[i].names[0]);
		tree_free(&t);
	}
}
END_TEST

START_TEST(what_is_no_cache_is_refused)
{
	struct tree t;

	tree_new(&t);
	tree_write_text(&t, "file", "x");
	check_refused(tree_at(&t, "none"), NGC_GONE, "no such directory");
	check_refused(tree_at(&t, "none/a"), NGC_GONE, "no such directory");
	check_refused(tree_at(&t, "file"), NGC_INVALID, "not a directory");
	check_refused(tree_at(&t, "file/a"), NGC_INVALID, "not a directory");
	check_refused(t.path, NGC_INVALID,
	    "not a cache: neither entries nor level directories in it");
	tree_free(&t);
}
END_TEST

START_TEST(system_directories_are_refused_whatever_is_in_them)
{
	static const char *const paths[] = { "/", "/etc", "/usr", "/var", "/home", "//",
		"/etc/", "/usr/../var", "/etc/." };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], F_OK) == 0)
			check_refused(
			    paths[i], NGC_INVALID, "a system directory, not a cache");
}
END_TEST

START_TEST(below_a_root_its_system_directories_are_refused)
{
	static const char *const paths[] = { "/etc", "/var", "" };
	struct ngc_error err;
	struct tree t;

	tree_new(&t);
	tree_mkdir(&t, "etc/a");
	tree_mkdir(&t, "var/a");
	tree_mkdir(&t, "a");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const char *path = tree_at(&t, "%s", paths[i] + (paths[i][0] == '/'));

		ck_assert_msg(open_at(t.path, path, &err) == NGC_INVALID, "%s", path);
		ck_assert_ptr_nonnull(
		    strstr(err.text, ": a system directory, not a cache"));
	}
	tree_mkdir(&t, "var/cache/a");
	ck_assert_int_eq(open_at(t.path, tree_at(&t, "var/cache"), &err), NGC_OK);
	tree_free(&t);
}
END_TEST

START_TEST(links_below_a_root_do_not_lead_out)
{
	struct ngc_error err;
	struct tree t;

	tree_new(&t);
	tree_mkdir(&t, "r/real/a");
	tree_mkdir(&t, "outside/a");
	tree_link(&t, "/real", "r/in");
	tree_link(&t, tree_at(&t, "outside"), "r/out");
	ck_assert_int_eq(open_at(tree_at(&t, "r"), tree_at(&t, "r/in"), &err), NGC_OK);
	ck_assert_int_eq(open_at(tree_at(&t, "r"), tree_at(&t, "r/out"), &err), NGC_GONE);
	ck_assert_int_eq(open_at("", tree_at(&t, "r/out"), &err), NGC_OK);
	tree_free(&t);
}
END_TEST

START_TEST(a_link_of_another_user_is_not_followed)
{
	static const struct {
		uid_t link, dir;
		bool trusted;
	} cases[] = {
		{ 0, 0, true },
		{ 0, 33, true },
		{ 33, 33, true },
		{ 34, 33, false },
		{ 33, 0, false },
	};
	struct ngc_error err;

	for (size_t i = 0; geteuid() == 0 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tree t;
		enum ngc_code code;

		tree_new(&t);
		tree_mkdir(&t, "cache/a");
		tree_link(&t, "cache", "link");
		ck_assert_int_eq(lchown(tree_at(&t, "link"), cases[i].link, 0), 0);
		ck_assert_int_eq(chown(tree_at(&t, "cache"), cases[i].dir, 0), 0);
		code = open_at(NULL, tree_at(&t, "link"), &err);
		ck_assert_msg(
		    code == (cases[i].trusted ? NGC_OK : NGC_INVALID), "case %zu", i);
		if (!cases[i].trusted)
			ck_assert_ptr_nonnull(
			    strstr(err.text, "a symbolic link on the way"));
		tree_free(&t);
	}
}
END_TEST

/* As a user who is not root; does nothing for one who is not root already. */
static void become_nobody(void)
{
	if (geteuid() == 0)
		ck_assert_int_eq(setuid(65534), 0);
}

START_TEST(who_may_not_read_is_told_who_may)
{
	struct ngc_error err;
	struct tree t;
	char want[2 * PATH_MAX];
	int status;

	tree_new(&t);
	tree_mkdir(&t, "closed/cache/a");
	tree_mkdir(&t, "unreadable/a");
	ck_assert_int_eq(chmod(tree_at(&t, "closed"), 0), 0);
	ck_assert_int_eq(chmod(tree_at(&t, "unreadable"), 0311), 0);
	if (fork() == 0) {
		become_nobody();
		ck_assert_int_eq(
		    open_at(NULL, tree_at(&t, "closed/cache"), &err), NGC_DENIED);
		snprintf(want, sizeof(want),
		    "%s/closed: permission denied: run as its owner (", t.path);
		ck_assert_msg(strncmp(err.text, want, strlen(want)) == 0, "%s", err.text);
		ck_assert_int_eq(
		    open_at(NULL, tree_at(&t, "unreadable"), &err), NGC_DENIED);
		snprintf(
		    want, sizeof(want), "%s/unreadable: permission denied: ", t.path);
		ck_assert_msg(strncmp(err.text, want, strlen(want)) == 0, "%s", err.text);
		_exit(0);
	}
	ck_assert_int_gt(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(chmod(tree_at(&t, "closed"), 0700), 0);
	ck_assert_int_eq(chmod(tree_at(&t, "unreadable"), 0700), 0);
	tree_free(&t);
}
END_TEST

START_TEST(a_place_is_that_of_the_directory_a_path_leads_to)
{
	struct ngc_place a, b;
	struct ngc_error err;
	struct tree t;

	tree_new(&t);
	tree_mkdir(&t, "r/cache");
	tree_write_text(&t, "r/file", "x");
	tree_link(&t, "/cache", "r/link");
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "r/cache"), NULL, &a, &err), NGC_OK);
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "r/link"), tree_at(&t, "r"), &b,
			     &err),
	    NGC_OK);
	ck_assert(ngc_place_same(a, b));
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "r"), tree_at(&t, "r"), &b, &err),
	    NGC_OK);
	ck_assert(!ngc_place_same(a, b));
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "r/link"), NULL, &b, &err), NGC_GONE);
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "r/file"), NULL, &b, &err), NGC_GONE);
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "r/none"), NULL, &b, &err), NGC_GONE);
	tree_free(&t);
}
END_TEST

UNIT_MAIN("cache", a_cache_shows_by_what_is_in_it, what_is_no_cache_is_refused,
    system_directories_are_refused_whatever_is_in_them,
    below_a_root_its_system_directories_are_refused, links_below_a_root_do_not_lead_out,
    a_link_of_another_user_is_not_followed, who_may_not_read_is_told_who_may,
    a_place_is_that_of_the_directory_a_path_leads_to)
