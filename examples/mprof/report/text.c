/* SPDX-License-Identifier: MIT */
/* Prints a report as text, the most important tables first. */
#include "common/name_cut.h"
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
#include "report/orders.h"
#include "report/parts.h"
#include "report/pauses.h"
#include "report/sample_lines.h"
#include "report/samples.h"
#include "report/thread_times.h"
#include "report/wait_kinds.h"
#include "report/timeline.h"
#include "report/waits.h"
#include "report/window.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>
#include <stdlib.h>

static void print_total(const char *label, const char *value)
{
	printf("  %-24s %14s\n", label, value);
}

static void print_heap_totals(const log_report *report, const mprof_profile_totals *totals)
{
	/* The collector frees and moves the objects of all threads. */
	int is_of_all = report->options.has_thread;
	char text[TEXT_NUMBER_SIZE];

	if (totals->freed_objects > 0) {
		print_total(is_of_all ? "objects freed in all" : "objects freed",
			    text_count(text, totals->freed_objects));
		print_total(is_of_all ? "bytes freed in all" : "bytes freed", text_bytes(text, totals->freed_bytes));
	}
	if (totals->moved_objects > 0)
		print_total(is_of_all ? "objects moved in all" : "objects moved",
			    text_count(text, totals->moved_objects));
	if (totals->event_counts[MPROF_EVENT_HANDLE_CREATED] > 0) {
		print_total("handles created", text_count(text, totals->event_counts[MPROF_EVENT_HANDLE_CREATED]));
		print_total("handles alive", text_count(text, totals->handles_alive));
	}
}

static void print_wait_totals(const mprof_profile_totals *totals)
{
	char text[TEXT_NUMBER_SIZE];

	if (totals->contentions + totals->contended_ns > 0) {
		print_total("waits for monitors", text_count(text, totals->contentions));
		print_total("time waiting for them", text_duration(text, totals->contended_ns));
		if (totals->unfinished_waits > 0)
			print_total("waits that have not ended", text_count(text, totals->unfinished_waits));
	}
	if (totals->finalizers > 0) {
		print_total("objects finalized", text_count(text, totals->finalizers));
		print_total("time finalizing", text_duration(text, totals->finalizer_ns));
	}
}

/* Shows whether wall times are long because threads had to wait for a processor. */
static void print_processor_time(const log_report *report)
{
	char text[TEXT_NUMBER_SIZE];
	uint64_t cpu;
	uint64_t ready;

	report_thread_times_sum(report, &cpu, &ready);
	if (cpu > 0)
		print_total("processor time", text_duration(text, cpu));
	if (ready > 0)
		print_total("waiting for processors", text_duration(text, ready));
}

/* Mono reports that it compiles a method even if it then finds precompiled code; only the sizes of code show which. */
static void print_compilation_totals(const log_report *report)
{
	const mprof_profile_totals *totals = &report->totals;
	uint64_t precompiled = report_code_count(report, MPROF_CODE_PRECOMPILED);
	char text[TEXT_NUMBER_SIZE];

	if (totals->jit_methods == 0)
		return;
	if (precompiled > totals->jit_methods)
		precompiled = 0;
	print_total("methods compiled", text_count(text, totals->jit_methods - precompiled));
	if (precompiled > 0)
		print_total("methods precompiled", text_count(text, precompiled));
	print_total("time compiling", text_duration(text, totals->jit_ns));
}

static void print_allocation_totals(const mprof_profile_totals *totals)
{
	const int is_estimated = totals->allocation_samples > 0;
	char text[TEXT_NUMBER_SIZE];

	if (totals->allocations == 0)
		return;
	print_total("objects allocated", text_count(text, totals->allocations));
	if (is_estimated)
		print_total("  +- (standard error)", text_count(text, totals->allocations_error));
	print_total("bytes allocated", text_bytes(text, totals->allocated_bytes));
	if (is_estimated) {
		print_total("  +- (standard error)", text_bytes(text, totals->bytes_error));
		print_total("  estimated from objects", text_count(text, totals->allocation_samples));
	}
}

