/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "doctor.h"

/* The roots: that they are there, whose they are, and that they do not overlap. */

#define SERVES_NOTHING                                                                   \
	"nothing is stored: every request goes upstream, and with use_temp_path=off "    \
	"clients get an empty answer"

#define MAY_NOT                                                                          \
	"where the workers may not enter clients get error 500, and where they may not " \
	"write nothing is stored"

static const struct ailment missing = { NGC_FAULT, "root_missing", SERVES_NOTHING,
	"create the directory above it if that is missing, too; nginx makes the root "
	"itself when it is started or reloaded" };

static const struct ailment no_directory = { NGC_FAULT, "root_missing", SERVES_NOTHING,
	"remove what lies there or give the zone another path, and reload nginx" };

static const struct ailment wrong_owner = { NGC_FAULT, "root_owner", MAY_NOT,
	"chown it to the user of nginx's workers; nginx does that, too, when it is "
	"reloaded by root" };

static const struct ailment odd_owner = { NGC_WARNING, "root_owner",
	"nginx can work here, but takes the directory for its own user when it is "
	"started "
	"or reloaded; purges in place change only files of the root's owner",
	"chown it to the user of nginx's workers" };

static const struct ailment wrong_mode = { NGC_FAULT, "root_mode", MAY_NOT,
	"chmod u+rwx it; nginx does that, too, when it is reloaded by root" };

static const struct ailment barred = { NGC_FAULT, "root_mode", MAY_NOT,
	"chmod o+x that directory, or move the cache to where the workers may go" };

static const struct ailment open_to_all = { NGC_WARNING, "root_mode",
	"every user can put files there, which nginx then serves, and remove others",
	"chmod o-w it" };

static const struct ailment shared = { NGC_FAULT, "shared_path",
	"each zone counts and removes the files of both: limits do not hold, files "
	"vanish "
	"that the other still counts, and equal keys answer for each other",
	"give every zone a directory of its own" };

static const struct ailment nested = { NGC_WARNING, "nested_path",
	"when nginx starts, the outer zone takes the inner one's files for its own: they "
	"fill its key zone and its max_size, and what is not an entry is deleted",
	"put the zones side by side, as /var/cache/nginx/a and /var/cache/nginx/b" };

static bool is_member(const struct worker_user *u, gid_t gid)
{
	for (size_t i = 0; i < u->n_groups; i++)
		if (u->groups[i] == gid)
			return true;
	return false;
}

bool doctor_may(const struct worker_user *u, const struct stat *st, unsigned bits)
{
	unsigned shift = st->st_uid == u->uid ? 6 : is_member(u, st->st_gid) ? 3 : 0;

	return u->uid == 0 || (st->st_mode >> shift & bits) == bits;
}

const char *doctor_owner(struct doctor *d, const struct stat *st)
{
	const struct passwd *pw = d->root[0] == '\0' ? getpwuid(st->st_uid) : NULL;

	return pw != NULL ? doctor_text(d, "%s", pw->pw_name)
			  : doctor_text(d, "uid %ld", (long)st->st_uid);
}

/* The first directory above the root that the workers may not pass. */
static bool find_barrier(const struct doctor *d, const char *path, char out[PATH_MAX],
    struct stat *st)
{
	size_t end = strlen(d->root), n = strlen(path);

	if (n >= PATH_MAX || strncmp(path, d->root, end) != 0)
		return false;
	while (end < n) {
		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		snprintf(out, PATH_MAX, "%.*s", (int)end, path);
		if (end < n && doctor_stat(d, out, st) && !doctor_may(&d->user, st, 1))
			return true;
	}
	return false;
}

