/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree.h"

#include <stdlib.h>

#include "lexer.h"
#include "rules.h"

/*
 * As ngx_conf_parse(), except that a tree is built first and judged later.  Blocks are
 * followed by moving r->at, not by recursion, and includes recurse to a limited depth: no
 * configuration overflows our stack.
 */

#define INCLUDE_DEPTH_MAX SOURCE_DEPTH_MAX
#define INCLUDES_MAX      65536
#define BLOCK_DEPTH_MAX   128

struct reader {
	struct source *source;
	struct rule_names names;
	struct ngc_bytes dir;     /* of the main file, with its last '/' */
	struct ngc_directive *at; /* the block being read */
	struct ngc_directive *last[BLOCK_DEPTH_MAX + 1]; /* of each open block, so far */
	unsigned block_depth;
	const char *open[INCLUDE_DEPTH_MAX]; /* the files being read, outermost first */
	unsigned n_open;
	unsigned n_included;
	struct ngc_bytes *words; /* of the directive being read */
	size_t n_words, cap_words;
};

static enum ngc_code parse_file(struct reader *r, const char *path, struct ngc_bytes text,
    struct ngc_error *err);

const struct ngc_directive *ngc_directive_find(const struct ngc_directive *d,
    const char *name)
{
	for (d = d->first; d != NULL; d = d->next)
		if (ngc_directive_is(d, name))
			return d;
	return NULL;
}

/* Are the lines of this block data, not directives? */
static bool holds_data(const struct ngc_directive *d)
{
	enum role role = rule_of(d)->role;

	return role == ROLE_MAP || role == ROLE_DATA;
}

static bool is_lua_block(const struct reader *r)
{
	static const char suffix[] = "_by_lua_block";
	struct ngc_bytes name = r->words[0];
	size_t n = sizeof(suffix) - 1;

	return name.n > n && memcmp(name.p + name.n - n, suffix, n) == 0 &&
	       !holds_data(r->at);
}

static bool push_word(struct reader *r, struct ngc_bytes word)
{
	if (r->n_words == r->cap_words &&
	    !ngc_array_grow((void **)&r->words, r->n_words, &r->cap_words,
		sizeof(*r->words)))
		return false;
	r->words[r->n_words++] = word;
	return true;
}

/* Hang the words read so far into the tree as one directive. */
static struct ngc_directive *add_directive(struct reader *r, const struct lexer *l,
    unsigned line)
{
	struct ngc_directive **last = &r->last[r->block_depth];
	size_t size = r->n_words * sizeof(*r->words);
	struct ngc_directive *d = ngc_arena_alloc(r->source->arena, 1, sizeof(*d) + size);

	if (d == NULL)
		return NULL;
	d->words = memcpy(d + 1, r->words, size);
	d->n_words = (unsigned)r->n_words;
	d->rule = holds_data(r->at) ? 0 : rule_find(&r->names, r->words[0]);
	d->file = l->file;
	d->line = line;
	d->parent = r->at;
	if (*last != NULL)
		(*last)->next = d;
	else
		r->at->first = d;
	*last = d;
	return d;
}

static enum ngc_code open_block(struct reader *r, const struct lexer *l, unsigned line,
    struct ngc_error *err)
{
	struct ngc_directive *d;

	if (holds_data(r->at))
		return ngc_fail(err, NGC_INVALID, 0, "%s:%u: unexpected \"{\"", l->file,
		    l->line);
	if (r->block_depth == BLOCK_DEPTH_MAX)
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s:%u: more than %d blocks in each other", l->file, l->line,
		    BLOCK_DEPTH_MAX);
	d = add_directive(r, l, line);
	if (d == NULL)
		return ngc_no_memory(err);
	d->block = true;
	r->at = d;
	r->last[++r->block_depth] = NULL;
	return NGC_OK;
}

static enum ngc_code read_lua(struct reader *r, struct lexer *l, unsigned line,
    struct ngc_error *err)
{
	struct ngc_bytes body;
	enum ngc_code code = lexer_lua(l, &body, err);

	if (code != NGC_OK)
		return code;
	body.p = (const unsigned char *)ngc_arena_copy(r->source->arena, body.p, body.n);
	if (body.p == NULL || !push_word(r, body) || add_directive(r, l, line) == NULL)
		return ngc_no_memory(err);
	return NGC_OK;
}

static enum ngc_code may_include(const struct reader *r, const char *path,
    struct ngc_error *err)
{
	for (unsigned i = 0; i < r->n_open; i++)
		if (strcmp(r->open[i], path) == 0)
			return ngc_fail(err, NGC_INVALID, 0,
			    "include cycle: %s%s includes itself", r->source->root, path);
	if (r->n_open == INCLUDE_DEPTH_MAX)
		return ngc_fail(err, NGC_INVALID, 0,
		    "includes nested more than %d deep: an include cycle?",
		    INCLUDE_DEPTH_MAX);
	if (r->n_included == INCLUDES_MAX)
		return ngc_fail(err, NGC_INVALID, 0, "more than %d includes",
		    INCLUDES_MAX);
	return NGC_OK;
}

/* from: the file with the include, for messages; one inside path says itself where. */
static enum ngc_code include_one(struct reader *r, const struct lexer *from,
    const char *path, struct ngc_error *err)
{
	struct ngc_bytes text;
	enum ngc_code code = may_include(r, path, err);

	if (code != NGC_OK)
		return ngc_wrap(err, "%s:%u", from->file, from->word_line);
	r->n_included++;
	code = source_read(r->source, path, r->n_open, &text, err);
	if (code != NGC_OK)
		return ngc_wrap(err, "%s:%u: include %s%s", from->file, from->word_line,
		    r->source->root, path);
	return parse_file(r, path, text, err);
}

