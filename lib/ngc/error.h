/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NGC_ERROR_H
#define NGC_ERROR_H

/*
 * Result codes answer one question: what should the caller do?  What happened is text for
 * a person, in a struct of fixed size that the caller owns, so that reporting an error
 * never allocates.  A function that takes one is always handed one; what stands in it
 * means something only when the function failed.
 */
enum ngc_code {
	NGC_OK = 0,
	NGC_GONE, /* it vanished while we looked: normal beside a live nginx, skip quietly
		   */
	NGC_DAMAGED, /* this entry cannot be trusted: report it, go on with the next */
	NGC_DENIED,  /* not permitted: report it, go on  */
	NGC_INVALID, /* the request or configuration is wrong: stop, the user must change
			it  */
	NGC_FATAL,   /* the system failed us: stop   */
};

struct ngc_error {
	enum ngc_code code;
	int sys;        /* errno of the failing call, or 0 */
	char text[512]; /* outermost context first; one line, no full stop */
};

/*
 * Record an error and return its code.  sys: errno of the failing call, whose text is
 * appended after ": ", or 0.  Bytes that are not printable ASCII or valid
 * UTF-8 are escaped (\n, \x1b), so the text is always one line that is safe on a
 * terminal.
 */
enum ngc_code ngc_fail(struct ngc_error *err, enum ngc_code code, int sys,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Prefix context and ": " to a recorded error; returns its code. */
enum ngc_code ngc_wrap(struct ngc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* NGC_FATAL, "out of memory". */
enum ngc_code ngc_no_memory(struct ngc_error *err);

#endif
