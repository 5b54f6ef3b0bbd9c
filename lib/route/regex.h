/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_REGEX_H
#define ROUTE_REGEX_H

#include "ngc/bytes.h"
#include "ngc/mem.h"

/* Regular expressions as nginx uses them: PCRE2 on bytes, compiled when first tried. */

/* A name a group sets as a variable. */
struct named_capture {
	struct ngc_bytes name;
	struct ngc_bytes value;
};

/* What a match caught; it borrows from the subject, and from the regex till that is tried
 * again. */
struct captures {
	const struct ngc_bytes *group; /* absent: not matched */
	unsigned n;             /* groups, the whole match included; 0: no match */
	const struct regex *by; /* whose group names apply */
};

/* Every regex ever tried, kept so that none is compiled twice. */
struct regexes;
struct regexes *regexes_new(void);    /* NULL: no memory */
void regexes_free(struct regexes *r); /* NULL is fine */

/* For who shares them with other threads: around everything done with them. */
void regexes_lock(struct regexes *r);
void regexes_unlock(struct regexes *r);

/*
 * The regex of that pattern; NULL: no memory.  One that does not compile matches nothing,
 * and the first of them is kept for regexes_bad().
 */
const struct regex *regexes_get(struct regexes *r, struct ngc_bytes pattern, bool nocase);

/* PCRE2's message about the first pattern that did not compile; NULL: all did. */
const char *regexes_bad(const struct regexes *r, struct ngc_bytes *pattern);

bool regex_match(const struct regex *x, struct ngc_bytes subject, struct captures *out);

/* The i-th named group of a regex and its value in c; false: there are no more. */
bool regex_named(const struct captures *c, unsigned i, struct named_capture *out);

/* What every subject of a case-sensitive regex begins with: seen in plain cases. */
struct ngc_bytes regex_start(struct ngc_bytes regex);

#endif
