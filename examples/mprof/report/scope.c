/* SPDX-License-Identifier: MIT */
/* States which filters a table ignores. */
#include "report/scope.h"

#include "report/filters.h"

#include <stdio.h>

/* Filters that a table ignores. */
enum {
	ALL_METHODS = 1, /* --method */
	ALL_CLASSES = 2, /* --class, --assembly */
	ALL_STACKS = 4,  /* --focus, --ignore */
	ALL_THREADS = 8, /* --thread */
	ALL_LOSSES = 16, /* --time and --last, for lost events. */
	ALL_TIMES = 32,  /* --time and --last */
	ALL_STOPS = 64,  /* All but --time and --last, for stops of the world. */
	ALL_NAMES = ALL_METHODS | ALL_CLASSES
};

typedef struct table_scope {
	const char *key; /* Of the table in the JSON document. */
	report_section section;
	unsigned int ignored;
} table_scope;

static const table_scope scopes[TABLES] = {
	[TABLE_TOTALS] = {"totals", REPORT_SECTION_TOTALS, ALL_NAMES | ALL_STACKS},
	[TABLE_TOTAL_FREED_OBJECTS] = {"totals.freed_objects", REPORT_SECTION_TOTALS, ALL_THREADS},
	[TABLE_TOTAL_FREED_BYTES] = {"totals.freed_bytes", REPORT_SECTION_TOTALS, ALL_THREADS},
	[TABLE_TOTAL_MOVED_OBJECTS] = {"totals.moved_objects", REPORT_SECTION_TOTALS, ALL_THREADS},
	[TABLE_TOTAL_LOST_EVENTS] = {"totals.lost_events", REPORT_SECTION_TOTALS, ALL_LOSSES},
	[TABLE_TOTAL_EVENTS] = {"totals.events", REPORT_SECTION_TOTALS, ALL_THREADS},
	[TABLE_METHODS] = {"methods", REPORT_SECTION_METHODS, 0},
	[TABLE_COMPILATION] = {"methods.jit_ns", REPORT_SECTION_COMPILATION, ALL_STACKS},
	[TABLE_DURATIONS] = {"durations", REPORT_SECTION_DURATIONS, ALL_STACKS},
	[TABLE_SLOW_CALLS] = {"slow_calls", REPORT_SECTION_SLOW_CALLS, ALL_STACKS},
	[TABLE_PAUSES] = {"pauses", REPORT_SECTION_PAUSES, ALL_METHODS | ALL_STOPS},
	[TABLE_PAUSE_SUMMARY] = {"pause_summary", REPORT_SECTION_PAUSES, ALL_METHODS | ALL_STOPS},
	[TABLE_PAUSE_HISTOGRAM] = {"pause_histogram", REPORT_SECTION_PAUSES, ALL_METHODS | ALL_STOPS},
	[TABLE_TIMELINE] = {"timeline", REPORT_SECTION_TIMELINE, ALL_NAMES | ALL_STACKS},
	[TABLE_CALL_TREE] = {"call_tree", REPORT_SECTION_TREE, ALL_NAMES},
	[TABLE_CALLERS] = {"callers", REPORT_SECTION_FRAMES, ALL_NAMES},
	[TABLE_CALLEES] = {"callees", REPORT_SECTION_FRAMES, ALL_NAMES},
	[TABLE_INVERTED_TREES] = {"inverted_trees", REPORT_SECTION_FRAMES, ALL_NAMES},
	[TABLE_SAMPLES] = {"samples", REPORT_SECTION_SAMPLES, 0},
	[TABLE_SAMPLE_LINES] = {"sample_lines", REPORT_SECTION_SAMPLE_LINES, 0},
	[TABLE_SAMPLE_WAITS] = {"sample_waits", REPORT_SECTION_SAMPLE_WAITS, ALL_NAMES | ALL_STACKS},
	[TABLE_SAMPLE_TREE] = {"sample_tree", REPORT_SECTION_SAMPLE_TREE, ALL_NAMES},
	[TABLE_CLASSES] = {"classes", REPORT_SECTION_ALLOCATIONS, ALL_METHODS | ALL_STACKS},
	[TABLE_ALLOCATION_SITES] = {"allocation_stacks", REPORT_SECTION_ALLOCATION_SITES, ALL_METHODS},
	[TABLE_AGE_TOTALS] = {"age_totals", REPORT_SECTION_HISTORY, ALL_NAMES | ALL_STACKS},
	[TABLE_HISTORY] = {"history", REPORT_SECTION_HISTORY, ALL_NAMES | ALL_STACKS | ALL_THREADS},
	[TABLE_TYPES] = {"types", REPORT_SECTION_TYPES, ALL_METHODS | ALL_STACKS},
	[TABLE_BACKTRACES] = {"backtraces", REPORT_SECTION_BACKTRACES, ALL_METHODS},
	[TABLE_TEMPORARIES] = {"temporaries", REPORT_SECTION_TEMPORARIES, ALL_METHODS},
	[TABLE_ALIVE] = {"alive", REPORT_SECTION_ALIVE, ALL_METHODS},
	[TABLE_ALIVE_CLASSES] = {"alive_types", REPORT_SECTION_ALIVE, ALL_METHODS | ALL_STACKS},
	[TABLE_HEAP_SNAPSHOTS] = {"heap_shots", REPORT_SECTION_HEAP, ALL_NAMES | ALL_STACKS | ALL_THREADS},
	[TABLE_HEAP_CLASSES] = {"heap_shots.classes", REPORT_SECTION_HEAP, ALL_METHODS | ALL_STACKS | ALL_THREADS},
	[TABLE_FREED] = {"classes.freed", REPORT_SECTION_HEAP, ALL_METHODS | ALL_STACKS | ALL_THREADS},
	[TABLE_HEAP_SUMMARIES] = {"heap_summaries", REPORT_SECTION_HEAP_SUMMARIES,
				  ALL_METHODS | ALL_STACKS | ALL_THREADS},
	[TABLE_MEMORY] = {"memory", REPORT_SECTION_MEMORY, ALL_NAMES | ALL_STACKS},
	[TABLE_MEMORY_SITES] = {"memory.places", REPORT_SECTION_MEMORY, ALL_NAMES},
	[TABLE_HANDLES] = {"handles", REPORT_SECTION_HANDLES, ALL_METHODS | ALL_STACKS},
	[TABLE_COLLECTIONS] = {"collections", REPORT_SECTION_COLLECTIONS, ALL_NAMES | ALL_STACKS},
	[TABLE_HEAP_RESIZES] = {"heap_resizes", REPORT_SECTION_COLLECTIONS, ALL_NAMES | ALL_STACKS},
	[TABLE_MONITORS] = {"monitors", REPORT_SECTION_LOCKS, ALL_METHODS | ALL_STACKS},
	[TABLE_MONITOR_SITES] = {"monitor_stacks", REPORT_SECTION_LOCKS, ALL_METHODS},
	[TABLE_MONITOR_HOLDERS] = {"monitor_holders", REPORT_SECTION_LOCKS, ALL_METHODS | ALL_STACKS},
	[TABLE_FINALIZERS] = {"finalizers", REPORT_SECTION_FINALIZERS, ALL_METHODS | ALL_STACKS},
	[TABLE_EXCEPTIONS] = {"exceptions", REPORT_SECTION_EXCEPTIONS, ALL_METHODS | ALL_STACKS},
	[TABLE_EXCEPTION_SITES] = {"exception_stacks", REPORT_SECTION_EXCEPTIONS, ALL_METHODS},
	[TABLE_EXCEPTION_CLAUSES] = {"exception_clauses", REPORT_SECTION_EXCEPTIONS, ALL_STACKS},
	[TABLE_CODE_TOTALS] = {"code_totals", REPORT_SECTION_CODE, ALL_STACKS},
	[TABLE_CODE_ASSEMBLIES] = {"code_assemblies", REPORT_SECTION_CODE, ALL_STACKS},
	[TABLE_CODE_METHODS] = {"code_methods", REPORT_SECTION_CODE, ALL_STACKS},
	[TABLE_METRICS] = {"metrics", REPORT_SECTION_METRICS, ALL_NAMES | ALL_STACKS | ALL_THREADS},
	[TABLE_MARKS] = {"marks", REPORT_SECTION_MARKS, ALL_NAMES | ALL_STACKS},
	[TABLE_THREADS] = {"threads", REPORT_SECTION_THREADS, ALL_NAMES | ALL_STACKS | ALL_LOSSES},
	[TABLE_ELEMENTS] = {"elements", REPORT_SECTION_ELEMENTS, ALL_NAMES | ALL_STACKS | ALL_THREADS | ALL_TIMES},
	[TABLE_DEBUG_INFORMATION] = {"debug_information", REPORT_SECTION_DEBUG_INFORMATION, 0},
};