static void check_access(struct doctor *d, const struct patient *p, const struct stat *st)
{
	const char *path = p->zone->path, *name = d->user.name;
	unsigned mode = st->st_mode & 07777;
	char barrier[PATH_MAX];
	struct stat above;
	bool may = doctor_may(&d->user, st, 7);

	if (st->st_uid != d->user.uid && d->user.uid != 0)
		doctor_find(d, may ? &odd_owner : &wrong_owner, p, path,
		    "the root %s belongs to %s (mode %o); nginx's workers run as %s",
		    path, doctor_owner(d, st), mode, name);
	else if (!may)
		doctor_find(d, &wrong_mode, p, path,
		    "the root %s has mode %o: %s, whom nginx's workers run as, lacks "
		    "rights in it",
		    path, mode, name);
	if (find_barrier(d, path, barrier, &above))
		doctor_find(d, &barred, p, barrier,
		    "%s, whom nginx's workers run as, may not pass %s (mode %o) on the "
		    "way "
		    "to the root %s",
		    name, barrier, above.st_mode & 07777, path);
}

void doctor_check_root(struct doctor *d, const struct patient *p)
{
	const char *path = p->zone->path;
	struct stat st;

	if (!doctor_stat(d, path, &st)) {
		if (errno == ENOENT && p->zone->configured)
			doctor_find(d, &missing, p, path, "the root %s does not exist",
			    path);
		return; /* the walk tells of the rest */
	}
	if (!S_ISDIR(st.st_mode)) {
		if (p->zone->configured)
			doctor_find(d, &no_directory, p, path,
			    "the root %s is not a directory", path);
		return;
	}
	if ((st.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
		doctor_find(d, &open_to_all, p, path,
		    "the root %s has mode %o: everybody may write there", path,
		    st.st_mode & 07777);
	if (d->user.known)
		check_access(d, p, &st);
}

/* Is it the same root?  Of one that does not exist the path tells. */
static bool same_root(const struct patient *a, const struct patient *b)
{
	if (a->exists && b->exists)
		return ngc_place_same(a->place, b->place);
	return strcmp(a->zone->path, b->zone->path) == 0;
}

/* Does path lie below that root? */
static bool path_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && path[n] == '/' && path[n + 1] != '\0';
}

static const char *name_of(const struct patient *p)
{
	return p->zone->name != NULL ? p->zone->name : "without a name";
}

static void find_nested(struct doctor *d, const struct patient *inner,
    const struct patient *outer)
{
	if (inner->chosen || outer->chosen)
		doctor_find(d, &nested, inner, inner->zone->path,
		    "the root %s lies inside that of zone %s, %s", inner->zone->path,
		    name_of(outer), outer->zone->path);
}

/* The zones whose roots lie around p's: those at the places of the directories above. */
static void check_above(struct doctor *d, const struct patient *p)
{
	struct ngc_place here = p->place, before;
	struct ngc_buf up = { 0 };
	struct stat st;

	ngc_buf_add_str(&up, p->zone->path);
	do {
		ngc_buf_add_str(&up, "/..");
		if (ngc_buf_str(&up) == NULL || !doctor_stat(d, ngc_buf_str(&up), &st))
			break;
		before = here;
		here = (struct ngc_place){ st.st_dev, st.st_ino };
		for (size_t i = 0; i < d->n_patients && !ngc_place_same(here, before);
		     i++)
			if (d->patients[i].exists &&
			    ngc_place_same(d->patients[i].place, here))
				find_nested(d, p, &d->patients[i]);
	} while (!ngc_place_same(here, before)); /* "/.." is "/" */
	ngc_buf_free(&up);
}

static void check_pair(struct doctor *d, const struct patient *a, const struct patient *b)
{
	if (same_root(a, b)) {
		if (a->chosen || b->chosen)
			doctor_find(d, &shared, a, a->zone->path,
			    "the root %s of zone %s is also that of zone %s",
			    a->zone->path, name_of(a), name_of(b));
	} else if (!a->exists || !b->exists) {
		if (path_below(a->zone->path, b->zone->path))
			find_nested(d, a, b);
		if (path_below(b->zone->path, a->zone->path))
			find_nested(d, b, a);
	}
}

void doctor_check_overlap(struct doctor *d)
{
	for (size_t i = 0; i < d->n_patients; i++) {
		for (size_t k = i + 1; k < d->n_patients; k++)
			check_pair(d, &d->patients[i], &d->patients[k]);
		if (d->patients[i].exists)
			check_above(d, &d->patients[i]);
	}
}
