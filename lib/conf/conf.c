/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/conf.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model.h"
#include "tree.h"

bool list_add(struct list *l, void *item)
{
	if (!ngc_array_grow((void **)&l->item, l->n, &l->cap, sizeof(*l->item)))
		return false;
	l->item[l->n++] = item;
	return true;
}

static void *list_at(const struct list *l, size_t i)
{
	return i < l->n ? l->item[i] : NULL;
}

bool conf_warn(const struct ngc_conf *c, const struct ngc_directive *d, const char *text)
{
	struct ngc_buf b = { 0 };
	char *copy = NULL;

	ngc_buf_printf(&b, "%s:%u: %s", d->file, d->line, text);
	if (!b.failed)
		copy = ngc_arena_copy(c->arena, b.p, b.n);
	ngc_buf_free(&b);
	return copy != NULL && list_add(&c->late->warnings, copy);
}

enum ngc_code conf_refuse(const struct ngc_directive *d, struct ngc_error *err,
    const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ngc_fail(err, NGC_INVALID, 0, "%s:%u: %s", d->file, d->line, text);
}

enum ngc_code conf_count(const struct ngc_directive *d, unsigned min, unsigned max,
    struct ngc_error *err)
{
	unsigned n = d->n_words - 1;

	if (n >= min && n <= max)
		return NGC_OK;
	return conf_refuse(d, err, "invalid number of arguments in \"%s\"",
	    ngc_directive_arg(d, 0));
}

/* Ask for the prefix that a relative path needs. */
static enum ngc_code ask_prefix(const struct ngc_conf *c, const char *path,
    const char **out, struct ngc_error *err)
{
	char buf[PATH_MAX];
	enum ngc_code code;

	*out = NULL;
	if (c->prefix_ask == NULL)
		return ngc_fail(err, NGC_INVALID, 0,
		    "'%s' is relative, and nginx's prefix is not known", path);
	code = c->prefix_ask(c->prefix_arg, buf, sizeof(buf), err);
	if (code != NGC_OK)
		return ngc_wrap(err, "'%s' is relative to nginx's prefix", path);
	*out = ngc_arena_copy(c->arena, buf, strlen(buf));
	return *out != NULL ? NGC_OK : ngc_no_memory(err);
}

/* The prefix, asked for the first time it is needed. */
static enum ngc_code need_prefix(struct ngc_conf *c, const char *path,
    struct ngc_error *err)
{
	return c->prefix != NULL ? NGC_OK : ask_prefix(c, path, &c->prefix, err);
}

enum ngc_code conf_full_path(struct ngc_conf *c, const char *path, const char **out,
    struct ngc_error *err)
{
	struct ngc_buf b = { 0 };
	enum ngc_code code = *path == '/' ? NGC_OK : need_prefix(c, path, err);

	*out = NULL;
	if (code != NGC_OK)
		return code;
	ngc_buf_add_str(&b, c->source.root);
	if (*path != '/') {
		ngc_buf_add_str(&b, c->prefix);
		ngc_buf_add_str(&b, c->prefix[strlen(c->prefix) - 1] == '/' ? "" : "/");
	}
	ngc_buf_add_str(&b, path);
	if (!b.failed)
		*out = ngc_arena_copy(c->arena, b.p, b.n);
	ngc_buf_free(&b);
	return *out != NULL ? NGC_OK : ngc_no_memory(err);
}

/*
 * nginx's "-c conf/nginx.conf" is relative to its prefix; ours, like any program's, to
 * here.
 */
static enum ngc_code absolute(struct ngc_conf *c, const char *file, const char **out,
    struct ngc_error *err)
{
	struct ngc_buf b = { 0 };
	char here[PATH_MAX];

	*out = NULL;
	if (*file != '/' && *c->source.root == '\0' && getcwd(here, sizeof(here)) == NULL)
		return ngc_fail(err, NGC_FATAL, errno, "getcwd");
	if (*file != '/')
		ngc_buf_printf(&b, "%s/", *c->source.root == '\0' ? here : "");
	ngc_buf_add_str(&b, file);
	if (!b.failed)
		*out = ngc_arena_copy(c->arena, b.p, b.n);
	ngc_buf_free(&b);
	return *out != NULL ? NGC_OK : ngc_no_memory(err);
}

/* The root without the slashes at its end, so that paths can be put behind it. */
static char *clean_root(struct ngc_arena *a, const char *root)
{
	size_t n = root != NULL ? strlen(root) : 0;

	while (n > 0 && root[n - 1] == '/')
		n--;
	return ngc_arena_copy(a, root, n);
}