static unsigned int ignored_filters(const log_report *report, report_table table)
{
	unsigned int ignored = scopes[table].ignored;

	return table == TABLE_CLASSES && report->has_filtered_classes ? ignored & ~(unsigned int)ALL_STACKS : ignored;
}

static int filters_stacks(const log_report *report)
{
	return report->options.focus_pattern != NULL || report->options.ignore_pattern != NULL;
}

static const char *print_part(const char *separator, const char *text)
{
	printf("%s%s", separator, text);
	return "; ";
}

const char *report_scope_text(const log_report *report, report_table table, const char *separator)
{
	const report_options *options = &report->options;
	unsigned int ignored = ignored_filters(report, table);

	if ((ignored & ALL_CLASSES) && !report_wants_all(report))
		separator = print_part(separator, "of all methods and classes");
	else if ((ignored & ALL_METHODS) && options->method_pattern != NULL)
		separator = print_part(separator, "of all methods");
	if ((ignored & ALL_STACKS) && filters_stacks(report))
		separator = print_part(separator, "of all call stacks");
	if ((ignored & ALL_THREADS) && options->has_thread)
		separator = print_part(separator, "of all threads");
	if ((ignored & ALL_STOPS) && (options->has_thread || filters_stacks(report) || !report_wants_all(report)))
		separator = print_part(separator, "all stops of the world");
	if ((ignored & ALL_TIMES) && options->window.is_bounded)
		separator = print_part(separator, "of the whole log");
	else if ((ignored & ALL_LOSSES) && options->window.is_bounded && report->totals.lost_events > 0)
		separator = print_part(separator, "lost events of the whole log");
	return separator;
}

