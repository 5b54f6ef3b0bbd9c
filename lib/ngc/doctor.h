/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_DOCTOR_H
#define NGC_DOCTOR_H

#include <signal.h>
#include <stdint.h>

#include "ngc/error.h"
#include "ngc/mem.h"
#include "ngc/site.h"

/* Looking for what is wrong around the caches.  Nothing is changed. */

enum ngc_severity {
	NGC_FAULT,   /* nginx does not work, or answers wrongly */
	NGC_WARNING, /* it will hurt */
	NGC_NOTE,    /* worth knowing */
	NGC_SEVERITIES,
};
const char *ngc_severity_name(enum ngc_severity s);

/* Texts are for people: sentences without a full stop. */
struct ngc_doctor_finding {
	enum ngc_severity severity;
	const char *code; /* "root_missing", ... */
	const char *zone; /* NULL: not of one zone, or of one without a name */
	const char *path; /* NULL: there is none to tell */
	const char *seen;
	const char *effect; /* what it causes */
	const char *advice;
};

struct ngc_doctor_request {
	const struct ngc_site *site;
	struct ngc_pace pace;
	const volatile sig_atomic_t *stop;
	/* what could not be looked at; called by one thread at a time */
	void (*problem)(void *arg, const struct ngc_error *err);
	void *arg;
};

struct ngc_doctor_result {
	struct ngc_doctor_finding *findings; /* the worst first */
	size_t n, cap;
	uint64_t found[NGC_SEVERITIES];
	uint64_t entries; /* looked at */
	uint64_t failed;  /* could not be looked at */
	struct ngc_arena *arena;
};
void ngc_doctor_result_free(struct ngc_doctor_result *r); /* leaves it empty */

/*
 * Look at the zones of a site, at what its configuration says of them, and at the system
 * and the running nginx around them.
 * out: filled in also on failure; to be freed with ngc_doctor_result_free(); its texts
 * live no longer than the site.
 * NGC_INVALID: a directory of the command line is missing or no cache.
 */
enum ngc_code ngc_doctor(const struct ngc_doctor_request *req,
    struct ngc_doctor_result *out, struct ngc_error *err);

#endif
