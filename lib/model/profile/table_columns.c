/* SPDX-License-Identifier: MIT */
/*
 * Describes the tables of a profile: their names and columns. Everything that shows, converts or exports any table uses
 * this description. The values of the columns come from profile_rows.c.
 */
#include <mprof/profile.h>

#include "base/table.h"

#define ROW mprof_profile_totals
static const mprof_table_column totals_columns[] = {
	COLUMN(wall_ns, NANOSECONDS),
	COLUMN(method_ns, NANOSECONDS),
	COLUMN(calls, COUNT),
	COLUMN(unmatched_leaves, COUNT),
	COLUMN(unclosed_frames, COUNT),
	COLUMN(allocations, COUNT),
	COLUMN(allocated_bytes, BYTES),
	COLUMN(jit_methods, COUNT),
	COLUMN(jit_ns, NANOSECONDS),
	COLUMN(jit_failures, COUNT),
	COLUMN(exceptions, COUNT),
	COLUMN(collections, COUNT),
	COLUMN(gc_ns, NANOSECONDS),
	COLUMN(samples, COUNT),
	COLUMN(lost_events, COUNT),
	COLUMN(events, COUNT),
	ARRAY_COLUMN(event_counts, COUNT),
	ARRAY_COLUMN(block_counts, COUNT),
	COLUMN(interrupted_frames, COUNT),
	COLUMN(freed_objects, COUNT),
	COLUMN(freed_bytes, BYTES),
	COLUMN(moved_objects, COUNT),
	COLUMN(handles_alive, COUNT),
	COLUMN(contentions, COUNT),
	COLUMN(contended_ns, NANOSECONDS),
	COLUMN(finalizers, COUNT),
	COLUMN(finalizer_ns, NANOSECONDS),
	COLUMN(finalizations, COUNT),
	COLUMN(finalization_ns, NANOSECONDS),
	ARRAY_COLUMN(lost_by_cause, COUNT),
	COLUMN(class_load_failures, COUNT),
	COLUMN(limited, BOOLEAN),
	COLUMN(folded_calls, COUNT),
	COLUMN(folded_samples, COUNT),
	COLUMN(folded_sites, COUNT),
	COLUMN(left_out, COUNT),
	COLUMN(sample_period_ns, NANOSECONDS),
	COLUMN(unfinished_waits, COUNT),
	COLUMN(allocation_samples, COUNT),
	COLUMN(allocations_error, COUNT),
	COLUMN(bytes_error, BYTES),
	COLUMN(left_out_spans, COUNT),
};
#undef ROW

#define ROW mprof_method_stats
static const mprof_table_column methods_columns[] = {
	COLUMN(id, METHOD),
	MEASURE(calls, COUNT, COUNT),
	MEASURE(total_ns, NANOSECONDS, TOTAL),
	MEASURE(self_ns, NANOSECONDS, SELF),
	COLUMN(jit_ns, NANOSECONDS),
	COLUMN(samples, COUNT),
	COLUMN(samples_total, COUNT),
};
#undef ROW

#define ROW mprof_method_code
static const mprof_table_column method_codes_columns[] = {
	COLUMN(method, METHOD),          COLUMN(origin, KIND), COLUMN(count, COUNT), COLUMN(bytes, BYTES),
	COLUMN(compile_ns, NANOSECONDS),
};
#undef ROW

#define ROW mprof_call_stats
static const mprof_table_column calls_columns[] = {
	COLUMN(method, METHOD),
	COLUMN(parent, ROW),
	COLUMN(first_child, ROW),
	COLUMN(next_sibling, ROW),
	MEASURE(calls, COUNT, COUNT),
	MEASURE(total_ns, NANOSECONDS, TOTAL),
	MEASURE(self_ns, NANOSECONDS, SELF),
	COLUMN(allocations, COUNT),
	COLUMN(bytes, BYTES),
	COLUMN(flags, BITS),
};
#undef ROW

#define ROW mprof_call_durations
static const mprof_table_column durations_columns[] = {
	COLUMN(method, METHOD),      COLUMN(slow_calls, COUNT),   COLUMN(calls, COUNT),
	COLUMN(left_out, COUNT),     COLUMN(min_ns, NANOSECONDS), COLUMN(average_ns, NANOSECONDS),
	COLUMN(max_ns, NANOSECONDS), COLUMN(sum_ns, NANOSECONDS), COLUMN(p50_ns, NANOSECONDS),
	COLUMN(p90_ns, NANOSECONDS), COLUMN(p99_ns, NANOSECONDS),
};
#undef ROW

