/* SPDX-License-Identifier: BSD-2-Clause */
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "doctor.h"
#include "ngc/units.h"

/*
 * The running nginx is the one whose pid file the configuration names; other ones on the
 * machine are none of its business.  Below /proc/PID/root it is that process.
 */

/* The clock of processes and that of files differ by less than this. */
#define CLOCK_SLACK_MS 200

static const struct ailment other_file = { NGC_FAULT, "other_configuration",
	"what this program reads is not what nginx does: purges and listings may miss "
	"the files that are served",
	"name the file that nginx uses with -c, or start nginx with this one" };

static const struct ailment not_reloaded = { NGC_WARNING, "other_configuration",
	"nginx still works with what it read then: zones, keys and paths may be others "
	"than those this program sees",
	"ngxcache reload, and heed what nginx answers" };

/* --- who the workers are --- */

/* The value of a line of /proc/PID/status. */
static bool status_line(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64], *line = NULL;
	size_t cap = 0, n = strlen(name);
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (!found && getline(&line, &cap, f) > 0)
		found = strncmp(line, name, n) == 0;
	if (found)
		snprintf(out, size, "%s", line + n);
	free(line);
	fclose(f);
	return found;
}

static void add_group(struct worker_user *u, gid_t gid)
{
	if (u->n_groups < sizeof(u->groups) / sizeof(u->groups[0]))
		u->groups[u->n_groups++] = gid;
}

/* As the kernel knows it. */
static bool user_of_process(pid_t pid, struct worker_user *u)
{
	char text[1024], *p = text;
	unsigned long uid, gid;
	const struct passwd *pw;
	int n = 0;

	if (!status_line(pid, "Uid:", text, sizeof(text)) ||
	    sscanf(text, "%*u %lu", &uid) != 1 ||
	    !status_line(pid, "Gid:", text, sizeof(text)) ||
	    sscanf(text, "%*u %lu", &gid) != 1)
		return false;
	*u = (struct worker_user){ .known = true, .uid = (uid_t)uid };
	add_group(u, (gid_t)gid);
	if (status_line(pid, "Groups:", text, sizeof(text)))
		for (; sscanf(p, "%lu%n", &gid, &n) == 1; p += n)
			add_group(u, (gid_t)gid);
	pw = getpwuid(u->uid);
	if (pw != NULL)
		snprintf(u->name, sizeof(u->name), "%s", pw->pw_name);
	else
		snprintf(u->name, sizeof(u->name), "uid %lu", uid);
	return true;
}

/* As this machine knows it. */
static bool user_of_machine(const char *name, struct worker_user *u)
{
	const struct passwd *pw = getpwnam(name);
	int n = (int)(sizeof(u->groups) / sizeof(u->groups[0]));

	if (pw == NULL)
		return false;
	*u = (struct worker_user){ .known = true, .uid = pw->pw_uid };
	if (getgrouplist(name, pw->pw_gid, u->groups, &n) < 0)
		n = (int)(sizeof(u->groups) / sizeof(u->groups[0]));
	u->n_groups = (size_t)n;
	return true;
}

/* As the passwd file below -R knows it. */
static bool user_below_root(const struct doctor *d, const char *name,
    struct worker_user *u)
{
	char path[PATH_MAX], *line = NULL;
	size_t cap = 0, n = strlen(name);
	unsigned long uid, gid;
	bool found = false;
	int fd;
	FILE *f;

	snprintf(path, sizeof(path), "%s/etc/passwd", d->root);
	fd = doctor_open(d, path);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (f == NULL)
		return false;
	while (!found && getline(&line, &cap, f) > 0)
		found = strncmp(line, name, n) == 0 && line[n] == ':' &&
			sscanf(line + n, ":%*[^:]:%lu:%lu:", &uid, &gid) == 2;
	free(line);
	fclose(f);
	if (!found)
		return false;
	*u = (struct worker_user){ .known = true, .uid = (uid_t)uid };
	add_group(u, (gid_t)gid);
	return true;
}

/* Of a running worker, else as the configuration says; without either nobody knows. */
static void find_user(struct doctor *d)
{
	pid_t *workers = d->has_master ? master_workers(d->master.pid) : NULL;
	const char *name = d->conf != NULL ? ngc_conf_user(d->conf) : NULL;
	struct worker_user *u = &d->user;

	if (workers == NULL || workers[0] == 0 || !user_of_process(workers[0], u)) {
		if (name != NULL && (d->root[0] != '\0' ? user_below_root(d, name, u)
							: user_of_machine(name, u)))
			snprintf(u->name, sizeof(u->name), "%s", name);
	}
	free(workers);
}

/* --- where the master is --- */

