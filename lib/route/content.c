/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "ngc/units.h"
#include "run.h"

/*
 * try_files, then what produces the answer: an X_pass, an index, a file, an error page.
 */

static enum next uncached(struct run *r, const char *why)
{
	run_step(r, "%s", why);
	r->end = END_UNCACHED;
	return NEXT_END;
}

static const struct unknown *file_system(struct run *r)
{
	return run_unknown(r, ngc_bytes_of("filesystem"), GRAMMAR_ANY, false);
}

/* The level whose X_pass handles the request, or NULL; an if has that of its location. */
static const struct ngc_level *pass_of(const struct run *r)
{
	const struct ngc_level *l = r->level;

	while (l->pass == NULL && l->kind >= NGC_LEVEL_IF && l->parent != NULL)
		l = l->parent;
	return l->pass != NULL ? l : NULL;
}

/* Part a URI at its first '?', which unknown stretches are taken not to hold. */
static bool split_uri(struct run *r, struct value v, struct value *path,
    struct value *args)
{
	struct value_builder before = { .arena = r->arena },
			     behind = { .arena = r->arena };
	bool found = false;

	for (size_t i = 0; i < v.n; i++) {
		struct ngc_bytes s = v.seg[i].text;
		const unsigned char *mark = s.n > 0 && !found ? memchr(s.p, '?', s.n)
							      : NULL;
		size_t n = mark != NULL ? (size_t)(mark - s.p) : s.n;

		if (v.seg[i].open != NULL)
			value_add_unknown(found ? &behind : &before, v.seg[i].open);
		else
			value_add_text(found ? &behind : &before, ngc_bytes(s.p, n),
			    v.seg[i].url);
		if (mark == NULL)
			continue;
		found = true;
		value_add_text(&behind, ngc_bytes_from(s, n + 1), v.seg[i].url);
	}
	*path = value_end(&before);
	*args = value_end(&behind);
	r->failed = r->failed || before.failed || behind.failed;
	return found;
}

enum next run_redirect(struct run *r, struct value to, bool keep_args)
{
	struct value path, args;
	bool has_args = split_uri(r, to, &path, &args);
	struct ngc_bytes uri = value_bytes(r->arena, path);

	if (value_unknown(path) != NULL) {
		run_lose(r, path, has_args || !keep_args ? args : r->args);
		return NEXT_END;
	}
	if (uri.n == 0)
		return uncached(r, "an internal redirect to nothing");
	if (r->changes_left == 0)
		return uncached(r, "too many internal redirects");
	r->changes_left--;
	if (has_args || !keep_args)
		r->args = args;
	r->uri = uri;
	r->internal = true;
	r->unparsed_valid = false;
	r->location_valid = true;
	run_step(r, "internal redirect to %.*s", (int)uri.n, (const char *)uri.p);
	return NEXT_SERVER;
}

/* Go on in a named location of the server. */
static enum next go_named(struct run *r, struct ngc_bytes name)
{
	const struct ngc_level *l = r->server->level->first;

	while (l != NULL &&
	       (l->kind != NGC_LEVEL_NAMED || !ngc_bytes_equal(l->pattern, name)))
		l = l->next;
	if (l == NULL || r->changes_left == 0)
		return uncached(r, "no such named location");
	r->changes_left--;
	r->internal = true;
	r->uri_changed = false;
	r->level = r->location = l;
	run_step(r, "location %.*s (%s:%u)", (int)name.n, (const char *)name.p,
	    l->d->file, l->d->line);
	run_limit(r);
	return NEXT_NAMED;
}

/* Where the last argument of try_files or error_page sends the request. */
static enum next go_to(struct run *r, struct value to)
{
	struct ngc_bytes s = value_bytes(r->arena, to);

	if (s.n > 0 && s.p[0] == '@')
		return go_named(r, s);
	if (s.n > 0 && s.p[0] != '/')
		return uncached(r, "redirected by error_page");
	return run_redirect(r, to, false);
}

/* Does an error_page directive apply to that status? */
static bool applies(const struct ngc_directive *d, unsigned status)
{
	int64_t code;

	for (unsigned i = 1; i + 1 < d->n_words; i++)
		if (ngc_parse_number(d->words[i], &code) && code == status)
			return true;
	return false;
}

