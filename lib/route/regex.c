/* SPDX-License-Identifier: BSD-2-Clause */
#include "regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* A pattern written by an administrator is trusted, but a URL may make it run away. */
#define MATCH_LIMIT 1000000

struct regex {
	struct regex *next;       /* in its chain */
	struct ngc_bytes pattern; /* borrowed */
	bool nocase;
	pcre2_code *code; /* NULL: it does not compile */
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct ngc_bytes *group; /* what the last match caught */
};

#define N_CHAINS 256

struct regexes {
	struct ngc_arena *arena;
	pthread_mutex_t lock;
	struct regex *chain[N_CHAINS];
	struct ngc_bytes bad; /* absent: every one compiled */
	char message[256];    /* about it */
};

struct regexes *regexes_new(void)
{
	struct regexes *r = ngc_array_alloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->arena = ngc_arena_new();
	if (r->arena == NULL) {
		free(r);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

static void release(struct regex *x)
{
	pcre2_match_context_free(x->context);
	pcre2_match_data_free(x->data);
	pcre2_code_free(x->code);
}

void regexes_free(struct regexes *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < N_CHAINS; i++)
		for (struct regex *x = r->chain[i]; x != NULL; x = x->next)
			release(x);
	pthread_mutex_destroy(&r->lock);
	ngc_arena_free(r->arena);
	free(r);
}

void regexes_lock(struct regexes *r)
{
	pthread_mutex_lock(&r->lock);
}

void regexes_unlock(struct regexes *r)
{
	pthread_mutex_unlock(&r->lock);
}

static size_t chain_of(struct ngc_bytes s, bool nocase)
{
	uint32_t h = nocase;

	for (size_t i = 0; i < s.n; i++)
		h = h * 31 + s.p[i];
	return h % N_CHAINS;
}

static void keep_bad(struct regexes *r, struct ngc_bytes pattern, int error)
{
	if (r->bad.p != NULL)
		return;
	r->bad = pattern;
	pcre2_get_error_message(error, (PCRE2_UCHAR *)r->message, sizeof(r->message));
}

static bool compile(struct regexes *r, struct regex *x)
{
	int error;
	PCRE2_SIZE offset;

	x->code = pcre2_compile(x->pattern.p, x->pattern.n,
	    x->nocase ? PCRE2_CASELESS : 0, &error, &offset, NULL);
	if (x->code == NULL && error == PCRE2_ERROR_NOMEMORY)
		return false;
	if (x->code == NULL) {
		keep_bad(r, x->pattern, error);
		return true;
	}
	x->data = pcre2_match_data_create_from_pattern(x->code, NULL);
	x->context = pcre2_match_context_create(NULL);
	x->group = x->data != NULL
		       ? ngc_arena_alloc(r->arena, pcre2_get_ovector_count(x->data),
			     sizeof(*x->group))
		       : NULL;
	if (x->data == NULL || x->context == NULL || x->group == NULL)
		return false;
	pcre2_set_match_limit(x->context, MATCH_LIMIT);
	return true;
}

const struct regex *regexes_get(struct regexes *r, struct ngc_bytes pattern, bool nocase)
{
	struct regex **chain = &r->chain[chain_of(pattern, nocase)], *x;

	for (x = *chain; x != NULL; x = x->next)
		if (x->nocase == nocase && ngc_bytes_equal(x->pattern, pattern))
			return x;
	x = ngc_arena_alloc(r->arena, 1, sizeof(*x));
	if (x == NULL)
		return NULL;
	x->pattern = pattern;
	x->nocase = nocase;
	if (!compile(r, x)) {
		release(x);
		return NULL;
	}
	x->next = *chain;
	*chain = x;
	return x;
}

const char *regexes_bad(const struct regexes *r, struct ngc_bytes *pattern)
{
	*pattern = r->bad;
	return r->bad.p != NULL ? r->message : NULL;
}

bool regex_match(const struct regex *x, struct ngc_bytes subject, struct captures *out)
{
	const PCRE2_SIZE *at;
	int n;

	out->n = 0;
	out->by = x;
	if (x->code == NULL)
		return false;
	n = pcre2_match(x->code, subject.p != NULL ? subject.p : (PCRE2_SPTR) "",
	    subject.n, 0, 0, x->data, x->context);
	if (n < 0)
		return false;
	at = pcre2_get_ovector_pointer(x->data);
	out->n = pcre2_get_ovector_count(x->data);
	out->group = x->group;
	for (unsigned i = 0; i < out->n; i++)
		x->group[i] = at[2 * i] == PCRE2_UNSET || at[2 * i] > at[2 * i + 1]
				  ? ngc_bytes(NULL, 0)
				  : ngc_bytes(subject.p + at[2 * i],
					at[2 * i + 1] - at[2 * i]);
	return true;
}

bool regex_named(const struct captures *c, unsigned i, struct named_capture *out)
{
	uint32_t count = 0, size = 0;
	PCRE2_SPTR table = NULL;
	unsigned group;

	if (c->by == NULL || c->by->code == NULL)
		return false;
	pcre2_pattern_info(c->by->code, PCRE2_INFO_NAMECOUNT, &count);
	pcre2_pattern_info(c->by->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(c->by->code, PCRE2_INFO_NAMETABLE, &table);
	if (i >= count)
		return false;
	table += (size_t)i * size;
	group = (unsigned)table[0] << 8 | table[1];
	out->name = ngc_bytes_of((const char *)table + 2);
	out->value = group < c->n ? c->group[group] : ngc_bytes(NULL, 0);
	return true;
}

/* Has the regex alternatives that stand in no group? */
static bool has_alternatives(struct ngc_bytes regex)
{
	int depth = 0;

	for (size_t i = 0; i < regex.n; i++) {
		depth += (regex.p[i] == '(') - (regex.p[i] == ')');
		if (regex.p[i] == '|' && depth <= 0)
			return true;
	}
	return false;
}

struct ngc_bytes regex_start(struct ngc_bytes s)
{
	size_t n = 1;

	if (s.n < 2 || s.p[0] != '^' || has_alternatives(s))
		return ngc_bytes("", 0);
	while (n < s.n && memchr("^$.[]|()?*+{}\\", s.p[n], 14) == NULL)
		n++;
	if (n > 1 && n < s.n && memchr("?*{", s.p[n], 3) != NULL)
		n--;
	return ngc_bytes(s.p + 1, n - 1);
}