static bool find_pid(struct doctor *d, pid_t *pid)
{
	const char *file = d->conf != NULL ? ngc_conf_pid(d->conf) : NULL;
	struct ngc_error ignored;

	*pid = d->container;
	if (d->container != 0)
		return true;
	if (d->conf == NULL || d->root[0] != '\0')
		return false;
	if (file == NULL && doctor_build(d) != NULL)
		file = d->build.pid_path;
	return file != NULL && master_read_pid(file, pid, &ignored) == NGC_OK;
}

void doctor_find_master(struct doctor *d)
{
	struct ngc_error ignored;
	pid_t pid;

	d->has_master = find_pid(d, &pid) &&
			master_identify(pid, &d->master, &ignored) == NGC_OK;
	find_user(d);
}

/* --- what the master reads --- */

/* Below the prefix; false: not known. */
static bool complete(const struct master *m, const struct nginx_build *b,
    char path[PATH_MAX])
{
	char prefix[PATH_MAX], joined[2 * PATH_MAX];

	if (path[0] == '/')
		return true;
	if (!master_option(m, "-p", prefix))
		snprintf(prefix, sizeof(prefix), "%s", b->prefix);
	if (prefix[0] != '/')
		return false;
	snprintf(joined, sizeof(joined), "%s/%s", prefix, path);
	if (strlen(joined) >= PATH_MAX)
		return false;
	memcpy(path, joined, strlen(joined) + 1);
	return true;
}

/*
 * The file the master was started with; false: not known.  nginx also takes "-cFILE",
 * which cannot be told from a part of another option.
 */
static bool file_in_use(const struct doctor *d, char out[PATH_MAX])
{
	const struct master *m = &d->master;
	struct nginx_build *b = ngc_array_alloc(1, sizeof(*b));
	struct ngc_error ignored;
	bool given = master_option(m, "-c", out), known = given && out[0] == '/';

	if (b != NULL && !known && (given || strstr(m->title, " -c") == NULL) &&
	    nginx_build_ask_program(m->program, b, &ignored) == NGC_OK) {
		if (!given)
			snprintf(out, PATH_MAX, "%s", b->conf_path);
		known = complete(m, b, out);
	}
	free(b);
	return known;
}

static int64_t milliseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* When the workers that take requests began: they have what the master read last. */
static int64_t last_reading(const struct master *m)
{
	pid_t *workers = master_workers(m->pid);
	int64_t last = 0;

	for (const pid_t *w = workers; w != NULL && *w != 0; w++) {
		int64_t start = master_process_start(*w);

		last = start > last ? start : last;
	}
	free(workers);
	return last;
}

/* The file of the configuration that changed last. */
static void find_newest(const struct doctor *d, const struct ngc_directive *block,
    const char **file, int64_t *changed)
{
	const char *seen = NULL;
	struct stat st;

	for (const struct ngc_directive *c = block->first; c != NULL; c = c->next) {
		if (c->file != seen && doctor_stat(d, c->file, &st) &&
		    milliseconds(st.st_mtim) > *changed) {
			*changed = milliseconds(st.st_mtim);
			*file = c->file;
		}
		seen = c->file;
		if (c->block)
			find_newest(d, c, file, changed);
	}
}

static void check_age(struct doctor *d)
{
	char read_at[NGC_UNIT_TEXT], changed_at[NGC_UNIT_TEXT];
	int64_t changed = 0, reading = last_reading(&d->master);
	const char *file = NULL;

	if (reading == 0)
		return;
	find_newest(d, ngc_conf_tree(d->conf), &file, &changed);
	if (changed <= reading + CLOCK_SLACK_MS)
		return;
	doctor_find(d, &not_reloaded, NULL, file,
	    "%s was changed at %s, after nginx (process %ld) read its configuration at "
	    "%s",
	    file, ngc_format_instant(changed / 1000, changed_at), (long)d->master.pid,
	    ngc_format_instant(reading / 1000, read_at));
}

void doctor_check_master(struct doctor *d)
{
	char other[PATH_MAX];
	const char *path;
	struct stat ours, theirs;

	if (!d->has_master || ngc_conf_is_dump(d->conf))
		return;
	if (!file_in_use(d, other)) {
		check_age(d);
		return;
	}
	path = doctor_full_path(d, other);
	if (path == NULL || !doctor_stat(d, ngc_conf_file(d->conf), &ours))
		return;
	if (doctor_stat(d, path, &theirs) && ours.st_dev == theirs.st_dev &&
	    ours.st_ino == theirs.st_ino)
		check_age(d);
	else
		doctor_find(d, &other_file, NULL, path,
		    "nginx (process %ld) runs with %s, and %s was read here",
		    (long)d->master.pid, other, ngc_conf_file(d->conf));
}
