/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FIELD_VALUE_H
#define FIELD_VALUE_H

#include "field.h"
#include "ngc/tags.h"

/* What the table of the fields gives to those that write them. */

enum value_kind {
	VALUE_NONE,
	VALUE_TEXT,
	VALUE_KEY, /* text, which need not be UTF-8 */
	VALUE_INT,
	VALUE_UINT,
	VALUE_BOOL,
	VALUE_MD5,
	VALUE_FILE, /* the entry's path */
	VALUE_URL,  /* the source's */
	VALUE_TAGS, /* of the stored response */
};

struct field_value {
	enum value_kind kind;
	union {
		struct ngc_bytes text;
		int64_t number;
		uint64_t count;
		bool flag;
		const unsigned char *md5;
	};
};

/* The fields of the stored response that are asked for, by their place in this list. */
enum { NAMED_TYPE, NAMED_ENCODING, NAMED_LENGTH, N_NAMED };

/* An entry, with what was read of it. */
struct field_source {
	const struct cmd_env *env;
	const struct ngc_entry *e;
	struct ngc_reading reading;
	struct ngc_bytes named[N_NAMED]; /* the first; absent: there is none */
	struct ngc_entry_url url;
	bool has_url;                 /* it is known */
	bool tagged;                  /* some header holds tags */
	struct ngc_tag_position tags; /* where the first begins */
};

struct field {
	const char *name;
	const char *member; /* as JSON has it, with the comma before it */
	size_t member_len;
	unsigned needs;
	struct field_value (*get)(const struct field_source *s);
};

/*
 * Read what the fields need.  A file cut within its response header is shown as far as it
 * goes.  NGC_DENIED: it could not be read.
 */
enum ngc_code field_source_read(struct field_source *s, const struct fields *f,
    struct ngc_entry *e, struct ngc_error *err);

struct field_value field_value(const struct field_source *s, const struct field *f);

#endif
