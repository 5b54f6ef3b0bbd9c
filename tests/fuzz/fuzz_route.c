/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/route.h"

#include "fuzz.h"

#include <string.h>

/* Follow the URL through whatever was read, and read the key back. */
static void use_conf(const struct ngc_conf *conf, struct ngc_bytes text,
    struct ngc_bytes key)
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
	if (ngc_url_parse(text, &url, &err) == NGC_OK) {
		if (ngc_route_cover(router, url, NULL, &cover, &err) == NGC_OK)
			ngc_cover_free(cover);
		ngc_url_free(url);
	}
	for (size_t i = 0; i < n; i++)
		ngc_route_read(router, zones[i], key, &reading);
	ngc_router_free(router);
}

/* Take what stands before a line's end, or all. */
static struct ngc_bytes take_line(struct ngc_bytes *text)
{
	const unsigned char *end = text->n > 0 ? memchr(text->p, '\n', text->n) : NULL;
	struct ngc_bytes line = ngc_bytes(text->p,
	    end != NULL ? (size_t)(end - text->p) : text->n);

	*text = ngc_bytes_from(*text, line.n + (end != NULL));
	return line;
}

/*
 * The input is a URL, a key, and the output of nginx -T, so that includes never reach the
 * file system.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ngc_bytes text = ngc_bytes(data, size);
	struct ngc_bytes url = take_line(&text), key = take_line(&text);
	struct ngc_conf_request req = { .dump = text, .prefix = "/prefix" };
	struct ngc_conf *conf;
	struct ngc_error err;

	if (ngc_conf_read(&req, &conf, &err) == NGC_OK) {
		use_conf(conf, url, key);
		ngc_conf_free(conf);
	}
	return 0;
}