#define ROW mprof_sample_stats
static const mprof_table_column samples_columns[] = {
	COLUMN(kind, KIND),
	COLUMN(id, NUMBER),
	MEASURE(self, COUNT, SELF),
	MEASURE(total, COUNT, TOTAL),
};
#undef ROW

#define ROW mprof_sample_node
static const mprof_table_column sample_nodes_columns[] = {
	COLUMN(kind, KIND),        COLUMN(id, NUMBER), COLUMN(parent, ROW),        COLUMN(first_child, ROW),
	COLUMN(next_sibling, ROW), COLUMN(wait, KIND), MEASURE(self, COUNT, SELF), MEASURE(total, COUNT, TOTAL),
};
#undef ROW

#define ROW mprof_class_stats
static const mprof_table_column classes_columns[] = {
	COLUMN(id, CLASS),
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(freed, COUNT),
	COLUMN(freed_bytes, BYTES),
	MEASURE(exceptions, COUNT, FURTHER),
	COLUMN(load_ns, NANOSECONDS),
	MEASURE(samples, COUNT, SAMPLED),
	COLUMN(allocations_error, COUNT),
	COLUMN(bytes_error, BYTES),
	COLUMN(exception_texts, COUNT),
	COLUMN(exception_text_ns, TIME),
	COLUMN(exception_text, TEXT),
};
#undef ROW

#define ROW mprof_allocation_site
static const mprof_table_column allocation_sites_columns[] = {
	COLUMN(class_id, CLASS),
	COLUMN(stack, STACK),
	COLUMN(caller, METHOD),
	COLUMN(flags, BITS),
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(call, CALL),
	MEASURE(samples, COUNT, SAMPLED),
	COLUMN(allocations_error, COUNT),
	COLUMN(bytes_error, BYTES),
};
#undef ROW

#define ROW mprof_exception_site
static const mprof_table_column exception_sites_columns[] = {
	COLUMN(class_id, CLASS), COLUMN(stack, STACK), MEASURE(exceptions, COUNT, COUNT),
	COLUMN(call, CALL),      COLUMN(texts, COUNT), COLUMN(text_ns, TIME),
	COLUMN(text, TEXT),
};
#undef ROW

#define ROW mprof_exception_clause
static const mprof_table_column exception_clauses_columns[] = {
	COLUMN(method, METHOD), COLUMN(class_id, CLASS), COLUMN(kind, KIND),
	COLUMN(number, NUMBER), COLUMN(runs, COUNT),
};
#undef ROW

#define ROW mprof_heap_shot
static const mprof_table_column heap_shots_columns[] = {
	COLUMN(number, NUMBER),
	COLUMN(incomplete, BOOLEAN),
	COLUMN(time_ns, TIME),
	COLUMN(objects, COUNT),
	COLUMN(bytes, BYTES),
	COLUMN(references, COUNT),
	COLUMN(freed, COUNT),
	COLUMN(freed_bytes, BYTES),
	COLUMN(moved, COUNT),
	COLUMN(roots, COUNT),
	ARRAY_COLUMN(roots_by_kind, COUNT),
	COLUMN(classes, COUNT),
	COLUMN(synthetic_objects, COUNT),
	COLUMN(process, NUMBER),
};
#undef ROW

#define ROW mprof_heap_summary
static const mprof_table_column heap_summaries_columns[] = {
	COLUMN(collection, NUMBER), COLUMN(class_id, CLASS),     COLUMN(time_ns, TIME),     COLUMN(live_objects, COUNT),
	COLUMN(live_bytes, BYTES),  COLUMN(dead_objects, COUNT), COLUMN(dead_bytes, BYTES),
};
#undef ROW

#define ROW mprof_handle_stats
static const mprof_table_column handles_columns[] = {
	COLUMN(class_id, CLASS),     COLUMN(type, KIND),     MEASURE(created, COUNT, COUNT),
	MEASURE(alive, COUNT, SELF), COLUMN(deleted, COUNT),
};
#undef ROW

