/* SPDX-License-Identifier: MIT */
/**
 * \file libraries.h
 * \brief Keys for the functions of the program and its libraries, present and closed. Any thread.
 *
 * A library may be loaded where another one was before: see mprof_recorder_get_function_key().
 */
#ifndef NATIVE_LIBRARIES_H
#define NATIVE_LIBRARIES_H

#include <mprof/recorder.h>

#include <stdatomic.h>
#include <stdint.h>

/** Whether the program has closed a library, or is about to. */
extern _Atomic int libraries_are_closed __attribute__((visibility("hidden")));

/** Call these immediately before and after dlclose(), around the calls that report it to the recorder. */
void libraries_begin_close(void);
void libraries_end_close(void);

/** Forgets the keys, which are those of one recorder: call it before another one is opened. */
void libraries_begin_log(void);

/** In a child of fork(): the threads of the parent that were in dlclose() do not exist there. */
void libraries_begin_child(void);

/** The key of a function, once a library was closed. May call the loader and allocate; keeps errno. */
mprof_key libraries_look_up_key(mprof_recorder *recorder, uintptr_t function);

/**
 * The key of a function that is executing. Relaxed: a thread that calls a function of a library that was loaded at the
 * place of another sees the changes made before that was closed, as the loader's lock orders them.
 */
static inline mprof_key libraries_key(mprof_recorder *recorder, uintptr_t function)
{
	if (!atomic_load_explicit(&libraries_are_closed, memory_order_relaxed))
		return function;
	return libraries_look_up_key(recorder, function);
}

/** Replaces the address of a function by its key. Returns 0 if it must be looked up; async-signal-safe. */
int libraries_look_up_known(mprof_key *function);

static inline int libraries_find_known_key(mprof_key *function)
{
	return !atomic_load_explicit(&libraries_are_closed, memory_order_relaxed) || libraries_look_up_known(function);
}

#endif
