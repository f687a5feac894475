/* SPDX-License-Identifier: MIT */
/**
 * \file unwinder.h
 * \brief Finds the callers in a copied stack by the unwinding tables of the programs and libraries. Not thread-safe.
 */
#ifndef UNWINDER_H
#define UNWINDER_H

#include "stack_copies.h"

#include <mprof/recorder.h>

/**
 * Stores at most \p limit frames, and #MPROF_FRAME_TRUNCATED if there are more, or if one could not be unwound; this
 * sets \p is_cut. Returns the number of frames. Learns the rules that it uses. No library is unloaded meanwhile.
 */
size_t unwinder_walk(const stack_copy *copy, mprof_frame *frames, size_t limit, int *is_cut);

#endif
