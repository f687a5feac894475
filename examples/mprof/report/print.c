/* SPDX-License-Identifier: MIT */
/* Prints a report as text, as one JSON document and as CSV: all loops over the list of its parts. */
#include "common/csv.h"
#include "common/name_cut.h"
#include "report/contents.h"
#include "report/filters.h"
#include "report/findings.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/sections.h"
#include "report/tables.h"

#include <string.h>

/*
 * The session.
 */

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
	const char *program = report_property(report, "program");

	return program != NULL ? report_file_name(program) : NULL;
}

/* Prints the time window on a line; nothing if the report covers the whole log. */
static void print_window(const log_report *report)
{
	const time_window *window = &report->options.window;
	char start[TEXT_NUMBER_SIZE];
	char end[TEXT_NUMBER_SIZE];

	if (!window->is_bounded)
		return;
	printf("%-12s from %s to %s, of %s\n", "window:", text_duration(start, (uint64_t)window->start_ns),
	       window->end_ns != TIME_WINDOW_OPEN ? text_duration(end, (uint64_t)window->end_ns) : "the end",
	       report->input.name);
}

static void write_session(const log_report *report, json_writer *json)
{
	json_begin_object(json, sections_table_key(REPORT_TABLE_SESSION));
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

/*
 * Totals.
 */

#define LABEL_WIDTH 24

static void print_list(const log_report *report, const view_total *list)
{
	report_view_totals(MPROF_TABLE_TOTALS, &report->totals, list, LABEL_WIDTH);
}

/* Shows whether wall times are long because threads had to wait for a processor. */
static void print_processor_time(const log_report *report)
{
	char text[TEXT_NUMBER_SIZE];
	uint64_t cpu;
	uint64_t ready;

	tables_sum_thread_times(report, &cpu, &ready);
	if (cpu > 0)
		report_view_total("processor time", text_duration(text, cpu), LABEL_WIDTH);
	if (ready > 0)
		report_view_total("waiting for processors", text_duration(text, ready), LABEL_WIDTH);
}

/* How often code of an origin, an #mprof_code_origin, was compiled or loaded for a method. */
static uint64_t count_code(const log_report *report, uint32_t origin)
{
	size_t rows = mprof_profile_get_row_count(report->profile, MPROF_TABLE_METHOD_CODES);
	uint64_t count = 0;

	for (size_t i = 0; i < rows; i++) {
		mprof_method_code code = {.struct_size = sizeof(code)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_METHOD_CODES, i, &code) == MPROF_OK &&
		    code.method != 0 && code.origin == origin)
			count += code.count;
	}
	return count;
}

/* Mono reports that it compiles a method even if it then finds precompiled code; only the sizes of code show which. */
static void print_compilation(const log_report *report)
{
	const mprof_profile_totals *totals = &report->totals;
	uint64_t precompiled = count_code(report, MPROF_CODE_PRECOMPILED);
	char text[TEXT_NUMBER_SIZE];

	if (totals->jit_methods == 0)
		return;
	if (precompiled > totals->jit_methods)
		precompiled = 0;
	report_view_total("methods compiled", text_count(text, totals->jit_methods - precompiled), LABEL_WIDTH);
	if (precompiled > 0)
		report_view_total("methods precompiled", text_count(text, precompiled), LABEL_WIDTH);
	report_view_total("time compiling", text_duration(text, totals->jit_ns), LABEL_WIDTH);
}

/* The collector frees and moves the objects of all threads. */
static void print_heap(const log_report *report)
{
	static const view_total of_all[] = {
		{"objects freed in all", "freed_objects", "freed_objects"},
		{"bytes freed in all", "freed_bytes", "freed_objects"},
		{"objects moved in all", "moved_objects", "moved_objects"},
		{NULL, NULL, NULL},
	};
	static const view_total of_log[] = {
		{"objects freed", "freed_objects", "freed_objects"},
		{"bytes freed", "freed_bytes", "freed_objects"},
		{"objects moved", "moved_objects", "moved_objects"},
		{NULL, NULL, NULL},
	};
	const uint64_t created = report->totals.event_counts[MPROF_EVENT_HANDLE_CREATED];
	char text[TEXT_NUMBER_SIZE];

	print_list(report, filter_options_want_all_threads(&report->options) ? of_log : of_all);
	if (created > 0) {
		report_view_total("handles created", text_count(text, created), LABEL_WIDTH);
		report_view_total("handles alive", text_count(text, report->totals.handles_alive), LABEL_WIDTH);
	}
}

