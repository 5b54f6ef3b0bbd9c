/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/header.h"

#include "fuzz.h"

#include <string.h>

static const int64_t values[] = { 0, 1, -1, 5, 255, INT32_MAX, INT64_MIN, INT64_MAX };

static bool lies_within(struct ngc_bytes part, struct ngc_bytes all)
{
	return part.n == 0 || (part.p >= all.p && part.n <= all.n &&
	                          (size_t)(part.p - all.p) <= all.n - part.n);
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

/* Does the field hold what was written?  32-bit times hold the nearest they can. */
static bool holds(const struct ngc_header *h, enum ngc_field field, int64_t value,
    size_t size)
{
	int64_t etag_max = ngc_layout_version(h->layout) == 5 ? 128 : 42;

	if (size == 4)
		value = clamp(value, INT32_MIN, INT32_MAX);
	switch (field) {
	case NGC_FIELD_VERSION:
		return h->invalidated == (value == 0);
	case NGC_FIELD_VALID:
		return h->valid == value;
	case NGC_FIELD_LAST_MODIFIED:
		return h->last_modified == value;
	case NGC_FIELD_ETAG_LEN:
		return (int64_t)h->etag.n == clamp(value, 0, etag_max);
	}
	return false;
}

/* A field that was written in place reads back, and nothing else changed. */
static void patch_reads_back(struct ngc_bytes head, const struct ngc_header *h,
    enum ngc_field field, int64_t value)
{
	struct ngc_header again;
	struct ngc_patch patch;
	unsigned char *copy;

	if (field == NGC_FIELD_VERSION && value != 0)
		value = ngc_layout_version(h->layout);
	if (!ngc_header_patch(h, field, value, &patch))
		return;
	FUZZ_ASSERT(patch.size <= sizeof(patch.bytes));
	FUZZ_ASSERT(patch.offset + patch.size <= ngc_layout_size(h->layout));
	copy = malloc(head.n);
	FUZZ_ASSERT(copy != NULL);
	memcpy(copy, head.p, head.n);
	memcpy(copy + patch.offset, patch.bytes, patch.size);
	FUZZ_ASSERT(ngc_header_parse(ngc_bytes(copy, head.n), NULL, &again) == NGC_OK);
	/* Without a version, only offsets and CRC-32 tell the byte orders apart. */
	if (again.layout == h->layout) {
		FUZZ_ASSERT(holds(&again, field, value, patch.size));
		FUZZ_ASSERT(again.date == h->date && again.body_start == h->body_start);
		FUZZ_ASSERT(ngc_bytes_equal(again.key, h->key));
		FUZZ_ASSERT(ngc_bytes_equal(again.vary, h->vary));
	}
	free(copy);
}

static void check_header(struct ngc_bytes head)
{
	enum ngc_header_flaw flaw = ngc_header_flaw(head);
	struct ngc_header h;
	size_t need = 0;

	if (ngc_header_parse(head, &need, &h) != NGC_OK) {
		FUZZ_ASSERT(flaw != NGC_FLAW_NONE);
		FUZZ_ASSERT(need == 0 || (need > head.n && need <= NGC_HEAD_MAX));
		return;
	}
	FUZZ_ASSERT(flaw == NGC_FLAW_NONE || flaw == NGC_FLAW_OFFSETS);
	FUZZ_ASSERT(need == h.header_start && need <= head.n);
	FUZZ_ASSERT(h.header_start <= h.body_start && h.body_start < NGC_HEAD_MAX);
	FUZZ_ASSERT(lies_within(h.key, head) && lies_within(h.etag, head));
	FUZZ_ASSERT(lies_within(h.vary, head) && (h.variant != NULL) == (h.vary.n > 0));
	if (h.variant != NULL)
		FUZZ_ASSERT(lies_within(ngc_bytes(h.variant, NGC_MD5_SIZE), head));
	FUZZ_ASSERT(ngc_crc32(h.key) == h.crc32);
	/* What stands behind header_start does not matter. */
	FUZZ_ASSERT(ngc_header_parse(ngc_bytes(head.p, need), NULL, &h) == NGC_OK);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		FUZZ_ASSERT(ngc_state_name(ngc_header_state(&h, values[i])) != NULL);
		for (int field = NGC_FIELD_VERSION; field <= NGC_FIELD_ETAG_LEN; field++)
			patch_reads_back(head, &h, (enum ngc_field)field, values[i]);
	}
}

