/* SPDX-License-Identifier: MIT */
/* The getters: convert internal statistics to the public structs. */
#include "model/profile_internal.h"

#include "base/options.h"

#include <string.h>

uint64_t profile_nanoseconds(const mprof_profile *profile, uint64_t counters)
{
	double factor = profile->conversion.nanoseconds_per_counter;
	double nanoseconds;

	if (factor == 1)
		return counters;
	nanoseconds = (double)counters * factor + 0.5;
	return nanoseconds < 18446744073709551616.0 ? (uint64_t)nanoseconds : UINT64_MAX;
}

int64_t profile_session_time(const mprof_profile *profile, uint64_t counter)
{
	uint64_t since = counter - profile->conversion.origin;
	uint64_t nanoseconds;

	if ((int64_t)since < 0) {
		nanoseconds = profile_nanoseconds(profile, 0 - since);
		return nanoseconds < (uint64_t)INT64_MAX ? -(int64_t)nanoseconds : INT64_MIN;
	}
	nanoseconds = profile_nanoseconds(profile, since);
	return nanoseconds < (uint64_t)INT64_MAX ? (int64_t)nanoseconds : INT64_MAX;
}

static void sum_threads(const mprof_profile *profile, mprof_profile_totals *totals)
{
	uint64_t self = 0;

	totals->unclosed_frames = profile->calls.unclosed_frames;
	totals->unclosed_frames += thread_table_open_frames(&profile->threads, &profile->calls);
	for (size_t i = 0; i < profile->threads.count; i++)
		self += profile->threads.records[i].self;
	totals->method_ns = profile_nanoseconds(profile, self);
}

mprof_status mprof_profile_get_totals(const mprof_profile *profile, mprof_profile_totals *totals)
{
	mprof_profile_totals own;

	if (profile == NULL || totals == NULL)
		return MPROF_ERR_ARGUMENT;
	own = profile->totals;
	own.jit_ns = profile_nanoseconds(profile, profile->totals.jit_ns);
	own.calls = own.event_counts[MPROF_EVENT_METHOD_ENTER];
	own.allocations = own.event_counts[MPROF_EVENT_ALLOCATION] + own.event_counts[MPROF_EVENT_ALLOCATION_AT_JIT] -
			  own.oversized_allocations;
	own.exceptions = own.event_counts[MPROF_EVENT_EXCEPTION];
	own.collections = own.event_counts[MPROF_EVENT_GC_START];
	own.gc_ns = profile_nanoseconds(profile, profile->collections.time);
	own.unmatched_leaves = profile->calls.unmatched_leaves;
	own.interrupted_frames = profile->calls.interrupted_frames;
	own.freed_objects = profile->heap_shots.freed;
	own.freed_bytes = profile->heap_shots.freed_bytes;
	own.moved_objects = profile->heap_shots.moved;
	own.handles_alive = profile->handles.alive;
	own.contentions = profile->monitors.contentions;
	own.contended_ns = profile_nanoseconds(profile, profile->monitors.contended);
	own.finalizers = profile->finalizers.count;
	own.finalizer_ns = profile_nanoseconds(profile, profile->finalizers.time);
	own.finalizations = profile->finalizers.runs;
	own.finalization_ns = profile_nanoseconds(profile, profile->finalizers.run_time);
	own.folded_calls = profile->calls.folded_calls;
	own.folded_samples =
		profile->samples.tree.nodes[CALL_TREE_ROOT].self + profile->samples.tree.shown[CALL_TREE_ROOT].self;
	own.folded_sites +=
		profile->handles.folded + profile->monitors.folded + profile->memory.sums.folded.allocations;
	own.left_out += profile->calls.left_out;
	own.limited = profile->is_limited || own.folded_calls > 0 || own.folded_samples > 0 || own.folded_sites > 0 ||
		      profile->memory.sums.untracked > 0 || own.left_out > 0;
	sum_threads(profile, &own);
	return struct_copy_out(totals, &own, sizeof(own));
}

size_t mprof_profile_get_method_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->methods.count : 0;
}

