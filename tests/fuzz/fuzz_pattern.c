/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/pattern.h"

#include "fuzz.h"

#include <string.h>

/* The input is a shell pattern, LF, and the key it is held against. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *lf = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t n = lf != NULL ? (size_t)(lf - data) : size;
	struct ngc_bytes key = ngc_bytes(data + n, size - n);
	struct ngc_pattern_room *room = ngc_pattern_room_new();
	struct ngc_error err = { 0 };
	struct ngc_pattern *p;
	bool matched;

	FUZZ_ASSERT(room != NULL);
	if (ngc_pattern_glob(ngc_bytes(data, n), &p, &err) == NGC_OK) {
		if (ngc_pattern_match(p, room, key, &matched, &err) != NGC_OK)
			FUZZ_ASSERT(err.text[0] != '\0');
		ngc_pattern_free(p);
	} else {
		FUZZ_ASSERT(p == NULL && err.text[0] != '\0');
	}
	ngc_pattern_room_free(room);
	return 0;
}
