/* SPDX-License-Identifier: MIT */
/* Finds sections of a report by name, and states which filters their tables ignore. */
#include "report/sections.h"

#include "common/arguments.h"
#include "report/filters.h"

#include <stdio.h>
#include <string.h>

typedef struct section_entry {
	const char *name;
	const char *summary;
} section_entry;

static const section_entry entries[REPORT_SECTIONS] = {
	[REPORT_SECTION_SESSION] = {"session", "the program, the recording and the state of the log"},
	[REPORT_SECTION_FINDINGS] = {"findings", "what stands out, with the commands that show more"},
	[REPORT_SECTION_TOTALS] = {"totals", "sums of all tables"},
	[REPORT_SECTION_METHODS] = {"methods", "methods by time"},
	[REPORT_SECTION_DURATIONS] = {"durations", "shortest, longest and percentiles (--percentiles)"},
	[REPORT_SECTION_SLOW_CALLS] = {"slow-calls", "the slowest calls (--slowest)"},
	[REPORT_SECTION_PAUSES] = {"pauses", "stops of the world, collections, waits (--pauses)"},
	[REPORT_SECTION_TIMELINE] = {"timeline", "what threads did in slices of time (--timeline)"},
	[REPORT_SECTION_SPANS] = {"spans", "spans and other events that the program describes"},
	[REPORT_SECTION_TREE] = {"tree", "the call tree"},
	[REPORT_SECTION_FRAMES] = {"frames", "callers, callees, inverted trees"},
	[REPORT_SECTION_SAMPLES] = {"samples", "samples by method and native function"},
	[REPORT_SECTION_SAMPLE_LINES] = {"sample-lines", "samples by source line"},
	[REPORT_SECTION_SAMPLE_WAITS] = {"sample-waits", "samples of waiting threads by kind of wait"},
	[REPORT_SECTION_SAMPLE_TREE] = {"sample-tree", "the tree of sampled call stacks"},
	[REPORT_SECTION_SAMPLE_KINDS] = {"sample-kinds", "samples of the kinds that the log describes"},
	[REPORT_SECTION_ALLOCATIONS] = {"allocations", "allocations by class"},
	[REPORT_SECTION_ALLOCATION_SITES] = {"allocation-sites", "allocations by call site"},
	[REPORT_SECTION_LINES] = {"lines", "samples and allocations by line of methods"},
	[REPORT_SECTION_HISTORY] = {"history", "what each collection freed (--history)"},
	[REPORT_SECTION_TYPES] = {"types", "classes with the ages of their objects (--types)"},
	[REPORT_SECTION_BACKTRACES] = {"backtraces", "the same by call stack (--backtraces)"},
	[REPORT_SECTION_TEMPORARIES] = {"temporaries", "objects that died young (--temporaries)"},
	[REPORT_SECTION_ALIVE] = {"alive", "objects alive at the end or at a time (--alive-at)"},
	[REPORT_SECTION_HEAP] = {"heap", "heap snapshots, and objects freed"},
	[REPORT_SECTION_HEAP_SUMMARIES] = {"heap-summaries", "heap summaries by collection"},
	[REPORT_SECTION_MEMORY] = {"memory", "native memory"},
	[REPORT_SECTION_HANDLES] = {"handles", "handles by type and call site"},
	[REPORT_SECTION_COLLECTIONS] = {"collections", "garbage collections"},
	[REPORT_SECTION_LOCKS] = {"locks", "waits for monitors"},
	[REPORT_SECTION_WAITS] = {"waits", "waits for input and output, locks and others, by kind and call site"},
	[REPORT_SECTION_FINALIZERS] = {"finalizers", "finalizers by class"},
	[REPORT_SECTION_EXCEPTIONS] = {"exceptions", "exceptions by class, and where they are thrown and caught"},
	[REPORT_SECTION_COMPILATION] = {"compilation", "methods by time of JIT compilation"},
	[REPORT_SECTION_CODE] = {"code", "sizes of compiled code"},
	[REPORT_SECTION_CODE_RANGES] = {"code-ranges", "addresses of generated code (as text only if chosen)"},
	[REPORT_SECTION_METRICS] = {"metrics", "metrics of the runtime or the program, and histograms"},
	[REPORT_SECTION_MESSAGES] = {"messages", "messages of the program by severity and source"},
	[REPORT_SECTION_MARKS] = {"marks", "markers"},
	[REPORT_SECTION_THREADS] = {"threads", "threads"},
	[REPORT_SECTION_THREAD_STATES] = {"thread-states", "states of threads, and the time in them"},
	[REPORT_SECTION_PROCESSES] = {"processes", "processes that the log describes"},
	[REPORT_SECTION_TIMELINES] = {"timelines", "threads that the log describes, such as queues of devices"},
	[REPORT_SECTION_CLOCKS] = {"clocks", "clocks of the log, and how they agree"},
	[REPORT_SECTION_ELEMENTS] = {"elements", "assemblies and other code units (not as text)"},
	[REPORT_SECTION_DEBUG_INFORMATION] = {"debug-information", "modules with and without source lines"},
};

