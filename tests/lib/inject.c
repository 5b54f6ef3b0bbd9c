/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults and races on order: a library to preload.
 *
 *	INJECT='unlinkat:2=ENOENT' LD_PRELOAD=.../inject.so ngxcache ...
 *
 * Each line of $INJECT is a rule FUNCTION[@NAME]:N=ACTION: at the Nth call of one of the
 * functions below (0: at every call; with NAME, at the Nth one for that name, as it is
 * passed, and of two names the second) the ACTION happens: the call fails with that
 * errno, with SHORT it reads or writes one byte only, or, when it begins with '!', the
 * rest of the line is run by the shell, and then the call goes on.  All that allocate
 * memory count as one function, "memory".  What system calls the C library makes on its
 * own is not seen.
 *
 * What the shell runs would be confined with the program: Landlock is not there, unless
 * $INJECT_CONFINED is set.
 *
 * At the end the file $INJECT_REPORT gets "CALLS FUNCTION" for each one that was called,
 * and "open PATH" for each descriptor that was not open at the start.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define RULES_MAX 16
#define CALLS_MAX 64
#define OPEN_MAX  256  /* descriptors that are looked at */
#define SHORT     (-1) /* no errno */

struct rule {
	const char *function, *name; /* NULL: any name */
	unsigned long at, seen;
	int error;
	const char *command; /* NULL: error */
};

static struct rule rules[RULES_MAX];
static size_t n_rules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *report_path;
static bool confined; /* Landlock is there */
static bool counting; /* there will be a report */
static bool was_open[OPEN_MAX];
static struct {
	const char *function;
	unsigned long n;
} calls[CALLS_MAX];

