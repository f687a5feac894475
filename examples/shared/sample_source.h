/* SPDX-License-Identifier: MIT */
/**
 * \file sample_source.h
 * \brief What interrupts threads for samples, and how many of the interruptions become samples.
 *
 * - PERF: an event of the kernel, see sample_events.h. It is more frequent than the samples, and a random choice of its
 *   signals become samples: threads that do the same work would otherwise all be sampled at the same places of it.
 * - TIMER: a timer of each thread, see sample_timer.h. It has the rate of the tick.
 * - RUNTIME: the runtime signals all threads.
 *
 * Each sample stands for one period, sample_source_period().
 */
#ifndef SHARED_SAMPLE_SOURCE_H
#define SHARED_SAMPLE_SOURCE_H

#include "shared/sample_events.h"

#include <stdint.h>

typedef enum sample_source {
	SAMPLE_SOURCE_NONE,
	SAMPLE_SOURCE_RUNTIME, /**< The runtime's own thread, which signals all threads. */
	SAMPLE_SOURCE_TIMER,
	SAMPLE_SOURCE_PERF
} sample_source;

/** The name of a source, as it is written to the log. Static. */
const char *sample_source_name(sample_source source);

/** The source of a name; #SAMPLE_SOURCE_NONE if there is no such name. */
sample_source sample_source_find(const char *name);

/**
 * Chooses the best source up to \p most that the system allows, and opens the events of PERF. Not in signal handlers.
 * \param most The best source to use.
 * \param hz Samples per second.
 * \param is_enabled Whether events of PERF count at once.
 */
sample_source sample_source_open(sample_source most, uint32_t hz, int is_enabled);

/** Sets another rate of the source in use, with new events if that is necessary; 0 stops it. Not in signal handlers. */
void sample_source_change(uint32_t hz);

/** Whether an interruption becomes a sample. Random. Async-signal-safe. */
int sample_source_takes(void);

/** The source in use. */
sample_source sample_source_used(void);

/** What the events of PERF count. */
sample_scope sample_source_scope(void);

/** The processor time that a sample stands for, in nanoseconds; 0 before there is a source. Async-signal-safe. */
uint64_t sample_source_period(void);

/** The processor time below which a thread may not be interrupted at all, in nanoseconds. */
uint64_t sample_source_blind_time(void);

/** Forgets the source in a child of fork(). */
void sample_source_forget(void);

#endif
