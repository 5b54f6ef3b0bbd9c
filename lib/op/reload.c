/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/reload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "child.h"
#include "master.h"

/*
 * "nginx -t" cannot know what the running master will refuse: a zone that lives in shared
 * memory keeps its levels and path.  The signal is accepted, an emerg line appears in the
 * error log of the configuration in force, and the old workers go on.  So the log is
 * watched from where it ended before the signal.
 */

#define WAIT_SECONDS 10
#define POLL_MILLISECONDS 20

struct reload {
	const struct ngc_reload_request *req;
	struct ngc_reload_result *out;
	struct master master;
	char pid_file[PATH_MAX];
	char error_log[PATH_MAX];
	off_t log_end; /* how long the log was before the signal */
};

const char *ngc_signal_name(enum ngc_signal s)
{
	static const char *const names[] = { "reload", "reopen", "quit", "stop" };

	return names[s];
}

static int signal_number(enum ngc_signal s)
{
	static const int numbers[] = { SIGHUP, SIGUSR1, SIGQUIT, SIGTERM };

	return numbers[s];
}

void ngc_reload_result_free(struct ngc_reload_result *r)
{
	free(r->before);
	free(r->after);
	ngc_buf_free(&r->messages);
	*r = (struct ngc_reload_result){ 0 };
}

/* From the configuration, else what is compiled in. */
static enum ngc_code find_files(struct reload *r, struct ngc_error *err)
{
	const struct ngc_conf *conf = ngc_site_conf(r->req->site);
	const char *pid = ngc_conf_pid(conf), *log = ngc_conf_error_log(conf);
	struct nginx_build build = { 0 };
	enum ngc_code code = NGC_OK;

	if (pid == NULL || log == NULL)
		code = nginx_build_ask(&build, err);
	if (code != NGC_OK && pid == NULL) {
		ngc_wrap(err, "the configuration names no pid file");
		return NGC_DENIED;
	}
	snprintf(r->pid_file, sizeof(r->pid_file), "%s",
	    pid != NULL ? pid : build.pid_path);
	snprintf(r->error_log, sizeof(r->error_log), "%s",
	    log != NULL ? log : build.error_log_path);
	return NGC_OK;
}

/* Test what the master will read: the -p it was started with holds for that, too. */
static enum ngc_code test_configuration(struct reload *r, struct ngc_error *err)
{
	const struct ngc_conf *conf = ngc_site_conf(r->req->site);
	const char *argv[8] = { r->master.program, "-t", "-c", ngc_conf_file(conf) };
	char prefix[PATH_MAX];
	const char *chosen = ngc_site_prefix(r->req->site);
	enum ngc_code code;
	int status = 0;

	if (chosen == NULL && master_option(&r->master, "-p", prefix))
		chosen = prefix;
	if (chosen != NULL) {
		argv[4] = "-p";
		argv[5] = chosen;
	}
	code = child_run(argv, &r->out->messages, &status, err);
	if (code != NGC_OK) {
		ngc_wrap(err, "testing the configuration");
		return NGC_DENIED;
	}
	if (status != 0)
		return ngc_fail(err, NGC_INVALID, 0,
		    "nginx -t refuses the configuration");
	r->out->tested = true;
	return NGC_OK;
}

static off_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : 0;
}

/* Does this line of the error log tell that the master refused?  "... [emerg] PID#TID:
 * ..." */
static bool is_refusal(const char *line, pid_t master)
{
	const char *level = strstr(line, "[emerg] ");
	char who[32];

	snprintf(who, sizeof(who), "%ld#", (long)master);
	return level != NULL &&
	       strncmp(level + strlen("[emerg] "), who, strlen(who)) == 0;
}

/* Look for refusals among the lines the log gained; they are added to the messages. */
static bool log_refuses(struct reload *r)
{
	FILE *log = fopen(r->error_log, "re");
	bool refused = false;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (log == NULL)
		return false;
	if (fseeko(log, r->log_end, SEEK_SET) == 0)
		while ((n = getline(&line, &size, log)) > 0 && line[n - 1] == '\n')
			if (is_refusal(line, r->master.pid)) {
				ngc_buf_add(&r->out->messages, line, (size_t)n);
				refused = true;
			}
	free(line);
	fclose(log);
	return refused;
}