static const struct {
	const char *name;
	int value;
} errors[] = {
	{ "EACCES", EACCES },
	{ "EIO", EIO },
	{ "ELOOP", ELOOP },
	{ "EMFILE", EMFILE },
	{ "ENOENT", ENOENT },
	{ "ENOMEM", ENOMEM },
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

/* The function behind ours; where files are large, under the name that programs use. */
static void *real(const char *large, const char *plain)
{
	void *f = sizeof(off_t) > sizeof(long) ? dlsym(RTLD_NEXT, large) : NULL;

	return f != NULL ? f : dlsym(RTLD_NEXT, plain);
}

#define REAL(type, name) ((type)real(#name "64", #name))

static bool is_open(int fd)
{
	return REAL(long (*)(long, ...), syscall)(SYS_fcntl, fd, F_GETFD) >= 0;
}

/* What a command starts must not be disturbed, too. */
__attribute__((constructor)) static void parse_rules(void)
{
	const char *text = getenv("INJECT"), *report = getenv("INJECT_REPORT");
	char *copy = text != NULL ? strdup(text) : NULL;

	for (int fd = 0; fd < OPEN_MAX; fd++)
		was_open[fd] = is_open(fd);
	for (char *line = copy, *end; line != NULL && *line != '\0'; line = end) {
		end = strchr(line, '\n');
		if (end != NULL)
			*end++ = '\0';
		parse_rule(line);
	}
	confined = getenv("INJECT_CONFINED") != NULL;
	memset(calls, 0, sizeof(calls));
	report_path = report != NULL ? strdup(report) : NULL;
	counting = report_path != NULL;
	unsetenv("INJECT");
	unsetenv("INJECT_REPORT");
	unsetenv("LD_PRELOAD");
}

static void report_open(FILE *f, int fd)
{
	char proc[32], path[512];
	ssize_t n;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	n = readlink(proc, path, sizeof(path));
	fprintf(f, "open %.*s\n", n > 0 ? (int)n : 0, path);
}

__attribute__((destructor)) static void report(void)
{
	bool left[OPEN_MAX];
	FILE *f;

	if (!counting)
		return;
	counting = false;
	for (int fd = 0; fd < OPEN_MAX; fd++)
		left[fd] = !was_open[fd] && is_open(fd);
	n_rules = 0;
	f = fopen(report_path, "we");
	if (f == NULL)
		return;
	for (size_t i = 0; i < CALLS_MAX && calls[i].function != NULL; i++)
		fprintf(f, "%lu %s\n", calls[i].n, calls[i].function);
	for (int fd = 0; fd < OPEN_MAX; fd++)
		if (left[fd])
			report_open(f, fd);
	fclose(f);
}

static void count_call(const char *function)
{
	size_t i = 0;

	pthread_mutex_lock(&lock);
	while (i < CALLS_MAX - 1 && calls[i].function != NULL &&
	       strcmp(calls[i].function, function) != 0)
		i++;
	calls[i].function = function;
	calls[i].n++;
	pthread_mutex_unlock(&lock);
}

/* True: the call fails, errno is set. */
static bool disturb(const char *function, const char *name)
{
	if (counting)
		count_call(function);
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

/* A function that fails by -1; name is what a rule may name. */
#define FAILS(type, function, parameters, arguments, name)                               \
	type function parameters                                                         \
	{                                                                                \
		if (disturb(#function, name))                                            \
			return -1;                                                       \
		return REAL(type(*) parameters, function) arguments;                     \
	}

/* One that fails by NULL. */
#define FAILS_NULL(type, function, parameters, arguments, name)                          \
	type function parameters                                                         \
	{                                                                                \
		if (disturb(#function, name))                                            \
			return NULL;                                                     \
		return REAL(type(*) parameters, function) arguments;                     \
	}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t)
								   : 0;
}

int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	if (disturb("open", path))
		return -1;
	return REAL(int (*)(const char *, int, ...), open)(path, flags, mode);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	if (disturb("openat", path))
		return -1;
	return REAL(int (*)(int, const char *, int, ...), openat)(dirfd, path, flags,
	    mode);
}

/* Only what it is asked for in the program: with one number. */
int fcntl(int fd, int command, ...)
{
	va_list ap;
	int number;

	va_start(ap, command);
	number = va_arg(ap, int);
	va_end(ap);
	if (command == F_DUPFD_CLOEXEC && disturb("fcntl", NULL))
		return -1;
	return REAL(int (*)(int, int, ...), fcntl)(fd, command, number);
}

/* As they are told of by every system, and closed even so. */
int close(int fd)
{
	bool fails = disturb("close", NULL);
	int saved = errno, result = REAL(int (*)(int), close)(fd);

	if (!fails)
		return result;
	errno = saved;
	return -1;
}

FAILS(int, stat, (const char *path, struct stat *st), (path, st), path)
FAILS(int, fstat, (int fd, struct stat *st), (fd, st), NULL)
FAILS(int, fstatat, (int dirfd, const char *path, struct stat *st, int flags),
    (dirfd, path, st, flags), path)
FAILS(int, fstatfs, (int fd, struct statfs *st), (fd, st), NULL)
FAILS(int, fstatvfs, (int fd, struct statvfs *st), (fd, st), NULL)
FAILS(int, access, (const char *path, int mode), (path, mode), path)
FAILS(int, faccessat, (int dirfd, const char *path, int mode, int flags),
    (dirfd, path, mode, flags), path)
FAILS(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n), path)
FAILS(ssize_t, readlinkat, (int dirfd, const char *path, char *to, size_t n),
    (dirfd, path, to, n), path)
FAILS(off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), NULL)
FAILS(int, mkdirat, (int dirfd, const char *path, mode_t mode), (dirfd, path, mode), path)
FAILS(int, fchmod, (int fd, mode_t mode), (fd, mode), NULL)
FAILS(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), NULL)
FAILS(int, futimens, (int fd, const struct timespec times[2]), (fd, times), NULL)
FAILS(int, ftruncate, (int fd, off_t size), (fd, size), NULL)
FAILS(int, unlink, (const char *path), (path), path)
FAILS(int, unlinkat, (int dirfd, const char *path, int flags), (dirfd, path, flags), path)
FAILS(int, rename, (const char *from, const char *to), (from, to), to)
FAILS(int, renameat, (int from_dir, const char *from, int to_dir, const char *to),
    (from_dir, from, to_dir, to), to)
FAILS(int, linkat,
    (int from_dir, const char *from, int to_dir, const char *to, int flags),
    (from_dir, from, to_dir, to, flags), to)
FAILS(int, fsync, (int fd), (fd), NULL)
FAILS(int, mkostemp, (char *path, int flags), (path, flags), NULL)
FAILS(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left), NULL)
FAILS(int, poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout), NULL)
FAILS_NULL(DIR *, opendir, (const char *path), (path), path)
FAILS_NULL(DIR *, fdopendir, (int fd), (fd), NULL)
FAILS_NULL(struct dirent *, readdir, (DIR * dir), (dir), NULL)
FAILS_NULL(FILE *, fopen, (const char *path, const char *mode), (path, mode), path)
FAILS_NULL(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)