/* Filters that a table ignores. */
enum {
	ALL_METHODS = 1,    /* --method */
	ALL_CLASSES = 2,    /* --class, --assembly */
	ALL_STACKS = 4,     /* --focus, --ignore */
	ALL_THREADS = 8,    /* --thread */
	ALL_LOSSES = 16,    /* --time and --last, for lost events. */
	ALL_TIMES = 32,     /* --time and --last */
	ALL_STOPS = 64,     /* All but --time and --last, for stops of the world. */
	OF_PROCESSES = 256, /* Not ignored, whatever else is: --process. */
	ALL_NAMES = ALL_METHODS | ALL_CLASSES,
	IN_TEXT = 128 /* Not a filter: documents do not have the table. */
};

typedef struct table_entry {
	/* In documents; one inside another, or a figure that differs, is named like "heap_shots.classes". */
	const char *key;
	report_section section;
	unsigned int ignored;
} table_entry;

static const table_entry tables[REPORT_TABLES] = {
	[REPORT_TABLE_SESSION] = {"session", REPORT_SECTION_SESSION, 0},
	[REPORT_TABLE_FINDINGS] = {"findings", REPORT_SECTION_FINDINGS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_TOTALS] = {"totals", REPORT_SECTION_TOTALS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_TOTAL_FREED_OBJECTS] = {"totals.freed_objects", REPORT_SECTION_TOTALS,
					      ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_TOTAL_FREED_BYTES] = {"totals.freed_bytes", REPORT_SECTION_TOTALS, ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_TOTAL_MOVED_OBJECTS] = {"totals.moved_objects", REPORT_SECTION_TOTALS,
					      ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_TOTAL_LOST_EVENTS] = {"totals.lost_events", REPORT_SECTION_TOTALS, ALL_LOSSES},
	[REPORT_TABLE_TOTAL_EVENTS] = {"totals.events", REPORT_SECTION_TOTALS, ALL_THREADS},
	[REPORT_TABLE_METHODS] = {"methods", REPORT_SECTION_METHODS, 0},
	[REPORT_TABLE_COMPILATION] = {"methods.jit_ns", REPORT_SECTION_COMPILATION, ALL_STACKS},
	[REPORT_TABLE_DURATIONS] = {"durations", REPORT_SECTION_DURATIONS, ALL_STACKS},
	[REPORT_TABLE_SLOW_CALLS] = {"slow_calls", REPORT_SECTION_SLOW_CALLS, ALL_STACKS},
	[REPORT_TABLE_PAUSES] = {"pauses", REPORT_SECTION_PAUSES, ALL_METHODS | ALL_STOPS | OF_PROCESSES},
	[REPORT_TABLE_PAUSE_SUMMARY] = {"pause_summary", REPORT_SECTION_PAUSES, ALL_METHODS | ALL_STOPS | OF_PROCESSES},
	[REPORT_TABLE_PAUSE_HISTOGRAM] = {"pause_histogram", REPORT_SECTION_PAUSES,
					  ALL_METHODS | ALL_STOPS | OF_PROCESSES},
	[REPORT_TABLE_TIMELINE] = {"timeline", REPORT_SECTION_TIMELINE, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_SPANS] = {"spans", REPORT_SECTION_SPANS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_LONGEST_SPANS] = {"longest_spans", REPORT_SECTION_SPANS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_EVENT_TYPES] = {"event_types", REPORT_SECTION_SPANS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_CALL_TREE] = {"call_tree", REPORT_SECTION_TREE, ALL_NAMES},
	[REPORT_TABLE_CALLERS] = {"callers", REPORT_SECTION_FRAMES, ALL_NAMES},
	[REPORT_TABLE_CALLEES] = {"callees", REPORT_SECTION_FRAMES, ALL_NAMES},
	[REPORT_TABLE_INVERTED_TREES] = {"inverted_trees", REPORT_SECTION_FRAMES, ALL_NAMES},
	[REPORT_TABLE_SAMPLES] = {"samples", REPORT_SECTION_SAMPLES, 0},
	[REPORT_TABLE_SAMPLE_LINES] = {"sample_lines", REPORT_SECTION_SAMPLE_LINES, 0},
	[REPORT_TABLE_SAMPLE_WAITS] = {"sample_waits", REPORT_SECTION_SAMPLE_WAITS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_SAMPLE_TREE] = {"sample_tree", REPORT_SECTION_SAMPLE_TREE, ALL_NAMES},
	[REPORT_TABLE_SAMPLE_KINDS] = {"sample_kinds", REPORT_SECTION_SAMPLE_KINDS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_SAMPLE_GROUPS] = {"sample_groups", REPORT_SECTION_SAMPLE_KINDS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_CLASSES] = {"classes", REPORT_SECTION_ALLOCATIONS, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_ALLOCATION_SITES] = {"allocation_stacks", REPORT_SECTION_ALLOCATION_SITES, ALL_METHODS},
	[REPORT_TABLE_LINES] = {"lines", REPORT_SECTION_LINES, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_AGE_TOTALS] = {"age_totals", REPORT_SECTION_HISTORY, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_HISTORY] = {"history", REPORT_SECTION_HISTORY,
				  ALL_NAMES | ALL_STACKS | ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_TYPES] = {"types", REPORT_SECTION_TYPES, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_BACKTRACES] = {"backtraces", REPORT_SECTION_BACKTRACES, ALL_METHODS},
	[REPORT_TABLE_TEMPORARIES] = {"temporaries", REPORT_SECTION_TEMPORARIES, ALL_METHODS},
	[REPORT_TABLE_ALIVE] = {"alive", REPORT_SECTION_ALIVE, ALL_METHODS},
	[REPORT_TABLE_ALIVE_CLASSES] = {"alive_types", REPORT_SECTION_ALIVE, ALL_METHODS | ALL_STACKS | IN_TEXT},
	[REPORT_TABLE_HEAP_SNAPSHOTS] = {"heap_shots", REPORT_SECTION_HEAP,
					 ALL_NAMES | ALL_STACKS | ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_HEAP_CLASSES] = {"heap_shots.classes", REPORT_SECTION_HEAP,
				       ALL_METHODS | ALL_STACKS | ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_FREED] = {"classes.freed", REPORT_SECTION_HEAP,
				ALL_METHODS | ALL_STACKS | ALL_THREADS | OF_PROCESSES},
	[REPORT_TABLE_HEAP_SUMMARIES] = {"heap_summaries", REPORT_SECTION_HEAP_SUMMARIES,
					 ALL_METHODS | ALL_STACKS | ALL_THREADS},
	[REPORT_TABLE_MEMORY] = {"memory", REPORT_SECTION_MEMORY, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_MEMORY_PLACES] = {"memory.places", REPORT_SECTION_MEMORY, ALL_NAMES},
	[REPORT_TABLE_MEMORY_SIZES] = {"memory.sizes", REPORT_SECTION_MEMORY, 0},
	[REPORT_TABLE_HANDLE_STACKS] = {"handles.stacks", REPORT_SECTION_HANDLES, 0},
	[REPORT_TABLE_HANDLES] = {"handles", REPORT_SECTION_HANDLES, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_COLLECTIONS] = {"collections", REPORT_SECTION_COLLECTIONS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_GC_GENERATIONS] = {"gc_generations", REPORT_SECTION_COLLECTIONS,
					 ALL_NAMES | ALL_STACKS | ALL_THREADS | ALL_TIMES},
	[REPORT_TABLE_HEAP_RESIZES] = {"heap_resizes", REPORT_SECTION_COLLECTIONS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_MONITORS] = {"monitors", REPORT_SECTION_LOCKS, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_MONITOR_SITES] = {"monitor_stacks", REPORT_SECTION_LOCKS, ALL_METHODS},
	[REPORT_TABLE_MONITOR_HOLDERS] = {"monitor_holders", REPORT_SECTION_LOCKS, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_WAITS] = {"waits", REPORT_SECTION_WAITS, ALL_NAMES},
	[REPORT_TABLE_FINALIZERS] = {"finalizers", REPORT_SECTION_FINALIZERS, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_EXCEPTIONS] = {"exceptions", REPORT_SECTION_EXCEPTIONS, ALL_METHODS | ALL_STACKS},
	[REPORT_TABLE_EXCEPTION_SITES] = {"exception_stacks", REPORT_SECTION_EXCEPTIONS, ALL_METHODS},
	[REPORT_TABLE_EXCEPTION_CLAUSES] = {"exception_clauses", REPORT_SECTION_EXCEPTIONS, ALL_STACKS},
	[REPORT_TABLE_CODE_TOTALS] = {"code_totals", REPORT_SECTION_CODE, ALL_STACKS},
	[REPORT_TABLE_CODE_ASSEMBLIES] = {"code_assemblies", REPORT_SECTION_CODE, ALL_STACKS},
	[REPORT_TABLE_CODE_METHODS] = {"code_methods", REPORT_SECTION_CODE, ALL_STACKS},
	[REPORT_TABLE_CODE_RANGES] = {"code_ranges", REPORT_SECTION_CODE_RANGES,
				      ALL_STACKS | ALL_THREADS | ALL_TIMES | OF_PROCESSES},
	[REPORT_TABLE_METRICS] = {"metrics", REPORT_SECTION_METRICS, ALL_NAMES | ALL_STACKS | ALL_THREADS},
	[REPORT_TABLE_HISTOGRAMS] = {"histograms", REPORT_SECTION_METRICS, ALL_NAMES | ALL_STACKS | ALL_THREADS},
	[REPORT_TABLE_MESSAGES] = {"messages", REPORT_SECTION_MESSAGES, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_MARKS] = {"marks", REPORT_SECTION_MARKS, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_THREADS] = {"threads", REPORT_SECTION_THREADS, ALL_NAMES | ALL_STACKS | ALL_LOSSES},
	[REPORT_TABLE_THREAD_STATES] = {"thread_states", REPORT_SECTION_THREAD_STATES, ALL_NAMES | ALL_STACKS},
	[REPORT_TABLE_PROCESSES] = {"processes", REPORT_SECTION_PROCESSES,
				    ALL_NAMES | ALL_STACKS | ALL_THREADS | ALL_TIMES},
	[REPORT_TABLE_TIMELINES] = {"timelines", REPORT_SECTION_TIMELINES, ALL_NAMES | ALL_STACKS | ALL_TIMES},
	[REPORT_TABLE_CLOCKS] = {"clocks", REPORT_SECTION_CLOCKS, ALL_NAMES | ALL_STACKS | ALL_THREADS | ALL_TIMES},
	[REPORT_TABLE_ELEMENTS] = {"elements", REPORT_SECTION_ELEMENTS,
				   ALL_NAMES | ALL_STACKS | ALL_THREADS | ALL_TIMES},
	[REPORT_TABLE_DEBUG_INFORMATION] = {"debug_information", REPORT_SECTION_DEBUG_INFORMATION, 0},
};

