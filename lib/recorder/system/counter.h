/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/system/counter.h
 * \brief The counter that times events: the machine's cheapest one, or the caller's.
 */
#ifndef RECORDER_SYSTEM_COUNTER_H
#define RECORDER_SYSTEM_COUNTER_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

/** The counter and the clocks of the system, read together. */
typedef struct counter_instant {
	uint64_t counter;      /**< In the unit of counter_read(). */
	uint64_t time_us;      /**< The wall clock: microseconds since 1 January 1970 UTC. */
	uint64_t monotonic_ns; /**< CLOCK_MONOTONIC: never set, stands still while the system sleeps. */
	uint64_t boottime_ns;  /**< CLOCK_BOOTTIME, which includes that time; 0 if the system does not have it. */
} counter_instant;

/** Constant once initialized, so any thread may read the counter. */
typedef struct counter_source {
	uint64_t (*read)(void *user); /**< NULL: the machine's own register. */
	void *user;
	uint32_t shift; /**< The machine's ticks are divided by 2 to this power. */
	/**
	 * In the log, counters are divided by 2 to this power. Not before: the writer thread sorts switches between
	 * threads by their counters.
	 */
	uint32_t log_shift;
} counter_source;

/**
 * Uses the caller's function, or for NULL the machine's counter; \p whole_ticks keeps shift at 0. \p start receives
 * when that was, from which frequencies are measured; all 0 for the caller's function, which is not called.
 */
void counter_init(counter_source *source, uint64_t (*read)(void *user), void *user, int whole_ticks,
		  counter_instant *start);

/**
 * Chooses counter_source::log_shift such that a unit of the log lasts at most \p nanoseconds; 0 keeps the unit of the
 * source. Not for a caller's function, whose unit is not known.
 */
void counter_set_resolution(counter_source *source, uint32_t nanoseconds, const counter_instant *start);

/** Whether counter_init() has chosen the monotonic clock, so that the unit is a nanosecond before log_shift. */
int counter_is_monotonic_clock(const counter_source *source);

/** Reads the counter and all clocks. The machine's counter is read until the readings are close to one another. */
void counter_read_instant(const counter_source *source, counter_instant *now);

/** Reads them when enough time has passed since \p start to measure the frequency. */
void counter_wait_calibrated(const counter_source *source, const counter_instant *start, counter_instant *now);

/** Units of the log per second between two instants; 0 if no time has passed. */
double counter_frequency(const counter_source *source, const counter_instant *start, const counter_instant *end);

/** Describes the counter of the log in a few words for the SESSION block. */
void counter_describe(const counter_source *source, char *text, unsigned size);

static inline uint64_t counter_read_register(void)
{
#if defined(__x86_64__) || defined(__i386__)
	/*
	 * Not ordered against the surrounding instructions: the error is a few nanoseconds, less than a fence would
	 * cost.
	 */
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0; /* counter_init() never leaves read NULL here. */
#endif
}

/**
 * Reads the machine's counter after all earlier loads of this thread, so after whatever it has seen of other threads.
 */
static inline void counter_order_reading(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

static inline uint64_t counter_read(const counter_source *source)
{
	if (source->read != NULL)
		return source->read(source->user);
	return counter_read_register() >> source->shift;
}

/** Owner: the writer thread once it runs; before that, the thread that opens the recorder. */
typedef struct counter_rate {
	const counter_source *source;
	counter_instant start; /**< Where the measurement began. */
	double stated;         /**< Units of the log per second, as stated last; 0: not yet. */
	uint64_t measured_ns;  /**< Nanoseconds over which that was measured. */
	uint64_t due_ns;       /**< How long the next measurement must be. */
	int is_measuring;      /**< 0: the frequency is known exactly, or this recorder completes the log of another. */
} counter_rate;

/**
 * Begins to measure from counter_rate::start, which the caller has set, and states what is known already. \p input is
 * the frequency of the client's counter, 0 if not known: then \p now, its first reading, begins the measurement.
 */
void counter_rate_begin(counter_rate *rate, const counter_source *source, double input, const counter_instant *now);

/**
 * Measures up to now, if that is long enough to state a better frequency than the last one, or \p is_last and at least
 * somewhat longer. Returns 1 if counter_rate::stated has changed; \p now is then the time at which it was measured.
 */
int counter_rate_update(counter_rate *rate, int is_last, counter_instant *now);

#endif
