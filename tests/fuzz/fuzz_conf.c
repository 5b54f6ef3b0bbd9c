/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/conf.h"

#include "fuzz.h"

#include <string.h>

/* The input is the output of nginx -T: one run reads no file but what stands in it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ngc_conf_request req = {
		.dump = ngc_bytes(data, size),
		.prefix = "/nonexistent",
	};
	struct ngc_error err = { 0 };
	struct ngc_conf *c;
	const struct ngc_zone *z;
	const struct ngc_use *u;

	if (ngc_conf_read(&req, &c, &err) != NGC_OK) {
		FUZZ_ASSERT(c == NULL && err.text[0] != '\0');
		return 0;
	}
	for (size_t i = 0; (z = ngc_conf_zone(c, i)) != NULL; i++) {
		FUZZ_ASSERT(z->name != NULL && z->path[0] == '/');
		for (size_t j = 0; (u = ngc_conf_use(c, j)) != NULL; j++)
			ngc_use_may_select(c, u, z);
	}
	for (size_t i = 0; ngc_conf_warning(c, i) != NULL; i++)
		FUZZ_ASSERT(strlen(ngc_conf_warning(c, i)) > 0);
	ngc_conf_free(c);
	return 0;
}
