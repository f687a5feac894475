/* SPDX-License-Identifier: MIT */
/**
 * \file sample_events.h
 * \brief Events of the kernel that interrupt threads by their processor time, with SIGTRAP.
 *
 * One event is enough: threads that start later inherit it. The kernel sends the signal when the thread that ran
 * returns to user mode, so no wait is interrupted. The descriptors are in a table of their own, that of a thread which
 * opens and changes them: the program has none of them, and cannot close them.
 */
#ifndef SHARED_SAMPLE_EVENTS_H
#define SHARED_SAMPLE_EVENTS_H

#include <signal.h>
#include <stdint.h>

/** What the events count. */
typedef enum sample_scope {
	SAMPLE_SCOPE_NONE, /**< There are no events. */
	SAMPLE_SCOPE_USER, /**< The time in the program and its libraries, not that in the kernel. */
	SAMPLE_SCOPE_ALL
} sample_scope;

/** What a SIGTRAP is. */
typedef enum sample_hit_kind {
	SAMPLE_HIT_FOREIGN, /**< Not that of an event. */
	SAMPLE_HIT_VOID,    /**< Late, of an event that was replaced, or one of two of the same period. */
	SAMPLE_HIT_VALID    /**< A period of the interrupted thread has passed. */
} sample_hit_kind;

/**
 * Opens events for all threads but those of the recorder, which block all signals and have a name that begins with
 * "mprof", in place of those that are open. The handler of SIGTRAP must be installed. Not in signal handlers.
 * \param period_ns Processor time from one signal to the next.
 * \param is_enabled Whether they count at once, or after sample_events_enable().
 * \return What they count; #SAMPLE_SCOPE_NONE if the system allows none.
 */
sample_scope sample_events_open(uint64_t period_ns, int is_enabled);

/**
 * Starts or stops counting in all threads, and waits for that, but for a short time only. Async-signal-safe. Any thread
 * of the process that opened the events.
 */
void sample_events_enable(void);
void sample_events_disable(void);

/** Closes the events. Not in signal handlers. */
void sample_events_close(void);

/** Closes the events, and ends the thread that keeps them. Not in signal handlers. */
void sample_events_end(void);

/** Called in a child of fork(), where there are none. */
void sample_events_forget(void);

/** What a SIGTRAP of the calling thread is. In its handler. */
sample_hit_kind sample_events_classify(const siginfo_t *info);

#endif
