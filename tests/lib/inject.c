/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults and races on order: a library to preload.
 *
 *	INJECT='unlinkat:2=ENOENT' LD_PRELOAD=.../inject.so ngxcache ...
 *
 * Each line of $INJECT is a rule FUNCTION[@NAME]:N=ACTION: at the Nth call of openat,
 * fstatat, fstat, fsync, linkat, renameat, unlinkat, pread, pwrite or write (0: at every
 * call; with NAME, at the Nth one for that name, as it is passed, and of two names the
 * second) the ACTION happens: the call fails with that errno, with SHORT it writes one
 * byte only, or, when it begins with '!', the rest of the line is run by the shell, and
 * then the call goes on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define RULES_MAX 16
#define SHORT (-1) /* no errno */

struct rule {
	const char *function, *name; /* NULL: any name */
	unsigned long at, seen;
	int error;
	const char *command; /* NULL: error */
};

static struct rule rules[RULES_MAX];
static size_t n_rules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
	const char *name;
	int value;
} errors[] = {
	{ "EACCES", EACCES },
	{ "EIO", EIO },
	{ "ELOOP", ELOOP },
	{ "EMFILE", EMFILE },
	{ "ENOENT", ENOENT },
	{ "ENOSPC", ENOSPC },
	{ "EPERM", EPERM },
	{ "EROFS", EROFS },
	{ "EINTR", EINTR },
	{ "EOPNOTSUPP", EOPNOTSUPP },
	{ "SHORT", SHORT },
};

static void bad_rule(const char *line)
{
	fprintf(stderr, "inject: bad rule: %s\n", line);
	abort();
}

static int error_named(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].value;
	return 0;
}

static void parse_rule(char *line)
{
	struct rule *r = &rules[n_rules++];
	char *colon = strchr(line, ':'), *equals = strchr(line, '='), *at;

	if (n_rules == RULES_MAX || colon == NULL || equals == NULL || equals < colon)
		bad_rule(line);
	*colon = *equals = '\0';
	at = strchr(line, '@');
	if (at != NULL)
		*at = '\0';
	*r = (struct rule){ .function = line,
		.name = at != NULL ? at + 1 : NULL,
		.at = strtoul(colon + 1, NULL, 10) };
	if (equals[1] == '!')
		r->command = equals + 2;
	else
		r->error = error_named(equals + 1);
	if (r->command == NULL && r->error == 0)
		bad_rule(equals + 1);
}

/* What a command starts must not be disturbed, too. */
__attribute__((constructor)) static void parse_rules(void)
{
	const char *text = getenv("INJECT");
	char *copy = text != NULL ? strdup(text) : NULL;

	for (char *line = copy, *end; line != NULL && *line != '\0'; line = end) {
		end = strchr(line, '\n');
		if (end != NULL)
			*end++ = '\0';
		parse_rule(line);
	}
	unsetenv("INJECT");
	unsetenv("LD_PRELOAD");
}

/* True: the call fails, errno is set. */
static bool disturb(const char *function, const char *name)
{
	for (size_t i = 0; i < n_rules; i++) {
		struct rule *r = &rules[i];
		bool now;

		if (strcmp(r->function, function) != 0 ||
		    (r->name != NULL && (name == NULL || strcmp(r->name, name) != 0)))
			continue;
		pthread_mutex_lock(&lock);
		now = ++r->seen == r->at || r->at == 0;
		pthread_mutex_unlock(&lock);
		if (!now)
			continue;
		if (r->command == NULL) {
			errno = r->error;
			return true;
		}
		if (system(r->command) != 0)
			bad_rule(r->command);
	}
	return false;
}

/* The function behind ours; where files are large, under the name that programs use. */
static void *real(const char *large, const char *plain)
{
	void *f = dlsym(RTLD_NEXT, large);

	return f != NULL ? f : dlsym(RTLD_NEXT, plain);
}

#define REAL(type, name) ((type)real(#name "64", #name))

int openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if (disturb("openat", path))
		return -1;
	return REAL(int (*)(int, const char *, int, ...), openat)(dirfd, path, flags,
	    mode);
}

int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	if (disturb("fstatat", path))
		return -1;
	return REAL(int (*)(int, const char *, struct stat *, int), fstatat)(dirfd, path,
	    st, flags);
}

int fstat(int fd, struct stat *st)
{
	if (disturb("fstat", NULL))
		return -1;
	return REAL(int (*)(int, struct stat *), fstat)(fd, st);
}

int unlinkat(int dirfd, const char *path, int flags)
{
	if (disturb("unlinkat", path))
		return -1;
	return REAL(int (*)(int, const char *, int), unlinkat)(dirfd, path, flags);
}

ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
	if (disturb("pread", NULL))
		return -1;
	return REAL(ssize_t(*)(int, void *, size_t, off_t), pread)(fd, to, n, offset);
}

/* As on a cold page cache: all is read by pread(). */
ssize_t preadv2(int fd, const struct iovec *to, int n, off_t offset, int flags)
{
	(void)fd;
	(void)to;
	(void)n;
	(void)offset;
	(void)flags;
	errno = EAGAIN;
	return -1;
}

/* How much of n bytes is to be written; negative: the call fails. */
static ssize_t writable(const char *function, size_t n)
{
	if (!disturb(function, NULL))
		return (ssize_t)n;
	return errno == SHORT && n > 0 ? 1 : -1;
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t offset)
{
	ssize_t some = writable("pwrite", n);

	return some < 0 ? some
			: REAL(ssize_t(*)(int, const void *, size_t, off_t),
			      pwrite)(fd, from, (size_t)some, offset);
}

ssize_t write(int fd, const void *from, size_t n)
{
	ssize_t some = writable("write", n);

	return some < 0 ? some
			: ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT,
			      "write"))(fd, from, (size_t)some);
}

int fsync(int fd)
{
	if (disturb("fsync", NULL))
		return -1;
	return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	if (disturb("linkat", to))
		return -1;
	return ((int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT,
	    "linkat"))(from_dir, from, to_dir, to, flags);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	if (disturb("renameat", to))
		return -1;
	return ((int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT,
	    "renameat"))(from_dir, from, to_dir, to);
}
