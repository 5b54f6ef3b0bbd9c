/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/stats.h"

#include "ngc/mem.h"
#include "stored.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NOW 1900000000

/* A cache in a tree, and what was counted in it. */
struct box {
	struct tree t;
	struct ngc_site *site;
	struct ngc_select *select;
	struct ngc_by *by;
	struct ngc_stats_request req;
	struct ngc_stats s;
	unsigned jobs, problems;
	char last[512];
};

static struct box b;

static void box_new(void)
{
	b = (struct box){ .select = ngc_select_new() };
	tree_new(&b.t);
	tree_mkdir(&b.t, "a");
}

static void box_free(void)
{
	ngc_stats_free(&b.s);
	ngc_by_free(b.by);
	ngc_select_free(b.select);
	ngc_site_free(b.site);
	tree_free(&b.t);
}

static void put(const struct stored *s)
{
	struct stored_file f;

	stored_write(&b.t, "a", s, &f);
}

static void put_key(const char *key)
{
	put(&(struct stored){ .key = key });
}

static void problem(void *arg, const struct ngc_error *err)
{
	(void)arg;
	b.problems++;
	snprintf(b.last, sizeof(b.last), "%s", err->text);
}

static void collect(const char *by)
{
	static char dir[PATH_MAX + 32];
	const char *dirs[] = { dir };
	struct ngc_site_request site = { .dirs = dirs, .n_dirs = 1 };
	struct ngc_select_run run = { .select = b.select,
		.now = NOW,
		.pace.jobs = b.jobs,
		.problem = problem };
	struct ngc_error err;

	snprintf(dir, sizeof(dir), "%s,name=a,levels=1:2", tree_at(&b.t, "a"));
	ngc_site_free(b.site);
	ngc_by_free(b.by);
	b.by = NULL;
	ngc_stats_free(&b.s);
	ck_assert_msg(ngc_site_open(&site, &b.site, &err) == NGC_OK, "%s", err.text);
	ck_assert_msg(by == NULL || ngc_by_add(&b.by, by, &err) == NGC_OK, "%s",
	    err.text);
	run.site = b.site;
	b.req.by = b.by;
	ck_assert_msg(ngc_stats_collect(&run, &b.req, &b.s, &err) == NGC_OK, "%s",
	    err.text);
}

/* The groups as "VALUE/VALUE=ENTRIES ...", in order. */
static void check_groups(const char *wanted)
{
	struct ngc_buf text = { 0 };

	for (size_t i = 0; i < b.s.n_groups; i++) {
		ngc_buf_add_str(&text, i > 0 ? " " : "");
		for (size_t k = 0; k < ngc_by_count(b.by); k++) {
			struct ngc_bytes v = ngc_group_value(&b.s.groups[i], k);

			ngc_buf_add_str(&text, k > 0 ? "|" : "");
			ngc_buf_add_bytes(&text, v.p != NULL ? v : ngc_bytes_of("-"));
		}
		ngc_buf_printf(&text, "=%d", (int)b.s.groups[i].sum.entries);
	}
	ngc_buf_add_char(&text, '\0');
	ck_assert_str_eq((const char *)text.p, wanted);
	ngc_buf_free(&text);
}

/* The body makes sizes differ, and so the order certain. */
static void check_by(const char *by, const char *wanted)
{
	collect(by);
	check_groups(wanted);
}

START_TEST(what_cannot_be_grouped_by_is_refused)
{
	static const char *const bad[] = { "", "hosts", "host,", ",host", "host,host",
		"path:0", "path:", "path:x", "path:-1", "host:1", "status:", "regex",
		"regex:", "regex:(", "path:1,path:2", "Host", "host status" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct ngc_by *by = NULL;
		struct ngc_error err;

		ck_assert_msg(ngc_by_add(&by, bad[i], &err) == NGC_INVALID, "'%s'",
		    bad[i]);
		ngc_by_free(by);
	}
}
END_TEST

START_TEST(a_regex_takes_the_rest_of_the_word)
{
	struct ngc_by *by = NULL;
	struct ngc_error err;

	ck_assert_int_eq(ngc_by_add(&by, "status,regex:a{1,2},host", &err), NGC_OK);
	ck_assert_uint_eq(ngc_by_count(by), 2);
	ck_assert_str_eq(ngc_by_name(by, 0), "status");
	ck_assert(ngc_by_is_number(by, 0));
	ck_assert_str_eq(ngc_by_name(by, 1), "regex");
	ck_assert_int_eq(ngc_by_add(&by, "host", &err), NGC_OK);
	ck_assert_str_eq(ngc_by_name(by, 2), "host");
	ck_assert(!ngc_by_is_number(by, 2));
	ck_assert_int_eq(ngc_by_add(&by, "regex:b", &err), NGC_INVALID);
	ngc_by_free(by);
}
END_TEST

