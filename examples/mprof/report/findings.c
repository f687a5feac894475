/* SPDX-License-Identifier: MIT */
/*
 * Prints what stands out in a log, and chooses what else is on the first screen of a report. What holds the objects by
 * which the heap grew is found in the first and the last heap snapshot.
 */
#include "report/findings.h"

#include "common/growth_path.h"
#include "common/name_cut.h"
#include "common/output.h"
#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "shared/text.h"

#include <mprof/heap.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What holds the objects by which the heap grew.
 */

/* Objects of both snapshots together, and the length of a log that is read once more: well below a second each. */
#define MAX_OBJECTS UINT64_C(2000000)
#define MAX_BYTES (UINT64_C(256) << 20)

#define MAX_MEMORY (UINT64_C(1) << 30)

#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

/* The number of the last snapshot to compare, from 1; 0 if there are no two of a size that can be compared at once. */
static uint32_t choose_last(const log_report *report)
{
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS);
	mprof_heap_shot first = {.struct_size = sizeof(first)};
	mprof_heap_shot last = {.struct_size = sizeof(last)};
	mprof_session session = {.struct_size = sizeof(session)};
	uint64_t number = count;

	if (mprof_reader_get_session(report->input.reader, &session) == MPROF_OK &&
	    session.snapshots_before_shutdown < number)
		number = session.snapshots_before_shutdown;
	if (number < 2 || !report->input.is_file || strcmp(report->input.name, "-") == 0 ||
	    report->input.file_size > MAX_BYTES ||
	    mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, 0, &first) != MPROF_OK ||
	    mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, (size_t)number - 1, &last) != MPROF_OK)
		return 0;
	return first.objects + last.objects <= MAX_OBJECTS ? (uint32_t)number : 0;
}

/* Adds the snapshot that is \p number after the latest one that was read. */
static int add_snapshot(mprof_heap_diff *diff, log_input *input, uint32_t number)
{
	mprof_heap_graph_options options;
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};
	mprof_heap_graph *graph = NULL;
	int is_added;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = number;
	options.max_memory = MAX_MEMORY;
	is_added = mprof_heap_graph_create(&options, &graph) == MPROF_OK &&
		   mprof_heap_graph_read(graph, input->reader, NULL, NULL) == MPROF_OK;
	if (is_added)
		mprof_heap_graph_get_totals(graph, &totals);
	is_added = is_added && totals.snapshot != 0 && !totals.incomplete && totals.has_roots &&
		   mprof_heap_diff_add(diff, graph, input->reader, 0) == MPROF_OK;
	mprof_heap_graph_destroy(graph);
	return is_added;
}

static void write_path(const mprof_heap_diff *diff, uint32_t shape, char *text, size_t size)
{
	FILE *file = fmemopen(text, size, "w");

	if (file == NULL)
		return;
	growth_path_text(file, diff, 1, shape);
	fclose(file);
	text[size - 1] = '\0';
}

/* Writes the path that holds most additional memory. Returns by how many bytes. */
static uint64_t describe_growth(mprof_heap_diff *diff, char *text, size_t size)
{
	mprof_heap_growth most = {0};
	size_t count = 0;

	if (mprof_heap_diff_get_growth(diff, &most, sizeof(most), 1, &count) != MPROF_OK || count == 0 ||
	    most.bytes_last <= most.bytes_first)
		return 0;
	write_path(diff, most.shape, text, size);
	return most.bytes_last - most.bytes_first;
}

/*
 * Compares the first with the last heap snapshot, for which it reads the log again. Writes the path that holds most
 * additional memory and returns by how many bytes; writes nothing if the log is not a file, the snapshots are too large
 * for a report that is to come at once, or the path is not known.
 */
static uint64_t find_heap_holder(const log_report *report, char *text, size_t size)
{
	const uint32_t last = choose_last(report);
	mprof_heap_diff_options options;
	mprof_heap_diff *diff = NULL;
	uint64_t bytes = 0;
	log_input input;

	if (last == 0)
		return 0;
	if (input_open_again(&input, report->input.name, WANTED_BLOCKS) == STATUS_OK) {
		input.is_quiet = 1;
		mprof_heap_diff_options_init(&options, sizeof(options));
		options.max_memory = MAX_MEMORY;
		if (mprof_heap_diff_create(&options, &diff) == MPROF_OK && add_snapshot(diff, &input, 1) &&
		    add_snapshot(diff, &input, last - 1))
			bytes = describe_growth(diff, text, size);
		mprof_heap_diff_destroy(diff);
	}
	input_close(&input);
	return bytes;
}

/*
 * Which sections there are.
 */

/* What a section needs to have contents. In the order in which they are chosen for the first screen. */
typedef struct section_content {
	report_section section;
	uint32_t table; /* An mprof_profile_table: it has rows. */
	int may_be_first;
} section_content;

