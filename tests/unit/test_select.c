/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/select.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "stored.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The key of a page under the template that most sites use. */
#define KEY(page) "httpGETexample.com" page
#define URL(page) "http://example.com" page

#define SEEN_MAX 2000

/* Caches a and b in a tree, a run over one or both, and what it visited, in order. */
struct box {
	struct tree t;
	char dirs[2][PATH_MAX + 32];
	struct ngc_site *site;
	struct ngc_select *select;
	struct ngc_select_run run;
	struct ngc_select_result result;
	struct ngc_error err;
	unsigned descriptors;
	pthread_mutex_t lock; /* for what follows */
	char seen[SEEN_MAX][NGC_LEVELS_TEXT + NGC_NAME_LEN + 3];
	size_t n;
	char problems[4096];
	enum ngc_code answer;
};

static struct box b;

static enum ngc_code visit(
    void *arg, unsigned thread, struct ngc_entry *e, struct ngc_error *err)
{
	const char *root = strrchr(ngc_cache_zone(e->cache)->path, '/') + 1;

	(void)arg;
	pthread_mutex_lock(&b.lock);
	ck_assert_uint_lt(thread, ngc_walk_jobs(&b.run.pace));
	ck_assert_uint_lt(b.n, SEEN_MAX);
	snprintf(b.seen[b.n++], sizeof(b.seen[0]), "%s/%s%s", root, e->dir, e->name);
	pthread_mutex_unlock(&b.lock);
	return b.answer != NGC_OK ? ngc_fail(err, b.answer, 0, "enough") : NGC_OK;
}

static void problem(void *arg, const struct ngc_error *err)
{
	size_t n = strlen(b.problems);

	(void)arg;
	snprintf(b.problems + n, sizeof(b.problems) - n, "%s\n", err->text);
}

static void box_new(void)
{
	b = (struct box){ .lock = PTHREAD_MUTEX_INITIALIZER };
	tree_new(&b.t);
	b.descriptors = open_descriptors();
	tree_mkdir(&b.t, "a");
	tree_mkdir(&b.t, "b");
	b.select = ngc_select_new();
	b.run.now = 1900000000;
}

static void box_free(void)
{
	ngc_select_result_free(&b.result);
	ngc_select_free(b.select);
	ngc_site_free(b.site);
	ck_assert_uint_eq(open_descriptors(), b.descriptors);
	tree_free(&b.t);
}

static void add(enum ngc_selector_kind kind, const char *text)
{
	ck_assert_msg(
	    ngc_select_add(b.select, kind, text, &b.err) == NGC_OK, "%s", b.err.text);
}

static void filter(enum ngc_filter_kind kind, const char *text)
{
	ck_assert_msg(
	    ngc_select_filter(b.select, kind, text, 1900000000, &b.err) == NGC_OK, "%s",
	    b.err.text);
}

/* Work on cache a, and b too, with these parameters. */
static void open_site(size_t n, const char *params)
{
	const char *dirs[2] = { b.dirs[0], b.dirs[1] };
	struct ngc_site_request req = { .dirs = dirs, .n_dirs = n };

	snprintf(b.dirs[0], sizeof(b.dirs[0]), "%s%s", tree_at(&b.t, "a"), params);
	snprintf(b.dirs[1], sizeof(b.dirs[1]), "%s%s", tree_at(&b.t, "b"), params);
	ck_assert_msg(ngc_site_open(&req, &b.site, &b.err) == NGC_OK, "%s", b.err.text);
}

static enum ngc_code execute(void)
{
	if (b.site == NULL)
		open_site(1, ",levels=1:2");
	b.run.site = b.site;
	b.run.select = b.select;
	b.run.visit = visit;
	b.run.problem = problem;
	b.n = 0;
	b.problems[0] = '\0';
	ngc_select_result_free(&b.result);
	return ngc_select_execute(&b.run, &b.result, &b.err);
}

static void check_finds(size_t n)
{
	ck_assert_msg(execute() == NGC_OK, "%s", b.err.text);
	ck_assert_str_eq(b.problems, "");
	ck_assert_uint_eq(b.n, n);
	ck_assert_uint_eq(b.result.matched, n);
	ck_assert_uint_eq(b.result.failed, 0);
}

/* Where among the visited; SEEN_MAX: not there. */
static size_t place_of(const char *root, const struct stored_file *f)
{
	size_t n = strlen(root) + 1;

	for (size_t i = 0; i < b.n; i++)
		if (strncmp(b.seen[i], root, n - 1) == 0 &&
		    strcmp(b.seen[i] + n, f->path) == 0)
			return i;
	return SEEN_MAX;
}

static void check_seen(const char *root, const struct stored_file *f)
{
	ck_assert_msg(place_of(root, f) < SEEN_MAX, "%s", f->path);
}

static void put(const char *root, const struct stored *s, struct stored_file *f)
{
	stored_write(&b.t, root, s, f);
}

static void put_keys(const char *root, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		stored_add_key(&b.t, root, keys[i]);
}

