/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "explain.h"

/* Is the answer stored?  What the configuration alone says. */

static const struct ngc_directive *setting(const struct run *r, const char *suffix)
{
	char name[40];

	snprintf(name, sizeof(name), "%s%s", ngc_protocol_name(r->pass->protocol),
	    suffix);
	return run_setting(r->level, name);
}

static void add_reason(struct explaining *x, const struct ngc_directive *d,
    const char *what)
{
	struct ngc_buf b = { 0 };

	ngc_buf_printf(&b, "%s (%s:%u): %s", ngc_directive_arg(d, 0), d->file, d->line,
	    what);
	x->failed = x->failed || b.failed ||
		    !explain_add(x, &x->reasons, ngc_buf_bytes(&b));
	ngc_buf_free(&b);
}

/* A value that is neither empty nor "0" makes the condition hold. */
static enum truth holds(struct run *r, const struct ngc_directive *d)
{
	enum truth all = TRUTH_FALSE;

	for (unsigned i = 1; d != NULL && i < d->n_words; i++) {
		struct value v = run_eval(r, d->words[i]);
		struct ngc_bytes s = value_bytes(r->arena, v);

		if (value_unknown(v) != NULL && all == TRUTH_FALSE)
			all = TRUTH_UNKNOWN;
		else if (value_unknown(v) == NULL && s.n > 0 &&
			 !(s.n == 1 && s.p[0] == '0'))
			all = TRUTH_TRUE;
	}
	return all;
}

static void judge(struct explaining *x, struct run *r, const char *suffix,
    const char *what, enum ngc_cacheable then)
{
	const struct ngc_directive *d = setting(r, suffix);
	enum truth t = holds(r, d);

	if (t == TRUTH_FALSE)
		return;
	add_reason(x, d, t == TRUTH_TRUE ? what : "its condition is not known");
	if (x->pub.cacheable == NGC_CACHEABLE_YES)
		x->pub.cacheable = t == TRUTH_TRUE ? then : NGC_CACHEABLE_UNKNOWN;
}

/* Who may not come in gets no answer that could be stored. */
static void judge_access(struct explaining *x, const struct run *r)
{
	const struct ngc_directive *d = r->guard;
	const char *what = "the client's address is not known";

	if (d == NULL)
		return;
	if (ngc_directive_is(d, "auth_basic"))
		what = "whether the password is right is not known";
	if (ngc_directive_is(d, "auth_request"))
		what = "what it answers is not known";
	add_reason(x, d, what);
	x->pub.cacheable = NGC_CACHEABLE_UNKNOWN;
}

/* An error of the upstream may be answered by another page, and not be stored here. */
static void judge_errors(struct explaining *x, const struct run *r)
{
	const struct ngc_directive *d = setting(r, "_intercept_errors");

	if (d == NULL || d->n_words != 2 || r->error_page_seen ||
	    !ngc_bytes_equal(d->words[1], ngc_bytes_of("on")))
		return;
	d = run_setting(r->level, "error_page");
	if (d != NULL)
		add_reason(x, d, "it answers in place of an error of the upstream");
}

void explain_reasons(struct explaining *x, struct run *r)
{
	x->pub.cacheable = NGC_CACHEABLE_YES;
	judge_access(x, r);
	judge_errors(x, r);
	judge(x, r, "_no_cache", "the answer is not stored", NGC_CACHEABLE_NO);
	judge(x, r, "_cache_bypass", "the cache is not read, the answer may be stored",
	    NGC_CACHEABLE_YES);
	if (setting(r, "_cache_valid") != NULL)
		return;
	if (!explain_add(x, &x->reasons,
		ngc_bytes_of("no *_cache_valid: only an answer that names "
			     "its own lifetime is stored")))
		x->failed = true;
	if (x->pub.cacheable == NGC_CACHEABLE_YES)
		x->pub.cacheable = NGC_CACHEABLE_UNKNOWN;
}
