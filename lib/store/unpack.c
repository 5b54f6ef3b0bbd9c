/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "ngc/digest.h"
#include "ngc/libarchive.h"
#include "ngc/mem.h"
#include "ngc/retry.h"
#include "store.h"

/* What is told of an archive is not larger. */
#define TEXT_MAX ((size_t)1 << 22)

/* So many directories of caches are told apart. */
#define ROOTS_MAX 4096

struct ngc_unpack {
	struct ngc_stream stream; /* the first: it is handed out as the whole */
	const struct ngc_libarchive *lib;
	struct archive *archive;
	const char *path;
	struct input *input;
	bool started; /* a member was read */
	uint64_t left;        /* so much of the member in hand is yet to be read */
	uint32_t sum, wanted; /* CRC-32 of what was read of a member, and of all of it */
	bool summed;          /* that is known */
	enum ngc_code failed;
	struct ngc_error err;  /* why */
	char member[PATH_MAX]; /* the path of the one in hand, without "." in it */
	char root[PATH_MAX];   /* of it */
	char zone[PATH_MAX];   /* what that names */
	char *roots[ROOTS_MAX];
	size_t n_roots;
};

static ssize_t read_input(struct archive *a, void *arg, const void **p)
{
	struct ngc_unpack *u = arg;
	struct ngc_error err;
	ssize_t n = input_next(u->input, p, &err);

	if (n >= 0)
		return n;
	u->lib->set_error(a, err.sys, "%s", err.text);
	return ARCHIVE_FATAL;
}

static int64_t skip_input(struct archive *a, void *arg, int64_t n)
{
	struct ngc_unpack *u = arg;

	(void)a;
	return input_skip(u->input, n);
}

/* The library can have more for a member than the size that it told. */
static ssize_t stream_read(struct ngc_stream *s, void *p, size_t n)
{
	struct ngc_unpack *u = (struct ngc_unpack *)s;
	ssize_t got = 0;

	if (n > u->left)
		n = (size_t)u->left;
	if (n > 0)
		got = u->lib->read_data(u->archive, p, n);
	if (got > 0)
		u->sum = ngc_crc32_more(u->sum, ngc_bytes(p, (size_t)got));
	u->left = got > 0 ? u->left - (uint64_t)got : 0;
	if (got >= 0)
		return got;
	u->failed = ngc_fail(&u->err, NGC_DAMAGED, 0, "%s: damaged: %s", u->path,
	    u->lib->error_string(u->archive));
	errno = EIO;
	return -1;
}

static bool stream_intact(struct ngc_stream *s)
{
	const struct ngc_unpack *u = (const struct ngc_unpack *)s;

	return !u->summed || u->sum == u->wanted;
}

static bool set_up(struct ngc_unpack *u)
{
	const struct ngc_libarchive *lib = u->lib;

	u->archive = lib->read_new();
	if (u->archive == NULL)
		return false;
	/* One that is not built in would run a program: then it is unknown. */
	lib->read_support_filter_lz4(u->archive);
	lib->read_support_filter_zstd(u->archive);
	lib->read_support_format_tar(u->archive);
	lib->read_set_options(u->archive, "hdrcharset=BINARY"); /* names are bytes */
	return true;
}

enum ngc_code ngc_unpack_open(const char *path, const volatile sig_atomic_t *stop,
    struct ngc_unpack **out, struct ngc_error *err)
{
	struct ngc_unpack *u = calloc(1, sizeof(*u));
	enum ngc_code code;

	*out = NULL;
	if (u == NULL)
		return ngc_no_memory(err);
	u->stream = (struct ngc_stream){ stream_read, stream_intact };
	u->path = path;
	code = ngc_libarchive_load(&u->lib, err);
	if (code == NGC_OK)
		code = input_open(path, stop, &u->input, err);
	if (code != NGC_OK)
		goto out;
	code = set_up(u) ? NGC_OK : ngc_no_memory(err);
	if (code != NGC_OK)
		goto out;
	/* It reads the first bytes already: what fails is told with the first member. */
	u->lib->read_open2(u->archive, u, NULL, read_input, skip_input, NULL);
	*out = u;
	u = NULL;
out:
	ngc_unpack_close(u);
	return code;
}