/* Nobody needs a walk for that. */
START_TEST(what_has_a_name_is_looked_up)
{
	struct stored_file one, two;

	box_new();
	put("a", &(struct stored){ .key = KEY("/1") }, &one);
	put("a", &(struct stored){ .key = KEY("/2") }, &two);
	stored_add_key(&b.t, "a", KEY("/3"));
	add(NGC_SELECT_URL, URL("/1"));
	add(NGC_SELECT_KEY, KEY("/2"));
	check_finds(2);
	check_seen("a", &one);
	check_seen("a", &two);
	ck_assert(!b.result.walked);
	ck_assert_uint_eq(b.result.selectors[0].matched, 1);
	ck_assert_uint_eq(b.result.selectors[1].matched, 1);
	box_free();
}
END_TEST

START_TEST(what_selects_nothing_tells_what_was_tried)
{
	struct ngc_select_result *r = &b.result;
	struct stored_file f;
	char path[NGC_LEVELS_TEXT + NGC_NAME_LEN + 1];

	box_new();
	add(NGC_SELECT_KEY, KEY("/1"));
	add(NGC_SELECT_URL, URL("/2"));
	add(NGC_SELECT_GLOB, "nothing*");
	stored_make(&(struct stored){ .key = KEY("/1") }, &f);
	b.run.explain_misses = true;
	check_finds(0);
	ck_assert_uint_eq(r->n_selectors, 3);
	ck_assert_uint_eq(r->selectors[0].n_tried, 1);
	ck_assert(ngc_bytes_equal(
	    ngc_bytes(r->selectors[0].tried->key, r->selectors[0].tried->key_len),
	    ngc_bytes_of(KEY("/1"))));
	ck_assert(r->selectors[0].tried->placed);
	snprintf(path, sizeof(path), "%s%s", r->selectors[0].tried->dir,
	    r->selectors[0].tried->name);
	ck_assert_str_eq(path, f.path);
	ck_assert_uint_gt(r->selectors[1].n_tried, 1);
	ck_assert_uint_le(r->selectors[1].n_tried, NGC_TRIED_MAX);
	ck_assert_uint_eq(r->selectors[2].n_tried, 0);
	ck_assert_str_eq(r->selectors[2].text, "nothing*");
	box_free();
}
END_TEST

START_TEST(patterns_are_matched_by_a_walk)
{
	static const char *const keys[] = { KEY("/a.jpg"), KEY("/b.jpg"), KEY("/c.png"),
		"httpGETother.org/a.jpg", "no URL at all" };
	static const struct {
		enum ngc_selector_kind kind;
		const char *text;
		size_t n;
	} cases[] = {
		{ NGC_SELECT_GLOB, "*.jpg", 3 },
		{ NGC_SELECT_GLOB, KEY("/?.{jpg,png}"), 3 },
		{ NGC_SELECT_GLOB, "a.jpg", 0 },
		{ NGC_SELECT_REGEX, "/[ab]\\.", 3 },
		{ NGC_SELECT_REGEX, "^no", 1 },
		{ NGC_SELECT_URL, URL("/*.jpg"), 2 },
		{ NGC_SELECT_URL, "http://*/a.jpg", 2 },
		{ NGC_SELECT_URL, "/a.jpg", 2 },
		{ NGC_SELECT_URL, "/*", 4 },
		{ NGC_SELECT_ALL, NULL, 5 },
	};

	box_new();
	put_keys("a", keys, COUNT(keys));
	for (size_t i = 0; i < COUNT(cases); i++) {
		ngc_select_free(b.select);
		b.select = ngc_select_new();
		add(cases[i].kind, cases[i].text);
		check_finds(cases[i].n);
		ck_assert(b.result.walked);
		ck_assert_uint_eq(b.result.selectors[0].matched, cases[i].n);
	}
	box_free();
}
END_TEST

START_TEST(several_selectors_take_an_entry_once)
{
	struct stored_file f;
	char file[PATH_MAX];

	box_new();
	put("a", &(struct stored){ .key = KEY("/1") }, &f);
	stored_add_key(&b.t, "a", KEY("/2"));
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", f.path));
	for (int scan = 0; scan < 2; scan++) {
		add(NGC_SELECT_KEY, KEY("/1"));
		add(NGC_SELECT_URL, URL("/1"));
		add(NGC_SELECT_FILE, file);
		add(NGC_SELECT_KEY, KEY("/1"));
		if (scan)
			add(NGC_SELECT_GLOB, "*/1");
		check_finds(1);
		for (size_t i = 0; i < b.result.n_selectors; i++)
			ck_assert_uint_eq(b.result.selectors[i].matched, 1);
		ck_assert_int_eq(b.result.walked, scan);
	}
	box_free();
}
END_TEST

