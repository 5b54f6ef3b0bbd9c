/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/retry.h"

enum ngc_code file_read(const char *path, struct ngc_buf *out, struct ngc_error *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : NGC_RETRY(open(path, O_RDONLY | O_CLOEXEC));
	unsigned char piece[16384];
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		ngc_buf_add(out, piece, (size_t)n);
	}
	if (n < 0)
		ngc_fail(err, NGC_INVALID, errno, "%s",
		    standard ? "standard input" : path);
	if (fd >= 0 && !standard)
		close(fd);
	if (n < 0)
		return NGC_INVALID;
	return out->failed ? ngc_no_memory(err) : NGC_OK;
}

static bool write_whole(int fd, struct ngc_bytes s)
{
	while (s.n > 0) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			s = ngc_bytes_from(s, (size_t)n);
	}
	return true;
}

static enum ngc_code write_to(const char *path, struct ngc_bytes content,
    struct ngc_error *err)
{
	int fd = NGC_RETRY(open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC));
	bool ok = fd >= 0 && write_whole(fd, content);
	int sys = errno;

	if (fd >= 0)
		close(fd);
	return ok ? NGC_OK : ngc_fail(err, NGC_DENIED, sys, "%s", path);
}

/* "DIR/.NAME.XXXXXX": nobody takes a name for finished that begins with a dot. */
static char *name_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash != NULL ? (int)(slash + 1 - path) : 0;
	struct ngc_buf b = { 0 };

	ngc_buf_printf(&b, "%.*s.%s.XXXXXX", dir, path, path + dir);
	ngc_buf_add_char(&b, '\0');
	if (!b.failed)
		return (char *)b.p;
	ngc_buf_free(&b);
	return NULL;
}

enum ngc_code file_replace(const char *path, struct ngc_bytes content,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	struct stat st;
	char *temp;
	int fd;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_to(path, content, err);
	temp = name_beside(path);
	if (temp == NULL)
		return ngc_no_memory(err);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		code = ngc_fail(err, NGC_DENIED, errno, "%s", path);
		goto out;
	}
	if (!write_whole(fd, content) || fchmod(fd, 0644) != 0 ||
	    NGC_RETRY(fsync(fd)) != 0 || rename(temp, path) != 0) {
		code = ngc_fail(err, NGC_DENIED, errno, "%s", path);
		unlink(temp);
	}
	close(fd);
out:
	free(temp);
	return code;
}
