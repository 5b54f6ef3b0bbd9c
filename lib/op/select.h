/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OP_SELECT_H
#define OP_SELECT_H

#include "ngc/pattern.h"
#include "ngc/select.h"
#include "ngc/url.h"

/* What the files of a selection share: select.c builds it, judge.c judges, find.c looks.
 */

struct selector {
	enum ngc_selector_kind kind;
	const char *text;
	struct ngc_scope scope;      /* of NGC_SELECT_URL */
	struct ngc_url *url;         /* NGC_SELECT_URL that names one page */
	struct ngc_url *path;        /* the same of a bare path */
	struct ngc_pattern *around;  /* of such a one: more of its scope, over URLs */
	struct ngc_pattern
	    *pattern; /* glob and regex, over keys; a URL pattern, over URLs */
};

struct filter {
	enum ngc_filter_kind kind;
	const char *text;
	struct ngc_bytes name;       /* of a header, or a method */
	struct ngc_pattern *pattern; /* hosts, keys, types and values of a header */
	int64_t number;              /* a size in bytes, an age in seconds, an instant */
	struct status_range {
		int low, high;
	} *statuses;
	size_t n_statuses;
};

void filter_clear(struct filter *f);

struct ngc_select {
	struct selector *selectors;
	size_t n_selectors, cap_selectors;
	struct filter *filters;
	size_t n_filters, cap_filters;
	const char **tag_headers; /* ends with NULL; NULL: none */
	size_t n_tag_headers, cap_tag_headers;
	struct ngc_arena *arena;  /* the texts of ngc_select_add_many() */
	struct ngc_scope scope;   /* of the URLs that are added next */
	bool named;               /* something was named, if only by an empty list */
};

/* Without a selector every entry is selected; a list of URLs that is empty names none. */
static inline bool select_takes_all(const struct ngc_select *s)
{
	return s->n_selectors == 0 && !s->named;
}

/* Is everything selected, what has no key, too? */
bool select_takes_strays(const struct ngc_select *s);

/* Must every entry be looked at to know what this selector takes? */
static inline bool selector_scans(const struct selector *s)
{
	return s->kind == NGC_SELECT_ALL || s->kind == NGC_SELECT_TAG ||
	       s->pattern != NULL || (s->url != NULL && s->scope.recursive);
}

/*
 * "https://www.example.com/blog/?page=2" and a key of any scheme, method, port and
 * percent-encoding compare as "www.example.com/blog/?page=2".
 */

/* Compile a URL with '*', or a bare path, into a pattern over such text. */
enum ngc_code url_pattern_compile(struct ngc_bytes url, const struct ngc_scope *scope,
    struct ngc_pattern **out, struct ngc_error *err);

/*
 * What a URL that names one page stands for beside it and cannot be computed: the pages
 * below it, and itself on any host.  Which hosts they may have, the caller must ask.
 */
enum ngc_code url_pattern_around(const struct ngc_url *url, const struct ngc_scope *scope,
    struct ngc_pattern **out, struct ngc_error *err);

/*
 * Write the text of a reading with that host, which may be absent; at most size bytes, 0
 * when it has no path or is longer.
 */
size_t url_pattern_subject(const struct ngc_reading *r, struct ngc_bytes host,
    unsigned char *out, size_t size);

/* What a thread needs to judge entries. */
struct judge {
	const struct ngc_select *select;
	const struct ngc_router *router;
	int64_t now;
	struct ngc_pattern_room *room;
	unsigned char *subject;     /* NGC_HEAD_MAX bytes */
	struct ngc_entry *e;        /* the entry in hand */
	bool read;                  /* reading is that of e */
	struct ngc_reading reading;
	const struct ngc_cache *limited; /* that all_allowed tells of; NULL: none */
	bool all_allowed; /* only servers that the limits allow store in it */
};

bool judge_init(struct judge *j, const struct ngc_select *s, const struct ngc_router *r,
    int64_t now); /* false: no memory; judge_free() all the same */
void judge_free(struct judge *j);

/* Begin with an entry. */
void judge_start(struct judge *j, struct ngc_entry *e);

/* Does a selector that scans take the entry?  NGC_DAMAGED: it cannot be told. */
enum ngc_code judge_selector(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err);

/* What the key of the entry in hand says of its request. */
const struct ngc_reading *judge_reading(struct judge *j);

/* Does a pattern match?  what: its text, for the message when matching was given up. */
enum ngc_code judge_match(struct judge *j, const struct ngc_pattern *p,
    struct ngc_bytes subject, const char *what, bool *matched, struct ngc_error *err);

/* limit.c: is the entry in hand one of the host that the filter allows?  Sets *held. */
enum ngc_code limit_ask(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err);

/* Do all filters hold?  NGC_DAMAGED, NGC_DENIED: it cannot be told. */
enum ngc_code judge_filters(struct judge *j, bool *held, struct ngc_error *err);

#endif
