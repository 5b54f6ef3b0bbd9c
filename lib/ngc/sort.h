/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_SORT_H
#define NGC_SORT_H

#include "ngc/select.h"

/* The selected entries in an order. */

enum ngc_sort_kind {
	NGC_SORT_KEY,     /* byte by byte */
	NGC_SORT_SIZE,    /* of the file, in bytes */
	NGC_SORT_CACHED,  /* when nginx stored or revalidated it */
	NGC_SORT_EXPIRES, /* until when it is fresh */
	NGC_SORT_STATUS,  /* of the response; none is 0 */
	NGC_SORTS,
};
const char *ngc_sort_name(enum ngc_sort_kind k); /* "key", "size", ... */

struct ngc_sort {
	enum ngc_sort_kind by; /* the least first; what is alike, by the file's name */
	bool reverse;
	uint64_t limit;        /* visit so many, the first of that order; 0: all */
};

/*
 * As ngc_select_execute(), but run->visit is called in that order, by one thread, after
 * all entries were looked at.  What they are sorted by is remembered, the entry itself is
 * opened again: one that is gone by then is passed over.  Damaged files come first.
 * Holds about 50 bytes an entry and, to sort by them, the keys; with a limit no more than
 * that many a thread.  Of an archive, what was read of the entries is kept in a temporary
 * file.
 */
enum ngc_code ngc_select_sorted(const struct ngc_select_run *run,
    const struct ngc_sort *how, struct ngc_select_result *out, struct ngc_error *err);

#endif
