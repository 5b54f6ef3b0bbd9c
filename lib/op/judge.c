/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <stdlib.h>

#include "ngc/tags.h"
#include "ngc/urls.h"

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
const struct ngc_reading *judge_reading(struct judge *j)
{
	if (!j->read)
		ngc_entry_reading(j->router, j->e, &j->reading);
	j->read = true;
	return &j->reading;
}

enum ngc_code judge_match(struct judge *j, const struct ngc_pattern *p,
    struct ngc_bytes subject, const char *what, bool *matched, struct ngc_error *err)
{
	enum ngc_code code = ngc_pattern_match(p, j->room, subject, matched, err);

	if (code != NGC_OK)
		ngc_wrap(err, "%s/%s%s: '%s'", ngc_cache_path(j->e->cache),
		    j->e->dir, j->e->name, what);
	return code;
}

/* Is it what one plain request stores: by the URL's scheme, GET, and no variant? */
static bool is_plain(struct judge *j, const struct ngc_url *url)
{
	const struct ngc_reading *r = judge_reading(j);

	return !ngc_header_is_variant(&j->e->header, j->e->name) &&
	       (r->scheme.p == NULL || ngc_bytes_equal(r->scheme, url->scheme)) &&
	       (r->method.p == NULL || ngc_bytes_equal(r->method, ngc_bytes_of("GET")));
}

/*
 * Does the pattern match the URL that the key tells, with that host?  Around a URL, any
 * host is one of the servers that answer for the URL's.
 */
static enum ngc_code match_host(struct judge *j, const struct selector *s,
    struct ngc_bytes host, bool *taken, struct ngc_error *err)
{
	const struct ngc_pattern *p = s->pattern != NULL ? s->pattern : s->around;
	size_t n = url_pattern_subject(judge_reading(j), host, j->subject, NGC_HEAD_MAX);
	enum ngc_code code;

	if (n == 0)
		return NGC_OK;
	code = judge_match(j, p, ngc_bytes(j->subject, n), s->text, taken, err);
	if (*taken && s->url != NULL && s->scope.strict)
		*taken = is_plain(j, s->url);
	if (*taken && s->url != NULL && s->scope.any_host)
		*taken = ngc_route_same_server(j->router, s->url->host,
		    ngc_bytes(j->subject, ngc_host_without_port(host).n));
	return code;
}

/* Where the key tells no host: those of the only server that can have written it. */
static enum ngc_code match_writer(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err)
{
	enum ngc_code code = match_host(j, s, ngc_bytes(NULL, 0), taken, err);
	struct ngc_writer w;

	ngc_route_writer(judge_reading(j), &w);
	for (size_t i = 0; i < w.n && !*taken && code == NGC_OK; i++)
		code = match_host(j, s, w.names[i], taken, err);
	return code;
}

/* A URL pattern looks at the URL that the key tells; without one nothing matches. */
static enum ngc_code match_url(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err)
{
	const struct ngc_reading *r = judge_reading(j);

	if (r->host.p == NULL && r->host_certain)
		return match_writer(j, s, taken, err);
	return match_host(j, s, r->host, taken, err);
}

static enum ngc_code match_tag(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err)
{
	struct ngc_bytes wanted = ngc_bytes_of(s->text), tag;
	struct ngc_tag_position at = { 0 };
	enum ngc_code code = ngc_entry_response(j->e, err);

	*taken = false;
	if (code != NGC_OK &&
	    code != NGC_DAMAGED) /* a cut header: what is there counts */
		return code;
	while (!*taken && ngc_tags_next(&j->e->response,
			      ngc_select_tag_headers(j->select), &at, &tag))
		*taken = ngc_bytes_equal(tag, wanted);
	return NGC_OK;
}

enum ngc_code judge_selector(struct judge *j, const struct selector *s, bool *taken,
    struct ngc_error *err)
{
	*taken = s->kind == NGC_SELECT_ALL;
	if (*taken || j->e->damaged)
		return NGC_OK;
	if (s->kind == NGC_SELECT_URL)
		return match_url(j, s, taken, err);
	if (s->kind == NGC_SELECT_TAG)
		return match_tag(j, s, taken, err);
	return judge_match(j, s->pattern, j->e->header.key, s->text, taken, err);
}
