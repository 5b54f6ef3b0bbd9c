/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "doctor.h"
#include "ngc/path.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

const char *ngc_severity_name(enum ngc_severity s)
{
	static const char *const names[] = { "fault", "warning", "note" };

	return names[s];
}

void ngc_doctor_result_free(struct ngc_doctor_result *r)
{
	free(r->findings);
	ngc_arena_free(r->arena);
	*r = (struct ngc_doctor_result){ 0 };
}

static char *print_text(struct doctor *d, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

static char *print_text(struct doctor *d, const char *fmt, va_list ap)
{
	char *text = NULL, *copy = NULL;
	int n = vasprintf(&text, fmt, ap);

	if (n >= 0) {
		copy = ngc_arena_copy(d->out->arena, text, (size_t)n);
		free(text);
	}
	d->failed |= copy == NULL;
	return copy;
}

char *doctor_text(struct doctor *d, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = print_text(d, fmt, ap);
	va_end(ap);
	return text;
}

/* Two locations may lead to the same finding. */
static bool is_told(const struct ngc_doctor_result *out,
    const struct ngc_doctor_finding *f)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->findings[i].code == f->code &&
		    out->findings[i].zone == f->zone &&
		    strcmp(out->findings[i].seen, f->seen) == 0)
			return true;
	return false;
}

void doctor_find(struct doctor *d, const struct ailment *a, const struct patient *p,
    const char *path, const char *fmt, ...)
{
	struct ngc_doctor_result *out = d->out;
	struct ngc_doctor_finding f = { .severity = a->severity,
		.code = a->code,
		.zone = p != NULL ? p->zone->name : NULL,
		.effect = a->effect,
		.advice = a->advice };
	va_list ap;

	va_start(ap, fmt);
	f.seen = print_text(d, fmt, ap);
	va_end(ap);
	if (path != NULL)
		f.path = doctor_text(d, "%s", path);
	if (!d->failed && is_told(out, &f))
		return;
	if (d->failed || !ngc_array_grow((void **)&out->findings, out->n, &out->cap,
			     sizeof(*out->findings))) {
		d->failed = true;
		return;
	}
	out->findings[out->n++] = f;
	out->found[f.severity]++;
}

void doctor_problem(struct doctor *d, const struct ngc_error *err)
{
	d->out->failed++;
	if (d->req->problem != NULL)
		d->req->problem(d->req->arg, err);
}

const struct nginx_build *doctor_build(struct doctor *d)
{
	struct ngc_error ignored;

	if (!d->asked && d->root[0] == '\0')
		d->has_build = nginx_build_ask(&d->build, &ignored) == NGC_OK;
	d->asked = true;
	return d->has_build ? &d->build : NULL;
}

const char *doctor_full_path(struct doctor *d, const char *path)
{
	const char *prefix = d->conf != NULL ? ngc_conf_prefix(d->conf) : NULL;

	if (path[0] == '/')
		return doctor_text(d, "%s%s", d->root, path);
	if (prefix == NULL && doctor_build(d) != NULL)
		prefix = d->build.prefix;
	return prefix != NULL ? doctor_text(d, "%s%s/%s", d->root, prefix, path) : NULL;
}

/* A directory of -d need not lie below -R. */
static bool is_below_root(const struct doctor *d, const char *path)
{
	size_t n = strlen(d->root);

	return n > 0 && strncmp(path, d->root, n) == 0 &&
	       (path[n] == '/' || path[n] == '\0');
}

/* Links are followed as if -R were "/". */
static int open_path(const struct doctor *d, const char *path, int flags)
{
	if (!is_below_root(d, path))
		return ngc_path_open(NULL, path, flags, NULL);
	path += strlen(d->root);
	return ngc_path_open(d->root, *path != '\0' ? path : "/", flags, NULL);
}

bool doctor_stat(const struct doctor *d, const char *path, struct stat *out)
{
	int fd = open_path(d, path, O_PATH);
	bool ok = fd >= 0 && fstat(fd, out) == 0;
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return ok;
}

