/* SPDX-License-Identifier: MIT */
/* Prints a report as one JSON document. */
#include "common/csv.h"
#include "shared/kinds.h"
#include "report/ages.h"
#include "report/allocations.h"
#include "report/call_tree.h"
#include "report/durations.h"
#include "report/exceptions.h"
#include "report/frames.h"
#include "report/handles.h"
#include "report/heap.h"
#include "report/heap_history.h"
#include "report/memory.h"
#include "report/metrics.h"
#include "report/native_code.h"
#include "report/parts.h"
#include "report/pauses.h"
#include "report/sample_lines.h"
#include "report/samples.h"
#include "report/scope.h"
#include "report/thread_times.h"
#include "report/wait_kinds.h"
#include "report/timeline.h"
#include "report/waits.h"
#include "report/window.h"

#include <stdlib.h>

static void print_session(const log_report *report, json_writer *json)
{
	json_begin_object(json, "session");
	summary_print_json(&report->summary, &report->input, json);
	json_begin_object(json, "properties");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) == MPROF_OK)
			json_string(json, property.key, property.value);
	}
	json_end_object(json);
	json_end_object(json);
}

static void print_totals(const log_report *report, json_writer *json)
{
	const mprof_profile_totals *totals = &report->totals;

	json_begin_object(json, "totals");
	json_unsigned(json, "wall_ns", totals->wall_ns);
	json_unsigned(json, "method_ns", totals->method_ns);
	json_unsigned(json, "calls", totals->calls);
	json_unsigned(json, "unmatched_leaves", totals->unmatched_leaves);
	json_unsigned(json, "unclosed_frames", totals->unclosed_frames);
	json_unsigned(json, "allocations", totals->allocations);
	json_unsigned(json, "allocated_bytes", totals->allocated_bytes);
	json_unsigned(json, "allocation_samples", totals->allocation_samples);
	json_unsigned(json, "allocations_error", totals->allocations_error);
	json_unsigned(json, "allocated_bytes_error", totals->bytes_error);
	json_unsigned(json, "class_load_failures", totals->class_load_failures);
	json_unsigned(json, "jit_methods", totals->jit_methods);
	json_unsigned(json, "jit_ns", totals->jit_ns);
	json_unsigned(json, "jit_failures", totals->jit_failures);
	json_unsigned(json, "exceptions", totals->exceptions);
	json_unsigned(json, "collections", totals->collections);
	json_unsigned(json, "gc_ns", totals->gc_ns);
	json_unsigned(json, "samples", totals->samples);
	json_unsigned(json, "interrupted_frames", totals->interrupted_frames);
	json_unsigned(json, "freed_objects", totals->freed_objects);
	json_unsigned(json, "freed_bytes", totals->freed_bytes);
	json_unsigned(json, "moved_objects", totals->moved_objects);
	json_unsigned(json, "handles_alive", totals->handles_alive);
	json_unsigned(json, "contentions", totals->contentions);
	json_unsigned(json, "contended_ns", totals->contended_ns);
	json_unsigned(json, "unfinished_waits", totals->unfinished_waits);
	json_unsigned(json, "finalizers", totals->finalizers);
	json_unsigned(json, "finalizer_ns", totals->finalizer_ns);
	json_unsigned(json, "finalizations", totals->finalizations);
	json_unsigned(json, "finalization_ns", totals->finalization_ns);
	json_unsigned(json, "lost_events", totals->lost_events);
	json_unsigned(json, "events", totals->events);
	json_end_object(json);
}

