/* SPDX-License-Identifier: BSD-2-Clause */
#include "out_variants.h"

#include <stdlib.h>
#include <string.h>

#include "jsonw.h"
#include "ngc/mem.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "out_entry.h"

/* What tells variants apart, and where it lies. */
static enum ngc_code render_text(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_stat(e, err);
	const struct ngc_header *h = &e->header;
	struct ngc_bytes coding;
	char size[NGC_UNIT_TEXT];

	if (code == NGC_OK)
		code = ngc_entry_response(e, err);
	if (code != NGC_OK && code != NGC_DAMAGED)
		return code;
	coding = ngc_response_field(&e->response, "Content-Encoding");
	ngc_entry_path(e, b);
	ngc_buf_printf(b, " (%s, %s, %s%s",
	    ngc_header_is_variant(h, e->name) ? "variant" : "main entry",
	    ngc_state_name(ngc_header_state(h, env->now)),
	    out_size(env, (uint64_t)e->size, size), coding.n > 0 ? ", " : "");
	ngc_text_escape(b, coding);
	ngc_buf_add_char(b, ')');
	return NGC_OK;
}

static enum ngc_code render_json(struct ngc_buf *b, const struct cmd_env *env,
    struct ngc_entry *e, struct ngc_error *err)
{
	enum ngc_code code;

	ngc_buf_add_char(b, '{');
	code = out_entry_json(b, env, e, err);
	ngc_buf_add_char(b, '}');
	return code;
}

static char *copy(struct ngc_buf *b)
{
	const char *text = ngc_buf_str(b);

	return text != NULL ? strdup(text) : NULL;
}

static enum ngc_code add(void *arg, struct ngc_entry *e, struct ngc_error *err)
{
	struct out_variants *v = arg;
	struct ngc_buf path = { 0 }, text = { 0 };
	struct out_variant one;
	enum ngc_code code;

	ngc_entry_path(e, &path);
	code = v->env->json ? render_json(&text, v->env, e, err)
			    : render_text(&text, v->env, e, err);
	if (code == NGC_OK) {
		one = (struct out_variant){ copy(&path), copy(&text) };
		if (one.path != NULL && one.text != NULL &&
		    ngc_array_grow((void **)&v->list, v->n, &v->cap, sizeof(*v->list))) {
			v->list[v->n++] = one;
		} else {
			free(one.path);
			free(one.text);
			code = ngc_no_memory(err);
		}
	}
	ngc_buf_free(&path);
	ngc_buf_free(&text);
	return code;
}

static int compare(const void *a, const void *b)
{
	const struct out_variant *x = a, *y = b;

	return strcmp(x->path, y->path);
}

enum ngc_code out_variants_find(struct out_variants *v, const struct ngc_zone *zone,
    struct ngc_bytes key, const struct ngc_entry *but, struct ngc_error *err)
{
	struct ngc_select_run run = opts_selection_run(v->env);
	struct ngc_others others = { zone, key, but, add, v };
	enum ngc_code code;

	if (!v->asked)
		return NGC_OK;
	code = ngc_show_others(&run, &others, &v->failed, err);
	if (v->n > 0)
		qsort(v->list, v->n, sizeof(*v->list), compare);
	return code;
}

void out_variants_free(struct out_variants *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->list[i].path);
		free(v->list[i].text);
	}
	free(v->list);
}

void out_variants_json(struct ngc_buf *b, const struct out_variants *v)
{
	if (!v->asked) {
		jsonw_member_null(b, "variants");
		return;
	}
	jsonw_name(b, "variants");
	ngc_buf_add_char(b, '[');
	for (size_t i = 0; i < v->n; i++) {
		jsonw_comma(b);
		ngc_buf_add_str(b, v->list[i].text);
	}
	ngc_buf_add_char(b, ']');
}

void out_variants_text(struct ngc_buf *b, const struct out_variants *v, int width)
{
	for (size_t i = 0; i < v->n; i++)
		ngc_buf_printf(b, "%-*s %s\n", width, "beside it", v->list[i].text);
}
