/* SPDX-License-Identifier: BSD-2-Clause */
#include "nearest.h"

#include <stdlib.h>

/* A key longer than this is not told. */
#define KEY_MAX 4096

/* The URL as keys tell it, and how much of it must agree: host, slash and a byte. */
static void want_url(struct nearest *n, const struct ngc_url *url)
{
	struct ngc_reading r = { .host = url->host, .uri = url->target };
	size_t size = url->host.n + url->target.n;

	n->wanted = malloc(size);
	if (n->wanted != NULL)
		n->wanted_len = url_pattern_subject(&r, r.host, n->wanted, size);
	n->least = url->host.n + 2;
}

static void want_key(struct nearest *n, const char *key)
{
	n->wanted_len = strlen(key);
	n->wanted = malloc(n->wanted_len + 1);
	if (n->wanted != NULL)
		memcpy(n->wanted, key, n->wanted_len);
	n->least = n->wanted_len / 2 + 1;
}

void nearest_init(struct nearest *n, const struct selector *s)
{
	*n = (struct nearest){ .least = 1 };
	if (s->url != NULL)
		want_url(n, s->url);
	else if (s->kind == NGC_SELECT_KEY)
		want_key(n, s->text);
}

void nearest_free(struct nearest *n)
{
	for (size_t i = 0; i < NEAREST_KEPT; i++)
		free(n->best[i].key);
	free(n->wanted);
}

/* What of the entry is held against it; n 0: nothing. */
static struct ngc_bytes subject_of(const struct selector *s, struct judge *j)
{
	const struct ngc_reading *r;

	if (s->url == NULL)
		return j->e->header.key;
	r = judge_reading(j);
	return ngc_bytes(j->subject,
	    url_pattern_subject(r, r->host, j->subject, NGC_HEAD_MAX));
}

static size_t common_start(const struct nearest *n, struct ngc_bytes s)
{
	size_t i = 0;

	while (i < n->wanted_len && i < s.n && n->wanted[i] == s.p[i])
		i++;
	return i;
}

/* Make room at i; the last falls off. */
static struct nearest_entry *insert(struct nearest *n, size_t i)
{
	struct nearest_entry *at = &n->best[i];

	free(n->best[NEAREST_KEPT - 1].key);
	memmove(at + 1, at, (NEAREST_KEPT - 1 - i) * sizeof(*at));
	*at = (struct nearest_entry){ 0 };
	return at;
}

/* Where an entry of that score belongs; NEAREST_KEPT: nowhere. */
static size_t place_of(const struct nearest *n, size_t score)
{
	size_t i = 0;

	while (i < NEAREST_KEPT && n->best[i].score >= score)
		i++;
	return i;
}

void nearest_offer(struct nearest *n, const struct selector *s, struct judge *j)
{
	const struct ngc_entry *e = j->e;
	struct nearest_entry *at;
	size_t score, i;

	if (n->wanted == NULL || e->damaged || e->header.key.n > KEY_MAX ||
	    ngc_header_is_variant(&e->header, e->name))
		return;
	score = common_start(n, subject_of(s, j));
	i = place_of(n, score);
	if (score < n->least || i == NEAREST_KEPT)
		return;
	at = insert(n, i);
	at->key = malloc(e->header.key.n + 1);
	if (at->key == NULL)
		return;
	memcpy(at->key, e->header.key.p, e->header.key.n);
	at->key_len = e->header.key.n;
	at->score = score;
	at->zone = ngc_cache_zone(e->cache);
	memcpy(at->dir, e->dir, sizeof(at->dir));
	memcpy(at->name, e->name, sizeof(at->name));
}

void nearest_merge(struct nearest *into, struct nearest *from)
{
	for (size_t k = 0; k < NEAREST_KEPT; k++) {
		struct nearest_entry *one = &from->best[k];
		size_t i = place_of(into, one->score);

		if (one->key == NULL || i == NEAREST_KEPT)
			continue;
		*insert(into, i) = *one;
		*one = (struct nearest_entry){ 0 };
	}
}
