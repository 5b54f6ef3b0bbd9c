/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "ngc/mem.h"
#include "stored.h"

#define NAME "b7f54b2df7773722d382f4809d62a74d"

/* The library's syscall(): as on a file system that does not tell the types of names. */
static bool hide_types;

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(ap, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	a[0] = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	for (long at = 0; number == SYS_getdents64 && hide_types && at < a[0];) {
		struct dirent64 *e = (struct dirent64 *)(a[1] + at);

		e->d_type = DT_UNKNOWN;
		at += e->d_reclen;
	}
	return a[0];
}

/* A cache and what a walk of it met. */
struct box {
	struct tree t;
	struct ngc_zone zone;
	struct ngc_cache *cache;
	struct ngc_walk walk;
	struct ngc_walk_totals totals;
	struct ngc_error err;
	unsigned descriptors;
	char root[PATH_MAX];
	pthread_mutex_t lock; /* for all below */
	char (*paths)[NGC_LEVELS_TEXT + NGC_NAME_LEN + 1];
	size_t n, cap;
	unsigned max_thread;
	struct ngc_buf problems;
	unsigned n_problems, n_strays;
	enum ngc_code answer;
};

static enum ngc_code visit(
    void *arg, unsigned thread, struct ngc_entry *e, struct ngc_error *err)
{
	struct box *b = arg;

	pthread_mutex_lock(&b->lock);
	ck_assert(ngc_array_grow((void **)&b->paths, b->n, &b->cap, sizeof(*b->paths)));
	snprintf(b->paths[b->n++], sizeof(*b->paths), "%s%s", e->dir, e->name);
	if (thread > b->max_thread)
		b->max_thread = thread;
	pthread_mutex_unlock(&b->lock);
	if (b->answer != NGC_OK)
		ngc_fail(err, b->answer, 0, "enough");
	return b->answer;
}

static void problem(void *arg, const struct ngc_error *err)
{
	struct box *b = arg;

	ngc_buf_printf(&b->problems, "%s\n", err->text);
	b->n_problems++;
}

static void box_new(struct box *b)
{
	*b = (struct box){ .lock = PTHREAD_MUTEX_INITIALIZER };
	tree_new(&b->t);
	tree_mkdir(&b->t, "c");
	snprintf(b->root, sizeof(b->root), "%s", tree_at(&b->t, "c"));
	b->zone = (struct ngc_zone){
		.path = b->root, .levels_known = true, .levels = { 2, { 1, 2 } }
	};
	b->descriptors = open_descriptors();
	ck_assert_int_eq(ngc_cache_open(&b->zone, NULL, &b->cache, &b->err), NGC_OK);
	b->walk = (struct ngc_walk){ .cache = b->cache,
		.headers = true,
		.visit = visit,
		.problem = problem,
		.arg = b };
}

