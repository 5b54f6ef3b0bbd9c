/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/cache.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "store.h"

#define GROUPS_MAX 256

static bool in_group(const struct passwd *pw, gid_t group)
{
	gid_t groups[GROUPS_MAX];
	int n = GROUPS_MAX;

	if (getgrouplist(pw->pw_name, pw->pw_gid, groups, &n) < 0)
		return true; /* too many to tell */
	for (int i = 0; i < n; i++)
		if (groups[i] == group)
			return true;
	return false;
}

/* May that user make files in a directory of the superuser's? */
static bool lets_in(const struct stat *st, const char *user)
{
	struct passwd pw, *found = NULL;
	char names[1024];

	if (getpwnam_r(user, &pw, names, sizeof(names), &found) != 0 || found == NULL ||
	    pw.pw_uid == 0)
		return true;
	if (in_group(&pw, st->st_gid))
		return (st->st_mode & (S_IWGRP | S_IXGRP)) == (S_IWGRP | S_IXGRP);
	return (st->st_mode & (S_IWOTH | S_IXOTH)) == (S_IWOTH | S_IXOTH);
}

enum ngc_code ngc_cache_writable(const struct ngc_cache *c, const char *user,
    struct ngc_error *err)
{
	const char *path = c->zone->path;
	char owner[OWNER_TEXT];
	struct statvfs vfs;
	struct stat st;

	if (fstat(c->fd, &st) != 0)
		return ngc_fail(err, NGC_DENIED, errno, "%s", path);
	if (fstatvfs(c->fd, &vfs) == 0 && (vfs.f_flag & ST_RDONLY))
		return ngc_fail(err, NGC_DENIED, 0, "%s: the file system is read-only",
		    path);
	if ((st.st_mode & (S_IWUSR | S_IXUSR)) != (S_IWUSR | S_IXUSR))
		return ngc_fail(err, NGC_DENIED, 0, "%s: not writable for its owner (%s)",
		    path, owner_name(st.st_uid, owner));
	/* An access control list may say otherwise than the mode. */
	if (st.st_uid != 0 || user == NULL || lets_in(&st, user) ||
	    fgetxattr(c->fd, "system.posix_acl_access", NULL, 0) > 0)
		return NGC_OK;
	return ngc_fail(err, NGC_DENIED, 0,
	    "%s: belongs to %s and is not writable for %s", path,
	    owner_name(st.st_uid, owner), user);
}
