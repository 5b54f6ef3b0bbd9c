/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_SELECT_H
#define NGC_SELECT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ngc/cache.h"
#include "ngc/entry.h"
#include "ngc/error.h"
#include "ngc/site.h"

/*
 * Selecting entries: one language for every command.  A selection is a list of selectors,
 * of which any may hold, and of filters, which all must.  Without a selector it selects
 * every entry that passes the filters.
 */
struct ngc_select;

enum ngc_selector_kind {
	NGC_SELECT_URL, /* what clients would get for a URL; a pattern when it holds a '*'
			 */
	NGC_SELECT_KEY, /* exactly this key */
	NGC_SELECT_GLOB,  /* keys matching a shell pattern */
	NGC_SELECT_REGEX, /* keys matching a regular expression */
	NGC_SELECT_FILE,  /* this cache file */
	NGC_SELECT_TAG,   /* the stored response carries this tag */
	NGC_SELECT_ALL,   /* everything, damaged files too */
};

enum ngc_filter_kind {
	NGC_FILTER_HOST,    /* the entry's host; "*.example.com" takes its subdomains */
	NGC_FILTER_STATUS,  /* "404", "3xx", "400-499", separated by commas */
	NGC_FILTER_EXPIRED, /* all but fresh; no text */
	NGC_FILTER_FRESH,   /* fresh; no text */
	NGC_FILTER_EXCLUDE, /* not the keys matching this shell pattern */
	NGC_FILTER_METHOD,  /* the method its key names */
	NGC_FILTER_TYPE,    /* a shell pattern over its media type, case ignored */
	NGC_FILTER_HEADER, /* "NAME: GLOB": some line of the stored header is like that */
	NGC_FILTER_LARGER, /* more bytes than this size */
	NGC_FILTER_SMALLER,       /* fewer bytes than this size */
	NGC_FILTER_OLDER,         /* cached longer ago than this time */
	NGC_FILTER_NEWER,         /* cached less long ago than this time */
	NGC_FILTER_CACHED_BEFORE, /* cached at this instant or before it */
	NGC_FILTER_CACHED_SINCE,  /* cached at this instant or after it */
	NGC_FILTER_VARIANTS,      /* variants alone; no text */
	NGC_FILTER_LIMIT_HOST,    /* as host: the boundary that nothing widens */
	NGC_FILTERS,
};

struct ngc_select *ngc_select_new(void); /* NULL: no memory */
void ngc_select_free(struct ngc_select *s); /* NULL is fine */

/* What the URLs that are added from now on stand for, beside or instead of themselves. */
void ngc_select_scope(struct ngc_select *s, const struct ngc_scope *scope);

/*
 * Add a selector or a filter.  text must outlive the selection.  Of several hosts,
 * statuses, methods or types, any may be the entry's; of the keys to exclude, none; every
 * other filter must hold.  now: what "now" stands for in an instant. NGC_INVALID: a bad
 * URL, pattern, path, list, size or time.
 */
enum ngc_code ngc_select_add(struct ngc_select *s, enum ngc_selector_kind kind,
    const char *text, struct ngc_error *err);
enum ngc_code ngc_select_filter(struct ngc_select *s, enum ngc_filter_kind kind,
    const char *text, int64_t now, struct ngc_error *err);

/* One more response header that holds tags, beside those of ngc/tags.h; name must outlive
 * s. */
enum ngc_code ngc_select_tag_header(struct ngc_select *s, const char *name,
    struct ngc_error *err);

/* Those names, for ngc_tags_next(). */
const char *const *ngc_select_tag_headers(const struct ngc_select *s);

/*
 * Add many URLs: a JSON array of strings when text begins with '[', else parted by NUL
 * when it holds one, else lines; empty ones are passed over.  What is no URL is handed to
 * bad() with its number, counted from 1, and left out.  text need not outlive the call.
 * NGC_INVALID: not the JSON it begins as.
 */
enum ngc_code ngc_select_add_many(struct ngc_select *s, struct ngc_bytes text,
    void (*bad)(void *arg, size_t number, const struct ngc_error *err), void *arg,
    struct ngc_error *err);

size_t ngc_select_selectors(const struct ngc_select *s);
/* Is there neither a selector, nor a list of URLs, nor a filter? */
bool ngc_select_is_empty(const struct ngc_select *s);
/* Are there selectors, and all of them of that kind? */
bool ngc_select_only(const struct ngc_select *s, enum ngc_selector_kind kind);

