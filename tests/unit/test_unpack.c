/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/unpack.h"

#include <zlib.h>

#include "fault.h"
#include "ngc/digest.h"
#include "ngc/mem.h"
#include "tree.h"

#define BLOCK    512
#define NAME     "b7f54b2df7773722d382f4809d62a74d"
#define MODIFIED 1700000000

/* A tar, and what reads it. */
struct box {
	struct tree t;
	struct ngc_buf tar;
	struct ngc_unpack *u;
	struct ngc_member m;
	struct ngc_error err;
	volatile sig_atomic_t stop;
	unsigned descriptors;
	char path[PATH_MAX];
};

static void box_new(struct box *b)
{
	*b = (struct box){ .u = NULL };
	tree_new(&b->t);
	b->descriptors = open_descriptors();
	snprintf(b->path, sizeof(b->path), "%s", tree_at(&b->t, "x.tar"));
}

static void box_free(struct box *b)
{
	ngc_unpack_close(b->u);
	ngc_buf_free(&b->tar);
	ck_assert_uint_eq(open_descriptors(), b->descriptors);
	tree_free(&b->t);
}

static void pad(struct box *b)
{
	while (b->tar.n % BLOCK != 0)
		ngc_buf_add_char(&b->tar, '\0');
}

static void add_header(struct box *b, const char *path, char type, size_t n)
{
	char h[BLOCK] = { 0 };
	unsigned sum = 0;

	ck_assert_uint_le(strlen(path), 100);
	memcpy(h, path, strlen(path));
	snprintf(h + 100, 8, "%07o", 0640u);
	snprintf(h + 108, 8, "%07o", 33u);
	snprintf(h + 116, 8, "%07o", 33u);
	snprintf(h + 124, 12, "%011zo", n);
	snprintf(h + 136, 12, "%011o", (unsigned)MODIFIED);
	memset(h + 148, ' ', 8);
	h[156] = type;
	if (type == '2')
		memcpy(h + 157, "/etc/passwd", 11);
	memcpy(h + 257, "ustar\0" "00", 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	ngc_buf_add(&b->tar, h, BLOCK);
}

static void add(struct box *b, const char *path, char type, const char *text)
{
	add_header(b, path, type, strlen(text));
	ngc_buf_add_str(&b->tar, text);
	pad(b);
}

/* With the checksum of a text, and a time. */
static void add_summed(
    struct box *b, const char *path, const char *text, const char *summed, long time)
{
	char record[128];
	int n = snprintf(record, sizeof(record),
	    " SCHILY.xattr." NGC_ARCHIVE_SUM "=" NGC_ARCHIVE_SUM_FORMAT "\n",
	    ngc_crc32(ngc_bytes_of(summed)), (long long)time, 0L);

	add_header(b, "pax", 'x', (size_t)n + 2);
	ngc_buf_printf(&b->tar, "%d%s", n + 2, record);
	pad(b);
	add(b, path, '0', text);
}

static void end(struct box *b)
{
	for (int i = 0; i < 2 * BLOCK; i++)
		ngc_buf_add_char(&b->tar, '\0');
}

static void open_it(struct box *b)
{
	ck_assert(!b->tar.failed);
	tree_write(&b->t, "x.tar", b->tar.p, b->tar.n);
	ck_assert_msg(ngc_unpack_open(b->path, &b->stop, &b->u, &b->err) == NGC_OK, "%s",
	    b->err.text);
}

static enum ngc_code next(struct box *b)
{
	return ngc_unpack_next(b->u, &b->m, &b->err);
}

static void next_is(struct box *b, enum ngc_member_kind kind)
{
	ck_assert_msg(next(b) == NGC_OK, "%s", b->err.text);
	ck_assert_msg(b->m.kind == kind, "%s: %d", b->m.path, (int)b->m.kind);
}

START_TEST(members_are_told_apart_by_their_paths_and_types)
{
	struct box b;

	box_new(&b);
	add(&b, "pages/", '5', "");
	add(&b, "./pages//d/74/" NAME, '0', "entry");
	add(&b, "pages/d/74/" NAME ".0123456789", '0', "");
	add(&b, "pages/README", '0', "text");
	add(&b, "pages/../" NAME, '0', "");
	add(&b, "/" NAME, '0', "");
	add(&b, NAME, '2', "");
	add(&b, NAME, '3', "");
	add(&b, NGC_ARCHIVE_ABOUT, '0', "{}");
	end(&b);
	open_it(&b);
	next_is(&b, NGC_MEMBER_NONE);
	next_is(&b, NGC_MEMBER_ENTRY);
	ck_assert_str_eq(b.m.root, "pages");
	ck_assert_str_eq(b.m.zone, "pages");
	ck_assert_str_eq(b.m.dir, "d/74/");
	ck_assert_str_eq(b.m.name, NAME);
	ck_assert_int_eq(b.m.size, 5);
	ck_assert_uint_eq(b.m.owner, 33);
	ck_assert_uint_eq(b.m.mode, 0640);
	ck_assert_int_eq(b.m.modified.tv_sec, MODIFIED);
	ck_assert(!b.m.summed);
	next_is(&b, NGC_MEMBER_TEMPORARY);
	next_is(&b, NGC_MEMBER_FOREIGN);
	for (int i = 0; i < 4; i++) {
		next_is(&b, NGC_MEMBER_REFUSED);
		ck_assert_ptr_nonnull(b.m.why);
	}
	next_is(&b, NGC_MEMBER_ABOUT);
	ck_assert_int_eq(next(&b), NGC_GONE);
	box_free(&b);
}
END_TEST

START_TEST(an_archive_is_whole_only_with_its_end)
{
	struct box b;

	box_new(&b);
	add(&b, "pages/d/74/" NAME, '0', "entry");
	open_it(&b);
	next_is(&b, NGC_MEMBER_ENTRY);
	ck_assert_int_eq(next(&b), NGC_DAMAGED);
	box_free(&b);
}
END_TEST

/* Read the member in hand, and ask whether it is what was archived. */
static bool intact(struct box *b)
{
	struct ngc_entry e;
	char text[64];

	next_is(b, NGC_MEMBER_ENTRY);
	ngc_member_entry(&b->m, b->u, NULL, &e);
	ck_assert_int_eq(e.stream->read(e.stream, text, 2), 2);
	ck_assert_int_eq(e.stream->read(e.stream, text + 2, sizeof(text) - 2), 3);
	ck_assert_int_eq(e.stream->read(e.stream, text, sizeof(text)), 0);
	ck_assert_int_eq(ngc_unpack_failed(b->u, &b->err), NGC_OK);
	return e.stream->intact(e.stream);
}

START_TEST(a_checksum_counts_while_the_file_was_not_written_to_since)
{
	struct box b;

	box_new(&b);
	add_summed(&b, "pages/d/74/" NAME, "right", "right", MODIFIED);
	add_summed(&b, "pages/d/74/" NAME, "wrong", "right", MODIFIED);
	add_summed(&b, "pages/d/74/" NAME, "newer", "older", MODIFIED - 1);
	add(&b, "pages/d/74/" NAME, '0', "plain");
	end(&b);
	open_it(&b);
	ck_assert(intact(&b));
	ck_assert(b.m.summed);
	ck_assert(!intact(&b));
	ck_assert(b.m.summed);
	ck_assert(intact(&b));
	ck_assert(!b.m.summed);
	ck_assert(intact(&b));
	ck_assert(!b.m.summed);
	box_free(&b);
}
END_TEST

/* Of an archive of ours the first directory is the zone's, whatever it is called. */
START_TEST(a_zone_may_be_called_as_the_directory_of_a_level)
{
	static const struct {
		const char *path, *zone, *dir;
		bool own;
	} cases[] = {
		{ "d/" NAME, "d", "", true },
		{ "4d/" NAME, "4d", "", true },
		{ "d/d/74/" NAME, "d", "d/74/", true },
		{ "d/" NAME, NULL, "d/", false },
		{ "d/d/74/" NAME, "d", "d/74/", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct box b;

		box_new(&b);
		if (cases[i].own)
			add_summed(&b, cases[i].path, "entry", "entry", MODIFIED);
		else
			add(&b, cases[i].path, '0', "entry");
		end(&b);
		open_it(&b);
		next_is(&b, NGC_MEMBER_ENTRY);
		ck_assert_str_eq(b.m.dir, cases[i].dir);
		ck_assert(b.m.zone == cases[i].zone ||
			  strcmp(b.m.zone, cases[i].zone) == 0);
		box_free(&b);
	}
}
END_TEST

/* Two files of gzip's, the second of the last bytes, and zeros behind them. */
static size_t write_gzip(struct box *b, size_t last)
{
	static const unsigned char zeros[100];
	const char *path = tree_at(&b->t, "x.tar");
	size_t first = b->tar.n - last;
	struct stat st;
	gzFile f = gzopen(path, "wb");

	ck_assert_int_eq(gzwrite(f, b->tar.p, (unsigned)first), (int)first);
	ck_assert_int_eq(gzclose(f), Z_OK);
	f = gzopen(path, "ab");
	ck_assert_int_eq(gzwrite(f, b->tar.p + first, (unsigned)last), (int)last);
	ck_assert_int_eq(gzclose(f), Z_OK);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size + (off_t)sizeof(zeros)), 0);
	return (size_t)st.st_size;
}

