/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_KNOWN_H
#define CONF_KNOWN_H

#include "model.h"

/* Warn of directives that nginx itself does not know. */
enum ngc_code conf_check_known(struct ngc_conf *c, struct ngc_error *err);

#endif
