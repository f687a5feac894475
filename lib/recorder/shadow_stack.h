/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/shadow_stack.h
 * \brief A thread's call stack as a reader of its events sees it (doc/format.md, 4.3).
 *
 * The writer thread uses it to recognize leaves of the method on top, which need no method ID and so no lookup.
 */
#ifndef RECORDER_SHADOW_STACK_H
#define RECORDER_SHADOW_STACK_H

#include <mprof/recorder.h>

#include "base/allocator.h"

/** Maximum depth. Deeper stacks are not followed, so their leaves specify the method. */
#define SHADOW_STACK_MAX 65536

typedef struct shadow_frame {
	uint64_t key;    /**< The client's key of the method, compared with that of a leave. 0: never equal. */
	uint32_t method; /**< Its ID in the log, compared with that of other leaves. */
} shadow_frame;

typedef struct shadow_stack {
	shadow_frame *frames; /**< One more than the depth at least, unless NULL. */
	size_t capacity;
	size_t depth;
	uint64_t failed_steps; /**< Frames searched for leaves of methods that are not open. */
	int lost; /**< The stack is unknown, out of memory or too deep, so all leaves specify the method. */
} shadow_stack;

void shadow_stack_destroy(shadow_stack *stack, const mprof_allocator *allocator);

/** The slow path of shadow_stack_enter(): there is no room. */
void shadow_stack_enter_deeper(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key, uint32_t method);

/** The least depth for which the slow path is needed: there is no room, or the stack is too deep or unknown. */
static inline size_t shadow_stack_room(const shadow_stack *stack)
{
	if (stack->lost)
		return 0;
	return stack->capacity <= SHADOW_STACK_MAX ? stack->capacity : SHADOW_STACK_MAX + 1;
}

/** Pushes a method that is entered. */
static inline void shadow_stack_enter(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key,
				      uint32_t method)
{
	if (stack->depth + 1 < shadow_stack_room(stack))
		stack->frames[stack->depth++] = (shadow_frame){key, method};
	else
		shadow_stack_enter_deeper(stack, allocator, key, method);
}

/**
 * Pops the method on top if it is the one that returns, and returns 1. Otherwise returns 0; the caller then calls
 * shadow_stack_leave().
 */
static inline int shadow_stack_returns(shadow_stack *stack, uint64_t key)
{
	if (stack->depth == 0 || stack->frames[stack->depth - 1].key != key || stack->lost)
		return 0;
	stack->depth--;
	return 1;
}

/** Copies the IDs of at most \p most methods, outermost first. Returns their number. */
size_t shadow_stack_copy(const shadow_stack *stack, uint32_t *methods, size_t most);

/** Pops the method on top, whichever it is. Returns its ID; 0 if none or the stack is unknown. */
static inline uint32_t shadow_stack_pop_top(shadow_stack *stack)
{
	return stack->depth > 0 && !stack->lost ? stack->frames[--stack->depth].method : 0;
}

/** A leave that specifies its method: pops its frame and those above it, or nothing if it has no frame. */
void shadow_stack_leave(shadow_stack *stack, uint32_t method);

/** Retires keys in ranges, which are sorted and disjoint: frames on the stack do not match these keys any more. */
void shadow_stack_forget(shadow_stack *stack, const mprof_key_range *ranges, size_t count);

/** Empties the stack: the thread starts, or its stack is unknown. */
void shadow_stack_restart(shadow_stack *stack);

#endif
