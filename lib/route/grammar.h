/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_GRAMMAR_H
#define ROUTE_GRAMMAR_H

#include <stdbool.h>

#include "ngc/bytes.h"
#include "reading.h"

/*
 * Is s a whole value of one of the grammars that headers have (from GRAMMAR_RANGE on, but
 * for GRAMMAR_ANY)?  Absent headers are empty, and so is everything but a range.
 */
bool grammar_accepts(enum grammar g, struct ngc_bytes s);

/* Is it one of those? */
bool grammar_is_typed(enum grammar g);

/*
 * A map, geo or split_clients block: has it a line for whatever no other line is for, and
 * can what it gives be empty?
 */
bool grammar_has_default(const struct ngc_directive *block);
bool grammar_result_may_be_empty(const struct ngc_directive *block);

/* A regex that matches what the grammar can hold. */
const char *grammar_regex(enum grammar g);

#endif
