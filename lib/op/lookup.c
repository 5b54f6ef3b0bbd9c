/* SPDX-License-Identifier: BSD-2-Clause */
#include "find.h"

/* Names that are looked up. */

static enum ngc_code look_at(struct find *f, const struct ngc_cache *c, const char *dir,
    const char *name, struct ngc_error *err)
{
	struct ngc_entry e;
	enum ngc_code code = ngc_entry_open(c, f->reader, dir, name, &e, err);

	if (code == NGC_DENIED && !f->guessing)
		find_problem(f, err);
	if (code == NGC_DENIED || code == NGC_GONE)
		return NGC_OK;
	if (code != NGC_OK)
		return code;
	code = find_offer(f, 0, &e, err);
	ngc_entry_close(&e);
	return code;
}

/* Look a name up at each place it can have. */
static enum ngc_code look_up_name(struct find *f, const struct ngc_cache *c,
    const char *name, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	for (unsigned i = 0; i < f->n_levels && code == NGC_OK; i++) {
		char dir[NGC_LEVELS_TEXT];

		code = look_at(f, c, ngc_levels_dir(&f->levels[i], name, dir), name, err);
	}
	return code;
}

/* The same file, of one selector or several, is looked up once. */
static bool repeats(struct target_range r, size_t i)
{
	return i > 0 && memcmp(r.first[i].name, r.first[i - 1].name, NGC_NAME_LEN) == 0 &&
	       strcmp(r.first[i].dir, r.first[i - 1].dir) == 0;
}

enum ngc_code find_look_up(struct find *f, const struct ngc_cache *c,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	f->phase = BY_KEY;
	for (size_t i = 0; i < f->keyed.n && code == NGC_OK && !find_stopped(f); i++)
		if (!repeats(f->keyed, i))
			code = look_up_name(f, c, f->keyed.first[i].name, err);
	f->phase = BY_PATH;
	for (size_t i = 0; i < f->paths.n && code == NGC_OK && !find_stopped(f); i++)
		if (!repeats(f->paths, i))
			code = look_at(f, c, f->paths.first[i].dir,
			    f->paths.first[i].name, err);
	return code;
}

static enum ngc_code probe(struct find *f, const struct ngc_cache *c,
    const struct target *t, struct ngc_error *err)
{
	struct ngc_bytes vary = t->deferred ? ngc_bytes(t->vary, t->vary_len)
					    : ngc_bytes_of("accept-encoding");
	char names[PROBES][NGC_NAME_LEN + 1];
	enum ngc_code code = NGC_OK;

	f->guessing = !t->deferred;
	probe_names(t->key, vary, names);
	for (size_t i = 0; i < PROBES && code == NGC_OK; i++)
		code = look_up_name(f, c, names[i], err);
	f->guessing = false;
	return code;
}

enum ngc_code find_probe_variants(struct find *f, const struct ngc_cache *c,
    struct ngc_error *err)
{
	bool cheap = f->n_levels < NGC_LEVELS_KINDS;
	enum ngc_code code = NGC_OK;

	f->phase = PROBING;
	for (size_t i = 0; i < f->keyed.n && code == NGC_OK && !find_stopped(f); i++)
		if (!repeats(f->keyed, i) && (cheap || f->keyed.first[i].deferred))
			code = probe(f, c, &f->keyed.first[i], err);
	return code;
}

bool find_any_deferred(const struct find *f)
{
	for (size_t i = 0; i < f->keyed.n; i++)
		if (f->keyed.first[i].deferred)
			return true;
	return false;
}

enum ngc_code find_visit_deferred(struct find *f, const struct ngc_cache *c,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	f->phase = LAST;
	for (size_t i = 0; i < f->keyed.n && code == NGC_OK && !find_stopped(f); i++)
		if (f->keyed.first[i].deferred && !repeats(f->keyed, i))
			code = look_up_name(f, c, f->keyed.first[i].name, err);
	return code;
}
