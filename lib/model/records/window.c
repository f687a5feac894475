/* SPDX-License-Identifier: MIT */
/* The time that a profile covers, and its clock. */
#include "model/records/window.h"

#include "reader/reader.h"

#include <string.h>

void window_init(profile_window *window, const mprof_allocator *allocator)
{
	memset(window, 0, sizeof(*window));
	window->end = WINDOW_OPEN;
	hash_map_init(&window->threads, allocator);
}

void window_destroy(profile_window *window)
{
	hash_map_destroy(&window->threads);
}

void window_bound(profile_window *window, uint64_t start, uint64_t end)
{
	window->is_bounded = 1;
	window->start = start;
	window->end = end > start ? end : start + 1;
}

int window_choose_thread(profile_window *window, uint64_t thread)
{
	window->has_threads = 1;
	return hash_map_put(&window->threads, thread, 1);
}

void window_times_init(window_times *times, const mprof_profile_options *options)
{
	times->start_ns = options->window_start_ns;
	times->end_ns = options->window_end_ns;
	times->alive_ns = options->alive_at_ns;
	if (times->alive_ns == 0 || (times->end_ns != 0 && times->end_ns < times->alive_ns))
		times->alive_ns = times->end_ns;
	times->is_pending = times->start_ns != 0 || times->alive_ns != 0;
}

/* Converts a bound; 0 stands for \p none. Keeps it if an event is at or after it, before the change or after it. */
static uint64_t convert_bound(const window_times *times, const mprof_reader *reader, int64_t nanoseconds, uint64_t none,
			      uint64_t latest, uint64_t present)
{
	uint64_t counter;

	if (nanoseconds == 0)
		return none;
	(void)reader_get_whole_counter(reader, nanoseconds, &counter);
	if (times->has_counters && (latest >= present || latest >= counter))
		return present;
	return counter;
}

void window_times_update(window_times *times, profile_window *window, profile_window *alive, const mprof_reader *reader,
			 uint64_t latest)
{
	uint64_t start;
	uint64_t end;
	uint64_t alive_end;

	if (!times->is_pending)
		return;
	start = convert_bound(times, reader, times->start_ns, 0, latest, window->start);
	end = convert_bound(times, reader, times->end_ns, WINDOW_OPEN, latest, window->end);
	alive_end = convert_bound(times, reader, times->alive_ns, WINDOW_OPEN, latest, alive->end);
	if (window->is_bounded)
		window_bound(window, start, end);
	window_bound(alive, start, alive_end);
	times->has_counters = 1;
	times->is_pending = !reader_get_whole_counter(reader, 0, &start);
}

/* 2^64, the first number that uint64_t cannot represent. */
#define LIMIT 18446744073709551616.0

uint64_t profile_clock_duration(const profile_clock *clock, uint64_t counters)
{
	double nanoseconds;

	/* A double has 53 bits: without a conversion the counters stay exact. */
	if (clock->nanoseconds_per_counter == 1)
		return counters;
	nanoseconds = (double)counters * clock->nanoseconds_per_counter + 0.5;
	return nanoseconds < LIMIT ? (uint64_t)nanoseconds : UINT64_MAX;
}

uint64_t profile_clock_sum(const profile_clock *clock, uint64_t counters)
{
	return counters == UINT64_MAX ? UINT64_MAX : profile_clock_duration(clock, counters);
}

int64_t profile_clock_time(const profile_clock *clock, uint64_t counter)
{
	uint64_t since = counter - clock->origin;
	uint64_t nanoseconds;

	if ((int64_t)since < 0) {
		nanoseconds = profile_clock_duration(clock, 0 - since);
		return nanoseconds < (uint64_t)INT64_MAX ? -(int64_t)nanoseconds : INT64_MIN;
	}
	nanoseconds = profile_clock_duration(clock, since);
	return nanoseconds < (uint64_t)INT64_MAX ? (int64_t)nanoseconds : INT64_MAX;
}
