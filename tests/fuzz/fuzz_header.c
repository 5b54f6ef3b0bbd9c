/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/header.h"

#include "fuzz.h"

#include <string.h>

static bool lies_within(struct ngc_bytes part, struct ngc_bytes all)
{
	return part.n == 0 ||
	    (part.p >= all.p && part.n <= all.n && (size_t)(part.p - all.p) <= all.n - part.n);
}

/* A field that was written in place reads back, and nothing else changed. */
static void patch_reads_back(struct ngc_bytes head, const struct ngc_header *h)
{
	struct ngc_header again;
	struct ngc_patch patch;
	unsigned char *copy;

	if (!ngc_header_patch(h, NGC_FIELD_VALID, 12345, &patch))
		return;
	FUZZ_ASSERT(patch.size <= sizeof(patch.bytes) && patch.offset + patch.size <= head.n);
	copy = malloc(head.n);
	FUZZ_ASSERT(copy != NULL);
	memcpy(copy, head.p, head.n);
	memcpy(copy + patch.offset, patch.bytes, patch.size);
	if (ngc_header_parse(ngc_bytes(copy, head.n), NULL, &again) == NGC_OK &&
	    again.layout == h->layout) {
		FUZZ_ASSERT(again.valid == 12345);
		FUZZ_ASSERT(again.date == h->date && again.body_start == h->body_start);
		FUZZ_ASSERT(ngc_bytes_equal(again.key, h->key));
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ngc_bytes head = ngc_bytes(data, size);
	struct ngc_header h;
	size_t need = 0;

	if (ngc_header_parse(head, &need, &h) != NGC_OK) {
		FUZZ_ASSERT(need <= NGC_HEAD_MAX);
		return 0;
	}
	FUZZ_ASSERT(lies_within(h.key, head) && lies_within(h.etag, head) &&
	    lies_within(h.vary, head));
	FUZZ_ASSERT(h.header_start <= h.body_start && h.header_start <= head.n);
	FUZZ_ASSERT((h.variant != NULL) == (h.vary.n > 0));
	if (h.variant != NULL)
		FUZZ_ASSERT(lies_within(ngc_bytes(h.variant, NGC_MD5_SIZE), head));
	FUZZ_ASSERT(ngc_crc32(h.key) == h.crc32);
	ngc_state_name(ngc_header_state(&h, h.date));
	patch_reads_back(head, &h);
	return 0;
}
