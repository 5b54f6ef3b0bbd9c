/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/site.h"

#include "stored.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NAME     "b7f54b2df7773722d382f4809d62a74d"

static struct ngc_site *open_site(const struct ngc_site_request *req)
{
	struct ngc_error err;
	struct ngc_site *s;

	ck_assert_msg(ngc_site_open(req, &s, &err) == NGC_OK, "%s", err.text);
	return s;
}

static void check_refused(const struct ngc_site_request *req, const char *text)
{
	struct ngc_site *s = (struct ngc_site *)&text;
	unsigned before = open_descriptors();
	struct ngc_error err;

	ck_assert_msg(ngc_site_open(req, &s, &err) == NGC_INVALID, "%s", text);
	ck_assert_ptr_null(s);
	ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
	ck_assert_uint_eq(open_descriptors(), before);
}

START_TEST(a_directory_has_parameters)
{
	static const struct {
		const char *text, *path, *name, *levels, *key;
	} cases[] = {
		{ "/c", "/c", NULL, NULL, NULL },
		{ "/c//", "/c", NULL, NULL, NULL },
		{ "/", "/", NULL, NULL, NULL },
		{ "c", "c", NULL, NULL, NULL },
		{ "/c,name=z", "/c", "z", NULL, NULL },
		{ "/c,levels=1:2", "/c", NULL, "1:2", NULL },
		{ "/c,levels=", "/c", NULL, "", NULL },
		{ "/c,levels=2,name=z,key=$host$uri", "/c", "z", "2", "$host$uri" },
		{ "/c,key=a,name=b,,$uri", "/c", NULL, NULL, "a,name=b,,$uri" },
		{ "/c,key=", "/c", NULL, NULL, "" },
		{ "/a\\,b,name=z", "/a,b", "z", NULL, NULL },
		{ "/a\\b", "/a\\b", NULL, NULL, NULL },
		{ "/a\\", "/a\\", NULL, NULL, NULL },
		{ "/a\\,", "/a,", NULL, NULL, NULL },
		{ "/c,name=a,name=b", "/c", "b", NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ngc_site *s = open_site(
		    &(struct ngc_site_request){ .dirs = &cases[i].text, .n_dirs = 1 });
		const struct ngc_zone *z = ngc_site_zone(s, 0);
		char levels[NGC_LEVELS_TEXT];

		ck_assert_uint_eq(ngc_site_zones(s), 1);
		ck_assert_ptr_null(ngc_site_zone(s, 1));
		ck_assert_str_eq(z->path, cases[i].path);
		ck_assert_pstr_eq(z->name, cases[i].name);
		ck_assert_pstr_eq(z->key, cases[i].key);
		ck_assert_int_eq(z->levels_known, cases[i].levels != NULL);
		if (z->levels_known)
			ck_assert_str_eq(
			    ngc_levels_format(&z->levels, levels), cases[i].levels);
		ck_assert(!z->configured);
		ck_assert_int_eq(z->max_size, -1);
		ck_assert_ptr_null(ngc_site_conf(s));
		ngc_site_free(s);
	}
}
END_TEST

START_TEST(wrong_directories_are_refused)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "-d '': a directory is missing" },
		{ ",name=z", "a directory is missing" },
		{ "/c,", "-d /c: '': expected name=NAME" },
		{ "/c,name=", "'name=': expected" },
		{ "/c,levels=3", "'levels=3': expected" },
		{ "/c,levels=1:2:1:2", "expected" },
		{ "/c,nam=z", "'nam=z': expected" },
		{ "/c,name=z,", "'': expected" },
		{ "/c,key=$", "key" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_refused(
		    &(struct ngc_site_request){ .dirs = &cases[i].text, .n_dirs = 1 },
		    cases[i].error);
}
END_TEST

#define DUMP                                                                             \
	"# configuration file /etc/nginx/nginx.conf:\n"                                  \
	"http {\n"                                                                       \
	"proxy_cache_path /c/one levels=1:2 keys_zone=one:1m;\n"                         \
	"fastcgi_cache_path /c/two keys_zone=two:1m;\n"                                  \
	"}\n"

