/* SPDX-License-Identifier: MIT */
/* Tables of a profile: calls, samples, classes, allocations, heap snapshots, native memory. */
#include "rows.h"

static const table_column columns_of_totals[] = {
	COLUMN(mprof_profile_totals, wall_ns),
	COLUMN(mprof_profile_totals, method_ns),
	COLUMN(mprof_profile_totals, calls),
	COLUMN(mprof_profile_totals, unmatched_leaves),
	COLUMN(mprof_profile_totals, unclosed_frames),
	COLUMN(mprof_profile_totals, allocations),
	COLUMN(mprof_profile_totals, allocated_bytes),
	COLUMN(mprof_profile_totals, jit_methods),
	COLUMN(mprof_profile_totals, jit_ns),
	COLUMN(mprof_profile_totals, jit_failures),
	COLUMN(mprof_profile_totals, exceptions),
	COLUMN(mprof_profile_totals, collections),
	COLUMN(mprof_profile_totals, gc_ns),
	COLUMN(mprof_profile_totals, samples),
	COLUMN(mprof_profile_totals, lost_events),
	COLUMN(mprof_profile_totals, events),
	ARRAY_COLUMN(mprof_profile_totals, event_counts),
	ARRAY_COLUMN(mprof_profile_totals, block_counts),
	COLUMN(mprof_profile_totals, interrupted_frames),
	COLUMN(mprof_profile_totals, freed_objects),
	COLUMN(mprof_profile_totals, freed_bytes),
	COLUMN(mprof_profile_totals, moved_objects),
	COLUMN(mprof_profile_totals, handles_alive),
	COLUMN(mprof_profile_totals, contentions),
	COLUMN(mprof_profile_totals, contended_ns),
	COLUMN(mprof_profile_totals, unfinished_waits),
	COLUMN(mprof_profile_totals, finalizers),
	COLUMN(mprof_profile_totals, finalizer_ns),
	COLUMN(mprof_profile_totals, finalizations),
	COLUMN(mprof_profile_totals, finalization_ns),
	ARRAY_COLUMN(mprof_profile_totals, lost_by_cause),
	COLUMN(mprof_profile_totals, class_load_failures),
	COLUMN(mprof_profile_totals, limited),
	COLUMN(mprof_profile_totals, folded_calls),
	COLUMN(mprof_profile_totals, folded_samples),
	COLUMN(mprof_profile_totals, folded_sites),
	COLUMN(mprof_profile_totals, left_out),
};

ONE_ROW_OF(totals, mprof_profile_totals, totals)

static const table_column columns_of_methods[] = {
	COLUMN(mprof_method_stats, id),
	COLUMN(mprof_method_stats, calls),
	COLUMN(mprof_method_stats, total_ns),
	COLUMN(mprof_method_stats, self_ns),
	COLUMN(mprof_method_stats, jit_ns),
	COLUMN(mprof_method_stats, samples),
	COLUMN(mprof_method_stats, samples_total),
};

ROWS_OF(methods, mprof_method_stats, method)

static const table_column columns_of_method_codes[] = {
	COLUMN(mprof_method_code, method), COLUMN(mprof_method_code, origin),     COLUMN(mprof_method_code, count),
	COLUMN(mprof_method_code, bytes),  COLUMN(mprof_method_code, compile_ns),
};

ROWS_OF(method_codes, mprof_method_code, method_code)

static const table_column columns_of_calls[] = {
	COLUMN(mprof_call_stats, method),      COLUMN(mprof_call_stats, parent),
	COLUMN(mprof_call_stats, first_child), COLUMN(mprof_call_stats, next_sibling),
	COLUMN(mprof_call_stats, calls),       COLUMN(mprof_call_stats, total_ns),
	COLUMN(mprof_call_stats, self_ns),     COLUMN(mprof_call_stats, allocations),
	COLUMN(mprof_call_stats, bytes),       COLUMN(mprof_call_stats, flags),
};

ROWS_OF(calls, mprof_call_stats, call)

static const table_column columns_of_durations[] = {
	COLUMN(mprof_call_durations, method), COLUMN(mprof_call_durations, slow_calls),
	COLUMN(mprof_call_durations, calls),  COLUMN(mprof_call_durations, left_out),
	COLUMN(mprof_call_durations, min_ns), COLUMN(mprof_call_durations, average_ns),
	COLUMN(mprof_call_durations, max_ns), COLUMN(mprof_call_durations, sum_ns),
	COLUMN(mprof_call_durations, p50_ns), COLUMN(mprof_call_durations, p90_ns),
	COLUMN(mprof_call_durations, p99_ns),
};

ROWS_OF(durations, mprof_call_durations, duration)