static int is_named(const char *key, const char *name)
{
	const size_t length = strcspn(name, ".");

	return strcspn(key, ".") == length && strncmp(key, name, length) == 0;
}

static report_section find_section(const char *name)
{
	for (size_t section = 0; section < REPORT_SECTIONS; section++) {
		if (strcmp(entries[section].name, name) == 0)
			return (report_section)section;
	}
	for (size_t table = 0; table < REPORT_TABLES; table++) {
		if ((tables[table].ignored & IN_TEXT) == 0 && is_named(tables[table].key, name))
			return tables[table].section;
	}
	return REPORT_SECTIONS;
}

/* Whether a section is named like a table, with a hyphen in place of each underscore. */
static int is_like(const char *section, const char *key)
{
	while (*section != '\0' && (*section == *key || (*section == '-' && *key == '_'))) {
		section++;
		key++;
	}
	return *section == '\0' && *key == '\0';
}

/* The main table of a section: the one with its name, or the first one. */
static report_table main_table(report_section section)
{
	size_t first = REPORT_TABLES;

	for (size_t table = 0; table < REPORT_TABLES; table++) {
		if (tables[table].section != section)
			continue;
		if (is_like(entries[section].name, tables[table].key))
			return (report_table)table;
		first = first < REPORT_TABLES ? first : table;
	}
	return (report_table)first;
}