START_TEST(a_dump_of_the_configuration_has_zones)
{
	struct ngc_site_request req = { .conf = "-", .dump = ngc_bytes_of(DUMP) };
	static const char *const dirs[] = { "/d,name=three", "/e" };
	struct ngc_site *s = open_site(&req);

	ck_assert_uint_eq(ngc_site_zones(s), 2);
	ck_assert_str_eq(ngc_site_zone(s, 0)->name, "one");
	ck_assert_str_eq(ngc_site_zone(s, 1)->path, "/c/two");
	ck_assert_ptr_nonnull(ngc_site_conf(s));
	ngc_site_free(s);
	req.dirs = dirs;
	req.n_dirs = 2;
	s = open_site(&req);
	ck_assert_uint_eq(ngc_site_zones(s), 4);
	ck_assert_str_eq(ngc_site_zone(s, 2)->name, "three");
	ck_assert_ptr_null(ngc_site_zone(s, 3)->name);
	ngc_site_free(s);
}
END_TEST

START_TEST(zones_are_chosen_by_name)
{
	static const char *const dirs[] = { "/d,name=three", "/e" };
	static const char *const some[] = { "three", "one", "three" };
	static const char *const none[] = { "one", "four" };
	struct ngc_site_request req = { .conf = "-",
		.dump = ngc_bytes_of(DUMP),
		.dirs = dirs,
		.n_dirs = 2,
		.zones = some,
		.n_zones = 3 };
	struct ngc_site *s = open_site(&req);

	ck_assert_uint_eq(ngc_site_zones(s), 2);
	ck_assert_str_eq(ngc_site_zone(s, 0)->name, "one");
	ck_assert_str_eq(ngc_site_zone(s, 1)->name, "three");
	ck_assert_uint_eq(ngc_site_zone_index(s, ngc_site_zone(s, 1)), 1);
	ngc_site_free(s);
	req.zones = none;
	req.n_zones = 2;
	check_refused(&req, "unknown zone 'four'");
}
END_TEST

START_TEST(without_a_configuration_there_is_nothing)
{
	struct tree t;

	tree_new(&t);
	check_refused(&(struct ngc_site_request){ .root = t.path },
	    "no nginx configuration found: name it with -c, or a cache with -d");
	check_refused(&(struct ngc_site_request){ .conf = tree_at(&t, "none") }, "none");
	check_refused(
	    &(struct ngc_site_request){ .conf_default = tree_at(&t, "none") }, "none");
	check_refused(&(struct ngc_site_request){ .conf = "-" }, "");
	tree_free(&t);
}
END_TEST

static void write_conf(const struct tree *t, const char *name, const char *zone)
{
	char text[256];

	snprintf(text, sizeof(text), "http { proxy_cache_path /c/%s keys_zone=%s:1m; }\n",
	    zone, zone);
	tree_write_text(t, name, text);
}

static void check_zone(const struct ngc_site_request *req, const char *name)
{
	struct ngc_site *s = open_site(req);

	ck_assert_uint_eq(ngc_site_zones(s), 1);
	ck_assert_str_eq(ngc_site_zone(s, 0)->name, name);
	ngc_site_free(s);
}

/* The one given, the default, then the usual places. */
START_TEST(the_configuration_is_found)
{
	struct ngc_site_request req = { 0 };
	char given[PATH_MAX], fallback[PATH_MAX];
	struct tree t;

	tree_new(&t);
	write_conf(&t, "given", "given");
	write_conf(&t, "default", "default");
	write_conf(&t, "r/etc/angie/angie.conf", "angie");
	snprintf(given, sizeof(given), "%s", tree_at(&t, "given"));
	snprintf(fallback, sizeof(fallback), "%s", tree_at(&t, "default"));
	req.conf = given;
	req.conf_default = fallback;
	check_zone(&req, "given");
	req.conf = NULL;
	check_zone(&req, "default");
	req.conf_default = "";
	req.root = tree_at(&t, "r");
	check_zone(&req, "angie");
	write_conf(&t, "r/real.conf", "real");
	tree_link(&t, "/real.conf",
	    "r/etc/nginx/nginx.conf"); /* absolute, but below the root */
	check_zone(&req, "real");
	tree_free(&t);
}
END_TEST

