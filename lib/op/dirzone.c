/* SPDX-License-Identifier: BSD-2-Clause */
#include "dirzone.h"

#include <string.h>
#include <sys/stat.h>

#include "ngc/cache.h"

/* Drop slashes at the end, but not the root's. */
static void strip_slashes(char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
}

/* Take DIR off the option: up to an unescaped comma; "\," stands for a comma. */
static struct ngc_bytes take_dir(const char *text, char *out)
{
	size_t n = 0;

	while (*text != '\0' && *text != ',') {
		if (text[0] == '\\' && text[1] == ',')
			text++;
		out[n++] = *text++;
	}
	out[n] = '\0';
	strip_slashes(out);
	return ngc_bytes_of(text);
}

/* The parameters behind DIR: ",name=NAME,levels=L,key=TEMPLATE", key last. */
static enum ngc_code take_params(struct ngc_arena *a, struct ngc_zone *z, const char *p,
    struct ngc_error *err)
{
	while (*p != '\0') {
		size_t n = strcspn(++p, ",");

		if (strncmp(p, "key=", 4) == 0) {
			z->key = p + 4;
			return NGC_OK;
		}
		if (strncmp(p, "name=", 5) == 0 && n > 5) {
			z->name = ngc_arena_copy(a, p + 5, n - 5);
			if (z->name == NULL)
				return ngc_no_memory(err);
		} else if (strncmp(p, "levels=", 7) == 0 &&
			   ngc_levels_parse(ngc_bytes(p + 7, n - 7), &z->levels)) {
			z->levels_known = true;
		} else {
			return ngc_fail(err, NGC_INVALID, 0,
			    "-d %s: '%.*s': expected name=NAME, levels=L or key=TEMPLATE "
			    "(a comma in DIR needs a backslash)",
			    z->path, (int)n, p);
		}
		p += n;
	}
	return NGC_OK;
}

enum ngc_code zone_of_dir(struct ngc_arena *a, const char *text,
    const struct ngc_zone **out, struct ngc_error *err)
{
	struct ngc_zone *z = ngc_arena_alloc(a, 1, sizeof(*z));
	char *path = ngc_arena_alloc(a, strlen(text) + 1, 1);
	struct ngc_bytes params;
	struct stat st;

	if (z == NULL || path == NULL)
		return ngc_no_memory(err);
	params = take_dir(text, path);
	if (path[0] == '\0')
		return ngc_fail(err, NGC_INVALID, 0, "-d '%s': a directory is missing",
		    text);
	*z = (struct ngc_zone){ .path = path, .max_size = -1, .min_free = -1 };
	z->archive = stat(path, &st) == 0 &&
		     (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode));
	*out = z;
	return take_params(a, z, (const char *)params.p, err);
}

enum ngc_code zone_of_file(struct ngc_arena *a, const char *file,
    const struct ngc_zone **out, struct ngc_error *err)
{
	struct ngc_zone *z = ngc_arena_alloc(a, 1, sizeof(*z));
	struct ngc_candidate_path parts;
	char *path;

	if (z == NULL)
		return ngc_no_memory(err);
	if (!ngc_candidate_split(file, &parts))
		return ngc_fail(err, NGC_INVALID, 0,
		    "--file %s: not the name of a cache file (32 lower-case hex digits)",
		    file);
	path = parts.root_len[parts.depth] > 0
		   ? ngc_arena_copy(a, file, parts.root_len[parts.depth])
		   : ngc_arena_copy(a, ".", 1);
	if (path == NULL)
		return ngc_no_memory(err);
	strip_slashes(path);
	*z = (struct ngc_zone){ .path = path, .max_size = -1, .min_free = -1 };
	*out = z;
	return NGC_OK;
}
