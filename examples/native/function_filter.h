/* SPDX-License-Identifier: MIT */
/**
 * \file function_filter.h
 * \brief Selects the functions whose calls are recorded, by patterns for their names.
 */
#ifndef NATIVE_FUNCTION_FILTER_H
#define NATIVE_FUNCTION_FILTER_H

#include <mprof/recorder.h>

#include <stdatomic.h>
#include <stdint.h>

/**
 * Reads the option words only=PATTERN and not=PATTERN; \p words may be NULL. A pattern is a shell pattern for the name
 * of the function; after "class:" or "assembly:" for that of its program or library. Returns 0 if out of memory. Call
 * it before a recorder is opened: the patterns remain those of the first call.
 */
int function_filter_begin_log(const char *words);

/**
 * From now on, calls are recorded only of functions that a pattern matches as well; NULL removes it. On the control
 * thread. Returns 0 if out of memory.
 */
int function_filter_select(const char *text);

/** Whether there are patterns. Relaxed: a thread that does not see a change yet records a few calls more or less. */
extern _Atomic int function_filter_has_patterns __attribute__((visibility("hidden")));

/**
 * Whether calls of a function, by its key, are recorded: no pattern of "not" matches it, and one of "only" does if
 * there are any. The recorder names each function once. Any thread; may allocate; keeps errno.
 */
int function_filter_look_up(mprof_recorder *recorder, mprof_key function);

/** The result of an earlier look-up by this thread. Returns 0 if there was none; async-signal-safe. */
int function_filter_find_known(mprof_key function, int *is_recorded);

/** Abandons the lock and the names: in a child of fork(), a thread that does not exist there may have held it. */
void function_filter_begin_child(void);

/** Releases what the calling thread has, which looks up no more functions. */
void function_filter_end_thread(void);

#endif