START_TEST(states_and_kinds_are_counted)
{
	box_new();
	put(&(struct stored){ .key = "httpGETa.b/1", .valid = NOW });
	put(&(struct stored){ .key = "httpGETa.b/2", .valid = NOW - 1 });
	put(&(struct stored){ .key = "httpGETa.b/3", .invalidated = true });
	put(&(struct stored){ .key = "httpGETa.b/3", .vary = "X", .variant = 1 });
	put(&(struct stored){ .key = "httpGETa.b/4", .levels = "2" });
	tree_write(&b.t, "a/0/00/00000000000000000000000000000000", "x", 1);
	tree_write(&b.t, "a/README", "x", 1);
	tree_write(&b.t, "a/0123456789abcdef0123456789abcdef.0000000001", "x", 1);
	collect(NULL);
	ck_assert_uint_eq(b.s.n_zones, 1);
	ck_assert(b.s.zones[0].known && b.s.zones[0].counts.walked);
	ck_assert_int_eq(memcmp(&b.s.zones[0].counts, &b.s.total, sizeof(b.s.total)), 0);
	ck_assert_uint_eq(b.s.total.sum.entries, 5);
	ck_assert_uint_eq(b.s.total.states[NGC_FRESH], 3);
	ck_assert_uint_eq(b.s.total.states[NGC_EXPIRED], 1);
	ck_assert_uint_eq(b.s.total.states[NGC_INVALIDATED], 1);
	ck_assert_uint_eq(b.s.total.variants, 1);
	ck_assert_uint_eq(b.s.total.orphans, 1);
	ck_assert_uint_eq(b.s.total.damaged, 1);
	ck_assert_uint_eq(b.s.total.temporary, 1);
	ck_assert_uint_eq(b.s.total.foreign, 1);
	ck_assert_uint_eq(b.s.n_groups, 0);
	box_free();
}
END_TEST

START_TEST(what_is_looked_up_tells_nothing_of_other_files)
{
	struct ngc_error err;

	box_new();
	put_key("httpGETa.b/1");
	put_key("httpGETa.b/2");
	ck_assert_int_eq(ngc_select_add(b.select, NGC_SELECT_KEY, "httpGETa.b/2", &err),
	    NGC_OK);
	collect(NULL);
	ck_assert_uint_eq(b.s.total.sum.entries, 1);
	ck_assert(b.s.zones[0].known && !b.s.zones[0].counts.walked);
	box_free();
}
END_TEST

START_TEST(entries_are_grouped_by_what_they_tell)
{
	box_new();
	put(&(struct stored){ .key = "httpGETa.b/x/y/z?q=/1",
	    .headers = "Content-Type: Text/CSS; charset=x\r\nContent-Encoding: GZIP\r\n",
	    .date = NOW - 59,
	    .body = "longest of all the bodies" });
	put(&(struct stored){ .key = "httpGETa.b/x",
	    .status = 404,
	    .date = NOW - 60,
	    .body = "longer body" });
	put(&(struct stored){ .key = "httpHEADc.d/", .date = NOW - 86400, .body = "" });
	check_by("host", "a.b=2 c.d=1");
	check_by("path", "/x=2 /=1");
	check_by("path:2", "/x/y=1 /x=1 /=1");
	check_by("path:9", "/x/y/z=1 /x=1 /=1");
	check_by("type", "-=2 text/css=1");
	check_by("status", "200=2 404=1");
	check_by("method", "GET=2 HEAD=1");
	check_by("encoding", "-=2 gzip=1");
	check_by("age", "under 1m=1 1m to 10m=1 1d to 7d=1");
	check_by("zone", "a=3");
	check_by("regex:/(\\w)", "x=2 -=1");
	check_by("regex:GET|HEAD", "GET=2 HEAD=1");
	check_by("host,status", "a.b|200=1 a.b|404=1 c.d|200=1");
	check_by("status,host", "200|a.b=1 404|a.b=1 200|c.d=1");
	box_free();
}
END_TEST

