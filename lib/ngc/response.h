/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_RESPONSE_H
#define NGC_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "ngc/bytes.h"

/*
 * The upstream's response header as nginx stored it, between header_start and body_start:
 * raw HTTP (proxy, uwsgi), a CGI header block (scgi, uwsgi), or FastCGI records as
 * received.
 */
enum ngc_stored { NGC_STORED_HTTP, NGC_STORED_FASTCGI, NGC_STORED_CGI };
const char *ngc_stored_name(enum ngc_stored s); /* "http", "fastcgi", "cgi" */

struct ngc_response {
	enum ngc_stored stored;
	int status; /* what nginx would answer with; 0: the status line is garbled */
	bool well_formed;        /* nginx could have read and stored these very bytes */
	bool framed; /* the FastCGI records, where there are such, can be told apart */
	bool ended;  /* there is a blank line, which ends the fields */
	struct ngc_bytes
	    fields; /* the header lines, without status line and blank line */
};

/*
 * Parse a stored header.  Never fails: what cannot be read is left out and well_formed is
 * false.
 *
 * head: the bytes from header_start to body_start (empty for an HTTP/0.9 answer, status
 * 200). scratch: room for head.n bytes, where the contents of FastCGI records are put
 * together; out borrows from head and scratch.
 */
void ngc_response_parse(struct ngc_bytes head, unsigned char *scratch,
    struct ngc_response *out);

/*
 * The next header field.  *pos begins at 0 and is moved on; false at the end.  name and
 * value are without the colon, blanks around the value and line ends.  A line without a
 * colon has an empty value.
 */
bool ngc_response_next(const struct ngc_response *r, size_t *pos, struct ngc_bytes *name,
    struct ngc_bytes *value);

/* The first field of that name, case ignored; absent (p NULL) when there is none. */
struct ngc_bytes ngc_response_field(const struct ngc_response *r, const char *name);

/* The media type alone, without parameters; absent when there is none. */
struct ngc_bytes ngc_response_media_type(const struct ngc_response *r);

#endif