static void print_totals(const log_report *report)
{
	const mprof_profile_totals *totals = &report->totals;
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Totals", 0, 0, TABLE_TOTALS);
	print_total("wall time", text_duration(text, totals->wall_ns));
	if (mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS) > 1)
		puts("  (times of threads, such as that in methods, are sums over all threads)");
	print_processor_time(report);
	if (report_has_calls(report)) {
		print_total("time in methods", text_duration(text, totals->method_ns));
		print_total("calls", text_count(text, totals->calls));
	}
	print_allocation_totals(totals);
	if (totals->collections > 0) {
		print_total("collections", text_count(text, totals->collections));
		print_total("time collecting", text_duration(text, totals->gc_ns));
	}
	print_compilation_totals(report);
	if (totals->exceptions > 0)
		print_total("exceptions", text_count(text, totals->exceptions));
	if (totals->samples > 0)
		print_total("samples", text_count(text, totals->samples));
	if (totals->lost_events > 0)
		print_total(report->options.window.is_bounded ? "events lost in all" : "events lost",
			    text_count(text, totals->lost_events));
	if (totals->unmatched_leaves > 0)
		print_total("returns without a call", text_count(text, totals->unmatched_leaves));
	if (totals->unclosed_frames > 0)
		print_total("calls without a return", text_count(text, totals->unclosed_frames));
	if (totals->class_load_failures > 0)
		print_total("class loads that failed", text_count(text, totals->class_load_failures));
	if (totals->interrupted_frames > 0)
		print_total("calls interrupted", text_count(text, totals->interrupted_frames));
	print_heap_totals(report, totals);
	print_wait_totals(totals);
}

static void print_method_row(const log_report *report, const mprof_method_stats *stats)
{
	char self[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];

	printf("  %10s %8s %10s %14s  ", text_duration(self, stats->self_ns),
	       text_percent(percent, stats->self_ns, report->totals.method_ns), text_duration(total, stats->total_ns),
	       text_count(calls, stats->calls));
	report_method(report, stats->id);
}

/* In a window of time a method has run if it was called before the window and has not returned. */
static int has_run(const mprof_method_stats *stats)
{
	return stats->calls > 0 || stats->total_ns > 0;
}

static void print_methods(log_report *report, const char *title, report_order order)
{
	size_t called = 0;
	size_t rows;

	report_sort_methods(report, order);
	for (size_t i = 0; i < report->method_count; i++)
		called += has_run(&report->methods[i]);
	if (called == 0)
		return;
	rows = report_rows(report, called);
	report_title(report, title, rows, called, TABLE_METHODS);
	printf("  %10s %8s %10s %14s  %s\n", "self", "", "total", "calls", "method");
	for (size_t i = 0, shown = 0; i < report->method_count && shown < rows; i++) {
		if (!has_run(&report->methods[i]))
			continue;
		print_method_row(report, &report->methods[i]);
		shown++;
	}
}

/* Columns of the standard errors follow those of estimates. */
static void print_class_heading(int is_estimated)
{
	if (is_estimated)
		printf("  %10s %10s %8s %14s %10s %10s  %s\n", "bytes", "+-", "", "objects", "+-", "mean", "class");
	else
		printf("  %10s %8s %14s %10s  %s\n", "bytes", "", "objects", "mean", "class");
}

static void print_class_figures(const log_report *report, const mprof_class_stats *stats, int is_estimated)
{
	char text[TEXT_NUMBER_SIZE];

	printf("  %10s", text_bytes(text, stats->bytes));
	if (is_estimated)
		printf(" %10s", text_bytes(text, stats->bytes_error));
	printf(" %8s", text_percent(text, stats->bytes, report->totals.allocated_bytes));
	printf(" %14s", text_count(text, stats->allocations));
	if (is_estimated)
		printf(" %10s", text_count(text, stats->allocations_error));
	printf(" %10" PRIu64 "  ", stats->bytes / stats->allocations);
}

static void print_allocations(const log_report *report)
{
	const int is_estimated = report->totals.allocation_samples > 0;
	size_t allocated = 0;
	size_t rows;

	for (size_t i = 0; i < report->class_count; i++)
		allocated += report->classes[i].allocations > 0;
	if (allocated == 0)
		return;
	rows = report_rows(report, allocated);
	report_title(report, "Allocations by class", rows, allocated, TABLE_CLASSES);
	print_class_heading(is_estimated);
	for (size_t i = 0, shown = 0; i < report->class_count && shown < rows; i++) {
		const mprof_class_stats *stats = &report->classes[i];

		if (stats->allocations == 0)
			continue;
		shown++;
		print_class_figures(report, stats, is_estimated);
		report_class(report, stats->id);
	}
}

static int compare_by_jit(const void *left, const void *right)
{
	uint64_t a = ((const mprof_method_stats *)left)->jit_ns;
	uint64_t b = ((const mprof_method_stats *)right)->jit_ns;

	return (a < b) - (a > b);
}

