/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_VARIANTS_H
#define OUT_VARIANTS_H

#include "cmd.h"
#include "ngc/show.h"

/* The other entries of a key, rendered as they are found, sorted by their paths. */
struct out_variants {
	struct cmd_env *env;
	struct out_variant {
		char *path, *text;
	} *list;
	size_t n, cap;
	bool asked;      /* --variants */
	uint64_t failed; /* what could not be looked at */
};

/*
 * If they are asked for, walk a zone for the entries of that key, except but, which may
 * be NULL.  v: env and asked are set; out_variants_free() in any case.
 */
enum ngc_code out_variants_find(struct out_variants *v, const struct ngc_zone *zone,
    struct ngc_bytes key, const struct ngc_entry *but, struct ngc_error *err);
void out_variants_free(struct out_variants *v);

/* The member "variants": null when nobody asked. */
void out_variants_json(struct ngc_buf *b, const struct out_variants *v);
/* A line for each, behind a label of that width. */
void out_variants_text(struct ngc_buf *b, const struct out_variants *v, int width);

#endif