mprof_status mprof_profile_get_method(const mprof_profile *profile, size_t index, mprof_method_stats *figures)
{
	const method_record *record;
	mprof_method_stats own;

	if (figures == NULL || index >= mprof_profile_get_method_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = record_table_at(&profile->methods, index);
	memset(&own, 0, sizeof(own));
	own.id = record->id;
	own.calls = record->shown.calls + record->open.calls;
	own.total_ns = profile_nanoseconds(profile, record->shown.total + record->open.total);
	own.self_ns = profile_nanoseconds(profile, record->shown.self + record->open.self);
	own.jit_ns = profile_nanoseconds(profile, record->shown_jit);
	own.samples = record->samples;
	own.samples_total = record->samples_total;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_class_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->classes.count : 0;
}

mprof_status mprof_profile_get_class(const mprof_profile *profile, size_t index, mprof_class_stats *figures)
{
	const class_record *record;
	mprof_class_stats own;

	if (figures == NULL || index >= mprof_profile_get_class_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = record_table_at(&profile->classes, index);
	memset(&own, 0, sizeof(own));
	own.id = record->id;
	own.allocations = record->allocations;
	own.bytes = record->bytes;
	own.freed = record->freed;
	own.freed_bytes = record->freed_bytes;
	own.exceptions = record->exceptions;
	own.load_ns = profile_nanoseconds(profile, record->load);
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_call_count(const mprof_profile *profile)
{
	return profile != NULL && profile->calls.keeps_tree ? profile->calls.tree.count : 0;
}

mprof_status mprof_profile_get_call(const mprof_profile *profile, uint32_t node, mprof_call_stats *figures)
{
	uint64_t folded = node == CALL_TREE_ROOT && profile != NULL ? profile->calls.shown_at_root : 0;
	const shown_call_stats *shown;
	const call_node *own_node;
	mprof_call_stats own;

	if (figures == NULL || node >= mprof_profile_get_call_count(profile))
		return MPROF_ERR_ARGUMENT;
	own_node = &profile->calls.tree.nodes[node];
	shown = &profile->calls.tree.shown[node];
	memset(&own, 0, sizeof(own));
	own.method = own_node->method;
	own.parent = own_node->parent;
	own.first_child = own_node->first_child;
	own.next_sibling = own_node->next_sibling;
	own.calls = shown->calls;
	/* The time of the root is the time in which threads were in no method. */
	own.total_ns = profile_nanoseconds(profile, shown->total + folded);
	own.self_ns = profile_nanoseconds(profile, node != CALL_TREE_ROOT ? shown->self : folded);
	own.allocations = shown->allocations;
	own.bytes = shown->bytes;
	own.flags = own_node->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_collection_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->collections.count : 0;
}

mprof_status mprof_profile_get_collection(const mprof_profile *profile, size_t index, mprof_collection *collection)
{
	const collection_record *record;
	mprof_collection own;

	if (collection == NULL || index >= mprof_profile_get_collection_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->collections.records[index];
	memset(&own, 0, sizeof(own));
	own.number = record->number;
	own.generation = record->generation;
	own.unfinished = !record->is_finished;
	own.start_ns = profile_session_time(profile, record->start);
	own.duration_ns = profile_nanoseconds(profile, record->duration);
	own.mark_ns = profile_nanoseconds(profile, record->mark);
	own.sweep_ns = profile_nanoseconds(profile, record->sweep);
	own.pause_ns = profile_nanoseconds(profile, record->pause);
	own.is_counted = (uint32_t)record->is_counted;
	return struct_copy_out(collection, &own, sizeof(own));
}

size_t mprof_profile_get_heap_resize_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->collections.resize_count : 0;
}

mprof_status mprof_profile_get_heap_resize(const mprof_profile *profile, size_t index, mprof_heap_resize *resize)
{
	const heap_resize_record *record;
	mprof_heap_resize own;

	if (resize == NULL || index >= mprof_profile_get_heap_resize_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->collections.resizes[index];
	memset(&own, 0, sizeof(own));
	own.time_ns = profile_session_time(profile, record->counter);
	own.bytes = record->bytes;
	own.number = record->number;
	return struct_copy_out(resize, &own, sizeof(own));
}

size_t mprof_profile_get_thread_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->threads.count : 0;
}

mprof_status mprof_profile_get_thread(const mprof_profile *profile, size_t index, mprof_thread_stats *figures)
{
	const thread_record *record;
	mprof_thread_stats own;

	if (figures == NULL || index >= mprof_profile_get_thread_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->threads.records[index];
	memset(&own, 0, sizeof(own));
	own.id = record->id;
	own.name = record->name;
	own.events = record->events;
	own.self_ns = profile_nanoseconds(profile, record->self);
	own.lost = record->lost;
	own.samples = record->samples;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_element_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->elements.count : 0;
}

mprof_status mprof_profile_get_element(const mprof_profile *profile, size_t index, mprof_element_stats *figures)
{
	const element_record *record;
	mprof_element_stats own;
	uint64_t load;

	if (figures == NULL || index >= mprof_profile_get_element_count(profile))
		return MPROF_ERR_ARGUMENT;
	record = &profile->elements.records[index];
	load = record->load_end - record->load_start;
	memset(&own, 0, sizeof(own));
	own.kind = record->kind;
	own.id = record->id;
	own.name = record->name;
	own.assembly = record->assembly;
	own.loaded_ns = profile_session_time(profile, record->load_end);
	own.load_ns = (int64_t)load > 0 ? profile_nanoseconds(profile, load) : 0;
	own.unloaded_ns = record->is_unloaded ? profile_session_time(profile, record->unload_end) : 0;
	return struct_copy_out(figures, &own, sizeof(own));
}

size_t mprof_profile_get_property_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->facts.count : 0;
}

mprof_status mprof_profile_get_property(const mprof_profile *profile, size_t index, const char **key,
					const char **value)
{
	if (key == NULL || value == NULL || index >= mprof_profile_get_property_count(profile))
		return MPROF_ERR_ARGUMENT;
	*key = profile->facts.items[index].key;
	*value = profile->facts.items[index].value;
	return MPROF_OK;
}