/* Where header_start and the CRC-32 of the key stand in a struct of that size. */
static const struct {
	size_t size, crc32, header_start;
} places[] = { { 336, 48, 54 }, { 144, 32, 38 }, { 88, 32, 38 }, { 40, 24, 30 },
	{ 308, 24, 30 }, { 128, 16, 22 }, { 72, 16, 22 }, { 24, 12, 18 }, { 328, 44, 50 },
	{ 140, 28, 34 }, { 84, 28, 34 }, { 36, 24, 30 } };

/* Write the CRC-32 that the key has, which no fuzzer guesses. */
static void mend(unsigned char *p, size_t n, size_t i, bool big)
{
	const unsigned char *at = p + places[i].header_start;
	size_t first = places[i].size + 6, start;
	uint32_t crc;

	if (n < first + 1)
		return;
	start = big ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
	if (start > n || start < first + 1)
		return;
	crc = ngc_crc32(ngc_bytes(p + first, start - 1 - first));
	for (size_t k = 0; k < 4; k++)
		p[places[i].crc32 + k] = (unsigned char)(crc >> 8 * (big ? 3 - k : k));
}

/* In libFuzzer alone. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static void put(uint8_t *at, uint64_t value, size_t width, bool big)
{
	for (size_t i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> 8 * (big ? width - 1 - i : i));
}

/* A field of some width gets a value that is at the edge of something. */
static void change_field(uint8_t *data, size_t size, unsigned r, bool big)
{
	size_t width = (size_t)1 << r % 4, at = (r >> 2) % size / width * width;
	uint64_t edges[] = { 0, 1, 2, 3, 5, 128, 255, size - 1, size, size + 1, 32768,
		65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX };

	if (at + width <= size)
		put(data + at, edges[(r >> 12) % 16], width, big);
}

/* header_start and body_start, which follow each other, get some order or other. */
static void change_offsets(uint8_t *data, size_t size, size_t i, unsigned r, bool big)
{
	size_t after_key = places[i].size + 6 + (r >> 4) % 64;
	uint8_t *at = data + places[i].header_start;

	put(at, r % 3 != 0 ? after_key : size - r % 7, 2, big);
	put(at + 2, r % 5 != 0 ? size - (r >> 10) % 16 : r >> 8, 2, big);
	if (r % 2 == 0 && after_key <= size)
		data[after_key - 1] = '\n';
}

/* As a header is made: one of its fields, its offsets, the length of its key. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n = sizeof(places) / sizeof(places[0]), i = seed % n;
	unsigned r = seed / n;
	bool big = r % 2 != 0;

	if (r % 8 == 0 || size < places[i].size + 7)
		return LLVMFuzzerMutate(data, size, max);
	while (i + 1 < n && memcmp(data + places[i].size, "\nKEY: ", 6) != 0 &&
	       size >= places[i + 1].size + 7)
		i++;
	if (r % 16 == 1)
		memcpy(data + places[i].size, "\nKEY: ", 6);
	if (r % 4 == 2)
		change_offsets(data, size, i, r >> 4, big);
	else if (r % 4 == 3 && size + 1 < max)
		data[size++] = (uint8_t)(r >> 4);
	else
		change_field(data, size, r >> 4, big);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *copy = malloc(size > 0 ? size : 1);

	FUZZ_ASSERT(copy != NULL);
	check_header(ngc_bytes(data, size));
	for (size_t i = 0; i < 2 * sizeof(places) / sizeof(places[0]); i++) {
		if (size < places[i / 2].size + 7 ||
		    memcmp(data + places[i / 2].size, "\nKEY: ", 6) != 0)
			continue;
		memcpy(copy, data, size);
		mend(copy, size, i / 2, i % 2 != 0);
		check_header(ngc_bytes(copy, size));
	}
	free(copy);
	return 0;
}
