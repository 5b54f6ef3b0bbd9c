/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_PATH_H
#define NGC_PATH_H

#include <sys/types.h>

/* As many links as the kernel follows in one path. */
#define NGC_LINKS_MAX 40

/* The owners of the symbolic links that a path led through. */
struct ngc_links {
	unsigned n;
	uid_t owner[NGC_LINKS_MAX];
};

/*
 * Open a path, with the symbolic links in it (the last component too) resolved as if root
 * were "/": neither an absolute link nor ".." leads out of it.
 *
 * root: NULL or "" for the real one.  path: absolute, or relative to the working
 * directory or, with a root, to that.  flags: as for open(2); O_CLOEXEC is added, O_CREAT
 * is not allowed.  links: who owns the links followed; may be NULL. Returns a descriptor
 * that the caller closes, or -1 with errno set as open(2) sets it.
 */
int ngc_path_open(const char *root, const char *path, int flags, struct ngc_links *links);

#endif
