/* SPDX-License-Identifier: MIT */
/* Adds names of a log to rows. */
#include "export/table_cells.h"

#include "shared/kinds.h"

#include <stdlib.h>
#include <string.h>

void table_class(table_sink *sink, const log_report *report, uint32_t id)
{
	class_name name;

	table_text(sink, names_class_or_none(report->input.reader, id, &name));
}

void table_method(table_sink *sink, const log_report *report, uint32_t id)
{
	table_text(sink, id != 0 ? names_full_method(report->input.names, id) : NULL);
}

void table_stack(table_sink *sink, const log_report *report, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	const size_t shown = sink->max_depth != 0 && count > sink->max_depth ? sink->max_depth : count;

	if (count == 0)
		table_null(sink);
	for (size_t i = 0; i < shown; i++) {
		const char *name = names_frame(report->input.names, &frames[i]);

		table_frame(sink, name != NULL ? name : "(unknown)", i == 0);
	}
	/* The innermost frame is the first. */
	if (shown < count)
		table_frame(sink, "(outer frames)", 0);
}

static uint64_t number_of(const mprof_table_column *field, const void *row)
{
	const unsigned char *from = (const unsigned char *)row + field->offset;
	uint64_t number = 0;
	uint32_t word;

	if (field->type == MPROF_TYPE_UINT32) {
		memcpy(&word, from, sizeof(word));
		return word;
	}
	memcpy(&number, from, sizeof(number));
	return number;
}

static const char *text_of(const mprof_table_column *field, const void *row)
{
	const char *text;

	memcpy(&text, (const unsigned char *)row + field->offset, sizeof(text));
	return text;
}

static void add_value(table_sink *sink, const mprof_table_column *field, const void *row)
{
	if (field->type == MPROF_TYPE_TEXT)
		table_text(sink, text_of(field, row));
	else if (field->type == MPROF_TYPE_INT64)
		table_signed(sink, (int64_t)number_of(field, row));
	else if (field->unit == MPROF_UNIT_BOOLEAN)
		table_boolean(sink, number_of(field, row) != 0);
	else if (field->unit == MPROF_UNIT_THREAD || field->unit == MPROF_UNIT_ADDRESS)
		table_address(sink, number_of(field, row));
	else
		table_unsigned(sink, number_of(field, row));
}

void table_fields(table_sink *sink, const log_report *report, const void *row)
{
	const table_description *table = table_describe(sink->row.table);

	/* The first value is the number of the log. */
	while (sink->row.count - 1 < table->column_count) {
		const table_field *from = &table->fields[sink->row.count - 1];

		switch (from->use) {
		case FIELD_VALUE:
			add_value(sink, from->field, row);
			break;
		case FIELD_NOT:
			table_boolean(sink, number_of(from->field, row) == 0);
			break;
		case FIELD_CLASS_NAME:
			table_class(sink, report, (uint32_t)number_of(from->field, row));
			break;
		case FIELD_METHOD_NAME:
			table_method(sink, report, (uint32_t)number_of(from->field, row));
			break;
		case FIELD_FRAMES:
			table_stack(sink, report, (uint32_t)number_of(from->field, row));
			break;
		case FIELD_HANDLE_TYPE:
			table_text(sink, kind_of_handle((uint32_t)number_of(from->field, row)));
			break;
		default:
			return;
		}
	}
}

void table_add_rows(table_sink *sink, const log_report *report, table_id table)
{
	const uint32_t source = table_describe(table)->source;
	const size_t size = mprof_table_get_info(source)->row_size;
	size_t *row = malloc(size);

	if (row == NULL) {
		sink->row.has_failed = 1;
		return;
	}
	*row = size;
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, source); i++) {
		if (mprof_profile_get_row(report->profile, source, i, row) != MPROF_OK)
			continue;
		table_begin_row(sink, table);
		table_fields(sink, report, row);
		table_end_row(sink);
	}
	free(row);
}
