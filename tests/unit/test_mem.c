/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/mem.h"

#include <stdalign.h>
#include <stdint.h>

#include "unit.h"

START_TEST(sums_that_do_not_fit_are_refused)
{
	size_t sum = 7;

	ck_assert(ngc_size_add(1, 2, &sum));
	ck_assert_uint_eq(sum, 3);
	ck_assert(ngc_size_add(SIZE_MAX, 0, &sum));
	ck_assert_uint_eq(sum, SIZE_MAX);
	ck_assert(!ngc_size_add(SIZE_MAX, 1, &sum));
	ck_assert(!ngc_size_add(SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1, &sum));
}
END_TEST

START_TEST(arrays_are_zeroed_and_their_product_is_checked)
{
	unsigned char *p = ngc_array_alloc(100, 3);

	ck_assert_ptr_nonnull(p);
	for (size_t i = 0; i < 300; i++)
		ck_assert_uint_eq(p[i], 0);
	free(p);
	p = ngc_array_alloc(0, 8);
	ck_assert_ptr_nonnull(p);
	free(p);
	ck_assert_ptr_null(ngc_array_alloc(SIZE_MAX / 2, 3));
}
END_TEST

START_TEST(an_array_grows_and_keeps_what_it_holds)
{
	uint32_t *p = NULL;
	void *array = NULL;
	size_t cap = 0;

	for (uint32_t n = 0; n < 1000; n++) {
		ck_assert(ngc_array_grow(&array, n, &cap, sizeof(*p)));
		ck_assert_uint_gt(cap, n);
		p = array;
		p[n] = n;
	}
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(p[i], i);
	free(array);
}
END_TEST

START_TEST(an_array_that_cannot_grow_is_left_alone)
{
	void *array = NULL;
	size_t cap = SIZE_MAX / 2 + 1;

	ck_assert(!ngc_array_grow(&array, cap, &cap, 1));
	ck_assert_uint_eq(cap, SIZE_MAX / 2 + 1);
	cap = SIZE_MAX / 8;
	ck_assert(!ngc_array_grow(&array, cap, &cap, 8));
	ck_assert_ptr_null(array);
	ck_assert_uint_eq(cap, SIZE_MAX / 8);
}
END_TEST

static bool is_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

START_TEST(arena_objects_are_aligned_zeroed_and_apart)
{
	static const size_t sizes[] = { 1, 3, 16, 17, 100, 2047, 2048, 2049, 8191, 8192,
		8193, 100000, 1 };
	struct ngc_arena *a = ngc_arena_new();
	unsigned char *kept[20 * 13];
	size_t n = 0;

	ck_assert_ptr_nonnull(a);
	for (size_t round = 0; round < 20; round++) {
		for (size_t i = 0; i < 13; i++) {
			unsigned char *p = ngc_arena_alloc(a, 1, sizes[i]);
			size_t align = sizes[i] &
				       (~sizes[i] + 1); /* the most it can need */

			ck_assert_ptr_nonnull(p);
			if (align > alignof(max_align_t))
				align = alignof(max_align_t);
			ck_assert_uint_eq((uintptr_t)p % align, 0);
			ck_assert(is_zero(p, sizes[i]));
			memset(p, (int)(n & 0xff), sizes[i]);
			kept[n++] = p;
		}
	}
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(kept[i][0], i & 0xff);
		ck_assert_uint_eq(kept[i][sizes[i % 13] - 1], i & 0xff);
	}
	ngc_arena_free(a);
}
END_TEST

START_TEST(a_large_arena_keeps_its_objects_apart)
{
	struct ngc_arena *a = ngc_arena_new();
	size_t *kept[4000];

	for (size_t i = 0; i < 4000; i++) {
		kept[i] = ngc_arena_alloc(a, 2000 + i % 7, 1 + i % 2 * 7);
		ck_assert_ptr_nonnull(kept[i]);
		ck_assert(is_zero((unsigned char *)kept[i], 2000));
		memcpy(kept[i], &i, sizeof(i));
	}
	for (size_t i = 0; i < 4000; i++)
		ck_assert_int_eq(memcmp(kept[i], &i, sizeof(i)), 0);
	ngc_arena_free(a);
}
END_TEST

START_TEST(an_arena_refuses_what_no_memory_can_hold)
{
	struct ngc_arena *a = ngc_arena_new();

	ck_assert_ptr_null(ngc_arena_alloc(a, SIZE_MAX, 2));
	ck_assert_ptr_null(ngc_arena_alloc(a, SIZE_MAX, 1));
	ck_assert_ptr_null(ngc_arena_alloc(a, SIZE_MAX - 15, 1));
	ck_assert_ptr_null(ngc_arena_copy(a, "", SIZE_MAX));
	ck_assert_ptr_nonnull(ngc_arena_alloc(a, 1, 1));
	ngc_arena_free(a);
	ngc_arena_free(NULL);
}
END_TEST