static void print_methods(const log_report *report, json_writer *json)
{
	json_begin_array(json, "methods");
	for (size_t i = 0; i < report_rows(report, report->method_count); i++) {
		const mprof_method_stats *stats = &report->methods[i];
		method_name name;

		names_method(report->input.reader, stats->id, &name);
		if (names_is_collapsed(report->input.names, stats->id))
			name.name = names_full_method(report->input.names, stats->id);
		json_begin_object(json, NULL);
		json_unsigned(json, "id", names_is_collapsed(report->input.names, stats->id) ? 0 : stats->id);
		json_string(json, "class", name.class_name);
		json_string(json, "name", name.name);
		report_json_figures(json, MPROF_TABLE_METHODS, stats, NULL, NULL);
		json_unsigned(json, "class_id", name.class_id);
		json_string(json, "assembly", assembly_names_get(&report->assemblies, name.assembly_id));
		json_boolean(json, "wrapper", (name.flags & MPROF_METHOD_FLAG_WRAPPER) != 0);
		report_json_position(json, name.file, name.line);
		if (name.name != name.symbol && !names_is_collapsed(report->input.names, stats->id))
			json_string(json, "symbol", name.symbol);
		else
			json_null(json, "symbol");
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_classes(const log_report *report, json_writer *json)
{
	json_begin_array(json, "classes");
	for (size_t i = 0; i < report_rows(report, report->class_count); i++) {
		const mprof_class_stats *stats = &report->classes[i];
		class_name name;

		names_class(report->input.reader, stats->id, &name);
		json_begin_object(json, NULL);
		json_unsigned(json, "id", stats->id);
		json_string(json, "name", name.name);
		json_string(json, "assembly", assembly_names_get(&report->assemblies, name.assembly_id));
		json_unsigned(json, "allocations", stats->allocations);
		json_unsigned(json, "bytes", stats->bytes);
		if (stats->samples != 0) {
			json_unsigned(json, "samples", stats->samples);
			json_unsigned(json, "allocations_error", stats->allocations_error);
			json_unsigned(json, "bytes_error", stats->bytes_error);
		}
		json_unsigned(json, "freed", stats->freed);
		json_unsigned(json, "freed_bytes", stats->freed_bytes);
		json_unsigned(json, "load_ns", stats->load_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_collections(const log_report *report, json_writer *json)
{
	json_begin_array(json, "collections");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_COLLECTIONS); i++) {
		mprof_collection collection;

		collection.struct_size = sizeof(collection);
		mprof_profile_get_row(report->profile, MPROF_TABLE_COLLECTIONS, i, &collection);
		json_begin_object(json, NULL);
		json_unsigned(json, "number", collection.number);
		json_unsigned(json, "generation", collection.generation);
		report_json_figures(json, MPROF_TABLE_COLLECTIONS, &collection, NULL, NULL);
		json_boolean(json, "finished", !collection.unfinished);
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_heap_resizes(const log_report *report, json_writer *json)
{
	json_begin_array(json, "heap_resizes");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_RESIZES); i++) {
		mprof_heap_resize resize;

		resize.struct_size = sizeof(resize);
		mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_RESIZES, i, &resize);
		json_begin_object(json, NULL);
		json_signed(json, "time_ns", resize.time_ns);
		json_unsigned(json, "bytes", resize.bytes);
		if (resize.number != 0)
			json_unsigned(json, "number", resize.number);
		else
			json_null(json, "number");
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_threads(const log_report *report, json_writer *json)
{
	size_t count;
	mprof_thread_stats *threads = report_collect_threads(report, &count);
	thread_columns columns = report_thread_columns(report);

	json_begin_array(json, "threads");
	for (size_t i = 0; i < count; i++) {
		mprof_thread_stats stats = threads[i];

		json_begin_object(json, NULL);
		json_hexadecimal(json, "id", stats.id);
		json_string(json, "name", stats.name);
		json_unsigned(json, "events", stats.events);
		json_unsigned(json, "self_ns", stats.self_ns);
		report_thread_times_json(columns, json, &stats);
		json_unsigned(json, "samples", stats.samples);
		json_unsigned(json, "lost_events", stats.lost);
		json_end_object(json);
	}
	json_end_array(json);
	free(threads);
}

static void print_elements(const log_report *report, json_writer *json)
{
	json_begin_array(json, "elements");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_ELEMENTS); i++) {
		mprof_element_stats element;

		element.struct_size = sizeof(element);
		mprof_profile_get_row(report->profile, MPROF_TABLE_ELEMENTS, i, &element);
		json_begin_object(json, NULL);
		json_string(json, "type", kind_of_element(element.kind));
		json_unsigned(json, "id", element.id);
		json_string(json, "name", element.name);
		json_string(json, "assembly", element.assembly);
		json_signed(json, "loaded_ns", element.loaded_ns);
		json_unsigned(json, "load_ns", element.load_ns);
		if (element.unloaded_ns != 0)
			json_signed(json, "unloaded_ns", element.unloaded_ns);
		else
			json_null(json, "unloaded_ns");
		json_boolean(json, "failed", (element.kind & MPROF_ELEMENT_FLAG_FAILURE) != 0);
		json_end_object(json);
	}
	json_end_array(json);
}

/* Prints the filters; null for those not given. */
static void print_filters(const log_report *report, json_writer *json)
{
	const report_options *options = &report->options;

	json_begin_object(json, "filters");
	json_string(json, "method", options->method_pattern);
	json_string(json, "class", options->class_pattern);
	json_string(json, "assembly", options->assembly_pattern);
	json_string(json, "focus", options->focus_pattern);
	json_string(json, "ignore", options->ignore_pattern);
	json_string(json, "hide", options->hide_pattern);
	json_string(json, "collapse", options->collapse_pattern);
	if (options->has_thread)
		json_hexadecimal(json, "thread", options->thread);
	else
		json_null(json, "thread");
	report_window_json(report, json);
	report_scope_json(report, json);
	json_end_object(json);
}

static void print_left_out(const log_report *report, json_writer *json)
{
	json_begin_object(json, "left_out");
	json_unsigned(json, "allocation_stacks", report->left_out.allocation_stacks);
	json_unsigned(json, "monitor_stacks", report->left_out.monitor_stacks);
	json_unsigned(json, "exception_stacks", report->left_out.exception_stacks);
	json_unsigned(json, "exception_clauses", report->left_out.exception_clauses);
	json_unsigned(json, "code_methods", report->left_out.code_methods);
	json_unsigned(json, "handle_stacks", report->left_out.handle_stacks);
	json_unsigned(json, "heap_shot_classes", report->left_out.heap_shot_classes);
	json_unsigned(json, "heap_summaries", report->left_out.heap_summaries);
	json_unsigned(json, "age_sites", report->left_out.age_sites);
	json_unsigned(json, "memory_places", report->left_out.memory_places);
	json_unsigned(json, "memory_sizes", report->left_out.memory_sizes);
	json_end_object(json);
}

static void print_times(log_report *report, json_writer *json)
{
	if (report_wants(report, REPORT_SECTION_TOTALS))
		print_totals(report, json);
	if (report_wants(report, REPORT_SECTION_METHODS) || report_wants(report, REPORT_SECTION_COMPILATION))
		print_methods(report, json);
	if (report_wants(report, REPORT_SECTION_DURATIONS))
		report_durations_json(report, json);
	if (report_wants(report, REPORT_SECTION_SLOW_CALLS))
		report_slow_calls_json(report, json);
	if (report_wants(report, REPORT_SECTION_PAUSES))
		report_pauses_json(report, json);
	if (report_wants(report, REPORT_SECTION_TIMELINE))
		report_timeline_json(report, json);
	if (report_wants(report, REPORT_SECTION_TREE))
		report_call_tree_json(report, json);
	if (report_wants(report, REPORT_SECTION_FRAMES))
		report_frames_json(report, json);
	if (report_wants(report, REPORT_SECTION_SAMPLES))
		report_samples_json(report, json);
	if (report_wants(report, REPORT_SECTION_SAMPLE_LINES))
		report_sample_lines_json(report, json);
	if (report_wants(report, REPORT_SECTION_SAMPLE_WAITS))
		report_wait_kinds_json(report, json);
	if (report_wants(report, REPORT_SECTION_SAMPLE_TREE))
		report_sample_tree_json(report, json);
}

static void print_ages(log_report *report, json_writer *json)
{
	if (report_wants_ages(report))
		report_age_totals_json(report, json);
	if (report_wants(report, REPORT_SECTION_HISTORY))
		report_heap_history_json(report, json);
	if (report_wants(report, REPORT_SECTION_TYPES))
		report_types_json(report, json);
	if (report_wants(report, REPORT_SECTION_BACKTRACES))
		report_backtraces_json(report, json);
	if (report_wants(report, REPORT_SECTION_TEMPORARIES))
		report_temporaries_json(report, json);
	if (report_wants(report, REPORT_SECTION_ALIVE))
		report_alive_json(report, json);
}

static void print_memory(log_report *report, json_writer *json)
{
	if (report_wants(report, REPORT_SECTION_ALLOCATIONS))
		print_classes(report, json);
	if (report_wants(report, REPORT_SECTION_ALLOCATION_SITES))
		report_allocation_stacks_json(report, json);
	print_ages(report, json);
	if (report_wants(report, REPORT_SECTION_HEAP))
		report_heap_shots_json(report, json);
	if (report_wants(report, REPORT_SECTION_HEAP_SUMMARIES))
		report_heap_summaries_json(report, json);
	if (report_wants(report, REPORT_SECTION_MEMORY))
		report_memory_json(report, json);
	if (report_wants(report, REPORT_SECTION_HANDLES))
		report_handles_json(report, json);
	if (report_wants(report, REPORT_SECTION_COLLECTIONS)) {
		print_collections(report, json);
		print_heap_resizes(report, json);
	}
}

static void print_runtime(log_report *report, json_writer *json)
{
	if (report_wants(report, REPORT_SECTION_LOCKS))
		report_monitors_json(report, json);
	if (report_wants(report, REPORT_SECTION_FINALIZERS))
		report_finalizers_json(report, json);
	if (report_wants(report, REPORT_SECTION_EXCEPTIONS))
		report_exceptions_json(report, json);
	if (report_wants(report, REPORT_SECTION_CODE))
		report_code_json(report, json);
	if (report_wants(report, REPORT_SECTION_METRICS))
		report_metrics_json(report, json);
	if (report_wants(report, REPORT_SECTION_MARKS))
		report_marks_json(report, json);
	if (report_wants(report, REPORT_SECTION_THREADS))
		print_threads(report, json);
	if (report_wants(report, REPORT_SECTION_ELEMENTS))
		print_elements(report, json);
	if (report_wants(report, REPORT_SECTION_DEBUG_INFORMATION))
		report_debug_information_json(report, json);
}

/* Each document has the session, which contains losses and damage, and what was left out. */
static void print_document(log_report *report, json_writer *json)
{
	json_begin_document(json);
	print_session(report, json);
	print_times(report, json);
	print_memory(report, json);
	print_runtime(report, json);
	print_filters(report, json);
	print_left_out(report, json);
	json_end_object(json);
}

void report_print_json(log_report *report)
{
	json_writer json;

	json_init(&json, stdout, 0);
	print_document(report, &json);
}

int report_print_csv(log_report *report)
{
	csv_writer *csv = csv_create(report->options.sections.table);
	json_writer json;

	if (csv == NULL)
		return 0;
	csv_init_json(csv, &json);
	print_document(report, &json);
	return csv_destroy(csv);
}
