/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/coding.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "coding.h"

#define ROOM 65536

static const struct ngc_coding *const codings[] = { &coding_gzip, &coding_deflate,
	&coding_br, &coding_zstd, &coding_xz, NULL };

/* A source that feeds a coding with what comes of another. */
struct fed {
	struct ngc_source source;
	struct ngc_source *from;
	const struct ngc_coding *coding;
	void *state;
	bool begun, over; /* of from */
	bool ended;
	enum ngc_code failed;
	struct ngc_error err; /* why */
	struct ngc_bytes in;
	unsigned char raw[ROOM];
};

const struct ngc_coding *ngc_coding_named(struct ngc_bytes name)
{
	for (size_t i = 0; name.n > 0 && codings[i] != NULL; i++)
		if (ngc_bytes_same(name, ngc_bytes_of(codings[i]->name)) ||
		    ngc_bytes_same(name, ngc_bytes_of(codings[i]->alias)))
			return codings[i];
	return NULL;
}

const struct ngc_coding *ngc_coding_of(struct ngc_bytes first)
{
	for (size_t i = 0; codings[i] != NULL; i++) {
		struct ngc_bytes magic = codings[i]->magic;

		if (magic.n > 0 && first.n >= magic.n &&
		    memcmp(first.p, magic.p, magic.n) == 0)
			return codings[i];
	}
	return NULL;
}

void coding_skip_padding(struct ngc_bytes *in)
{
	while (in->n > 0 && in->p[0] == '\0')
		*in = ngc_bytes_from(*in, 1);
}

static enum ngc_code fetch(struct fed *f, struct ngc_error *err)
{
	ssize_t n = f->from->read(f->from, f->raw, sizeof(f->raw), err);

	if (n < 0)
		return err->code;
	f->begun = f->begun || n > 0;
	f->over = n == 0;
	f->in = ngc_bytes(f->raw, (size_t)n);
	return NGC_OK;
}

static enum ngc_code take_step(struct fed *f, struct coding_piece *p,
    struct ngc_error *err)
{
	enum ngc_code code;

	p->in = f->in;
	code = f->coding->step(f->state, p, err);
	f->in = p->in;
	f->ended = p->ended;
	if (code == NGC_OK && p->made == 0 && f->over && !p->ended)
		code = ngc_fail(err, NGC_DAMAGED, 0, "it ends early");
	if (code != NGC_OK)
		ngc_wrap(err, "%s", f->coding->name);
	return code;
}

/* What was made before it fails is handed out first. */
static ssize_t fed_read(struct ngc_source *s, void *out, size_t n, struct ngc_error *err)
{
	struct fed *f = (struct fed *)s;
	struct coding_piece p = { .out = out, .room = n };

	while (f->failed == NGC_OK && p.made == 0) {
		if (f->in.n == 0 && !f->over)
			f->failed = fetch(f, &f->err);
		if (f->over && (!f->begun || f->ended))
			break;
		if (f->failed == NGC_OK)
			f->failed = take_step(f, &p, &f->err);
	}
	if (p.made > 0 || f->failed == NGC_OK)
		return (ssize_t)p.made;
	*err = f->err;
	return -1;
}

static void fed_close(struct ngc_source *s)
{
	struct fed *f = (struct fed *)s;

	f->coding->close(f->state);
	f->from->close(f->from);
	free(f);
}

enum ngc_code ngc_coding_undo(const struct ngc_coding *c, struct ngc_source **s,
    struct ngc_error *err)
{
	struct fed *f = malloc(sizeof(*f));
	enum ngc_code code;

	if (f == NULL)
		return ngc_no_memory(err);
	memset(f, 0, offsetof(struct fed, raw));
	f->source = (struct ngc_source){ fed_read, fed_close };
	f->from = *s;
	f->coding = c;
	code = c->open(&f->state, err);
	if (code == NGC_OK)
		*s = &f->source;
	else
		free(f);
	return code == NGC_OK ? code : ngc_wrap(err, "%s", c->name);
}

enum ngc_code ngc_source_pass(struct ngc_source *s,
    enum ngc_code (*write)(void *arg, const void *p, size_t n, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	unsigned char *piece = malloc(ROOM);
	enum ngc_code code = NGC_OK;
	ssize_t n = 1;

	if (piece == NULL)
		return ngc_no_memory(err);
	while (code == NGC_OK && n > 0) {
		n = s->read(s, piece, ROOM, err);
		if (n < 0)
			code = err->code;
		if (n > 0)
			code = write(arg, piece, (size_t)n, err);
	}
	free(piece);
	return code;
}
