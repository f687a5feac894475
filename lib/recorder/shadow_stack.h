/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/shadow_stack.h
 * \brief A thread's call stack as a reader of its events sees it (doc/format.md, 4.3).
 *
 * The writer thread uses it to recognize leaves of the method on top, which need no method ID and so no lookup. Leaves
 * that it does not recognize, since a frame is unknown, specify the method.
 */
#ifndef RECORDER_SHADOW_STACK_H
#define RECORDER_SHADOW_STACK_H

#include <mprof/recorder.h>

#include "base/call_frames.h"

typedef struct shadow_frame {
	uint32_t method; /**< Its ID in the log, compared with that of other leaves. */
	uint64_t key;    /**< The client's key of the method, compared with that of a leave. 0: never equal. */
} shadow_frame;

typedef struct shadow_stack {
	call_frames calls; /**< Its frames are #shadow_frame, at most #CALL_FRAMES_MAX_RECORDED. */
	uint64_t searched; /**< Frames that failed searches visited: see #CALL_FRAMES_MAX_SEARCHED. */
} shadow_stack;

/** The frames, outermost first. */
static inline shadow_frame *shadow_stack_frames(const shadow_stack *stack)
{
	return stack->calls.frames;
}

static inline void shadow_stack_destroy(shadow_stack *stack, const mprof_allocator *allocator)
{
	call_frames_release(&stack->calls, allocator, sizeof(shadow_frame));
}

/** The slow path of shadow_stack_enter(): there is no room. */
void shadow_stack_enter_deeper(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key, uint32_t method);

/** Pushes a method that is entered. */
static inline void shadow_stack_enter(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key,
				      uint32_t method)
{
	if (stack->calls.depth + 1 < stack->calls.capacity)
		shadow_stack_frames(stack)[stack->calls.depth++] = (shadow_frame){method, key};
	else
		shadow_stack_enter_deeper(stack, allocator, key, method);
}

/**
 * Pops the method on top if it is the one that returns, and returns 1. Otherwise returns 0; the caller then calls
 * shadow_stack_leave().
 */
static inline int shadow_stack_returns(shadow_stack *stack, uint64_t key)
{
	if (stack->calls.depth == 0 || shadow_stack_frames(stack)[stack->calls.depth - 1].key != key)
		return 0;
	stack->calls.depth--;
	return 1;
}

/** Pops the method on top, whichever it is. Returns its ID; 0 if none or not known. */
static inline uint32_t shadow_stack_pop_top(shadow_stack *stack)
{
	return call_frames_leave_top(&stack->calls, sizeof(shadow_frame));
}

/** Whether there may be frames that are not known, since the stack was too deep, or memory was refused. */
static inline int shadow_stack_is_unknown(const shadow_stack *stack)
{
	return stack->calls.base == CALL_BASE_UNKNOWN;
}

/** Copies the IDs of at most \p most methods, outermost first. Returns their number. */
size_t shadow_stack_copy(const shadow_stack *stack, uint32_t *methods, size_t most);

/** A leave that specifies its method. */
static inline void shadow_stack_leave(shadow_stack *stack, uint32_t method)
{
	call_frames_leave(&stack->calls, sizeof(shadow_frame), method, &stack->searched);
}

/** Retires keys in ranges, which are sorted and disjoint: frames on the stack do not match these keys any more. */
void shadow_stack_forget(shadow_stack *stack, const mprof_key_range *ranges, size_t count);

#endif
