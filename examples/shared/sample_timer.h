/* SPDX-License-Identifier: MIT */
/**
 * \file sample_timer.h
 * \brief Timers that interrupt threads by processor time: one for each thread, with a signal to that thread.
 *
 * The first source that the system allows is used:
 *
 * - PERF: an event of the kernel that counts the time a thread runs. Precise at any rate. While the thread runs without
 *   a pause, a timer of real time is as precise and costs half as much. It replaces the event if the program tolerates
 *   that its signal interrupts a system call, at most once when the thread begins to wait.
 * - TIMER: a timer of the thread's processor time, which the kernel checks at its tick only. While the thread runs and
 *   the rate is higher than that of the tick, a timer of real time is used in its place.
 */
#ifndef SAMPLE_TIMER_H
#define SAMPLE_TIMER_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

typedef enum sample_source {
	SAMPLE_SOURCE_NONE,
	SAMPLE_SOURCE_RUNTIME, /**< The runtime's own thread, which signals all threads. */
	SAMPLE_SOURCE_TIMER,
	SAMPLE_SOURCE_PERF
} sample_source;

/** The timer of one thread. All 0 before it is started, and after it is stopped. */
typedef struct sample_timer {
	_Atomic int source;  /**< A #sample_source. Written last when the timer is started, first when it is stopped. */
	pid_t thread;        /**< The thread that is interrupted. */
	int event;           /**< PERF: its descriptor. */
	uint64_t event_id;   /**< PERF: the kernel's ID of the event. */
	void *event_page;    /**< PERF: a mapping of the event, or NULL. */
	timer_t processor;   /**< TIMER. */
	timer_t real;        /**< TIMER; PERF, if has_real. */
	int has_real;        /**< PERF: there is a timer of real time. */
	_Atomic int is_real; /**< PERF: the present period is measured by that timer. Relaxed: written only while the
				  event and the timer are not armed. */
} sample_timer;

/** The name of a source, as it is written to the log. Static. */
const char *sample_source_name(sample_source source);

/** The source of a name; #SAMPLE_SOURCE_NONE if there is no such name. */
sample_source sample_source_find(const char *name);

/**
 * Sets the signal of all timers, before one is started. \p most: the best source to use.
 * \p may_interrupt_waits: the program resumes calls of the system that a signal interrupted; see PERF above.
 */
void sample_timer_set(int signal_number, uint64_t tick_hz, sample_source most, int may_interrupt_waits);

/** Sets the period of all timers in nanoseconds; with 0, they stop at the end of the present period. Any thread. */
void sample_timer_set_period(uint64_t period_ns);

/** Starts the timer of any thread of this process. Its source stays #SAMPLE_SOURCE_NONE if the system allows none. */
void sample_timer_start(sample_timer *timer, pid_t thread);

/**
 * Whether a sample may be taken in the handler of a signal, \p ran nanoseconds of the thread's processor time after the
 * last one. Not if a timer of real time interrupted a thread that waited: where it waits, it spends no processor time.
 * Async-signal-safe; only on the timer's own thread.
 */
int sample_timer_is_exact(const sample_timer *timer, uint64_t ran);

/**
 * Starts the next period. Async-signal-safe; on the timer's own thread, or on another one if the timer has stopped.
 * \p ran: processor time of the thread in the last period, in nanoseconds.
 */
void sample_timer_continue(sample_timer *timer, uint64_t ran);

/** Sets the new period of a started timer. \p was_stopped: the timer had stopped and is continued. Any thread. */
void sample_timer_change(sample_timer *timer, int was_stopped);

/** Stops the timer. Only on its own thread. */
void sample_timer_stop(sample_timer *timer);

/** Releases, in a child of fork(), the timer of the thread that forked. */
void sample_timer_forget(sample_timer *timer);

/** The frequency of the system's tick; 0 if unknown. */
uint32_t sample_timer_tick_hz(void);

/** The best source in use so far. */
sample_source sample_timer_source(void);

#endif
