/* SPDX-License-Identifier: BSD-2-Clause */
#include "fcgi.h"

enum { RECORD_VERSION = 1, RECORD_STDOUT = 6, RECORD_STDERR = 7, RECORD_HEADER = 8 };

struct record {
	unsigned type;
	size_t length, padding;
};

bool fcgi_begins(struct ngc_bytes head)
{
	return head.n >= 2 && head.p[0] == RECORD_VERSION &&
	       (head.p[1] == RECORD_STDOUT || head.p[1] == RECORD_STDERR);
}

/* As ngx_http_fastcgi_process_record(): the only request there is has the id 1. */
static bool take_record(struct ngc_bytes *left, struct record *r)
{
	const unsigned char *p = left->p;

	if (left->n < RECORD_HEADER || !fcgi_begins(*left) || p[2] != 0 || p[3] != 1)
		return false;
	r->type = p[1];
	r->length = (size_t)p[4] << 8 | p[5];
	r->padding = p[6];
	*left = ngc_bytes_from(*left, RECORD_HEADER);
	return true;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

bool fcgi_unwrap(struct ngc_bytes head, unsigned char *out, size_t *n)
{
	struct record r;

	*n = 0;
	while (head.n > 0) {
		if (!take_record(&head, &r))
			return false;
		if (r.type == RECORD_STDOUT) {
			if (r.length == 0) /* the stream ends before the header does */
				return false;
			r.length = least(r.length, head.n);
			memcpy(out + *n, head.p, r.length);
			*n += r.length;
		} else if (r.length > head.n) {
			return false;
		}
		head = ngc_bytes_from(head, r.length);
		head = ngc_bytes_from(head, least(r.padding, head.n));
	}
	return true;
}
