/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/leave_stack.h
 * \brief Which method is on top of a thread's stack, as a reader of its events sees it (doc/format.md, 4.3).
 *
 * Tells the writer thread which leaves need not name their method.
 */
#ifndef RECORDER_LEAVE_STACK_H
#define RECORDER_LEAVE_STACK_H

#include <mprof/format.h>

#include "base/allocator.h"

/** Deeper stacks are not followed: their leaves name the method. */
#define LEAVE_STACK_MAX 65536

typedef struct leave_stack {
	uint32_t *methods;
	size_t capacity;
	size_t depth;
	int lost; /**< The stack is not known any more, for want of memory or depth: all leaves name their method. */
} leave_stack;

void leave_stack_destroy(leave_stack *stack, const mprof_allocator *allocator);

/** Follows events in order, and turns leaves of the method on top into implicit ones. */
void leave_stack_follow(leave_stack *stack, const mprof_allocator *allocator, mprof_event *events, size_t count);

#endif