static void choose_table(section_choice *choice, const char *name)
{
	snprintf(choice->table, sizeof(choice->table), "%s", name);
}

static void choose_main_table(section_choice *choice, report_section section)
{
	choose_table(choice, tables[main_table(section)].key);
	choice->table[strcspn(choice->table, ".")] = '\0';
}

static void refuse_name(const char *name)
{
	nearest_name nearest;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < REPORT_SECTIONS; i++)
		nearest_offer_word(&nearest, entries[i].name, entries[i].name);
	fprintf(stderr, "mprof: --sections: there is no section '%s'; ", name);
	if (nearest.found != NULL)
		fprintf(stderr, "did you mean '%s'? ", nearest.found);
	fputs("--sections=help lists the sections\n", stderr);
	nearest_release(&nearest);
}

int sections_parse(section_choice *choice, const char *list)
{
	char name[SECTION_NAME_SIZE];
	const char *end;

	choice->sections = 0;
	choose_table(choice, "");
	for (const char *start = list;; start = end + 1) {
		report_section section;

		end = start + strcspn(start, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(end - start), start);
		section = find_section(name);
		if (section == REPORT_SECTIONS) {
			refuse_name(name);
			return 0;
		}
		choice->sections |= UINT64_C(1) << section;
		if (*end == '\0') {
			if (start == list && strcmp(entries[section].name, list) == 0)
				choose_main_table(choice, section);
			else if (start == list)
				choose_table(choice, list);
			return 1;
		}
	}
}

