/* SPDX-License-Identifier: MIT */
/* Gets what is no table of a profile: the window, and what belongs to a row of a table. */
#include "model/profile_internal.h"

#include "base/options.h"

#include <string.h>

mprof_status mprof_profile_get_percentile(const mprof_profile *profile, uint32_t method, double percent,
					  uint64_t *duration_ns)
{
	const duration_record *record;

	if (profile == NULL || duration_ns == NULL || !(percent >= 0 && percent <= 100))
		return MPROF_ERR_ARGUMENT;
	record = record_table_find(&profile->calls.durations.records, method);
	if (record == NULL || record->calls == 0)
		return MPROF_ERR_ARGUMENT;
	*duration_ns = profile_clock_duration(&profile->clock, call_durations_percentile(record, percent));
	return MPROF_OK;
}

mprof_status mprof_profile_get_slow_call(const mprof_profile *profile, uint32_t method, size_t index,
					 mprof_slow_call *call)
{
	const duration_record *record;
	mprof_slow_call result;

	if (profile == NULL || call == NULL)
		return MPROF_ERR_ARGUMENT;
	record = record_table_find(&profile->calls.durations.records, method);
	if (record == NULL || index >= record->slow_count)
		return MPROF_ERR_ARGUMENT;
	memset(&result, 0, sizeof(result));
	result.method = method;
	result.call = record->slow[index].node;
	result.thread = record->slow[index].thread;
	result.duration_ns = profile_clock_duration(&profile->clock, record->slow[index].duration);
	result.start_ns = profile_clock_time(&profile->clock, record->slow[index].start);
	return struct_copy_out(call, &result, sizeof(result));
}

mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
					       mprof_heap_shot_class *stats)
{
	const heap_class_record *record;
	mprof_heap_shot_class result;

	if (stats == NULL || shot >= mprof_profile_get_row_count(profile, MPROF_TABLE_HEAP_SHOTS) ||
	    index >= profile->heap_snapshots.records[shot].class_count)
		return MPROF_ERR_ARGUMENT;
	record = &profile->heap_snapshots.records[shot].classes[index];
	memset(&result, 0, sizeof(result));
	result.class_id = record->class_id;
	result.objects = record->objects;
	result.bytes = record->bytes;
	return struct_copy_out(stats, &result, sizeof(result));
}

mprof_status mprof_profile_get_age_site_frames(const mprof_profile *profile, size_t index, mprof_stack_frame *frames,
					       size_t frame_size, size_t capacity, size_t *count)
{
	uint32_t stack;

	if (profile == NULL || count == NULL || (frames == NULL && capacity > 0) ||
	    frame_size < sizeof(mprof_stack_frame) ||
	    index >= mprof_profile_get_row_count(profile, MPROF_TABLE_AGE_SITES))
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	for (stack = profile->ages.keys.records[index].key.stack; stack != 0; ++*count) {
		mprof_stack_frame frame;

		stack = folded_stacks_frame(&profile->ages.stacks, stack, &frame);
		if (*count < capacity)
			memcpy((unsigned char *)frames + *count * frame_size, &frame, sizeof(frame));
	}
	return MPROF_OK;
}

mprof_status mprof_profile_lookup_origin(const mprof_profile *profile, uint64_t address, mprof_object_origin *origin)
{
	const live_object *object;
	mprof_object_origin result = {0};

	if (profile == NULL || origin == NULL)
		return MPROF_ERR_ARGUMENT;
	object = live_objects_find(&profile->ages.state.objects, address);
	if (object == NULL)
		return MPROF_ERR_ARGUMENT;
	result.identity = object->identity;
	result.bytes = object->size;
	result.site = object->site < profile->ages.state.site_count ? object->site : MPROF_ORIGIN_NO_SITE;
	result.age = profile->ages.state.sums.epoch - object->epoch;
	return struct_copy_out(origin, &result, sizeof(result));
}

int mprof_profile_has_snapshot(const mprof_profile *profile)
{
	return profile != NULL && profile->ages.has_ended;
}

mprof_status mprof_profile_get_timeline_slice(const mprof_profile *profile, size_t thread, size_t index,
					      mprof_timeline_slice *slice)
{
	const timeline_row *row;
	mprof_timeline_slice result;

	if (profile == NULL || slice == NULL || thread >= profile->threads.count ||
	    index >= profile->pauses.slice_count)
		return MPROF_ERR_ARGUMENT;
	row = &profile->threads.records[thread].timeline;
	memset(&result, 0, sizeof(result));
	result.start_ns =
		profile_clock_time(&profile->clock, profile->timeline.origin + index * profile->timeline.width);
	/* A row that was used after the results were shown may have other slices. */
	if (row->slices != NULL && row->width == profile->timeline.width) {
		const timeline_slice *found = &row->slices[index];

		result.existing_ns = profile_clock_duration(&profile->clock, found->existing);
		result.methods_ns = profile_clock_duration(&profile->clock, found->methods + found->open);
		result.waiting_ns = profile_clock_duration(&profile->clock, found->waiting);
		result.stopped_ns = profile_clock_duration(&profile->clock, found->stopped);
		result.cpu_ns = found->cpu_ns;
		result.samples = found->samples;
		result.waiting_samples = found->waiting_samples;
	}
	return struct_copy_out(slice, &result, sizeof(result));
}

mprof_status mprof_profile_get_window(const mprof_profile *profile, mprof_profile_window *window)
{
	mprof_profile_window result;

	if (profile == NULL || window == NULL)
		return MPROF_ERR_ARGUMENT;
	if (profile->times.is_pending && !profile->times.has_counters)
		return MPROF_ERR_STATE;
	memset(&result, 0, sizeof(result));
	result.start_counter = profile->window.start;
	result.end_counter = profile->window.end;
	result.is_final = !profile->times.is_pending;
	return struct_copy_out(window, &result, sizeof(result));
}
