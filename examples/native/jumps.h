/* SPDX-License-Identifier: MIT */
/**
 * \file jumps.h
 * \brief Interposes setjmp() and longjmp(): a jump leaves the calls that were entered since.
 */
#ifndef NATIVE_JUMPS_H
#define NATIVE_JUMPS_H

#include "open_calls.h"

/** Where a jump leads: the open calls of a stack, and how many of them stay open. */
typedef struct jump_target {
	open_calls *calls;
	uint32_t count;
	uint32_t gate; /**< open_calls::gate: the count is valid for it. */
} jump_target;

/**
 * Sets the functions that are called on the thread. \p get returns 0 if nothing is recorded; otherwise it stores what
 * a jump to this place would lead to. \p leave is called before a jump, with NULL if its target is not known. Both are
 * async-signal-safe.
 */
void jumps_set(int (*get)(jump_target *here), void (*leave)(const jump_target *target));

/** Returns the memory of the calling thread. */
void jumps_end_thread(void);

#endif