static void print_jit(log_report *report)
{
	size_t compiled = 0;
	size_t rows;
	char text[TEXT_NUMBER_SIZE];

	qsort(report->methods, report->method_count, sizeof(*report->methods), compare_by_jit);
	while (compiled < report->method_count && report->methods[compiled].jit_ns > 0)
		compiled++;
	if (compiled == 0)
		return;
	rows = report_rows(report, compiled);
	report_title(report, "Compilation, with what was compiled for it", rows, compiled, TABLE_COMPILATION);
	for (size_t i = 0; i < rows; i++) {
		printf("  %10s  ", text_duration(text, report->methods[i].jit_ns));
		report_method(report, report->methods[i].id);
	}
	if (report->totals.jit_failures > 0)
		printf("  %s compilations failed\n", text_count(text, report->totals.jit_failures));
}

#define GENERATIONS 4

typedef struct generation {
	uint64_t count;
	uint64_t duration_ns;
	uint64_t longest_ns;
	uint64_t pause_ns;
} generation;

static void print_collections(const log_report *report)
{
	generation generations[GENERATIONS] = {{0, 0, 0, 0}};
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_COLLECTIONS);
	char total[TEXT_NUMBER_SIZE];
	char longest[TEXT_NUMBER_SIZE];
	char pause[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < count; i++) {
		mprof_collection collection;
		generation *of;

		collection.struct_size = sizeof(collection);
		mprof_profile_get_row(report->profile, MPROF_TABLE_COLLECTIONS, i, &collection);
		of = &generations[collection.generation < GENERATIONS ? collection.generation : GENERATIONS - 1];
		of->count++;
		of->duration_ns += collection.duration_ns;
		of->pause_ns += collection.pause_ns;
		if (collection.duration_ns > of->longest_ns)
			of->longest_ns = collection.duration_ns;
	}
	if (count == 0)
		return;
	report_title(report, "Collections", 0, 0, TABLE_COLLECTIONS);
	puts("  total and longest: from start to end; a concurrent collection runs beside the program meanwhile.\n"
	     "  paused: the time in which the world was stopped.");
	printf("  %10s %10s %10s %10s %10s\n", "generation", "count", "total", "longest", "paused");
	for (size_t i = 0; i < GENERATIONS; i++) {
		if (generations[i].count > 0)
			printf("  %10zu %10" PRIu64 " %10s %10s %10s\n", i, generations[i].count,
			       text_duration(total, generations[i].duration_ns),
			       text_duration(longest, generations[i].longest_ns),
			       text_duration(pause, generations[i].pause_ns));
	}
}

static void print_threads(const log_report *report)
{
	size_t count;
	mprof_thread_stats *threads = report_collect_threads(report, &count);
	size_t rows = report_rows(report, count);
	/* Columns of calls and samples are left out if the log has none. */
	int has_calls = report_has_calls(report);
	int has_samples = report->totals.samples > 0;
	thread_columns columns = report_thread_columns(report);
	char text[TEXT_NUMBER_SIZE];

	if (count == 0) {
		free(threads);
		return;
	}
	report_title(report, "Threads", rows, count, TABLE_THREADS);
	printf("  %18s", "thread");
	if (has_calls)
		printf(" %10s", "in methods");
	report_thread_times_title(columns);
	printf(" %14s", "events");
	if (has_samples)
		printf(" %10s", "samples");
	printf(" %10s  %s\n", "lost", "name");
	for (size_t i = 0; i < rows; i++) {
		mprof_thread_stats stats = threads[i];

		printf("  %#18" PRIx64, stats.id);
		if (has_calls)
			printf(" %10s", text_duration(text, stats.self_ns));
		report_thread_times_text(columns, &stats);
		printf(" %14s", text_count(text, stats.events));
		if (has_samples)
			printf(" %10s", text_count(text, stats.samples));
		printf(" %10s  ", text_count(text, stats.lost));
		text_name(stdout, stats.name);
		putchar('\n');
	}
	free(threads);
}

static void print_properties(const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		/* The summary already contains the properties of a ring buffer and of filters. */
		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK ||
		    strcmp(property.key, "ring") == 0 || recording_filters_is_key(property.key))
			continue;
		text_name(stdout, property.key);
		fputs(": ", stdout);
		name_print_text(property.value);
		putchar('\n');
	}
}

/* The file name of the recorded program; NULL if unknown. */
static const char *find_program(const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) == MPROF_OK &&
		    strcmp(property.key, "program") == 0)
			return report_file_name(property.value);
	}
	return NULL;
}