void ngc_unpack_close(struct ngc_unpack *u)
{
	if (u == NULL)
		return;
	if (u->archive != NULL)
		u->lib->read_free(u->archive);
	input_close(u->input);
	for (size_t i = 0; i < u->n_roots; i++)
		free(u->roots[i]);
	free(u);
}

void ngc_member_entry(const struct ngc_member *m, struct ngc_unpack *u,
    const struct ngc_cache *c, struct ngc_entry *out)
{
	*out = (struct ngc_entry){ .cache = c,
		.stream = &u->stream,
		.size = m->size,
		.allocated = (uint64_t)m->size,
		.owner = m->owner,
		.mode = m->mode,
		.links = 1,
		.changed = m->modified };
	memcpy(out->dir, m->dir, sizeof(out->dir));
	memcpy(out->name, m->name, sizeof(out->name));
}

enum ngc_code ngc_member_refused(const struct ngc_member *m, const char *archive,
    struct ngc_error *err)
{
	return ngc_fail(err, NGC_DAMAGED, 0, "%s: '%s': left out: %s", archive, m->path,
	    m->why);
}

enum ngc_code ngc_unpack_failed(const struct ngc_unpack *u, struct ngc_error *err)
{
	if (u->failed != NGC_OK)
		*err = u->err;
	return u->failed;
}

enum ngc_code ngc_unpack_text(struct ngc_unpack *u, struct ngc_buf *out,
    struct ngc_error *err)
{
	char piece[4096];
	ssize_t n;

	while ((n = stream_read(&u->stream, piece, sizeof(piece))) > 0 &&
	       out->n <= TEXT_MAX)
		ngc_buf_add(out, piece, (size_t)n);
	if (n < 0)
		return ngc_unpack_failed(u, err);
	if (n > 0)
		return ngc_fail(err, NGC_DAMAGED, 0, "%s: damaged: %s is too large",
		    u->path, u->member);
	return out->failed ? ngc_no_memory(err) : NGC_OK;
}

/* A path without "." and doubled slashes; why: what is wrong with it, or NULL. */
static const char *take_path(const char *path, char out[PATH_MAX])
{
	size_t n = 0;

	out[0] = '\0';
	if (path == NULL || path[0] == '\0')
		return "its path cannot be told";
	if (path[0] == '/')
		return "its path is absolute";
	if (strlen(path) >= PATH_MAX)
		return "its path is too long";
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return "its path leads upwards";
		if (len > 0 && !(len == 1 && path[0] == '.')) {
			if (n > 0)
				out[n++] = '/';
			memcpy(out + n, path, len);
			n += len;
		}
		path += len;
		path += strspn(path, "/");
	}
	out[n] = '\0';
	return NULL;
}

static bool is_root(const struct ngc_unpack *u, const char *path, size_t len)
{
	for (size_t i = 0; i < u->n_roots; i++)
		if (strlen(u->roots[i]) == len && memcmp(u->roots[i], path, len) == 0)
			return true;
	return false;
}

/* The path of a root has no slash at its end. */
static size_t root_len(const struct ngc_candidate_path *parts, unsigned depth)
{
	return parts->root_len[depth] > 0 ? parts->root_len[depth] - 1 : 0;
}

/*
 * How many of its last directories are levels?  What this program archives has one more.
 * Elsewhere those that leave a root which others have too, else as many as can be: the
 * name of a zone may be the digits of a level.
 */
