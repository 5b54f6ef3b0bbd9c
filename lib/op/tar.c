/* SPDX-License-Identifier: BSD-2-Clause */
#include "tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ngc/libarchive.h"
#include "ngc/unpack.h"

struct tar {
	const struct ngc_libarchive *lib;
	struct archive *archive;
	struct archive_entry *entry;
	struct output *output;
	off_t left; /* of the file in hand */
	bool muted; /* nothing is written any more */
};

/* Padding a file that is not whole takes long when there is so much left of it. */
#define PADDED_MAX ((off_t)1 << 24)

/* So much is written at a time. */
#define BLOCK 65536

enum filter { NONE, GZIP, LZ4, XZ, ZSTD, NOT_WRITTEN };

static const struct ending {
	const char *text;
	enum filter filter;
} endings[] = {
	{ ".gz", GZIP },
	{ ".tgz", GZIP },
	{ ".lz4", LZ4 },
	{ ".xz", XZ },
	{ ".txz", XZ },
	{ ".zst", ZSTD },
	{ ".tzst", ZSTD },
	{ ".7z", NOT_WRITTEN },
	{ ".Z", NOT_WRITTEN },
	{ ".br", NOT_WRITTEN },
	{ ".bz2", NOT_WRITTEN },
	{ ".cpio", NOT_WRITTEN },
	{ ".lz", NOT_WRITTEN },
	{ ".lzma", NOT_WRITTEN },
	{ ".lzo", NOT_WRITTEN },
	{ ".rar", NOT_WRITTEN },
	{ ".tbz", NOT_WRITTEN },
	{ ".tbz2", NOT_WRITTEN },
	{ ".zip", NOT_WRITTEN },
};

static enum filter filter_of(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t k = strlen(endings[i].text);

		if (n > k && strcasecmp(path + n - k, endings[i].text) == 0)
			return endings[i].filter;
	}
	return NONE;
}

enum ngc_code tar_check_name(const char *path, struct ngc_error *err)
{
	return filter_of(path) != NOT_WRITTEN
		 ? NGC_OK
		 : ngc_fail(err, NGC_INVALID, 0,
		       "%s: expected a name that ends in .tar, .tar.gz, .tar.zst, "
		       ".tar.xz or .tar.lz4",
		       path);
}

static enum ngc_code failed(struct tar *t, struct ngc_error *err)
{
	const char *text = t->lib->error_string(t->archive);

	if (t->output->sys != 0)
		return ngc_fail(err, NGC_DENIED, t->output->sys, "%s", t->output->name);
	return ngc_fail(err, NGC_DENIED, 0, "%s: %s", t->output->name,
	    text != NULL ? text : "libarchive fails");
}

/* The library frees its buffers only when it may close: a failure is not told to it. */
static ssize_t write_block(struct archive *a, void *arg, const void *p, size_t n)
{
	struct tar *t = arg;

	(void)a;
	if (!t->muted)
		t->muted = !output_write(t->output, p, n);
	return (ssize_t)n;
}

static bool worked(const struct tar *t, ssize_t result)
{
	return result >= ARCHIVE_WARN && !t->muted;
}

/* Its own level needs 94 MiB, and three times as long. */
static int add_xz(struct tar *t)
{
	int r = t->lib->write_add_filter_xz(t->archive);

	if (r >= ARCHIVE_WARN)
		t->lib->write_set_filter_option(t->archive, "xz", "compression-level",
		    "1");
	return r;
}

static int add_filter(struct tar *t, enum filter filter)
{
	const struct ngc_libarchive *lib = t->lib;

	switch (filter) {
	case GZIP:
		return lib->write_add_filter_gzip(t->archive);
	case LZ4:
		return lib->write_add_filter_lz4(t->archive);
	case XZ:
		return add_xz(t);
	case ZSTD:
		return lib->write_add_filter_zstd(t->archive);
	case NONE:
	case NOT_WRITTEN:
		break;
	}
	return ARCHIVE_OK;
}

/* ARCHIVE_WARN: a program does it instead of a library. */
static bool begin(struct tar *t)
{
	const struct ngc_libarchive *lib = t->lib;
	struct archive *a = t->archive;

	if (lib->write_set_format_pax(a) < ARCHIVE_WARN)
		return false;
	/* Its own way of writing attributes besides makes tar complain. */
	lib->write_set_format_option(a, "pax", "xattrheader", "SCHILY");
	return add_filter(t, filter_of(t->output->path)) >= ARCHIVE_WARN &&
	       lib->write_set_bytes_per_block(a, BLOCK) >= ARCHIVE_WARN &&
	       lib->write_set_bytes_in_last_block(a, 1) >= ARCHIVE_WARN &&
	       lib->write_open(a, t, NULL, write_block, NULL) >= ARCHIVE_WARN;
}

