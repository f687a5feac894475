/* SPDX-License-Identifier: MIT */
/**
 * \file exec_calls.h
 * \brief Calls functions before the program executes another one or ends without its destructors, by interposing
 * execve(), _exit(), quick_exit(), daemon() and their relatives.
 *
 * A program that makes these system calls without the C library is not noticed.
 */
#ifndef NATIVE_EXEC_CALLS_H
#define NATIVE_EXEC_CALLS_H

/**
 * Sets the functions. Call it before main(), on one thread.
 * \param prepare Called before the system call, on the calling thread, possibly in a signal handler or in a child of
 *                vfork(). \p executes: the process executes another program, it does not end. Returns 1 if \p cancel
 *                must be called if the program could not be executed.
 * \param cancel Called after the system call has failed, if \p prepare returned 1.
 */
void exec_calls_set(int (*prepare)(int executes), void (*cancel)(void));

#endif
