/* SPDX-License-Identifier: MIT */
/**
 * \file call_events.h
 * \brief Records the enters and leaves of the calling thread, on all its call stacks, also of calls that end without a
 * leave. Async-signal-safe, except the functions for the start and the end of a thread.
 */
#ifndef NATIVE_CALL_EVENTS_H
#define NATIVE_CALL_EVENTS_H

#include "contexts.h"
#include "jumps.h"

#include <mprof/recorder.h>

/** Calls nested deeper are left out; 0 for no limit. Call it before the first call is recorded. */
void call_events_set_depth(uint32_t depth);

/** Begins to record the thread. \p handle stays valid until the next call of this function, or of the next one. */
void call_events_begin_thread(mprof_thread *handle);
void call_events_end_thread(void);

/** Forgets the open calls of the thread that forked: a child does not record their ends. */
void call_events_begin_child(void);

/**
 * Records the enter or the leave of a function that calls this module. \p frame: the frame address of the function of
 * this module that it calls. \p gate: the state of the call gate; calls of another state are forgotten.
 */
void call_events_enter(mprof_key key, uintptr_t frame, uint32_t gate);
void call_events_leave(mprof_key key, uintptr_t frame, uint32_t gate);

/** What a jump to this place in the program would lead to. */
jump_target call_events_get_target(void);

/** Records that all calls that are not open at the target end. */
void call_events_jump(const jump_target *target);

/** Records that the thread continues at a stack pointer, which may be on another stack. */
void call_events_change_stack(uintptr_t stack_pointer);

/** Records that a stack has ended. */
void call_events_end_stack(context_stack *ended);

#endif
