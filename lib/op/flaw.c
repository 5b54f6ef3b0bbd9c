/* SPDX-License-Identifier: BSD-2-Clause */
#include "flaw.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "ngc/units.h"
#include "ngc/urls.h"

/*
 * What nginx does about each was tried on a real one: a file whose binary header is
 * wrong is refused and stored anew, one whose stored header or body is wrong is served as
 * it is.
 */

#define TEMPORARY_AGE 3600

static const struct {
	const char *name;
	enum ngc_class class;
} reasons[NGC_REASONS] = {
	[NGC_REASON_NONE] = { "none", NGC_CLASS_DAMAGED },
	[NGC_REASON_TOO_SMALL] = { "too_small", NGC_CLASS_DAMAGED },
	[NGC_REASON_UNKNOWN_VERSION] = { "unknown_version", NGC_CLASS_DAMAGED },
	[NGC_REASON_BAD_OFFSETS] = { "bad_offsets", NGC_CLASS_DAMAGED },
	[NGC_REASON_BAD_KEY_MARK] = { "bad_key_mark", NGC_CLASS_DAMAGED },
	[NGC_REASON_BAD_CRC] = { "bad_crc", NGC_CLASS_DAMAGED },
	[NGC_REASON_NAME_MISMATCH] = { "name_mismatch", NGC_CLASS_DAMAGED },
	[NGC_REASON_BAD_HEADER] = { "bad_header", NGC_CLASS_MISSERVED },
	[NGC_REASON_BAD_FRAMING] = { "bad_framing", NGC_CLASS_MISSERVED },
	[NGC_REASON_BODY_SHORT] = { "body_short", NGC_CLASS_MISSERVED },
	[NGC_REASON_BODY_LONG] = { "body_long", NGC_CLASS_MISSERVED },
	[NGC_REASON_BAD_SUM] = { "bad_sum", NGC_CLASS_MISSERVED },
	[NGC_REASON_ORPHAN] = { "orphan", NGC_CLASS_ORPHAN },
	[NGC_REASON_TEMPORARY] = { "temporary", NGC_CLASS_TEMPORARY },
	[NGC_REASON_FOREIGN] = { "foreign", NGC_CLASS_FOREIGN },
	[NGC_REASON_SYMLINK] = { "symlink", NGC_CLASS_FOREIGN },
	[NGC_REASON_DIRECTORY] = { "directory", NGC_CLASS_FOREIGN },
	[NGC_REASON_HARD_LINK] = { "hard_link", NGC_CLASS_FOREIGN },
	[NGC_REASON_OWNER] = { "owner", NGC_CLASS_OWNERSHIP },
	[NGC_REASON_MODE] = { "mode", NGC_CLASS_OWNERSHIP },
	[NGC_REASON_UNREADABLE] = { "unreadable", NGC_CLASS_DAMAGED },
};

const char *ngc_reason_name(enum ngc_reason r)
{
	return reasons[r].name;
}

enum ngc_class ngc_reason_class(enum ngc_reason r)
{
	return reasons[r].class;
}

const char *ngc_class_name(enum ngc_class c)
{
	static const char *const names[] = {
		[NGC_CLASS_DAMAGED] = "damaged",
		[NGC_CLASS_MISSERVED] = "misserved",
		[NGC_CLASS_ORPHAN] = "orphan",
		[NGC_CLASS_TEMPORARY] = "temporary",
		[NGC_CLASS_FOREIGN] = "foreign",
		[NGC_CLASS_OWNERSHIP] = "ownership",
	};

	return names[c];
}