#define ROW mprof_handle_site
static const mprof_table_column handle_sites_columns[] = {
	COLUMN(class_id, CLASS),        COLUMN(type, KIND),          COLUMN(stack, STACK),
	MEASURE(created, COUNT, COUNT), MEASURE(alive, COUNT, SELF),
};
#undef ROW

#define ROW mprof_finalizer_stats
static const mprof_table_column finalizers_columns[] = {
	COLUMN(class_id, CLASS),
	MEASURE(count, COUNT, COUNT),
	MEASURE(total_ns, NANOSECONDS, SELF),
};
#undef ROW

#define ROW mprof_age_stats
static const mprof_table_column ages_columns[] = {
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(dead, COUNT),
	COLUMN(dead_bytes, BYTES),
	MEASURE(live, COUNT, LIVE_COUNT),
	MEASURE(live_bytes, BYTES, LIVE),
	MEASURE(peak_live, COUNT, PEAK_COUNT),
	MEASURE(peak_bytes, BYTES, PEAK),
	COLUMN(peak_ns, TIME),
	MEASURE(temporaries, COUNT, TEMPORARY_COUNT),
	MEASURE(temporary_bytes, BYTES, TEMPORARY),
	COLUMN(ages, COUNT),
	COLUMN(collections, COUNT),
	COLUMN(sample_interval, BYTES),
	COLUMN(without_address, COUNT),
	COLUMN(untracked, COUNT),
	COLUMN(folded, COUNT),
	COLUMN(deaths_read, COUNT),
	COLUMN(unmatched_deaths, COUNT),
	COLUMN(missing_deaths, COUNT),
	COLUMN(unmatched_moves, COUNT),
	COLUMN(is_estimate, BOOLEAN),
	COLUMN(uncertain_moves, COUNT),
};
#undef ROW

#define ROW mprof_age_class
static const mprof_table_column age_classes_columns[] = {
	COLUMN(class_id, CLASS),
	COLUMN(sites, COUNT),
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(dead, COUNT),
	COLUMN(dead_bytes, BYTES),
	MEASURE(live, COUNT, LIVE_COUNT),
	MEASURE(live_bytes, BYTES, LIVE),
	MEASURE(peak_live, COUNT, PEAK_COUNT),
	MEASURE(peak_bytes, BYTES, PEAK),
	MEASURE(temporaries, COUNT, TEMPORARY_COUNT),
	MEASURE(temporary_bytes, BYTES, TEMPORARY),
	COLUMN(ages, COUNT),
};
#undef ROW

#define ROW mprof_age_site
static const mprof_table_column age_sites_columns[] = {
	COLUMN(class_id, CLASS),
	COLUMN(stack, STACK),
	COLUMN(caller, METHOD),
	COLUMN(flags, BITS),
	MEASURE(samples, COUNT, SAMPLED),
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(dead, COUNT),
	COLUMN(dead_bytes, BYTES),
	MEASURE(live, COUNT, LIVE_COUNT),
	MEASURE(live_bytes, BYTES, LIVE),
	MEASURE(peak_live, COUNT, PEAK_COUNT),
	MEASURE(peak_bytes, BYTES, PEAK),
	MEASURE(temporaries, COUNT, TEMPORARY_COUNT),
	MEASURE(temporary_bytes, BYTES, TEMPORARY),
	COLUMN(ages, COUNT),
	COLUMN(allocations_error, COUNT),
	COLUMN(bytes_error, BYTES),
	COLUMN(live_error, COUNT),
	COLUMN(live_bytes_error, BYTES),
	COLUMN(peak_bytes_error, BYTES),
	COLUMN(temporary_bytes_error, BYTES),
};
#undef ROW

#define ROW mprof_heap_change_entry
static const mprof_table_column heap_changes_columns[] = {
	COLUMN(kind, KIND),
	COLUMN(generation, NUMBER),
	COLUMN(number, NUMBER),
	COLUMN(time_ns, TIME),
	COLUMN(objects_before, COUNT),
	COLUMN(bytes_before, BYTES),
	COLUMN(collected_objects, COUNT),
	COLUMN(collected_bytes, BYTES),
	COLUMN(heap_bytes, BYTES),
};
#undef ROW

#define ROW mprof_traced_address
static const mprof_table_column traced_addresses_columns[] = {
	COLUMN(address, ADDRESS),
	COLUMN(time_ns, TIME),
	COLUMN(age, COUNT),
};
#undef ROW

