/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FLUSH_SIZE (64 * 1024)

/* errno of the first write that failed; the run's answer is not whole from then on. */
static atomic_int write_failure;

struct out {
	unsigned threads;
	pthread_mutex_t lock;
	struct ngc_buf heading; /* empty once it is written */
	struct ngc_buf buffers[];
};

bool out_write(struct ngc_buf *b)
{
	size_t done = 0;

	if (b->failed && write_failure == 0)
		write_failure = ENOMEM;
	ui_progress_end(); /* standard output may be the same terminal */
	while (done < b->n && write_failure == 0) {
		ssize_t n = write(STDOUT_FILENO, b->p + done, b->n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			write_failure = errno;
		else
			done += (size_t)n;
	}
	b->n = 0;
	return write_failure == 0;
}

struct out *out_new(unsigned threads)
{
	struct out *o = calloc(1, sizeof(*o) + threads * sizeof(o->buffers[0]));

	if (o == NULL)
		return NULL;
	o->threads = threads;
	pthread_mutex_init(&o->lock, NULL);
	return o;
}

struct ngc_buf *out_buffer(struct out *o, unsigned thread)
{
	return &o->buffers[thread];
}

struct ngc_buf *out_heading(struct out *o)
{
	return &o->heading;
}

static bool flush(struct out *o, unsigned thread)
{
	bool ok;

	pthread_mutex_lock(&o->lock);
	ok = out_write(&o->heading) && out_write(&o->buffers[thread]);
	pthread_mutex_unlock(&o->lock);
	return ok;
}

bool out_line(struct out *o, unsigned thread)
{
	const struct ngc_buf *b = &o->buffers[thread];

	return b->n < FLUSH_SIZE && !b->failed ? true : flush(o, thread);
}

bool out_free(struct out *o)
{
	bool ok;

	if (o == NULL)
		return true;
	ok = out_write(&o->heading);
	ngc_buf_free(&o->heading);
	for (unsigned i = 0; i < o->threads; i++) {
		ok = out_write(&o->buffers[i]) && ok;
		ngc_buf_free(&o->buffers[i]);
	}
	pthread_mutex_destroy(&o->lock);
	free(o);
	return ok;
}

size_t out_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

const char *out_size(const struct cmd_env *env, uint64_t n, char out[NGC_UNIT_TEXT])
{
	if (!env->verbose)
		return ngc_format_size(n, out);
	snprintf(out, NGC_UNIT_TEXT, "%llu", (unsigned long long)n);
	return out;
}

const char *out_age(const struct cmd_env *env, int64_t s, char out[NGC_UNIT_TEXT])
{
	return env->verbose ? ngc_format_seconds_exact(s, out)
			    : ngc_format_seconds(s, out);
}

void out_bytes(struct ngc_buf *b, const struct cmd_env *env, uint64_t n)
{
	char size[NGC_UNIT_TEXT];

	ngc_buf_printf(b, "%s%s", out_size(env, n, size),
	    env->verbose || n < 1024 ? " bytes" : "");
}

void out_count(struct ngc_buf *b, uint64_t n, const char *what)
{
	if (n > 0)
		ngc_buf_printf(b, ", %llu %s", (unsigned long long)n, what);
}

int out_finish(int status)
{
	if (write_failure == 0 || write_failure == EPIPE)
		return status;
	ui_error("standard output: %s", strerror(write_failure));
	return EXIT_PARTIAL;
}
