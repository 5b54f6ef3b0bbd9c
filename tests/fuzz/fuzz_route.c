/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/route.h"

#include "fuzz.h"

/* Follow one URL through whatever was read, and read a key back. */
static void use_conf(const struct ngc_conf *conf)
{
	const struct ngc_zone *zones[64];
	struct ngc_router *router;
	struct ngc_reading reading;
	struct ngc_cover *cover;
	struct ngc_error err;
	struct ngc_url *url;
	size_t n = 0;

	while (n < 64 && (zones[n] = ngc_conf_zone(conf, n)) != NULL)
		n++;
	if (ngc_router_new(conf, zones, n, &router, &err) != NGC_OK)
		return;
	if (ngc_url_parse(ngc_bytes_of("http://a.test/a/b.php?c=d"), &url, &err) ==
	    NGC_OK) {
		if (ngc_route_cover(router, url, NULL, &cover, &err) == NGC_OK)
			ngc_cover_free(cover);
		ngc_url_free(url);
	}
	for (size_t i = 0; i < n; i++)
		ngc_route_read(router, zones[i],
		    ngc_bytes_of("httpGETa.test/a/b.php?c=d"), &reading);
	ngc_router_free(router);
}

/* The input is the output of nginx -T, so that includes never reach the file system. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ngc_conf_request req = { .dump = ngc_bytes(data, size),
		.prefix = "/prefix" };
	struct ngc_conf *conf;
	struct ngc_error err;

	if (ngc_conf_read(&req, &conf, &err) == NGC_OK) {
		use_conf(conf);
		ngc_conf_free(conf);
	}
	return 0;
}