#define ROW mprof_memory_stats
static const mprof_table_column memory_columns[] = {
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(frees, COUNT),
	COLUMN(resizes, COUNT),
	MEASURE(live, COUNT, LIVE_COUNT),
	MEASURE(live_bytes, BYTES, LIVE),
	MEASURE(peak_bytes, BYTES, PEAK),
	MEASURE(peak_live, COUNT, PEAK_COUNT),
	COLUMN(peak_ns, TIME),
	MEASURE(temporaries, COUNT, TEMPORARY_COUNT),
	COLUMN(unmatched_frees, COUNT),
	COLUMN(missing_frees, COUNT),
	COLUMN(late_events, COUNT),
	COLUMN(is_estimate, BOOLEAN),
	COLUMN(is_peak_estimate, BOOLEAN),
	COLUMN(folded_sites, COUNT),
	COLUMN(untracked, COUNT),
	COLUMN(unreachable, COUNT),
	COLUMN(unreachable_bytes, BYTES),
	COLUMN(indirect, COUNT),
	COLUMN(indirect_bytes, BYTES),
	COLUMN(interior, COUNT),
	COLUMN(interior_bytes, BYTES),
	COLUMN(unsearched, COUNT),
	COLUMN(unsearched_bytes, BYTES),
	COLUMN(is_searched, BOOLEAN),
};
#undef ROW

#define ROW mprof_memory_site
static const mprof_table_column memory_sites_columns[] = {
	COLUMN(stack, STACK),
	COLUMN(is_folded, BOOLEAN),
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
	COLUMN(frees, COUNT),
	MEASURE(live, COUNT, LIVE_COUNT),
	MEASURE(live_bytes, BYTES, LIVE),
	MEASURE(peak_live, COUNT, PEAK_COUNT),
	MEASURE(peak_bytes, BYTES, PEAK),
	MEASURE(temporaries, COUNT, TEMPORARY_COUNT),
	COLUMN(lifetime_ns, NANOSECONDS),
	COLUMN(shortest_ns, NANOSECONDS),
	COLUMN(longest_ns, NANOSECONDS),
	COLUMN(unreachable, COUNT),
	COLUMN(unreachable_bytes, BYTES),
	COLUMN(indirect, COUNT),
	COLUMN(indirect_bytes, BYTES),
	COLUMN(interior, COUNT),
	COLUMN(interior_bytes, BYTES),
	COLUMN(unsearched, COUNT),
	COLUMN(unsearched_bytes, BYTES),
	COLUMN(is_searched, BOOLEAN),
};
#undef ROW

#define ROW mprof_memory_block
static const mprof_table_column memory_blocks_columns[] = {
	COLUMN(address, ADDRESS), COLUMN(size, BYTES),  COLUMN(process, NUMBER),
	COLUMN(time_ns, TIME),    COLUMN(stack, STACK), COLUMN(reachability, KIND),
};
#undef ROW

#define ROW mprof_memory_size
static const mprof_table_column memory_sizes_columns[] = {
	COLUMN(smallest, BYTES),
	COLUMN(largest, BYTES),
	MEASURE(allocations, COUNT, COUNT),
	MEASURE(bytes, BYTES, SELF),
};
#undef ROW

#define ROW mprof_thread_stats
static const mprof_table_column threads_columns[] = {
	COLUMN(id, THREAD),
	COLUMN(name, TEXT),
	MEASURE(events, COUNT, COUNT),
	MEASURE(self_ns, NANOSECONDS, SELF),
	COLUMN(lost, COUNT),
	MEASURE(samples, COUNT, FURTHER),
	COLUMN(wall_ns, NANOSECONDS),
	COLUMN(cpu_ns, NANOSECONDS),
	COLUMN(ready_ns, NANOSECONDS),
	COLUMN(voluntary_switches, COUNT),
	COLUMN(involuntary_switches, COUNT),
	COLUMN(process, NUMBER),
	COLUMN(kind, KIND),
	COLUMN(names, COUNT),
	COLUMN(former_name, TEXT),
};
#undef ROW

