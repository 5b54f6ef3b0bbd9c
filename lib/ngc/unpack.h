/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_UNPACK_H
#define NGC_UNPACK_H

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "ngc/entry.h"
#include "ngc/error.h"

/*
 * Reading a tar of one cache or several: the archives that this program writes, and what
 * tar(1) makes of a cache's directory.  It is read once, from its beginning to its end,
 * and nothing of it is trusted.
 */
struct ngc_unpack;

/* The member, the last of an archive of this program's, that tells of the others. */
#define NGC_ARCHIVE_ABOUT "ngxcache.json"

/*
 * An extended attribute of its entries: the CRC-32 of the file.  With it stands the time
 * at which the file was last written to: where somebody has unpacked the attribute, too,
 * nginx may have written to the file since.
 */
#define NGC_ARCHIVE_SUM        "user.ngxcache.crc32"
#define NGC_ARCHIVE_SUM_DIGITS 8
#define NGC_ARCHIVE_SUM_FORMAT "%08" PRIx32 " %lld.%09ld"
#define NGC_ARCHIVE_SUM_TEXT   64

/*
 * path: "-" is standard input; it must outlive the result.
 * stop: not 0: reading ends soon, as if it failed; may be NULL.
 * out: on NGC_OK owned by the caller (ngc_unpack_close()), otherwise NULL.
 * NGC_INVALID: there is no such file.  NGC_DENIED: it cannot be opened, or libarchive is
 * not there.
 */
enum ngc_code ngc_unpack_open(const char *path, const volatile sig_atomic_t *stop,
    struct ngc_unpack **out, struct ngc_error *err);
void ngc_unpack_close(struct ngc_unpack *u); /* NULL is fine */

enum ngc_member_kind {
	NGC_MEMBER_ENTRY,     /* a candidate: a file at the place of an entry */
	NGC_MEMBER_TEMPORARY, /* by its name a temporary file of nginx */
	NGC_MEMBER_ABOUT,     /* what is told of the archive itself */
	NGC_MEMBER_NONE,      /* a directory */
	NGC_MEMBER_FOREIGN,   /* something else, and no harm */
	NGC_MEMBER_REFUSED,   /* why tells: a path or a type that none of nginx's has */
};

/* A member; the strings are valid until the next one is read. */
struct ngc_member {
	enum ngc_member_kind kind;
	const char *path; /* as it stands in the archive */
	const char *why;
	/* Of a candidate. */
	const char *root; /* the directories above those of its levels, "" or "static" */
	const char *zone; /* what the last of them names; NULL: there is none */
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1];
	off_t size;
	uid_t owner;
	mode_t mode;
	struct timespec modified;
	bool summed; /* its checksum is known, for this program has archived it */
};

/*
 * The next member; what was not read of the last one is passed over.
 * NGC_GONE: there are no more, and the archive is whole.
 * NGC_DAMAGED: it is cut, or broken.  NGC_INVALID: it is no tar.
 */
enum ngc_code ngc_unpack_next(struct ngc_unpack *u, struct ngc_member *out,
    struct ngc_error *err);

/* Says why a member of an archive is refused; returns NGC_DAMAGED. */
enum ngc_code ngc_member_refused(const struct ngc_member *m, const char *archive,
    struct ngc_error *err);

/* The candidate in hand as an entry of which nothing was read, for ngc_entry_unpack(). */
void ngc_member_entry(const struct ngc_member *m, struct ngc_unpack *u,
    const struct ngc_cache *c, struct ngc_entry *out);

/* What the member in hand holds, appended to out.  NGC_DAMAGED: as ngc_unpack_next(), or
 * it is larger than any of this program's own. */
enum ngc_code ngc_unpack_text(struct ngc_unpack *u, struct ngc_buf *out,
    struct ngc_error *err);

/* Could the stream be read to where it was asked to?  Otherwise the run is over. */
enum ngc_code ngc_unpack_failed(const struct ngc_unpack *u, struct ngc_error *err);

#endif
