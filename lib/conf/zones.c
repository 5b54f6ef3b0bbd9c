/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "keyset.h"
#include "model.h"
#include "ngc/units.h"
#include "rules.h"

/* X_cache_path: nginx's ngx_http_file_cache_set_slot(). */

#define KEYS_ZONE_MIN 8192 /* two pages */

struct param {
	const char *name; /* with its '=' */
	bool (*read)(struct ngc_zone *z, struct ngc_bytes value);
};

static bool read_levels(struct ngc_zone *z, struct ngc_bytes value)
{
	return ngc_levels_parse(value, &z->levels);
}

static bool read_keys_zone(struct ngc_zone *z, struct ngc_bytes value)
{
	const unsigned char *colon = memchr(value.p, ':', value.n);

	struct ngc_bytes size;

	/* The name points into the word; it is copied once the zone is complete. */
	if (colon == NULL || colon == value.p)
		return false;
	z->name = (const char *)value.p;
	size = ngc_bytes_from(value, (size_t)(colon + 1 - value.p));
	colon = memchr(size.p, ':', size.n);
	if (colon != NULL) { /* Angie keeps it in a file: NAME:SIZE:file=PATH */
		struct ngc_bytes rest = ngc_bytes_from(size, (size_t)(colon - size.p));

		if (!ngc_bytes_starts(rest, ngc_bytes_of(":file=")))
			return false;
		size.n -= rest.n;
	}
	return ngc_parse_size(size, &z->keys_zone_size) &&
	       z->keys_zone_size >= KEYS_ZONE_MIN;
}

static bool read_inactive(struct ngc_zone *z, struct ngc_bytes value)
{
	return ngc_parse_seconds(value, &z->inactive);
}

static bool read_max_size(struct ngc_zone *z, struct ngc_bytes value)
{
	return ngc_parse_offset(value, &z->max_size);
}

static bool read_min_free(struct ngc_zone *z, struct ngc_bytes value)
{
	return ngc_parse_offset(value, &z->min_free);
}

static bool read_use_temp_path(struct ngc_zone *z, struct ngc_bytes value)
{
	z->use_temp_path = ngc_bytes_equal(value, ngc_bytes_of("on"));
	return z->use_temp_path || ngc_bytes_equal(value, ngc_bytes_of("off"));
}

static bool read_number(struct ngc_zone *z, struct ngc_bytes value)
{
	int64_t ignored;

	(void)z;
	return ngc_parse_number(value, &ignored);
}

static bool read_milliseconds(struct ngc_zone *z, struct ngc_bytes value)
{
	int64_t ignored;

	(void)z;
	return ngc_parse_milliseconds(value, &ignored);
}

/* Commercial nginx has these; they do not concern us. */
static bool read_purger(struct ngc_zone *z, struct ngc_bytes value)
{
	(void)z;
	(void)value;
	return true;
}

static const struct param params[] = {
	{ "levels=", read_levels },
	{ "keys_zone=", read_keys_zone },
	{ "inactive=", read_inactive },
	{ "max_size=", read_max_size },
	{ "min_free=", read_min_free },
	{ "use_temp_path=", read_use_temp_path },
	{ "loader_files=", read_number },
	{ "loader_sleep=", read_milliseconds },
	{ "loader_threshold=", read_milliseconds },
	{ "manager_files=", read_number },
	{ "manager_sleep=", read_milliseconds },
	{ "manager_threshold=", read_milliseconds },
	{ "purger=", read_purger },
	{ "purger_files=", read_purger },
	{ "purger_sleep=", read_purger },
	{ "purger_threshold=", read_purger },
};

static enum ngc_code read_param(struct ngc_zone *z, const struct ngc_directive *d,
    unsigned i, struct ngc_error *err)
{
	struct ngc_bytes word = d->words[i];

	for (size_t k = 0; k < sizeof(params) / sizeof(params[0]); k++) {
		struct ngc_bytes name = ngc_bytes_of(params[k].name);

		if (!ngc_bytes_starts(word, name))
			continue;
		if (params[k].read(z, ngc_bytes_from(word, name.n)))
			return NGC_OK;
		return conf_refuse(d, err, "invalid \"%s\" in \"%s\"",
		    (const char *)word.p, ngc_directive_arg(d, 0));
	}
	return conf_refuse(d, err, "invalid parameter \"%s\"", (const char *)word.p);
}

