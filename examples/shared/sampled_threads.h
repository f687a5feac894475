/* SPDX-License-Identifier: MIT */
/**
 * \file sampled_threads.h
 * \brief The threads that are sampled: their timers, the time for which they were sampled, and their samples.
 *
 * A sample stands for one period of processor time. What remains of the threads' clocks is time that no sample stands
 * for, and is never spread over those that there are.
 */
#ifndef SHARED_SAMPLED_THREADS_H
#define SHARED_SAMPLED_THREADS_H

#include "shared/sample_timer.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/** A sampled thread. All 0 before sampled_threads_add(). */
typedef struct sampled_thread {
	pid_t thread;
	uint64_t since_ns;     /**< The thread's clock from which on it is sampled. Guarded by the list's lock. */
	_Atomic uint64_t hits; /**< Its samples. Relaxed: written by the thread. */
	sample_timer timer;
	uint64_t seen_ns; /**< For sampled_threads_is_due(); used by the thread alone. */
	uint64_t due_ns;
	struct sampled_thread *next;
	struct sampled_thread **link; /**< The pointer to this element; NULL if it is not in the list. */
} sampled_thread;

/** Numbers of all threads together. */
typedef struct sample_totals {
	uint64_t time_ns;    /**< Time during which threads were sampled, by the clock. */
	uint64_t hits;       /**< Samples taken. */
	uint64_t hit_ns;     /**< The time that they stand for, each one its period. */
	uint64_t discarded;  /**< Hits that are no samples: the thread had not run, or was in the profiler. */
	uint64_t short_ns;   /**< Time of threads that ended before they could be interrupted. */
	uint64_t blocked_ns; /**< Time of threads without a sample that block the signal. */
} sample_totals;

/**
 * Sets what all threads share. Those that are in the list begin to be sampled.
 * \param is_real_time Whether time is real time, and not processor time of the threads.
 * \param is_paused Whether sampling begins with sampled_threads_pause(0).
 */
void sampled_threads_set(int is_real_time, int is_paused);

/** Sets the signal that interrupts threads, before there are timers. */
void sampled_threads_set_signal(int signal_number);

/** Adds the calling thread, unless it is in the list. */
void sampled_threads_add(sampled_thread *self);

/** Removes the calling thread, and adds its numbers to the totals. */
void sampled_threads_remove(sampled_thread *self);

/** Removes the calling thread, and leaves its time out: it is not a thread of the program. */
void sampled_threads_leave_out(sampled_thread *self);

/** Starts timers of all threads, and of all that are added later, or stops them. */
void sampled_threads_set_timers(int are_used);

/** Whether a thread has a timer. Not in handlers. */
int sampled_threads_have_timers(void);

/** Stops and starts measuring: the time meanwhile is not that of sampled threads. Also timers. Not in handlers. */
void sampled_threads_pause(int is_paused);

/** Stops the timer of the calling thread, or starts it if timers are used. */
void sampled_threads_stop_timer(sampled_thread *self);
void sampled_threads_continue_timer(sampled_thread *self);

/** Counts a sample of the calling thread. Async-signal-safe. */
void sampled_threads_hit(sampled_thread *self);

/** Turns the last sample of the calling thread into a discarded one whose period is left out. Async-signal-safe. */
void sampled_threads_discard(sampled_thread *self);

/** Counts a signal that becomes no sample. Async-signal-safe. */
void sampled_threads_ignore(void);

/**
 * For a runtime that signals all threads: whether the calling thread has run for a period since its last sample.
 * Async-signal-safe.
 */
int sampled_threads_is_due(sampled_thread *self);

/** Numbers of all threads so far. Any thread, not in handlers. */
sample_totals sampled_threads_totals(void);

/** Called before fork(), and after it in the parent; a handler of the program may fork meanwhile. */
void sampled_threads_lock(void);
void sampled_threads_unlock(void);

/** Forgets all threads and numbers in a child of fork(). \p self: the calling thread, or NULL. */
void sampled_threads_forget(sampled_thread *self);

#endif