static const section_content contents[] = {
	{REPORT_SECTION_WAITS, MPROF_TABLE_WAITS, 1},
	{REPORT_SECTION_SAMPLES, MPROF_TABLE_SAMPLES, 1},
	{REPORT_SECTION_METHODS, MPROF_TABLE_CALLS, 1},
	{REPORT_SECTION_SAMPLE_KINDS, MPROF_TABLE_SAMPLE_KINDS, 1},
	{REPORT_SECTION_SPANS, MPROF_TABLE_EVENT_TYPES, 1},
	{REPORT_SECTION_LOCKS, MPROF_TABLE_MONITORS, 1},
	{REPORT_SECTION_MEMORY, MPROF_TABLE_MEMORY_SITES, 1},
	{REPORT_SECTION_HEAP, MPROF_TABLE_HEAP_SHOTS, 1},
	{REPORT_SECTION_ALLOCATIONS, MPROF_TABLE_CLASSES, 1},
	{REPORT_SECTION_HANDLES, MPROF_TABLE_HANDLES, 1},
	{REPORT_SECTION_COLLECTIONS, MPROF_TABLE_COLLECTIONS, 1},
	{REPORT_SECTION_EXCEPTIONS, MPROF_TABLE_EXCEPTION_SITES, 1},
	{REPORT_SECTION_HEAP_SUMMARIES, MPROF_TABLE_HEAP_SUMMARIES, 1},
	{REPORT_SECTION_METRICS, MPROF_TABLE_METRICS, 1},
	{REPORT_SECTION_MARKS, MPROF_TABLE_MARKS, 1},
	{REPORT_SECTION_THREADS, MPROF_TABLE_THREADS, 1},
	{REPORT_SECTION_TREE, MPROF_TABLE_CALLS, 0},
	{REPORT_SECTION_SAMPLE_TREE, MPROF_TABLE_SAMPLES, 0},
	{REPORT_SECTION_ALLOCATION_SITES, MPROF_TABLE_ALLOCATION_SITES, 0},
	{REPORT_SECTION_LINES, MPROF_TABLE_LINES, 0},
	{REPORT_SECTION_MESSAGES, MPROF_TABLE_MESSAGES, 0},
	{REPORT_SECTION_THREAD_STATES, MPROF_TABLE_THREAD_STATES, 0},
	{REPORT_SECTION_CODE_RANGES, MPROF_TABLE_CODE_RANGES, 0},
	{REPORT_SECTION_FINALIZERS, MPROF_TABLE_FINALIZERS, 0},
	{REPORT_SECTION_COMPILATION, MPROF_TABLE_METHOD_CODES, 0},
	{REPORT_SECTION_CODE, MPROF_TABLE_METHOD_CODES, 0},
	{REPORT_SECTION_PROCESSES, MPROF_TABLE_PROCESSES, 0},
	{REPORT_SECTION_TIMELINES, MPROF_TABLE_TIMELINES, 0},
	{REPORT_SECTION_CLOCKS, MPROF_TABLE_CLOCKS, 0},
};

#define CONTENTS (sizeof(contents) / sizeof(contents[0]))

/* The call tree always has a root; classes may have exceptions only. */
static int has_content(const log_report *report, const section_content *content)
{
	const size_t rows = mprof_profile_get_row_count(report->profile, content->table);

	if (content->table == MPROF_TABLE_CALLS)
		return report_has_calls(report) && (content->section == REPORT_SECTION_METHODS || rows > 1);
	if (content->section == REPORT_SECTION_ALLOCATIONS)
		return report->totals.allocations > 0;
	if (content->section == REPORT_SECTION_COMPILATION)
		return report->totals.jit_ns > 0;
	return rows > 0;
}

int report_is_first_screen(const log_report *report)
{
	const report_options *options = &report->options;

	return !options->shows_all && options->sections.sections == 0 && !options->as_document && !options->tree_only &&
	       !options->with_pauses && options->timeline_slices == 0 && !options->with_ages &&
	       !options->with_percentiles && options->slow_calls == 0 && !report_frames_are_alone(report) &&
	       report_wants_all(report) && !report_filters_frames(report);
}

int report_first_screen_has(const log_report *report, report_section section)
{
	enum { TABLES = 2 };
	int chosen = 0;

	if (section == REPORT_SECTION_FINDINGS)
		return 1;
	for (size_t i = 0; i < CONTENTS && chosen < TABLES; i++) {
		if (!contents[i].may_be_first || !has_content(report, &contents[i]))
			continue;
		if (contents[i].section == section)
			return 1;
		chosen++;
	}
	return 0;
}

void report_further_sections(const log_report *report)
{
	enum { WIDTH = 78 };
	size_t column = 0;

	fputs("\nFurther sections (mprof report --sections=NAME; --all for all of them)\n", stdout);
	for (size_t i = 0; i < CONTENTS; i++) {
		const char *name = sections_name(contents[i].section);

		if (!has_content(report, &contents[i]) || report_first_screen_has(report, contents[i].section))
			continue;
		if (column > 0 && column + 2 + strlen(name) > WIDTH) {
			puts(",");
			column = 0;
		}
		column += (size_t)printf("%s%s", column == 0 ? "  " : ", ", name);
	}
	puts(column > 0 ? ", totals, session" : "  totals, session");
}

