/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/libarchive.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ngc/library.h"

#define FUNCTION(name) { "archive_" #name, offsetof(struct ngc_libarchive, name) }

static const struct ngc_library_function functions[] = {
	{ "archive_errno", offsetof(struct ngc_libarchive, error_number) },
	FUNCTION(error_string),
	FUNCTION(set_error),
	FUNCTION(write_new),
	FUNCTION(write_set_format_pax),
	FUNCTION(write_set_format_option),
	FUNCTION(write_add_filter_gzip),
	FUNCTION(write_add_filter_lz4),
	FUNCTION(write_add_filter_xz),
	FUNCTION(write_add_filter_zstd),
	FUNCTION(write_set_filter_option),
	FUNCTION(write_set_bytes_per_block),
	FUNCTION(write_set_bytes_in_last_block),
	FUNCTION(write_open),
	FUNCTION(write_header),
	FUNCTION(write_data),
	FUNCTION(write_finish_entry),
	FUNCTION(write_close),
	FUNCTION(write_fail),
	FUNCTION(write_free),
	FUNCTION(read_new),
	FUNCTION(read_support_filter_lz4),
	FUNCTION(read_support_filter_zstd),
	FUNCTION(read_support_format_tar),
	FUNCTION(read_set_options),
	FUNCTION(read_open2),
	FUNCTION(filter_code),
	FUNCTION(filter_bytes),
	FUNCTION(read_header_position),
	FUNCTION(read_next_header),
	FUNCTION(read_data),
	FUNCTION(read_data_skip),
	FUNCTION(read_free),
	FUNCTION(entry_new),
	FUNCTION(entry_clear),
	FUNCTION(entry_free),
	FUNCTION(entry_set_pathname),
	FUNCTION(entry_set_filetype),
	FUNCTION(entry_set_perm),
	FUNCTION(entry_set_uid),
	FUNCTION(entry_set_gid),
	FUNCTION(entry_set_size),
	FUNCTION(entry_set_mtime),
	FUNCTION(entry_sparse_add_entry),
	FUNCTION(entry_xattr_add_entry),
	FUNCTION(entry_pathname),
	FUNCTION(entry_filetype),
	FUNCTION(entry_perm),
	FUNCTION(entry_uid),
	FUNCTION(entry_size),
	FUNCTION(entry_size_is_set),
	FUNCTION(entry_mtime),
	FUNCTION(entry_mtime_nsec),
	FUNCTION(entry_hardlink),
	FUNCTION(entry_symlink),
	FUNCTION(entry_xattr_reset),
	FUNCTION(entry_xattr_next),
	{ NULL, 0 },
};

enum ngc_code ngc_libarchive_load(const struct ngc_libarchive **out,
    struct ngc_error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct ngc_libarchive library;
	static bool loaded;
	enum ngc_code code = NGC_OK;

	*out = NULL;
	pthread_mutex_lock(&lock);
	if (!loaded)
		code = ngc_library_load("libarchive.so.13", functions, &library, err);
	loaded = code == NGC_OK;
	pthread_mutex_unlock(&lock);
	if (code != NGC_OK)
		return ngc_wrap(err, "archives need libarchive");
	*out = &library;
	return NGC_OK;
}