START_TEST(without_selectors_everything_that_passes_the_filters_is_taken)
{
	static const char *const keys[] = { KEY("/1"), KEY("/2"), "x" };

	box_new();
	put_keys("a", keys, COUNT(keys));
	check_finds(3);
	filter(NGC_FILTER_EXCLUDE, "x*");
	check_finds(2);
	filter(NGC_FILTER_EXCLUDE, "*/1");
	check_finds(1);
	box_free();
}
END_TEST

START_TEST(filters_all_hold_and_any_of_a_kind)
{
	static const struct stored entries[] = {
		{ .key = KEY("/fresh") },
		{ .key = KEY("/stale"), .valid = 1 },
		{ .key = KEY("/404"), .status = 404 },
		{ .key = KEY("/500"), .status = 500, .valid = 1 },
		{ .key = KEY("/bad"), .invalidated = true },
		{ .key = "httpGETwww.example.com/" },
		{ .key = "httpGETexample.org/" },
		{ .key = "no host" },
	};
	static const struct {
		struct {
			enum ngc_filter_kind kind;
			const char *text;
		} filters[3];
		size_t n_filters, n;
	} cases[] = {
		{ { { NGC_FILTER_FRESH, NULL } }, 1, 5 },
		{ { { NGC_FILTER_EXPIRED, NULL } }, 1, 3 },
		{ { { NGC_FILTER_FRESH, NULL }, { NGC_FILTER_EXPIRED, NULL } }, 2, 0 },
		{ { { NGC_FILTER_STATUS, "404" } }, 1, 1 },
		{ { { NGC_FILTER_STATUS, "4xx,500-599" } }, 1, 2 },
		{ { { NGC_FILTER_STATUS, "404" }, { NGC_FILTER_STATUS, "500" } }, 2, 2 },
		{ { { NGC_FILTER_STATUS, "5xx" }, { NGC_FILTER_FRESH, NULL } }, 2, 0 },
		{ { { NGC_FILTER_HOST, "example.com" } }, 1, 5 },
		{ { { NGC_FILTER_HOST, "EXAMPLE.COM" } }, 1, 5 },
		{ { { NGC_FILTER_HOST, "*.example.com" } }, 1, 1 },
		{ { { NGC_FILTER_HOST, "*.com" } }, 1, 6 },
		{ { { NGC_FILTER_HOST, "example.*" } }, 1, 0 },
		{ { { NGC_FILTER_HOST, "example.org" },
		      { NGC_FILTER_HOST, "*.example.com" } },
		    2, 2 },
		{ { { NGC_FILTER_HOST, "example.com" }, { NGC_FILTER_STATUS, "404" },
		      { NGC_FILTER_EXCLUDE, "*404" } },
		    3, 0 },
	};

	box_new();
	for (size_t i = 0; i < COUNT(entries); i++)
		put("a", &entries[i], &(struct stored_file){ 0 });
	for (size_t i = 0; i < COUNT(cases); i++) {
		ngc_select_free(b.select);
		b.select = ngc_select_new();
		for (size_t k = 0; k < cases[i].n_filters; k++)
			filter(cases[i].filters[k].kind, cases[i].filters[k].text);
		ck_assert_msg(execute() == NGC_OK, "%s", b.err.text);
		ck_assert_msg(b.n == cases[i].n, "case %zu: %zu", i, b.n);
	}
	box_free();
}
END_TEST

/* How many of these pass one filter. */
START_TEST(each_filter_holds_for_its_entries)
{
	static const struct stored entries[] = {
		{ .key = KEY("/html"),
		    .headers = "Content-Type: Text/HTML; charset=x\r\n" },
		{ .key = KEY("/png"),
		    .headers = "content-type: image/png\r\nX-A: 1\r\nx-a: 2\r\n" },
		{ .key = "httpHEADexample.com/old", .date = 1000000000 },
		{ .key = KEY("/big"),
		    .body = "0123456789012345678901234567890123456789"
			    "0123456789012345678901234567890123456789"
			    "0123456789012345678901234567890123456789" },
		{ .key = KEY("/v"), .vary = "Cookie", .variant = 1 },
		{ .key = "httpGETwww.other.org/", .headers = "Cache-Tag: a, b c\r\n" },
	};
	static const struct {
		enum ngc_filter_kind kind;
		const char *text;
		size_t n;
	} cases[] = {
		{ NGC_FILTER_TYPE, "text/*", 1 },
		{ NGC_FILTER_TYPE, "TEXT/html", 1 },
		{ NGC_FILTER_TYPE, "*", 2 },
		{ NGC_FILTER_HEADER, "x-a: 2", 1 },
		{ NGC_FILTER_HEADER, "X-A:[12]", 1 },
		{ NGC_FILTER_HEADER, "x-a: 3", 0 },
		{ NGC_FILTER_HEADER, "x-b: *", 0 },
		{ NGC_FILTER_METHOD, "HEAD", 1 },
		{ NGC_FILTER_METHOD, "GET", 5 },
		{ NGC_FILTER_LARGER, "480", 1 },
		{ NGC_FILTER_LARGER, "1k", 0 },
		{ NGC_FILTER_SMALLER, "480", 5 },
		{ NGC_FILTER_OLDER, "899999999", 1 },
		{ NGC_FILTER_OLDER, "900000000", 0 },
		{ NGC_FILTER_NEWER, "900000001", 6 },
		{ NGC_FILTER_NEWER, "900000000", 5 },
		{ NGC_FILTER_NEWER, "3000000000", 6 },
		{ NGC_FILTER_CACHED_BEFORE, "1000000000", 1 },
		{ NGC_FILTER_CACHED_BEFORE, "999999999", 0 },
		{ NGC_FILTER_CACHED_BEFORE, "now", 6 },
		{ NGC_FILTER_CACHED_SINCE, "1700000000", 5 },
		{ NGC_FILTER_VARIANTS, NULL, 1 },
		{ NGC_FILTER_LIMIT_HOST, "example.com", 5 },
		{ NGC_FILTER_LIMIT_HOST, "*.org", 1 },
	};

	box_new();
	for (size_t i = 0; i < COUNT(entries); i++)
		put("a", &entries[i], &(struct stored_file){ 0 });
	open_site(1, ",levels=1:2,key=$scheme$request_method$host$request_uri");
	for (size_t i = 0; i < COUNT(cases); i++) {
		ngc_select_free(b.select);
		b.select = ngc_select_new();
		filter(cases[i].kind, cases[i].text);
		ck_assert_msg(execute() == NGC_OK, "%s", b.err.text);
		ck_assert_msg(b.n == cases[i].n, "case %zu: %zu", i, b.n);
	}
	box_free();
}
END_TEST