#define ROW mprof_monitor_stats
static const mprof_table_column monitors_columns[] = {
	COLUMN(class_id, CLASS),           MEASURE(contentions, COUNT, COUNT),       COLUMN(acquired, COUNT),
	MEASURE(failures, COUNT, FURTHER), MEASURE(contended_ns, NANOSECONDS, SELF), COLUMN(unfinished, COUNT),
};
#undef ROW

#define ROW mprof_monitor_site
static const mprof_table_column monitor_sites_columns[] = {
	COLUMN(class_id, CLASS),
	COLUMN(stack, STACK),
	MEASURE(contentions, COUNT, COUNT),
	MEASURE(contended_ns, NANOSECONDS, SELF),
	MEASURE(failures, COUNT, FURTHER),
	COLUMN(object, ADDRESS),
	COLUMN(call, CALL),
	COLUMN(unfinished, COUNT),
};
#undef ROW

#define ROW mprof_monitor_holder
static const mprof_table_column monitor_holders_columns[] = {
	COLUMN(class_id, CLASS),
	COLUMN(thread, THREAD),
	MEASURE(contentions, COUNT, COUNT),
	MEASURE(contended_ns, NANOSECONDS, SELF),
	COLUMN(unfinished, COUNT),
};
#undef ROW

#define ROW mprof_collection
static const mprof_table_column collections_columns[] = {
	COLUMN(number, NUMBER),
	COLUMN(generation, NUMBER),
	COLUMN(unfinished, BOOLEAN),
	COLUMN(start_ns, TIME),
	COLUMN(duration_ns, NANOSECONDS),
	COLUMN(mark_ns, NANOSECONDS),
	COLUMN(sweep_ns, NANOSECONDS),
	COLUMN(pause_ns, NANOSECONDS),
	COLUMN(is_counted, BOOLEAN),
	COLUMN(has_pause, BOOLEAN),
	COLUMN(name, TEXT),
	COLUMN(cause, TEXT),
	COLUMN(pinned_objects, COUNT),
	COLUMN(pinned_bytes, BYTES),
};
#undef ROW

#define ROW mprof_heap_resize
static const mprof_table_column heap_resizes_columns[] = {
	COLUMN(time_ns, TIME),
	COLUMN(bytes, BYTES),
	COLUMN(number, NUMBER),
};
#undef ROW

#define ROW mprof_element_stats
static const mprof_table_column elements_columns[] = {
	COLUMN(kind, BITS),      COLUMN(id, NUMBER),           COLUMN(name, TEXT),        COLUMN(assembly, TEXT),
	COLUMN(loaded_ns, TIME), COLUMN(load_ns, NANOSECONDS), COLUMN(unloaded_ns, TIME),
};
#undef ROW

#define ROW mprof_metric_stats
static const mprof_table_column metrics_columns[] = {
	COLUMN(id, NUMBER),     COLUMN(flags, BITS),   COLUMN(section, TEXT),  COLUMN(name, TEXT),
	COLUMN(count, COUNT),   COLUMN(first, VALUE),  COLUMN(last, VALUE),    COLUMN(minimum, VALUE),
	COLUMN(maximum, VALUE), COLUMN(last_ns, TIME), COLUMN(thread, THREAD), COLUMN(unit, TEXT),
};
#undef ROW

#define ROW mprof_mark
static const mprof_table_column marks_columns[] = {
	COLUMN(time_ns, TIME),
	COLUMN(thread, THREAD),
	COLUMN(text, TEXT),
};
#undef ROW

#define ROW mprof_profile_property
static const mprof_table_column properties_columns[] = {
	COLUMN(key, TEXT),
	COLUMN(value, TEXT),
};
#undef ROW

#define ROW mprof_pause
static const mprof_table_column pauses_columns[] = {
	COLUMN(kind, KIND),         COLUMN(unfinished, BOOLEAN),
	COLUMN(start_ns, TIME),     COLUMN(duration_ns, NANOSECONDS),
	COLUMN(thread, THREAD),     COLUMN(number, NUMBER),
	COLUMN(generation, NUMBER), COLUMN(has_collection, BOOLEAN),
	COLUMN(object, ADDRESS),    COLUMN(holder, THREAD),
	COLUMN(class_id, CLASS),    COLUMN(stack, STACK),
};
#undef ROW

