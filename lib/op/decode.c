/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/decode.h"

#include <string.h>

/* The codings of a body in the order of undoing them: the last one named first. */

#define CODINGS_MAX 8

struct names {
	struct ngc_bytes name[CODINGS_MAX];
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
	if (ngc_coding_named(name) == NULL)
		return ngc_fail(err, NGC_DENIED, 0,
		    "Content-Encoding '%.*s' is not known",
		    name.n < 64 ? (int)name.n : 64, (const char *)name.p);
	if (names->n == CODINGS_MAX)
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

enum ngc_code ngc_decode(const struct ngc_response *r, struct ngc_source **body,
    struct ngc_error *err)
{
	struct names names;
	enum ngc_code code = read_names(r, &names, err);

	while (names.n-- > 0 && code == NGC_OK)
		code = ngc_coding_undo(ngc_coding_named(names.name[names.n]), body, err);
	return code;
}
