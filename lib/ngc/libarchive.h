/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_LIBARCHIVE_H
#define NGC_LIBARCHIVE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "ngc/error.h"

/*
 * libarchive, as in archive.h and archive_entry.h: a table of what is used of it, loaded
 * when an archive is written or read.  A name here is the library's without its
 * "archive_".
 */

struct archive;
struct archive_entry;

/* What its functions return; below ARCHIVE_WARN the call has failed. */
enum {
	ARCHIVE_EOF = 1,
	ARCHIVE_OK = 0,
	ARCHIVE_RETRY = -10,
	ARCHIVE_WARN = -20,
	ARCHIVE_FAILED = -25, /* this entry */
	ARCHIVE_FATAL = -30,
};

/* Of filter_code(): what is read is not compressed. */
#define ARCHIVE_FILTER_NONE 0

/* Types of entries. */
#define ARCHIVE_FILE      0100000u
#define ARCHIVE_DIRECTORY 0040000u

struct ngc_libarchive {
	int (*error_number)(struct archive *);
	const char *(*error_string)(struct archive *);
	void (*set_error)(struct archive *, int number, const char *fmt, ...);

	struct archive *(*write_new)(void);
	int (*write_set_format_pax)(struct archive *);
	int (*write_set_format_option)(struct archive *, const char *format,
	    const char *option, const char *value);
	int (*write_add_filter_gzip)(struct archive *);
	int (*write_add_filter_lz4)(struct archive *);
	int (*write_add_filter_xz)(struct archive *);
	int (*write_add_filter_zstd)(struct archive *);
	int (*write_set_filter_option)(struct archive *, const char *filter,
	    const char *option, const char *value);
	int (*write_set_bytes_per_block)(struct archive *, int bytes);
	int (*write_set_bytes_in_last_block)(struct archive *, int bytes);
	int (*write_open)(struct archive *, void *arg,
	    int (*open)(struct archive *, void *arg),
	    ssize_t (*write)(struct archive *, void *arg, const void *p, size_t n),
	    int (*close)(struct archive *, void *arg));
	int (*write_header)(struct archive *, struct archive_entry *);
	ssize_t (*write_data)(struct archive *, const void *p, size_t n);
	int (*write_finish_entry)(struct archive *);
	int (*write_close)(struct archive *);
	int (*write_fail)(struct archive *); /* closing writes nothing from now on */
	int (*write_free)(struct archive *);

	struct archive *(*read_new)(void);
	/* Not "all": some of those run other programs. */
	int (*read_support_filter_lz4)(struct archive *);
	int (*read_support_filter_zstd)(struct archive *);
	int (*read_support_format_tar)(struct archive *);
	int (*read_set_options)(struct archive *, const char *);
	int (*read_open2)(struct archive *, void *arg,
	    int (*open)(struct archive *, void *arg),
	    ssize_t (*read)(struct archive *, void *arg, const void **p),
	    int64_t (*skip)(struct archive *, void *arg, int64_t n),
	    int (*close)(struct archive *, void *arg));
	int (*filter_code)(struct archive *, int filter); /* the last is 0 */
	int64_t (*filter_bytes)(struct archive *, int filter); /* taken out of it */
	int64_t (*read_header_position)(struct archive *); /* the last one's, or where the
							    * next would have been */
	int (*read_next_header)(struct archive *, struct archive_entry **);
	ssize_t (*read_data)(struct archive *, void *p, size_t n);
	int (*read_data_skip)(struct archive *);
	int (*read_free)(struct archive *);

	struct archive_entry *(*entry_new)(void);
	struct archive_entry *(*entry_clear)(struct archive_entry *);
	void (*entry_free)(struct archive_entry *);
	void (*entry_set_pathname)(struct archive_entry *, const char *);
	void (*entry_set_filetype)(struct archive_entry *, unsigned);
	void (*entry_set_perm)(struct archive_entry *, mode_t);
	void (*entry_set_uid)(struct archive_entry *, int64_t);
	void (*entry_set_gid)(struct archive_entry *, int64_t);
	void (*entry_set_size)(struct archive_entry *, int64_t);
	void (*entry_set_mtime)(struct archive_entry *, time_t, long nanoseconds);
	void (*entry_sparse_add_entry)(struct archive_entry *, int64_t at, int64_t n);
	void (*entry_xattr_add_entry)(struct archive_entry *, const char *name,
	    const void *value, size_t n);
	const char *(*entry_pathname)(struct archive_entry *); /* NULL: not to be told */
	mode_t (*entry_filetype)(struct archive_entry *);
	mode_t (*entry_perm)(struct archive_entry *);
	int64_t (*entry_uid)(struct archive_entry *);
	int64_t (*entry_size)(struct archive_entry *);
	int (*entry_size_is_set)(struct archive_entry *);
	time_t (*entry_mtime)(struct archive_entry *);
	long (*entry_mtime_nsec)(struct archive_entry *);
	const char *(*entry_hardlink)(struct archive_entry *);
	const char *(*entry_symlink)(struct archive_entry *);
	int (*entry_xattr_reset)(struct archive_entry *);
	int (*entry_xattr_next)(struct archive_entry *, const char **name,
	    const void **value, size_t *n);
};

/*
 * The loaded library.  out: it stays loaded; NULL unless NGC_OK is returned.
 * NGC_DENIED: it is not there, or too old.
 */
enum ngc_code ngc_libarchive_load(const struct ngc_libarchive **out,
    struct ngc_error *err);

#endif