/* However the root is written. */
START_TEST(the_caches_of_a_configuration_lie_below_the_root)
{
	static const char *const ends[] = { "", "/", "//" };
	struct tree t;

	tree_new(&t);
	write_conf(&t, "r/nginx.conf", "z");
	tree_mkdir(&t, "r/real/a");
	tree_link(&t, "/real", "r/c/z");
	for (size_t i = 0; i < COUNT(ends); i++) {
		char root[PATH_MAX];
		struct ngc_site_request req = { .conf = "/nginx.conf", .root = root };
		struct ngc_place want, got;
		struct ngc_cache *c;
		struct ngc_error err;
		struct ngc_site *s;

		snprintf(root, sizeof(root), "%s%s", tree_at(&t, "r"), ends[i]);
		s = open_site(&req);
		ck_assert_str_eq(ngc_site_zone(s, 0)->path, tree_at(&t, "r/c/z"));
		ck_assert_msg(ngc_site_cache(s, ngc_site_zone(s, 0), &c, &err) == NGC_OK,
		    "%s", err.text);
		ck_assert_int_eq(ngc_place_find(tree_at(&t, "r/real"), NULL, &want, &err),
		    NGC_OK);
		ck_assert(ngc_site_place(s, ngc_site_zone(s, 0), &got));
		ck_assert(ngc_place_same(want, got));
		ck_assert(ngc_place_same(want, ngc_cache_place(c)));
		ck_assert_str_eq(ngc_site_root(s), root);
		ngc_cache_close(c);
		ngc_site_free(s);
	}
	tree_free(&t);
}
END_TEST

/* Whether or not paths of a dump lie below the root: what is opened is what is reported.
 */
START_TEST(a_dump_and_a_root_do_not_mix_paths_up)
{
	struct ngc_site_request req = { .conf = "-" };
	struct ngc_place want, got;
	char text[PATH_MAX], root[PATH_MAX];
	struct ngc_error err;
	struct ngc_site *s;
	struct tree t;

	tree_new(&t);
	tree_mkdir(&t, "cache/a");
	snprintf(root, sizeof(root), "%s", tree_at(&t, "r"));
	tree_mkdir(&t, "r");
	snprintf(text, sizeof(text),
	    "# configuration file /n:\nhttp { proxy_cache_path %.1000s/cache "
	    "keys_zone=z:1m; }\n",
	    t.path);
	req.dump = ngc_bytes_of(text);
	req.root = root;
	s = open_site(&req);
	ck_assert_int_eq(ngc_site_place(s, ngc_site_zone(s, 0), &got),
	    ngc_place_find(ngc_site_zone(s, 0)->path, NULL, &want, &err) == NGC_OK);
	ngc_site_free(s);
	tree_free(&t);
}
END_TEST

START_TEST(what_is_no_cache_is_refused)
{
	char dump[2 * PATH_MAX], dirs[2][PATH_MAX];
	const char *list[] = { dirs[0], dirs[1] };
	static const enum ngc_code codes[] = { NGC_GONE, NGC_INVALID, NGC_INVALID,
		NGC_INVALID };
	struct ngc_site_request req = { .conf = "-", .dirs = list, .n_dirs = 2 };
	struct ngc_site *s;
	struct tree t;

	tree_new(&t);
	tree_write_text(&t, "docs/README", "x");
	snprintf(dump, sizeof(dump),
	    "# configuration file /n:\nhttp { proxy_cache_path %.1000s/none "
	    "keys_zone=a:1m;\n"
	    "proxy_cache_path %.1000s/docs keys_zone=b:1m; }\n",
	    t.path, t.path);
	snprintf(dirs[0], sizeof(dirs[0]), "%s", tree_at(&t, "none2"));
	snprintf(dirs[1], sizeof(dirs[1]), "%s", tree_at(&t, "docs"));
	req.dump = ngc_bytes_of(dump);
	s = open_site(&req);
	for (size_t i = 0; i < COUNT(codes); i++) {
		struct ngc_cache *c;
		struct ngc_error err;

		ck_assert_int_eq(
		    ngc_site_cache(s, ngc_site_zone(s, i), &c, &err), codes[i]);
		ck_assert_int_eq(err.code, codes[i]);
		ck_assert_ptr_null(c);
	}
	ngc_site_free(s);
	tree_free(&t);
}
END_TEST

