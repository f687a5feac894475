/* SPDX-License-Identifier: MIT */
/* Converts the times of a window to counters. */
#include "model/profile/window_times.h"

#include "base/caller_structs.h"
#include "reader/reader.h"

void window_times_init(mprof_profile *profile, const mprof_profile_options *options)
{
	window_times *times = &profile->times;

	times->start_ns = options->window_start_ns;
	times->end_ns = options->window_end_ns;
	times->alive_ns = options->alive_at_ns;
	if (times->alive_ns == 0 || (times->end_ns != 0 && times->end_ns < times->alive_ns))
		times->alive_ns = times->end_ns;
	/* Whether there are bounds is known before the counters are. */
	profile->window.is_bounded = times->start_ns != 0 || times->end_ns != 0;
	profile->alive_window.is_bounded = times->start_ns != 0 || times->alive_ns != 0;
	times->is_pending = profile->alive_window.is_bounded;
}

mprof_status window_times_prepare(mprof_profile *profile, mprof_reader *reader)
{
	return profile->times.is_pending ? reader_find_whole_clock(reader) : MPROF_OK;
}

/* The latest counter of an event that was added. */
static uint64_t latest_counter(const mprof_profile *profile, uint64_t start)
{
	const uint64_t latest = thread_table_latest(&profile->threads, start);

	return profile->has_uncounted && (int64_t)(profile->uncounted_latest - latest) > 0 ? profile->uncounted_latest
											   : latest;
}

/* Converts a bound; 0 stands for \p none. Keeps it if an event is at or after it, before the change or after it. */
static uint64_t convert_bound(const mprof_profile *profile, const mprof_reader *reader, int64_t nanoseconds,
			      uint64_t none, uint64_t latest, uint64_t present)
{
	uint64_t counter;

	if (nanoseconds == 0)
		return none;
	(void)reader_get_whole_counter(reader, nanoseconds, &counter);
	if (profile->times.has_counters && (latest >= present || latest >= counter))
		return present;
	return counter;
}

void window_times_update(mprof_profile *profile, const mprof_reader *reader)
{
	window_times *times = &profile->times;
	mprof_session session = {.struct_size = sizeof(session)};
	uint64_t latest;
	uint64_t start;
	uint64_t end;
	uint64_t alive;

	if (!times->is_pending || mprof_reader_get_session(reader, &session) != MPROF_OK)
		return;
	latest = latest_counter(profile, session.start.counter);
	start = convert_bound(profile, reader, times->start_ns, 0, latest, profile->window.start);
	end = convert_bound(profile, reader, times->end_ns, WINDOW_OPEN, latest, profile->window.end);
	alive = convert_bound(profile, reader, times->alive_ns, WINDOW_OPEN, latest, profile->alive_window.end);
	if (profile->window.is_bounded)
		window_bound(&profile->window, start, end);
	window_bound(&profile->alive_window, start, alive);
	times->has_counters = 1;
	times->is_pending = !reader_get_whole_counter(reader, 0, &start);
}
