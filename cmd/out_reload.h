/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_RELOAD_H
#define OUT_RELOAD_H

#include "ngc/reload.h"

/* What became of a signal, on standard output: a document, or a line. */
void out_reload_json(const struct ngc_reload_result *r, enum ngc_signal signal);
void out_reload_text(const struct ngc_reload_result *r, enum ngc_signal signal);

/* What nginx said, on standard error. */
void out_reload_messages(const struct ngc_reload_result *r);

#endif
