/* SPDX-License-Identifier: MIT */
/**
 * \file open_calls.h
 * \brief The calls that are open on a call stack: entered and not left.
 *
 * A function that is left by longjmp(), or by an exception that the compiler does not report, has no end. Its frame is
 * gone, though: a function that is called later, or returns later, has its frame at a higher address. So each open call
 * has the address of its frame.
 */
#ifndef NATIVE_OPEN_CALLS_H
#define NATIVE_OPEN_CALLS_H

#include <mprof/recorder.h>

#include <stdint.h>

typedef struct open_call {
	uintptr_t frame; /**< Frame address of the function that was called to record the enter. */
	mprof_key key;
} open_call;

typedef struct open_call_chunk open_call_chunk;

/** All 0: no call is open. Owner: the thread that is on the stack. */
typedef struct open_calls {
	open_call_chunk *chunk; /**< The one with the innermost call. */
	uint32_t used;          /**< Calls in it. */
	uint32_t count;         /**< All open calls. */
	uint32_t unlisted;      /**< The innermost of them, for which there was no memory. */
	uint32_t gate;          /**< The state of the call gate in which they were entered. */
} open_calls;

/** Adds a call. Async-signal-safe; takes memory from the system. */
void open_calls_push(open_calls *calls, uintptr_t frame, mprof_key key);

/** Removes the innermost call, if there is one. */
void open_calls_pop(open_calls *calls);

/** The innermost call; NULL if there is none, or if it is not listed. */
const open_call *open_calls_top(const open_calls *calls);

/** Forgets all calls, and returns their memory. */
void open_calls_clear(open_calls *calls);

#endif
