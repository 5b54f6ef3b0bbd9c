/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/select.h"

#include "fuzz.h"

#include <string.h>

static void count(void *arg, size_t number, const struct ngc_error *err)
{
	size_t *last = arg;

	FUZZ_ASSERT(number > *last && err->text[0] != '\0');
	*last = number;
}

static void add_many(struct ngc_select *s, struct ngc_bytes text)
{
	struct ngc_error err = { 0 };
	size_t last = 0;
	enum ngc_code code = ngc_select_add_many(s, text, count, &last, &err);

	FUZZ_ASSERT(code == NGC_OK || (code == NGC_INVALID && err.text[0] != '\0'));
	FUZZ_ASSERT(code != NGC_OK || !ngc_select_is_empty(s));
}

/* kind: of a selector, or behind those of a filter. */
static void add_one(struct ngc_select *s, unsigned kind, const char *text)
{
	struct ngc_error err = { 0 };
	size_t before = ngc_select_selectors(s);
	enum ngc_code code;

	if (kind <= NGC_SELECT_ALL) {
		code = ngc_select_add(s, (enum ngc_selector_kind)kind, text, &err);
		FUZZ_ASSERT(ngc_select_selectors(s) == before + (code == NGC_OK));
	} else {
		kind = (kind - NGC_SELECT_ALL - 1) % NGC_FILTERS;
		code = ngc_select_filter(s, (enum ngc_filter_kind)kind, text, 1900000000,
		    &err);
		FUZZ_ASSERT(ngc_select_selectors(s) == before);
	}
	FUZZ_ASSERT(code == NGC_OK || (code == NGC_INVALID && err.text[0] != '\0'));
}

/* The first byte is '[' or says what kind of selector or filter the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ngc_select *s = ngc_select_new();
	char *text = calloc(size + 1, 1);

	FUZZ_ASSERT(s != NULL && text != NULL);
	if (size > 0 && (data[0] == '[' || data[0] == 'h')) {
		add_many(s, ngc_bytes(data, size));
	} else if (size > 0) {
		memcpy(text, data + 1, size - 1);
		add_one(s, data[0] & 31, text);
	}
	ngc_select_free(s);
	free(text);
	return 0;
}
