/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/confine.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "output.h"

#if defined(SYS_landlock_restrict_self) && !defined(NGC_UNCONFINED)
#include <sys/prctl.h>

/*
 * Landlock, by its system calls: C libraries have no functions for them, and headers may
 * be older than the kernel.  What a ruleset handles is forbidden but where a rule allows
 * it; a kernel refuses a ruleset that handles what it does not know.
 */
enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE = 0x7f << 6, /* all kinds, MAKE_REG one of them */
	FS_REFER = 1 << 13,    /* since version 2 */
	FS_TRUNCATE = 1 << 14, /* 3 */
	NET_TCP = 1 << 0 | 1 << 1, /* 4: to bind, to connect */
	SCOPE_SIGNAL = 1 << 1,     /* 6 */
};

struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

#define RULE_PATH_BENEATH 1
#define ASK_VERSION	  1

struct ruleset {
	int fd;
	uint64_t handled; /* of file systems */
};

/* fd is -1 and errno set where there is none. */
static struct ruleset create_ruleset(bool runs_programs)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
	struct ruleset_attr attr = { .fs = FS_WRITE_FILE | FS_REMOVE_DIR |
					   FS_REMOVE_FILE | FS_MAKE };
	size_t size;

	if (version < 0)
		return (struct ruleset){ .fd = -1 };
	if (!runs_programs)
		attr.fs |= FS_EXECUTE;
	if (version >= 2)
		attr.fs |= FS_REFER;
	if (version >= 3)
		attr.fs |= FS_TRUNCATE;
	if (version >= 4)
		attr.net = NET_TCP;
	if (version >= 6)
		attr.scoped = SCOPE_SIGNAL;
	size = version >= 6   ? sizeof(attr)
	       : version >= 4 ? offsetof(struct ruleset_attr, scoped)
			      : offsetof(struct ruleset_attr, net);
	return (struct ruleset){
		.fd = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0),
		.handled = attr.fs,
	};
}

/* What cannot be opened cannot be changed either.  fd is closed. */
static void allow(const struct ruleset *r, int fd, uint64_t what)
{
	struct path_beneath_attr rule = { what & r->handled, fd };

	if (fd < 0)
		return;
	syscall(SYS_landlock_add_rule, r->fd, RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

enum ngc_code ngc_confine(const struct ngc_site *site, const char *output,
    struct ngc_error *err)
{
	/* Some builds of libarchive leave compressing to a program. */
	struct ruleset r = create_ruleset(output != NULL);
	bool confined;
	int sys;

	if (r.fd < 0)
		return ngc_fail(err, NGC_GONE, errno, "Landlock");
	for (size_t i = 0; i < ngc_site_zones(site); i++)
		allow(&r, ngc_site_open_root(site, ngc_site_zone(site, i)),
		    FS_WRITE_FILE | FS_REMOVE_FILE);
	if (output != NULL)
		allow(&r, output_directory(output),
		    FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_TRUNCATE);
	confined = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		   syscall(SYS_landlock_restrict_self, r.fd, 0) == 0;
	sys = errno;
	close(r.fd);
	return confined ? NGC_OK : ngc_fail(err, NGC_GONE, sys, "Landlock");
}

#else

enum ngc_code ngc_confine(const struct ngc_site *site, const char *output,
    struct ngc_error *err)
{
	(void)site;
	(void)output;
	return ngc_fail(err, NGC_GONE, ENOSYS, "Landlock");
}

#endif