/* Read the member of an archive, and what comes behind it. */
static enum ngc_code behind_one(struct box *b)
{
	enum ngc_code code;

	ck_assert_int_eq(ngc_unpack_open(b->path, NULL, &b->u, &b->err), NGC_OK);
	code = next(b);
	if (code == NGC_OK)
		code = next(b);
	ngc_unpack_close(b->u);
	b->u = NULL;
	return code;
}

START_TEST(what_gzip_has_compressed_must_have_its_checksums)
{
	static unsigned char p[4096];
	struct box b;
	size_t n;

	box_new(&b);
	add(&b, "pages/d/74/" NAME, '0', "entry");
	end(&b);
	n = write_gzip(&b, 3 * BLOCK);
	ck_assert_uint_eq(tree_read(&b.t, "x.tar", p, sizeof(p)), n + 100);
	ck_assert_int_eq(behind_one(&b), NGC_GONE);
	for (size_t i = 1; i <= 8; i++) {
		p[n - i] ^= 4;
		tree_write(&b.t, "x.tar", p, n);
		ck_assert_int_eq(behind_one(&b), NGC_DAMAGED);
		p[n - i] ^= 4;
		tree_write(&b.t, "x.tar", p, n - i);
		ck_assert_int_eq(behind_one(&b), NGC_DAMAGED);
	}
	box_free(&b);
}
END_TEST

