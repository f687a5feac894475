/* SPDX-License-Identifier: MIT */
/* Explains sections without content. */
#include "report/absence.h"

#include "report/filters.h"

#include <stdio.h>
#include <string.h>

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
