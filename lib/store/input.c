/* SPDX-License-Identifier: BSD-2-Clause */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/coding.h"
#include "ngc/retry.h"
#include "store.h"

#define PIECE 65536

struct input {
	struct ngc_source file;   /* what is in it */
	struct ngc_source *bytes; /* what that becomes: the same, or a coding undone */
	const char *path;
	int fd;
	const volatile sig_atomic_t *stop;
	off_t end; /* of a file that can be skipped over; 0: it cannot */
	bool begun;
	size_t n_first; /* so many bytes of first are yet to be read */
	unsigned char first[NGC_CODING_MAGIC];
	unsigned char piece[PIECE];
};

static ssize_t read_some(const struct input *in, void *p, size_t n, struct ngc_error *err)
{
	ssize_t got = -1;

	errno = EINTR;
	while (got < 0 && errno == EINTR && (in->stop == NULL || *in->stop == 0))
		got = read(in->fd, p, n);
	if (got < 0)
		ngc_fail(err, NGC_DENIED, errno, "read");
	return got;
}

static ssize_t file_read(struct ngc_source *s, void *p, size_t n, struct ngc_error *err)
{
	struct input *in = (struct input *)s;

	if (in->n_first == 0)
		return read_some(in, p, n, err);
	if (n > in->n_first)
		n = in->n_first;
	memcpy(p, in->first, n);
	in->n_first -= n;
	memmove(in->first, in->first + n, in->n_first);
	return (ssize_t)n;
}

/* It is closed with the rest. */
static void file_close(struct ngc_source *s)
{
	(void)s;
}

/* The first bytes tell what is to be undone. */
static enum ngc_code begin(struct input *in, struct ngc_error *err)
{
	const struct ngc_coding *coding;
	ssize_t got = 1;

	in->begun = true;
	while (got > 0 && in->n_first < sizeof(in->first)) {
		got = read_some(in, in->first + in->n_first,
		    sizeof(in->first) - in->n_first, err);
		if (got < 0)
			return err->code;
		in->n_first += (size_t)got;
	}
	coding = ngc_coding_of(ngc_bytes(in->first, in->n_first));
	return coding != NULL ? ngc_coding_undo(coding, &in->bytes, err) : NGC_OK;
}

static enum ngc_code open_file(struct input *in, struct ngc_error *err)
{
	struct stat st;

	in->fd = strcmp(in->path, "-") == 0
		     ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
		     : NGC_RETRY(open(in->path, O_RDONLY | O_NOCTTY | O_CLOEXEC));
	if (in->fd < 0 || fstat(in->fd, &st) != 0)
		return errno == ENOENT ? ngc_fail(err, NGC_INVALID, 0,
					     "%s: no such file", in->path)
				       : access_denied(in->path, errno, err);
	if (S_ISDIR(st.st_mode))
		return ngc_fail(err, NGC_INVALID, 0, "%s: a directory, not an archive",
		    in->path);
	in->end = S_ISREG(st.st_mode) ? st.st_size : 0;
	return NGC_OK;
}

enum ngc_code input_open(const char *path, const volatile sig_atomic_t *stop,
    struct input **out, struct ngc_error *err)
{
	struct input *in = calloc(1, sizeof(*in));
	enum ngc_code code;

	*out = NULL;
	if (in == NULL)
		return ngc_no_memory(err);
	in->file = (struct ngc_source){ file_read, file_close };
	in->bytes = &in->file;
	in->path = path;
	in->stop = stop;
	code = open_file(in, err);
	if (code == NGC_OK)
		*out = in;
	else
		input_close(in);
	return code;
}

void input_close(struct input *in)
{
	if (in == NULL)
		return;
	in->bytes->close(in->bytes);
	if (in->fd >= 0)
		close(in->fd);
	free(in);
}

ssize_t input_next(struct input *in, const void **p, struct ngc_error *err)
{
	*p = in->piece;
	if (!in->begun && begin(in, err) != NGC_OK)
		return -1;
	return in->bytes->read(in->bytes, in->piece, sizeof(in->piece), err);
}

/* Never over the end: what lies behind it must be found to be missing. */
int64_t input_skip(struct input *in, int64_t n)
{
	off_t pos;

	if (in->end == 0 || input_was_coded(in) || in->n_first > 0 || n <= 0)
		return 0;
	pos = lseek(in->fd, 0, SEEK_CUR);
	if (pos < 0 || n > in->end - pos || lseek(in->fd, (off_t)n, SEEK_CUR) < 0)
		return 0;
	return n;
}

bool input_was_coded(const struct input *in)
{
	return in->bytes != &in->file;
}