/* The path of a zone: one '/' at its end is dropped. */
static enum ngc_code read_path(struct ngc_conf *c, struct ngc_zone *z,
    const struct ngc_directive *d, struct ngc_error *err)
{
	struct ngc_bytes path = d->words[1];
	char *copy;
	enum ngc_code code;

	if (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	copy = ngc_arena_copy(c->arena, path.p, path.n);
	if (copy == NULL)
		return ngc_no_memory(err);
	code = conf_full_path(c, copy, &z->path, err);
	return code == NGC_INVALID ? ngc_wrap(err, "%s:%u", d->file, d->line) : code;
}

static enum ngc_code add_zone(struct ngc_conf *c, const struct ngc_zone *z,
    struct ngc_error *err)
{
	struct ngc_zone *copy = ngc_arena_alloc(c->arena, 1, sizeof(*copy));

	if (copy == NULL)
		return ngc_no_memory(err);
	*copy = *z;
	copy->name = ngc_arena_copy(c->arena, z->name, strcspn(z->name, ":"));
	if (copy->name == NULL || !list_add(&c->zones, copy))
		return ngc_no_memory(err);
	return NGC_OK;
}

static enum ngc_code read_zone(struct ngc_conf *c, const struct ngc_directive *d,
    enum ngc_protocol type, struct ngc_error *err)
{
	struct ngc_zone z = { .type = type,
		.configured = true,
		.levels_known = true,
		.max_size = -1,
		.min_free = -1,
		.inactive = 600,
		.use_temp_path = true,
		.file = d->file,
		.line = d->line };
	enum ngc_code code = conf_count(d, 1, ~0u, err);

	if (code == NGC_OK)
		code = read_path(c, &z, d, err);
	for (unsigned i = 2; code == NGC_OK && i < d->n_words; i++)
		code = read_param(&z, d, i, err);
	if (code != NGC_OK)
		return code;
	if (z.name == NULL)
		return conf_refuse(d, err, "\"%s\" must have \"keys_zone\" parameter",
		    ngc_directive_arg(d, 0));
	return add_zone(c, &z, err);
}

static int by_name(const void *a, const void *b)
{
	const struct ngc_zone *x = *(const struct ngc_zone *const *)a;
	const struct ngc_zone *y = *(const struct ngc_zone *const *)b;
	int r = strcmp(x->name, y->name);

	return r != 0 ? r : (x > y) - (x < y);
}

/*
 * Paths are unique as nginx's ngx_add_path() compares them: with the '/' at the end of an
 * absolute one, though it is no part of the path, so that "/c" and "/c/" are two.
 */
static enum ngc_code check_path(struct ngc_conf *c, struct keyset *paths,
    const struct ngc_directive *d, struct ngc_error *err)
{
	const struct ngc_zone *z = c->zones.item[c->zones.n - 1];
	const char *below_root = z->path + strlen(c->source.root);
	struct key k = { .text = d->words[1], .d = d };
	const struct key *before;

	if (k.text.n == 0 || k.text.p[0] != '/')
		k.text = ngc_bytes_of(below_root);
	if (!keyset_add(paths, &k, &before))
		return ngc_no_memory(err);
	return before == NULL ? NGC_OK
			      : conf_refuse(d, err,
				    "the path \"%s\" is that of the zone in %s:%u, too",
				    z->path, before->d->file, before->d->line);
}

/* Names are unique over all modules. */
static enum ngc_code sort_names(struct ngc_conf *c, struct ngc_error *err)
{
	struct list *l = &c->zones_by_name;
	const struct ngc_zone *const *z;

	for (size_t i = 0; i < c->zones.n; i++)
		if (!list_add(l, c->zones.item[i]))
			return ngc_no_memory(err);
	if (l->n == 0)
		return NGC_OK;
	z = (const struct ngc_zone *const *)l->item;
	qsort(l->item, l->n, sizeof(*l->item), by_name);
	for (size_t i = 1; i < l->n; i++)
		if (strcmp(z[i - 1]->name, z[i]->name) == 0)
			return ngc_fail(err, NGC_INVALID, 0,
			    "%s:%u: zone \"%s\" is already "
			    "declared in %s:%u",
			    z[i]->file, z[i]->line, z[i]->name, z[i - 1]->file,
			    z[i - 1]->line);
	return NGC_OK;
}

enum ngc_code conf_read_zones(struct ngc_conf *c, struct ngc_error *err)
{
	const struct ngc_directive *http = ngc_directive_find(c->tree, "http"), *d;
	struct keyset paths = { .arena = c->arena };
	enum ngc_code code = NGC_OK;

	for (d = http != NULL ? http->first : NULL; code == NGC_OK && d != NULL;
	     d = d->next) {
		if (rule_of(d)->role != ROLE_ZONE)
			continue;
		code = read_zone(c, d, rule_of(d)->protocol, err);
		if (code == NGC_OK)
			code = check_path(c, &paths, d, err);
	}
	return code == NGC_OK ? sort_names(c, err) : code;
}

const struct ngc_zone *ngc_conf_zone_named(const struct ngc_conf *c,
    struct ngc_bytes name)
{
	size_t low = 0, high = c->zones_by_name.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct ngc_zone *z = c->zones_by_name.item[mid];
		int r = ngc_bytes_compare(name, ngc_bytes_of(z->name));

		if (r == 0)
			return z;
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}
