/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tree.h"

enum attempt {
	WRITE,
	TRUNCATE,
	UNLINK,
	CREATE,
	MAKE_DIR,
	REMOVE_DIR,
	LINK,
	READ,
	EXECUTE,
};

static int result(bool done)
{
	return done ? 0 : errno;
}

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600), sys = result(fd >= 0);

	if (fd >= 0)
		close(fd);
	return sys;
}

static int executed(const char *path)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execl(path, path, (char *)NULL);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* Its errno, or 0. */
static int try(enum attempt a, const char *path)
{
	switch (a) {
	case WRITE:
		return opened(path, O_RDWR);
	case TRUNCATE:
		return result(truncate(path, 0) == 0);
	case UNLINK:
		return result(unlink(path) == 0);
	case CREATE:
		return opened(path, O_WRONLY | O_CREAT | O_EXCL);
	case MAKE_DIR:
		return result(mkdir(path, 0700) == 0);
	case REMOVE_DIR:
		return result(rmdir(path) == 0);
	case LINK:
		return result(symlink("/etc", path) == 0);
	case READ:
		return opened(path, O_RDONLY);
	case EXECUTE:
		return executed(path);
	}
	return 0;
}

static void *try_in_thread(void *arg)
{
	int *sys = arg;

	*sys = opened("other/file", O_RDWR);
	return NULL;
}

static long version(void)
{
#ifdef SYS_landlock_create_ruleset
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
#else
	return -1;
#endif
}

/* The tree of a test: the cache, and what stands beside it. */
static void make_tree(struct tree *t)
{
	tree_new(t);
	tree_mkdir(t, "cache");
	tree_mkdir(t, "cache/f");
	tree_mkdir(t, "cache/e");
	tree_mkdir(t, "other");
	tree_mkdir(t, "other/empty");
	tree_mkdir(t, "out");
	tree_write(t, "cache/f/entry", "x", 1);
	tree_write(t, "cache/gone", "x", 1);
	tree_write(t, "other/file", "x", 1);
	tree_write(t, "out/file", "x", 1);
}

/* Only a process that ends can be confined: a child, which returns what it found. */
static void in_child(struct tree *t, const char *output,
    void (*check)(struct tree *t, bool confined))
{
	const char *dirs[] = { "cache" };
	struct ngc_site_request req = { .dirs = dirs, .n_dirs = 1 };
	struct ngc_site *site;
	struct ngc_error err;
	enum ngc_code code;
	int status = 0;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		if (chdir(t->path) != 0 || ngc_site_open(&req, &site, &err) != NGC_OK)
			_exit(2);
		code = ngc_confine(site, output, &err);
		ngc_site_free(site);
		if (code != NGC_OK && code != NGC_GONE)
			_exit(3);
		check(t, code == NGC_OK);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}

/* In the child: ends it where an attempt ends otherwise than it should. */
static void expect(enum attempt a, const char *path, int wanted)
{
	int got = try(a, path);

	if (got == wanted)
		return;
	fprintf(stderr, "attempt %d at %s: %s, not %s\n", a, path, strerror(got),
	    strerror(wanted));
	_exit(1);
}

static void check_cache_only(struct tree *t, bool confined)
{
	int denied = confined ? EACCES : 0, in_thread = -1;
	pthread_t thread;

	(void)t;
	expect(WRITE, "cache/f/entry", 0);
	expect(UNLINK, "cache/f/entry", 0);
	expect(CREATE, "cache/f/new", denied);
	expect(MAKE_DIR, "cache/d", denied);
	expect(LINK, "cache/link", denied);
	expect(REMOVE_DIR, "cache/e", denied);
	expect(READ, "other/file", 0);
	expect(WRITE, "other/file", denied);
	expect(CREATE, "other/new", denied);
	expect(CREATE, "out/new", denied);
	expect(REMOVE_DIR, "other/empty", denied);
	expect(EXECUTE, "/bin/true", denied);
	if (version() >= 3 || !confined) {
		expect(TRUNCATE, "other/file", denied);
		expect(TRUNCATE, "cache/gone", denied);
	}
	if (confined && version() >= 6 && (kill(getppid(), 0) == 0 || errno != EPERM))
		_exit(4);
	if (pthread_create(&thread, NULL, try_in_thread, &in_thread) != 0 ||
	    pthread_join(thread, NULL) != 0 || in_thread != denied)
		_exit(5);
	expect(UNLINK, "other/file", denied);
}

START_TEST(nothing_can_be_changed_but_files_of_the_caches)
{
	struct tree t;

	make_tree(&t);
	in_child(&t, NULL, check_cache_only);
	tree_free(&t);
}
END_TEST

static void check_with_output(struct tree *t, bool confined)
{
	int denied = confined ? EACCES : 0;

	(void)t;
	expect(CREATE, "out/new", 0);
	expect(UNLINK, "out/new", 0);
	expect(WRITE, "out/file", 0);
	expect(TRUNCATE, "out/file", 0);
	expect(UNLINK, "out/file", 0);
	expect(LINK, "out/link", denied);
	expect(CREATE, "cache/new", denied);
	expect(UNLINK, "cache/gone", 0);
	expect(UNLINK, "other/file", denied);
}

START_TEST(a_file_can_be_made_where_one_is_to_be_written)
{
	struct tree t;

	make_tree(&t);
	in_child(&t, "out/backup.tar", check_with_output);
	tree_free(&t);
}
END_TEST

UNIT_MAIN("confine", nothing_can_be_changed_but_files_of_the_caches,
    a_file_can_be_made_where_one_is_to_be_written)