static void set(struct flaw *out, enum ngc_reason reason, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void set(struct flaw *out, enum ngc_reason reason, const char *fmt, ...)
{
	va_list ap;

	out->reason = reason;
	va_start(ap, fmt);
	vsnprintf(out->detail, sizeof(out->detail), fmt, ap);
	va_end(ap);
}

/* The shortest field for a Vary: what has filled it may be longer than it. */
#define VARY_LEAST 42

static void judge_binary_header(const struct ngc_entry *e, struct flaw *out)
{
	long long size = (long long)e->size;

	if (!e->damaged && e->header.vary.n < VARY_LEAST)
		return;
	switch (ngc_header_flaw(e->head)) {
	case NGC_FLAW_NONE:
		break;
	case NGC_FLAW_SHORT:
		set(out, NGC_REASON_TOO_SMALL, "it ends before its key does, at %lld",
		    size);
		break;
	case NGC_FLAW_VERSION:
		set(out, NGC_REASON_UNKNOWN_VERSION,
		    "no cache file of a version that is known");
		break;
	case NGC_FLAW_OFFSETS:
		set(out, NGC_REASON_BAD_OFFSETS,
		    "an offset or length in its header is impossible");
		break;
	case NGC_FLAW_MARK:
		set(out, NGC_REASON_BAD_KEY_MARK, "no \"KEY: \" where it must stand");
		break;
	case NGC_FLAW_CRC:
		set(out, NGC_REASON_BAD_CRC, "its key is not the one of its CRC-32");
		break;
	}
}

static void judge_place(const struct ngc_entry *e, struct flaw *out)
{
	if (e->orphan)
		set(out, NGC_REASON_ORPHAN,
		    "the levels of the zone lead elsewhere: nginx never looks here");
	else if (!ngc_header_name_ok(&e->header, e->name))
		set(out, NGC_REASON_NAME_MISMATCH, "named by neither %s",
		    e->header.variant != NULL ? "its key nor its variant"
					      : "its key nor a variant");
}

/* The file ends before body_start: has it been cut, or is body_start wrong? */
static void judge_cut(const struct ngc_entry *e, struct flaw *out)
{
	if (e->response.ended)
		set(out, NGC_REASON_BAD_OFFSETS, "body at %u of %lld bytes",
		    e->header.body_start, (long long)e->size);
	else
		set(out, NGC_REASON_TOO_SMALL,
		    "it ends within the response header, at %lld of %u bytes",
		    (long long)e->size, e->header.body_start);
}

/* Does the block look like another module's than that of the zone, or like none's? */
static bool is_misplaced(const struct ngc_entry *e)
{
	const struct ngc_zone *z = ngc_cache_zone(e->cache);
	const struct ngc_response *r = &e->response;
	const unsigned char *line = r->fields.p, *end;
	bool fcgi = r->stored == NGC_STORED_FASTCGI;

	if (e->header.body_start == e->header.header_start)
		return false;
	if (z->configured && (z->type == NGC_FASTCGI) != fcgi)
		return true;
	if (z->configured && z->type == NGC_PROXY)
		return r->stored != NGC_STORED_HTTP;
	if (r->stored != NGC_STORED_CGI || r->fields.n == 0)
		return false;
	end = memchr(line, '\n', r->fields.n);
	if (end == NULL)
		end = line + r->fields.n;
	return memchr(line, ':', (size_t)(end - line)) == NULL;
}

static void judge_stored_header(const struct ngc_entry *e, struct flaw *out)
{
	const struct ngc_zone *z = ngc_cache_zone(e->cache);
	const struct ngc_response *r = &e->response;

	if (!r->framed ||
	    (z->configured && z->type == NGC_FASTCGI && is_misplaced(e)))
		set(out, NGC_REASON_BAD_FRAMING,
		    "the response header is not in FastCGI records");
	else if (is_misplaced(e) || r->status == 0)
		set(out, NGC_REASON_BAD_HEADER, "the response has no status line");
	else if (!r->well_formed && !r->ended)
		set(out, NGC_REASON_BAD_HEADER,
		    "the response header does not end before the body");
	else if (!r->well_formed)
		set(out, NGC_REASON_BAD_HEADER, "the response header is garbled");
}

/* Was it stored for a HEAD, so that it has no body?  Without doubt only when the key
 * tells. */
static bool is_head(const struct ngc_entry *e, const struct ngc_router *router)
{
	static const char head[] = "HEAD";
	struct ngc_bytes key = e->header.key;
	struct ngc_reading r;
	bool read = ngc_entry_reading(router, e, &r);

	if (r.method.p != NULL)
		return ngc_bytes_equal(r.method, ngc_bytes_of(head));
	return !read && memmem(key.p, key.n, head, sizeof(head) - 1) != NULL;
}

static bool has_no_body(const struct ngc_entry *e, const struct ngc_router *router)
{
	int status = e->response.status;

	return status / 100 == 1 || status == 204 || status == 304 || is_head(e, router);
}

/* The Content-Length that counts when it is not the body's; -1: none, or it fits. */
static int64_t other_length(const struct ngc_response *r, int64_t body)
{
	struct ngc_bytes name, value;
	int64_t told = -1, n;
	size_t pos = 0;

	if (ngc_response_field(r, "Transfer-Encoding").p != NULL)
		return -1;
	while (ngc_response_next(r, &pos, &name, &value)) {
		if (!ngc_bytes_same(name, ngc_bytes_of("Content-Length")) ||
		    !ngc_parse_number(value, &n))
			continue;
		if (n == body)
			return -1;
		told = n;
	}
	return told;
}

static void judge_body(const struct ngc_entry *e, const struct ngc_router *router,
    struct flaw *out)
{
	int64_t body = e->size - (int64_t)e->header.body_start;
	int64_t told = other_length(&e->response, body);

	if (told == -1 || (body == 0 && has_no_body(e, router)))
		return;
	set(out, body < told ? NGC_REASON_BODY_SHORT : NGC_REASON_BODY_LONG,
	    "%lld bytes, Content-Length %lld", (long long)body, (long long)told);
}

/*
 * Where the root belongs to root, the workers run as root and may read everything, or
 * the server was not started as root, and nobody knows as whom.
 */
static void judge_ownership(const struct ngc_entry *e, struct flaw *out)
{
	uid_t owner = ngc_cache_owner(e->cache);

	if (e->stream != NULL) /* a restored file is given what it must have */
		return;
	if (e->owner != owner && owner != 0)
		set(out, NGC_REASON_OWNER, "of uid %ld, the cache is of uid %ld",
		    (long)e->owner, (long)owner);
	else if (e->mode != 0600)
		set(out, NGC_REASON_MODE, "%04o, nginx makes 0600", (unsigned)e->mode);
	else if (e->links > 1)
		set(out, NGC_REASON_HARD_LINK, "it has %lu names",
		    (unsigned long)e->links);
}

static enum ngc_code judge_response(struct ngc_entry *e, const struct ngc_router *r,
    struct flaw *out, struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_response(e, err);

	if (code == NGC_DENIED && err->sys == EIO) {
		set(out, NGC_REASON_UNREADABLE, "the disk does not give it");
		return NGC_OK;
	}
	if (code == NGC_DAMAGED)
		judge_cut(e, out);
	else if (code == NGC_OK)
		judge_stored_header(e, out);
	else
		return code;
	if (out->reason == NGC_REASON_NONE)
		judge_body(e, r, out);
	return NGC_OK;
}

static enum ngc_code pass_over(void *arg, const void *p, size_t n, struct ngc_error *err)
{
	(void)arg;
	(void)p;
	(void)n;
	(void)err;
	return NGC_OK;
}

/* An archive that cannot be read on is told of by who reads it. */
static void judge_sum(struct ngc_entry *e, struct flaw *out, struct ngc_error *err)
{
	struct ngc_source *s;

	if (e->stream == NULL || ngc_entry_source(e, 0, &s, err) != NGC_OK)
		return;
	if (ngc_source_pass(s, pass_over, NULL, err) == NGC_DAMAGED)
		set(out, NGC_REASON_BAD_SUM, "it is not as it was archived");
	s->close(s);
}

enum ngc_code flaw_of_entry(struct ngc_entry *e, const struct ngc_router *r,
    struct flaw *out, struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_stat(e, err);

	out->reason = NGC_REASON_NONE;
	if (code != NGC_OK)
		return code;
	judge_binary_header(e, out);
	if (out->reason == NGC_REASON_NONE)
		judge_place(e, out);
	if (out->reason == NGC_REASON_NONE)
		code = judge_response(e, r, out, err);
	if (code == NGC_OK && out->reason == NGC_REASON_NONE)
		judge_sum(e, out, err);
	if (code == NGC_OK && out->reason == NGC_REASON_NONE)
		judge_ownership(e, out);
	return code;
}

bool flaw_is_old(const struct stat *st, int64_t now)
{
	return st->st_mtime < now - TEMPORARY_AGE;
}

static void judge_temporary(const struct stat *st, int64_t now, struct flaw *out)
{
	char age[NGC_UNIT_TEXT];

	if (flaw_is_old(st, now))
		set(out, NGC_REASON_TEMPORARY, "last written to %s ago",
		    ngc_format_seconds(now - st->st_mtime, age));
}

/* What mkfs makes in the root of a file system. */
static bool is_lost_and_found(const struct ngc_stray *s)
{
	return s->dir[0] == '\0' && strcmp(s->name, "lost+found") == 0;
}

void flaw_of_stray(const struct ngc_stray *s, const struct stat *st, int64_t now,
    struct flaw *out)
{
	bool named = s->kind == NGC_STRAY_NAME;

	out->reason = NGC_REASON_NONE;
	if (S_ISLNK(st->st_mode))
		set(out, NGC_REASON_SYMLINK, "nginx would follow it");
	else if (S_ISDIR(st->st_mode) && named)
		set(out, NGC_REASON_DIRECTORY, "in the place of a cache file");
	else if (S_ISDIR(st->st_mode) && is_lost_and_found(s))
		return;
	else if (S_ISDIR(st->st_mode))
		set(out, NGC_REASON_FOREIGN, "a directory that is not nginx's");
	else if (!S_ISREG(st->st_mode))
		set(out, NGC_REASON_FOREIGN, "neither a file nor a directory");
	else if (s->kind == NGC_STRAY_UNREADABLE)
		set(out, NGC_REASON_UNREADABLE, "the disk does not give it");
	else if (s->kind == NGC_STRAY_TEMP_FILE)
		judge_temporary(st, now, out);
	else
		set(out, NGC_REASON_FOREIGN, "%s",
		    named ? "its directories are not digits of its name"
			  : "not a file of nginx's");
}
