/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_VARIABLE_H
#define NGC_VARIABLE_H

#include <stdbool.h>

#include "ngc/bytes.h"

/* The variables in a text, as nginx's ngx_http_script_compile() reads them. */

/* May it stand in the name of a variable? */
static inline bool ngc_variable_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/*
 * The name of the next variable in the text, "$name" or "${name}"; the text is moved
 * behind it.  What has a '$' but no name is passed over.  False: there are no more.
 */
static inline bool ngc_variable_next(struct ngc_bytes *text, struct ngc_bytes *name)
{
	const unsigned char *dollar;
	size_t n;

	while (text->n > 0 && (dollar = memchr(text->p, '$', text->n)) != NULL) {
		*text = ngc_bytes_from(*text, (size_t)(dollar - text->p) + 1);
		if (text->n > 0 && text->p[0] == '{')
			*text = ngc_bytes_from(*text, 1);
		for (n = 0; n < text->n && ngc_variable_char(text->p[n]); n++)
			;
		*name = ngc_bytes(text->p, n);
		*text = ngc_bytes_from(*text, n);
		if (n > 0)
			return true;
	}
	return false;
}

#endif
