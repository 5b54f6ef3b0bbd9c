/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNIT_CONF_H
#define UNIT_CONF_H

#include <stdarg.h>

#include "ngc/conf.h"
#include "ngc/mem.h"
#include "unit.h"

/*
 * Read a dump of files: name, text, name, text, ..., NULL.  Fails the test unless want is
 * what the error must hold (NULL: no error).
 */
static inline struct ngc_conf *conf_of_files(const char *want, ...)
{
	struct ngc_conf_request req = { .prefix = "/prefix" };
	struct ngc_conf *c = NULL;
	struct ngc_buf dump = { 0 };
	struct ngc_error err = { 0 };
	const char *name;
	enum ngc_code code;
	va_list ap;

	va_start(ap, want);
	while ((name = va_arg(ap, const char *)) != NULL)
		ngc_buf_printf(&dump, "# configuration file %s:\n%s\n", name,
		    va_arg(ap, const char *));
	va_end(ap);
	req.dump = ngc_buf_bytes(&dump);
	code = ngc_conf_read(&req, &c, &err);
	if (want == NULL)
		ck_assert_msg(code == NGC_OK, "%s", err.text);
	else
		ck_assert_msg(code == NGC_INVALID && strstr(err.text, want) != NULL,
		    "'%s' instead of '%s'", code == NGC_OK ? "(read)" : err.text, want);
	ngc_buf_free(&dump);
	return c;
}

/* Remove a directory that the test made with mkdtemp(). */
static inline void remove_tree(const char *dir)
{
	struct ngc_buf b = { 0 };

	ngc_buf_printf(&b, "rm -rf '%s'", dir);
	ck_assert_int_eq(system(ngc_buf_str(&b)), 0);
	ngc_buf_free(&b);
}

/* The same of one file, /etc/nginx/nginx.conf. */
static inline struct ngc_conf *conf_of(const char *text)
{
	return conf_of_files(NULL, "/etc/nginx/nginx.conf", text, NULL);
}

static inline void conf_refused(const char *text, const char *want)
{
	conf_of_files(want, "/etc/nginx/nginx.conf", text, NULL);
}

#endif
