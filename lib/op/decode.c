/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/decode.h"

#include <stdlib.h>

#include "coding.h"

/* The codings of a body in the order of undoing them: the last one named first. */

#define STAGES_MAX 8
#define ROOM       16384

struct stage {
	const struct coding *coding;
	void *state;
	bool begun, ended;
	unsigned char out[ROOM];
};

struct ngc_decoder {
	enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err);
	void *arg;
	size_t n;
	struct stage stages[];
};

static const struct coding *const codings[] = { &coding_gzip, &coding_deflate, &coding_br,
	&coding_zstd, NULL };

static const struct coding *find(struct ngc_bytes name)
{
	for (size_t i = 0; codings[i] != NULL; i++)
		if (ngc_bytes_same(name, ngc_bytes_of(codings[i]->name)) ||
		    ngc_bytes_same(name, ngc_bytes_of(codings[i]->alias)))
			return codings[i];
	return NULL;
}

struct names {
	struct ngc_bytes name[STAGES_MAX];
	size_t n;
};

static enum ngc_code add_name(struct names *names, struct ngc_bytes name,
    struct ngc_error *err)
{
	while (name.n > 0 && (name.p[0] == ' ' || name.p[0] == '\t'))
		name = ngc_bytes_from(name, 1);
	while (name.n > 0 && (name.p[name.n - 1] == ' ' || name.p[name.n - 1] == '\t'))
		name.n--;
	if (name.n == 0 || ngc_bytes_same(name, ngc_bytes_of("identity")))
		return NGC_OK;
	if (find(name) == NULL)
		return ngc_fail(err, NGC_DENIED, 0,
		    "Content-Encoding '%.*s' is not known",
		    name.n < 64 ? (int)name.n : 64, (const char *)name.p);
	if (names->n == STAGES_MAX)
		return ngc_fail(err, NGC_DENIED, 0, "too many Content-Encodings");
	names->name[names->n++] = name;
	return NGC_OK;
}

static enum ngc_code read_names(const struct ngc_response *r, struct names *out,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	struct ngc_bytes name, list;
	size_t pos = 0;

	out->n = 0;
	while (ngc_response_next(r, &pos, &name, &list)) {
		if (!ngc_bytes_same(name, ngc_bytes_of("Content-Encoding")))
			continue;
		while (list.n > 0 && code == NGC_OK) {
			const unsigned char *comma = memchr(list.p, ',', list.n);
			size_t n = comma != NULL ? (size_t)(comma - list.p) : list.n;

			code = add_name(out, ngc_bytes(list.p, n), err);
			list = ngc_bytes_from(list, comma != NULL ? n + 1 : n);
		}
	}
	return code;
}

enum ngc_code ngc_decoder_new(const struct ngc_response *r,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_decoder **out, struct ngc_error *err)
{
	struct ngc_decoder *d = NULL;
	struct names names;
	enum ngc_code code = read_names(r, &names, err);

	*out = NULL;
	if (code != NGC_OK)
		return code;
	d = calloc(1, sizeof(*d) + names.n * sizeof(d->stages[0]));
	if (d == NULL)
		return ngc_no_memory(err);
	d->write = write;
	d->arg = arg;
	while (names.n-- > 0 && code == NGC_OK) {
		struct stage *s = &d->stages[d->n];

		s->coding = find(names.name[names.n]);
		code = s->coding->open(&s->state, err);
		if (code != NGC_OK)
			ngc_wrap(err, "%s", s->coding->name);
		else
			d->n++;
	}
	if (code == NGC_OK)
		*out = d;
	else
		ngc_decoder_free(d);
	return code;
}

void ngc_decoder_free(struct ngc_decoder *d)
{
	for (size_t i = 0; d != NULL && i < d->n; i++)
		d->stages[i].coding->close(d->stages[i].state);
	free(d);
}

static enum ngc_code feed(struct ngc_decoder *d, size_t stage, struct ngc_bytes in,
    struct ngc_error *err);

/* What a stage made before it failed: how the others fare with it is of no interest. */
static void pass_rest(struct ngc_decoder *d, size_t stage, const struct coding_piece *p)
{
	struct ngc_error ignored;

	if (p->made > 0)
		feed(d, stage + 1, ngc_bytes(d->stages[stage].out, p->made), &ignored);
}

static enum ngc_code feed(struct ngc_decoder *d, size_t stage, struct ngc_bytes in,
    struct ngc_error *err)
{
	struct coding_piece p = { .in = in, .room = ROOM };
	enum ngc_code code;
	struct stage *s;

	if (stage == d->n)
		return d->write(d->arg, in.p, in.n, err);
	s = &d->stages[stage];
	s->begun = true;
	p.out = s->out;
	do {
		p.made = 0;
		code = s->coding->step(s->state, &p, err);
		if (code != NGC_OK) {
			ngc_wrap(err, "%s", s->coding->name);
			pass_rest(d, stage, &p);
			return code;
		}
		s->ended = p.ended;
		if (p.made > 0)
			code = feed(d, stage + 1, ngc_bytes(s->out, p.made), err);
	} while (code == NGC_OK && (p.in.n > 0 || p.made == ROOM));
	return code;
}

enum ngc_code ngc_decoder_feed(struct ngc_decoder *d, const void *p, size_t n,
    struct ngc_error *err)
{
	return n > 0 ? feed(d, 0, ngc_bytes(p, n), err) : NGC_OK;
}

enum ngc_code ngc_decoder_end(struct ngc_decoder *d, struct ngc_error *err)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->stages[i].begun && !d->stages[i].ended)
			return ngc_fail(err, NGC_DAMAGED, 0, "%s: it ends early",
			    d->stages[i].coding->name);
	return NGC_OK;
}
