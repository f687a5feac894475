/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/leave_stack.h
 * \brief A thread's call stack as a reader of its events sees it (doc/format.md, 4.3).
 *
 * Tells the writer thread which leaves are of the method on top and so need not name it, nor be looked up.
 */
#ifndef RECORDER_LEAVE_STACK_H
#define RECORDER_LEAVE_STACK_H

#include <mprof/recorder.h>

#include "base/allocator.h"

/** Deeper stacks are not followed: their leaves name the method. */
#define LEAVE_STACK_MAX 65536

typedef struct leave_frame {
	uint64_t key;    /**< As the client knows the method: what a leave on top is recognised by. 0: by nothing. */
	uint32_t method; /**< As the reader knows it: what other leaves are matched by. */
} leave_frame;

typedef struct leave_stack {
	leave_frame *frames;
	size_t capacity;
	size_t depth;
	int lost; /**< The stack is not known any more, for want of memory or depth: all leaves name their method. */
} leave_stack;

void leave_stack_destroy(leave_stack *stack, const mprof_allocator *allocator);

/** leave_stack_enter() where there is no room. */
void leave_stack_enter_deeper(leave_stack *stack, const mprof_allocator *allocator, uint64_t key, uint32_t method);

/** A method is entered. */
static inline void leave_stack_enter(leave_stack *stack, const mprof_allocator *allocator, uint64_t key,
				     uint32_t method)
{
	if (stack->depth < stack->capacity && !stack->lost)
		stack->frames[stack->depth++] = (leave_frame){key, method};
	else
		leave_stack_enter_deeper(stack, allocator, key, method);
}

/** A method returns. 1 if it is the one on top, which is taken off; 0 if not: then leave_stack_leave() is to follow. */
static inline int leave_stack_returns(leave_stack *stack, uint64_t key)
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
static inline uint32_t leave_stack_take_top(leave_stack *stack)
{
	return stack->depth > 0 && !stack->lost ? stack->frames[--stack->depth].method : 0;
}

/** A leave that names its method: ends the frames above it too, or nothing if it has no frame. */
void leave_stack_leave(leave_stack *stack, uint32_t method);

/** Keys in ranges, as key_ranges_hold() takes them, mean other methods from now on than those that are on the stack. */
void leave_stack_forget(leave_stack *stack, const mprof_key_range *ranges, size_t count);

/** The thread starts, or its stack is not known: what comes has nothing to do with what came before. */
void leave_stack_restart(leave_stack *stack);

#endif