START_TEST(an_entry_counts_once_for_each_of_its_tags)
{
	box_new();
	put(&(struct stored){ .key = "httpGETa.b/1",
	    .headers = "Cache-Tag: x y x\r\nxkey: y, z\r\n" });
	put(&(struct stored){ .key = "httpGETa.b/2", .headers = "xkey: x\r\n" });
	put(&(struct stored){ .key = "httpGETa.b/3", .body = "" });
	collect("tag");
	check_groups("x=2 y=1 z=1 -=1");
	ck_assert_uint_eq(b.s.total.sum.entries, 3);
	box_free();
}
END_TEST

/* What reads them takes UTF-8, and takes an empty label for none. */
START_TEST(values_are_utf_8_and_not_empty)
{
	box_new();
	put_key("httpGETa.b/\xff");
	put_key("httpGETa.b/\xfe");
	put_key("httpGETa.b/\xc3\xa6");
	check_by("path", "/\xef\xbf\xbd=2 /\xc3\xa6=1");
	check_by("regex:(q*)", "-=3");
	box_free();
}
END_TEST

START_TEST(the_rest_of_the_groups_is_told_together)
{
	struct ngc_sum all = { 0 };

	box_new();
	for (int i = 1; i <= 5; i++)
		for (int k = 0; k < i; k++) {
			char key[64];

			snprintf(key, sizeof(key), "httpGETh%d.b/%d", i, k);
			put_key(key);
		}
	b.req.top = 2;
	check_by("host", "h5.b=5 h4.b=4");
	ck_assert_uint_eq(b.s.other.entries, 6);
	ck_assert_uint_eq(b.s.crowded, 0);
	for (size_t i = 0; i < b.s.n_groups; i++) {
		all.entries += b.s.groups[i].sum.entries;
		all.bytes += b.s.groups[i].sum.bytes;
		all.allocated += b.s.groups[i].sum.allocated;
	}
	ck_assert_uint_eq(all.entries + b.s.other.entries, b.s.total.sum.entries);
	ck_assert_uint_eq(all.bytes + b.s.other.bytes, b.s.total.sum.bytes);
	ck_assert_uint_eq(all.allocated + b.s.other.allocated, b.s.total.sum.allocated);
	b.req.top = 9;
	check_by("host", "h5.b=5 h4.b=4 h3.b=3 h2.b=2 h1.b=1");
	ck_assert_uint_eq(b.s.other.entries, 0);
	box_free();
}
END_TEST

/* Hosts that visitors make up must not take all the memory; those held are told whole. */
START_TEST(groups_beyond_the_bound_are_other)
{
	static const unsigned jobs[] = { 1, 4 };

	box_new();
	for (int i = 0; i < 300; i++) {
		char key[64];

		snprintf(key, sizeof(key), "httpGETh%d.b/%d", i % 100, i / 100);
		put_key(key);
	}
	for (size_t i = 0; i < COUNT(jobs); i++) {
		b.jobs = jobs[i];
		b.req.groups_max = 0;
		collect("host");
		ck_assert_uint_eq(b.s.n_groups, 100);
		ck_assert_uint_eq(b.s.crowded, 0);
		b.req.groups_max = 10;
		collect("host");
		ck_assert_uint_eq(b.s.n_groups, 10);
		for (size_t k = 0; k < b.s.n_groups; k++)
			ck_assert_uint_eq(b.s.groups[k].sum.entries, 3);
		ck_assert_uint_eq(b.s.crowded, 270);
		ck_assert_uint_eq(b.s.other.entries, 270);
	}
	box_free();
}
END_TEST

START_TEST(what_cannot_be_grouped_is_told_and_left_out)
{
	char key[128] = "httpGETa.b/";

	box_new();
	for (size_t i = strlen(key); i < 100; i++)
		key[i] = 'a';
	put_key(key);
	put_key("httpGETa.b/1");
	collect("regex:/((a+)+)+$(?<!a)|1");
	ck_assert_uint_eq(b.problems, 1);
	ck_assert_ptr_nonnull(strstr(b.last, tree_at(&b.t, "a")));
	ck_assert_uint_eq(b.s.found.failed, 1);
	ck_assert_uint_eq(b.s.total.sum.entries, 1);
	box_free();
}
END_TEST

UNIT_MAIN("stats", what_cannot_be_grouped_by_is_refused,
    a_regex_takes_the_rest_of_the_word, states_and_kinds_are_counted,
    what_is_looked_up_tells_nothing_of_other_files, entries_are_grouped_by_what_they_tell,
    an_entry_counts_once_for_each_of_its_tags, values_are_utf_8_and_not_empty,
    the_rest_of_the_groups_is_told_together, groups_beyond_the_bound_are_other,
    what_cannot_be_grouped_is_told_and_left_out)