void sections_add(section_choice *choice, report_section section)
{
	if (choice->sections == 0)
		choose_main_table(choice, section);
	else
		choose_table(choice, "");
	choice->sections |= UINT64_C(1) << section;
}

int sections_have(const section_choice *choice, report_section section)
{
	return (choice->sections >> section & 1) != 0;
}

/* The tables of a section, the main table first. */
static void list_tables(report_section section, char *list, size_t size)
{
	const report_table first = main_table(section);
	size_t length = (size_t)snprintf(list, size, "%.*s", (int)strcspn(tables[first].key, "."), tables[first].key);

	for (size_t table = 0; table < REPORT_TABLES && length < size; table++) {
		const table_entry *entry = &tables[table];

		if (table != first && entry->section == section && (entry->ignored & IN_TEXT) == 0 &&
		    strchr(entry->key, '.') == NULL)
			length += (size_t)snprintf(list + length, size - length, " %s", entry->key);
	}
}

void sections_print_list(void)
{
	char list[2 * SECTION_NAME_SIZE];

	printf("%-18s %-44s %s\n", "section", "tables", "content");
	for (size_t i = 0; i < REPORT_SECTIONS; i++) {
		list_tables((report_section)i, list, sizeof(list));
		printf("%-18s %-44s %s\n", entries[i].name, list, entries[i].summary);
	}
}