static void print_waits(const log_report *report)
{
	static const view_total waits[] = {
		{"waits for monitors", "contentions", NULL},
		{"time waiting for them", "contended_ns", NULL},
		{"waits that have not ended", "unfinished_waits", "unfinished_waits"},
		{NULL, NULL, NULL},
	};
	static const view_total finalizers[] = {
		{"objects finalized", "finalizers", "finalizers"},
		{"time finalizing", "finalizer_ns", "finalizers"},
		{NULL, NULL, NULL},
	};

	if (report->totals.contentions + report->totals.contended_ns > 0)
		print_list(report, waits);
	print_list(report, finalizers);
}

static void print_totals(const log_report *report)
{
	static const view_total wall[] = {{"wall time", "wall_ns", NULL}, {NULL, NULL, NULL}};
	static const view_total calls[] = {
		{"time in methods", "method_ns", NULL}, {"calls", "calls", NULL}, {NULL, NULL, NULL}};
	static const view_total allocations[] = {
		{"objects allocated", "allocations", "allocations"},
		{"  +- (standard error)", "allocations_error", "allocation_samples"},
		{"bytes allocated", "allocated_bytes", "allocations"},
		{"  +- (standard error)", "bytes_error", "allocation_samples"},
		{"  estimated from objects", "allocation_samples", "allocation_samples"},
		{"collections", "collections", "collections"},
		{"time collecting", "gc_ns", "collections"},
		{NULL, NULL, NULL},
	};
	static const view_total events[] = {
		{"exceptions", "exceptions", "exceptions"}, {"samples", "samples", "samples"}, {NULL, NULL, NULL}};
	static const view_total gaps[] = {
		{"returns without a call", "unmatched_leaves", "unmatched_leaves"},
		{"calls without a return", "unclosed_frames", "unclosed_frames"},
		{"class loads that failed", "class_load_failures", "class_load_failures"},
		{"calls interrupted", "interrupted_frames", "interrupted_frames"},
		{NULL, NULL, NULL},
	};
	const view_total lost[] = {
		{report->options.window.is_bounded ? "events lost in all" : "events lost", "lost_events",
		 "lost_events"},
		{NULL, NULL, NULL},
	};

	report_title(report, "Totals", 0, 0, REPORT_TABLE_TOTALS);
	print_list(report, wall);
	if (mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS) > 1)
		puts("  (times of threads, such as that in methods, are sums over all threads)");
	print_processor_time(report);
	if (report_has_calls(report))
		print_list(report, calls);
	print_list(report, allocations);
	print_compilation(report);
	print_list(report, events);
	print_list(report, lost);
	print_list(report, gaps);
	print_heap(report);
	print_waits(report);
}

static void write_totals(log_report *report, json_writer *json);

static const report_view totals_view = {
	.table = REPORT_TABLE_TOTALS,
	.source = MPROF_TABLE_TOTALS,
	.json = {VIEW_FIELD(wall_ns),
		 VIEW_FIELD(method_ns),
		 VIEW_FIELD(calls),
		 VIEW_FIELD(unmatched_leaves),
		 VIEW_FIELD(unclosed_frames),
		 VIEW_FIELD(allocations),
		 VIEW_FIELD(allocated_bytes),
		 VIEW_FIELD(allocation_samples),
		 VIEW_FIELD(allocations_error),
		 VIEW_FIELD_AS(bytes_error, "allocated_bytes_error"),
		 VIEW_FIELD(class_load_failures),
		 VIEW_FIELD(jit_methods),
		 VIEW_FIELD(jit_ns),
		 VIEW_FIELD(jit_failures),
		 VIEW_FIELD(exceptions),
		 VIEW_FIELD(collections),
		 VIEW_FIELD(gc_ns),
		 VIEW_FIELD(samples),
		 VIEW_FIELD(interrupted_frames),
		 VIEW_FIELD(freed_objects),
		 VIEW_FIELD(freed_bytes),
		 VIEW_FIELD(moved_objects),
		 VIEW_FIELD(handles_alive),
		 VIEW_FIELD(contentions),
		 VIEW_FIELD(contended_ns),
		 VIEW_FIELD(unfinished_waits),
		 VIEW_ALL_OTHERS,
		 VIEW_FIELD(lost_events),
		 VIEW_FIELD(events),
		 VIEW_WITHOUT(folded_calls),
		 VIEW_WITHOUT(folded_samples),
		 VIEW_WITHOUT(folded_sites),
		 VIEW_WITHOUT(left_out),
		 VIEW_WITHOUT(sample_period_ns)},
	.print_text = print_totals,
	.print_json = write_totals,
};

