/* SPDX-License-Identifier: MIT */
/* The getters for pauses and the timeline. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

#include "base/options.h"

#include <string.h>

size_t mprof_profile_get_pause_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->pauses.count : 0;
}

static void store_pause(const mprof_profile *profile, size_t index, void *row)
{
	mprof_pause *pause = row;
	const pause_record *record = &profile->pauses.records[index];
	int64_t length = (int64_t)(record->end - record->start);

	pause->kind = record->kind;
	pause->unfinished = record->is_unfinished;
	pause->start_ns = profile_clock_time(&profile->clock, record->start);
	pause->duration_ns = length > 0 ? profile_clock_duration(&profile->clock, (uint64_t)length) : 0;
	pause->thread = record->thread;
	pause->number = record->number;
	pause->generation = record->generation;
	pause->has_collection = record->has_collection;
	pause->object = record->object;
	pause->holder = record->holder;
	pause->class_id = record->class_id;
	pause->stack = record->stack;
}

static const profile_table pause_rows = PROFILE_TABLE(mprof_pause, mprof_profile_get_pause_count, store_pause);

mprof_status mprof_profile_get_pause(const mprof_profile *profile, size_t index, mprof_pause *pause)
{
	return profile_table_get(&pause_rows, profile, index, pause);
}

mprof_status mprof_profile_get_timeline(const mprof_profile *profile, mprof_timeline *found)
{
	mprof_timeline own;

	if (profile == NULL || found == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	if (profile->timeline.limit != 0 && profile->timeline.has_origin) {
		own.start_ns = profile_clock_time(&profile->clock, profile->timeline.origin);
		own.slice_ns = profile_clock_duration(&profile->clock, profile->timeline.width);
		own.slice_count = profile->pauses.slice_count;
		own.left_out = profile->timeline.left_out;
	}
	return struct_copy_out(found, &own, sizeof(own));
}

mprof_status mprof_profile_get_timeline_slice(const mprof_profile *profile, size_t thread, size_t index,
					      mprof_timeline_slice *slice)
{
	const timeline_row *row;
	mprof_timeline_slice own;

	if (profile == NULL || slice == NULL || thread >= profile->threads.count ||
	    index >= profile->pauses.slice_count)
		return MPROF_ERR_ARGUMENT;
	row = &profile->threads.records[thread].timeline;
	memset(&own, 0, sizeof(own));
	own.start_ns = profile_clock_time(&profile->clock, profile->timeline.origin + index * profile->timeline.width);
	/* A row that was used after the results were shown may have other slices. */
	if (row->slices != NULL && row->width == profile->timeline.width) {
		const timeline_slice *found = &row->slices[index];

		own.existing_ns = profile_clock_duration(&profile->clock, found->existing);
		own.methods_ns = profile_clock_duration(&profile->clock, found->methods + found->open);
		own.waiting_ns = profile_clock_duration(&profile->clock, found->waiting);
		own.stopped_ns = profile_clock_duration(&profile->clock, found->stopped);
		own.cpu_ns = found->cpu_ns;
		own.samples = found->samples;
		own.waiting_samples = found->waiting_samples;
	}
	return struct_copy_out(slice, &own, sizeof(own));
}