START_TEST(tags_are_whole_words_of_their_headers)
{
	static const struct {
		const char *tag;
		size_t n;
	} cases[] = { { "a", 2 }, { "b", 1 }, { "c", 1 }, { "ab", 0 }, { "A", 0 },
		{ "d", 0 } };

	box_new();
	put("a", &(struct stored){ .key = "1", .headers = "Cache-Tag: a, b c\r\n" },
	    &(struct stored_file){ 0 });
	put("a",
	    &(struct stored){
		.key = "2", .headers = "xkey: x\r\nXKEY: a\r\nMine: d\r\n" },
	    &(struct stored_file){ 0 });
	for (size_t i = 0; i < COUNT(cases); i++) {
		ngc_select_free(b.select);
		b.select = ngc_select_new();
		add(NGC_SELECT_TAG, cases[i].tag);
		check_finds(cases[i].n);
	}
	ck_assert_int_eq(ngc_select_tag_header(b.select, "mine", &b.err), NGC_OK);
	check_finds(1);
	box_free();
}
END_TEST

static char bad_ones[256];

static void bad(void *arg, size_t number, const struct ngc_error *err)
{
	size_t n = strlen(bad_ones);

	ck_assert_ptr_eq(arg, &b);
	ck_assert_int_eq(err->code, NGC_INVALID);
	snprintf(bad_ones + n, sizeof(bad_ones) - n, " %zu", number);
}

