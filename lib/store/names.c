/* SPDX-License-Identifier: BSD-2-Clause */
#include "store.h"

#include <string.h>

/* The length of the run of lower-case hex digits at the start of s. */
static size_t hex_run(const char *s)
{
	static const bool hex[256] = { ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1,
		['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
		['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1 };
	size_t n = 0;

	while (hex[(unsigned char)s[n]])
		n++;
	return n;
}

static bool is_temp_suffix(const char *s)
{
	return s[0] == '.' && strspn(s + 1, "0123456789") == 10 && s[11] == '\0';
}

enum name_kind name_kind(const char *name)
{
	size_t n = hex_run(name);

	if (name[n] == '\0' && n == NGC_NAME_LEN)
		return NAME_CANDIDATE;
	if (name[n] == '\0' && (n == 1 || n == 2))
		return NAME_LEVEL;
	if (n == NGC_NAME_LEN && is_temp_suffix(name + n))
		return NAME_TEMP_FILE;
	return strcmp(name, "temp") == 0 ? NAME_TEMP_DIR : NAME_OTHER;
}

bool levels_tail(const char *dir, char tail[NGC_LEVELS_TEXT])
{
	size_t at = NGC_LEVELS_TEXT - 1;
	unsigned depth = 0;

	tail[at] = '\0';
	while (*dir != '\0') {
		size_t n = strcspn(dir, "/");

		if (n == 0 || n > 2 || dir[n] != '/' || depth++ == NGC_LEVELS_MAX)
			return false;
		at -= n;
		memcpy(tail + at, dir, n);
		dir += n + 1;
	}
	memmove(tail, tail + at, NGC_LEVELS_TEXT - at);
	return true;
}

bool ngc_candidate_name(const char *dir, const char *name)
{
	char tail[NGC_LEVELS_TEXT];

	return name_kind(name) == NAME_CANDIDATE && levels_tail(dir, tail) &&
	       strcmp(name + NGC_NAME_LEN - strlen(tail), tail) == 0;
}

/* The start of the component that ends at end. */
static size_t component_start(const char *path, size_t end)
{
	while (end > 0 && path[end - 1] != '/')
		end--;
	return end;
}

bool ngc_candidate_split(const char *path, struct ngc_candidate_path *out)
{
	size_t base = component_start(path, strlen(path)), start = base;

	*out = (struct ngc_candidate_path){ .name = path + base };
	if (name_kind(out->name) != NAME_CANDIDATE)
		return false;
	for (unsigned depth = 0;; depth++) {
		char dir[NGC_LEVELS_TEXT] = { 0 };

		memcpy(dir, path + start, base - start);
		if (ngc_candidate_name(dir, out->name)) {
			out->fits[depth] = true;
			out->root_len[depth] = start;
			out->depth = depth;
		}
		if (depth == NGC_LEVELS_MAX || start == 0)
			return true;
		start = component_start(path, start - 1);
		if (base - start >= sizeof(dir))
			return true;
	}
}