const struct ngc_directive *run_error_page(const struct run *r, unsigned status)
{
	const struct ngc_directive *d = r->error_page_seen
					    ? NULL
					    : run_setting(r->level, "error_page");

	for (; d != NULL; d = d->next)
		if (ngc_directive_is(d, "error_page") && applies(d, status))
			return d;
	return NULL;
}

/* Where the first error page is taken, it is said whether another may follow. */
static bool may_recur(const struct run *r)
{
	const struct ngc_directive *d = run_setting(r->level, "recursive_error_pages");

	return d != NULL && d->n_words == 2 &&
	       ngc_bytes_equal(d->words[1], ngc_bytes_of("on"));
}

enum next run_status(struct run *r, unsigned status)
{
	const struct ngc_directive *d = run_error_page(r, status);
	struct ngc_bytes to;

	run_step(r, "status %u", status);
	if (status == 408 || status == 444 || status == 499)
		return uncached(r, "the connection is closed");
	if (d == NULL)
		return uncached(r, "answered by nginx itself");
	to = d->words[d->n_words - 1];
	r->error_page_seen = !may_recur(r);
	run_step(r, "error_page %.*s (%s:%u)", (int)to.n, (const char *)to.p, d->file,
	    d->line);
	if (to.n > 0 && to.p[0] == '/' &&
	    !ngc_bytes_equal(r->method, ngc_bytes_of("HEAD")))
		r->method = ngc_bytes_of("GET");
	return go_to(r, run_eval(r, to));
}

enum next run_redirected(struct run *r, unsigned status)
{
	if (run_error_page(r, status) != NULL)
		return run_status(r, status);
	r->end = END_UNCACHED;
	return NEXT_END;
}

/*
 * The status by which an upstream's answer may take an error_page, as the way-th; 0:
 * none.
 */
static unsigned upstream_error(const struct run *r, bool intercepted, unsigned way)
{
	const struct ngc_directive *d = run_setting(r->level, "error_page");
	int64_t code;

	for (; d != NULL; d = d->next) {
		bool may = false;
		unsigned status = 0;

		if (!ngc_directive_is(d, "error_page"))
			continue;
		for (unsigned i = 1; i + 1 < d->n_words && !may; i++) {
			if (!ngc_parse_number(d->words[i], &code))
				continue;
			may = intercepted || code >= 500;
			status = (unsigned)code;
		}
		if (may && way-- == 0)
			return status;
	}
	return 0;
}

static bool intercepts(const struct run *r, enum ngc_protocol p)
{
	char name[40];
	const struct ngc_directive *d;

	snprintf(name, sizeof(name), "%s_intercept_errors", ngc_protocol_name(p));
	d = run_setting(r->level, name);
	return d != NULL && d->n_words == 2 &&
	       ngc_bytes_equal(d->words[1], ngc_bytes_of("on"));
}

/* The answer comes from an upstream; an error of it may lead on to other keys. */
static enum next pass_on(struct run *r, const struct ngc_level *pass)
{
	unsigned n = 0, way;

	if (!r->asked->all || r->error_page_seen)
		return run_key(r, pass);
	while (n < 8 && upstream_error(r, intercepts(r, pass->protocol), n) != 0)
		n++;
	way = n > 0 ? run_choose(r, n + 1,
			  run_unknown(r, ngc_bytes_of("upstream_status"), GRAMMAR_ANY,
			      false))
		    : 0;
	if (way == 0)
		return run_key(r, pass);
	return run_status(r, upstream_error(r, intercepts(r, pass->protocol), way - 1));
}

/* Does another module produce the answer?  The last directive that says so counts. */
static const struct ngc_directive *other_handler(const struct ngc_level *l)
{
	static const char *const names[] = { "content_by_lua", "content_by_lua_block",
		"content_by_lua_file", "js_content", "perl", "empty_gif", "stub_status",
		"echo", "rds_json", "api", "status" };
	const struct ngc_directive *last = NULL;

	for (const struct ngc_directive *d = l->d->first; d != NULL; d = d->next) {
		struct ngc_bytes w = d->words[0];

		if (w.n > 5 && memcmp(w.p + w.n - 5, "_pass", 5) == 0)
			last = d;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (ngc_bytes_equal(w, ngc_bytes_of(names[i])))
				last = d;
	}
	return last;
}

