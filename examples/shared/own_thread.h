/* SPDX-License-Identifier: MIT */
/**
 * \file shared/own_thread.h
 * \brief Starts threads of a recorder in the recorded program.
 */
#ifndef SHARED_OWN_THREAD_H
#define SHARED_OWN_THREAD_H

#include <stddef.h>
#include <sys/types.h>

/**
 * Starts a detached thread that handles no signals: those of the program and of its runtime are handled by its own
 * threads. Returns 0, or an error number.
 * \param name What debuggers and the system's tools show, at most 15 bytes.
 * \param stack_size Size of its stack, in bytes; 0 for the default.
 * \param run The function that it runs.
 * \param argument The function's argument.
 */
int own_thread_start(const char *name, size_t stack_size, void *(*run)(void *argument), void *argument);

/**
 * Counts the calling thread as the recorder's until own_thread_leave(): for threads that the library starts. Those of
 * own_thread_start() are counted anyway.
 */
void own_thread_enter(void);
void own_thread_leave(void);

/** The number of threads of the recorder that run. Any thread; async-signal-safe. */
unsigned own_thread_count(void);

/** Whether a thread, by its system ID, is one of these. Any thread; async-signal-safe. */
int own_thread_has(pid_t id);

/** The system ID of one of them; 0 if there is none. Any thread; async-signal-safe. */
pid_t own_thread_any(void);

/** The number of all other threads of the process; 0 if it is not known. Any thread; async-signal-safe. */
unsigned own_thread_count_others(void);

/**
 * Waits until the system has ended all of them, which may be a little later than the end of the functions that they
 * run; at most about as long as stated. Any thread but theirs.
 */
void own_thread_await_end(unsigned milliseconds);

/** In a child made by fork(), which has none of them. */
void own_thread_forget(void);

#endif
