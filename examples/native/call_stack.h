/* SPDX-License-Identifier: MIT */
/**
 * \file call_stack.h
 * \brief The call stack of the calling thread, as addresses of native code.
 */
#ifndef NATIVE_CALL_STACK_H
#define NATIVE_CALL_STACK_H

#include <mprof/recorder.h>

/** How the stack is walked. */
typedef enum call_stack_walk {
	CALL_STACK_UNWIND, /**< By unwind tables: correct for all code that has them. */
	CALL_STACK_FRAMES, /**< By frame pointers: many times faster, for programs that are built with them. */
	CALL_STACK_NONE
} call_stack_walk;

/** Determines the address range of this module, whose frames are skipped. Call it before call_stack_take(). */
void call_stack_init(void);

/** In a child of fork(), which has only the thread that called it. */
void call_stack_begin_child(void);

/** Bytes of memory for the frames and for the walk, which the stack of the thread may have no room for. */
size_t call_stack_room(void);

/**
 * Fills \p frames, at most \p capacity (#MPROF_STACK_MAX), starting with the caller of this module. Returns their
 * number. The memory has call_stack_room() bytes. Call it only from this module. May allocate at the first call.
 */
size_t call_stack_take(call_stack_walk walk, mprof_frame *frames, size_t capacity);

#endif