static unsigned choose_depth(const struct ngc_unpack *u,
    const struct ngc_candidate_path *parts)
{
	size_t first = strcspn(u->member, "/");

	for (unsigned depth = 0; u->summed && depth <= parts->depth; depth++)
		if (parts->fits[depth] && root_len(parts, depth) == first)
			return depth;
	for (unsigned depth = parts->depth; depth > 0; depth--)
		if (parts->fits[depth] && is_root(u, u->member, root_len(parts, depth)))
			return depth;
	return parts->fits[0] && is_root(u, u->member, root_len(parts, 0)) ? 0
									   : parts->depth;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The name of the zone that a directory stands for: its last part, "%2f" undone. */
static const char *zone_name(const char *root, char out[PATH_MAX])
{
	const char *slash = strrchr(root, '/');
	size_t n = 0;

	for (const char *p = slash != NULL ? slash + 1 : root; *p != '\0'; p++) {
		int high = p[0] == '%' ? digit(p[1]) : -1;
		int low = high >= 0 ? digit(p[2]) : -1;

		out[n++] = low >= 0 ? (char)(high << 4 | low) : *p;
		p += low >= 0 ? 2 : 0;
	}
	out[n] = '\0';
	return n > 0 ? out : NULL;
}

/* Take the path of a candidate apart. */
static enum ngc_code take_place(struct ngc_unpack *u,
    const struct ngc_candidate_path *parts, struct ngc_member *out, struct ngc_error *err)
{
	unsigned depth = choose_depth(u, parts);
	size_t start = parts->root_len[depth], len = root_len(parts, depth);

	bool same = u->n_roots > 0 && strncmp(u->root, u->member, len) == 0 &&
		    u->root[len] == '\0';

	if (!same && !is_root(u, u->member, len)) {
		if (u->n_roots == ROOTS_MAX)
			return ngc_fail(err, NGC_DAMAGED, 0,
			    "%s: entries in more than %d directories: not the caches of "
			    "one server",
			    u->path, ROOTS_MAX);
		u->roots[u->n_roots] = strndup(u->member, len);
		if (u->roots[u->n_roots] == NULL)
			return ngc_no_memory(err);
		u->n_roots++;
	}
	memcpy(u->root, u->member, len);
	u->root[len] = '\0';
	out->root = u->root;
	out->zone = zone_name(u->root, u->zone);
	memcpy(out->dir, u->member + start, (size_t)(parts->name - u->member) - start);
	memcpy(out->name, parts->name, NGC_NAME_LEN);
	return NGC_OK;
}

/* What keeps a member at the place of an entry from being one; NULL: nothing. */
static const char *refuse_type(const struct ngc_unpack *u, struct archive_entry *e)
{
	const struct ngc_libarchive *lib = u->lib;

	if (lib->entry_hardlink(e) != NULL || lib->entry_symlink(e) != NULL)
		return "a link";
	if (lib->entry_filetype(e) != ARCHIVE_FILE)
		return "not a file";
	if (!lib->entry_size_is_set(e) || lib->entry_size(e) < 0)
		return "its size is not told";
	return NULL;
}

/* The checksum that an attribute tells, if it is that of a file written to at this time.
 */
static bool parse_sum(struct ngc_bytes value, struct timespec modified, uint32_t *sum)
{
	char want[NGC_ARCHIVE_SUM_TEXT];

	*sum = 0;
	for (size_t i = 0; i < NGC_ARCHIVE_SUM_DIGITS && i < value.n; i++)
		*sum = *sum << 4 | ((uint32_t)digit((char)value.p[i]) & 15);
	snprintf(want, sizeof(want), NGC_ARCHIVE_SUM_FORMAT, *sum,
	    (long long)modified.tv_sec, modified.tv_nsec);
	return ngc_bytes_equal(value, ngc_bytes_of(want));
}

static bool take_sum(struct ngc_unpack *u, struct archive_entry *e,
    struct timespec modified)
{
	const char *name;
	const void *value;
	size_t n;

	u->summed = false;
	u->sum = 0;
	u->lib->entry_xattr_reset(e);
	while (u->lib->entry_xattr_next(e, &name, &value, &n) == ARCHIVE_OK)
		if (name != NULL && strcmp(name, NGC_ARCHIVE_SUM) == 0)
			u->summed = parse_sum(ngc_bytes(value, n), modified, &u->wanted);
	return u->summed;
}

static enum ngc_member_kind kind_of_other(const struct ngc_unpack *u,
    struct archive_entry *e)
{
	if (u->lib->entry_filetype(e) == ARCHIVE_DIRECTORY)
		return NGC_MEMBER_NONE;
	return strcmp(u->member, NGC_ARCHIVE_ABOUT) == 0 ? NGC_MEMBER_ABOUT
							 : NGC_MEMBER_FOREIGN;
}

static enum ngc_code judge(struct ngc_unpack *u, struct archive_entry *e,
    struct ngc_member *out, struct ngc_error *err)
{
	const struct ngc_libarchive *lib = u->lib;
	struct ngc_candidate_path parts;
	const char *slash;

	*out = (struct ngc_member){ .kind = NGC_MEMBER_REFUSED };
	out->path = lib->entry_pathname(e);
	out->why = take_path(out->path, u->member);
	if (out->path == NULL)
		out->path = "";
	if (out->why != NULL)
		return NGC_OK;
	slash = strrchr(u->member, '/');
	switch (name_kind(slash != NULL ? slash + 1 : u->member)) {
	case NAME_CANDIDATE:
		break;
	case NAME_TEMP_FILE:
		out->kind = NGC_MEMBER_TEMPORARY;
		return NGC_OK;
	case NAME_LEVEL:
	case NAME_TEMP_DIR:
	case NAME_OTHER:
		out->kind = kind_of_other(u, e);
		return NGC_OK;
	}
	out->why = refuse_type(u, e);
	if (out->why != NULL || !ngc_candidate_split(u->member, &parts))
		return NGC_OK;
	out->kind = NGC_MEMBER_ENTRY;
	out->size = (off_t)lib->entry_size(e);
	out->owner = (uid_t)lib->entry_uid(e);
	out->mode = lib->entry_perm(e);
	out->modified = (struct timespec){ lib->entry_mtime(e),
		lib->entry_mtime_nsec(e) };
	out->summed = take_sum(u, e, out->modified);
	return take_place(u, &parts, out, err);
}

/*
 * tar marks the end of an archive by blocks of zeros.  The library takes the end of what
 * it reads for one, too, but only a block that was there moves it on.
 */
static bool is_cut(const struct ngc_unpack *u)
{
	return u->lib->filter_bytes(u->archive, 0) <=
	       u->lib->read_header_position(u->archive);
}

static bool looks_like_tar(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash != NULL ? slash : path, ".tar") != NULL;
}

