/* SPDX-License-Identifier: MIT */
/**
 * \file frame_pointers.h
 * \brief Walks the stack of an interrupted thread by its frame pointers. A function without a frame pointer hides its
 * caller, and nothing in the stack shows this.
 */
#ifndef FRAME_POINTERS_H
#define FRAME_POINTERS_H

#include "shared/sampled_stack.h"
#include "shared/unwind_rules.h"

#include <mprof/recorder.h>

/**
 * Stores at most \p limit frames, and #MPROF_FRAME_TRUNCATED if there are more or the walk ended before the outermost
 * frame. Returns their number. Reads only memory between the stack pointer and the end of the stack. Async-signal-safe.
 */
size_t frame_pointers_walk(const uint64_t registers[REGISTER_COUNT], const sampled_stack *stack, mprof_frame *frames,
			   size_t limit);

#endif
