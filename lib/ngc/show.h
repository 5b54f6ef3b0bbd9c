/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_SHOW_H
#define NGC_SHOW_H

#include "ngc/locate.h"
#include "ngc/select.h"
#include "ngc/unpack.h"

/* One entry, found and held open. */
struct ngc_shown {
	struct ngc_entry *entry;
	struct ngc_unpack *unpack; /* it is the member in hand of an archive; or NULL */
	struct ngc_located located; /* how a request leads to it, with a configuration */
	struct ngc_select_result found; /* how it was selected, without */
};

/*
 * Find the one entry that a request leads to.  Where it leads to no key (no server
 * listens on that port, as a front passes requests on to another), and without a
 * configuration or a URL, it is the one that a selection is about.  Nothing is walked.
 * When several are selected, a main entry is taken rather than a variant, then one for
 * GET, then one of the scheme asked for. run: as for ngc_select_execute(), without visit.
 * req: NULL: it is no URL. out: to be freed with ngc_shown_free() in any case. NGC_GONE:
 * nothing matched, or it vanished meanwhile.  NGC_DAMAGED: it is no cache file.
 */
enum ngc_code ngc_show(const struct ngc_select_run *run,
    const struct ngc_explain_request *req, struct ngc_shown *out, struct ngc_error *err);
void ngc_shown_free(struct ngc_shown *s);

/* What else of a key there is: the main entry, and its variants. */
struct ngc_others {
	const struct ngc_zone *zone;
	struct ngc_bytes key;
	const struct ngc_entry *but; /* the one that is known already; NULL: none */
	/* Called by one thread at a time; anything but NGC_OK ends it. */
	enum ngc_code (*each)(void *arg, struct ngc_entry *e, struct ngc_error *err);
	void *arg;
};

/*
 * Walk the zone for them.  run: as for ngc_select_execute(), without select and visit.
 * failed: how many problems were reported.
 */
enum ngc_code ngc_show_others(const struct ngc_select_run *run,
    const struct ngc_others *others, uint64_t *failed, struct ngc_error *err);

/*
 * Hand the body to write() piece by piece, from body_start to the end of the file.  What
 * write() returns ends it when it is not NGC_OK.
 * decode: with its content codings undone.  NGC_DENIED, NGC_DAMAGED: that cannot be done,
 * as ngc/decode.h tells; what could be decoded until then was written.
 */
enum ngc_code ngc_shown_body(const struct ngc_shown *s, bool decode,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err);

#endif
