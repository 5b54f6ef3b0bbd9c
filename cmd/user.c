/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* By name, else by number; NULL: there is none. */
static const struct passwd *find(const char *user)
{
	const struct passwd *pw = getpwnam(user);
	int64_t id;

	if (pw == NULL && ngc_parse_number(ngc_bytes_of(user), &id) &&
	    (int64_t)(uid_t)id == id)
		pw = getpwuid((uid_t)id);
	return pw;
}

bool user_is_possible(const char *user)
{
	const struct passwd *pw = find(user);

	if (pw == NULL)
		ui_error("--user '%s': there is no such user", user);
	else if (pw->pw_uid == 0)
		ui_error("--user '%s': expected another user than root", user);
	else if (geteuid() != 0)
		ui_error("--user '%s': only root can become another user", user);
	else
		return true;
	return false;
}

static bool failed(const char *user, const char *what)
{
	ui_error("--user '%s': %s: %s", user, what, strerror(errno));
	return false;
}

/* No capability that was kept, and no program that is set-uid, opens the way back. */
static bool is_for_good(const struct passwd *pw)
{
	uid_t real, effective, saved;

#ifdef PR_SET_NO_NEW_PRIVS
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
#endif
	return getresuid(&real, &effective, &saved) == 0 && real == pw->pw_uid &&
	       effective == pw->pw_uid && saved == pw->pw_uid && seteuid(0) != 0 &&
	       (pw->pw_gid == 0 || setegid(0) != 0);
}

bool user_become(const char *user)
{
	const struct passwd *pw = find(user);

	if (pw == NULL)
		return user_is_possible(user);
	if (initgroups(pw->pw_name, pw->pw_gid) != 0)
		return failed(user, "his groups");
	if (setresgid(pw->pw_gid, pw->pw_gid, pw->pw_gid) != 0)
		return failed(user, "his group");
	if (setresuid(pw->pw_uid, pw->pw_uid, pw->pw_uid) != 0)
		return failed(user, "becoming him");
	if (is_for_good(pw))
		return true;
	ui_error("--user '%s': the rights of root can be had again", user);
	return false;
}