/* A key that was looked up, and the file that would hold it. */
struct ngc_tried {
	const struct ngc_zone *zone;
	char *key;
	size_t key_len;
	bool placed; /* the zone's levels are known, so dir is */
	char dir[NGC_LEVELS_TEXT];
	char name[NGC_NAME_LEN + 1];
};

/* An entry that exists under another URL, much like the one that matched nothing. */
struct ngc_near {
	struct ngc_tried at;
	char *url;
};

#define NGC_TRIED_MAX 50
#define NGC_NEAR_MAX 10

struct ngc_selector_result {
	const char *text;
	uint64_t matched;
	uint64_t ambiguous;      /* left: they may be this URL's, or a longer one's */
	struct ngc_tried
	    *tried; /* of a selector that matched nothing: the first NGC_TRIED_MAX */
	size_t n_tried;
	struct ngc_near *near;   /* the first NGC_NEAR_MAX */
	size_t n_near;
	bool uncached; /* a URL that no location of the configuration stores; said only
			* when nothing matched */
};

/* What a run did in one zone. */
struct ngc_zone_found {
	bool failed; /* its cache could not be opened */
	bool same;   /* it lies where a zone before it does: that one was looked into */
	bool walked; /* its directories were read through: totals holds */
	struct ngc_walk_totals totals;
};

struct ngc_select_result {
	struct ngc_selector_result *selectors; /* one for each, in order */
	size_t n_selectors;
	struct ngc_zone_found *zones;          /* one for each of the site's */
	uint64_t matched;                      /* entries visited */
	uint64_t ambiguous;                    /* entries left, by whatever selectors */
	bool walked;                           /* some directory was read through */
	struct ngc_walk_totals totals;         /* of the walks */
	uint64_t failed;                       /* problems reported */
};
void ngc_select_result_free(struct ngc_select_result *r); /* leaves it empty */

enum ngc_walking {
	NGC_WALK_NEEDED, /* when a selector needs it, or an entry that was looked up has
			    variants */
	NGC_WALK_ALWAYS, /* also for variants whose main entry is gone or lost its Vary */
	NGC_WALK_NEVER,  /* names are looked up and that is all */
};

struct ngc_select_run {
	const struct ngc_site *site;
	const struct ngc_select *select;
	const struct ngc_zone *only; /* look into this zone alone; NULL: into all */
	int64_t now;             /* for --expired */
	struct ngc_pace pace;
	enum ngc_walking walking;
	bool loose;              /* take ambiguous entries, too */
	bool explain_misses; /* fill in tried and near of selectors that match nothing */
	bool writes;  /* visit() writes to the entries, by ngc/entry.h */
	bool damaged; /* visit damaged files, too, where the selection takes them */
	const volatile sig_atomic_t *stop;
	/*
	 * Not NULL: the entries are those of this archive, and the caches are not looked
	 * into.  place() tells which of the site's zones an entry is taken for whose
	 * directory in the archive has that name (NULL: it has none); NULL: for none.
	 */
	const char *archive;
	const struct ngc_zone *(*place)(void *arg, const char *name);

	/*
	 * Called once for each selected entry, by several threads at a time; thread is
	 * their number, below ngc_walk_jobs(pace).  Anything but NGC_OK ends the run.
	 */
	enum ngc_code (*visit)(void *arg, unsigned thread, struct ngc_entry *e,
	    struct ngc_error *err);
	/* What a walk meets besides entries, where everything is selected; as visit, or
	 * NULL. */
	enum ngc_code (*stray)(void *arg, unsigned thread, const struct ngc_stray *s,
	    struct ngc_error *err);
	/* Asked of each selected entry, as visit is called: false leaves it out.  May be
	 * NULL. */
	bool (*wanted)(void *arg, struct ngc_entry *e);
	/* A damaged file that is not selected; may be NULL.  By one thread at a time. */
	void (*damaged_met)(void *arg, const struct ngc_entry *e);
	/* What failed; the run goes on.  By one thread at a time. */
	void (*problem)(void *arg, const struct ngc_error *err);
	void *arg;
};

/*
 * Find the selected entries.  Files whose names can be computed are looked up;
 * directories are read only when a selector needs it, or a looked-up entry has variants.
 * A variant is visited before its main entry when both were looked up. out: filled in
 * also on failure; to be freed with ngc_select_result_free(). NGC_INVALID: a directory of
 * the command line is no cache, a file is not in any, a selector needs the walk that is
 * forbidden. Anything else: what a visitor returned, or NGC_FATAL.
 */
enum ngc_code ngc_select_execute(const struct ngc_select_run *run,
    struct ngc_select_result *out, struct ngc_error *err);

#endif
