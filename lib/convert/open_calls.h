/* SPDX-License-Identifier: MIT */
/**
 * \file convert/open_calls.h
 * \brief The open calls of a thread, by the rules of doc/format.md, 4.3. They are needed to convert implicit leaves to
 * leaves with a method, and back.
 */
#ifndef CONVERT_OPEN_CALLS_H
#define CONVERT_OPEN_CALLS_H

#include "base/allocator.h"

/** Deeper stacks are not followed, so that the memory for a log that consists only of enters is bounded. */
#define OPEN_CALLS_MAX ((size_t)1 << 20)

typedef struct open_calls {
	uint32_t *methods;
	size_t capacity;
	size_t depth;
	uint64_t failed_leave_steps; /**< Calls searched for leaves of methods that are not open. */
	int is_lost;                 /**< The stack is unknown until it is cleared. */
} open_calls;

/** Removes all calls and releases the memory. */
void open_calls_clear(open_calls *calls, const mprof_allocator *allocator);

/** Slow path of open_calls_enter(): grows the array. */
int open_calls_enter_slow(open_calls *calls, const mprof_allocator *allocator, uint32_t method);

/** Slow path of open_calls_leave(): the method is not on top. */
void open_calls_leave_slow(open_calls *calls, uint32_t method);

/** Follows the enter of a method. Returns 0 if out of memory. */
static inline int open_calls_enter(open_calls *calls, const mprof_allocator *allocator, uint32_t method)
{
	if (calls->depth >= calls->capacity || calls->is_lost)
		return open_calls_enter_slow(calls, allocator, method);
	calls->methods[calls->depth++] = method;
	return 1;
}

/**
 * Follows the leave of a method, which also ends the calls above it. Nothing changes if the method is not open. Returns
 * 1 if it was on top.
 */
static inline int open_calls_leave(open_calls *calls, uint32_t method)
{
	if (calls->is_lost)
		return 0;
	if (calls->depth > 0 && calls->methods[calls->depth - 1] == method) {
		calls->depth--;
		return 1;
	}
	open_calls_leave_slow(calls, method);
	return 0;
}

/** Follows the leave of the method on top. Returns that method, or 0 if it is not known. */
static inline uint32_t open_calls_leave_top(open_calls *calls)
{
	return calls->depth > 0 && !calls->is_lost ? calls->methods[--calls->depth] : 0;
}

#endif