static void print_all_methods(log_report *report)
{
	if (orders_have(report->options.orders, ORDER_METHODS)) {
		print_methods(report, "Methods", REPORT_BY_SELF);
	} else {
		print_methods(report, "Methods by their own time", REPORT_BY_SELF);
		print_methods(report, "Methods by time with what they call", REPORT_BY_TOTAL);
	}
}

/* What the program did in which time. */
static void print_times(log_report *report)
{
	if (report_wants(report, REPORT_SECTION_TOTALS))
		print_totals(report);
	if (report_wants(report, REPORT_SECTION_METHODS))
		print_all_methods(report);
	if (report_wants(report, REPORT_SECTION_DURATIONS))
		report_durations_text(report);
	if (report_wants(report, REPORT_SECTION_SLOW_CALLS))
		report_slow_calls_text(report);
	if (report_wants(report, REPORT_SECTION_PAUSES))
		report_pauses_text(report);
	if (report_wants(report, REPORT_SECTION_TIMELINE))
		report_timeline_text(report);
	if (report_wants(report, REPORT_SECTION_TREE))
		report_call_tree_text(report);
	if (report_wants(report, REPORT_SECTION_FRAMES))
		report_frames_text(report);
	if (report_wants(report, REPORT_SECTION_SAMPLES))
		report_samples_text(report);
	if (report_wants(report, REPORT_SECTION_SAMPLE_LINES))
		report_sample_lines_text(report);
	if (report_wants(report, REPORT_SECTION_SAMPLE_WAITS))
		report_wait_kinds_text(report);
	if (report_wants(report, REPORT_SECTION_SAMPLE_TREE))
		report_sample_tree_text(report);
}

static void print_ages(const log_report *report)
{
	if (!report->options.with_ages)
		return;
	if (report_wants_ages(report))
		report_age_totals_text(report);
	if (report_wants(report, REPORT_SECTION_HISTORY))
		report_heap_history_text(report);
	if (report_wants(report, REPORT_SECTION_TYPES))
		report_types_text(report);
	if (report_wants(report, REPORT_SECTION_BACKTRACES))
		report_backtraces_text(report);
	if (report_wants(report, REPORT_SECTION_TEMPORARIES))
		report_temporaries_text(report);
	if (report_wants(report, REPORT_SECTION_ALIVE))
		report_alive_text(report);
}

static void print_memory(const log_report *report)
{
	if (report_wants(report, REPORT_SECTION_ALLOCATIONS))
		print_allocations(report);
	if (report_wants(report, REPORT_SECTION_ALLOCATION_SITES))
		report_allocation_stacks_text(report);
	print_ages(report);
	if (report_wants(report, REPORT_SECTION_HEAP)) {
		report_heap_shots_text(report);
		report_freed_text(report);
	}
	if (report_wants(report, REPORT_SECTION_HEAP_SUMMARIES))
		report_heap_summaries_text(report);
	if (report_wants(report, REPORT_SECTION_MEMORY))
		report_memory_text(report);
	if (report_wants(report, REPORT_SECTION_HANDLES))
		report_handles_text(report);
	if (report_wants(report, REPORT_SECTION_COLLECTIONS))
		print_collections(report);
}

static void print_runtime(log_report *report)
{
	if (report_wants(report, REPORT_SECTION_LOCKS))
		report_monitors_text(report);
	if (report_wants(report, REPORT_SECTION_FINALIZERS))
		report_finalizers_text(report);
	if (report_wants(report, REPORT_SECTION_EXCEPTIONS))
		report_exceptions_text(report);
	if (report_wants(report, REPORT_SECTION_COMPILATION))
		print_jit(report);
	if (report_wants(report, REPORT_SECTION_CODE))
		report_code_text(report);
	if (report_wants(report, REPORT_SECTION_METRICS))
		report_metrics_text(report);
	if (report_wants(report, REPORT_SECTION_MARKS))
		report_marks_text(report);
	if (report_wants(report, REPORT_SECTION_THREADS))
		print_threads(report);
	if (report_wants(report, REPORT_SECTION_DEBUG_INFORMATION))
		report_debug_information_text(report);
}

void report_print_text(log_report *report)
{
	if (sections_have(&report->options.sections, REPORT_SECTION_SESSION)) {
		summary_print_text(&report->summary, &report->input, stdout);
		print_properties(report);
	} else {
		summary_print_header(&report->summary, &report->input, find_program(report), stdout);
	}
	report_window_text(report);
	print_times(report);
	print_memory(report);
	print_runtime(report);
}
