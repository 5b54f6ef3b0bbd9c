/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum ngc_code file_read(const char *path, struct ngc_buf *out, struct ngc_error *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
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
