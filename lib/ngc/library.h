/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_LIBRARY_H
#define NGC_LIBRARY_H

#include <stddef.h>

#include "ngc/error.h"

/* A function of a library that is loaded when it is needed. */
struct ngc_library_function {
	const char *name;
	size_t at; /* where in the table its pointer stands */
};

/*
 * Load a library and fill a table of pointers to its functions; functions ends with a
 * NULL name.  It stays loaded.  NGC_DENIED: it is not there.
 */
enum ngc_code ngc_library_load(const char *file,
    const struct ngc_library_function *functions, void *table, struct ngc_error *err);

#endif