START_TEST(many_urls_come_as_lines_nul_or_json)
{
	static const struct {
		const char *text;
		size_t n, selectors;
		const char *bad;
	} cases[] = {
		{ "/a\n/b\n", 6, 2, "" },
		{ "/a\r\n\n/b", 7, 2, "" },
		{ "", 0, 0, "" },
		{ "\n\n", 2, 0, "" },
		{ "/a\nb\n/c\n \n", 10, 2, " 2 4" },
		{ "/a\0/b\nc\0\0x\0", 11, 2, " 4" },
		{ "[\"/a\", \"/b\\u00e6\"]", 18, 2, "" },
		{ "[\"/a\", 5, \"b\", \"\", \"/c\\u0000\"]", 30, 1, " 2 3 5" },
		{ "[]", 2, 0, "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ngc_select *s = ngc_select_new();

		bad_ones[0] = '\0';
		ck_assert_int_eq(
		    ngc_select_add_many(
			s, ngc_bytes(cases[i].text, cases[i].n), bad, &b, &b.err),
		    NGC_OK);
		ck_assert_msg(
		    ngc_select_selectors(s) == cases[i].selectors, "case %zu", i);
		ck_assert_str_eq(bad_ones, cases[i].bad);
		ck_assert(!ngc_select_is_empty(s));
		ngc_select_free(s);
	}
}
END_TEST

START_TEST(many_urls_in_bad_json_are_refused)
{
	static const char *const texts[] = { "[", "[\"/a\"", "[\"/a\"] x", "[\"\xff\"]" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct ngc_select *s = ngc_select_new();

		ck_assert_int_eq(
		    ngc_select_add_many(s, ngc_bytes_of(texts[i]), bad, &b, &b.err),
		    NGC_INVALID);
		ck_assert_uint_eq(ngc_select_selectors(s), 0);
		ngc_select_free(s);
	}
}
END_TEST

START_TEST(an_empty_list_of_urls_selects_nothing)
{
	box_new();
	stored_add_key(&b.t, "a", KEY("/1"));
	ck_assert_int_eq(
	    ngc_select_add_many(b.select, ngc_bytes("", 0), bad, &b, &b.err), NGC_OK);
	check_finds(0);
	ck_assert(!b.result.walked);
	box_free();
}
END_TEST

START_TEST(bad_selectors_and_filters_are_refused)
{
	static const struct {
		bool is_filter;
		int kind;
		const char *text;
	} cases[] = {
		{ true, NGC_FILTER_HEADER, "no colon" },
		{ true, NGC_FILTER_HEADER, ": x" },
		{ true, NGC_FILTER_LARGER, "10x" },
		{ true, NGC_FILTER_SMALLER, "-1" },
		{ true, NGC_FILTER_OLDER, "1 day" },
		{ true, NGC_FILTER_NEWER, "" },
		{ true, NGC_FILTER_CACHED_BEFORE, "yesterday" },
		{ true, NGC_FILTER_TYPE, "[z-a]" },
		{ true, NGC_FILTER_LIMIT_HOST, "" },
		{ false, NGC_SELECT_URL, "example.com/" },
		{ false, NGC_SELECT_URL, "http://u@example.com/" },
		{ false, NGC_SELECT_URL, "http://u@example.com/*" },
		{ false, NGC_SELECT_URL, "" },
		{ false, NGC_SELECT_GLOB, "[z-a]" },
		{ false, NGC_SELECT_REGEX, "(" },
		{ false, NGC_SELECT_FILE, "/etc/passwd" },
		{ false, NGC_SELECT_FILE, "" },
		{ true, NGC_FILTER_STATUS, "" },
		{ true, NGC_FILTER_STATUS, "4x" },
		{ true, NGC_FILTER_STATUS, "4xxx" },
		{ true, NGC_FILTER_STATUS, "404," },
		{ true, NGC_FILTER_STATUS, ",404" },
		{ true, NGC_FILTER_STATUS, "404,,405" },
		{ true, NGC_FILTER_STATUS, "499-400" },
		{ true, NGC_FILTER_STATUS, "400-4999" },
		{ true, NGC_FILTER_STATUS, "0xx" },
		{ true, NGC_FILTER_STATUS, "+40" },
		{ true, NGC_FILTER_STATUS, "404 " },
		{ true, NGC_FILTER_HOST, "" },
		{ true, NGC_FILTER_HOST, "http://example.com" },
		{ true, NGC_FILTER_EXCLUDE, "[z-a]" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ngc_select *s = ngc_select_new();
		struct ngc_error err;
		enum ngc_code code = cases[i].is_filter
					 ? ngc_select_filter(s,
					       (enum ngc_filter_kind)cases[i].kind,
					       cases[i].text, 0, &err)
					 : ngc_select_add(s,
					       (enum ngc_selector_kind)cases[i].kind,
					       cases[i].text, &err);

		ck_assert_msg(code == NGC_INVALID, "case %zu: '%s'", i, cases[i].text);
		ck_assert(ngc_select_is_empty(s));
		ngc_select_free(s);
	}
}
END_TEST

START_TEST(a_selection_knows_what_is_in_it)
{
	struct ngc_select *s = ngc_select_new();
	struct ngc_error err;

	ck_assert(ngc_select_is_empty(s));
	ck_assert(!ngc_select_only(s, NGC_SELECT_KEY));
	ck_assert_int_eq(ngc_select_filter(s, NGC_FILTER_EXCLUDE, "x", 0, &err), NGC_OK);
	ck_assert(!ngc_select_is_empty(s));
	ck_assert_int_eq(ngc_select_add(s, NGC_SELECT_KEY, "a", &err), NGC_OK);
	ck_assert(ngc_select_only(s, NGC_SELECT_KEY));
	ck_assert_int_eq(ngc_select_add(s, NGC_SELECT_ALL, NULL, &err), NGC_OK);
	ck_assert(!ngc_select_only(s, NGC_SELECT_KEY));
	ck_assert_uint_eq(ngc_select_selectors(s), 2);
	ngc_select_free(s);
	ngc_select_free(NULL);
}
END_TEST

/* A page with variants of each kind: its first, two more, and one of another page. */
static void put_varying(struct stored_file f[4])
{
	struct stored s = { .key = KEY("/v"), .vary = "Accept-Encoding" };

	put("a", &s, &f[0]);
	s.variant = 1;
	put("a", &s, &f[1]);
	s.variant = 2;
	put("a", &s, &f[2]);
	s.key = KEY("/w");
	put("a", &s, &f[3]);
}

START_TEST(variants_are_found_by_one_walk_and_visited_first)
{
	struct stored_file f[4];

	box_new();
	put_varying(f);
	stored_add_key(&b.t, "a", KEY("/plain"));
	add(NGC_SELECT_URL, URL("/v"));
	check_finds(3);
	ck_assert(b.result.walked);
	ck_assert_uint_eq(b.result.selectors[0].matched, 3);
	ck_assert_uint_eq(b.result.totals.candidates, 5); /* one walk */
	for (size_t i = 0; i < 3; i++)
		check_seen("a", &f[i]);
	ck_assert_uint_eq(place_of("a", &f[0]), 2);
	add(NGC_SELECT_KEY, KEY("/plain"));
	check_finds(4);
	ck_assert_uint_eq(b.result.totals.candidates, 5);
	ck_assert_uint_eq(place_of("a", &f[0]), 3);
	box_free();
}
END_TEST

START_TEST(a_scan_that_serves_all_visits_a_varying_entry_last)
{
	struct stored_file f[4];

	box_new();
	put_varying(f);
	stored_add_key(&b.t, "a", KEY("/plain"));
	add(NGC_SELECT_KEY, KEY("/v"));
	add(NGC_SELECT_GLOB, "*");
	b.run.pace.jobs = 8;
	check_finds(5);
	ck_assert_uint_eq(b.result.totals.candidates, 5);
	ck_assert_uint_eq(place_of("a", &f[0]), 4);
	ck_assert_uint_eq(b.result.selectors[0].matched, 3);
	ck_assert_uint_eq(b.result.selectors[1].matched, 5);
	box_free();
}
END_TEST

START_TEST(without_vary_nothing_is_walked)
{
	struct stored_file f[4];

	box_new();
	put_varying(f);
	stored_add_key(&b.t, "a", KEY("/plain"));
	add(NGC_SELECT_URL, URL("/plain"));
	check_finds(1);
	ck_assert(!b.result.walked);
	ck_assert_uint_eq(b.result.totals.candidates, 0);
	box_free();
}
END_TEST

START_TEST(a_variant_named_by_its_file_is_visited_once)
{
	struct stored_file f[4];
	char file[PATH_MAX];

	box_new();
	put_varying(f);
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", f[1].path));
	add(NGC_SELECT_FILE, file);
	check_finds(1);
	ck_assert(!b.result.walked);
	add(NGC_SELECT_KEY, KEY("/v"));
	check_finds(3);
	ck_assert_uint_eq(b.result.selectors[0].matched, 1);
	ck_assert_uint_eq(b.result.selectors[1].matched, 3);
	box_free();
}
END_TEST

START_TEST(a_varying_entry_named_by_file_and_key_is_visited_once_and_last)
{
	struct stored_file f[4];
	char file[PATH_MAX];

	box_new();
	put_varying(f);
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", f[0].path));
	add(NGC_SELECT_FILE, file);
	check_finds(1);
	add(NGC_SELECT_KEY, KEY("/v"));
	check_finds(3);
	ck_assert_uint_eq(place_of("a", &f[0]), 2);
	ck_assert_uint_eq(b.result.selectors[0].matched, 1);
	box_free();
}
END_TEST

/* Two keys with the same CRC-32, which is easily made. */
START_TEST(keys_with_the_same_checksum_are_told_apart)
{
	static const char one[] = "plumless", two[] = "buckeroo";
	struct stored_file f, g;
	char file[PATH_MAX];

	ck_assert_uint_eq(ngc_crc32(ngc_bytes_of(one)), ngc_crc32(ngc_bytes_of(two)));
	for (int first = 0; first < 2; first++) {
		box_new();
		put("a", &(struct stored){ .key = one }, &f);
		put("a", &(struct stored){ .key = two }, &g);
		add(NGC_SELECT_KEY, first == 0 ? one : two);
		check_finds(1);
		add(NGC_SELECT_KEY, first == 0 ? two : one);
		check_finds(2);
		snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", f.path));
		add(NGC_SELECT_FILE, file);
		check_finds(2);
		ck_assert_uint_eq(b.result.selectors[2].matched, 1);
		snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", g.path));
		check_finds(2);
		box_free();
	}
}
END_TEST

START_TEST(without_levels_a_key_is_looked_up_at_all_places)
{
	struct stored_file f;

	box_new();
	open_site(1, "");
	add(NGC_SELECT_KEY, KEY("/1"));
	for (unsigned i = 0; i < NGC_LEVELS_KINDS; i++) {
		struct ngc_levels l = ngc_levels_kind(i);
		char text[NGC_LEVELS_TEXT];

		put("a",
		    &(struct stored){
			.key = KEY("/1"), .levels = ngc_levels_format(&l, text) },
		    &f);
		check_finds(i + 1);
		ck_assert(!b.result.walked);
	}
	box_free();
}
END_TEST

START_TEST(an_orphan_is_found_by_a_walk_and_by_its_file)
{
	struct stored s = { .key = KEY("/1"), .levels = "2" };
	struct stored_file f;
	char file[PATH_MAX];

	box_new();
	put("a", &s, &f);
	add(NGC_SELECT_KEY, KEY("/1"));
	check_finds(0);
	add(NGC_SELECT_GLOB, "*/1");
	check_finds(1);
	ck_assert_uint_eq(b.result.totals.orphans, 1);
	put("a", &(struct stored){ .key = KEY("/1") }, &f);
	ngc_select_free(b.select);
	b.select = ngc_select_new();
	stored_make(&s, &f);
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", f.path));
	add(NGC_SELECT_KEY, KEY("/1"));
	add(NGC_SELECT_FILE, file);
	check_finds(2);
	ck_assert_uint_eq(b.result.selectors[1].matched, 1);
	box_free();
}
END_TEST

START_TEST(damaged_files_are_for_those_who_ask_for_them)
{
	static const char name[] = "b7f54b2df7773722d382f4809d62a74d";
	char file[PATH_MAX];

	box_new();
	tree_write_text(&b.t, "a/d/74/b7f54b2df7773722d382f4809d62a74d", "short");
	stored_add_key(&b.t, "a", KEY("/1"));
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/d/74/%s", name));
	add(NGC_SELECT_GLOB, "*");
	for (int asked = 0; asked < 2; asked++) {
		b.run.damaged = asked == 1;
		check_finds(1);
		ck_assert_uint_eq(b.result.totals.damaged, 1);
	}
	add(NGC_SELECT_FILE, file);
	check_finds(2);
	b.run.damaged = false;
	check_finds(1);
	ngc_select_free(b.select);
	b.select = ngc_select_new();
	add(NGC_SELECT_ALL, NULL);
	check_finds(1);
	b.run.damaged = true;
	check_finds(2);
	filter(NGC_FILTER_FRESH, NULL);
	check_finds(1);
	box_free();
}
END_TEST

START_TEST(a_damaged_file_at_the_place_of_a_key_is_visited_once)
{
	struct stored_file f[4];
	char file[PATH_MAX], path[PATH_MAX];

	box_new();
	put_varying(f);
	stored_make(&(struct stored){ .key = KEY("/1") }, &f[3]);
	snprintf(path, sizeof(path), "a/%s", f[3].path);
	tree_write_text(&b.t, path, "short");
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "a/%s", f[3].path));
	b.run.damaged = true;
	add(NGC_SELECT_KEY, KEY("/1"));
	check_finds(0);
	add(NGC_SELECT_FILE, file);
	check_finds(1);
	add(NGC_SELECT_KEY, KEY("/v"));
	check_finds(4);
	ck_assert_uint_eq(b.result.selectors[0].matched, 0);
	ck_assert_uint_eq(b.result.selectors[1].matched, 1);
	box_free();
}
END_TEST

