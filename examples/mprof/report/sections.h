/* SPDX-License-Identifier: MIT */
/**
 * \file report/sections.h
 * \brief The sections of a report: their names and their tables.
 */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include <stdint.h>

/** In the order in which they are printed as text. */
typedef enum report_section {
	REPORT_SECTION_SESSION,
	REPORT_SECTION_TOTALS,
	REPORT_SECTION_METHODS,
	REPORT_SECTION_DURATIONS,
	REPORT_SECTION_SLOW_CALLS,
	REPORT_SECTION_PAUSES,
	REPORT_SECTION_TIMELINE,
	REPORT_SECTION_TREE,
	REPORT_SECTION_FRAMES,
	REPORT_SECTION_SAMPLES,
	REPORT_SECTION_SAMPLE_LINES,
	REPORT_SECTION_SAMPLE_WAITS,
	REPORT_SECTION_SAMPLE_TREE,
	REPORT_SECTION_ALLOCATIONS,
	REPORT_SECTION_ALLOCATION_SITES,
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
	REPORT_SECTION_FINALIZERS,
	REPORT_SECTION_EXCEPTIONS,
	REPORT_SECTION_COMPILATION,
	REPORT_SECTION_CODE,
	REPORT_SECTION_METRICS,
	REPORT_SECTION_MARKS,
	REPORT_SECTION_THREADS,
	REPORT_SECTION_ELEMENTS,
	REPORT_SECTION_DEBUG_INFORMATION,
	REPORT_SECTIONS
} report_section;

/** The sections that were chosen by name. */
typedef struct section_choice {
	uint64_t sections; /**< A bit for each section; 0 if none was chosen. */
	/**
	 * The only table that was chosen, or the main table of the only section, up to a space; NULL if several were.
	 */
	const char *table;
} section_choice;

/**
 * Parses a list of names of sections or tables with commas between them. Returns 0 after a message if a name is not
 * known. \p list must outlive the choice.
 */
int sections_parse(section_choice *choice, const char *list);

/** Chooses one more section. */
void sections_add(section_choice *choice, report_section section);

/** Whether the section was chosen by name. */
int sections_have(const section_choice *choice, report_section section);

/** Prints the sections with their tables. */
void sections_print_list(void);

#endif
