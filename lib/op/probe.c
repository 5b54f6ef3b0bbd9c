/* SPDX-License-Identifier: BSD-2-Clause */
#include "target.h"

#include "ngc/variant.h"

/*
 * What clients send as Accept-Encoding, blanks left out: nginx leaves them out, too, when
 * it computes a variant.  Whoever sends something else is served a variant that only a
 * walk finds.
 */
static const char *const accept_encodings[] = {
	"",                      /* none: monitoring, many crawlers */
	"identity",              /* wget */
	"gzip",                  /* Go, many libraries */
	"gzip,deflate",          /* older browsers, Python, crawlers */
	"gzip,deflate,br",       /* browsers, search engines */
	"gzip,deflate,br,zstd",  /* browsers since 2024 */
	"gzip,br",               /* content delivery networks */
	"br,gzip",
	"br",
	"deflate,gzip",          /* curl --compressed, by what it was built with */
	"deflate,gzip,br",
	"deflate,gzip,br,zstd",
	"gzip,x-gzip,deflate",   /* Java */
	"gzip,deflate,sdch",     /* browsers before 2017 */
	"*",
};

_Static_assert(sizeof(accept_encodings) / sizeof(accept_encodings[0]) == PROBES,
    "a name for each");

void probe_names(struct ngc_bytes key, struct ngc_bytes vary,
    char names[PROBES][NGC_NAME_LEN + 1])
{
	for (size_t i = 0; i < PROBES; i++) {
		struct ngc_request_header header = { ngc_bytes_of("Accept-Encoding"),
			ngc_bytes_of(accept_encodings[i]) };
		unsigned char md5[NGC_MD5_SIZE];

		ngc_variant_compute(key, vary, &header, 1, md5);
		ngc_hex(md5, names[i]);
	}
}