START_TEST(many_zones_are_read_and_endless_ones_are_not)
{
	char path[64];
	struct box b;

	box_new(&b);
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "zone%d/" NAME, i);
		add(&b, path, '0', "");
	}
	end(&b);
	open_it(&b);
	for (int i = 0; i < 4096; i++)
		next_is(&b, NGC_MEMBER_ENTRY);
	ck_assert_str_eq(b.m.zone, "zone4095");
	ck_assert_int_eq(next(&b), NGC_DAMAGED);
	box_free(&b);
}
END_TEST

START_TEST(what_is_told_of_an_archive_is_read_within_reason)
{
	struct ngc_buf text = { 0 };
	struct box b;

	box_new(&b);
	add(&b, NGC_ARCHIVE_ABOUT, '0', "{\"entries\": 3}");
	add_header(&b, NGC_ARCHIVE_ABOUT, '0', (size_t)5 << 20);
	for (size_t i = 0; i < (size_t)5 << 20; i++)
		ngc_buf_add_char(&b.tar, ' ');
	end(&b);
	open_it(&b);
	next_is(&b, NGC_MEMBER_ABOUT);
	ck_assert_int_eq(ngc_unpack_text(b.u, &text, &b.err), NGC_OK);
	ck_assert_str_eq(ngc_buf_str(&text), "{\"entries\": 3}");
	next_is(&b, NGC_MEMBER_ABOUT);
	ck_assert_int_eq(ngc_unpack_text(b.u, &text, &b.err), NGC_DAMAGED);
	ngc_buf_free(&text);
	box_free(&b);
}
END_TEST