START_TEST(all_zones_are_searched)
{
	static const char *const keys[] = { KEY("/1"), KEY("/2") };
	struct stored_file f;
	char file[PATH_MAX];

	box_new();
	put_keys("a", keys, 2);
	put_keys("b", keys, 2);
	open_site(2, ",levels=1:2");
	add(NGC_SELECT_KEY, KEY("/1"));
	check_finds(2);
	stored_make(&(struct stored){ .key = KEY("/2") }, &f);
	snprintf(file, sizeof(file), "%s", tree_at(&b.t, "b/%s", f.path));
	add(NGC_SELECT_FILE, file);
	check_finds(3);
	check_seen("b", &f);
	add(NGC_SELECT_ALL, NULL);
	check_finds(4);
	ck_assert_uint_eq(b.result.selectors[0].matched, 2);
	ck_assert_uint_eq(b.result.selectors[1].matched, 1);
	ck_assert_uint_eq(b.result.selectors[2].matched, 4);
	box_free();
}
END_TEST

START_TEST(a_file_outside_of_the_caches_is_refused)
{
	static const char *const paths[] = { "c/b7f54b2df7773722d382f4809d62a74d",
		"none/b7f54b2df7773722d382f4809d62a74d" };
	char file[PATH_MAX];

	for (size_t i = 0; i < COUNT(paths); i++) {
		box_new();
		tree_mkdir(&b.t, "c");
		snprintf(file, sizeof(file), "%s", tree_at(&b.t, "%s", paths[i]));
		add(NGC_SELECT_FILE, file);
		add(NGC_SELECT_ALL, NULL);
		ck_assert_int_eq(execute(), NGC_INVALID);
		ck_assert_uint_eq(b.n, 0);
		box_free();
	}
}
END_TEST

