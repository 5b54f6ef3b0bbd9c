/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OUT_DOCTOR_H
#define OUT_DOCTOR_H

#include "cmd.h"
#include "ngc/doctor.h"

/* What the doctor found: to standard output. */
void out_doctor_json(const struct ngc_doctor_result *r);
void out_doctor_text(const struct cmd_env *env, const struct ngc_doctor_result *r);

#endif
