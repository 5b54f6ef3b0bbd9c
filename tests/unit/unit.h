/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

/*
 * The main of a unit test: one suite of tests, each a START_TEST named by the behaviour
 *it holds.  TAP goes to the file $TAP names, if any.
 *
 *	UNIT_MAIN("units", sizes_take_k_and_m_only, ...)
 */
static inline int unit_run(const char *name, const TTest *const *tests, size_t n)
{
	Suite *s = suite_create(name);
	TCase *c = tcase_create(name);
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	if (getenv("TAP") != NULL)
		srunner_set_tap(r, getenv("TAP"));
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed > 0;
}

#define UNIT_MAIN(name, ...)                                                             \
	int main(void)                                                                   \
	{                                                                                \
		const TTest *const tests[] = { __VA_ARGS__ };                            \
                                                                                         \
		return unit_run(name, tests, sizeof(tests) / sizeof(tests[0]));          \
	}

#endif
