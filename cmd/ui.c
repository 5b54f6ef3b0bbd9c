/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ngc/retry.h"
#include "out_entry.h"

#define CLEAR_LINE "\r\033[K"

/* One write: lines of several threads or processes do not mix. */
static void write_text(const void *p, size_t n)
{
	if (NGC_RETRY(write(STDERR_FILENO, p, n)) < 0) {
		/* There is nowhere left to say so. */
	}
}

static void write_all(const struct ngc_buf *b)
{
	if (!b->failed && b->n > 0)
		write_text(b->p, b->n);
}

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static bool progress_shown;
static char first_error[sizeof(((struct ngc_error *)NULL)->text)];

const char *ui_first_error(void)
{
	return first_error;
}

/* Without memory, which may be what is missing. */
static void print_line(const char *text)
{
	char line[sizeof(first_error) + sizeof(CLEAR_LINE "ngxcache: \n")];
	const char *clear;
	int n;

	pthread_mutex_lock(&first_lock);
	if (first_error[0] == '\0')
		snprintf(first_error, sizeof(first_error), "%s", text);
	clear = progress_shown ? CLEAR_LINE : "";
	progress_shown = false;
	pthread_mutex_unlock(&first_lock);
	n = snprintf(line, sizeof(line), "%sngxcache: %s\n", clear, text);
	write_text(line, (size_t)n);
}

void ui_error(const char *fmt, ...)
{
	struct ngc_error err;
	char text[sizeof(err.text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ngc_fail(&err, NGC_FATAL, 0, "%s",
	    text); /* escapes what is not fit for a terminal */
	print_line(err.text);
}

void ui_print_error(const struct ngc_error *err)
{
	print_line(err->text);
}

void ui_problem(void *arg, const struct ngc_error *err)
{
	(void)arg;
	ui_print_error(err);
}

void ui_damaged_met(void *arg, const struct ngc_entry *e)
{
	(void)arg;
	ui_error("%s/%s%s: damaged: not a cache file of a version we know",
	    ngc_cache_path(e->cache), e->dir, e->name);
}

void ui_walked(const struct cmd_env *env, const struct ngc_select_result *result)
{
	const struct ngc_walk_totals *t = &result->totals;

	if (env->verbose && result->walked)
		ui_error("walked: %llu candidates, %llu damaged, %llu orphans, %llu "
			 "temporary, "
			 "%llu foreign",
		    (unsigned long long)t->candidates, (unsigned long long)t->damaged,
		    (unsigned long long)t->orphans, (unsigned long long)t->temporary,
		    (unsigned long long)t->foreign);
}

void ui_misses(const struct cmd_env *env, const struct ngc_select_result *result)
{
	struct ngc_buf b = { 0 };

	for (size_t i = 0; result->failed == 0 && i < result->n_selectors; i++) {
		if (result->selectors[i].matched > 0)
			continue;
		ngc_buf_add_str(&b, "ngxcache: ");
		out_miss_text(&b, env, &result->selectors[i]);
	}
	write_all(&b);
	ngc_buf_free(&b);
}

int ui_status(enum ngc_code code)
{
	switch (code) {
	case NGC_OK:
		return EXIT_DONE;
	case NGC_INVALID:
		return EXIT_USAGE;
	case NGC_GONE:
	case NGC_DAMAGED:
	case NGC_DENIED:
	case NGC_FATAL:
		break;
	}
	return EXIT_PARTIAL;
}

int ui_failed(const struct ngc_error *err)
{
	ui_print_error(err);
	return ui_status(err->code);
}

void ui_ambiguous(const struct ngc_select_result *result)
{
	for (size_t i = 0; i < result->n_selectors; i++) {
		const struct ngc_selector_result *s = &result->selectors[i];

		if (s->ambiguous > 0)
			ui_error("%s: left %llu %s that may be a longer URL's; --loose "
				 "takes them",
			    s->text, (unsigned long long)s->ambiguous,
			    s->ambiguous == 1 ? "entry" : "entries");
	}
}

int ui_selection_status(const struct cmd_env *env, const struct ngc_select_result *result,
    const struct cmd_args *args)
{
	if (result->failed + env->bad_urls > 0)
		return EXIT_PARTIAL;
	return result->matched == 0 && cmd_args_has(args, OPT_FAIL_IF_NONE) ? EXIT_NO
									    : EXIT_DONE;
}

bool ui_terminal_is_dumb(void)
{
	const char *term = getenv("TERM");

	return term != NULL && strcmp(term, "dumb") == 0;
}

/* Is it time for a line?  Not in the first second, and then so that it can be read. */
static bool progress_due(void)
{
	static int64_t next;
	struct timespec t;
	int64_t now;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (next == 0)
		next = now + 1000;
	if (now < next)
		return false;
	next = now + 200;
	return isatty(STDERR_FILENO) && !ui_terminal_is_dumb();
}

void ui_progress(const char *fmt, ...)
{
	struct ngc_buf b = { 0 };
	char text[256];
	va_list ap;

	if (!progress_due())
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ngc_buf_printf(&b, CLEAR_LINE "%s", text);
	pthread_mutex_lock(&first_lock);
	progress_shown = true;
	write_all(&b);
	pthread_mutex_unlock(&first_lock);
	ngc_buf_free(&b);
}

void ui_progress_end(void)
{
	struct ngc_buf b = { 0 };

	pthread_mutex_lock(&first_lock);
	if (progress_shown)
		ngc_buf_add_str(&b, CLEAR_LINE);
	progress_shown = false;
	write_all(&b);
	pthread_mutex_unlock(&first_lock);
	ngc_buf_free(&b);
}

void ui_looked_at(void *arg, uint64_t more)
{
	static uint64_t total;

	(void)arg;
	total += more;
	ui_progress("%llu entries looked at", (unsigned long long)total);
}

bool ui_confirm(const char *question)
{
	char answer[16];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return true;
	fprintf(stderr, "%s [y/N] ", question);
	if (fgets(answer, sizeof(answer), stdin) == NULL)
		return false;
	return strcmp(answer, "y\n") == 0 || strcmp(answer, "Y\n") == 0 ||
	       strcmp(answer, "yes\n") == 0;
}
