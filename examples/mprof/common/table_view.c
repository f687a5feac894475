/* SPDX-License-Identifier: MIT */
/* Finds columns of tables by name, and prints their values, and rows of tables of heap graphs, as views describe it. */
#include "common/table_view.h"

#include "common/name_cut.h"
#include "common/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Columns.
 */

static int is_text(const char *text, const char *name, size_t length)
{
	return strlen(text) == length && strncmp(text, name, length) == 0;
}

/* The measure with a name; #MPROF_MEASURE_NONE for the name of a column. */
static uint32_t find_measure(const char *name, size_t length)
{
	static const char *const names[] = {
		[MPROF_MEASURE_COUNT] = "@count", [MPROF_MEASURE_SELF] = "@self", [MPROF_MEASURE_TOTAL] = "@total"};

	for (uint32_t measure = MPROF_MEASURE_COUNT; measure < sizeof(names) / sizeof(names[0]); measure++) {
		if (is_text(names[measure], name, length))
			return measure;
	}
	return MPROF_MEASURE_NONE;
}

const mprof_table_column *table_column_find(table_columns columns, uint32_t table, const char *name, size_t length)
{
	const uint32_t measure = find_measure(name, length);
	const mprof_table_column *column;

	for (size_t i = 0; (column = columns(table, i)) != NULL; i++) {
		if (measure != MPROF_MEASURE_NONE ? column->measure == measure : is_text(column->name, name, length))
			return column;
	}
	return NULL;
}

uint64_t table_column_number(const mprof_table_column *column, const void *row)
{
	const unsigned char *field;
	uint32_t word;
	uint64_t number;

	if (column == NULL || column->type == MPROF_TYPE_TEXT)
		return 0;
	field = (const unsigned char *)row + column->offset;
	if (column->type == MPROF_TYPE_UINT32) {
		memcpy(&word, field, sizeof(word));
		return word;
	}
	memcpy(&number, field, sizeof(number));
	return number;
}

const char *table_column_text(const mprof_table_column *column, const void *row)
{
	const char *text = NULL;

	if (column != NULL && column->type == MPROF_TYPE_TEXT)
		memcpy(&text, (const unsigned char *)row + column->offset, sizeof(text));
	return text;
}

const char *table_column_format(const mprof_table_column *column, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	switch (column->unit) {
	case MPROF_UNIT_BYTES:
		return text_bytes(text, number);
	case MPROF_UNIT_NANOSECONDS:
		return text_duration(text, number);
	case MPROF_UNIT_TIME:
		return text_duration(text, (int64_t)number > 0 ? number : 0);
	case MPROF_UNIT_COUNT:
		return text_count(text, number);
	case MPROF_UNIT_THREAD:
		snprintf(text, TEXT_NUMBER_SIZE, "%#" PRIx64, number);
		return text;
	default:
		snprintf(text, TEXT_NUMBER_SIZE, "%" PRIu64, number);
		return text;
	}
}

void table_column_json(json_writer *json, const char *key, const mprof_table_column *column, const void *row)
{
	const uint64_t number = table_column_number(column, row);

	if (column->type == MPROF_TYPE_TEXT)
		json_string(json, key, table_column_text(column, row));
	else if (column->unit == MPROF_UNIT_THREAD || column->unit == MPROF_UNIT_ADDRESS)
		json_hexadecimal(json, key, number);
	else if (column->unit == MPROF_UNIT_BOOLEAN)
		json_boolean(json, key, number != 0);
	else if (column->type == MPROF_TYPE_INT64)
		json_signed(json, key, (int64_t)number);
	else
		json_unsigned(json, key, number);
}

void table_column_cell(int width, const char *text, int is_first)
{
	printf("%s%*s", is_first || width < 0 ? "  " : " ", width, text);
}

/*
 * Views.
 */

static const mprof_table_column *find_column(const table_view *view, const char *field)
{
	return field != NULL ? table_column_find(mprof_heap_table_get_column, view->table, field, strlen(field)) : NULL;
}

static const char *name_of_class(const table_rows *rows, uint64_t id, class_name *name)
{
	const char *found = names_class_or_none(rows->reader, (uint32_t)id, name);

	return found != NULL ? found : "(unknown)";
}

/*
 * Text.
 */

static int is_shown(const table_cell *cell, const table_rows *rows)
{
	return cell->is_shown == NULL || cell->is_shown(rows->user);
}

static void print_heading(const table_view *view, const table_rows *rows)
{
	int is_first = 1;

	for (size_t i = 0; i < TABLE_VIEW_COLUMNS && view->cells[i].heading != NULL; i++) {
		const table_cell *cell = &view->cells[i];

		if (!is_shown(cell, rows))
			continue;
		if (cell->is_apart && !is_first)
			putchar(' ');
		if (cell->width != 0)
			table_column_cell(cell->width, cell->heading, is_first);
		else if (cell->heading[0] != '\0')
			printf("  %s", cell->heading);
		is_first = 0;
	}
	putchar('\n');
}

static void print_rest(const table_view *view, const table_rows *rows, const table_cell *cell, const void *row)
{
	class_name name;

	if (cell->print != NULL) {
		cell->print(rows->user, row);
		return;
	}
	fputs("  ", stdout);
	name_print(name_of_class(rows, table_column_number(find_column(view, cell->field), row), &name));
}

