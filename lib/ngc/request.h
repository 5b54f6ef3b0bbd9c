/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_REQUEST_H
#define NGC_REQUEST_H

#include "ngc/bytes.h"

/* A header of a client's request: a name without the colon, a value without blanks around
 * it. */
struct ngc_request_header {
	struct ngc_bytes name, value;
};

#endif