#define ROW mprof_timeline
static const mprof_table_column timeline_columns[] = {
	COLUMN(start_ns, TIME),
	COLUMN(slice_ns, NANOSECONDS),
	COLUMN(slice_count, COUNT),
	COLUMN(left_out, COUNT),
};
#undef ROW

#define ROW mprof_event_type_stats
static const mprof_table_column event_types_columns[] = {
	COLUMN(type, NUMBER),
	COLUMN(form, KIND),
	COLUMN(name, TEXT),
	COLUMN(category, TEXT),
	MEASURE(count, COUNT, COUNT),
	COLUMN(unmatched, COUNT),
	COLUMN(errors, COUNT),
	COLUMN(unfinished, COUNT),
	COLUMN(spans, COUNT),
	COLUMN(without_self, COUNT),
	MEASURE(total_ns, NANOSECONDS, TOTAL),
	MEASURE(self_ns, NANOSECONDS, SELF),
	COLUMN(min_ns, NANOSECONDS),
	COLUMN(p50_ns, NANOSECONDS),
	COLUMN(p90_ns, NANOSECONDS),
	COLUMN(p99_ns, NANOSECONDS),
	COLUMN(max_ns, NANOSECONDS),
};
#undef ROW

#define ROW mprof_span
static const mprof_table_column spans_columns[] = {
	COLUMN(type, NUMBER),        COLUMN(form, KIND),
	COLUMN(name, TEXT),          COLUMN(category, TEXT),
	COLUMN(thread, THREAD),      COLUMN(stack_number, NUMBER),
	COLUMN(start_ns, TIME),      COLUMN(duration_ns, NANOSECONDS),
	COLUMN(unfinished, BOOLEAN),
};
#undef ROW

#define ROW mprof_process_stats
static const mprof_table_column processes_columns[] = {
	COLUMN(number, NUMBER),   COLUMN(system_id, NUMBER),   COLUMN(parent, NUMBER),     COLUMN(name, TEXT),
	COLUMN(command, TEXT),    COLUMN(threads, COUNT),      COLUMN(has_start, BOOLEAN), COLUMN(start_ns, TIME),
	COLUMN(has_end, BOOLEAN), COLUMN(end_ns, TIME),        COLUMN(events, COUNT),      COLUMN(samples, COUNT),
	COLUMN(lost, COUNT),      COLUMN(cpu_ns, NANOSECONDS),
};
#undef ROW

#define ROW mprof_timeline_stats
static const mprof_table_column timelines_columns[] = {
	COLUMN(thread, THREAD),    COLUMN(name, TEXT),    COLUMN(process, NUMBER), COLUMN(system_thread, NUMBER),
	COLUMN(parent, THREAD),    COLUMN(kind, KIND),    COLUMN(clock, NUMBER),   COLUMN(rank, NUMBER),
	COLUMN(is_ended, BOOLEAN), COLUMN(events, COUNT),
};
#undef ROW

#define ROW mprof_clock_stats
static const mprof_table_column clocks_columns[] = {
	COLUMN(id, NUMBER),
	COLUMN(kind, KIND),
	COLUMN(name, TEXT),
	COLUMN(stated_millihertz, NUMBER),
	COLUMN(measured_millihertz, NUMBER),
	COLUMN(drift_ppb, NUMBER),
	COLUMN(pairs, COUNT),
	COLUMN(backward, COUNT),
	COLUMN(residual_ns, NANOSECONDS),
	COLUMN(uncertainty_ns, NANOSECONDS),
	COLUMN(has_drift, BOOLEAN),
	COLUMN(has_residual, BOOLEAN),
};
#undef ROW

#define ROW mprof_line_stats
static const mprof_table_column lines_columns[] = {
	COLUMN(kind, KIND),
	COLUMN(id, NUMBER),
	COLUMN(line, NUMBER),
	COLUMN(file, TEXT),
	MEASURE(samples, COUNT, SELF),
	MEASURE(samples_total, COUNT, TOTAL),
	COLUMN(allocations, COUNT),
	COLUMN(bytes, BYTES),
};
#undef ROW

#define ROW mprof_sample_kind_stats
static const mprof_table_column sample_kinds_columns[] = {
	COLUMN(type, NUMBER),          COLUMN(unit, KIND),           COLUMN(name, TEXT),     COLUMN(unit_name, TEXT),
	COLUMN(source, TEXT),          COLUMN(period, NUMBER),       COLUMN(samples, COUNT), COLUMN(weight, COUNT),
	COLUMN(without_weight, COUNT), COLUMN(without_stack, COUNT),
};
#undef ROW