/* An option that selects what counts, and the bits of which a table that ignores it has one. */
typedef struct filter_use {
	const char *name;
	int is_used;
	unsigned int bits;
} filter_use;

static void print_table_json(json_writer *json, const char *key, unsigned int ignored, const filter_use *filters,
			     size_t count)
{
	int has_any = 0;

	for (size_t i = 0; i < count; i++)
		has_any |= filters[i].is_used && (ignored & filters[i].bits);
	if (!has_any)
		return;
	json_begin_object(json, NULL);
	json_string(json, "table", key);
	json_begin_array(json, "filters");
	for (size_t i = 0; i < count; i++) {
		if (filters[i].is_used && (ignored & filters[i].bits))
			json_string(json, NULL, filters[i].name);
	}
	json_end_array(json);
	json_end_object(json);
}

void report_scope_json(const log_report *report, json_writer *json)
{
	const report_options *options = &report->options;
	const int has_losses = report->totals.lost_events > 0;
	const filter_use filters[] = {
		{"method", options->method_pattern != NULL, ALL_METHODS | ALL_STOPS},
		{"class", options->class_pattern != NULL, ALL_CLASSES | ALL_STOPS},
		{"assembly", options->assembly_pattern != NULL, ALL_CLASSES | ALL_STOPS},
		{"focus", options->focus_pattern != NULL, ALL_STACKS | ALL_STOPS},
		{"ignore", options->ignore_pattern != NULL, ALL_STACKS | ALL_STOPS},
		{"thread", options->has_thread, ALL_THREADS | ALL_STOPS},
		{"window", options->window.is_bounded, has_losses ? ALL_TIMES | ALL_LOSSES : ALL_TIMES},
	};

	json_begin_array(json, "ignored");
	for (size_t i = 0; i < TABLES; i++) {
		if (report_wants(report, scopes[i].section))
			print_table_json(json, scopes[i].key, ignored_filters(report, (report_table)i), filters,
					 sizeof(filters) / sizeof(filters[0]));
	}
	json_end_array(json);
}
