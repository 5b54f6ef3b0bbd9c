/* SPDX-License-Identifier: BSD-2-Clause */
#include "label.h"

#include <stdio.h>
#include <stdlib.h>

#include "ngc/tags.h"
#include "ngc/text.h"
#include "ngc/units.h"
#include "ngc/urls.h"

enum kind { HOST, PATH, TYPE, STATUS, METHOD, AGE, ENCODING, TAG, ZONE, REGEX, KINDS };

static const char *const names[KINDS] = { "host", "path", "type", "status", "method",
	"age", "encoding", "tag", "zone", "regex" };

struct ngc_by {
	size_t n;
	enum kind kinds[KINDS];
	int64_t depth;               /* of paths */
	struct ngc_pattern *pattern; /* of regex */
};

#define ABSENT UINT32_MAX

static bool has(const struct ngc_by *by, enum kind kind)
{
	for (size_t i = 0; i < by->n; i++)
		if (by->kinds[i] == kind)
			return true;
	return false;
}

/* "path:DEPTH" and "regex:RE" have something behind their name. */
static enum ngc_code take_argument(struct ngc_by *by, enum kind kind,
    struct ngc_bytes argument, struct ngc_error *err)
{
	if (kind == REGEX && argument.n > 0)
		return ngc_pattern_regex(argument, &by->pattern, err);
	if (kind == REGEX)
		return ngc_fail(err, NGC_INVALID, 0, "expected regex:RE");
	if (argument.p == NULL)
		return NGC_OK;
	if (kind != PATH || !ngc_parse_number(argument, &by->depth) || by->depth < 1)
		return ngc_fail(err, NGC_INVALID, 0,
		    kind == PATH ? "expected path:DEPTH with a depth from 1"
				 : "'%s' takes nothing behind a colon",
		    names[kind]);
	return NGC_OK;
}

static enum ngc_code add_one(struct ngc_by *by, struct ngc_bytes word,
    struct ngc_error *err)
{
	const unsigned char *colon = word.n > 0 ? memchr(word.p, ':', word.n) : NULL;
	size_t n = colon != NULL ? (size_t)(colon - word.p) : word.n;
	size_t kind = 0;

	while (kind < KINDS &&
	       !ngc_bytes_equal(ngc_bytes(word.p, n), ngc_bytes_of(names[kind])))
		kind++;
	if (kind == KINDS)
		return ngc_fail(err, NGC_INVALID, 0,
		    "'%.*s': expected host, path[:DEPTH], type, status, method, age, "
		    "encoding, tag, zone or regex:RE",
		    (int)word.n, (const char *)word.p);
	if (has(by, (enum kind)kind))
		return ngc_fail(err, NGC_INVALID, 0, "%s is named twice", names[kind]);
	by->kinds[by->n++] = (enum kind)kind;
	return take_argument(by, (enum kind)kind,
	    colon != NULL ? ngc_bytes_from(word, n + 1) : ngc_bytes(NULL, 0), err);
}

enum ngc_code ngc_by_add(struct ngc_by **by, const char *text, struct ngc_error *err)
{
	struct ngc_bytes left = ngc_bytes_of(text);
	enum ngc_code code = NGC_OK;

	if (*by == NULL)
		*by = calloc(1, sizeof(**by));
	if (*by == NULL)
		return ngc_no_memory(err);
	if ((*by)->depth == 0)
		(*by)->depth = 1;
	do {
		bool all = ngc_bytes_starts(left, ngc_bytes_of("regex:"));
		size_t n = all ? left.n : strcspn((const char *)left.p, ",");

		code = add_one(*by, ngc_bytes(left.p, n), err);
		if (n == left.n)
			break;
		left = ngc_bytes_from(left, n + 1);
	} while (code == NGC_OK);
	return code;
}

void ngc_by_free(struct ngc_by *by)
{
	if (by == NULL)
		return;
	ngc_pattern_free(by->pattern);
	free(by);
}

size_t ngc_by_count(const struct ngc_by *by)
{
	return by != NULL ? by->n : 0;
}

const char *ngc_by_name(const struct ngc_by *by, size_t i)
{
	return names[by->kinds[i]];
}

bool ngc_by_is_number(const struct ngc_by *by, size_t i)
{
	return by->kinds[i] == STATUS;
}

