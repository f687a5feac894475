/* SPDX-License-Identifier: MIT */
#include "report_parts.h"

#include "text.h"

#include <stdlib.h>

/* Frames of a call chain that are printed as text. */
#define STACK_ROWS 12

int report_larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

void report_out_of_memory(void)
{
	fprintf(stderr, "mprof: %s\n", mprof_status_text(MPROF_ERR_MEMORY));
}

void *report_collect(const log_report *report, size_t count, size_t size, report_fetch fetch,
		     int (*compare)(const void *, const void *), size_t *kept)
{
	unsigned char *rows = calloc(count + 1, size);

	*kept = 0;
	if (rows == NULL) {
		report_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		*kept += fetch(report, i, rows + *kept * size) != 0;
	qsort(rows, *kept, size, compare);
	return rows;
}

void report_title(const char *title, size_t shown, size_t all)
{
	printf("\n%s", title);
	if (shown < all)
		printf(" (%zu of %zu)", shown, all);
	putchar('\n');
}

void report_name(const char *name)
{
	text_name_cut(stdout, name != NULL ? name : "(unknown)", REPORT_NAME_WIDTH);
	putchar('\n');
}

void report_method(const log_report *report, uint32_t id)
{
	report_name(names_full_method(report->input.reader, id));
}

void report_class(const log_report *report, uint32_t id)
{
	class_name name;

	report_name(names_class_or_none(report->input.reader, id, &name));
}

void report_frame(const log_report *report, const mprof_stack_frame *frame)
{
	const char *name = names_frame(report->input.reader, frame);

	text_name_cut(stdout, name != NULL ? name : "(unknown)", REPORT_NAME_WIDTH);
	puts(frame->is_compiling ? " (compiling)" : "");
}

void report_stack(const log_report *report, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.reader, stack, &frames);

	for (size_t i = 0; i < count && i < STACK_ROWS; i++) {
		printf("  %28s", "");
		report_frame(report, &frames[i]);
	}
	if (count > STACK_ROWS)
		printf("  %28s(%zu more)\n", "", count - STACK_ROWS);
}

void report_json_stack(const log_report *report, json_writer *json, const char *key, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.reader, stack, &frames);

	json_begin_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, names_frame(report->input.reader, &frames[i]));
	json_end_array(json);
}

void report_json_class(const log_report *report, json_writer *json, uint32_t id)
{
	class_name name;

	json_string(json, "class", names_class_or_none(report->input.reader, id, &name));
}
