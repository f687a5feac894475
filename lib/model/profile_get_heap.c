/* SPDX-License-Identifier: MIT */
/* The getters for the heap: objects, their call sites, and their handles. */
#include "model/profile_internal.h"

#include "base/options.h"

#include <string.h>

size_t mprof_profile_get_allocation_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->allocations.count : 0;
}

mprof_status mprof_profile_get_allocation_site(const mprof_profile *profile, size_t index, mprof_allocation_site *site)
{
	const site_record *record;
	mprof_allocation_site own;

	if (site == NULL || index >= mprof_profile_get_allocation_site_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->allocations.records[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->key.class_id;
	own.stack = record->key.stack;
	own.caller = record->key.detail;
	own.call = record->key.call;
	own.flags = (uint32_t)record->key.other;
	own.allocations = record->count;
	own.bytes = record->value;
	return struct_copy_out(site, &own, sizeof(own));
}

size_t mprof_profile_get_heap_shot_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->heap_shots.count : 0;
}

mprof_status mprof_profile_get_heap_shot(const mprof_profile *profile, size_t index, mprof_heap_shot *shot)
{
	const heap_shot_record *record;
	mprof_heap_shot own;

	if (shot == NULL || index >= mprof_profile_get_heap_shot_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->heap_shots.records[index];
	memset(&own, 0, sizeof(own));
	own.number = record->number;
	own.incomplete = record->is_incomplete || !record->is_ended;
	own.time_ns = profile_session_time(profile, record->counter);
	own.objects = record->objects;
	own.bytes = record->bytes;
	own.references = record->references;
	own.freed = record->freed;
	own.freed_bytes = record->freed_bytes;
	own.moved = record->moved;
	for (size_t kind = 0; kind <= MPROF_ROOT_RUNTIME; kind++) {
		own.roots_by_kind[kind] = record->roots[kind];
		own.roots += record->roots[kind];
	}
	own.classes = record->class_count;
	return struct_copy_out(shot, &own, sizeof(own));
}

mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
					       mprof_heap_shot_class *figures)
{
	const heap_class_record *record;
	mprof_heap_shot_class own;

	if (figures == NULL || shot >= mprof_profile_get_heap_shot_count(profile) ||
	    index >= profile->heap_shots.records[shot].class_count)
		return MPROF_ERR_ARGUMENT;
	record = &profile->heap_shots.records[shot].classes[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->class_id;
	own.objects = record->objects;
	own.bytes = record->bytes;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_heap_summary_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->heap_summaries.count : 0;
}

mprof_status mprof_profile_get_heap_summary(const mprof_profile *profile, size_t index, mprof_heap_summary *summary)
{
	const heap_summary_record *record;
	mprof_heap_summary own;

	if (summary == NULL || index >= mprof_profile_get_heap_summary_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->heap_summaries.records[index];
	memset(&own, 0, sizeof(own));
	own.collection = record->collection;
	own.class_id = record->class_id;
	own.time_ns = profile_session_time(profile, record->counter);
	own.live_objects = record->sums.live_objects;
	own.live_bytes = record->sums.live_bytes;
	own.dead_objects = record->sums.dead_objects;
	own.dead_bytes = record->sums.dead_bytes;
	return struct_copy_out(summary, &own, sizeof(own));
}

size_t mprof_profile_get_handle_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->handles.by_class.count : 0;
}

mprof_status mprof_profile_get_handle(const mprof_profile *profile, size_t index, mprof_handle_stats *figures)
{
	const site_record *record;
	mprof_handle_stats own;

	if (figures == NULL || index >= mprof_profile_get_handle_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->handles.by_class.records[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->key.class_id;
	own.type = record->key.detail;
	own.created = record->count;
	own.alive = record->value;
	own.deleted = record->count - record->value;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_handle_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->handles.by_stack.count : 0;
}

mprof_status mprof_profile_get_handle_site(const mprof_profile *profile, size_t index, mprof_handle_site *site)
{
	const site_record *record;
	mprof_handle_site own;

	if (site == NULL || index >= mprof_profile_get_handle_site_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->handles.by_stack.records[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->key.class_id;
	own.type = record->key.detail;
	own.stack = record->key.stack;
	own.created = record->count;
	own.alive = record->value;
	return struct_copy_out(site, &own, sizeof(own));
}