/* The path an include names: absolute, or beside the main file. */
static char *full_path(struct reader *r, struct ngc_bytes name)
{
	struct ngc_buf b = { 0 };
	char *path = NULL;

	if (name.n == 0 || name.p[0] != '/')
		ngc_buf_add_bytes(&b, r->dir);
	ngc_buf_add_bytes(&b, name);
	if (!b.failed)
		path = ngc_arena_copy(r->source->arena, b.p, b.n);
	ngc_buf_free(&b);
	return path;
}

static enum ngc_code include(struct reader *r, const struct lexer *from,
    struct ngc_error *err)
{
	char *path = full_path(r, r->words[1]);
	struct paths found = { 0 };
	enum ngc_code code;

	if (path == NULL)
		return ngc_no_memory(err);
	if (strpbrk(path, "*?[") == NULL)
		return include_one(r, from, path, err);
	code = source_glob(r->source, path, &found, err);
	if (code != NGC_OK)
		ngc_wrap(err, "%s:%u: include", from->file, from->word_line);
	for (size_t i = 0; code == NGC_OK && i < found.n; i++)
		code = include_one(r, from, found.path[i], err);
	free(found.path);
	return code;
}

static enum ngc_code end_directive(struct reader *r, struct lexer *l, unsigned line,
    struct ngc_error *err)
{
	if (!ngc_bytes_equal(r->words[0], ngc_bytes_of("include")) ||
	    ngc_directive_is(r->at, "split_clients"))
		return add_directive(r, l, line) != NULL ? NGC_OK : ngc_no_memory(err);
	if (r->n_words != 2)
		return ngc_fail(err, NGC_INVALID, 0, "%s:%u: include takes one argument",
		    l->file, line);
	return include(r, l, err);
}

/* The words of one directive up to what ends it; none when the block or file ends. */
static enum ngc_code read_words(struct reader *r, struct lexer *l, enum token *end,
    unsigned *line, struct ngc_error *err)
{
	struct ngc_bytes word;
	enum ngc_code code;

	r->n_words = 0;
	for (;;) {
		code = lexer_next(l, r->source->arena, r->n_words == 0, end, &word, err);
		if (code != NGC_OK || *end != TOKEN_WORD)
			return code;
		if (r->n_words == 0)
			*line = l->word_line;
		if (!push_word(r, word))
			return ngc_no_memory(err);
	}
}

/* One directive, or the end of a block; *done at the end of the file. */
static enum ngc_code parse_one(struct reader *r, struct lexer *l,
    const struct ngc_directive *outer, bool *done, struct ngc_error *err)
{
	enum token end;
	unsigned line = 0;
	enum ngc_code code = read_words(r, l, &end, &line, err);

	if (code != NGC_OK)
		return code;
	switch (end) {
	case TOKEN_END:
		*done = true;
		if (r->at != outer)
			return ngc_fail(err, NGC_INVALID, 0,
			    "%s:%u: unexpected end of file, expecting \"}\"", l->file,
			    l->line);
		return NGC_OK;
	case TOKEN_CLOSE:
		if (r->at == outer)
			return ngc_fail(err, NGC_INVALID, 0, "%s:%u: unexpected \"}\"",
			    l->file, l->line);
		r->at = r->at->parent;
		r->block_depth--;
		return NGC_OK;
	case TOKEN_OPEN:
		return is_lua_block(r) ? read_lua(r, l, line, err)
				       : open_block(r, l, line, err);
	default:
		return end_directive(r, l, line, err);
	}
}

static enum ngc_code parse_file(struct reader *r, const char *path, struct ngc_bytes text,
    struct ngc_error *err)
{
	const struct ngc_directive *outer = r->at;
	struct lexer l;
	struct ngc_buf shown = { 0 };
	const char *name;
	bool done = false;
	enum ngc_code code = NGC_OK;

	ngc_buf_printf(&shown, "%s%s", r->source->root, path);
	name = shown.failed ? NULL : ngc_arena_copy(r->source->arena, shown.p, shown.n);
	ngc_buf_free(&shown);
	if (name == NULL)
		return ngc_no_memory(err);
	lexer_init(&l, name, text);
	r->open[r->n_open++] = path;
	while (code == NGC_OK && !done)
		code = parse_one(r, &l, outer, &done, err);
	r->n_open--;
	return code;
}

enum ngc_code tree_read(struct source *s, const char *main_file,
    struct ngc_directive **out, struct ngc_error *err)
{
	const char *slash = strrchr(main_file, '/');
	struct reader r = { .source = s };
	struct ngc_bytes text;
	enum ngc_code code;

	rule_names_init(&r.names);
	r.dir = ngc_bytes(main_file, slash ? (size_t)(slash - main_file) + 1 : 0);
	*out = r.at = ngc_arena_alloc(s->arena, 1, sizeof(*r.at));
	if (r.at == NULL)
		return ngc_no_memory(err);
	r.at->block = true;
	code = source_read(s, main_file, 0, &text, err);
	if (code == NGC_OK)
		code = parse_file(&r, main_file, text, err);
	else
		ngc_wrap(err, "%s%s", s->root, main_file);
	source_close(s);
	free(r.words);
	return code;
}
