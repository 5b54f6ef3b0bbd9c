/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REQUEST_H
#define REQUEST_H

#include "cmd.h"
#include "ngc/explain.h"

/* A request as the command line describes it, with curl's letters: -X, -H, --data and a
 * URL. */
struct request_line {
	struct ngc_url *url;
	const char *method;
	struct ngc_request_header *headers;
	size_t n_headers, cap_headers;
	struct ngc_buf body;
};

/* Read it from the options and the first word.  False: a message was printed. */
bool request_read(struct request_line *r, const struct cmd_args *args);
struct ngc_explain_request request_of(const struct request_line *r);
void request_free(struct request_line *r);

#endif
