/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/serving.h"

#include <stdlib.h>
#include <time.h>

#include "build.h"
#include "master.h"
#include "ngc/level.h"
#include "ngc/mem.h"

/*
 * nginx asks its memory, not the disk, whether it has an entry.  After a start the memory
 * is empty and the zone "cold": until the loader has read the directories, from a minute
 * after the start on, the disk is asked as well.
 */

#define COLD_MS 60000

/* The loader of the start begins with it; one of a reload finds nothing to do. */
#define TOGETHER_MS 2000

static bool find_pid(const struct ngc_conf *conf, pid_t *pid)
{
	struct nginx_build *b = ngc_array_alloc(1, sizeof(*b));
	const char *file = ngc_conf_pid(conf);
	struct ngc_error ignored;
	bool found;

	if (file == NULL && b != NULL && nginx_build_ask(b, &ignored) == NGC_OK)
		file = b->pid_path;
	found = file != NULL && master_read_pid(file, pid, &ignored) == NGC_OK;
	free(b);
	return found;
}

static bool is_cold(pid_t master)
{
	int64_t began = master_process_start(master);
	pid_t loader = master_loader(master);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (began == 0)
		return false;
	if ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - began < COLD_MS)
		return true;
	return loader != 0 && master_process_start(loader) - began < TOGETHER_MS;
}

enum ngc_serving ngc_serving_ask(const struct ngc_site *site, pid_t *pid)
{
	const struct ngc_conf *conf = ngc_site_conf(site);
	struct ngc_error ignored;
	struct master *m;
	bool running;

	*pid = 0;
	if (conf == NULL || ngc_conf_root(conf)[0] != '\0')
		return NGC_SERVING_UNKNOWN;
	m = ngc_array_alloc(1, sizeof(*m));
	if (m == NULL)
		return NGC_SERVING_UNKNOWN;
	running = find_pid(conf, pid) && master_identify(*pid, m, &ignored) == NGC_OK;
	free(m);
	if (!running) {
		*pid = 0;
		return NGC_SERVING_STOPPED;
	}
	return is_cold(*pid) ? NGC_SERVING_COLD : NGC_SERVING_WARM;
}

const char *ngc_serving_name(enum ngc_serving s)
{
	static const char *const names[] = {
		[NGC_SERVING_STOPPED] = "stopped",
		[NGC_SERVING_COLD] = "cold",
		[NGC_SERVING_WARM] = "warm",
	};

	return s == NGC_SERVING_UNKNOWN ? NULL : names[s];
}