START_TEST(what_is_no_archive_is_refused)
{
	struct box b;

	box_new(&b);
	ck_assert_int_eq(ngc_unpack_open(b.path, NULL, &b.u, &b.err), NGC_INVALID);
	ck_assert_ptr_null(b.u);
	ck_assert_int_eq(ngc_unpack_open(b.t.path, NULL, &b.u, &b.err), NGC_INVALID);
	ck_assert_ptr_null(b.u);
	tree_write_text(&b.t, "text", "some text");
	ck_assert_int_eq(
	    ngc_unpack_open(tree_at(&b.t, "text"), NULL, &b.u, &b.err), NGC_OK);
	ck_assert_int_eq(next(&b), NGC_INVALID);
	box_free(&b);
}
END_TEST

START_TEST(reading_ends_when_it_is_stopped)
{
	struct box b;

	box_new(&b);
	for (int i = 0; i < 200; i++)
		add(&b, "pages/d/74/" NAME, '0', "entry");
	end(&b);
	open_it(&b);
	next_is(&b, NGC_MEMBER_ENTRY);
	b.stop = SIGTERM;
	while (next(&b) == NGC_OK)
		;
	ck_assert_int_eq(next(&b), NGC_DAMAGED);
	box_free(&b);
}
END_TEST

/* Read it all; what failed, or NGC_GONE. */
static enum ngc_code read_all(struct box *b)
{
	struct ngc_buf text = { 0 };
	enum ngc_code code = ngc_unpack_open(b->path, NULL, &b->u, &b->err);

	while (code == NGC_OK) {
		code = next(b);
		if (code == NGC_OK && b->m.kind == NGC_MEMBER_ABOUT)
			code = ngc_unpack_text(b->u, &text, &b->err);
	}
	ngc_buf_free(&text);
	ngc_unpack_close(b->u);
	b->u = NULL;
	return code;
}

START_TEST(an_allocation_that_fails_ends_it_and_leaves_nothing_open)
{
	struct box b;

	box_new(&b);
	add_summed(&b, "pages/d/74/" NAME, "entry", "entry", MODIFIED);
	add(&b, "more/d/74/" NAME, '0', "entry");
	add(&b, NGC_ARCHIVE_ABOUT, '0', "{}");
	end(&b);
	tree_write(&b.t, "x.tar", b.tar.p, b.tar.n);
	for (fault.at = 1; fault_begin(); fault.at++) {
		enum ngc_code code = read_all(&b);

		fault_end();
		ck_assert_int_eq(code, fault.seen < fault.at ? NGC_GONE : NGC_FATAL);
		ck_assert_uint_eq(open_descriptors(), b.descriptors);
	}
	ck_assert_uint_gt(fault.at, 3);
	box_free(&b);
}
END_TEST

UNIT_MAIN("unpack", members_are_told_apart_by_their_paths_and_types,
    an_archive_is_whole_only_with_its_end,
    a_checksum_counts_while_the_file_was_not_written_to_since,
    a_zone_may_be_called_as_the_directory_of_a_level,
    what_gzip_has_compressed_must_have_its_checksums,
    many_zones_are_read_and_endless_ones_are_not,
    what_is_told_of_an_archive_is_read_within_reason, what_is_no_archive_is_refused,
    reading_ends_when_it_is_stopped,
    an_allocation_that_fails_ends_it_and_leaves_nothing_open)