static void write_totals(log_report *report, json_writer *json)
{
	json_begin_object(json, sections_table_key(REPORT_TABLE_TOTALS));
	report_view_fields(report, json, &totals_view, &report->totals);
	json_end_object(json);
}

/*
 * The parts, in the order in which they are printed.
 */

static const report_view findings_view = {.print_text = report_findings_text, .print_json = report_findings_json};
static const report_view frames_view = {.print_text = report_frames_text, .print_json = report_frames_json};

typedef struct report_entry {
	uint64_t sections; /* It is printed if one of them is wanted. */
	const report_view *view;
} report_entry;

#define OF(section) (UINT64_C(1) << REPORT_SECTION_##section)
#define OF_AGES (OF(HISTORY) | OF(TYPES) | OF(BACKTRACES) | OF(TEMPORARIES) | OF(ALIVE))

static const report_entry entries[] = {
	{OF(FINDINGS), &findings_view},
	{OF(TOTALS), &totals_view},
	{OF(METHODS), &tables_methods_lists},
	{OF(METHODS) | OF(COMPILATION), &tables_methods},
	{OF(DURATIONS), &tables_durations},
	{OF(SLOW_CALLS), &calls_slowest},
	{OF(PAUSES), &timeline_pauses},
	{OF(TIMELINE), &timeline_threads},
	{OF(SPANS), &tables_spans},
	{OF(SPANS), &tables_longest_spans},
	{OF(SPANS), &tables_event_types},
	{OF(TREE), &calls_tree},
	{OF(FRAMES), &frames_view},
	{OF(SAMPLES), &samples_by_item},
	{OF(SAMPLE_LINES), &samples_by_line},
	{OF(SAMPLE_WAITS), &samples_by_wait},
	{OF(SAMPLE_TREE), &samples_tree},
	{OF(SAMPLE_KINDS), &sample_kinds_view},
	{OF(SAMPLE_KINDS), &sample_kinds_groups},
	{OF(ALLOCATIONS), &tables_classes},
	{OF(ALLOCATION_SITES), &tables_allocation_sites},
	{OF(LINES), &tables_lines},
	{OF_AGES, &ages_totals},
	{OF(HISTORY), &ages_history},
	{OF(TYPES), &ages_types},
	{OF(BACKTRACES), &ages_backtraces},
	{OF(TEMPORARIES), &ages_temporaries},
	{OF(ALIVE), &ages_alive},
	{OF(HEAP), &heap_classes},
	{OF(HEAP), &tables_freed},
	{OF(HEAP_SUMMARIES), &heap_summaries},
	{OF(MEMORY), &memory_view},
	{OF(HANDLES), &tables_handles},
	{OF(COLLECTIONS), &tables_collections},
	{OF(COLLECTIONS), &meanings_generations},
	{OF(COLLECTIONS), &tables_heap_resizes},
	{OF(LOCKS), &tables_monitors},
	{OF(LOCKS), &tables_monitor_holders},
	{OF(LOCKS), &tables_monitor_sites},
	{OF(WAITS), &meanings_waits},
	{OF(FINALIZERS), &tables_finalizers},
	{OF(EXCEPTIONS), &tables_exceptions},
	{OF(EXCEPTIONS), &tables_exception_sites},
	{OF(EXCEPTIONS), &tables_exception_clauses},
	{OF(COMPILATION), &tables_compilation},
	{OF(CODE), &code_by_origin},
	{OF(CODE), &code_by_assembly},
	{OF(CODE), &code_by_method},
	{OF(CODE_RANGES), &code_by_range},
	{OF(METRICS), &metrics_view},
	{OF(METRICS), &metrics_histograms},
	{OF(MESSAGES), &meanings_messages},
	{OF(MARKS), &tables_marks},
	{OF(THREADS), &tables_threads},
	{OF(THREAD_STATES), &meanings_states},
	{OF(PROCESSES), &processes_described},
	{OF(TIMELINES), &processes_timelines},
	{OF(CLOCKS), &processes_clocks},
	{OF(ELEMENTS), &tables_elements},
	{OF(DEBUG_INFORMATION), &samples_debug_information},
};

