/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FAULT_H
#define FAULT_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * Allocations that fail, in the program alone: other libraries may end the process then.
 *
 *	for (fault.at = 1; fault_begin(); fault.at++) { ... fault_end(); ... }
 *
 * fails the first, the second, ... until there are not so many.
 */
static struct {
	unsigned long at, seen; /* at: 0 means none */
	bool armed, done;
} fault;

/* False: none has failed in the last round, and the loop is done. */
static inline bool fault_begin(void)
{
	if (fault.at > 1 && fault.seen < fault.at - 1)
		return false;
	fault.seen = 0;
	fault.armed = true;
	return true;
}

static inline void fault_end(void)
{
	fault.armed = false;
}

extern const char __executable_start[], etext[];

static inline bool fault_fails(const void *caller)
{
	const char *from = caller;

	if (!fault.armed || from < __executable_start || from >= etext)
		return false;
	return ++fault.seen == fault.at;
}

/* What the caller of one of these is, tells whether it may fail. */
void *malloc(size_t n)
{
	static void *(*next)(size_t);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "malloc");
	return fault_fails(__builtin_return_address(0)) ? NULL : next(n);
}

void *calloc(size_t n, size_t size)
{
	static void *(*next)(size_t, size_t);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "calloc");
	return fault_fails(__builtin_return_address(0)) ? NULL : next(n, size);
}

void *realloc(void *p, size_t n)
{
	static void *(*next)(void *, size_t);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "realloc");
	return fault_fails(__builtin_return_address(0)) ? NULL : next(p, n);
}

#endif
