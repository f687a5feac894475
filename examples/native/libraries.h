/* SPDX-License-Identifier: MIT */
/**
 * \file libraries.h
 * \brief The program and its libraries, present and closed, and keys for their functions. Any thread.
 *
 * A library may be loaded where another one was before. The key of a function is its address, and in the bits above the
 * number of the library among those that have been at the address, so each function has a key of its own. The functions
 * of a library that is loaded again keep their keys, wherever it is loaded.
 */
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include <mprof/recorder.h>

#include <stdatomic.h>
#include <stdint.h>

/** Lives as long as the process. */
typedef struct library library;

/** Whether the program has closed a library, or is about to. */
extern _Atomic int libraries_are_closed __attribute__((visibility("hidden")));

/** Call it when the program starts: what is loaded then is never closed. */
void libraries_begin(void);

/** Call these immediately before and after dlclose(). They keep errno. */
void libraries_begin_close(void);
void libraries_end_close(void);

/** Forgets all libraries: in a child of fork(), a thread that does not exist there may have been changing them. */
void libraries_forget(void);

/** The key of a function, once a library was closed. May call the loader and allocate; keeps errno. */
mprof_key libraries_look_up_key(uintptr_t function);

/**
 * The key of a function that is executing. Relaxed: a thread that calls a function of a library that was loaded at the
 * place of another sees the changes made before that was closed, as the loader's lock orders them.
 */
static inline mprof_key libraries_key(uintptr_t function)
{
	if (!atomic_load_explicit(&libraries_are_closed, memory_order_relaxed))
		return function;
	return libraries_look_up_key(function);
}

/** Replaces the address of a function by its key. Returns 0 if it must be looked up; async-signal-safe. */
int libraries_look_up_known(mprof_key *function);

static inline int libraries_find_known_key(mprof_key *function)
{
	return !atomic_load_explicit(&libraries_are_closed, memory_order_relaxed) || libraries_look_up_known(function);
}

/** The library that has or had a function; NULL if unknown, or out of memory. */
library *libraries_find(mprof_key function);

/** A key in the library that stands for the library itself. */
mprof_key libraries_get_key(const library *library);

/** The name without directory. */
const char *libraries_get_name(const library *library);

/** The linker name of a function of the library; NULL if unknown. Valid until the process ends. */
const char *libraries_get_function(library *library, mprof_key function);

#endif