START_TEST(a_directory_that_is_no_cache_is_refused_before_anything_is_visited)
{
	box_new();
	stored_add_key(&b.t, "a", KEY("/1"));
	tree_write_text(&b.t, "b/README", "x");
	open_site(2, "");
	add(NGC_SELECT_ALL, NULL);
	ck_assert_int_eq(execute(), NGC_INVALID);
	ck_assert_uint_eq(b.n, 0);
	ck_assert_int_eq(remove(tree_at(&b.t, "b/README")), 0);
	ck_assert_int_eq(rmdir(tree_at(&b.t, "b")), 0);
	ck_assert_int_eq(execute(), NGC_INVALID);
	ck_assert_uint_eq(b.n, 0);
	box_free();
}
END_TEST

START_TEST(a_hostile_key_is_a_problem_and_not_the_end)
{
	static const char hostile[] =
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";

	box_new();
	stored_add_key(&b.t, "a", hostile);
	stored_add_key(&b.t, "a", "aaa");
	add(NGC_SELECT_REGEX, "^(a|a)*$");
	ck_assert_int_eq(execute(), NGC_OK);
	ck_assert_uint_eq(b.n, 1);
	ck_assert_uint_eq(b.result.failed, 1);
	ck_assert_ptr_nonnull(strstr(b.problems, "'^(a|a)*$': matching was given up"));
	ngc_select_free(b.select);
	b.select = ngc_select_new();
	filter(NGC_FILTER_EXCLUDE,
	    "{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}"
	    "{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}"
	    "{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}b");
	ck_assert_int_eq(execute(), NGC_OK);
	ck_assert_uint_le(b.n, 2);
	ck_assert_uint_eq(b.n + b.result.failed, 2);
	box_free();
}
END_TEST

