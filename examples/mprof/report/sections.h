/* SPDX-License-Identifier: MIT */
/**
 * \file report/sections.h
 * \brief The sections of a report and their tables: names, and which filters a table ignores, so that its title and the
 * document can state it.
 */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "common/json.h"

#include <stdint.h>

struct log_report;

/** In the order in which they are printed as text. */
typedef enum report_section {
	REPORT_SECTION_SESSION,
	REPORT_SECTION_FINDINGS,
	REPORT_SECTION_TOTALS,
	REPORT_SECTION_METHODS,
	REPORT_SECTION_DURATIONS,
	REPORT_SECTION_SLOW_CALLS,
	REPORT_SECTION_PAUSES,
	REPORT_SECTION_TIMELINE,
	REPORT_SECTION_SPANS,
	REPORT_SECTION_TREE,
	REPORT_SECTION_FRAMES,
	REPORT_SECTION_SAMPLES,
	REPORT_SECTION_SAMPLE_LINES,
	REPORT_SECTION_SAMPLE_WAITS,
	REPORT_SECTION_SAMPLE_TREE,
	REPORT_SECTION_SAMPLE_KINDS,
	REPORT_SECTION_ALLOCATIONS,
	REPORT_SECTION_ALLOCATION_SITES,
	REPORT_SECTION_LINES,
	REPORT_SECTION_HISTORY,
	REPORT_SECTION_TYPES,
	REPORT_SECTION_BACKTRACES,
	REPORT_SECTION_TEMPORARIES,
	REPORT_SECTION_ALIVE,
	REPORT_SECTION_HEAP,
	REPORT_SECTION_HEAP_SUMMARIES,
	REPORT_SECTION_MEMORY,
	REPORT_SECTION_HANDLES,
	REPORT_SECTION_COLLECTIONS,
	REPORT_SECTION_LOCKS,
	REPORT_SECTION_WAITS,
	REPORT_SECTION_FINALIZERS,
	REPORT_SECTION_EXCEPTIONS,
	REPORT_SECTION_COMPILATION,
	REPORT_SECTION_CODE,
	REPORT_SECTION_CODE_RANGES,
	REPORT_SECTION_METRICS,
	REPORT_SECTION_MESSAGES,
	REPORT_SECTION_MARKS,
	REPORT_SECTION_THREADS,
	REPORT_SECTION_THREAD_STATES,
	REPORT_SECTION_PROCESSES,
	REPORT_SECTION_TIMELINES,
	REPORT_SECTION_CLOCKS,
	REPORT_SECTION_ELEMENTS,
	REPORT_SECTION_DEBUG_INFORMATION,
	REPORT_SECTIONS
} report_section;

