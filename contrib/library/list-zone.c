/* SPDX-License-Identifier: BSD-2-Clause */
/* List a zone of nginx's configuration by libngxcache: list-zone nginx.conf ZONE */
#include <stdio.h>
#include <time.h>

#include <ngc/select.h>
#include <ngc/site.h>

/* Called for each entry; with jobs 1 in one thread. */
static enum ngc_code print_key(void *arg, unsigned thread, struct ngc_entry *e,
    struct ngc_error *err)
{
	(void)arg, (void)thread, (void)err;
	fwrite(e->header.key.p, 1, e->header.key.n, stdout);
	putchar('\n');
	return NGC_OK;
}

int main(int argc, char **argv)
{
	struct ngc_site_request request = { .conf = argc == 3 ? argv[1] : "",
		.zones = (const char *const[]){ argv[argc - 1] }, .n_zones = 1 };
	struct ngc_select *select = ngc_select_new();
	struct ngc_select_result found = { 0 };
	struct ngc_site *site = NULL;
	struct ngc_error err = { 0 };
	enum ngc_code code = ngc_site_open(&request, &site, &err);

	if (code == NGC_OK)
		code = ngc_select_add(select, NGC_SELECT_ALL, "", &err);
	if (code == NGC_OK)
		code = ngc_select_execute(
		    &(struct ngc_select_run){ .site = site, .select = select,
			.now = time(NULL), .pace = { .jobs = 1 }, .visit = print_key },
		    &found, &err);
	if (code != NGC_OK)
		fprintf(stderr, "%s\n", err.text);
	ngc_select_result_free(&found);
	ngc_select_free(select);
	ngc_site_free(site);
	return code != NGC_OK;
}
