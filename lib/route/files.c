/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/path.h"
#include "run.h"

/* What the file system answers, below the root of the configuration. */

/* The nearest root or alias, and the level it stands in. */
static const struct ngc_directive *root_directive(const struct run *r,
    const struct ngc_level **at)
{
	for (const struct ngc_level *l = r->level; l != NULL; l = l->parent) {
		const struct ngc_directive *d = ngc_level_find(l, "root");

		if (d == NULL && l->kind != NGC_LEVEL_HTTP)
			d = ngc_directive_find(l->d, "alias");
		*at = l;
		if (d != NULL && d->n_words == 2)
			return d;
	}
	*at = NULL;
	return NULL;
}

#define WHOLE SIZE_MAX

/*
 * nginx's clcf->alias: how much of the URI an alias stands for; 0: there is a root.
 * WHOLE: that of a regex location names the whole file.
 */
static size_t alias_length(const struct run *r)
{
	const struct ngc_level *at;
	const struct ngc_directive *d = root_directive(r, &at);

	if (d == NULL || !ngc_directive_is(d, "alias"))
		return 0;
	if (at->kind == NGC_LEVEL_REGEX || at->kind == NGC_LEVEL_REGEX_NOCASE)
		return WHOLE;
	return at->pattern.n <= r->uri.n ? at->pattern.n : r->uri.n;
}

/* nginx's ngx_get_full_name(): a relative path lies below the prefix. */
static struct value full_name(struct run *r, struct value path)
{
	struct value_builder b = { .arena = r->arena };
	const char *prefix;

	if (path.n > 0 && (path.seg[0].open != NULL || path.seg[0].text.p[0] == '/'))
		return path;
	prefix = ngc_conf_need_prefix(r->router->conf);
	if (prefix == NULL || *prefix == '\0') {
		value_add_unknown(&b,
		    run_unknown(r, ngc_bytes_of("document_root"), GRAMMAR_ANY, true));
	} else {
		value_add_text(&b, ngc_bytes_of(prefix), false);
		if (prefix[strlen(prefix) - 1] != '/')
			value_add_text(&b, ngc_bytes_of("/"), false);
	}
	value_add(&b, path);
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

struct value run_document_root(struct run *r)
{
	const struct ngc_level *at;
	const struct ngc_directive *d = root_directive(r, &at);
	struct ngc_bytes root = d != NULL ? d->words[1] : ngc_bytes_of("html");
	struct ngc_bytes cut = root;
	struct value v;

	if (root.n > 0 && root.p[root.n - 1] == '/' && ngc_directive_is(d, "root"))
		cut.n--;
	v = run_eval(r, cut);
	/* nginx adds nothing to "/", which is empty now, nor to empty variables. */
	return v.n == 0 && root.n > 0 ? v : full_name(r, v);
}

/* Open a path as nginx sees it; -1: it is not there. */
static int open_path(const struct run *r, struct ngc_bytes path)
{
	char text[PATH_MAX];

	if (path.n == 0 || path.n >= sizeof(text) || memchr(path.p, '\0', path.n) != NULL)
		return -1;
	memcpy(text, path.p, path.n);
	text[path.n] = '\0';
	return ngc_path_open(ngc_conf_root(r->router->conf), text, O_PATH, NULL);
}

/* Where an open file lies, without the root; absent: that cannot be told. */
static struct ngc_bytes real_path(struct run *r, int fd)
{
	const char *root = ngc_conf_root(r->router->conf);
	char link[64], path[PATH_MAX], real_root[PATH_MAX];
	ssize_t n;
	size_t skip = 0;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n <= 0)
		return ngc_bytes(NULL, 0);
	if (*root != '\0' && realpath(root, real_root) != NULL)
		skip = strlen(real_root);
	if (skip > (size_t)n || memcmp(path, real_root, skip) != 0)
		return ngc_bytes(NULL, 0);
	return ngc_bytes(ngc_arena_copy(r->arena, path + skip, (size_t)n - skip),
	    (size_t)n - skip);
}

struct value run_real_root(struct run *r)
{
	struct value root = run_document_root(r);
	struct ngc_bytes written = value_bytes(r->arena, root), real;
	int fd;

