/* SPDX-License-Identifier: MIT */
/* The getter for the totals. */
#include "model/profile_internal.h"

#include "base/options.h"

static void estimate_allocations(const mprof_profile *profile, mprof_profile_totals *totals)
{
	const allocation_estimate *whole = &profile->estimates.whole;

	totals->allocations = profile_count_allocations(profile);
	totals->allocation_samples = whole->samples;
	totals->allocations_error = allocation_estimate_error(whole->objects_variance);
	totals->bytes_error = allocation_estimate_error(whole->bytes_variance);
}

static void sum_threads(const mprof_profile *profile, mprof_profile_totals *totals)
{
	uint64_t self = 0;

	totals->unclosed_frames = profile->calls.unclosed_frames;
	/* What is open at the end of the log belongs to the window that has the end. */
	if (profile->window_has_end)
		totals->unclosed_frames += thread_table_open_frames(&profile->threads, &profile->calls);
	for (size_t i = 0; i < profile->threads.count; i++)
		self += profile->threads.records[i].self + profile->threads.records[i].extension;
	totals->method_ns = profile_clock_duration(&profile->clock, self);
}

mprof_status mprof_profile_get_window(const mprof_profile *profile, mprof_profile_window *window)
{
	mprof_profile_window own;

	if (profile == NULL || window == NULL)
		return MPROF_ERR_ARGUMENT;
	if (profile->times.is_pending && !profile->times.has_counters)
		return MPROF_ERR_STATE;
	memset(&own, 0, sizeof(own));
	own.start_counter = profile->window.start;
	own.end_counter = profile->window.end;
	own.is_final = !profile->times.is_pending;
	return struct_copy_out(window, &own, sizeof(own));
}

mprof_status mprof_profile_get_totals(const mprof_profile *profile, mprof_profile_totals *totals)
{
	mprof_profile_totals own;

	if (profile == NULL || totals == NULL)
		return MPROF_ERR_ARGUMENT;
	own = profile->totals;
	own.jit_ns = profile_clock_duration(&profile->clock, profile->totals.jit_ns);
	own.calls = own.event_counts[MPROF_EVENT_METHOD_ENTER];
	estimate_allocations(profile, &own);
	own.exceptions = own.event_counts[MPROF_EVENT_EXCEPTION];
	own.collections = own.event_counts[MPROF_EVENT_GC_START];
	own.gc_ns = profile_clock_duration(&profile->clock, profile->collections.time);
	own.unmatched_leaves = profile->calls.unmatched_leaves;
	own.interrupted_frames = profile->calls.interrupted_frames;
	own.freed_objects = profile->heap_snapshots.freed;
	own.freed_bytes = profile->heap_snapshots.freed_bytes;
	own.moved_objects = profile->heap_snapshots.moved;
	own.handles_alive = profile->handles.alive;
	own.contentions = profile->monitors.contentions;
	own.contended_ns = profile_clock_duration(&profile->clock, profile->monitors.contended);
	own.unfinished_waits = profile->monitors.unfinished;
	own.finalizers = profile->finalizers.count;
	own.finalizer_ns = profile_clock_duration(&profile->clock, profile->finalizers.time);
	own.finalizations = profile->finalizers.runs;
	own.finalization_ns = profile_clock_duration(&profile->clock, profile->finalizers.run_time);
	own.folded_calls = profile->calls.folded_calls;
	own.sample_period_ns = profile->weights.unit;
	own.folded_samples =
		profile->samples.tree.nodes[CALL_TREE_ROOT].self + profile->samples.tree.shown[CALL_TREE_ROOT].self;
	own.folded_sites +=
		profile->handles.folded + profile->monitors.folded + profile->memory.state.sums.folded.allocations;
	own.left_out += profile->calls.left_out;
	own.limited = profile->is_limited || own.folded_calls > 0 || own.folded_samples > 0 || own.folded_sites > 0 ||
		      profile->memory.state.sums.untracked > 0 || profile->ages.state.sums.untracked > 0 ||
		      profile->ages.lacks_classes ||
		      profile->ages.state.sums.folded.amounts[AGE_ALLOCATED].objects > 0 ||
		      profile->calls.durations.left_out > 0 || own.left_out > 0;
	sum_threads(profile, &own);
	return struct_copy_out(totals, &own, sizeof(own));
}