/** The tables of a report, and figures that differ from the others of their table. */
typedef enum report_table {
	REPORT_TABLE_SESSION,
	REPORT_TABLE_FINDINGS,
	REPORT_TABLE_TOTALS,
	REPORT_TABLE_TOTAL_FREED_OBJECTS,
	REPORT_TABLE_TOTAL_FREED_BYTES,
	REPORT_TABLE_TOTAL_MOVED_OBJECTS,
	REPORT_TABLE_TOTAL_LOST_EVENTS,
	REPORT_TABLE_TOTAL_EVENTS,
	REPORT_TABLE_METHODS,
	REPORT_TABLE_COMPILATION,
	REPORT_TABLE_DURATIONS,
	REPORT_TABLE_SLOW_CALLS,
	REPORT_TABLE_PAUSES,
	REPORT_TABLE_PAUSE_SUMMARY,
	REPORT_TABLE_PAUSE_HISTOGRAM,
	REPORT_TABLE_TIMELINE,
	REPORT_TABLE_SPANS,
	REPORT_TABLE_LONGEST_SPANS,
	REPORT_TABLE_EVENT_TYPES,
	REPORT_TABLE_CALL_TREE,
	REPORT_TABLE_CALLERS,
	REPORT_TABLE_CALLEES,
	REPORT_TABLE_INVERTED_TREES,
	REPORT_TABLE_SAMPLES,
	REPORT_TABLE_SAMPLE_LINES,
	REPORT_TABLE_SAMPLE_WAITS,
	REPORT_TABLE_SAMPLE_TREE,
	REPORT_TABLE_SAMPLE_KINDS,
	REPORT_TABLE_SAMPLE_GROUPS,
	REPORT_TABLE_CLASSES,
	REPORT_TABLE_ALLOCATION_SITES,
	REPORT_TABLE_LINES,
	REPORT_TABLE_AGE_TOTALS,
	REPORT_TABLE_HISTORY,
	REPORT_TABLE_TYPES,
	REPORT_TABLE_BACKTRACES,
	REPORT_TABLE_TEMPORARIES,
	REPORT_TABLE_ALIVE,
	REPORT_TABLE_ALIVE_CLASSES,
	REPORT_TABLE_HEAP_SNAPSHOTS,
	REPORT_TABLE_HEAP_CLASSES,
	REPORT_TABLE_FREED,
	REPORT_TABLE_HEAP_SUMMARIES,
	REPORT_TABLE_MEMORY,
	REPORT_TABLE_MEMORY_PLACES,
	REPORT_TABLE_MEMORY_SIZES,
	REPORT_TABLE_HANDLES,
	REPORT_TABLE_HANDLE_STACKS,
	REPORT_TABLE_COLLECTIONS,
	REPORT_TABLE_GC_GENERATIONS,
	REPORT_TABLE_HEAP_RESIZES,
	REPORT_TABLE_MONITORS,
	REPORT_TABLE_MONITOR_SITES,
	REPORT_TABLE_MONITOR_HOLDERS,
	REPORT_TABLE_WAITS,
	REPORT_TABLE_FINALIZERS,
	REPORT_TABLE_EXCEPTIONS,
	REPORT_TABLE_EXCEPTION_SITES,
	REPORT_TABLE_EXCEPTION_CLAUSES,
	REPORT_TABLE_CODE_TOTALS,
	REPORT_TABLE_CODE_ASSEMBLIES,
	REPORT_TABLE_CODE_METHODS,
	REPORT_TABLE_CODE_RANGES,
	REPORT_TABLE_METRICS,
	REPORT_TABLE_HISTOGRAMS,
	REPORT_TABLE_MESSAGES,
	REPORT_TABLE_MARKS,
	REPORT_TABLE_THREADS,
	REPORT_TABLE_THREAD_STATES,
	REPORT_TABLE_PROCESSES,
	REPORT_TABLE_TIMELINES,
	REPORT_TABLE_CLOCKS,
	REPORT_TABLE_ELEMENTS,
	REPORT_TABLE_DEBUG_INFORMATION,
	REPORT_TABLES
} report_table;

/** Room for the name of a section or a table. */
#define SECTION_NAME_SIZE 64

/** The sections that were chosen by name. */
typedef struct section_choice {
	uint64_t sections; /**< A bit for each section; 0 if none was chosen. */
	/** The only table that was chosen, or the main table of the only section; "" if several were. */
	char table[SECTION_NAME_SIZE];
} section_choice;

/**
 * Parses a list of names of sections or tables with commas between them. Returns 0 after a message if a name is not
 * known.
 */
int sections_parse(section_choice *choice, const char *list);

/** Chooses one more section. */
void sections_add(section_choice *choice, report_section section);

/** Whether the section was chosen by name. */
int sections_have(const section_choice *choice, report_section section);

/** Prints the sections with their tables. */
void sections_print_list(void);

const char *sections_name(report_section section);

/** The section of a table. */
report_section sections_of_table(report_table table);

/** The key of a table in documents. */
const char *sections_table_key(report_table table);

/** Prints the filters that a table ignores, each after a separator: " (" before the first one, then "; ". */
const char *sections_ignored_text(const struct log_report *report, report_table table, const char *separator);

/** Prints the tables that ignore filters, each with the filters, as an array. */
void sections_ignored_json(const struct log_report *report, json_writer *json);

/**
 * Prints a line for a section without content: its data was recorded and there is none, or it was not recorded and
 * which option records it, or the log does not have it.
 */
void absence_print(const struct log_report *report, report_section section);

#endif
