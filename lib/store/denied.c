/* SPDX-License-Identifier: BSD-2-Clause */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Cut a copy of path after the first component that we may not pass (the last: not read).
 */
static bool find_barrier(const char *path, char out[PATH_MAX])
{
	size_t n = strlen(path), end = 0;

	if (n >= PATH_MAX)
		return false;
	memcpy(out, path, n + 1);
	while (end < n) {
		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		out[end] = '\0';
		if (faccessat(AT_FDCWD, out, end < n ? X_OK : R_OK | X_OK, AT_EACCESS) !=
		    0)
			return errno == EACCES;
		out[end] = path[end];
	}
	return false;
}

const char *owner_name(uid_t uid, char out[OWNER_TEXT])
{
	struct passwd pw, *found = NULL;
	char names[1024];

	if (getpwuid_r(uid, &pw, names, sizeof(names), &found) == 0 && found != NULL)
		snprintf(out, OWNER_TEXT, "%s", pw.pw_name);
	else
		snprintf(out, OWNER_TEXT, "uid %ld", (long)uid);
	return out;
}

enum ngc_code access_denied(const char *path, int sys, struct ngc_error *err)
{
	char barrier[PATH_MAX], owner[OWNER_TEXT];
	struct stat st;

	if (sys != EACCES || !find_barrier(path, barrier) || stat(barrier, &st) != 0)
		return ngc_fail(err, NGC_DENIED, sys, "%s", path);
	return ngc_fail(err, NGC_DENIED, 0,
	    "%s: permission denied: run as its owner (%s) or as root", barrier,
	    owner_name(st.st_uid, owner));
}