bool labeller_init(struct labeller *l, const struct ngc_by *by,
    const struct ngc_select_run *run)
{
	*l = (struct labeller){ .by = by, .run = run, .room = ngc_pattern_room_new() };
	return l->room != NULL;
}

void labeller_free(struct labeller *l)
{
	ngc_pattern_room_free(l->room);
	ngc_buf_free(&l->label);
}

static const struct ngc_reading *reading(struct labeller *l)
{
	if (!l->read)
		ngc_entry_reading(ngc_site_router(l->run->site), l->e, &l->reading);
	l->read = true;
	return &l->reading;
}

/* As --host sees it: an entry whose host is not certain has none. */
static struct ngc_bytes host_of(struct labeller *l)
{
	const struct ngc_reading *r = reading(l);
	struct ngc_writer w;

	if (!r->host_certain)
		return ngc_bytes(NULL, 0);
	if (r->host.p != NULL)
		return ngc_host_without_port(r->host);
	ngc_route_writer(r, &w);
	return w.host;
}

/* "/a/b/c?d" is "/a/b" at a depth of 2, "/" is itself at any. */
static struct ngc_bytes path_of(struct labeller *l)
{
	struct ngc_bytes s = reading(l)->uri;
	size_t end = 0, i = 0, slashes;

	for (size_t n = 0; n < s.n; n++)
		if (s.p[n] == '?')
			s.n = n;
	for (int64_t d = 0; d < l->by->depth && i < s.n; d++) {
		for (slashes = i; i < s.n && s.p[i] == '/'; i++)
			;
		if (i < s.n || slashes == 0)
			end = i;
		for (; i < s.n && s.p[i] != '/'; i++)
			end = i + 1;
	}
	return ngc_bytes(s.p, end);
}

static struct ngc_bytes age_of(const struct labeller *l)
{
	static const struct {
		int64_t below;
		const char *name;
	} ages[] = { { 60, "under 1m" }, { 600, "1m to 10m" }, { 3600, "10m to 1h" },
		{ 86400, "1h to 1d" }, { 7 * 86400, "1d to 7d" },
		{ 30 * 86400, "7d to 30d" }, { INT64_MAX, "30d and more" } };
	size_t i = 0;
	int64_t age;

	if (__builtin_sub_overflow(l->run->now, l->e->header.date, &age))
		age = INT64_MAX;
	while (i + 1 < sizeof(ages) / sizeof(ages[0]) && age >= ages[i].below)
		i++;
	return ngc_bytes_of(ages[i].name);
}

/* text: room for a status. */
static struct ngc_bytes status_of(const struct labeller *l, char text[16])
{
	if (l->e->response.status == 0)
		return ngc_bytes(NULL, 0);
	snprintf(text, 16, "%d", l->e->response.status);
	return ngc_bytes_of(text);
}

/* Several directories may be without a name: their paths tell them apart. */
static struct ngc_bytes zone_of(const struct labeller *l)
{
	const char *name = ngc_cache_name(l->e->cache);

	return ngc_bytes_of(name != NULL ? name : ngc_cache_path(l->e->cache));
}

static enum ngc_code value_of(struct labeller *l, enum kind kind, char text[16],
    struct ngc_bytes *out, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	*out = ngc_bytes(NULL, 0);
	switch (kind) {
	case HOST:
		*out = host_of(l);
		break;
	case PATH:
		*out = path_of(l);
		break;
	case TYPE:
		*out = ngc_response_media_type(&l->e->response);
		break;
	case STATUS:
		*out = status_of(l, text);
		break;
	case METHOD:
		*out = reading(l)->method;
		break;
	case AGE:
		*out = age_of(l);
		break;
	case ENCODING:
		*out = ngc_response_field(&l->e->response, "Content-Encoding");
		break;
	case TAG:
		*out = l->tag;
		break;
	case ZONE:
		*out = zone_of(l);
		break;
	case REGEX:
		code = ngc_pattern_capture(l->by->pattern, l->room, l->e->header.key, out,
		    err);
		if (code != NGC_OK)
			ngc_wrap(err, "%s/%s%s", ngc_cache_path(l->e->cache), l->e->dir,
			    l->e->name);
		break;
	case KINDS:
		break;
	}
	return code;
}

