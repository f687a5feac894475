/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/window.h
 * \brief The part of a log that is analysed: from a start to an end, as times and as counters, and threads. The clock.
 */
#ifndef MODEL_RECORDS_WINDOW_H
#define MODEL_RECORDS_WINDOW_H

#include <mprof/profile.h>

#include "base/hash_map.h"

#include <stdint.h>

typedef struct profile_window {
	int is_bounded; /**< 0: all counters are inside. */
	uint64_t start;
	uint64_t end;     /**< The first counter after the window; #WINDOW_OPEN: there is none. */
	int has_threads;  /**< 0: all threads are chosen. */
	hash_map threads; /**< The threads chosen, by ID. */
} profile_window;

void window_init(profile_window *window, const mprof_allocator *allocator);
void window_destroy(profile_window *window);

/** The end of a window without one. */
#define WINDOW_OPEN UINT64_MAX

/** Sets the bounds. A window that is not empty as a time may be shorter than a counter: it has one counter then. */
void window_bound(profile_window *window, uint64_t start, uint64_t end);

/** Restricts the window to the threads chosen so far and this one. Returns 0 if there is no memory. */
int window_choose_thread(profile_window *window, uint64_t thread);

static inline int window_has_counter(const profile_window *window, uint64_t counter)
{
	return !window->is_bounded || (counter >= window->start && counter < window->end);
}

/** Whether a counter is after the window. */
static inline int window_is_over(const profile_window *window, uint64_t counter)
{
	return window->is_bounded && counter >= window->end;
}

/** Where events are. */
typedef enum window_place {
	WINDOW_INSIDE,  /**< All of them count, and so does the time since the event before them. */
	WINDOW_OUTSIDE, /**< None of them counts. */
	WINDOW_ACROSS   /**< Some of them may count. */
} window_place;

/**
 * Where events of a thread are whose counters are from \p first to \p last. \p before is that of the event before them:
 * an event with a lower counter is at the same time.
 */
static inline window_place window_place_of(const profile_window *window, uint64_t before, uint64_t first, uint64_t last)
{
	if (window_has_counter(window, before) && window_has_counter(window, first) && window_has_counter(window, last))
		return WINDOW_INSIDE;
	if (window_is_over(window, before) || (before < window->start && last < window->start))
		return WINDOW_OUTSIDE;
	return WINDOW_ACROSS;
}

/** The nearest counter inside the window: the difference of two of these is the time that passed inside. */
static inline uint64_t window_clamp(const profile_window *window, uint64_t counter)
{
	if (!window->is_bounded)
		return counter;
	return counter < window->start ? window->start : counter > window->end ? window->end : counter;
}

static inline int window_has_thread(const profile_window *window, uint64_t thread)
{
	return !window->has_threads || hash_map_get(&window->threads, thread) != NULL;
}

/** The times of the window, in nanoseconds since the start of the session; 0: no bound. */
typedef struct window_times {
	int64_t start_ns;
	int64_t end_ns;
	int64_t alive_ns; /**< The end for native memory and ages of objects. */
	int has_counters; /**< They were converted. */
	int is_pending;   /**< They are not converted yet, or the result may change. */
} window_times;

/** Takes the times of the options. */
void window_times_init(window_times *times, const mprof_profile_options *options);

/**
 * Converts the times with what is known of the clock, and bounds the windows: \p alive is that of native memory and
 * ages of objects. While the clock may change, so may a bound, but not after an event that it may have divided:
 * durations are differences of counters inside the window. \p latest: the latest counter of an event that was added.
 */
void window_times_update(window_times *times, profile_window *window, profile_window *alive, const mprof_reader *reader,
			 uint64_t latest);

/** Set by mprof_profile_finish(). */
typedef struct profile_clock {
	uint64_t origin;                /**< Counter at the start of the session. */
	double nanoseconds_per_counter; /**< 1 while it is not known. */
} profile_clock;

/** Converts a number of counters, at most to UINT64_MAX. */
uint64_t profile_clock_duration(const profile_clock *clock, uint64_t counters);

/** As profile_clock_duration(), for a sum that saturates: UINT64_MAX remains UINT64_MAX. */
uint64_t profile_clock_sum(const profile_clock *clock, uint64_t counters);

/** Converts a counter to nanoseconds since the start of the session. */
int64_t profile_clock_time(const profile_clock *clock, uint64_t counter);

#endif
