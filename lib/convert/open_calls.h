/* SPDX-License-Identifier: MIT */
/**
 * \file convert/open_calls.h
 * \brief The methods that a thread is in, by the rules of doc/format.md, 4.3, to turn leaves of the method on top into
 * such that name it and back.
 */
#ifndef CONVERT_OPEN_CALLS_H
#define CONVERT_OPEN_CALLS_H

#include "base/allocator.h"

/** Deeper stacks are not followed, so that a log that is made of enters alone does not take memory without end. */
#define OPEN_CALLS_MOST ((size_t)1 << 20)

typedef struct open_calls {
	uint32_t *methods;
	size_t capacity;
	size_t depth;
	uint64_t fruitless_steps; /**< Calls looked at for leaves of methods that are not open. */
	int is_lost;              /**< The stack is not known, until it is emptied. */
} open_calls;

/** Empties it, and gives its memory back. */
void open_calls_clear(open_calls *calls, const mprof_allocator *allocator);

/** open_calls_enter() where there is no room. */
int open_calls_enter_deeper(open_calls *calls, const mprof_allocator *allocator, uint32_t method);

/** open_calls_leave() of a method that is not on top. */
void open_calls_leave_deeper(open_calls *calls, uint32_t method);

/** A method is entered. Returns 0 if there is no memory. */
static inline int open_calls_enter(open_calls *calls, const mprof_allocator *allocator, uint32_t method)
{
	if (calls->depth >= calls->capacity || calls->is_lost)
		return open_calls_enter_deeper(calls, allocator, method);
	calls->methods[calls->depth++] = method;
	return 1;
}

/** A method returns: with it all that it called, or nothing if it is not open. Returns 1 if it was on top. */
static inline int open_calls_leave(open_calls *calls, uint32_t method)
{
	if (calls->is_lost)
		return 0;
	if (calls->depth > 0 && calls->methods[calls->depth - 1] == method) {
		calls->depth--;
		return 1;
	}
	open_calls_leave_deeper(calls, method);
	return 0;
}

/** The method on top returns: which one it is, 0 if that is not known. */
static inline uint32_t open_calls_leave_top(open_calls *calls)
{
	return calls->depth > 0 && !calls->is_lost ? calls->methods[--calls->depth] : 0;
}

#endif
