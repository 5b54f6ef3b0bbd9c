/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UNIT_H
#define UNIT_H

/*
 * A systemd unit of nginx (or openresty, angie, ...) that has PrivateTmp, as the unit
 * files below root say, with their drop-ins: its name; NULL: there is none.
 */
const char *unit_with_private_tmp(const char *root);

#endif