static const table_column columns_of_samples[] = {
	COLUMN(mprof_sample_stats, kind),
	COLUMN(mprof_sample_stats, id),
	COLUMN(mprof_sample_stats, self),
	COLUMN(mprof_sample_stats, total),
};

ROWS_OF(samples, mprof_sample_stats, sample)

static const table_column columns_of_sample_nodes[] = {
	COLUMN(mprof_sample_node, kind),         COLUMN(mprof_sample_node, id),
	COLUMN(mprof_sample_node, parent),       COLUMN(mprof_sample_node, first_child),
	COLUMN(mprof_sample_node, next_sibling), COLUMN(mprof_sample_node, wait),
	COLUMN(mprof_sample_node, self),         COLUMN(mprof_sample_node, total),
};

ROWS_OF(sample_nodes, mprof_sample_node, sample_node)

static const table_column columns_of_classes[] = {
	COLUMN(mprof_class_stats, id),
	COLUMN(mprof_class_stats, allocations),
	COLUMN(mprof_class_stats, bytes),
	COLUMN(mprof_class_stats, freed),
	COLUMN(mprof_class_stats, freed_bytes),
	COLUMN(mprof_class_stats, exceptions),
	COLUMN(mprof_class_stats, load_ns),
	COLUMN(mprof_class_stats, samples),
	COLUMN(mprof_class_stats, allocations_error),
	COLUMN(mprof_class_stats, bytes_error),
};

ROWS_OF(classes, mprof_class_stats, class)

static const table_column columns_of_allocation_sites[] = {
	COLUMN(mprof_allocation_site, class_id),
	COLUMN(mprof_allocation_site, stack),
	COLUMN(mprof_allocation_site, caller),
	COLUMN(mprof_allocation_site, flags),
	COLUMN(mprof_allocation_site, allocations),
	COLUMN(mprof_allocation_site, bytes),
	COLUMN(mprof_allocation_site, call),
	COLUMN(mprof_allocation_site, samples),
	COLUMN(mprof_allocation_site, allocations_error),
	COLUMN(mprof_allocation_site, bytes_error),
};

ROWS_OF(allocation_sites, mprof_allocation_site, allocation_site)

static const table_column columns_of_exception_sites[] = {
	COLUMN(mprof_exception_site, class_id),
	COLUMN(mprof_exception_site, stack),
	COLUMN(mprof_exception_site, exceptions),
	COLUMN(mprof_exception_site, call),
};

ROWS_OF(exception_sites, mprof_exception_site, exception_site)

static const table_column columns_of_exception_clauses[] = {
	COLUMN(mprof_exception_clause, method), COLUMN(mprof_exception_clause, class_id),
	COLUMN(mprof_exception_clause, kind),   COLUMN(mprof_exception_clause, number),
	COLUMN(mprof_exception_clause, runs),
};

ROWS_OF(exception_clauses, mprof_exception_clause, exception_clause)

static const table_column columns_of_heap_shots[] = {
	COLUMN(mprof_heap_shot, number),
	COLUMN(mprof_heap_shot, incomplete),
	COLUMN(mprof_heap_shot, time_ns),
	COLUMN(mprof_heap_shot, objects),
	COLUMN(mprof_heap_shot, bytes),
	COLUMN(mprof_heap_shot, references),
	COLUMN(mprof_heap_shot, freed),
	COLUMN(mprof_heap_shot, freed_bytes),
	COLUMN(mprof_heap_shot, moved),
	COLUMN(mprof_heap_shot, roots),
	ARRAY_COLUMN(mprof_heap_shot, roots_by_kind),
	COLUMN(mprof_heap_shot, classes),
};

ROWS_OF(heap_shots, mprof_heap_shot, heap_shot)

static const table_column columns_of_heap_summaries[] = {
	COLUMN(mprof_heap_summary, collection), COLUMN(mprof_heap_summary, class_id),
	COLUMN(mprof_heap_summary, time_ns),    COLUMN(mprof_heap_summary, live_objects),
	COLUMN(mprof_heap_summary, live_bytes), COLUMN(mprof_heap_summary, dead_objects),
	COLUMN(mprof_heap_summary, dead_bytes),
};

ROWS_OF(heap_summaries, mprof_heap_summary, heap_summary)

static const table_column columns_of_handles[] = {
	COLUMN(mprof_handle_stats, class_id), COLUMN(mprof_handle_stats, type),    COLUMN(mprof_handle_stats, created),
	COLUMN(mprof_handle_stats, alive),    COLUMN(mprof_handle_stats, deleted),
};

ROWS_OF(handles, mprof_handle_stats, handle)