#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

static int wants_entry(const log_report *report, const report_entry *entry)
{
	for (size_t section = 0; section < REPORT_SECTIONS; section++) {
		if ((entry->sections >> section & 1) != 0 && report_wants(report, (report_section)section))
			return 1;
	}
	return 0;
}

/*
 * The keys of --sort.
 */

static int has_key(const report_view *view, const char *text, size_t length)
{
	const char *section = sections_name(sections_of_table(view->table));

	for (size_t i = 0; i < VIEW_SORTS_MAX && view->sorts[i].name != NULL; i++) {
		if (report_view_is_key(text, length, section, view->sorts[i].name))
			return 1;
	}
	return 0;
}

static int is_key(const char *text, size_t length)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		if (has_key(entries[i].view, text, length))
			return 1;
	}
	return 0;
}

/* Whether an earlier table of the same section has the key. */
static int is_listed(size_t entry, const view_sort *sort)
{
	for (size_t i = 0; i < entry; i++) {
		if (entries[i].sections == entries[entry].sections &&
		    has_key(entries[i].view, sort->name, strlen(sort->name)))
			return 1;
	}
	return 0;
}

/* Prints each section with its keys once; several tables of a section follow each other. */
static void print_keys(FILE *file)
{
	const char *last = NULL;

	for (size_t i = 0; i < ENTRIES; i++) {
		const report_view *view = entries[i].view;

		for (size_t k = 0; k < VIEW_SORTS_MAX && view->sorts[k].name != NULL; k++) {
			const char *section = sections_name(sections_of_table(view->table));

			if (is_listed(i, &view->sorts[k]))
				continue;
			if (section == last)
				fprintf(file, ", %s", view->sorts[k].name);
			else
				fprintf(file, "%s  %s: %s", last != NULL ? "\n" : "", section, view->sorts[k].name);
			last = section;
		}
	}
	fputc('\n', file);
}

int report_check_orders(const char *list)
{
	for (const char *text = list;; text++) {
		size_t length = strcspn(text, ",");

		if (!is_key(text, length)) {
			fprintf(stderr, "mprof: --sort: '%.*s' is not a key of a table; sections and their keys:\n",
				(int)length, text);
			print_keys(stderr);
			return 0;
		}
		text += length;
		if (*text == '\0')
			return 1;
	}
}

/* Whether two entries of the same section precede an entry: on the first screen, others are left out. */
static int has_enough(const report_entry *entry)
{
	return entry - entries >= 2 && entry[-2].sections == entry->sections;
}

/* Whether text has a section at all. */
static int is_text_section(uint64_t section)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		const report_view *view = entries[i].view;

		if ((entries[i].sections & section) != 0 && (view->print_text != NULL || view->title != NULL))
			return 1;
	}
	return 0;
}

/* Explains the sections that were asked for and have nothing. \p printed: those that have something. */
static void explain_absence(const log_report *report, uint64_t printed)
{
	for (size_t section = 0; section < REPORT_SECTIONS; section++) {
		const uint64_t bit = UINT64_C(1) << section;

		if (sections_have(&report->options.sections, (report_section)section) && (printed & bit) == 0 &&
		    is_text_section(bit))
			absence_print(report, (report_section)section);
	}
}