/* Without a document root to ask: of several index files, the one something passes on. */
static bool leads_to_pass(struct run *r, struct ngc_bytes uri)
{
	struct run probe = *r;
	const struct ngc_level *l;

	probe.uri = uri;
	probe.steps = NULL;
	if (!run_locate(&probe))
		return false;
	for (l = probe.level; l != NULL && l->pass == NULL && l->kind >= NGC_LEVEL_IF;)
		l = l->parent;
	return l != NULL && l->pass != NULL;
}

static struct value index_uri(struct run *r, struct ngc_bytes name)
{
	struct value_builder b = { .arena = r->arena };

	if (name.n == 0 || name.p[0] != '/')
		value_add_text(&b, r->uri, false);
	value_add(&b, run_eval(r, name));
	r->failed = r->failed || b.failed;
	return value_end(&b);
}

static bool is_there(struct run *r, struct ngc_bytes index)
{
	return run_file(r, value_bytes(r->arena, index_uri(r, index))) == FILE_REGULAR;
}

/*
 * Which of n index files is there; n: none.  One that begins with a slash is a page of
 * the site, and taken unseen where the directory is there or was not asked for.
 */
static unsigned choose_index(struct run *r, const struct ngc_bytes *names, unsigned n)
{
	unsigned page = 0;

	while (page < n && (names[page].n == 0 || names[page].p[0] != '/'))
		page++;
	if (r->asked->all)
		return run_choose(r, page < n ? page + 1 : n + 1, file_system(r));
	if (run_files_known(r)) {
		for (unsigned i = 0; i < n; i++)
			if (i == page ? i == 0 || run_file(r, r->uri) == FILE_DIRECTORY
				      : is_there(r, names[i]))
				return i;
		return n;
	}
	for (unsigned i = 0; i < n; i++)
		if (i == page ||
		    leads_to_pass(r, value_bytes(r->arena, index_uri(r, names[i]))))
			return i;
	return 0;
}

static enum next serve_directory(struct run *r)
{
	static const struct ngc_bytes usual = { (const unsigned char *)"index.html", 10 };
	const struct ngc_directive *d = run_setting(r->level, "index");
	const struct ngc_bytes *names = d != NULL && d->n_words > 1 ? d->words + 1
								    : &usual;
	unsigned n = names == &usual ? 1 : d->n_words - 1, i = choose_index(r, names, n);

	if (i < n)
		return run_redirect(r, index_uri(r, names[i]), true);
	return run_status(r,
	    r->asked->all || run_file(r, r->uri) == FILE_DIRECTORY ? 403 : 404);
}

static enum next serve_file(struct run *r)
{
	enum file f = FILE_NONE;

	if (r->uri.p[r->uri.n - 1] == '/')
		return serve_directory(r);
	if (r->asked->all)
		f = run_error_page(r, 404) != NULL &&
				    run_choose(r, 2, file_system(r)) == 0
			? FILE_NONE
			: FILE_REGULAR;
	else if (run_files_known(r))
		f = run_file(r, r->uri);
	if (f == FILE_NONE && (!r->asked->all || run_error_page(r, 404) != NULL))
		return run_status(r, 404);
	if (f == FILE_REGULAR && !ngc_bytes_equal(r->method, ngc_bytes_of("GET")) &&
	    !ngc_bytes_equal(r->method, ngc_bytes_of("HEAD")))
		return run_status(r, 405);
	return uncached(r, f == FILE_REGULAR ? "a file" : "a directory");
}

/*
 * Is there what one argument of try_files names?  A slash at its end only asks for a
 * directory; *path is without it.
 */