/* Hosts, media types and codings are the same in any case of letters. */
static bool folds_case(enum kind kind)
{
	return kind == HOST || kind == TYPE || kind == ENCODING;
}

/* Whatever reads labels gets UTF-8: what becomes alike then is one group. */
static void add_text(struct ngc_buf *b, struct ngc_bytes s, bool fold)
{
	while (s.n > 0) {
		size_t n = ngc_utf8_sequence(s);

		if (n == 1 && fold && s.p[0] >= 'A' && s.p[0] <= 'Z')
			ngc_buf_add_char(b, (char)(s.p[0] | 0x20));
		else
			ngc_buf_add(b, n > 0 ? (const char *)s.p : "\xef\xbf\xbd",
			    n > 0 ? n : 3);
		s = ngc_bytes_from(s, n > 0 ? n : 1);
	}
}

static void add_value(struct ngc_buf *b, struct ngc_bytes s, bool fold)
{
	size_t at = b->n;
	uint32_t n = ABSENT;

	ngc_buf_add(b, &n, sizeof(n));
	if (s.n == 0)
		return;
	add_text(b, s, fold);
	n = (uint32_t)(b->n - at - sizeof(n));
	if (!b->failed)
		memcpy(b->p + at, &n, sizeof(n));
}

/* The first value of a label, which is moved on. */
static struct ngc_bytes take_value(struct ngc_bytes *label)
{
	struct ngc_bytes value = ngc_bytes(NULL, 0);
	uint32_t n;

	memcpy(&n, label->p, sizeof(n));
	*label = ngc_bytes_from(*label, sizeof(n));
	if (n != ABSENT) {
		value = ngc_bytes(label->p, n);
		*label = ngc_bytes_from(*label, n);
	}
	return value;
}

struct ngc_bytes ngc_group_value(const struct ngc_group *g, size_t i)
{
	struct ngc_bytes label = g->label, value = take_value(&label);

	while (i-- > 0)
		value = take_value(&label);
	return value;
}

int label_compare(struct ngc_bytes a, struct ngc_bytes b)
{
	int r = 0;

	while (r == 0 && a.n > 0 && b.n > 0)
		r = ngc_bytes_compare(take_value(&a), take_value(&b));
	return r;
}

static enum ngc_code make_label(struct labeller *l, struct ngc_error *err)
{
	l->label.n = 0;
	for (size_t i = 0; i < l->by->n; i++) {
		struct ngc_bytes value;
		char text[16];
		enum ngc_code code = value_of(l, l->by->kinds[i], text, &value, err);

		if (code != NGC_OK)
			return code;
		add_value(&l->label, value, folds_case(l->by->kinds[i]));
	}
	return l->label.failed ? ngc_no_memory(err) : NGC_OK;
}

/* A header that is cut counts as far as it goes. */
static enum ngc_code read_response(struct labeller *l, struct ngc_error *err)
{
	enum ngc_code code;

	if (!has(l->by, TYPE) && !has(l->by, STATUS) && !has(l->by, ENCODING) &&
	    !has(l->by, TAG))
		return NGC_OK;
	code = ngc_entry_response(l->e, err);
	return code == NGC_DAMAGED ? NGC_OK : code;
}

enum ngc_code label_entry(struct labeller *l, struct ngc_entry *e,
    enum ngc_code (*each)(void *arg, struct ngc_bytes label, struct ngc_error *err),
    void *arg, struct ngc_error *err)
{
	struct ngc_tag_position at = { 0 };
	enum ngc_code code;
	bool more;

	l->e = e;
	l->read = false;
	l->tag = ngc_bytes(NULL, 0);
	code = read_response(l, err);
	more = has(l->by, TAG);
	if (code == NGC_OK && more)
		ngc_tags_next(&e->response, ngc_select_tag_headers(l->run->select), &at,
		    &l->tag);
	do {
		if (code == NGC_OK)
			code = make_label(l, err);
		if (code == NGC_OK)
			code = each(arg, ngc_buf_bytes(&l->label), err);
	} while (code == NGC_OK && more && l->tag.p != NULL &&
		 ngc_tags_next(&e->response, ngc_select_tag_headers(l->run->select), &at,
		     &l->tag));
	return code;
}