void report_print_text(log_report *report)
{
	const int is_first_screen = report_is_first_screen(report);
	uint64_t printed = 0;

	if (sections_have(&report->options.sections, REPORT_SECTION_SESSION)) {
		summary_print_text(&report->summary, &report->input, stdout);
		print_properties(report);
	} else {
		summary_print_header(&report->summary, &report->input, find_program(report), stdout);
	}
	print_window(report);
	for (size_t i = 0; i < ENTRIES; i++) {
		const report_entry *entry = &entries[i];
		const size_t titles = report_title_count();

		if (!wants_entry(report, entry) || (is_first_screen && has_enough(entry)))
			continue;
		if (entry->view->print_text != NULL)
			entry->view->print_text(report);
		else if (entry->view->title != NULL)
			report_view_text(report, entry->view);
		if (report_title_count() > titles)
			printed |= entry->sections;
	}
	if (is_first_screen)
		report_further_sections(report);
	else
		explain_absence(report, printed);
}

/*
 * Documents.
 */

static void write_window(const log_report *report, json_writer *json)
{
	const time_window *window = &report->options.window;

	if (!window->is_bounded) {
		json_null(json, "window");
		return;
	}
	json_begin_object(json, "window");
	json_signed(json, "start_ns", window->start_ns);
	if (window->end_ns != TIME_WINDOW_OPEN)
		json_signed(json, "end_ns", window->end_ns);
	else
		json_null(json, "end_ns");
	json_end_object(json);
}

/* Prints the filters; null for those not given. */
static void write_filters(const log_report *report, json_writer *json)
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
	if (thread_choice_is_id(&options->threads))
		json_hexadecimal(json, "thread", options->threads.threads[0]);
	else
		json_string(json, "thread", options->threads.wanted);
	json_string(json, "process", options->threads.wanted_process);
	write_window(report, json);
	sections_ignored_json(report, json);
	json_end_object(json);
}

static void write_left_out(const log_report *report, json_writer *json)
{
	static const char *const keys[LEFT_OUT_PARTS] = {
		[LEFT_OUT_ALLOCATION_STACKS] = "allocation_stacks", [LEFT_OUT_MONITOR_STACKS] = "monitor_stacks",
		[LEFT_OUT_EXCEPTION_STACKS] = "exception_stacks",   [LEFT_OUT_EXCEPTION_CLAUSES] = "exception_clauses",
		[LEFT_OUT_CODE_METHODS] = "code_methods",           [LEFT_OUT_CODE_RANGES] = "code_ranges",
		[LEFT_OUT_HANDLE_STACKS] = "handle_stacks",         [LEFT_OUT_HEAP_SHOT_CLASSES] = "heap_shot_classes",
		[LEFT_OUT_HEAP_SUMMARIES] = "heap_summaries",       [LEFT_OUT_AGE_SITES] = "age_sites",
		[LEFT_OUT_MEMORY_PLACES] = "memory_places",         [LEFT_OUT_MEMORY_SIZES] = "memory_sizes",
	};

	json_begin_object(json, "left_out");
	for (size_t i = 0; i < LEFT_OUT_PARTS; i++)
		json_unsigned(json, keys[i], report->left_out[i]);
	json_end_object(json);
}

/* Each document has the session, which contains losses and damage, and what was left out. */
static void write_document(log_report *report, json_writer *json)
{
	json_begin_document(json);
	write_session(report, json);
	for (size_t i = 0; i < ENTRIES; i++) {
		const report_view *view = entries[i].view;

		if (!wants_entry(report, &entries[i]))
			continue;
		if (view->print_json != NULL)
			view->print_json(report, json);
		else if (view->json[0].use != VIEW_END)
			report_view_json(report, json, view);
	}
	write_filters(report, json);
	write_left_out(report, json);
	json_end_object(json);
}

void report_print_json(log_report *report)
{
	json_writer json;

	json_init(&json, stdout, 0);
	write_document(report, &json);
}

int report_print_csv(log_report *report)
{
	const char *table = report->options.sections.table;
	csv_writer *csv = csv_create(table[0] != '\0' ? table : NULL);
	json_writer json;

	if (csv == NULL)
		return 0;
	csv_init_json(csv, &json);
	write_document(report, &json);
	return csv_destroy(csv);
}
