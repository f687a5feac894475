/* SPDX-License-Identifier: MIT */
/**
 * \file fuzz_mutate.h
 * \brief Changes logs so that most of each stays readable: numbers, pieces and blocks are changed, moved and repeated,
 * with the lengths and checksums that belong to them.
 */
#ifndef FUZZ_FUZZ_MUTATE_H
#define FUZZ_FUZZ_MUTATE_H

#include "fuzz_logs.h"

/** The longest log that is changed, in bytes, and the room that a changed one may need. */
#define FUZZ_MAX_LENGTH ((size_t)1 << 18)

/**
 * Changes a log of \p length bytes in memory with room for #FUZZ_MAX_LENGTH. Blocks may come from \p other, which may have
 * no bytes. Returns the new length.
 */
size_t fuzz_mutate(uint8_t *bytes, size_t length, const fuzz_log *other);

/** Flips bits, sets bytes, cuts, and moves pieces of anything. Returns the new length, which is not longer. */
size_t fuzz_damage(uint8_t *bytes, size_t length);

/** A number as likely to be at a limit of the format as anywhere else. */
uint64_t fuzz_random_number(void);

#endif
