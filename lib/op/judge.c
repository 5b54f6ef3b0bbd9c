/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <stdlib.h>

bool judge_init(struct judge *j, const struct ngc_select *s, const struct ngc_router *r,
    int64_t now)
{
	*j = (struct judge){ .select = s, .router = r, .now = now };
	j->room = ngc_pattern_room_new();
	j->subject = malloc(NGC_HEAD_MAX);
	return j->room != NULL && j->subject != NULL;
}

void judge_free(struct judge *j)
{
	ngc_pattern_room_free(j->room);
	free(j->subject);
}

void judge_start(struct judge *j, struct ngc_entry *e)
{
	j->e = e;
	j->read = false;
}

/* What the key says of its request; read once an entry, and only when something asks. */
static const struct ngc_reading *reading(struct judge *j)
{
	if (!j->read)
		ngc_route_read(j->router, ngc_cache_zone(j->e->cache), j->e->header.key,
		    &j->reading);
	j->read = true;
	return &j->reading;
}

static enum ngc_code match(struct judge *j, const struct ngc_pattern *p,
    struct ngc_bytes subject, const char *what, bool *matched, struct ngc_error *err)
{
	enum ngc_code code = ngc_pattern_match(p, j->room, subject, matched, err);

	if (code != NGC_OK)
		ngc_wrap(err, "%s/%s%s: '%s'", ngc_cache_zone(j->e->cache)->path, j->e->dir,
		    j->e->name, what);
	return code;
}

/* A URL pattern looks at the URL that the key tells; without one nothing matches. */
static enum ngc_code match_url(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err)
{
	size_t n = url_pattern_subject(reading(j), j->subject, NGC_HEAD_MAX);

	*taken = false;
	if (n == 0)
		return NGC_OK;
	return match(j, s->pattern, ngc_bytes(j->subject, n), s->text, taken, err);
}

enum ngc_code judge_selector(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err)
{
	*taken = s->kind == NGC_SELECT_ALL;
	if (*taken || j->e->damaged)
		return NGC_OK;
	if (s->kind == NGC_SELECT_URL)
		return match_url(j, s, taken, err);
	return match(j, s->pattern, j->e->header.key, s->text, taken, err);
}

static bool status_in(const struct filter *f, int status)
{
	for (size_t i = 0; i < f->n_statuses; i++)
		if (status >= f->statuses[i].low && status <= f->statuses[i].high)
			return true;
	return false;
}

static enum ngc_code match_status(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	enum ngc_code code = ngc_entry_response(j->e, err);

	*held = false;
	if (code != NGC_OK && code != NGC_DAMAGED)
		return code;
	*held = status_in(f, j->e->response.status);
	return NGC_OK;
}

static enum ngc_code match_host(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_reading *r = reading(j);

	*held = false;
	if (r->host.p == NULL || !r->host_certain)
		return NGC_OK;
	return match(j, f->pattern, r->host, f->text, held, err);
}

static enum ngc_code judge_filter(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_header *h = &j->e->header;

	switch (f->kind) {
	case NGC_FILTER_HOST:
		return match_host(j, f, held, err);
	case NGC_FILTER_STATUS:
		return match_status(j, f, held, err);
	case NGC_FILTER_EXPIRED:
		*held = ngc_header_state(h, j->now) != NGC_FRESH;
		return NGC_OK;
	case NGC_FILTER_FRESH:
		*held = ngc_header_state(h, j->now) == NGC_FRESH;
		return NGC_OK;
	case NGC_FILTER_EXCLUDE:
		return match(j, f->pattern, h->key, f->text, held, err);
	}
	return NGC_OK;
}

/* Filters of one kind: any may hold; those that subtract: none may. */
static enum ngc_code judge_kind(struct judge *j, enum ngc_filter_kind kind, bool *held,
    struct ngc_error *err)
{
	bool any = false, asked = false;

	for (size_t i = 0; i < j->select->n_filters && !any; i++) {
		const struct filter *f = &j->select->filters[i];
		enum ngc_code code;

		if (f->kind != kind)
			continue;
		asked = true;
		code = judge_filter(j, f, &any, err);
		if (code != NGC_OK)
			return code;
	}
	*held = !asked || any == (kind != NGC_FILTER_EXCLUDE);
	return NGC_OK;
}

/* In the order of their cost. */
enum ngc_code judge_filters(struct judge *j, bool *held, struct ngc_error *err)
{
	static const enum ngc_filter_kind kinds[] = { NGC_FILTER_EXPIRED, NGC_FILTER_FRESH,
		NGC_FILTER_EXCLUDE, NGC_FILTER_HOST, NGC_FILTER_STATUS };

	*held = j->select->n_filters == 0 || !j->e->damaged;
	for (size_t i = 0; *held && j->select->n_filters > 0 &&
		 i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		enum ngc_code code = judge_kind(j, kinds[i], held, err);

		if (code != NGC_OK)
			return code;
	}
	return NGC_OK;
}
