/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>
#include <sys/stat.h>

#include "build.h"
#include "master.h"
#include "ngc/doctor.h"
#include "ngc/level.h"

/* What the files of the doctor share. */

/* What every case of an ailment has in common. */
struct ailment {
	enum ngc_severity severity;
	const char *code, *effect, *advice;
};

/* Whom nginx's workers run as. */
struct worker_user {
	bool known;
	uid_t uid;
	gid_t groups[64];
	size_t n_groups;
	char name[64];
};

/* A zone there is, and where its root lies. */
struct patient {
	const struct ngc_zone *zone;
	bool chosen; /* -z leaves it */
	bool exists;
	struct ngc_place place; /* of a root that exists */
	struct nest *nests;     /* what stores into it */
	size_t n_nests;
};

/* A level that stores into a zone. */
struct nest {
	size_t patient; /* its number */
	const struct ngc_server *server;
	const struct ngc_level *level;
};

struct doctor {
	const struct ngc_doctor_request *req;
	struct ngc_doctor_result *out;
	const struct ngc_conf *conf; /* NULL: none was read */
	const char *root;            /* -R without slashes at its end; "": none */
	pid_t container;             /* -R is /proc/PID/root; 0: it is not */
	struct patient *patients;
	size_t n_patients;
	struct nest *nests;
	size_t n_nests, cap_nests;
	bool has_master;
	struct master master; /* the running one */
	struct worker_user user;
	bool asked, has_build;
	struct nginx_build build;
	bool failed; /* no memory for a finding */
};

/* Take down a finding; zone and path may be NULL.  The text is what was seen. */
void doctor_find(struct doctor *d, const struct ailment *a, const struct patient *p,
    const char *path, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A printed text that lives as long as the result; NULL: no memory. */
char *doctor_text(struct doctor *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Something could not be looked at. */
void doctor_problem(struct doctor *d, const struct ngc_error *err);

/* What is compiled into nginx; NULL: it is another root's, or cannot be asked. */
const struct nginx_build *doctor_build(struct doctor *d);

/*
 * A path of the configuration with -R in front, relative ones below nginx's prefix; NULL:
 * the prefix is not known, or there is no memory.
 */
const char *doctor_full_path(struct doctor *d, const char *path);

/* stat() of a path that carries -R, whose links are followed below that. */
bool doctor_stat(const struct doctor *d, const char *path, struct stat *out);

/* Open such a file for reading; -1 and errno. */
int doctor_open(const struct doctor *d, const char *path);

/* The directive in force in a level: its own, or that of one around it; NULL: none. */
const struct ngc_directive *doctor_in_force(const struct ngc_level *l, const char *name);

/* "location / of www.example.com (FILE:LINE)", for a person. */
const char *doctor_nest_text(struct doctor *d, const struct nest *n);

/* May the workers do that with it?  bits: 4 read, 2 write, 1 search. */
bool doctor_may(const struct worker_user *u, const struct stat *st, unsigned bits);

/* The name of its owner, or "uid N". */
const char *doctor_owner(struct doctor *d, const struct stat *st);

/* Find the running master and whom its workers run as; before the checks. */
void doctor_find_master(struct doctor *d);

/* The checks; those of a zone are called for every chosen one. */
void doctor_check_root(struct doctor *d, const struct patient *p);
void doctor_check_temp(struct doctor *d, const struct patient *p);
void doctor_check_key(struct doctor *d, const struct patient *p);
void doctor_check_hosts(struct doctor *d, const struct patient *p);
void doctor_check_open_files(struct doctor *d, const struct patient *p);
void doctor_check_private_tmp(struct doctor *d, const struct patient *p);
void doctor_check_selinux(struct doctor *d, const struct patient *p);
void doctor_check_noatime(struct doctor *d, const struct patient *p);
void doctor_check_master(struct doctor *d);
void doctor_check_overlap(struct doctor *d);

/* Walk the zone; as ngc_site_cache(), but a missing root is fine. */
enum ngc_code doctor_check_contents(struct doctor *d, const struct patient *p,
    struct ngc_error *err);

#endif
