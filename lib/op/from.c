/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <jansson.h>

#include "ngc/mem.h"

/* Many URLs from a file: the numbers of what is bad in it are the user's way to find it.
 */
struct many {
	struct ngc_select *select;
	void (*bad)(void *arg, size_t number, const struct ngc_error *err);
	void *arg;
	size_t number;
};

/* Add one; only want of memory is a failure. */
static enum ngc_code add_one(struct many *m, struct ngc_bytes text, struct ngc_error *err)
{
	enum ngc_code code = NGC_INVALID;
	char *copy;

	m->number++;
	if (text.n == 0)
		return NGC_OK;
	copy = ngc_arena_copy(m->select->arena, text.p, text.n);
	if (copy == NULL)
		return ngc_no_memory(err);
	if (memchr(text.p, '\0', text.n) != NULL)
		ngc_fail(err, code, 0, "a NUL byte in it");
	else
		code = ngc_select_add(m->select, NGC_SELECT_URL, copy, err);
	if (code != NGC_INVALID)
		return code;
	m->bad(m->arg, m->number, err);
	return NGC_OK;
}

static enum ngc_code add_array(struct many *m, const json_t *array, struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		if (json_is_string(item)) {
			code = add_one(m,
			    ngc_bytes(json_string_value(item), json_string_length(item)),
			    err);
		} else {
			m->number++;
			ngc_fail(err, NGC_INVALID, 0, "not a string");
			m->bad(m->arg, m->number, err);
		}
		if (code != NGC_OK)
			break;
	}
	return code;
}

static enum ngc_code add_json(struct many *m, struct ngc_bytes text,
    struct ngc_error *err)
{
	json_error_t wrong;
	json_t *array = json_loadb((const char *)text.p, text.n, JSON_ALLOW_NUL, &wrong);
	enum ngc_code code;

	if (!json_is_array(array)) {
		code = ngc_fail(err, NGC_INVALID, 0, "line %d: not a JSON array: %s",
		    wrong.line, wrong.text);
	} else {
		code = add_array(m, array, err);
	}
	json_decref(array);
	return code;
}

/* Parted by NUL or by line ends, of which CR LF is one, too. */
static enum ngc_code add_parts(struct many *m, struct ngc_bytes left, unsigned char end,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;

	while (left.n > 0 && code == NGC_OK) {
		const unsigned char *p = memchr(left.p, end, left.n);
		size_t n = p != NULL ? (size_t)(p - left.p) : left.n;
		struct ngc_bytes part = ngc_bytes(left.p, n);

		if (end == '\n' && n > 0 && part.p[n - 1] == '\r')
			part.n--;
		code = add_one(m, part, err);
		left = ngc_bytes_from(left, p != NULL ? n + 1 : n);
	}
	return code;
}

enum ngc_code ngc_select_add_many(struct ngc_select *s, struct ngc_bytes text,
    void (*bad)(void *arg, size_t number, const struct ngc_error *err), void *arg,
    struct ngc_error *err)
{
	struct many m = { s, bad, arg, 0 };

	s->named = true;
	if (s->arena == NULL)
		s->arena = ngc_arena_new();
	if (s->arena == NULL)
		return ngc_no_memory(err);
	if (text.n > 0 && text.p[0] == '[')
		return add_json(&m, text, err);
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		return add_parts(&m, text, '\0', err);
	return add_parts(&m, text, '\n', err);
}