START_TEST(an_empty_arena_object_is_no_failure)
{
	struct ngc_arena *a = ngc_arena_new();

	ck_assert_ptr_nonnull(ngc_arena_alloc(a, 0, 8));
	ck_assert_ptr_nonnull(ngc_arena_alloc(a, 8192, 1));
	ck_assert_ptr_nonnull(ngc_arena_alloc(a, 0, 8));
	ngc_arena_free(a);
}
END_TEST

START_TEST(an_arena_copy_ends_with_nul)
{
	struct ngc_arena *a = ngc_arena_new();
	char *p = ngc_arena_copy(a, "a\0bc", 3);

	ck_assert_mem_eq(p, "a\0b\0", 4);
	ck_assert_str_eq(ngc_arena_copy(a, NULL, 0), "");
	ngc_arena_free(a);
}
END_TEST

START_TEST(a_buffer_collects_bytes)
{
	struct ngc_buf b = { 0 };

	ngc_buf_add_str(&b, "abc");
	ngc_buf_add_char(&b, '-');
	ngc_buf_add(&b, "x\0y", 3);
	ngc_buf_add_bytes(&b, ngc_bytes_of("!"));
	ngc_buf_printf(&b, "%d%s", 42, "z");
	ngc_buf_add(&b, NULL, 0);
	ngc_buf_add_bytes(&b, ngc_bytes(NULL, 0));
	ck_assert(!b.failed);
	ck_assert(ngc_bytes_equal(ngc_buf_bytes(&b), ngc_bytes("abc-x\0y!42z", 11)));
	ck_assert_ptr_nonnull(ngc_buf_str(&b));
	ck_assert_uint_eq(b.n, 11);
	ck_assert_uint_eq(b.p[11], 0);
	ngc_buf_free(&b);
	ck_assert_ptr_null(b.p);
	ck_assert_uint_eq(b.n, 0);
}
END_TEST

START_TEST(a_buffer_grows_over_every_boundary)
{
	struct ngc_buf b = { 0 };

	for (unsigned i = 0; i < 5000; i++) {
		ck_assert_uint_eq(strlen(ngc_buf_str(&b)), i);
		if (i % 2 == 0)
			ngc_buf_add_char(&b, 'a');
		else
			ngc_buf_printf(&b, "%c", 'b');
	}
	for (unsigned i = 0; i < 5000; i++)
		ck_assert_uint_eq(b.p[i], i % 2 == 0 ? 'a' : 'b');
	ngc_buf_printf(&b, "%9000d", 7);
	ck_assert_uint_eq(b.n, 14000);
	ck_assert_uint_eq(b.p[13999], '7');
	ngc_buf_free(&b);
}
END_TEST

START_TEST(an_empty_buffer_is_an_empty_string)
{
	struct ngc_buf b = { 0 };

	ck_assert_str_eq(ngc_buf_str(&b), "");
	ngc_buf_free(&b);
	ngc_buf_free(&b);
}
END_TEST

START_TEST(a_buffer_that_failed_stays_failed_until_it_is_freed)
{
	volatile size_t too_much = SIZE_MAX - 2; /* not for the compiler to see */
	struct ngc_buf b = { 0 };

	ngc_buf_add_str(&b, "kept");
	ngc_buf_add(&b, "", too_much);
	ck_assert(b.failed);
	ngc_buf_add_str(&b, "more");
	ngc_buf_printf(&b, "more");
	ck_assert_uint_eq(b.n, 4);
	ck_assert_ptr_null(ngc_buf_str(&b));
	ngc_buf_free(&b);
	ngc_buf_add_str(&b, "new");
	ck_assert_str_eq(ngc_buf_str(&b), "new");
	ngc_buf_free(&b);
}
END_TEST

UNIT_MAIN("mem", sums_that_do_not_fit_are_refused,
    arrays_are_zeroed_and_their_product_is_checked,
    an_array_grows_and_keeps_what_it_holds, an_array_that_cannot_grow_is_left_alone,
    arena_objects_are_aligned_zeroed_and_apart, a_large_arena_keeps_its_objects_apart,
    an_arena_refuses_what_no_memory_can_hold, an_empty_arena_object_is_no_failure,
    an_arena_copy_ends_with_nul, a_buffer_collects_bytes,
    a_buffer_grows_over_every_boundary, an_empty_buffer_is_an_empty_string,
    a_buffer_that_failed_stays_failed_until_it_is_freed)
