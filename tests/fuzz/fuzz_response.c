/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/response.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *scratch = malloc(size > 0 ? size : 1);
	struct ngc_bytes name, value;
	struct ngc_response r;
	size_t pos = 0, last = 0, seen = 0;

	FUZZ_ASSERT(scratch != NULL);
	ngc_response_parse(ngc_bytes(data, size), scratch, &r);
	FUZZ_ASSERT(r.status >= 0 && r.status <= 999);
	FUZZ_ASSERT(ngc_stored_name(r.stored) != NULL);
	while (ngc_response_next(&r, &pos, &name, &value)) {
		FUZZ_ASSERT(pos > last && pos <= r.fields.n);
		last = pos;
		seen += name.n + value.n;
	}
	FUZZ_ASSERT(seen <= r.fields.n && r.fields.n <= size);
	ngc_response_field(&r, "content-type");
	ngc_response_media_type(&r);
	free(scratch);
	return 0;
}