static enum ngc_code open_source(struct ngc_conf *c, const struct ngc_conf_request *req,
    const char **main_file, struct ngc_error *err)
{
	enum ngc_code code;

	c->source.arena = c->arena;
	c->source.root = clean_root(c->arena, req->root);
	if (c->source.root == NULL)
		return ngc_no_memory(err);
	if (req->prefix != NULL && *req->prefix != '\0')
		c->prefix = ngc_arena_copy(c->arena, req->prefix, strlen(req->prefix));
	c->prefix_ask = req->prefix_ask;
	c->prefix_arg = req->prefix_arg;
	if (req->file != NULL) {
		code = absolute(c, req->file, main_file, err);
		if (code == NGC_OK)
			code = conf_full_path(c, *main_file, &c->file, err);
		return code;
	}
	code = source_open_dump(&c->source, req->dump, err);
	if (code != NGC_OK)
		return code;
	*main_file = c->source.files[0].name;
	c->file = "-";
	return NGC_OK;
}

static enum ngc_code read_all(struct ngc_conf *c, const struct ngc_conf_request *req,
    struct ngc_error *err)
{
	static enum ngc_code (*const stages[])(struct ngc_conf *,
	    struct ngc_error *) = { conf_read_main, conf_read_zones, conf_read_levels };
	struct ngc_directive *tree;
	const char *main_file;
	enum ngc_code code = open_source(c, req, &main_file, err);

	if (code != NGC_OK)
		return code;
	code = tree_read(&c->source, main_file, &tree, err);
	if (code == NGC_OK)
		c->tree = tree;
	for (size_t i = 0; code == NGC_OK && i < sizeof(stages) / sizeof(stages[0]); i++)
		code = stages[i](c, err);
	return code;
}

enum ngc_code ngc_conf_read(const struct ngc_conf_request *req, struct ngc_conf **out,
    struct ngc_error *err)
{
	struct ngc_conf *c = ngc_array_alloc(1, sizeof(*c));
	enum ngc_code code;

	*out = NULL;
	if (c == NULL)
		return ngc_no_memory(err);
	c->arena = ngc_arena_new();
	if (c->arena != NULL)
		c->late = ngc_arena_alloc(c->arena, 1, sizeof(*c->late));
	code = c->late != NULL ? read_all(c, req, err) : ngc_no_memory(err);
	if (code != NGC_OK) {
		ngc_conf_free(c);
		return code;
	}
	*out = c;
	return NGC_OK;
}

void ngc_conf_free(struct ngc_conf *c)
{
	if (c == NULL)
		return;
	free(c->servers.item);
	free(c->zones.item);
	free(c->zones_by_name.item);
	free(c->maps.item);
	free(c->settings.item);
	if (c->late != NULL) {
		free(c->late->uses.item);
		free(c->late->warnings.item);
	}
	ngc_arena_free(c->arena);
	free(c);
}

const char *ngc_conf_warning(const struct ngc_conf *c, size_t i)
{
	struct late *late = c->late;

	if (!late->has_warnings)
		late->has_warnings = conf_check_known(c);
	return list_at(&late->warnings, i);
}

const struct ngc_zone *ngc_conf_zone(const struct ngc_conf *c, size_t i)
{
	return list_at(&c->zones, i);
}

enum ngc_code ngc_conf_list_uses(const struct ngc_conf *c, struct ngc_error *err)
{
	struct late *late = c->late;

	if (!late->has_uses)
		late->has_uses = conf_list_uses(c);
	return late->has_uses ? NGC_OK : ngc_no_memory(err);
}

const struct ngc_use *ngc_conf_use(const struct ngc_conf *c, size_t i)
{
	struct ngc_error ignored;

	return ngc_conf_list_uses(c, &ignored) == NGC_OK ? list_at(&c->late->uses, i)
							 : NULL;
}

const struct ngc_server *ngc_conf_server(const struct ngc_conf *c, size_t i)
{
	return list_at(&c->servers, i);
}

const char *ngc_conf_file(const struct ngc_conf *c)
{
	return c->file;
}

const char *ngc_conf_pid(const struct ngc_conf *c)
{
	return c->pid;
}

const char *ngc_conf_error_log(const struct ngc_conf *c)
{
	return c->error_log;
}

const char *ngc_conf_user(const struct ngc_conf *c)
{
	return c->user;
}

const struct ngc_level *ngc_conf_http(const struct ngc_conf *c)
{
	return c->http;
}

const struct ngc_directive *ngc_conf_tree(const struct ngc_conf *c)
{
	return c->tree;
}

bool ngc_conf_is_dump(const struct ngc_conf *c)
{
	return c->source.dumped;
}

const char *ngc_conf_root(const struct ngc_conf *c)
{
	return c->source.root;
}

const char *ngc_conf_prefix(const struct ngc_conf *c)
{
	return c->prefix;
}

const char *ngc_conf_need_prefix(const struct ngc_conf *c)
{
	struct late *late = c->late;
	struct ngc_error ignored;

	if (c->prefix != NULL)
		return c->prefix;
	if (!late->has_prefix)
		ask_prefix(c, "", &late->prefix, &ignored);
	late->has_prefix = true;
	return late->prefix;
}
