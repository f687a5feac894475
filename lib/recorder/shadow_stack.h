/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/shadow_stack.h
 * \brief A thread's call stack as a reader of its events sees it (doc/format.md, 4.3).
 *
 * By it the writer thread finds the leaves of the method on top, which need neither name it nor be looked up.
 */
#ifndef RECORDER_SHADOW_STACK_H
#define RECORDER_SHADOW_STACK_H

#include <mprof/recorder.h>

#include "base/allocator.h"

/** Deeper stacks are not followed: their leaves name the method. */
#define SHADOW_STACK_MAX 65536

typedef struct shadow_frame {
	uint64_t key;    /**< The client's key of the method: what a leave on top is recognised by. 0: by nothing. */
	uint32_t method; /**< Its ID in the log: what other leaves are matched by. */
} shadow_frame;

typedef struct shadow_stack {
	shadow_frame *frames;
	size_t capacity;
	size_t depth;
	int lost; /**< The stack is not known any more, for lack of memory or depth: all leaves name their method. */
} shadow_stack;

void shadow_stack_destroy(shadow_stack *stack, const mprof_allocator *allocator);

/** shadow_stack_enter() where there is no room. */
void shadow_stack_enter_deeper(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key, uint32_t method);

/** A method is entered. */
static inline void shadow_stack_enter(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key,
				      uint32_t method)
{
	if (stack->depth < stack->capacity && !stack->lost)
		stack->frames[stack->depth++] = (shadow_frame){key, method};
	else
		shadow_stack_enter_deeper(stack, allocator, key, method);
}

/**
 * A method returns. 1 if it is the one on top, which is taken off; 0 if not: then shadow_stack_leave() is to follow.
 */
static inline int shadow_stack_returns(shadow_stack *stack, uint64_t key)
{
	if (stack->depth == 0 || stack->frames[stack->depth - 1].key != key || stack->lost)
		return 0;
	stack->depth--;
	return 1;
}

/**
 * The method on top returns, whichever it is. Its ID, with the frame taken off; 0 if there is none, or if the stack is
 * lost.
 */
static inline uint32_t shadow_stack_take_top(shadow_stack *stack)
{
	return stack->depth > 0 && !stack->lost ? stack->frames[--stack->depth].method : 0;
}

/** A leave that names its method: ends the frames above it too, or nothing if it has no frame. */
void shadow_stack_leave(shadow_stack *stack, uint32_t method);

/** Keys in ranges, as key_ranges_hold() takes them, mean other methods from now on than those that are on the stack. */
void shadow_stack_forget(shadow_stack *stack, const mprof_key_range *ranges, size_t count);

/** The thread starts, or its stack is not known: what comes has nothing to do with what came before. */
void shadow_stack_restart(shadow_stack *stack);

#endif