int doctor_open(const struct doctor *d, const char *path)
{
	return open_path(d, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

const struct ngc_directive *doctor_in_force(const struct ngc_level *l, const char *name)
{
	const struct ngc_directive *found = NULL;

	for (; l != NULL && found == NULL; l = l->parent)
		found = ngc_level_find(l, name);
	return found;
}

const char *doctor_nest_text(struct doctor *d, const struct nest *n)
{
	const struct ngc_level *l = n->level;
	const char *server = n->server->names[0].n > 0
				 ? (const char *)n->server->names[0].p
				 : "a server without a name";

	while (l->kind >= NGC_LEVEL_IF)
		l = l->parent;
	if (!ngc_level_is_location(l))
		return doctor_text(d, "%s (%s:%u)", server, n->level->d->file,
		    n->level->d->line);
	return doctor_text(d, "location %s%.*s of %s (%s:%u)", ngc_level_modifier(l),
	    (int)l->pattern.n, (const char *)l->pattern.p, server, n->level->d->file,
	    n->level->d->line);
}

static bool add_nest(struct doctor *d, size_t patient, const struct ngc_server *s,
    const struct ngc_level *l)
{
	if (!ngc_array_grow((void **)&d->nests, d->n_nests, &d->cap_nests,
		sizeof(*d->nests)))
		return false;
	d->nests[d->n_nests++] = (struct nest){ patient, s, l };
	return true;
}

/* The zones a level stores into: one, or with a variable those that it may select. */
static bool add_level(struct doctor *d, const struct ngc_server *s,
    const struct ngc_level *l)
{
	bool ok = true;

	for (size_t i = 0; ok && ngc_level_stores(l) && i < d->n_patients; i++)
		if (d->patients[i].zone->configured &&
		    ngc_level_may_select(d->conf, l, d->patients[i].zone))
			ok = add_nest(d, i, s, l);
	for (l = l->first; ok && l != NULL; l = l->next)
		ok = add_level(d, s, l);
	return ok;
}

/* By zone; those of a zone stay in file order. */
static int by_patient(const void *a, const void *b)
{
	const struct nest *x = a, *y = b;

	if (x->patient != y->patient)
		return x->patient < y->patient ? -1 : 1;
	if (x->server->index != y->server->index)
		return x->server->index < y->server->index ? -1 : 1;
	return (x->level->d->line > y->level->d->line) -
	       (x->level->d->line < y->level->d->line);
}

static bool collect_nests(struct doctor *d)
{
	const struct ngc_server *s;
	size_t i = 0;

	for (; d->conf != NULL && (s = ngc_conf_server(d->conf, i)) != NULL; i++)
		if (!add_level(d, s, s->level))
			return false;
	if (d->n_nests > 0)
		qsort(d->nests, d->n_nests, sizeof(*d->nests), by_patient);
	for (i = 0; i < d->n_nests; i++) {
		struct patient *p = &d->patients[d->nests[i].patient];

		if (p->n_nests++ == 0)
			p->nests = &d->nests[i];
	}
	return true;
}

static void add_patient(struct doctor *d, const struct ngc_zone *zone)
{
	const struct ngc_site *site = d->req->site;
	struct patient *p = &d->patients[d->n_patients++];

	*p = (struct patient){ .zone = zone,
		.chosen = ngc_site_zone_index(site, zone) < ngc_site_zones(site) };
	p->exists = ngc_site_place(site, zone, &p->place);
}

/* The zones of the configuration, then the directories of the command line. */
static bool collect_patients(struct doctor *d)
{
	const struct ngc_zone *zone;
	size_t n = 0, i = 0;

	while (d->conf != NULL && ngc_conf_zone(d->conf, n) != NULL)
		n++;
	d->patients = ngc_array_alloc(n + ngc_site_zones(d->req->site) + 1,
	    sizeof(*d->patients));
	if (d->patients == NULL)
		return false;
	for (; i < n; i++)
		add_patient(d, ngc_conf_zone(d->conf, i));
	for (i = 0; (zone = ngc_site_zone(d->req->site, i)) != NULL; i++)
		if (!zone->configured)
			add_patient(d, zone);
	return true;
}

/* -R as the paths of the configuration carry it, and whose it is. */
static void take_root(struct doctor *d)
{
	int end = 0, pid = 0;

	d->root = d->conf != NULL ? ngc_conf_root(d->conf) : "";
	if (sscanf(d->root, "/proc/%d/root%n", &pid, &end) == 1 && end > 0 &&
	    d->root[end] == '\0')
		d->container = pid;
}

static enum ngc_code check_zone(struct doctor *d, const struct patient *p,
    struct ngc_error *err)
{
	static void (*const checks[])(struct doctor *,
	    const struct patient *) = { doctor_check_root, doctor_check_temp,
		doctor_check_key, doctor_check_hosts, doctor_check_open_files,
		doctor_check_private_tmp, doctor_check_selinux, doctor_check_noatime };

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](d, p);
	return doctor_check_contents(d, p, err);
}

/* The worst first, else in the order in which they were found. */
static bool sort_findings(struct ngc_doctor_result *out)
{
	struct ngc_doctor_finding *sorted = ngc_array_alloc(out->n + 1, sizeof(*sorted));
	size_t n = 0;

	if (sorted == NULL)
		return false;
	for (int s = 0; s < NGC_SEVERITIES; s++)
		for (size_t i = 0; i < out->n; i++)
			if (out->findings[i].severity == (enum ngc_severity)s)
				sorted[n++] = out->findings[i];
	free(out->findings);
	out->findings = sorted;
	return true;
}

static enum ngc_code examine(struct doctor *d, struct ngc_error *err)
{
	const volatile sig_atomic_t *stop = d->req->stop;
	enum ngc_code code = NGC_OK;

	d->conf = ngc_site_conf(d->req->site);
	take_root(d);
	if (!collect_patients(d) || !collect_nests(d))
		return ngc_no_memory(err);
	doctor_find_master(d);
	doctor_check_master(d);
	doctor_check_overlap(d);
	for (size_t i = 0; code == NGC_OK && i < d->n_patients; i++)
		if (d->patients[i].chosen && (stop == NULL || *stop == 0))
			code = check_zone(d, &d->patients[i], err);
	if (code == NGC_OK && (d->failed || !sort_findings(d->out)))
		code = ngc_no_memory(err);
	return code;
}

enum ngc_code ngc_doctor(const struct ngc_doctor_request *req,
    struct ngc_doctor_result *out, struct ngc_error *err)
{
	struct doctor *d = ngc_array_alloc(1, sizeof(*d));
	enum ngc_code code = NGC_FATAL;

	*out = (struct ngc_doctor_result){ .arena = ngc_arena_new() };
	if (d == NULL || out->arena == NULL) {
		free(d);
		return ngc_no_memory(err);
	}
	d->req = req;
	d->out = out;
	code = examine(d, err);
	free(d->patients);
	free(d->nests);
	free(d);
	return code;
}
