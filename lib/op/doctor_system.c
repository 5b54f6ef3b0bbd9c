/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "doctor.h"
#include "unit.h"

/* The system around a cache: systemd, SELinux, how its file system is mounted. */

#define TMPFS_MAGIC 0x01021994

static const struct ailment private_tmp = { NGC_FAULT, "private_tmp",
	"nginx has a /tmp of its own: the files it serves are not those at this path, "
	"and "
	"they are gone when it stops",
	"move the cache to /var/cache/nginx; until then see it with -R /proc/PID/root, "
	"PID "
	"being a process of nginx" };

static const struct ailment private_tmp_seen = { NGC_WARNING, "private_tmp",
	"nginx has a /tmp of its own: the cache is gone when it stops, and is seen below "
	"/proc/PID/root alone",
	"move the cache to /var/cache/nginx" };

static const struct ailment wrong_label = { NGC_WARNING, "selinux",
	"SELinux may keep nginx from reading or writing there: permission denied in its "
	"error log, whatever the modes are",
	"semanage fcontext -a -t httpd_cache_t 'ROOT(/.*)?' and restorecon -R ROOT" };

static const struct ailment relatime = { NGC_NOTE, "noatime",
	"the first hit of every entry after it was stored, and one a day, writes to the "
	"disk",
	"mount the file system with noatime" };

static const struct ailment strictatime = { NGC_WARNING, "noatime",
	"every hit writes to the disk", "mount the file system with noatime" };

static bool is_temporary(const char *path)
{
	return strncmp(path, "/tmp/", 5) == 0 || strncmp(path, "/var/tmp/", 9) == 0;
}

/* Does the running nginx see the same directory at that path? */
static bool is_seen(const struct doctor *d, const struct patient *p)
{
	char path[2 * PATH_MAX];
	struct stat st;

	if (!d->has_master || d->container != 0 || !p->exists)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)d->master.pid,
	    p->zone->path);
	return stat(path, &st) == 0 && st.st_dev == p->place.dev &&
	       st.st_ino == p->place.ino;
}

void doctor_check_private_tmp(struct doctor *d, const struct patient *p)
{
	const char *path = p->zone->path + (p->zone->configured ? strlen(d->root) : 0);
	const char *unit;

	if (!is_temporary(path) || is_seen(d, p))
		return;
	unit = unit_with_private_tmp(d->root);
	if (unit != NULL)
		doctor_find(d, d->container != 0 ? &private_tmp_seen : &private_tmp, p,
		    p->zone->path,
		    "the root %s lies in a temporary directory, and %s has "
		    "PrivateTmp",
		    p->zone->path, unit);
}

/* Is SELinux in force? */
static bool is_enforcing(const struct doctor *d)
{
	char path[PATH_MAX], c = '0';
	int fd;

	snprintf(path, sizeof(path), "%s/sys/fs/selinux/enforce", d->root);
	fd = doctor_open(d, path);
	if (fd < 0)
		return false;
	if (read(fd, &c, 1) != 1)
		c = '0';
	close(fd);
	return c == '1';
}

/* The type in "system_u:object_r:httpd_cache_t:s0"; NULL: there is no label. */
static const char *label_type(int fd, char label[256])
{
	ssize_t n = fgetxattr(fd, "security.selinux", label, 255);
	char *type = label;

	if (n <= 0)
		return NULL;
	label[n] = '\0';
	for (int i = 0; i < 2 && type != NULL; i++) {
		type = strchr(type, ':');
		type += type != NULL;
	}
	if (type != NULL)
		type[strcspn(type, ":")] = '\0';
	return type;
}

/* Those the policy lets a web server write, and those of containers. */
static bool is_writable_type(const char *type)
{
	static const char *const starts[] = { "httpd_cache", "httpd_sys_rw_content",
		"httpd_sys_content_rw", "httpd_tmp", "httpd_var_",
		"httpd_user_rw_content", "public_content_rw", "container_", "svirt_",
		"unconfined_" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(type, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

void doctor_check_selinux(struct doctor *d, const struct patient *p)
{
	char label[256];
	const char *type;
	int fd;

	if (!p->exists || !is_enforcing(d))
		return;
	fd = doctor_open(d, p->zone->path);
	if (fd < 0)
		return;
	type = label_type(fd, label);
	if (type != NULL && !is_writable_type(type))
		doctor_find(d, &wrong_label, p, p->zone->path,
		    "SELinux is in force, and the root %s has the type %s", p->zone->path,
		    type);
	close(fd);
}

void doctor_check_noatime(struct doctor *d, const struct patient *p)
{
	struct statvfs vfs;
	struct statfs fs;
	int fd;

	if (!p->exists)
		return;
	for (const struct patient *other = d->patients; other < p; other++)
		if (other->chosen && other->exists && other->place.dev == p->place.dev)
			return; /* once for a file system */
	fd = doctor_open(d, p->zone->path);
	if (fd < 0)
		return;
	if (fstatvfs(fd, &vfs) == 0 && fstatfs(fd, &fs) == 0 &&
	    fs.f_type != TMPFS_MAGIC && (vfs.f_flag & ST_NOATIME) == 0)
		doctor_find(d, vfs.f_flag & ST_RELATIME ? &relatime : &strictatime, p,
		    p->zone->path,
		    "the file system of %s is mounted without noatime (%s)",
		    p->zone->path, vfs.f_flag & ST_RELATIME ? "relatime" : "strictatime");
	close(fd);
}
