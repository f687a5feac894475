/* SPDX-License-Identifier: MIT */
/**
 * \file sample_timer.h
 * \brief Timers that interrupt threads by processor time: one for each thread, with a signal to that thread.
 *
 * The kernel checks such a timer at its tick only. It is always due, so each tick that meets the thread while it runs
 * interrupts it, and stands for the time of one tick. It is never met while it waits.
 */
#ifndef SHARED_SAMPLE_TIMER_H
#define SHARED_SAMPLE_TIMER_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/** The timer of one thread. All 0 before it is started, and after it is stopped. */
typedef struct sample_timer {
	int is_started;
	timer_t processor;
} sample_timer;

/** Starts the timer of any thread of this process. Returns 0 if the system refuses. */
int sample_timer_start(sample_timer *timer, pid_t thread, int signal_number);

/** Stops the timer. Any thread. */
void sample_timer_stop(sample_timer *timer);

/** Whether a signal is that of a timer, and not one of the program. */
int sample_timer_sent(const siginfo_t *info);

/** The frequency of the system's tick; 0 if unknown. */
uint32_t sample_timer_tick_hz(void);

#endif