#define ROW mprof_sample_group
static const mprof_table_column sample_groups_columns[] = {
	COLUMN(type, NUMBER), COLUMN(cpu, NUMBER),    COLUMN(thread, THREAD),
	COLUMN(mode, KIND),   COLUMN(samples, COUNT), COLUMN(weight, COUNT),
};
#undef ROW

#define ROW mprof_histogram_stats
static const mprof_table_column histograms_columns[] = {
	COLUMN(id, NUMBER),       COLUMN(flags, BITS),    COLUMN(section, TEXT),    COLUMN(name, TEXT),
	COLUMN(unit, TEXT),       COLUMN(thread, THREAD), COLUMN(count, COUNT),     COLUMN(buckets, COUNT),
	COLUMN(min_above, VALUE), COLUMN(min, VALUE),     COLUMN(p50_above, VALUE), COLUMN(p50, VALUE),
	COLUMN(p90_above, VALUE), COLUMN(p90, VALUE),     COLUMN(p99_above, VALUE), COLUMN(p99, VALUE),
	COLUMN(max_above, VALUE), COLUMN(max, VALUE),     COLUMN(last_ns, TIME),
};
#undef ROW

#define ROW mprof_code_range_stats
static const mprof_table_column code_ranges_columns[] = {
	COLUMN(id, NUMBER),   COLUMN(kind, KIND),       COLUMN(method, METHOD), COLUMN(has_end, BOOLEAN),
	COLUMN(name, TEXT),   COLUMN(address, ADDRESS), COLUMN(size, BYTES),    COLUMN(start_ns, TIME),
	COLUMN(end_ns, TIME), COLUMN(process, NUMBER),
};
#undef ROW

#define ROW mprof_message_stats
static const mprof_table_column messages_columns[] = {
	COLUMN(severity, KIND), COLUMN(is_rest, BOOLEAN), COLUMN(source, TEXT),   COLUMN(count, COUNT),
	COLUMN(first_ns, TIME), COLUMN(last_ns, TIME),    COLUMN(thread, THREAD), COLUMN(text, TEXT),
};
#undef ROW

#define ROW mprof_wait_stats
static const mprof_table_column waits_columns[] = {
	COLUMN(kind, TEXT),          COLUMN(name, TEXT),
	COLUMN(stack, STACK),        COLUMN(call, CALL),
	COLUMN(is_rest, BOOLEAN),    MEASURE(count, COUNT, COUNT),
	COLUMN(unfinished, COUNT),   MEASURE(total_ns, NANOSECONDS, SELF),
	COLUMN(min_ns, NANOSECONDS), COLUMN(p50_ns, NANOSECONDS),
	COLUMN(p90_ns, NANOSECONDS), COLUMN(p99_ns, NANOSECONDS),
	COLUMN(max_ns, NANOSECONDS),
};
#undef ROW

#define ROW mprof_gc_generation
static const mprof_table_column gc_generations_columns[] = {
	COLUMN(collection, NUMBER), COLUMN(name, TEXT),
	COLUMN(before, BYTES),      COLUMN(after, BYTES),
	COLUMN(capacity, BYTES),    COLUMN(has_before, BOOLEAN),
	COLUMN(has_after, BOOLEAN), COLUMN(has_capacity, BOOLEAN),
};
#undef ROW

#define ROW mprof_thread_state_stats
static const mprof_table_column thread_states_columns[] = {
	COLUMN(thread, THREAD),       COLUMN(state, TEXT),
	MEASURE(count, COUNT, COUNT), MEASURE(total_ns, NANOSECONDS, SELF),
	COLUMN(priority, NUMBER),     COLUMN(has_priority, BOOLEAN),
	COLUMN(is_rest, BOOLEAN),
};
#undef ROW

#define TABLE(number, name, row) [MPROF_TABLE_##number - 1] = TABLE_OF(name, row)

