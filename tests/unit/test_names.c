/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/store.h"

#include "unit.h"

#define NAME "b7f54b2df7773722d382f4809d62a74d"

START_TEST(names_are_told_by_their_form)
{
	static const struct {
		const char *name;
		enum name_kind kind;
	} cases[] = {
		{ NAME, NAME_CANDIDATE },
		{ "00000000000000000000000000000000", NAME_CANDIDATE },
		{ "B7f54b2df7773722d382f4809d62a74d", NAME_OTHER },
		{ "b7f54b2df7773722d382f4809d62a74", NAME_OTHER },
		{ NAME "0", NAME_OTHER },
		{ NAME "g", NAME_OTHER },
		{ "g7f54b2df7773722d382f4809d62a74d", NAME_OTHER },
		{ NAME ".0123456789", NAME_TEMP_FILE },
		{ NAME ".012345678", NAME_OTHER },
		{ NAME ".01234567890", NAME_OTHER },
		{ NAME ".012345678a", NAME_OTHER },
		{ NAME "0.0123456789", NAME_OTHER },
		{ NAME ".", NAME_OTHER },
		{ NAME "\n", NAME_OTHER },
		{ "0", NAME_LEVEL },
		{ "f", NAME_LEVEL },
		{ "9a", NAME_LEVEL },
		{ "F", NAME_OTHER },
		{ "9A", NAME_OTHER },
		{ "g", NAME_OTHER },
		{ "abc", NAME_OTHER },
		{ "", NAME_OTHER },
		{ "temp", NAME_TEMP_DIR },
		{ "temp2", NAME_OTHER },
		{ "tem", NAME_OTHER },
		{ "0000000001", NAME_OTHER },
		{ ".0123456789", NAME_OTHER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(
		    name_kind(cases[i].name) == cases[i].kind, "'%s'", cases[i].name);
}
END_TEST

START_TEST(a_candidate_lies_where_its_last_digits_say)
{
	static const struct {
		const char *dir, *name;
		bool is;
	} cases[] = {
		{ "", NAME, true },
		{ "d/", NAME, true },
		{ "4d/", NAME, true },
		{ "d/74/", NAME, true },
		{ "4d/7/", NAME, true },
		{ "d/4/7/", NAME, true },
		{ "4d/a7/62/", NAME, true },
		{ "4/", NAME, false },
		{ "d4/", NAME, false },
		{ "d/47/", NAME, false },
		{ "D/", NAME, false },
		{ "74d/", NAME, false },
		{ "d", NAME, false },
		{ "/", NAME, false },
		{ "d//", NAME, false },
		{ "/d/", NAME, false },
		{ "d/4/7/a/", NAME, false },
		{ "../", NAME, false },
		{ "", NAME ".0123456789", false },
		{ "", "d", false },
		{ "", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(
		    ngc_candidate_name(cases[i].dir, cases[i].name) == cases[i].is,
		    "'%s' '%s'", cases[i].dir, cases[i].name);
}
END_TEST

/* The root that the path has with that many levels; "-": it cannot have so many. */
static void check_split(const char *path, const char *const roots[NGC_LEVELS_MAX + 1])
{
	struct ngc_candidate_path parts;

	ck_assert_msg(ngc_candidate_split(path, &parts), "%s", path);
	ck_assert_str_eq(parts.name, NAME);
	for (unsigned n = 0; n <= NGC_LEVELS_MAX; n++) {
		bool fits = strcmp(roots[n], "-") != 0;

		ck_assert_msg(parts.fits[n] == fits, "%s: %u levels", path, n);
		if (!fits)
			continue;
		ck_assert_uint_le(n, parts.depth);
		ck_assert_msg(
		    parts.root_len[n] == strlen(roots[n]), "%s: %u levels", path, n);
		ck_assert_int_eq(strncmp(path, roots[n], parts.root_len[n]), 0);
	}
	ck_assert(parts.fits[parts.depth]);
}

START_TEST(a_path_is_taken_apart)
{
	static const struct {
		const char *path, *roots[NGC_LEVELS_MAX + 1];
	} cases[] = {
		{ NAME, { "", "-", "-", "-" } },
		{ "/" NAME, { "/", "-", "-", "-" } },
		{ "./" NAME, { "./", "-", "-", "-" } },
		{ "/c/" NAME, { "/c/", "-", "-", "-" } },
		{ "/c/d/" NAME, { "/c/d/", "/c/", "-", "-" } },
		{ "d/" NAME, { "d/", "", "-", "-" } },
		{ "/d/" NAME, { "/d/", "/", "-", "-" } },
		{ "/c/d/74/" NAME, { "/c/d/74/", "-", "/c/", "-" } },
		{ "/c/7/4/d/" NAME, { "/c/7/4/d/", "/c/7/4/", "-", "-" } },
		{ "/c/d/4/7/" NAME, { "/c/d/4/7/", "-", "-", "/c/" } },
		{ "/4d/a7/62/" NAME, { "/4d/a7/62/", "-", "-", "/" } },
		{ "4d/a7/62/" NAME, { "4d/a7/62/", "-", "-", "" } },
		{ "/e/4d/a7/62/" NAME, { "/e/4d/a7/62/", "-", "-", "/e/" } },
		{ "/c//d/" NAME, { "/c//d/", "/c//", "-", "-" } },
		{ "/c/d/../" NAME, { "/c/d/../", "-", "-", "-" } },
		{ "/a-long-name/another/74/" NAME,
		    { "/a-long-name/another/74/", "-", "-", "-" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_split(cases[i].path, cases[i].roots);
}
END_TEST

START_TEST(a_path_that_can_have_several_roots_tells_all)
{
	static const char *const roots[] = { "/c/d/d/d/", "/c/d/d/", "/c/d/", "/c/" };
	const char *name = "b7f54b2df7773722d382f4809d62addd";
	struct ngc_candidate_path parts;

	ck_assert(
	    ngc_candidate_split("/c/d/d/d/b7f54b2df7773722d382f4809d62addd", &parts));
	ck_assert_str_eq(parts.name, name);
	ck_assert_uint_eq(parts.depth, 3);
	for (unsigned n = 0; n <= NGC_LEVELS_MAX; n++) {
		ck_assert(parts.fits[n]);
		ck_assert_uint_eq(parts.root_len[n], strlen(roots[n]));
	}
}
END_TEST

START_TEST(other_paths_are_no_candidates)
{
	static const char *const bad[] = { "", "/", "/c/", "/c/" NAME "/", "/c/" NAME "x",
		"/c/" NAME ".0123456789", "/c/B7F54B2DF7773722D382F4809D62A74D" };
	struct ngc_candidate_path parts;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!ngc_candidate_split(bad[i], &parts), "%s", bad[i]);
}
END_TEST

UNIT_MAIN("names", names_are_told_by_their_form,
    a_candidate_lies_where_its_last_digits_say, a_path_is_taken_apart,
    a_path_that_can_have_several_roots_tells_all, other_paths_are_no_candidates)