const char *sections_name(report_section section)
{
	return entries[section].name;
}

report_section sections_of_table(report_table table)
{
	return tables[table].section;
}

const char *sections_table_key(report_table table)
{
	const char *dot = strchr(tables[table].key, '.');

	return dot != NULL ? dot + 1 : tables[table].key;
}

static unsigned int ignored_filters(const log_report *report, report_table table)
{
	unsigned int ignored = tables[table].ignored;

	return table == REPORT_TABLE_CLASSES && report->has_filtered_classes ? ignored & ~(unsigned int)ALL_STACKS
									     : ignored;
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

const char *sections_ignored_text(const struct log_report *report, report_table table, const char *separator)
{
	const report_options *options = &report->options;
	unsigned int ignored = ignored_filters(report, table);
	const int has_all_processes = options->threads.wanted_process != NULL && !(ignored & OF_PROCESSES);

	if ((ignored & ALL_CLASSES) && !report_wants_all(report))
		separator = print_part(separator, "of all methods and classes");
	else if ((ignored & ALL_METHODS) && options->method_pattern != NULL)
		separator = print_part(separator, "of all methods");
	if ((ignored & ALL_STACKS) && filters_stacks(report))
		separator = print_part(separator, "of all call stacks");
	if ((ignored & ALL_THREADS) && has_all_processes)
		separator = print_part(separator, "of all processes");
	else if ((ignored & ALL_THREADS) && options->threads.wanted != NULL)
		separator = print_part(separator, "of all threads");
	if ((ignored & ALL_STOPS) && (options->threads.wanted != NULL || has_all_processes || filters_stacks(report) ||
				      !report_wants_all(report)))
		separator = print_part(separator, "all stops of the world");
	if ((ignored & ALL_TIMES) && options->window.is_bounded)
		separator = print_part(separator, "of the whole log");
	else if ((ignored & ALL_LOSSES) && options->window.is_bounded && report->totals.lost_events > 0)
		separator = print_part(separator, "lost events of the whole log");
	return separator;
}

/* An option that selects what counts, and the bits of the tables that ignore it. */
typedef struct filter_use {
	const char *name;
	int is_used;
	unsigned int bits;
	unsigned int exception; /* A bit of tables that do not ignore it, whatever other bits they have; 0: none. */
} filter_use;

static int is_ignored(unsigned int ignored, const filter_use *filter)
{
	return filter->is_used && (ignored & filter->bits) && !(ignored & filter->exception);
}

static void print_table_json(json_writer *json, const char *key, unsigned int ignored, const filter_use *filters,
			     size_t count)
{
	int has_any = 0;

	for (size_t i = 0; i < count; i++)
		has_any |= is_ignored(ignored, &filters[i]);
	if (!has_any)
		return;
	json_begin_object(json, NULL);
	json_string(json, "table", key);
	json_begin_array(json, "filters");
	for (size_t i = 0; i < count; i++) {
		if (is_ignored(ignored, &filters[i]))
			json_string(json, NULL, filters[i].name);
	}
	json_end_array(json);
	json_end_object(json);
}

void sections_ignored_json(const struct log_report *report, json_writer *json)
{
	const report_options *options = &report->options;
	const int has_losses = report->totals.lost_events > 0;
	const filter_use filters[] = {
		{"method", options->method_pattern != NULL, ALL_METHODS | ALL_STOPS, 0},
		{"class", options->class_pattern != NULL, ALL_CLASSES | ALL_STOPS, 0},
		{"assembly", options->assembly_pattern != NULL, ALL_CLASSES | ALL_STOPS, 0},
		{"focus", options->focus_pattern != NULL, ALL_STACKS | ALL_STOPS, 0},
		{"ignore", options->ignore_pattern != NULL, ALL_STACKS | ALL_STOPS, 0},
		{"thread", options->threads.wanted != NULL, ALL_THREADS | ALL_STOPS, 0},
		{"process", options->threads.wanted_process != NULL, ALL_THREADS | ALL_STOPS, OF_PROCESSES},
		{"window", options->window.is_bounded, has_losses ? ALL_TIMES | ALL_LOSSES : ALL_TIMES, 0},
	};

	json_begin_array(json, "ignored");
	for (size_t i = 0; i < REPORT_TABLES; i++) {
		if (report_wants(report, tables[i].section))
			print_table_json(json, tables[i].key, ignored_filters(report, (report_table)i), filters,
					 sizeof(filters) / sizeof(filters[0]));
	}
	json_end_array(json);
}

/*
 * Sections without content.
 */

/* How the data of a section is recorded. Sections that are not listed have no option of their own. */
typedef struct section_origin {
	uint64_t flag;      /* Bit of the INTRO block that states it. */
	const char *option; /* Of "mprof record". */
	int of_native;      /* Native programs can be recorded with it. */
} section_origin;

static const section_origin origins[REPORT_SECTIONS] = {
	[REPORT_SECTION_METHODS] = {MPROF_INTRO_FLAG_ENTER_LEAVE, "calls", 1},
	[REPORT_SECTION_DURATIONS] = {MPROF_INTRO_FLAG_ENTER_LEAVE, "calls", 1},
	[REPORT_SECTION_SLOW_CALLS] = {MPROF_INTRO_FLAG_ENTER_LEAVE, "calls", 1},
	[REPORT_SECTION_TREE] = {MPROF_INTRO_FLAG_ENTER_LEAVE, "calls", 1},
	[REPORT_SECTION_SAMPLES] = {MPROF_INTRO_FLAG_STATISTICAL, "sample", 1},
	[REPORT_SECTION_SAMPLE_TREE] = {MPROF_INTRO_FLAG_STATISTICAL, "sample", 1},
	[REPORT_SECTION_ALLOCATIONS] = {MPROF_INTRO_FLAG_ALLOCATION, "alloc", 0},
	[REPORT_SECTION_HEAP] = {MPROF_INTRO_FLAG_HEAP, "heap", 0},
	[REPORT_SECTION_MEMORY] = {MPROF_INTRO_FLAG_MEMORY, "malloc", 1},
	[REPORT_SECTION_HANDLES] = {MPROF_INTRO_FLAG_HANDLE, "handles", 0},
	[REPORT_SECTION_COLLECTIONS] = {MPROF_INTRO_FLAG_GC, "gc", 0},
	[REPORT_SECTION_LOCKS] = {MPROF_INTRO_FLAG_MONITOR, "monitor", 0},
	[REPORT_SECTION_FINALIZERS] = {MPROF_INTRO_FLAG_FINALIZER, "finalizers", 0},
	[REPORT_SECTION_EXCEPTIONS] = {MPROF_INTRO_FLAG_EXCEPTION, "exceptions", 0},
	[REPORT_SECTION_COMPILATION] = {MPROF_INTRO_FLAG_JIT, "jit", 0},
	[REPORT_SECTION_CODE] = {MPROF_INTRO_FLAG_JIT, "jit", 0},
	[REPORT_SECTION_METRICS] = {MPROF_INTRO_FLAG_METRIC, "counters", 0},
};

/* Whether the rows may have been left out by a filter. */
static int has_filter(const log_report *report)
{
	const report_options *options = &report->options;

	return options->method_pattern != NULL || options->class_pattern != NULL || options->assembly_pattern != NULL ||
	       options->threads.wanted != NULL || options->window.is_bounded || report_filters_frames(report);
}

void absence_print(const log_report *report, report_section section)
{
	const section_origin *origin = &origins[section];
	const mprof_session *session = &report->summary.session;
	const int is_native = session->runtime != NULL && strcmp(session->runtime, "native") == 0;

	printf("\n%s: ", sections_name(section));
	/* Profilers that wrote older formats set flags of what they did not record. */
	if (origin->flag == 0 || session->dialect != MPROF_DIALECT_MPROF2 || (is_native && !origin->of_native))
		puts("not in this log");
	else if ((session->flags & origin->flag) == 0)
		printf("not recorded (start with --%s)\n", origin->option);
	else if (has_filter(report))
		puts("recorded, nothing that the filters select");
	else
		puts("recorded, none");
}
