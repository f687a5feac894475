/* SPDX-License-Identifier: MIT */
/* The getters for durations of calls and for the slowest calls. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

#include "base/options.h"

#include <string.h>

size_t mprof_profile_get_duration_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->calls.durations.records.count : 0;
}

static uint64_t percentile_of(const mprof_profile *profile, const duration_record *record, double percent)
{
	return profile_clock_duration(&profile->clock, call_durations_percentile(record, percent));
}

static void store_durations(const mprof_profile *profile, size_t index, void *row)
{
	mprof_call_durations *durations = row;
	const duration_record *record = record_table_at(&profile->calls.durations.records, index);

	durations->method = record->id;
	durations->slow_calls = (uint32_t)record->slow_count;
	durations->calls = record->calls;
	durations->left_out = record->left_out;
	/* Without memory for the first bucket, no call counts. */
	if (record->calls == 0)
		return;
	durations->min_ns = profile_clock_duration(&profile->clock, record->shortest);
	durations->average_ns = profile_clock_duration(&profile->clock, record->sum / record->calls);
	durations->max_ns = profile_clock_duration(&profile->clock, record->longest);
	durations->sum_ns = profile_clock_sum(&profile->clock, record->sum);
	durations->p50_ns = percentile_of(profile, record, 50);
	durations->p90_ns = percentile_of(profile, record, 90);
	durations->p99_ns = percentile_of(profile, record, 99);
}

static const profile_table duration_rows =
	PROFILE_TABLE(mprof_call_durations, mprof_profile_get_duration_count, store_durations);

mprof_status mprof_profile_get_duration(const mprof_profile *profile, size_t index, mprof_call_durations *durations)
{
	return profile_table_get(&duration_rows, profile, index, durations);
}

mprof_status mprof_profile_get_durations(const mprof_profile *profile, size_t first, mprof_call_durations *durations,
					 size_t duration_size, size_t capacity, size_t *count)
{
	return profile_table_get_many(&duration_rows, profile, first, durations, duration_size, capacity, count);
}

mprof_status mprof_profile_get_percentile(const mprof_profile *profile, uint32_t method, double percent,
					  uint64_t *duration_ns)
{
	const duration_record *record;

	if (profile == NULL || duration_ns == NULL || !(percent >= 0 && percent <= 100))
		return MPROF_ERR_ARGUMENT;
	record = record_table_find(&profile->calls.durations.records, method);
	if (record == NULL || record->calls == 0)
		return MPROF_ERR_ARGUMENT;
	*duration_ns = percentile_of(profile, record, percent);
	return MPROF_OK;
}

mprof_status mprof_profile_get_slow_call(const mprof_profile *profile, uint32_t method, size_t index,
					 mprof_slow_call *call)
{
	const duration_record *record;
	mprof_slow_call own;

	if (profile == NULL || call == NULL)
		return MPROF_ERR_ARGUMENT;
	record = record_table_find(&profile->calls.durations.records, method);
	if (record == NULL || index >= record->slow_count)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	own.method = method;
	own.call = record->slow[index].node;
	own.thread = record->slow[index].thread;
	own.duration_ns = profile_clock_duration(&profile->clock, record->slow[index].duration);
	own.start_ns = profile_clock_time(&profile->clock, record->slow[index].start);
	return struct_copy_out(call, &own, sizeof(own));
}