/* How much of n bytes is to be read or written; negative: the call fails. */
static ssize_t allowed(const char *function, size_t n)
{
	if (!disturb(function, NULL))
		return (ssize_t)n;
	return errno == SHORT && n > 0 ? 1 : -1;
}

/* One that may do less than it is asked to. */
#define FALLS_SHORT(function, parameters, arguments)                                     \
	ssize_t function parameters                                                      \
	{                                                                                \
		ssize_t some = allowed(#function, n);                                    \
                                                                                         \
		if (some < 0)                                                            \
			return -1;                                                       \
		n = (size_t)some;                                                        \
		return REAL(ssize_t(*) parameters, function) arguments;                  \
	}

FALLS_SHORT(read, (int fd, void *to, size_t n), (fd, to, n))
FALLS_SHORT(pread, (int fd, void *to, size_t n, off_t offset), (fd, to, n, offset))
FALLS_SHORT(write, (int fd, const void *from, size_t n), (fd, from, n))
FALLS_SHORT(pwrite, (int fd, const void *from, size_t n, off_t offset),
    (fd, from, n, offset))

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

/* Few names, but not cut off. */
#define FEW 280

static bool disturb_getdents(long *n)
{
	if (!disturb("getdents64", NULL))
		return false;
	if (errno != SHORT)
		return true;
	*n = FEW;
	return false;
}

long syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
#ifdef SYS_landlock_create_ruleset
	if (number == SYS_landlock_create_ruleset && !confined) {
		errno = ENOSYS;
		return -1;
	}
#endif
	if (number == SYS_getdents64 && disturb_getdents(&a[2]))
		return -1;
	return REAL(long (*)(long, ...), syscall)(number, a[0], a[1], a[2], a[3], a[4],
	    a[5]);
}

/*
 * Libraries that crash, or end the process, for want of memory are given theirs: it is
 * not they that are tested.
 */
static _Thread_local bool spared;

static bool is_spared(void *caller)
{
	Dl_info of;

	if (spared || dladdr(caller, &of) == 0 || of.dli_fname == NULL)
		return spared;
	return strstr(of.dli_fname, "libarchive") != NULL ||
	       strstr(of.dli_fname, "/ld-") != NULL;
}

#define MEMORY(function, parameters, arguments)                                    \
	void *function parameters                                                  \
	{                                                                          \
		static void *(*behind) parameters;                                 \
                                                                                   \
		if (behind == NULL)                                                \
			behind = (void *(*)parameters)dlsym(RTLD_NEXT, #function); \
		if ((n_rules > 0 || counting) &&                        \
		    !is_spared(__builtin_return_address(0)) &&                     \
		    disturb("memory", NULL))                                       \
			return NULL;                                               \
		return behind arguments;                                           \
	}

MEMORY(malloc, (size_t n), (n))
MEMORY(calloc, (size_t n, size_t size), (n, size))
MEMORY(realloc, (void *p, size_t n), (p, n))

/* A call with memory for all that the C library makes of it. */
#define SPARED(function, parameters, arguments)                    \
	int function parameters                                    \
	{                                                          \
		int result;                                        \
                                                                   \
		spared = true;                                     \
		result = REAL(int (*) parameters, function) arguments; \
		spared = false;                                    \
		return result;                                     \
	}

SPARED(getpwuid_r,
    (uid_t user, struct passwd *pw, char *names, size_t n, struct passwd **out),
    (user, pw, names, n, out))
SPARED(getpwnam_r,
    (const char *name, struct passwd *pw, char *names, size_t n, struct passwd **out),
    (name, pw, names, n, out))

#define SPARED_NULL(type, function, parameters, arguments)               \
	type function parameters                                         \
	{                                                                \
		type result;                                             \
                                                                         \
		if (disturb(#function, NULL))                            \
			return NULL;                                     \
		spared = true;                                           \
		result = REAL(type(*) parameters, function) arguments;   \
		spared = false;                                          \
		return result;                                           \
	}

SPARED_NULL(struct passwd *, getpwuid, (uid_t user), (user))
SPARED_NULL(struct passwd *, getpwnam, (const char *name), (name))
