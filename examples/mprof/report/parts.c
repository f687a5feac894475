/* SPDX-License-Identifier: MIT */
/* Sorts, titles and prints the rows of tables for all parts of a report. */
#include "report/parts.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "report/filters.h"

#include <stdlib.h>
#include <string.h>

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

void report_apply_order(const log_report *report, order_table table, void *rows, size_t count, size_t size)
{
	if (rows != NULL && !orders_apply(report->options.orders, table, rows, count, size))
		output_out_of_memory();
}

void report_title(const log_report *report, const char *title, size_t shown, size_t all, report_table table)
{
	const char *separator = " (";

	printf("\n%s", title);
	if (shown < all) {
		printf("%s%zu of %zu", separator, shown, all);
		separator = "; ";
	}
	puts(report_scope_text(report, table, separator)[0] == ';' ? ")" : "");
}

const char *report_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
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

/* For a small log, the document may be larger than the log. */
#define MIN_ROOM 65536

uint64_t report_room(const log_report *report)
{
	const block_storage *storage = &report->summary.storage;
	uint64_t size = report->summary.size;

	if (!report->options.is_bounded)
		return UINT64_MAX;
	/* A log has the same report however it is compressed. */
	if (storage->unpacked_bytes > storage->packed_bytes)
		size += storage->unpacked_bytes - storage->packed_bytes;
	return size > MIN_ROOM ? size : MIN_ROOM;
}

int report_takes_room(uint64_t *room, uint64_t size)
{
	int has_room = size <= *room;

	*room -= has_room && *room != UINT64_MAX ? size : 0;
	return has_room;
}

void report_json_position(json_writer *json, const char *file, uint32_t line)
{
	json_string(json, "file", file);
	if (line != 0)
		json_unsigned(json, "line", line);
	else
		json_null(json, "line");
}

void report_json_class(const log_report *report, json_writer *json, uint32_t id)
{
	class_name name;

	json_string(json, "class", names_class_or_none(report->input.reader, id, &name));
}

static int is_figure(const mprof_table_column *column)
{
	return column->length == 1 && (column->unit == MPROF_UNIT_COUNT || column->unit == MPROF_UNIT_BYTES ||
				       column->unit == MPROF_UNIT_NANOSECONDS || column->unit == MPROF_UNIT_TIME);
}

/* Whether a name is in a list of names with spaces between them. */
static int is_listed(const char *list, const char *name)
{
	const size_t length = strlen(name);

	while (list != NULL && *list != '\0') {
		size_t word = strcspn(list, " ");

		if (word == length && strncmp(list, name, length) == 0)
			return 1;
		list += word + strspn(list + word, " ");
	}
	return 0;
}

static void print_figure(json_writer *json, const mprof_table_column *column, const void *row)
{
	const unsigned char *field = (const unsigned char *)row + column->offset;
	uint32_t word;
	uint64_t number;

	if (column->type == MPROF_TYPE_UINT32) {
		memcpy(&word, field, sizeof(word));
		json_unsigned(json, column->name, word);
		return;
	}
	memcpy(&number, field, sizeof(number));
	if (column->type == MPROF_TYPE_INT64)
		json_signed(json, column->name, (int64_t)number);
	else
		json_unsigned(json, column->name, number);
}

void report_json_figures(json_writer *json, uint32_t table, const void *row, const char *first, const char *left_out)
{
	const mprof_table_column *column;

	for (const char *name = first; name != NULL && *name != '\0'; name += strspn(name, " ")) {
		const size_t length = strcspn(name, " ");

		for (size_t i = 0; (column = mprof_table_get_column(table, i)) != NULL; i++) {
			if (strlen(column->name) == length && strncmp(column->name, name, length) == 0)
				print_figure(json, column, row);
		}
		name += length;
	}
	for (size_t i = 0; (column = mprof_table_get_column(table, i)) != NULL; i++) {
		if (is_figure(column) && !is_listed(first, column->name) && !is_listed(left_out, column->name))
			print_figure(json, column, row);
	}
}
