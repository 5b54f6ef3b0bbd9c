/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/library.h"

#include <dlfcn.h>
#include <string.h>

enum ngc_code ngc_library_load(const char *file,
    const struct ngc_library_function *functions, void *table, struct ngc_error *err)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		return ngc_fail(err, NGC_DENIED, 0, "%s", dlerror());
	for (; functions->name != NULL; functions++) {
		void *f = dlsym(library, functions->name);

		if (f == NULL)
			return ngc_fail(err, NGC_DENIED, 0, "%s", dlerror());
		memcpy((char *)table + functions->at, &f, sizeof(f));
	}
	return NGC_OK;
}