static const table_column columns_of_handle_sites[] = {
	COLUMN(mprof_handle_site, class_id), COLUMN(mprof_handle_site, type),  COLUMN(mprof_handle_site, stack),
	COLUMN(mprof_handle_site, created),  COLUMN(mprof_handle_site, alive),
};

ROWS_OF(handle_sites, mprof_handle_site, handle_site)

static const table_column columns_of_finalizers[] = {
	COLUMN(mprof_finalizer_stats, class_id),
	COLUMN(mprof_finalizer_stats, count),
	COLUMN(mprof_finalizer_stats, total_ns),
};

ROWS_OF(finalizers, mprof_finalizer_stats, finalizer)

static const table_column columns_of_ages[] = {
	COLUMN(mprof_age_stats, allocations),
	COLUMN(mprof_age_stats, bytes),
	COLUMN(mprof_age_stats, dead),
	COLUMN(mprof_age_stats, dead_bytes),
	COLUMN(mprof_age_stats, live),
	COLUMN(mprof_age_stats, live_bytes),
	COLUMN(mprof_age_stats, peak_live),
	COLUMN(mprof_age_stats, peak_bytes),
	COLUMN(mprof_age_stats, peak_ns),
	COLUMN(mprof_age_stats, temporaries),
	COLUMN(mprof_age_stats, temporary_bytes),
	COLUMN(mprof_age_stats, ages),
	COLUMN(mprof_age_stats, collections),
	COLUMN(mprof_age_stats, sample_interval),
	COLUMN(mprof_age_stats, without_address),
	COLUMN(mprof_age_stats, untracked),
	COLUMN(mprof_age_stats, folded),
	COLUMN(mprof_age_stats, deaths_read),
	COLUMN(mprof_age_stats, unmatched_deaths),
	COLUMN(mprof_age_stats, missing_deaths),
	COLUMN(mprof_age_stats, unmatched_moves),
	COLUMN(mprof_age_stats, uncertain_moves),
	COLUMN(mprof_age_stats, is_estimate),
};

ONE_ROW_OF(ages, mprof_age_stats, ages)

static const table_column columns_of_age_classes[] = {
	COLUMN(mprof_age_class, class_id),    COLUMN(mprof_age_class, sites),
	COLUMN(mprof_age_class, allocations), COLUMN(mprof_age_class, bytes),
	COLUMN(mprof_age_class, dead),        COLUMN(mprof_age_class, dead_bytes),
	COLUMN(mprof_age_class, live),        COLUMN(mprof_age_class, live_bytes),
	COLUMN(mprof_age_class, peak_live),   COLUMN(mprof_age_class, peak_bytes),
	COLUMN(mprof_age_class, temporaries), COLUMN(mprof_age_class, temporary_bytes),
	COLUMN(mprof_age_class, ages),
};

ROWS_OF(age_classes, mprof_age_class, age_class)

static const table_column columns_of_age_sites[] = {
	COLUMN(mprof_age_site, class_id),
	COLUMN(mprof_age_site, stack),
	COLUMN(mprof_age_site, caller),
	COLUMN(mprof_age_site, flags),
	COLUMN(mprof_age_site, samples),
	COLUMN(mprof_age_site, allocations),
	COLUMN(mprof_age_site, bytes),
	COLUMN(mprof_age_site, dead),
	COLUMN(mprof_age_site, dead_bytes),
	COLUMN(mprof_age_site, live),
	COLUMN(mprof_age_site, live_bytes),
	COLUMN(mprof_age_site, peak_live),
	COLUMN(mprof_age_site, peak_bytes),
	COLUMN(mprof_age_site, temporaries),
	COLUMN(mprof_age_site, temporary_bytes),
	COLUMN(mprof_age_site, ages),
	COLUMN(mprof_age_site, allocations_error),
	COLUMN(mprof_age_site, bytes_error),
	COLUMN(mprof_age_site, live_error),
	COLUMN(mprof_age_site, live_bytes_error),
	COLUMN(mprof_age_site, peak_bytes_error),
	COLUMN(mprof_age_site, temporary_bytes_error),
};

ROWS_OF(age_sites, mprof_age_site, age_site)

static const table_column columns_of_heap_changes[] = {
	COLUMN(mprof_heap_change_entry, kind),
	COLUMN(mprof_heap_change_entry, generation),
	COLUMN(mprof_heap_change_entry, number),
	COLUMN(mprof_heap_change_entry, time_ns),
	COLUMN(mprof_heap_change_entry, objects_before),
	COLUMN(mprof_heap_change_entry, bytes_before),
	COLUMN(mprof_heap_change_entry, collected_objects),
	COLUMN(mprof_heap_change_entry, collected_bytes),
	COLUMN(mprof_heap_change_entry, heap_bytes),
};

