/* SPDX-License-Identifier: MIT */
/**
 * \file program_signals.h
 * \brief Keeps one signal for the sampler, whatever the program does to all signals, by interposing signal(),
 * sigaction(), pthread_sigmask(), sigaltstack() and their relatives.
 *
 * The program reads back what it asked for, and that happens to signals that the sampler did not cause. A program
 * that makes these system calls without the C library is not noticed.
 */
#ifndef NATIVE_PROGRAM_SIGNALS_H
#define NATIVE_PROGRAM_SIGNALS_H

#include <signal.h>

/** Handles the signal; see program_signals_forward(). */
typedef void (*signal_function)(int number, siginfo_t *info, void *context);

/**
 * Installs the handler of a signal. What the program has asked for so far is remembered. Returns 0 if the system
 * refuses. \p is_own: whether the sampler caused a signal.
 */
int program_signals_keep(int number, signal_function handler, int (*is_own)(const siginfo_t *info));

/** Gives the signal back to the program: in a child of fork(), or when sampling ends. */
void program_signals_release(void);

/** Whether the program has asked to block the signal in the calling thread. A new thread inherits that. */
int program_signals_blocks(void);
void program_signals_inherit(int blocks);

/**
 * Does with a signal that the sampler did not cause what the program has asked for. In the handler.
 * \param number, info, context The arguments of the handler.
 */
void program_signals_forward(int number, siginfo_t *info, void *context);

/**
 * Called before the calling thread executes another program, which inherits what is ignored and blocked; and if it
 * could not be executed. Async-signal-safe, also in a child of vfork(), which shares the memory of its parent.
 */
void program_signals_prepare_exec(void);
void program_signals_cancel_exec(void);

/** Takes the signal if the sampler caused it and it is pending in the calling thread. Async-signal-safe. */
void program_signals_take_pending(void);

/** Gives the calling thread an alternate stack for the handler, and takes it away. */
void program_signals_begin_thread(void);
void program_signals_end_thread(void);

#endif
