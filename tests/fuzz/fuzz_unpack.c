/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/unpack.h"

#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ngc/cache.h"

/* More than this of a member is not read: what is sparse may be of any length. */
#define READ_MAX ((size_t)1 << 20)

#define BLOCK 512

static const struct ngc_zone zone = { .name = "fuzz", .path = "/fuzz" };

/* Is it a path that stays below where it is put? */
static bool stays_below(const char *path)
{
	while (*path != '\0') {
		size_t n = strcspn(path, "/");

		if (n == 0 || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += n;
		path += *path == '/' && path[1] != '\0';
	}
	return true;
}

static enum ngc_code take(void *arg, const void *p, size_t n, struct ngc_error *err)
{
	size_t *taken = arg;

	(void)err;
	FUZZ_ASSERT(n > 0 && p != NULL);
	*taken += n;
	return *taken > READ_MAX ? NGC_GONE : NGC_OK;
}

static void check_entry(struct ngc_unpack *u, const struct ngc_member *m,
    const struct ngc_cache *c, struct ngc_reader *r)
{
	struct ngc_error err;
	struct ngc_source *content;
	struct ngc_entry e;
	size_t taken = 0;

	FUZZ_ASSERT(ngc_candidate_name(m->dir, m->name));
	FUZZ_ASSERT(m->root[0] != '/' && stays_below(m->root));
	FUZZ_ASSERT(m->size >= 0);
	ngc_member_entry(m, u, c, &e);
	if (ngc_entry_unpack(&e, r, &err) != NGC_OK)
		return;
	if (!e.damaged && ngc_entry_response(&e, &err) == NGC_OK)
		FUZZ_ASSERT(e.head.n >= e.header.body_start);
	if (ngc_entry_source(&e, 0, &content, &err) != NGC_OK)
		return;
	if (ngc_source_pass(content, take, &taken, &err) == NGC_OK)
		FUZZ_ASSERT(taken <= READ_MAX && (off_t)taken <= m->size);
	content->close(content);
}

static void read_through(const char *path, const struct ngc_cache *c,
    struct ngc_reader *r)
{
	enum ngc_code code;
	struct ngc_unpack *u;
	struct ngc_member m;
	struct ngc_error err;

	FUZZ_ASSERT(ngc_unpack_open(path, NULL, &u, &err) == NGC_OK);
	while ((code = ngc_unpack_next(u, &m, &err)) == NGC_OK) {
		FUZZ_ASSERT(m.path != NULL);
		FUZZ_ASSERT((m.kind == NGC_MEMBER_REFUSED) == (m.why != NULL));
		if (m.kind == NGC_MEMBER_ENTRY)
			check_entry(u, &m, c, r);
		if (ngc_unpack_failed(u, &err) != NGC_OK)
			break;
	}
	FUZZ_ASSERT(code == NGC_OK || code == NGC_GONE || code == NGC_DAMAGED ||
		    code == NGC_INVALID);
	ngc_unpack_close(u);
}

/* Write the checksums that headers have, which no fuzzer guesses. */
static void mend(unsigned char *p, size_t n)
{
	for (; n >= BLOCK; p += BLOCK, n -= BLOCK) {
		unsigned sum = 8 * ' ';

		if (memcmp(p + 257, "ustar", 5) != 0)
			continue;
		for (size_t i = 0; i < BLOCK; i++)
			sum += i < 148 || i >= 156 ? p[i] : 0;
		snprintf((char *)p + 148, 8, "%06o", sum & 0777777);
		p[155] = ' ';
	}
}

static void check_bytes(const unsigned char *p, size_t n)
{
	struct ngc_cache *c = ngc_cache_archived(&zone, &zone);
	struct ngc_reader *r = ngc_reader_new();
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	FUZZ_ASSERT(c != NULL && r != NULL && fd >= 0);
	FUZZ_ASSERT(write(fd, p, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_through(path, c, r);
	close(fd);
	ngc_reader_free(r);
	ngc_cache_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *mended = malloc(size + 1);

	FUZZ_ASSERT(mended != NULL);
	if (size > 0)
		memcpy(mended, data, size);
	check_bytes(data, size);
	mend(mended, size);
	check_bytes(mended, size);
	free(mended);
	return 0;
}