static void box_free(struct box *b)
{
	ngc_cache_close(b->cache);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	free(b->paths);
	ngc_buf_free(&b->problems);
	tree_free(&b->t);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

static enum ngc_code run(struct box *b)
{
	enum ngc_code code;

	b->n = b->n_problems = b->max_thread = 0;
	b->totals = (struct ngc_walk_totals){ 0 };
	code = ngc_walk_run(&b->walk, &b->totals, &b->err);
	if (b->n > 0)
		qsort(b->paths, b->n, sizeof(*b->paths), compare_paths);
	return code;
}

static void check_runs(struct box *b)
{
	ck_assert_int_eq(run(b), NGC_OK);
	ck_assert_msg(b->n_problems == 0, "%s", ngc_buf_str(&b->problems));
	ck_assert_uint_eq(b->totals.failed, 0);
}

static bool visited(const struct box *b, const char *path)
{
	return b->n > 0 &&
	       bsearch(path, b->paths, b->n, sizeof(*b->paths), compare_paths) != NULL;
}

/* Everything that can be met, and the totals of it. */
static void fill(struct box *b)
{
	static const char *const others[] = { "c/" NAME ".0123456789", "c/temp/x/y",
		"c/d/temp/x", "c/README", "c/A/x", "c/abc/x", "c/d/74/0/" NAME "x",
		"c/1/" NAME, "c/d/74/f/0/" NAME, "c/9", "c/e/" NAME "/x" };
	struct stored s = { .key = "orphan", .levels = "" };
	struct stored_file f;

	stored_add_key(&b->t, "c", "one");
	stored_add_key(&b->t, "c", "two");
	stored_write(&b->t, "c", &s, &f);
	s.levels = "2:2:2";
	stored_write(&b->t, "c", &s, &f);
	tree_write_text(&b->t, "c/d/74/" NAME, "damaged");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		tree_write_text(&b->t, others[i], "xyz");
	tree_link(&b->t, "d/74/" NAME, "c/00000000000000000000000000000000");
	tree_link(&b->t, "d", "c/f");
}

static void check_filled(struct box *b)
{
	check_runs(b);
	ck_assert_uint_eq(b->n, 5);
	ck_assert_uint_eq(b->totals.candidates, 5);
	ck_assert_uint_eq(b->totals.damaged, 1);
	ck_assert_uint_eq(b->totals.orphans, 2);
	ck_assert_uint_eq(b->totals.temporary, 3);
	/* README A abc 9; 1/NAME, which fits no place; f and 000..., links; e/NAME, a
	 * directory; below d/74/: 0/NAMEx, and f/0, of which there is no fourth level. */
	ck_assert_uint_eq(b->totals.foreign, 10);
	ck_assert(visited(b, "d/74/" NAME));
}

START_TEST(only_what_nginx_makes_is_entered_and_visited)
{
	struct box b;

	box_new(&b);
	fill(&b);
	check_filled(&b);
	box_free(&b);
}
END_TEST

/* The strays, a line each: their kind and path. */
static enum ngc_code note_stray(
    void *arg, unsigned thread, const struct ngc_stray *s, struct ngc_error *err)
{
	static const char kinds[] = { [NGC_STRAY_UNREADABLE] = 'u',
		[NGC_STRAY_NAME] = 'n', [NGC_STRAY_TEMP_FILE] = 'f',
		[NGC_STRAY_TEMP_DIR] = 'd', [NGC_STRAY_OTHER] = 'o' };
	struct box *b = arg;

	(void)thread;
	pthread_mutex_lock(&b->lock);
	ngc_buf_printf(&b->problems, "%c %s%s\n", kinds[s->kind], s->dir, s->name);
	b->n_strays++;
	pthread_mutex_unlock(&b->lock);
	if (b->answer != NGC_OK)
		ngc_fail(err, b->answer, 0, "enough");
	return b->answer;
}

START_TEST(what_is_no_candidate_is_handed_out)
{
	static const char *const wanted[] = { "f " NAME ".0123456789\n", "d temp\n",
		"d d/temp\n", "o README\n", "o A\n", "o abc\n", "o d/74/0/" NAME "x\n",
		"n 1/" NAME "\n", "o d/74/f/0\n", "o 9\n", "n e/" NAME "\n", "o f\n",
		"n 00000000000000000000000000000000\n" };
	struct box b;

	box_new(&b);
	fill(&b);
	b.walk.stray = note_stray;
	ck_assert_int_eq(run(&b), NGC_OK);
	ck_assert_uint_eq(b.totals.failed, 0);
	ck_assert_uint_eq(b.n_strays, sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ck_assert_msg(strstr(ngc_buf_str(&b.problems), wanted[i]) != NULL,
		    "no %s in %s", wanted[i], ngc_buf_str(&b.problems));
	b.answer = NGC_FATAL;
	ck_assert_int_eq(run(&b), NGC_FATAL);
	ck_assert_str_eq(b.err.text, "enough");
	box_free(&b);
}
END_TEST

static void note_temp(void *arg, const struct ngc_stray *s)
{
	struct ngc_error err;

	note_stray(arg, 0, s, &err);
}

START_TEST(a_directory_of_temporary_files_is_read_through)
{
	static const char *const wanted[] = { "f temp/5/00/0000000005\n",
		"f temp/0000000006\n", "o temp/1/2/3/4\n", "o temp/x\n",
		"o temp/6\n" };
	struct box b;
	struct ngc_stray s;

	box_new(&b);
	tree_write_text(&b.t, "c/temp/5/00/0000000005", "");
	tree_write_text(&b.t, "c/temp/0000000006", "");
	tree_write_text(&b.t, "c/temp/1/2/3/4/0000000007", "");
	tree_write_text(&b.t, "c/temp/x/0000000008", "");
	tree_link(&b.t, "x", "c/temp/6");
	s = (struct ngc_stray){ b.cache, NGC_STRAY_TEMP_DIR, 0, "", "temp" };
	s.dirfd = open(b.root, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(ngc_stray_temp_files(&s, note_temp, &b, &b.err), NGC_OK);
	ck_assert_uint_eq(b.n_strays, sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ck_assert_msg(strstr(ngc_buf_str(&b.problems), wanted[i]) != NULL,
		    "no %s in %s", wanted[i], ngc_buf_str(&b.problems));
	s.name = "none";
	ck_assert_int_eq(ngc_stray_temp_files(&s, note_temp, &b, &b.err), NGC_OK);
	close(s.dirfd);
	box_free(&b);
}
END_TEST

static void enter(void *arg, unsigned thread, int fd, const char *dir)
{
	struct box *b = arg;
	struct stat here, there;

	(void)thread;
	ck_assert_int_eq(fstat(fd, &here), 0);
	ck_assert_int_eq(stat(tree_at(&b->t, "c/%s", dir), &there), 0);
	ck_assert_uint_eq(here.st_ino, there.st_ino);
	pthread_mutex_lock(&b->lock);
	ngc_buf_printf(&b->problems, "<%s>", dir);
	pthread_mutex_unlock(&b->lock);
}

START_TEST(every_directory_that_is_entered_is_told_of)
{
	struct box b;

	box_new(&b);
	tree_write_text(&b.t, "c/a/bc/foreign", "");
	tree_write_text(&b.t, "c/other/foreign", "");
	b.walk.enter = enter;
	b.walk.pace.jobs = 1;
	ck_assert_int_eq(run(&b), NGC_OK);
	ck_assert_str_eq(ngc_buf_str(&b.problems), "<><a/><a/bc/>");
	box_free(&b);
}
END_TEST

START_TEST(types_that_the_file_system_does_not_tell_are_asked_for)
{
	struct box b;

	box_new(&b);
	fill(&b);
	hide_types = true;
	check_filled(&b);
	box_free(&b);
}
END_TEST

START_TEST(sizes_are_added_up_without_opening_files)
{
	struct box b;
	struct stat st;
	uint64_t bytes;

	box_new(&b);
	fill(&b);
	b.walk.sizes = true;
	check_runs(&b);
	bytes = b.totals.bytes;
	b.walk.headers = false;
	for (int i = 0; i < 2; i++) {
		hide_types = i == 1;
		check_runs(&b);
		ck_assert_uint_eq(b.n, 0);
		ck_assert_uint_eq(b.totals.candidates, 5);
		ck_assert_uint_eq(b.totals.bytes, bytes);
		ck_assert_int_eq(stat(tree_at(&b.t, "c/d/74/" NAME), &st), 0);
		ck_assert_uint_eq(b.totals.allocated, 5 * (uint64_t)st.st_blocks * 512);
		ck_assert_uint_eq(b.totals.foreign, 10);
	}
	b.walk.sizes = false;
	check_runs(&b);
	ck_assert_uint_eq(b.totals.candidates, 5);
	ck_assert_uint_eq(b.totals.bytes, 0);
	box_free(&b);
}
END_TEST

START_TEST(totals_are_added_to)
{
	struct box b;

	box_new(&b);
	fill(&b);
	check_runs(&b);
	ck_assert_int_eq(ngc_walk_run(&b.walk, &b.totals, &b.err), NGC_OK);
	ck_assert_uint_eq(b.totals.candidates, 10);
	ck_assert_uint_eq(b.totals.foreign, 20);
	box_free(&b);
}
END_TEST

START_TEST(an_empty_cache_is_walked)
{
	struct box b;

	box_new(&b);
	check_runs(&b);
	ck_assert_uint_eq(b.n, 0);
	box_free(&b);
}
END_TEST

static void add_many(struct box *b, unsigned n, const char *levels)
{
	for (unsigned i = 0; i < n; i++) {
		struct stored_file f;
		char key[32];

		snprintf(key, sizeof(key), "key %u", i);
		stored_write(
		    &b->t, "c", &(struct stored){ .key = key, .levels = levels }, &f);
	}
}

START_TEST(any_number_of_threads_visits_each_once)
{
	static const unsigned jobs[] = { 1, 2, 32, 0 };
	struct box b;

	box_new(&b);
	add_many(&b, 700, "1:2");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		b.walk.pace.jobs = jobs[i];
		check_runs(&b);
		ck_assert_uint_eq(b.n, 700);
		ck_assert_uint_eq(b.totals.candidates, 700);
		for (size_t k = 1; k < b.n; k++)
			ck_assert_str_ne(b.paths[k - 1], b.paths[k]);
		ck_assert_uint_lt(b.max_thread, ngc_walk_jobs(&b.walk.pace));
	}
	box_free(&b);
}
END_TEST

START_TEST(all_kinds_of_levels_are_walked)
{
	struct box b;

	box_new(&b);
	for (unsigned i = 0; i < NGC_LEVELS_KINDS; i++) {
		struct ngc_levels l = ngc_levels_kind(i);
		char text[NGC_LEVELS_TEXT];

		add_many(&b, 3, ngc_levels_format(&l, text));
	}
	check_runs(&b);
	ck_assert_uint_eq(b.n, 3 * NGC_LEVELS_KINDS);
	ck_assert_uint_eq(b.totals.orphans, 3 * (NGC_LEVELS_KINDS - 1));
	box_free(&b);
}
END_TEST

/* Of each code: also those that have a meaning inside of the walk. */
START_TEST(what_a_visitor_returns_ends_the_walk)
{
	static const enum ngc_code codes[] = { NGC_GONE, NGC_DAMAGED, NGC_DENIED,
		NGC_INVALID, NGC_FATAL };
	struct box b;

	box_new(&b);
	add_many(&b, 200, "1:2");
	add_many(&b, 20, "");
	for (size_t i = 0; i < 2 * sizeof(codes) / sizeof(codes[0]); i++) {
		b.answer = codes[i / 2];
		b.walk.pace.jobs = i % 2 == 0 ? 1 : 32;
		ck_assert_int_eq(run(&b), b.answer);
		ck_assert_str_eq(b.err.text, "enough");
		ck_assert_uint_eq(b.n_problems, 0);
		ck_assert_uint_lt(b.n, 220);
		ck_assert_uint_ge(b.totals.candidates, b.n);
		if (b.walk.pace.jobs == 1)
			ck_assert_uint_eq(b.n, 1);
	}
	box_free(&b);
}
END_TEST

static volatile sig_atomic_t stop;

static enum ngc_code visit_and_stop(
    void *arg, unsigned thread, struct ngc_entry *e, struct ngc_error *err)
{
	stop = 1;
	return visit(arg, thread, e, err);
}

START_TEST(the_stop_flag_ends_the_walk)
{
	struct box b;

	box_new(&b);
	add_many(&b, 200, "1:2");
	b.walk.stop = &stop;
	stop = 1;
	check_runs(&b);
	ck_assert_uint_eq(b.n, 0);
	stop = 0;
	b.walk.visit = visit_and_stop;
	b.walk.pace.jobs = 1;
	check_runs(&b);
	ck_assert_uint_eq(b.n, 1);
	box_free(&b);
}
END_TEST

static enum ngc_code visit_slowly(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5 * 1000 * 1000 }, NULL);
	return visit(arg, thread, e, err);
}

static void count_progress(void *arg, uint64_t more)
{
	*(uint64_t *)arg += more;
}

START_TEST(a_gentle_walk_rests_as_long_as_it_works)
{
	struct timespec before, after;
	uint64_t told = 0;
	struct box b;

	box_new(&b);
	add_many(&b, 20, "1:2");
	b.walk.visit = visit_slowly;
	b.walk.pace = (struct ngc_pace){ .gentle = true,
		.progress = count_progress,
		.arg = &told };
	clock_gettime(CLOCK_MONOTONIC, &before);
	check_runs(&b);
	clock_gettime(CLOCK_MONOTONIC, &after);
	ck_assert_uint_eq(b.n, 20);
	ck_assert_uint_eq(told, 20);
	/* 20 times 5 ms of work, and as much of rest */
	ck_assert_int_ge((after.tv_sec - before.tv_sec) * 1000 +
			     (after.tv_nsec - before.tv_nsec) / 1000000,
	    199);
	box_free(&b);
}
END_TEST

/* A walk by a user who may read the open one, but neither the directory nor the other
 * file. */
static void check_barred(struct box *b, const struct stored_file *closed,
    const struct stored_file *secret, const struct stored_file *open)
{
	char want[sizeof(b->err.text)];

	ck_assert_int_eq(run(b), NGC_OK);
	ck_assert_uint_eq(b->n_problems, 2);
	ck_assert_uint_eq(b->totals.failed, 2);
	ck_assert_uint_eq(b->totals.candidates, 1);
	ck_assert(visited(b, open->path));
	snprintf(want, sizeof(want), "%.300s/c/%.4s: permission denied", b->t.path,
	    closed->path);
	ck_assert_ptr_nonnull(strstr(ngc_buf_str(&b->problems), want));
	snprintf(want, sizeof(want), "%.300s/c/%s: permission denied: run as", b->t.path,
	    secret->path);
	ck_assert_ptr_nonnull(strstr(ngc_buf_str(&b->problems), want));
}

START_TEST(what_cannot_be_read_is_reported_once_and_the_walk_goes_on)
{
	struct stored_file closed, secret, open;
	struct box b;
	int status;

	box_new(&b);
	stored_write(&b.t, "c", &(struct stored){ .key = "closed" }, &closed);
	stored_write(&b.t, "c", &(struct stored){ .key = "secret" }, &secret);
	stored_write(&b.t, "c", &(struct stored){ .key = "open" }, &open);
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/%.4s", closed.path), 0), 0);
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/%s", secret.path), 0), 0);
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/%s", open.path), 0444), 0);
	for (b.walk.pace.jobs = 1; b.walk.pace.jobs <= 8; b.walk.pace.jobs += 7) {
		if (fork() != 0)
			continue;
		if (geteuid() == 0)
			ck_assert_int_eq(setuid(65534), 0);
		check_barred(&b, &closed, &secret, &open);
		_exit(0);
	}
	while (wait(&status) > 0)
		ck_assert_int_eq(status, 0);
	ck_assert_int_eq(chmod(tree_at(&b.t, "c/%.4s", closed.path), 0700), 0);
	box_free(&b);
}
END_TEST

START_TEST(a_level_swapped_for_a_link_is_not_entered)
{
	struct stored_file f;
	struct box b;

	box_new(&b);
	stored_write(&b.t, "c", &(struct stored){ .key = "one" }, &f);
	ck_assert_int_eq(
	    rename(tree_at(&b.t, "c/%.1s", f.path), tree_at(&b.t, "moved")), 0);
	tree_link(
	    &b.t, "../moved", tree_at(&b.t, "c/%.1s", f.path) + strlen(b.t.path) + 1);
	check_runs(&b);
	ck_assert_uint_eq(b.n, 0);
	ck_assert_uint_eq(b.totals.foreign, 1);
	box_free(&b);
}
END_TEST

START_TEST(the_roots_of_other_zones_are_not_entered)
{
	struct ngc_place other;
	struct stored_file f;
	struct ngc_error err;
	struct box b;

	box_new(&b);
	stored_write(&b.t, "c", &(struct stored){ .key = "one" }, &f);
	add_many(&b, 100, "1:2");
	stored_add_key(&b.t, "elsewhere", "one");
	ck_assert_int_eq(ngc_place_find(tree_at(&b.t, "elsewhere"), NULL, &other, &err),
	    NGC_OK);
	ck_assert_int_eq(ngc_cache_avoid(b.cache, NULL, &other, &err), NGC_OK);
	check_runs(&b);
	ck_assert_uint_eq(b.n, 101);
	ck_assert_int_eq(
	    ngc_place_find(tree_at(&b.t, "c/%.1s", f.path), NULL, &other, &err), NGC_OK);
	ck_assert_int_eq(ngc_cache_avoid(b.cache, NULL, &other, &err), NGC_OK);
	check_runs(&b);
	ck_assert_uint_lt(b.n, 101);
	ck_assert_uint_gt(b.n, 50);
	for (size_t i = 0; i < b.n; i++)
		ck_assert_int_ne(b.paths[i][0], f.path[0]);
	box_free(&b);
}
END_TEST

/* A thread that stores, replaces and removes as nginx does, and level directories with
 * them. */
struct nginx {
	struct box *b;
	atomic_bool end;
};

static void *live(void *arg)
{
	struct nginx *n = arg;
	struct stored_file f;
	char key[32];

	for (unsigned i = 0; !n->end; i++) {
		snprintf(key, sizeof(key), "live %u", i % 50);
		stored_write(&n->b->t, "c", &(struct stored){ .key = key }, &f);
		if (i % 3 != 0)
			continue;
		unlink(tree_at(&n->b->t, "c/%s", f.path));
		rmdir(tree_at(&n->b->t, "c/%.4s", f.path));
		rmdir(tree_at(&n->b->t, "c/%.1s", f.path));
	}
	return NULL;
}

START_TEST(beside_a_live_nginx_what_stays_is_visited_once)
{
	struct nginx n = { 0 };
	pthread_t thread;
	struct box b;

	box_new(&b);
	add_many(&b, 300, "1:2");
	n.b = &b;
	ck_assert_int_eq(pthread_create(&thread, NULL, live, &n), 0);
	for (int i = 0; i < 10; i++) {
		size_t stay = 0;

		check_runs(&b);
		for (unsigned k = 0; k < 300; k++) {
			struct stored_file f;
			char key[32];

			snprintf(key, sizeof(key), "key %u", k);
			stored_make(&(struct stored){ .key = key }, &f);
			stay += visited(&b, f.path);
		}
		ck_assert_uint_eq(stay, 300);
		ck_assert_uint_eq(b.totals.damaged, 0);
	}
	n.end = true;
	pthread_join(thread, NULL);
	box_free(&b);
}
END_TEST

START_TEST(a_root_that_vanished_is_empty)
{
	struct box b;

	box_new(&b);
	ck_assert_int_eq(rmdir(b.root), 0);
	check_runs(&b);
	ck_assert_uint_eq(b.n, 0);
	box_free(&b);
}
END_TEST

START_TEST(threads_are_as_many_as_asked_for_or_enough)
{
	ck_assert_uint_eq(ngc_walk_jobs(&(struct ngc_pace){ .jobs = 1 }), 1);
	ck_assert_uint_eq(ngc_walk_jobs(&(struct ngc_pace){ .jobs = 77 }), 77);
	ck_assert_uint_ge(ngc_walk_jobs(&(struct ngc_pace){ 0 }), 16);
	ck_assert_uint_eq(ngc_walk_jobs(&(struct ngc_pace){ .gentle = true }), 1);
	ck_assert_uint_eq(ngc_walk_jobs(&(struct ngc_pace){ .jobs = 3, .gentle = true }),
	    3);
}
END_TEST

UNIT_MAIN("walk", only_what_nginx_makes_is_entered_and_visited,
    what_is_no_candidate_is_handed_out, every_directory_that_is_entered_is_told_of,
    a_directory_of_temporary_files_is_read_through,
    types_that_the_file_system_does_not_tell_are_asked_for,
    sizes_are_added_up_without_opening_files, totals_are_added_to,
    an_empty_cache_is_walked, any_number_of_threads_visits_each_once,
    all_kinds_of_levels_are_walked, what_a_visitor_returns_ends_the_walk,
    the_stop_flag_ends_the_walk,
    a_gentle_walk_rests_as_long_as_it_works,
    what_cannot_be_read_is_reported_once_and_the_walk_goes_on,
    a_level_swapped_for_a_link_is_not_entered, the_roots_of_other_zones_are_not_entered,
    beside_a_live_nginx_what_stays_is_visited_once, a_root_that_vanished_is_empty,
    threads_are_as_many_as_asked_for_or_enough)
