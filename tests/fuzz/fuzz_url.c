/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/url.h"

#include "fuzz.h"
#include "ngc/mem.h"

static void check_parts(const struct ngc_url *u)
{
	FUZZ_ASSERT(u->target.n > 0 && u->target.p[0] == '/');
	FUZZ_ASSERT(ngc_bytes_starts(u->target, u->path));
	FUZZ_ASSERT((u->scheme.p == NULL) == (u->host.p == NULL));
	FUZZ_ASSERT(u->port <= 65535);
	if (u->query.p == NULL)
		FUZZ_ASSERT(u->path.n == u->target.n);
	else
		FUZZ_ASSERT(u->path.n + 1 + u->query.n == u->target.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ngc_error err = { 0 };
	struct ngc_buf uri = { 0 };
	struct ngc_url *u;

	if (ngc_url_parse(ngc_bytes(data, size), &u, &err) != NGC_OK) {
		FUZZ_ASSERT(u == NULL && err.text[0] != '\0');
		return 0;
	}
	check_parts(u);
	if (ngc_url_normalise(u->path, &uri))
		FUZZ_ASSERT(uri.n > 0 && uri.p[0] == '/' && uri.n <= u->path.n);
	else
		FUZZ_ASSERT(uri.n == 0);
	ngc_buf_free(&uri);
	ngc_url_free(u);
	return 0;
}