static const table_description tables[] = {
	TABLE(METHODS, methods, mprof_method_stats),
	TABLE(SAMPLES, samples, mprof_sample_stats),
	TABLE(CLASSES, classes, mprof_class_stats),
	TABLE(THREADS, threads, mprof_thread_stats),
	TABLE(MONITORS, monitors, mprof_monitor_stats),
	TABLE(ALLOCATION_SITES, allocation_sites, mprof_allocation_site),
	TABLE(MONITOR_SITES, monitor_sites, mprof_monitor_site),
	TABLE(TOTALS, totals, mprof_profile_totals),
	TABLE(CALLS, calls, mprof_call_stats),
	TABLE(METHOD_CODES, method_codes, mprof_method_code),
	TABLE(DURATIONS, durations, mprof_call_durations),
	TABLE(SAMPLE_NODES, sample_nodes, mprof_sample_node),
	TABLE(EXCEPTION_SITES, exception_sites, mprof_exception_site),
	TABLE(EXCEPTION_CLAUSES, exception_clauses, mprof_exception_clause),
	TABLE(HEAP_SHOTS, heap_shots, mprof_heap_shot),
	TABLE(HEAP_SUMMARIES, heap_summaries, mprof_heap_summary),
	TABLE(HANDLES, handles, mprof_handle_stats),
	TABLE(HANDLE_SITES, handle_sites, mprof_handle_site),
	TABLE(FINALIZERS, finalizers, mprof_finalizer_stats),
	TABLE(AGES, ages, mprof_age_stats),
	TABLE(AGE_CLASSES, age_classes, mprof_age_class),
	TABLE(AGE_SITES, age_sites, mprof_age_site),
	TABLE(HEAP_CHANGES, heap_changes, mprof_heap_change_entry),
	TABLE(TRACED_ADDRESSES, traced_addresses, mprof_traced_address),
	TABLE(MEMORY, memory, mprof_memory_stats),
	TABLE(MEMORY_SITES, memory_sites, mprof_memory_site),
	TABLE(MEMORY_SIZES, memory_sizes, mprof_memory_size),
	TABLE(COLLECTIONS, collections, mprof_collection),
	TABLE(HEAP_RESIZES, heap_resizes, mprof_heap_resize),
	TABLE(MONITOR_HOLDERS, monitor_holders, mprof_monitor_holder),
	TABLE(METRICS, metrics, mprof_metric_stats),
	TABLE(MARKS, marks, mprof_mark),
	TABLE(PROPERTIES, properties, mprof_profile_property),
	TABLE(ELEMENTS, elements, mprof_element_stats),
	TABLE(PAUSES, pauses, mprof_pause),
	TABLE(TIMELINE, timeline, mprof_timeline),
	TABLE(EVENT_TYPES, event_types, mprof_event_type_stats),
	TABLE(SPANS, spans, mprof_span),
	TABLE(PROCESSES, processes, mprof_process_stats),
	TABLE(TIMELINES, timelines, mprof_timeline_stats),
	TABLE(CLOCKS, clocks, mprof_clock_stats),
	TABLE(LINES, lines, mprof_line_stats),
	TABLE(SAMPLE_KINDS, sample_kinds, mprof_sample_kind_stats),
	TABLE(SAMPLE_GROUPS, sample_groups, mprof_sample_group),
	TABLE(HISTOGRAMS, histograms, mprof_histogram_stats),
	TABLE(MESSAGES, messages, mprof_message_stats),
	TABLE(WAITS, waits, mprof_wait_stats),
	TABLE(CODE_RANGES, code_ranges, mprof_code_range_stats),
	TABLE(GC_GENERATIONS, gc_generations, mprof_gc_generation),
	TABLE(THREAD_STATES, thread_states, mprof_thread_state_stats),
	TABLE(MEMORY_BLOCKS, memory_blocks, mprof_memory_block),
};

static const table_list list = {tables, sizeof(tables) / sizeof(tables[0]), 1};

const mprof_table_info *mprof_table_get_info(uint32_t table)
{
	return table_list_info(&list, table);
}

const mprof_table_column *mprof_table_get_column(uint32_t table, size_t column)
{
	return table_list_column(&list, table, column);
}

const mprof_table_column *mprof_table_get_measure(uint32_t table, uint32_t measure)
{
	const mprof_table_column *column = NULL;

	for (size_t i = 0; measure != MPROF_MEASURE_NONE; i++) {
		column = mprof_table_get_column(table, i);
		if (column == NULL || column->measure == measure)
			break;
	}
	return column;
}