static void print_line(const table_view *view, const table_rows *rows, const void *row, size_t index)
{
	int is_first = 1;

	for (size_t i = 0; i < TABLE_VIEW_COLUMNS && view->cells[i].heading != NULL; i++) {
		const table_cell *cell = &view->cells[i];
		const mprof_table_column *column = find_column(view, cell->field);
		const uint64_t number = column != NULL ? table_column_number(column, row) : index + 1;
		char text[TEXT_NUMBER_SIZE];

		if (!is_shown(cell, rows))
			continue;
		if (cell->is_apart && !is_first)
			putchar(' ');
		if (cell->width == 0)
			print_rest(view, rows, cell, row);
		else if (cell->is_share)
			table_column_cell(cell->width, text_percent(text, number, rows->whole), is_first);
		else if (column != NULL)
			table_column_cell(cell->width, table_column_format(column, number, text), is_first);
		else
			printf("  %*" PRIu64, cell->width, number);
		is_first = 0;
	}
	putchar('\n');
}

void table_view_text(const table_view *view, const table_rows *rows, size_t shown)
{
	print_heading(view, rows);
	for (size_t i = 0; i < shown; i++) {
		table_row row;

		rows->get(rows->user, i, &row);
		print_line(view, rows, &row, i);
	}
}

/*
 * Documents.
 */

static int is_field(const table_field *field)
{
	return field->field != NULL || field->key != NULL;
}

static const char *key_of(const table_view *view, const table_field *field)
{
	const mprof_table_column *column = find_column(view, field->field);

	return field->key != NULL ? field->key : column != NULL ? column->name : field->field;
}

static void print_value(const table_view *view, const table_rows *rows, json_writer *json, const table_field *field,
			const void *row)
{
	const mprof_table_column *column = find_column(view, field->field);
	const char *text = table_column_text(column, row);
	const char *key = key_of(view, field);
	class_name name;

	if (field->use == TABLE_NAME)
		json_string(json, key, name_of_class(rows, table_column_number(column, row), &name));
	else if (field->use == TABLE_NOT)
		json_boolean(json, key, table_column_number(column, row) == 0);
	else if (text != NULL)
		json_string(json, key, text[0] != '\0' ? text : NULL);
	else
		table_column_json(json, key, column, row);
}

void table_view_fields(const table_view *view, const table_rows *rows, json_writer *json, const void *row, size_t index)
{
	for (size_t i = 0; i < TABLE_VIEW_FIELDS && is_field(&view->fields[i]); i++) {
		const table_field *field = &view->fields[i];

		if (field->is_known != NULL && !field->is_known(rows->user))
			json_null(json, key_of(view, field));
		else if (field->use == TABLE_PRINT)
			field->print(rows->user, json, key_of(view, field), row);
		else if (field->use == TABLE_NUMBER)
			json_unsigned(json, key_of(view, field), index + 1);
		else
			print_value(view, rows, json, field, row);
	}
}

void table_view_json(const table_view *view, const table_rows *rows, size_t shown, json_writer *json, const char *key)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < shown; i++) {
		table_row row;

		rows->get(rows->user, i, &row);
		json_begin_object(json, NULL);
		table_view_fields(view, rows, json, &row, i);
		json_end_object(json);
	}
	json_end_array(json);
}

void table_view_measure_json(json_writer *json, uint32_t table, const char *measure, int is_known, uint64_t number)
{
	const mprof_table_column *column =
		table_column_find(mprof_heap_table_get_column, table, measure, strlen(measure));

	if (is_known)
		json_unsigned(json, column->name, number);
	else
		json_null(json, column->name);
}

/*
 * Comma-separated values.
 */

static void print_csv_name(const char *name)
{
	putchar('"');
	for (; *name != '\0'; name++) {
		if (*name == '"')
			putchar('"');
		putchar(*name);
	}
	putchar('"');
}

static void print_csv_value(const table_view *view, const table_rows *rows, const table_field *field, const void *row,
			    size_t index)
{
	const mprof_table_column *column = find_column(view, field->field);
	const uint64_t number = field->use == TABLE_NUMBER ? index + 1 : table_column_number(column, row);
	class_name name;

	if (field->is_known != NULL && !field->is_known(rows->user))
		return;
	if (field->use == TABLE_NAME)
		print_csv_name(name_of_class(rows, number, &name));
	else if (field->use == TABLE_NOT)
		printf("%d", number == 0);
	else if (column != NULL && column->type == MPROF_TYPE_INT64)
		printf("%" PRId64, (int64_t)number);
	else
		printf("%" PRIu64, number);
}

/* The field of the next word of a list, its key or its name; NULL after the last one. */
static const table_field *next_field(const table_view *view, const char **list)
{
	const size_t length = strcspn(*list, " ");

	for (size_t i = 0; length > 0 && i < TABLE_VIEW_FIELDS && is_field(&view->fields[i]); i++) {
		const table_field *field = &view->fields[i];
		const char *word = field->key != NULL ? field->key : field->field;

		if (strlen(word) == length && strncmp(word, *list, length) == 0) {
			*list += length + ((*list)[length] != '\0');
			return field;
		}
	}
	return NULL;
}

static void print_csv_line(const table_view *view, const table_rows *rows, const void *row, size_t index)
{
	const char *list = view->csv;
	const table_field *field;

	for (int is_first = 1; (field = next_field(view, &list)) != NULL; is_first = 0) {
		if (!is_first)
			putchar(',');
		if (row == NULL)
			fputs(key_of(view, field), stdout);
		else
			print_csv_value(view, rows, field, row, index);
	}
	putchar('\n');
}

void table_view_csv(const table_view *view, const table_rows *rows, size_t shown)
{
	print_csv_line(view, rows, NULL, 0);
	for (size_t i = 0; i < shown; i++) {
		table_row row;

		rows->get(rows->user, i, &row);
		print_csv_line(view, rows, &row, i);
	}
}
