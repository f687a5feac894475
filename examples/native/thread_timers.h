/* SPDX-License-Identifier: MIT */
/**
 * \file thread_timers.h
 * \brief The timers of all sampled threads, so that another thread can change the rate.
 */
#ifndef THREAD_TIMERS_H
#define THREAD_TIMERS_H

#include <stdint.h>

/** Starts the timer of the calling thread. */
void thread_timers_begin(void);

/** Stops the timer of the calling thread. */
void thread_timers_end(void);

/**
 * Whether a sample may be taken in the handler of a signal, \p ran nanoseconds of the calling thread's processor time
 * after the last one; see sample_timer_is_exact(). Async-signal-safe.
 */
int thread_timers_is_exact(uint64_t ran);

/**
 * Starts the next period of the calling thread. Async-signal-safe. \p ran: its processor time in the last period, in
 * nanoseconds.
 */
void thread_timers_continue(uint64_t ran);

/**
 * Stops the timer of the calling thread and removes its signal if that is pending. Async-signal-safe.
 * \param signal_number The signal of all timers.
 */
void thread_timers_pause(int signal_number);

/** Starts the timer of the calling thread again after thread_timers_pause(). Async-signal-safe. */
void thread_timers_resume(void);

/** Sets a new period of all timers in nanoseconds; 0 stops them until the next call. Not in signal handlers. */
void thread_timers_change(uint64_t period_ns);

/** Called before fork(), and after it in the parent. */
void thread_timers_lock(void);
void thread_timers_unlock(void);

/** Releases all timers in a child of fork(). */
void thread_timers_forget(void);

#endif
