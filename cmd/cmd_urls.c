/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include "jsonw.h"
#include "ngc/text.h"
#include "ngc/urls.h"

static const char *const urls_synopsis[] = { "urls [options] [URL...]", NULL };

static void write_url(struct ngc_buf *b, const struct cmd_env *env,
    const struct ngc_url_count *u)
{
	struct ngc_bytes url = ngc_bytes(u->url, u->url_len);

	if (!env->json) {
		ngc_text_escape(b, url);
		ngc_buf_add_char(b, '\n');
		return;
	}
	ngc_buf_add_char(b, '{');
	jsonw_member_bytes(b, "url", url);
	jsonw_member_str(b, "zone", u->zone->name);
	jsonw_member_uint(b, "entries", u->entries);
	ngc_buf_add_str(b, "}\n");
}

/*
 * A line for each; in text a URL that two zones hold is one line.
 * NGC_FATAL: no memory.
 */
static enum ngc_code write_urls(const struct cmd_env *env, const struct ngc_urls *urls,
    struct ngc_error *err)
{
	struct out *out = out_new(1);
	bool reading = true;

	if (out == NULL)
		return ngc_no_memory(err);
	for (size_t i = 0; i < urls->n && reading; i++) {
		const struct ngc_url_count *u = &urls->list[i], *before = u - 1;

		if (!env->json && i > 0 &&
		    ngc_bytes_equal(ngc_bytes(u->url, u->url_len),
			ngc_bytes(before->url, before->url_len)))
			continue;
		write_url(out_buffer(out, 0), env, u);
		reading = out_line(out, 0);
	}
	out_free(out);
	return NGC_OK;
}

static int urls_run(struct cmd_env *env, const struct cmd_args *args)
{
	struct ngc_select_run run = opts_selection_run(env);
	struct ngc_urls urls;
	struct ngc_error err;
	enum ngc_code code = ngc_urls_collect(&run, &urls, &err);
	int status;

	ui_walked(env, &urls.found);
	ui_ambiguous(&urls.found);
	if (env->verbose && urls.without > 0)
		ui_error("left out %llu entries whose key tells no URL",
		    (unsigned long long)urls.without);
	status = code == NGC_OK ? ui_selection_status(env, &urls.found, args)
				: ui_failed(&err);
	if (status != EXIT_USAGE && write_urls(env, &urls, &err) != NGC_OK)
		status = ui_failed(&err);
	ngc_urls_free(&urls);
	return status;
}

const struct cmd cmd_urls = {
	.name = "urls",
	.summary = "the URLs of the entries, each once",
	.synopsis = urls_synopsis,
	.flags = CMD_SELECTS | CMD_CACHES | CMD_ARCHIVES,
	.run = urls_run,
};
