/* SPDX-License-Identifier: BSD-2-Clause */
#include "store.h"

#include <string.h>

/* The length of the run of lower-case hex digits at the start of s. */
static size_t hex_run(const char *s)
{
	size_t n = 0;

	while ((s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'f'))
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

bool ngc_candidate_name(const char *dir, const char *name)
{
	size_t left = NGC_NAME_LEN;
	unsigned depth = 0;

	if (name_kind(name) != NAME_CANDIDATE)
		return false;
	while (*dir != '\0') {
		size_t n = strcspn(dir, "/");

		if (n == 0 || n > 2 || dir[n] != '/' || depth++ == NGC_LEVELS_MAX)
			return false;
		if (memcmp(name + left - n, dir, n) != 0)
			return false;
		left -= n;
		dir += n + 1;
	}
	return true;
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