ROWS_OF(heap_changes, mprof_heap_change_entry, heap_change)

static const table_column columns_of_memory[] = {
	COLUMN(mprof_memory_stats, allocations),
	COLUMN(mprof_memory_stats, bytes),
	COLUMN(mprof_memory_stats, frees),
	COLUMN(mprof_memory_stats, resizes),
	COLUMN(mprof_memory_stats, live),
	COLUMN(mprof_memory_stats, live_bytes),
	COLUMN(mprof_memory_stats, peak_bytes),
	COLUMN(mprof_memory_stats, peak_live),
	COLUMN(mprof_memory_stats, peak_ns),
	COLUMN(mprof_memory_stats, temporaries),
	COLUMN(mprof_memory_stats, unmatched_frees),
	COLUMN(mprof_memory_stats, missing_frees),
	COLUMN(mprof_memory_stats, late_events),
	COLUMN(mprof_memory_stats, is_estimate),
	COLUMN(mprof_memory_stats, folded_sites),
	COLUMN(mprof_memory_stats, untracked),
};

ONE_ROW_OF(memory, mprof_memory_stats, memory)

static const table_column columns_of_memory_sites[] = {
	COLUMN(mprof_memory_site, stack),       COLUMN(mprof_memory_site, is_folded),
	COLUMN(mprof_memory_site, allocations), COLUMN(mprof_memory_site, bytes),
	COLUMN(mprof_memory_site, frees),       COLUMN(mprof_memory_site, live),
	COLUMN(mprof_memory_site, live_bytes),  COLUMN(mprof_memory_site, peak_live),
	COLUMN(mprof_memory_site, peak_bytes),  COLUMN(mprof_memory_site, temporaries),
	COLUMN(mprof_memory_site, lifetime_ns), COLUMN(mprof_memory_site, shortest_ns),
	COLUMN(mprof_memory_site, longest_ns),
};

ROWS_OF(memory_sites, mprof_memory_site, memory_site)

static const table_column columns_of_memory_sizes[] = {
	COLUMN(mprof_memory_size, smallest),
	COLUMN(mprof_memory_size, largest),
	COLUMN(mprof_memory_size, allocations),
	COLUMN(mprof_memory_size, bytes),
};

ROWS_OF(memory_sizes, mprof_memory_size, memory_size)

static const table_column columns_of_slow_calls[] = {
	COLUMN(mprof_slow_call, method),      COLUMN(mprof_slow_call, call),     EXACT_COLUMN(mprof_slow_call, thread),
	COLUMN(mprof_slow_call, duration_ns), COLUMN(mprof_slow_call, start_ns),
};

static const table_column columns_of_heap_shot_classes[] = {
	COLUMN(mprof_heap_shot_class, class_id),
	COLUMN(mprof_heap_shot_class, objects),
	COLUMN(mprof_heap_shot_class, bytes),
};

static size_t find_slow_call_count(const log_view *view, uint32_t method)
{
	mprof_slow_call call = {.struct_size = sizeof(call)};
	size_t count = 0;

	while (mprof_profile_get_slow_call(view->profile, method, count, &call) == MPROF_OK)
		count++;
	return count;
}

SIZED_ROWS(slow_calls, mprof_slow_call, find_slow_call_count(view, which),
	   mprof_profile_get_slow_call(view->profile, which, index, row))

static size_t find_heap_shot_class_count(const log_view *view, uint32_t shot)
{
	mprof_heap_shot stats = {.struct_size = sizeof(stats)};

	if (mprof_profile_get_heap_shot(view->profile, shot, &stats) != MPROF_OK)
		return 0;
	return (size_t)stats.classes;
}

SIZED_ROWS(heap_shot_classes, mprof_heap_shot_class, find_heap_shot_class_count(view, which),
	   mprof_profile_get_heap_shot_class(view->profile, which, index, row))

static const table tables[] = {
	TABLE(totals),
	TABLE(methods),
	TABLE(method_codes),
	TABLE(calls),
	TABLE(durations),
	TABLE(samples),
	TABLE(sample_nodes),
	TABLE(classes),
	TABLE(allocation_sites),
	TABLE(exception_sites),
	TABLE(exception_clauses),
	TABLE(heap_shots),
	TABLE(heap_summaries),
	TABLE(handles),
	TABLE(handle_sites),
	TABLE(finalizers),
	TABLE(ages),
	TABLE(age_classes),
	TABLE(age_sites),
	TABLE(heap_changes),
	TABLE(memory),
	TABLE(memory_sites),
	TABLE(memory_sizes),
	TABLE(slow_calls),
	TABLE(heap_shot_classes),
};

const table_list profile_tables = {tables, sizeof(tables) / sizeof(tables[0])};
