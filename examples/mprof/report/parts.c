/* SPDX-License-Identifier: MIT */
/* Sorts, titles and prints the rows of tables for all parts of a report. */
#include "report/parts.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "report/filters.h"

#include <stdlib.h>
#include <string.h>

/* Number of frames of a call stack that are printed as text. */
#define STACK_ROWS 12

int report_larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

uint64_t report_least(uint64_t share, uint64_t whole)
{
	uint64_t rest = whole % REPORT_WHOLE * share;

	/* Neither product can overflow, since a share is at most REPORT_WHOLE. */
	return whole / REPORT_WHOLE * share + rest / REPORT_WHOLE + (rest % REPORT_WHOLE != 0);
}

void *report_collect(const log_report *report, size_t count, size_t size, report_fetch fetch,
		     int (*compare)(const void *, const void *), size_t *kept)
{
	unsigned char *rows = calloc(count + 1, size);

	*kept = 0;
	if (rows == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		*kept += fetch(report, i, rows + *kept * size) != 0;
	qsort(rows, *kept, size, compare);
	return rows;
}

void report_title(const log_report *report, const char *title, size_t shown, size_t all, unsigned int ignored)
{
	const char *separator = " (";

	printf("\n%s", title);
	if (shown < all) {
		printf("%s%zu of %zu", separator, shown, all);
		separator = "; ";
	}
	if ((ignored & REPORT_ALL_NAMES) && !report_wants_all(report)) {
		printf("%sof all methods and classes", separator);
		separator = "; ";
	}
	if ((ignored & REPORT_ALL_THREADS) && report->options.has_thread) {
		printf("%sof all threads", separator);
		separator = "; ";
	}
	puts(separator[0] == ';' ? ")" : "");
}

void report_name(const char *name)
{
	name_print(name != NULL ? name : "(unknown)");
	putchar('\n');
}

void report_method(const log_report *report, uint32_t id)
{
	report_name(names_full_method(report->input.names, id));
}

void report_class(const log_report *report, uint32_t id)
{
	class_name name;

	report_name(names_class_or_none(report->input.reader, id, &name));
}

void report_frame(const log_report *report, const mprof_stack_frame *frame)
{
	const char *name = names_frame(report->input.names, frame);

	name_print(name != NULL ? name : "(unknown)");
	puts(frame->is_compiling ? " (compiling)" : "");
}

void report_stack(const log_report *report, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	for (size_t i = 0; i < count && i < STACK_ROWS; i++) {
		printf("  %28s", "");
		report_frame(report, &frames[i]);
	}
	if (count > STACK_ROWS)
		printf("  %28s(%zu more)\n", "", count - STACK_ROWS);
}

/* For a small log, the document may be larger than the log. */
#define LEAST_ROOM 65536

uint64_t report_room(const log_report *report)
{
	if (!report->options.is_bounded)
		return UINT64_MAX;
	return report->summary.size > LEAST_ROOM ? report->summary.size : LEAST_ROOM;
}

int report_takes_room(uint64_t *room, uint64_t size)
{
	int has_room = size <= *room;

	*room -= has_room && *room != UINT64_MAX ? size : 0;
	return has_room;
}

uint64_t report_json_stack_size(const log_report *report, uint32_t stack, uint64_t most)
{
	const mprof_stack_frame *frames;
	size_t count;
	uint64_t size = 0;

	if (most == UINT64_MAX)
		return 0;
	count = names_stack(report->input.names, stack, &frames);
	for (size_t i = 0; i < count && size <= most; i++) {
		const char *name = names_frame(report->input.names, &frames[i]);

		size += name != NULL ? strlen(name) + 3 : 5;
	}
	return size;
}

void report_json_stack(const log_report *report, json_writer *json, const char *key, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	json_begin_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, names_frame(report->input.names, &frames[i]));
	json_end_array(json);
}

void report_json_class(const log_report *report, json_writer *json, uint32_t id)
{
	class_name name;

	json_string(json, "class", names_class_or_none(report->input.reader, id, &name));
}

int report_json_begin_site(const log_report *report, json_writer *json, uint32_t class_id, uint32_t stack,
			   uint64_t row_size, uint64_t *room)
{
	if (!report_takes_room(room, row_size + report_json_stack_size(report, stack, *room)))
		return 0;
	json_begin_object(json, NULL);
	report_json_class(report, json, class_id);
	return 1;
}

void report_json_end_site(const log_report *report, json_writer *json, uint32_t stack)
{
	report_json_stack(report, json, "stack", stack);
	json_end_object(json);
}
