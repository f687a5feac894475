/* SPDX-License-Identifier: MIT */
/* Finds sections of a report by name. */
#include "report/sections.h"

#include "common/nearest.h"

#include <stdio.h>
#include <string.h>

typedef struct section_entry {
	const char *name;
	const char *tables; /* JSON keys of its tables, the main table first. */
	const char *summary;
} section_entry;

static const section_entry entries[REPORT_SECTIONS] = {
	[REPORT_SECTION_SESSION] = {"session", "session", "the program, the recording and the state of the log"},
	[REPORT_SECTION_TOTALS] = {"totals", "totals", "sums of all tables"},
	[REPORT_SECTION_METHODS] = {"methods", "methods", "methods by time"},
	[REPORT_SECTION_DURATIONS] = {"durations", "durations", "shortest, longest and percentiles (--percentiles)"},
	[REPORT_SECTION_SLOW_CALLS] = {"slow-calls", "slow_calls", "the slowest calls (--slowest)"},
	[REPORT_SECTION_PAUSES] = {"pauses", "pauses pause_summary pause_histogram",
				   "stops of the world, collections, waits (--pauses)"},
	[REPORT_SECTION_TIMELINE] = {"timeline", "timeline", "what threads did in slices of time (--timeline)"},
	[REPORT_SECTION_TREE] = {"tree", "call_tree", "the call tree"},
	[REPORT_SECTION_FRAMES] = {"frames", "callers callees inverted_trees", "callers, callees, inverted trees"},
	[REPORT_SECTION_SAMPLES] = {"samples", "samples", "samples by method and native function"},
	[REPORT_SECTION_SAMPLE_LINES] = {"sample-lines", "sample_lines", "samples by source line"},
	[REPORT_SECTION_SAMPLE_WAITS] = {"sample-waits", "sample_waits", "samples of waiting threads by kind of wait"},
	[REPORT_SECTION_SAMPLE_TREE] = {"sample-tree", "sample_tree", "the tree of sampled call stacks"},
	[REPORT_SECTION_ALLOCATIONS] = {"allocations", "classes", "allocations by class"},
	[REPORT_SECTION_ALLOCATION_SITES] = {"allocation-sites", "allocation_stacks", "allocations by call site"},
	[REPORT_SECTION_HISTORY] = {"history", "history age_totals", "what each collection freed (--history)"},
	[REPORT_SECTION_TYPES] = {"types", "types", "classes with the ages of their objects (--types)"},
	[REPORT_SECTION_BACKTRACES] = {"backtraces", "backtraces", "the same by call stack (--backtraces)"},
	[REPORT_SECTION_TEMPORARIES] = {"temporaries", "temporaries", "objects that died young (--temporaries)"},
	[REPORT_SECTION_ALIVE] = {"alive", "alive", "objects alive at the end or at a time (--alive-at)"},
	[REPORT_SECTION_HEAP] = {"heap", "heap_shots", "heap snapshots, and objects freed"},
	[REPORT_SECTION_HEAP_SUMMARIES] = {"heap-summaries", "heap_summaries", "heap summaries by collection"},
	[REPORT_SECTION_MEMORY] = {"memory", "memory", "native memory"},
	[REPORT_SECTION_HANDLES] = {"handles", "handles", "handles by type and call site"},
	[REPORT_SECTION_COLLECTIONS] = {"collections", "collections heap_resizes", "garbage collections"},
	[REPORT_SECTION_LOCKS] = {"locks", "monitors monitor_stacks monitor_holders", "waits for monitors"},
	[REPORT_SECTION_FINALIZERS] = {"finalizers", "finalizers", "finalizers by class"},
	[REPORT_SECTION_EXCEPTIONS] = {"exceptions", "exceptions exception_stacks exception_clauses",
				       "exceptions by class, and where they are thrown and caught"},
	[REPORT_SECTION_COMPILATION] = {"compilation", "methods", "methods by time of JIT compilation"},
	[REPORT_SECTION_CODE] = {"code", "code_totals code_assemblies code_methods", "sizes of compiled code"},
	[REPORT_SECTION_METRICS] = {"metrics", "metrics", "metrics of the runtime"},
	[REPORT_SECTION_MARKS] = {"marks", "marks", "markers"},
	[REPORT_SECTION_THREADS] = {"threads", "threads", "threads"},
	[REPORT_SECTION_ELEMENTS] = {"elements", "elements", "assemblies and other code units (not as text)"},
	[REPORT_SECTION_DEBUG_INFORMATION] = {"debug-information", "debug_information",
					      "modules with and without source lines"},
};

#define MAX_NAME_LENGTH 64

/* Whether a word is in a list of words with a space between them. */
static int has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	if (length == 0)
		return 0;
	for (const char *found = strstr(words, word); found != NULL; found = strstr(found + 1, word)) {
		if ((found == words || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
			return 1;
	}
	return 0;
}

static report_section find_section(const char *name)
{
	char table[MAX_NAME_LENGTH];
	size_t section = 0;

	while (section < REPORT_SECTIONS && strcmp(entries[section].name, name) != 0)
		section++;
	if (section < REPORT_SECTIONS)
		return (report_section)section;
	/* A table inside another is named like "heap_shots.classes". */
	snprintf(table, sizeof(table), "%.*s", (int)strcspn(name, "."), name);
	section = 0;
	while (section < REPORT_SECTIONS && !has_word(entries[section].tables, table))
		section++;
	return (report_section)section;
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
	char name[MAX_NAME_LENGTH];
	const char *end;

	choice->sections = 0;
	choice->table = NULL;
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
			if (start == list)
				choice->table =
					strcmp(entries[section].name, list) == 0 ? entries[section].tables : list;
			return 1;
		}
	}
}

void sections_add(section_choice *choice, report_section section)
{
	choice->table = choice->sections == 0 ? entries[section].tables : NULL;
	choice->sections |= UINT64_C(1) << section;
}

int sections_have(const section_choice *choice, report_section section)
{
	return (choice->sections >> section & 1) != 0;
}

void sections_print_list(void)
{
	printf("%-18s %-44s %s\n", "section", "tables", "content");
	for (size_t i = 0; i < REPORT_SECTIONS; i++)
		printf("%-18s %-44s %s\n", entries[i].name, entries[i].tables, entries[i].summary);
}
