/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FIELD_H
#define FIELD_H

#include "cmd.h"
#include "ngc/entry.h"
#include "ngc/urls.h"

/* The fields of an entry, by the names JSON gives them, for every format of a list. */

struct field;

#define FIELDS_MAX 40

/* A choice of fields, in the order in which they are written. */
struct fields {
	const struct field *list[FIELDS_MAX];
	size_t n;
	unsigned needs; /* what must be read of an entry for them */
};

/* All of them, in the order of the manual. */
void fields_all(struct fields *out);

/* Those that are named, parted by commas; false, and told: an unknown name, or none. */
bool fields_parse(const char *names, struct fields *out);

enum field_format {
	FIELD_JSON, /* an object a line */
	FIELD_CSV,  /* RFC 4180 with LF; nothing a spreadsheet calculates */
	FIELD_TSV,  /* tabs between */
};

/* The first line of CSV and TSV: the names. */
void fields_heading(struct ngc_buf *b, const struct fields *f, enum field_format format);

/*
 * A line about an entry.  NGC_DENIED: it could not be read; what was added to b is to be
 * taken back.
 */
enum ngc_code fields_line(struct ngc_buf *b, const struct cmd_env *env,
    const struct fields *f, enum field_format format, struct ngc_entry *e,
    struct ngc_error *err);

/* The members of its JSON object, without the braces. */
enum ngc_code fields_members(struct ngc_buf *b, const struct cmd_env *env,
    const struct fields *f, struct ngc_entry *e, struct ngc_error *err);

#endif