	if (value_unknown(root) != NULL || ngc_conf_is_dump(r->router->conf))
		return root;
	fd = open_path(r, written);
	if (fd < 0)
		return root;
	real = real_path(r, fd);
	close(fd);
	if (real.p == NULL || ngc_bytes_equal(real, written))
		return root;
	if (r->asked->all &&
	    run_choose(r, 2,
		run_unknown(r, ngc_bytes_of("realpath_root"), GRAMMAR_ANY, false)))
		return root;
	return value_text(r->arena, real, false);
}

enum file run_stat(struct run *r, struct ngc_bytes path)
{
	struct stat st;
	int fd = open_path(r, path);
	bool ok = fd >= 0 && fstat(fd, &st) == 0;

	if (fd >= 0)
		close(fd);
	if (!ok)
		return FILE_NONE;
	return S_ISDIR(st.st_mode) ? FILE_DIRECTORY : FILE_REGULAR;
}

/* The directory that the files of an alias lie in which names each of them. */
static struct ngc_bytes directory_of(struct ngc_bytes path)
{
	const unsigned char *variable = memchr(path.p, '$', path.n), *end;

	if (variable != NULL)
		path.n = (size_t)(variable - path.p);
	end = memrchr(path.p, '/', path.n);
	return ngc_bytes(path.p, end != NULL ? (size_t)(end - path.p) + 1 : 0);
}

bool run_files_known(struct run *r)
{
	const struct ngc_level *at;
	struct ngc_bytes start;
	struct value root;

	if (r->asked->all || ngc_conf_is_dump(r->router->conf))
		return false;
	root = run_document_root(r);
	if (value_unknown(root) == NULL && alias_length(r) == WHOLE) {
		start = directory_of(root_directive(r, &at)->words[1]);
		root = start.n > 0 ? full_name(r, value_text(r->arena, start, false))
				   : (struct value){ 0 };
	}
	return value_unknown(root) == NULL &&
	       run_stat(r, value_bytes(r->arena, root)) == FILE_DIRECTORY;
}

/* The rest of the URI behind an alias's location; all of it below a root. */
static struct ngc_bytes below(const struct run *r, struct ngc_bytes uri)
{
	size_t n = alias_length(r);

	if (n == WHOLE)
		return ngc_bytes("", 0);
	return n <= uri.n ? ngc_bytes_from(uri, n) : uri;
}

struct value run_file_name(struct run *r, struct ngc_bytes uri)
{
	struct value_builder b = { .arena = r->arena };

	value_add(&b, run_document_root(r));
	value_add_text(&b, below(r, uri), true);
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

enum file run_file(struct run *r, struct ngc_bytes uri)
{
	struct value path = run_file_name(r, uri);

	return value_unknown(path) == NULL ? run_stat(r, value_bytes(r->arena, path))
					   : FILE_NONE;
}

struct ngc_bytes run_tried_name(const struct run *r, struct ngc_bytes word,
    struct ngc_bytes name)
{
	size_t n = alias_length(r);

	return n <= name.n && memchr(word.p, '$', word.n) != NULL &&
		       memcmp(name.p, r->uri.p, n) == 0
		   ? ngc_bytes_from(name, n)
		   : name;
}

enum file run_tried_file(struct run *r, struct ngc_bytes name)
{
	struct value_builder b = { .arena = r->arena };

	value_add(&b, run_document_root(r));
	value_add_text(&b, name, true);
	r->failed = r->failed || b.failed;
	return value_unknown(value_end(&b)) == NULL
		   ? run_stat(r, value_bytes(r->arena, value_end(&b)))
		   : FILE_NONE;
}

struct ngc_bytes run_tried_uri(struct run *r, struct ngc_bytes name, bool directory)
{
	size_t n = alias_length(r);
	struct value_builder b = { .arena = r->arena };

	if (n == WHOLE)
		return directory ? r->uri : name;
	value_add_text(&b, ngc_bytes(r->uri.p, n), true);
	value_add_text(&b, name, true);
	r->failed = r->failed || b.failed;
	return value_bytes(r->arena, value_end(&b));
}