START_TEST(any_number_of_jobs_finds_the_same)
{
	static const unsigned jobs[] = { 1, 2, 32 };

	box_new();
	for (unsigned i = 0; i < 600; i++) {
		char key[64];

		snprintf(key, sizeof(key), KEY("/%u"), i);
		stored_add_key(&b.t, "a", key);
	}
	add(NGC_SELECT_GLOB, "*[13579]");
	add(NGC_SELECT_REGEX, "[0-4]$");
	add(NGC_SELECT_KEY, KEY("/8"));
	filter(NGC_FILTER_STATUS, "200");
	for (size_t i = 0; i < COUNT(jobs); i++) {
		b.run.pace.jobs = jobs[i];
		check_finds(481);
		ck_assert_uint_eq(b.result.selectors[0].matched, 300);
		ck_assert_uint_eq(b.result.selectors[1].matched, 300);
		ck_assert_uint_eq(b.result.selectors[2].matched, 1);
	}
	box_free();
}
END_TEST

START_TEST(what_a_visitor_returns_ends_the_run)
{
	static const char *const keys[] = { KEY("/1"), KEY("/2"), KEY("/3"), KEY("/4") };
	static const enum ngc_code codes[] = { NGC_GONE, NGC_DENIED, NGC_FATAL };

	box_new();
	put_keys("a", keys, COUNT(keys));
	for (int scan = 0; scan < 2; scan++) {
		if (scan)
			add(NGC_SELECT_ALL, NULL);
		for (size_t i = 0; i < COUNT(keys); i++)
			add(NGC_SELECT_KEY, keys[i]);
		for (size_t i = 0; i < COUNT(codes); i++) {
			b.answer = codes[i];
			b.run.pace.jobs = 1;
			ck_assert_int_eq(execute(), codes[i]);
			ck_assert_str_eq(b.err.text, "enough");
			ck_assert_uint_eq(b.n, 1);
			ck_assert_uint_eq(b.result.failed, 0);
		}
	}
	box_free();
}
END_TEST

START_TEST(the_stop_flag_ends_the_run)
{
	static volatile sig_atomic_t stop = 1;
	struct stored_file f[4];

	box_new();
	put_varying(f);
	b.run.stop = &stop;
	add(NGC_SELECT_KEY, KEY("/v"));
	check_finds(0);
	add(NGC_SELECT_ALL, NULL);
	check_finds(0);
	box_free();
}
END_TEST

UNIT_MAIN("select", what_has_a_name_is_looked_up,
    what_selects_nothing_tells_what_was_tried, patterns_are_matched_by_a_walk,
    several_selectors_take_an_entry_once,
    without_selectors_everything_that_passes_the_filters_is_taken,
    filters_all_hold_and_any_of_a_kind, each_filter_holds_for_its_entries,
    tags_are_whole_words_of_their_headers, many_urls_come_as_lines_nul_or_json,
    many_urls_in_bad_json_are_refused, an_empty_list_of_urls_selects_nothing,
    bad_selectors_and_filters_are_refused, a_selection_knows_what_is_in_it,
    variants_are_found_by_one_walk_and_visited_first,
    a_scan_that_serves_all_visits_a_varying_entry_last, without_vary_nothing_is_walked,
    a_variant_named_by_its_file_is_visited_once,
    a_varying_entry_named_by_file_and_key_is_visited_once_and_last,
    keys_with_the_same_checksum_are_told_apart,
    without_levels_a_key_is_looked_up_at_all_places,
    an_orphan_is_found_by_a_walk_and_by_its_file,
    damaged_files_are_for_those_who_ask_for_them,
    a_damaged_file_at_the_place_of_a_key_is_visited_once, all_zones_are_searched,
    a_file_outside_of_the_caches_is_refused,
    a_directory_that_is_no_cache_is_refused_before_anything_is_visited,
    a_hostile_key_is_a_problem_and_not_the_end, any_number_of_jobs_finds_the_same,
    what_a_visitor_returns_ends_the_run, the_stop_flag_ends_the_run)
