/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include "ngc/cache.h"
#include "ngc/level.h"
#include "ngc/urls.h"

/* --limit-host: a border, which what a stranger can have stored must not cross. */

/* Does one of the limits allow a name, or all that "*." and a name stands for? */
static enum ngc_code ask_limits(struct judge *j, struct ngc_bytes name, bool *allowed,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	*allowed = false;
	for (size_t i = 0; i < j->select->n_filters && !*allowed && code == NGC_OK; i++) {
		const struct filter *f = &j->select->filters[i];

		if (f->kind == NGC_FILTER_LIMIT_HOST)
			code = judge_match(j, f->pattern, name, f->text, allowed, err);
	}
	return code;
}

/* Do they, together, allow all hosts that a server's name stands for? */
static enum ngc_code ask_name(struct judge *j, struct ngc_bytes name, bool *allowed,
    struct ngc_error *err)
{
	bool dot = name.n > 1 && name.p[0] == '.'; /* it, and all below */
	bool star = ngc_bytes_starts(name, ngc_bytes_of("*."));
	struct ngc_bytes host = ngc_bytes_from(name, dot ? 1 : star ? 2 : 0);
	enum ngc_code code;
	char all[256];

	*allowed = false;
	if (!ngc_route_is_host(host) || name.n + 1 > sizeof(all))
		return NGC_OK;
	code = ask_limits(j, dot ? host : name, allowed, err);
	if (code != NGC_OK || !dot || !*allowed)
		return code;
	all[0] = '*';
	memcpy(all + 1, name.p, name.n);
	return ask_limits(j, ngc_bytes(all, name.n + 1), allowed, err);
}

/* Has every server that may store in a zone only names that the limits allow? */
static enum ngc_code ask_zone(struct judge *j, const struct ngc_zone *zone, bool *allowed,
    size_t *n, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	const struct ngc_server *s;

	*allowed = zone->configured;
	for (size_t i = 0; *allowed && code == NGC_OK &&
			   (s = ngc_route_storing(j->router, zone, i)) != NULL;
	     i++, ++*n)
		for (size_t k = 0; k < s->n_names && *allowed && code == NGC_OK; k++)
			code = ask_name(j, s->names[k], allowed, err);
	return code;
}

/*
 * The same of all the zones that lie in the directory of the entry.  Then whose it is
 * does not matter: nobody else stores there.
 */
static enum ngc_code ask_directory(struct judge *j, bool *allowed, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	size_t n_zones, n = 0;
	const struct ngc_zone *const *zones = ngc_cache_zones(j->e->cache, &n_zones);

	if (j->limited != j->e->cache) {
		j->all_allowed = true;
		for (size_t i = 0; i < n_zones && j->all_allowed && code == NGC_OK; i++)
			code = ask_zone(j, zones[i], &j->all_allowed, &n, err);
		if (code != NGC_OK)
			return code;
		j->all_allowed = j->all_allowed && n > 0;
		j->limited = j->e->cache;
	}
	*allowed = j->all_allowed;
	return NGC_OK;
}

enum ngc_code limit_ask(struct judge *j, const struct filter *f, bool *held,
    struct ngc_error *err)
{
	const struct ngc_zone *unseen = ngc_cache_unseen(j->e->cache);
	const struct ngc_reading *r = judge_reading(j);
	enum ngc_code code;

	if (unseen != NULL)
		return ngc_fail(err, NGC_INVALID, 0,
		    "%s: cannot be looked at: whether it is %s, too, must be known to "
		    "tell whose an entry is",
		    unseen->path, ngc_cache_path(j->e->cache));
	if (!r->host_certain || r->host.p == NULL)
		return ask_directory(j, held, err);
	code = judge_match(j, f->pattern, ngc_host_without_port(r->host), f->text, held,
	    err);
	if (code != NGC_OK || !*held || ngc_entry_proves_host(j->router, j->e, r))
		return code;
	*held = false;
	return ask_directory(j, held, err);
}