static enum ngc_code header_failed(const struct ngc_unpack *u, struct ngc_error *err)
{
	const char *why = u->lib->error_string(u->archive);

	if (!u->started && !looks_like_tar(u->path) && !input_was_coded(u->input) &&
	    u->lib->filter_code(u->archive, 0) == ARCHIVE_FILTER_NONE)
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: neither a directory nor a tar archive", u->path);
	return ngc_fail(err, NGC_DAMAGED, 0, "%s: damaged: %s", u->path,
	    why != NULL ? why : "it cannot be read");
}

/* The library stops at the mark of the end: the last checksums stand behind it. */
static enum ngc_code check_rest(struct ngc_unpack *u, struct ngc_error *err)
{
	const void *p;
	ssize_t n;

	if (!input_was_coded(u->input))
		return NGC_GONE;
	do
		n = input_next(u->input, &p, err);
	while (n > 0);
	if (n == 0)
		return NGC_GONE;
	ngc_wrap(err, "%s: damaged", u->path);
	return err->code = NGC_DAMAGED;
}

enum ngc_code ngc_unpack_next(struct ngc_unpack *u, struct ngc_member *out,
    struct ngc_error *err)
{
	struct archive_entry *e;
	int r;

	do
		r = u->lib->read_next_header(u->archive, &e);
	while (r == ARCHIVE_RETRY);
	if (r == ARCHIVE_EOF && !is_cut(u))
		return check_rest(u, err);
	if (r == ARCHIVE_EOF)
		return ngc_fail(err, NGC_DAMAGED, 0,
		    "%s: damaged: it ends before its end is marked", u->path);
	if (r < ARCHIVE_WARN)
		return header_failed(u, err);
	u->started = true;
	u->left = u->lib->entry_size(e) > 0 ? (uint64_t)u->lib->entry_size(e) : 0;
	return judge(u, e, out, err);
}