static bool try_one(struct run *r, struct ngc_bytes name, struct value *path)
{
	bool directory = name.n > 0 && name.p[name.n - 1] == '/';
	enum file f;

	*path = run_eval(r, directory ? ngc_bytes(name.p, name.n - 1) : name);
	if (r->asked->all)
		return run_choose(r, 2, file_system(r)) == 1;
	if (!run_files_known(r) || value_unknown(*path) != NULL)
		return false;
	f = run_tried_file(r, run_tried_name(r, name, value_bytes(r->arena, *path)));
	return directory ? f == FILE_DIRECTORY : f == FILE_REGULAR;
}

static enum next serve(struct run *r)
{
	const struct ngc_level *pass = pass_of(r);
	const struct ngc_directive *other;

	if (pass != NULL)
		return pass_on(r, pass);
	other = other_handler(r->location != NULL ? r->location : r->level);
	if (other != NULL) {
		run_step(r, "%s (%s:%u)", (const char *)other->words[0].p, other->file,
		    other->line);
		r->end = END_UNCACHED;
		return NEXT_END;
	}
	return r->location != NULL && r->location->kind == NGC_LEVEL_NAMED &&
		       r->uri.p[r->uri.n - 1] == '/'
		   ? run_status(r, 404)
		   : serve_file(r);
}

/* A file or directory of try_files was found: nginx goes on here, with its name. */
static enum next found(struct run *r, struct ngc_bytes word, struct value path)
{
	bool directory = word.n > 0 && word.p[word.n - 1] == '/';
	struct ngc_bytes uri = run_tried_uri(r,
	    run_tried_name(r, word, value_bytes(r->arena, path)), directory);

	if (value_unknown(path) != NULL) {
		run_lose(r, path, r->args);
		return NEXT_END;
	}
	run_step(r, "try_files: %.*s is there", (int)uri.n, (const char *)uri.p);
	if (uri.n > 0 && uri.p[0] == '/')
		r->uri = uri;
	if (directory && pass_of(r) == NULL && r->uri.p[r->uri.n - 1] != '/') {
		run_step(r, "redirected to the directory");
		return run_redirected(r, 301);
	}
	return serve(r);
}

/* Does the last argument of try_files lead back to where the request is? */
static bool leads_back(struct run *r, struct ngc_bytes last)
{
	const unsigned char *mark = memchr(last.p, '?', last.n);
	struct value to = run_eval(r,
	    ngc_bytes(last.p, mark != NULL ? (size_t)(mark - last.p) : last.n));

	return value_unknown(to) == NULL &&
	       ngc_bytes_equal(value_bytes(r->arena, to), r->uri);
}

static enum next try_files(struct run *r, const struct ngc_directive *d)
{
	struct ngc_bytes last = d->words[d->n_words - 1];
	struct value path;
	int64_t status = 404;

	for (unsigned i = 1; i + 1 < d->n_words; i++) {
		struct ngc_bytes name = d->words[i];

		if (try_one(r, name, &path))
			return found(r, name, path);
	}
	/* Nobody can tell whether the script is there; where one is run, it is. */
	if (!r->asked->all && pass_of(r) != NULL && !run_files_known(r) && last.n > 0 &&
	    (last.p[0] == '=' || leads_back(r, last)))
		return serve(r);
	if (last.n == 0 || last.p[0] != '=') {
		run_step(r, "try_files: %.*s (%s:%u)", (int)last.n, (const char *)last.p,
		    d->file, d->line);
		return go_to(r, run_eval(r, last));
	}
	ngc_parse_number(ngc_bytes_from(last, 1), &status);
	return run_status(r, (unsigned)status);
}

/* Lua that runs before the answer may have changed any variable. */
static bool runs_lua(const struct ngc_level *l)
{
	static const char *const names[] = { "rewrite_by_lua", "rewrite_by_lua_block",
		"rewrite_by_lua_file", "access_by_lua", "access_by_lua_block",
		"access_by_lua_file", "server_rewrite_by_lua_block" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (run_setting(l, names[i]) != NULL)
			return true;
	return false;
}

enum next run_content(struct run *r)
{
	const struct ngc_directive *d = ngc_directive_find(r->level->d, "try_files");
	enum next next = run_access(r);

	if (next != NEXT_GO_ON)
		return next;
	r->doubtful = r->doubtful || runs_lua(r->level);
	return d != NULL && d->n_words > 2 ? try_files(r, d) : serve(r);
}
