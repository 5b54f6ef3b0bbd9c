/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/route.h"

#include <string.h>

#include "fuzz.h"

/* The first line is a template, the second a key that it takes apart. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t n = end != NULL ? (size_t)(end - data) : size;
	char *template = calloc(n + 1, 1);
	struct ngc_zone z = { .name = "d", .path = "/d", .key = template };
	const struct ngc_zone *zones[] = { &z };
	struct ngc_bytes key = ngc_bytes(data + n, size - n);
	struct ngc_reading reading;
	struct ngc_router *router;
	struct ngc_error err;

	if (template == NULL)
		return 0;
	if (n > 0)
		memcpy(template, data, n);
	if (key.n > 0)
		key = ngc_bytes_from(key, 1);
	if (ngc_router_new(NULL, zones, 1, &router, &err) == NGC_OK) {
		ngc_route_read(router, &z, key, &reading);
		ngc_router_free(router);
	}
	free(template);
	return 0;
}