/*
 * Findings.
 */

/* The innermost function at a location: of code that is inlined, another one than the function that it belongs to. */
static const char *innermost_function(const log_report *report, uint32_t location)
{
	const native_frame *frames;
	const size_t count = native_lines_find(report->lines, location, 1, &frames);

	return count > 0 && frames[0].name != NULL ? frames[0].name
						   : names_sample(report->input.names, MPROF_SAMPLE_LOCATION, location);
}

/* What a frame is called in sentences. */
static void write_name(void *user, uint32_t kind, uint32_t id, char *text, size_t size)
{
	enum { WIDTH = 56 };
	const log_report *report = user;
	class_name class_of_id;
	const char *name;
	char *shorter;

	if (kind == MPROF_SAMPLE_CLASS)
		name = names_class_or_none(report->input.reader, id, &class_of_id);
	else if (kind == MPROF_SAMPLE_LOCATION)
		name = innermost_function(report, id);
	else
		name = names_sample(report->input.names, kind, id);
	if (name != NULL && kind == MPROF_SAMPLE_MODULE) {
		snprintf(text, size, "[%s]", report_file_name(name));
	} else if (name != NULL) {
		shorter = report_is_first_screen(report) && !report->options.terminal.full_names ? name_cut(name, WIDTH)
												 : NULL;
		snprintf(text, size, "%s", shorter != NULL ? shorter : name);
		free(shorter);
	}
}

/* A part of the log is not what the snapshots are of. */
static uint64_t write_holder(void *user, char *text, size_t size)
{
	const log_report *report = user;

	return report_wants_all(report) ? find_heap_holder(report, text, size) : 0;
}

/* NULL after a message if out of memory, or if a tree of frames needs too much. */
static mprof_finding_list *find(const log_report *report)
{
	mprof_finding_list_options options;
	mprof_finding_list *findings;
	mprof_status status;

	mprof_finding_list_options_init(&options, sizeof(options));
	options.log = report->input.name;
	options.name = write_name;
	options.holder = write_holder;
	options.user = (void *)(uintptr_t)report;
	status = mprof_finding_list_create(report->profile, report->input.reader, &options, &findings);
	if (status == MPROF_OK)
		return findings;
	if (status == MPROF_ERR_MEMORY) {
		output_out_of_memory();
	} else {
		text_begin_message(report->input.name);
		fprintf(stderr, "what stands out: %s\n", mprof_status_get_text(status));
	}
	return NULL;
}

/* Prints a part of a text that names of the log are in. */
static void print_part(const char *text, size_t length)
{
	char *part = strndup(text, length);

	if (part == NULL)
		output_out_of_memory();
	else
		text_name(stdout, part);
	free(part);
}

/* Prints words on lines of at most the width of a narrow terminal, the following ones indented. */
static void print_wrapped(const char *text, size_t indent)
{
	enum { WIDTH = 80 };
	size_t column = indent;

	while (*text != '\0') {
		const size_t length = strcspn(text, " ");
		size_t width = 0;

		for (size_t i = 0; i < length; i++)
			width += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (column > indent && column + 1 + width > WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		}
		column += (size_t)printf("%s", column > indent ? " " : "");
		print_part(text, length);
		column += width;
		text += length + strspn(text + length, " ");
	}
	putchar('\n');
}

void report_findings_text(const log_report *report)
{
	enum { INDENT = 4 };
	mprof_finding_list *findings = find(report);
	mprof_finding row = {.struct_size = sizeof(row)};

	if (findings == NULL)
		return;
	report_title(report, "What stands out", 0, 0, REPORT_TABLE_FINDINGS);
	for (size_t i = 0; mprof_finding_list_get(findings, i, &row) == MPROF_OK; i++) {
		printf("%2zu. ", i + 1);
		print_wrapped(row.text, INDENT);
		printf("%*s", INDENT, "");
		text_name(stdout, row.command);
		putchar('\n');
	}
	mprof_finding_list_destroy(findings);
}

void report_findings_json(log_report *report, json_writer *json)
{
	mprof_finding_list *findings = find(report);
	mprof_finding row = {.struct_size = sizeof(row)};

	json_begin_array(json, sections_table_key(REPORT_TABLE_FINDINGS));
	for (size_t i = 0; mprof_finding_list_get(findings, i, &row) == MPROF_OK; i++) {
		json_begin_object(json, NULL);
		json_string(json, "kind", row.kind);
		json_unsigned(json, "severity", row.severity);
		json_string(json, "text", row.text);
		json_string(json, "command", row.command);
		json_string(json, "section", row.section);
		json_end_object(json);
	}
	json_end_array(json);
	mprof_finding_list_destroy(findings);
}