static bool contains(const pid_t *list, pid_t pid)
{
	for (; *list != 0; list++)
		if (*list == pid)
			return true;
	return false;
}

/* There are workers, and none of them is an old one. */
static bool all_new(const pid_t *before, const pid_t *after)
{
	if (after[0] == 0)
		return false;
	for (; *after != 0; after++)
		if (contains(before, *after))
			return false;
	return true;
}

static bool is_running(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

/* Has what was asked for happened? */
static bool has_happened(struct reload *r)
{
	free(r->out->after);
	r->out->after = master_workers(r->master.pid);
	switch (r->req->signal) {
	case NGC_SIGNAL_RELOAD:
		return r->out->after != NULL && all_new(r->out->before, r->out->after);
	case NGC_SIGNAL_REOPEN:
		return true;
	case NGC_SIGNAL_QUIT:
	case NGC_SIGNAL_STOP:
		return !is_running(r->master.pid);
	}
	return false;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static enum ngc_code wait_for_it(struct reload *r, struct ngc_error *err)
{
	static const struct timespec pause = { 0, POLL_MILLISECONDS * 1000000L };
	double end = now() + WAIT_SECONDS;
	const volatile sig_atomic_t *stop = r->req->stop;
	bool reload = r->req->signal == NGC_SIGNAL_RELOAD;

	while (now() < end && (stop == NULL || *stop == 0)) {
		if (has_happened(r)) {
			r->out->ok = true;
			return NGC_OK;
		}
		if (reload && log_refuses(r))
			return ngc_fail(err, NGC_DENIED, 0,
			    "the running nginx (process %ld) refuses the configuration "
			    "that "
			    "nginx -t accepts; its old workers go on",
			    (long)r->master.pid);
		nanosleep(&pause, NULL);
	}
	return ngc_fail(err, NGC_DENIED, 0,
	    reload ? "no new workers of nginx (process %ld) within %d seconds; see %s"
		   : "nginx (process %ld) still runs after %d seconds; see %s",
	    (long)r->master.pid, WAIT_SECONDS, r->error_log);
}

/* What nginx -t reads must be what was read here. */
enum ngc_code ngc_reload_check(const struct ngc_site *site, struct ngc_error *err)
{
	const struct ngc_conf *conf = ngc_site_conf(site);
	const char *root = ngc_site_root(site);
	int end = 0;

	if (conf == NULL || strcmp(ngc_conf_file(conf), "-") == 0)
		return ngc_fail(err, NGC_INVALID, 0,
		    "reload: a configuration file is needed (-c FILE)");
	if (root == NULL)
		return NGC_OK;
	sscanf(root, "/proc/%*[0-9]/root%n", &end);
	if (end > 0 && (root[end] == '\0' || strcmp(root + end, "/") == 0))
		return NGC_OK;
	return ngc_fail(err, NGC_INVALID, 0,
	    "reload: below another root only /proc/PID/root is possible, not %s", root);
}

enum ngc_code ngc_reload(const struct ngc_reload_request *req,
    struct ngc_reload_result *out, struct ngc_error *err)
{
	struct reload r = { .req = req, .out = out };
	enum ngc_code code;

	*out = (struct ngc_reload_result){ 0 };
	code = ngc_reload_check(req->site, err);
	if (code == NGC_OK)
		code = find_files(&r, err);
	if (code == NGC_OK)
		code = master_read_pid(r.pid_file, &out->pid, err);
	if (code == NGC_OK)
		code = master_identify(out->pid, &r.master, err);
	if (code == NGC_OK && req->signal == NGC_SIGNAL_RELOAD)
		code = test_configuration(&r, err);
	if (code != NGC_OK)
		return code;
	out->before = master_workers(out->pid);
	if (out->before == NULL)
		return ngc_no_memory(err);
	r.log_end = file_size(r.error_log);
	if (kill(out->pid, signal_number(req->signal)) != 0)
		return ngc_fail(err, NGC_DENIED, errno, "signalling nginx (process %ld)",
		    (long)out->pid);
	return wait_for_it(&r, err);
}