enum ngc_code tar_create(struct output *o, struct tar **out, struct ngc_error *err)
{
	struct tar *t = calloc(1, sizeof(*t));
	enum ngc_code code;

	*out = NULL;
	if (t == NULL)
		return ngc_no_memory(err);
	t->output = o;
	code = ngc_libarchive_load(&t->lib, err);
	if (code != NGC_OK)
		goto out;
	t->archive = t->lib->write_new();
	t->entry = t->lib->entry_new();
	if (t->archive == NULL || t->entry == NULL)
		code = ngc_no_memory(err);
	else if (!begin(t))
		code = failed(t, err);
	if (code != NGC_OK)
		goto out;
	*out = t;
	t = NULL;
out:
	tar_free(t);
	return code;
}

static void describe(struct tar *t, const char *path, const struct stat *st, off_t size)
{
	const struct ngc_libarchive *lib = t->lib;
	struct archive_entry *e = lib->entry_clear(t->entry);

	lib->entry_set_pathname(e, path);
	lib->entry_set_filetype(e, ARCHIVE_FILE);
	lib->entry_set_perm(e, st->st_mode & 07777);
	lib->entry_set_uid(e, st->st_uid);
	lib->entry_set_gid(e, st->st_gid);
	lib->entry_set_mtime(e, st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	lib->entry_set_size(e, size);
}

static enum ngc_code write_data(void *arg, const void *p, size_t n, struct ngc_error *err)
{
	struct tar *t = arg;
	const char *from = p;

	while (n > 0) {
		ssize_t done = t->lib->write_data(t->archive, from, n);

		if (done <= 0 || t->muted)
			return failed(t, err);
		from += done;
		n -= (size_t)done;
		t->left -= done;
	}
	return NGC_OK;
}

static enum ngc_code write_header(struct tar *t, off_t size, struct ngc_error *err)
{
	t->left = size;
	return worked(t, t->lib->write_header(t->archive, t->entry)) ? NGC_OK
								     : failed(t, err);
}

static enum ngc_code finish_entry(struct tar *t, struct ngc_error *err)
{
	return worked(t, t->lib->write_finish_entry(t->archive)) ? NGC_OK
								 : failed(t, err);
}

enum ngc_code tar_add_copy(struct tar *t, const char *path, struct copy *c,
    struct ngc_error *err)
{
	enum ngc_code code;
	char sum[NGC_ARCHIVE_SUM_TEXT];
	int n = snprintf(sum, sizeof(sum), NGC_ARCHIVE_SUM_FORMAT, c->sum,
	    (long long)c->st.st_mtim.tv_sec, c->st.st_mtim.tv_nsec);

	describe(t, path, &c->st, c->st.st_size);
	t->lib->entry_xattr_add_entry(t->entry, NGC_ARCHIVE_SUM, sum, (size_t)n);
	for (size_t i = 0; c->sparse && i < c->n_extents; i++)
		t->lib->entry_sparse_add_entry(t->entry, c->extents[i].at,
		    c->extents[i].n);
	if (c->sparse && c->n_extents == 0)
		t->lib->entry_sparse_add_entry(t->entry, 0, 0);
	code = write_header(t, c->st.st_size, err);
	if (code == NGC_OK)
		code = copy_give(c, write_data, t, err);
	return code == NGC_OK ? finish_entry(t, err) : code;
}

enum ngc_code tar_add_text(struct tar *t, const char *path, const struct stat *st,
    struct ngc_bytes text, struct ngc_error *err)
{
	enum ngc_code code;

	describe(t, path, st, (off_t)text.n);
	code = write_header(t, (off_t)text.n, err);
	if (code == NGC_OK)
		code = write_data(t, text.p, text.n, err);
	return code == NGC_OK ? finish_entry(t, err) : code;
}

enum ngc_code tar_finish(struct tar *t, struct ngc_error *err)
{
	return worked(t, t->lib->write_close(t->archive)) ? NGC_OK : failed(t, err);
}

void tar_free(struct tar *t)
{
	if (t == NULL)
		return;
	t->muted = true;
	if (t->archive != NULL && t->left > PADDED_MAX)
		t->lib->write_fail(t->archive);
	if (t->archive != NULL)
		t->lib->write_free(t->archive);
	if (t->entry != NULL)
		t->lib->entry_free(t->entry);
	free(t);
}