START_TEST(the_roots_of_all_zones_are_avoided_whatever_is_chosen)
{
	char dirs[3][PATH_MAX];
	const char *list[] = { dirs[0], dirs[1], dirs[2] }, *chosen = "b";
	struct ngc_site_request req = {
		.dirs = list, .n_dirs = 3, .zones = &chosen, .n_zones = 1
	};
	struct ngc_place inner, outer;
	struct ngc_cache *c;
	struct ngc_error err;
	struct ngc_site *s;
	struct tree t;

	tree_new(&t);
	tree_mkdir(&t, "b/a/0");
	snprintf(dirs[0], sizeof(dirs[0]), "%s", tree_at(&t, "b/a"));
	snprintf(dirs[1], sizeof(dirs[1]), "%s", tree_at(&t, "none"));
	snprintf(dirs[2], sizeof(dirs[2]), "%s", tree_at(&t, "b,name=b"));
	s = open_site(&req);
	ck_assert_uint_eq(ngc_site_zones(s), 1);
	ck_assert_int_eq(ngc_site_cache(s, ngc_site_zone(s, 0), &c, &err), NGC_OK);
	ck_assert_int_eq(ngc_place_find(dirs[0], NULL, &inner, &err), NGC_OK);
	ck_assert_int_eq(ngc_place_find(tree_at(&t, "b"), NULL, &outer, &err), NGC_OK);
	ck_assert(ngc_cache_avoids(c, inner));
	ck_assert(!ngc_cache_avoids(c, outer));
	ck_assert_ptr_null(ngc_cache_unseen(c));
	ngc_cache_close(c);
	ngc_site_free(s);
	tree_free(&t);
}
END_TEST

START_TEST(files_alone_bring_their_caches)
{
	static const char *const files[] = { "/x/d/74/" NAME, "/x/d/74/" NAME, "/y/" NAME,
		NAME, "4d/" NAME, "d/74/" NAME, "/" NAME, "/x//d/74/" NAME };
	static const char *const roots[] = { "/x", "/y", ".", "/" };
	struct ngc_site_request req = { .files = files, .n_files = COUNT(files) };
	struct ngc_site *s = open_site(&req);

	ck_assert_uint_eq(ngc_site_zones(s), COUNT(roots));
	for (size_t i = 0; i < COUNT(roots); i++) {
		ck_assert_str_eq(ngc_site_zone(s, i)->path, roots[i]);
		ck_assert(!ngc_site_zone(s, i)->levels_known);
	}
	ngc_site_free(s);
}
END_TEST

START_TEST(files_beside_directories_bring_none)
{
	static const char *const file = "/x/d/74/" NAME, *const dir = "/y";
	struct ngc_site_request req = {
		.files = &file, .n_files = 1, .dirs = &dir, .n_dirs = 1
	};
	struct ngc_site *s = open_site(&req);

	ck_assert_uint_eq(ngc_site_zones(s), 1);
	ck_assert_str_eq(ngc_site_zone(s, 0)->path, "/y");
	ngc_site_free(s);
	req.n_dirs = 0;
	req.conf = "-";
	req.dump = ngc_bytes_of(DUMP);
	s = open_site(&req);
	ck_assert_uint_eq(ngc_site_zones(s), 2);
	ngc_site_free(s);
}
END_TEST

START_TEST(a_file_that_is_none_is_refused)
{
	static const char *const file = "/etc/passwd";

	check_refused(&(struct ngc_site_request){ .files = &file, .n_files = 1 },
	    "--file /etc/passwd: not the name of a cache file");
}
END_TEST

UNIT_MAIN("site", a_directory_has_parameters, wrong_directories_are_refused,
    a_dump_of_the_configuration_has_zones, zones_are_chosen_by_name,
    without_a_configuration_there_is_nothing, the_configuration_is_found,
    the_caches_of_a_configuration_lie_below_the_root,
    a_dump_and_a_root_do_not_mix_paths_up, what_is_no_cache_is_refused,
    the_roots_of_all_zones_are_avoided_whatever_is_chosen, files_alone_bring_their_caches,
    files_beside_directories_bring_none, a_file_that_is_none_is_refused)
