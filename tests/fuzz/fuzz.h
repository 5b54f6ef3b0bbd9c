/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * The entry point of a fuzz target: libFuzzer calls it with what it invents, replay.c
 * with the files of the target's corpus.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An invariant of the parser under test does not hold. */
#define FUZZ_ASSERT(condition) ((condition) ? (void)0 : abort())

#endif
