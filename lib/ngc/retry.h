/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_RETRY_H
#define NGC_RETRY_H

#include <errno.h>

/*
 * The result of a system call, which is made again when a signal interrupted it: on file
 * systems that wait for somebody (FUSE, NFS) also those that open.
 */
#define NGC_RETRY(call)                                                                  \
	__extension__({                                                                  \
		__typeof__(call) result_;                                                \
                                                                                         \
		do                                                                       \
			result_ = (call);                                                \
		while (result_ < 0 && errno == EINTR);                                   \
		result_;                                                                 \
	})

#endif
