/* SPDX-License-Identifier: MIT */
/* Collects the rows of the tables of a JSON document and prints them as comma-separated values. */
#include "common/csv.h"

#include "common/output.h"
#include "shared/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* No row, table, cell or text. */
#define NONE SIZE_MAX

typedef struct csv_cell {
	size_t text; /* Offset in the texts. */
	size_t next; /* The next cell of the row; NONE if none. */
	size_t column;
} csv_cell;

typedef struct csv_row {
	size_t first_cell;
	size_t last_cell;
	size_t table;
	size_t parent; /* The row that contains it; NONE if none. */
	size_t number; /* Within its table, from 1. */
} csv_row;

typedef struct csv_table {
	char *name;
	char **columns;
	size_t column_count;
	size_t row_count;
	size_t parent; /* The table whose rows contain those of this table; NONE if none. */
	int is_list;   /* It is an array; otherwise an object, which has one row. */
	int is_tree;   /* Rows contain rows of the same table. */
} csv_table;

/* What is open: an object is a row, or a group of cells of a row whose columns have a prefix. */
typedef struct csv_level {
	size_t row;   /* The row that values belong to; NONE for the document. */
	size_t table; /* Of an array of objects; NONE until its first object. */
	char *name;   /* Of an array: its table. Of a group of cells: the prefix of its columns. */
	char *column; /* Of an array: its column, if its elements are values. */
	int is_array;
	size_t values; /* Offset of the joined values of an array; NONE if none. */
} csv_level;

/* Arrays that grow; NULL with a capacity of 0 at first. */
typedef struct csv_array {
	void *items;
	size_t count;
	size_t capacity;
	size_t size; /* Of an item. */
} csv_array;

struct csv_writer {
	const char *wanted;
	csv_array cells;
	csv_array rows;
	csv_array tables;
	csv_array levels;
	csv_array texts;
	int has_printed;
	int has_failed; /* Out of memory: nothing more is printed. */
};

static void *add_items(csv_writer *csv, csv_array *array, size_t count)
{
	void *first;

	if (csv->has_failed)
		return NULL;
	if (array->count + count > array->capacity) {
		size_t capacity = 2 * array->capacity + count + 16;
		void *grown = capacity < SIZE_MAX / array->size ? realloc(array->items, capacity * array->size) : NULL;

		if (grown == NULL) {
			csv->has_failed = 1;
			output_out_of_memory();
			return NULL;
		}
		array->items = grown;
		array->capacity = capacity;
	}
	first = (unsigned char *)array->items + array->count * array->size;
	memset(first, 0, count * array->size);
	array->count += count;
	return first;
}

static csv_table *table_at(const csv_writer *csv, size_t index)
{
	return (csv_table *)csv->tables.items + index;
}

static csv_row *row_at(const csv_writer *csv, size_t index)
{
	return (csv_row *)csv->rows.items + index;
}

static csv_cell *cell_at(const csv_writer *csv, size_t index)
{
	return (csv_cell *)csv->cells.items + index;
}

static csv_level *top_level(const csv_writer *csv)
{
	return (csv_level *)csv->levels.items + csv->levels.count - 1;
}

static char *join_names(csv_writer *csv, const char *first, const char *second)
{
	size_t size = strlen(first) + strlen(second) + 2;
	char *joined = malloc(size);

	if (joined == NULL) {
		csv->has_failed = 1;
		output_out_of_memory();
	} else {
		snprintf(joined, size, "%s%s%s", first, first[0] != '\0' ? "." : "", second);
	}
	return joined;
}

/* Returns the offset of a copy of the text. */
static size_t add_text(csv_writer *csv, const char *text)
{
	size_t offset = csv->texts.count;
	char *copy = add_items(csv, &csv->texts, strlen(text) + 1);

	if (copy != NULL)
		memcpy(copy, text, strlen(text) + 1);
	return offset;
}

static const char *text_at(const csv_writer *csv, size_t offset)
{
	return (const char *)csv->texts.items + offset;
}

/* The rows of a table have the same columns in the same order, so the search starts after the last column. */
static size_t find_column(csv_writer *csv, csv_table *table, const char *name, size_t after)
{
	char **grown;

	for (size_t i = 0; i < table->column_count; i++) {
		size_t column = (after + i) % table->column_count;

		if (strcmp(table->columns[column], name) == 0)
			return column;
	}
	grown = realloc(table->columns, (table->column_count + 1) * sizeof(*grown));
	if (grown != NULL) {
		table->columns = grown;
		grown[table->column_count] = join_names(csv, "", name);
	}
	if (grown == NULL || grown[table->column_count] == NULL) {
		csv->has_failed = 1;
		output_out_of_memory();
		return 0;
	}
	return table->column_count++;
}

static void add_cell(csv_writer *csv, size_t row_index, const char *column, size_t text)
{
	csv_row *row = row_at(csv, row_index);
	size_t after = row->last_cell != NONE ? cell_at(csv, row->last_cell)->column + 1 : 0;
	size_t index = csv->cells.count;
	csv_cell *cell = add_items(csv, &csv->cells, 1);

	if (cell == NULL)
		return;
	cell->text = text;
	cell->next = NONE;
	cell->column = find_column(csv, table_at(csv, row->table), column, after);
	if (row->last_cell != NONE)
		cell_at(csv, row->last_cell)->next = index;
	else
		row->first_cell = index;
	row->last_cell = index;
}

/* Returns the table with this name, which is created if necessary. */
static size_t find_table(csv_writer *csv, const char *name, size_t parent, int is_list)
{
	csv_table *table;

	for (size_t i = 0; i < csv->tables.count; i++) {
		if (strcmp(table_at(csv, i)->name, name) == 0)
			return i;
	}
	table = add_items(csv, &csv->tables, 1);
	if (table == NULL)
		return NONE;
	table->parent = parent;
	table->is_list = is_list;
	table->name = join_names(csv, "", name);
	return csv->tables.count - 1;
}

static size_t add_row(csv_writer *csv, size_t table, size_t parent)
{
	size_t index = csv->rows.count;
	csv_row *row;

	if (table == NONE)
		return NONE;
	row = add_items(csv, &csv->rows, 1);
	if (row == NULL)
		return NONE;
	row->first_cell = NONE;
	row->last_cell = NONE;
	row->table = table;
	row->parent = parent;
	row->number = ++table_at(csv, table)->row_count;
	return index;
}

/* The name of the table of an array. The children of the node of a tree are in the table of the tree. */
static char *name_of_array(csv_writer *csv, const csv_level *outer, const char *key)
{
	csv_table *table;

	if (outer->row == NONE)
		return join_names(csv, "", key);
	table = table_at(csv, row_at(csv, outer->row)->table);
	if (strcmp(key, "children") == 0) {
		table->is_tree = 1;
		return join_names(csv, "", table->name);
	}
	return join_names(csv, table->name, key);
}

static void begin_array(csv_writer *csv, const csv_level *outer, const char *key, csv_level *level)
{
	level->is_array = 1;
	level->row = outer->row;
	/* An array in an array of values: its values are joined with the others. */
	level->name = outer->is_array ? NULL : name_of_array(csv, outer, key);
	level->column = outer->is_array ? NULL : join_names(csv, outer->name != NULL ? outer->name : "", key);
}

static void begin_object(csv_writer *csv, csv_level *outer, const char *key, csv_level *level)
{
	size_t parent_table = outer->row != NONE ? row_at(csv, outer->row)->table : NONE;

	if (outer->is_array) {
		if (outer->table == NONE && outer->name != NULL)
			outer->table = find_table(csv, outer->name, parent_table, 1);
		level->row = add_row(csv, outer->table, outer->row);
	} else if (outer->row == NONE) {
		level->row = add_row(csv, find_table(csv, key, NONE, 0), NONE);
	} else {
		level->row = outer->row;
		level->name = join_names(csv, outer->name != NULL ? outer->name : "", key);
	}
}

static void csv_begin(void *user, const char *key, int is_array)
{
	csv_writer *csv = user;
	csv_level level = {.row = NONE, .table = NONE, .values = NONE};
	csv_level *added;

	/* Adding a level can move the array of levels, so the new one is added last. */
	if (!csv->has_failed && csv->levels.count > 0) {
		if (is_array)
			begin_array(csv, top_level(csv), key, &level);
		else
			begin_object(csv, top_level(csv), key, &level);
	}
	added = add_items(csv, &csv->levels, 1);
	if (added != NULL) {
		*added = level;
	} else {
		free(level.name);
		free(level.column);
	}
}

/* Appends a value to those of an array. */
static void join_value(csv_writer *csv, csv_level *level, const char *text)
{
	char *copy;

	if (level->values == NONE) {
		level->values = add_text(csv, text);
		return;
	}
	/* The values of an array are the last text, because nothing else is added before its end. */
	copy = add_items(csv, &csv->texts, strlen(text) + 1);
	if (copy != NULL) {
		copy[-1] = ';';
		memcpy(copy, text, strlen(text) + 1);
	}
}

static void csv_value(void *user, const char *key, const char *text)
{
	csv_writer *csv = user;
	csv_level *level;

	if (csv->has_failed || csv->levels.count == 0)
		return;
	level = top_level(csv);
	if (level->is_array) {
		/* Values of an array in an array belong to the outer one. */
		while (level->column == NULL && level > (csv_level *)csv->levels.items)
			level--;
		join_value(csv, level, text != NULL ? text : "");
		return;
	}
	/* Values of the document itself describe its tables, like the version. */
	if (level->row == NONE)
		return;
	if (level->name != NULL) {
		char *column = join_names(csv, level->name, key);

		if (column != NULL)
			add_cell(csv, level->row, column, add_text(csv, text != NULL ? text : ""));
		free(column);
	} else {
		add_cell(csv, level->row, key, add_text(csv, text != NULL ? text : ""));
	}
}

/* Whether a text is a decimal number, which has a sign at most at its start and in its exponent. */
static int is_number(const char *text, size_t length)
{
	int has_digit = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			has_digit = 1;
		else if (text[i] != '.' && (text[i] != 'e' || !has_digit) &&
			 (strchr("+-", text[i]) == NULL || (i > 0 && text[i - 1] != 'e')))
			return 0;
	}
	return has_digit;
}

int csv_is_formula(const char *text, size_t length)
{
	return length > 0 && memchr("=+-@\t\r\n", text[0], 7) != NULL && !is_number(text, length);
}

static void print_text(const char *text)
{
	const int is_formula = csv_is_formula(text, strlen(text));

	if (!is_formula && strpbrk(text, ",\"\r\n") == NULL) {
		for (; *text != '\0'; text++)
			putc_unlocked(*text, stdout);
		return;
	}
	putc_unlocked('"', stdout);
	if (is_formula)
		putc_unlocked(CSV_TEXT_MARK, stdout);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putc_unlocked('"', stdout);
		putc_unlocked(*text, stdout);
	}
	putc_unlocked('"', stdout);
}

/* Prints a text. Bytes that are not UTF-8 are replaced. */
static void print_cell(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t length = 0;

	while (text[length] != '\0' && utf8_sequence(text + length) > 0)
		length += utf8_sequence(text + length);
	if (text[length] == '\0') {
		print_text(text);
		return;
	}
	putc_unlocked('"', stdout);
	if (csv_is_formula(text, strlen(text)))
		putc_unlocked(CSV_TEXT_MARK, stdout);
	while (*text != '\0') {
		size_t bytes = utf8_sequence(text);

		if (*text == '"')
			putc_unlocked('"', stdout);
		if (bytes == 0)
			fputs(replacement, stdout);
		else
			fwrite(text, 1, bytes, stdout);
		text += bytes > 0 ? bytes : 1;
	}
	putc_unlocked('"', stdout);
}

/* Rows of a table inside another have the first cell of the row that contains them. */
static int has_link(const csv_writer *csv, const csv_table *table)
{
	return table->parent != NONE && table_at(csv, table->parent)->is_list &&
	       table_at(csv, table->parent)->column_count > 0;
}

static void print_columns(const csv_writer *csv, const csv_table *table)
{
	const char *separator = "";

	if (csv->wanted == NULL) {
		fputs("table", stdout);
		separator = ",";
	}
	if (has_link(csv, table)) {
		const csv_table *parent = table_at(csv, table->parent);

		printf("%s%s.%s", separator, parent->name, parent->columns[0]);
		separator = ",";
	}
	if (table->is_tree) {
		printf("%snode,parent", separator);
		separator = ",";
	}
	for (size_t i = 0; i < table->column_count; i++) {
		fputs(separator, stdout);
		print_cell(table->columns[i]);
		separator = ",";
	}
	fputs("\r\n", stdout);
}

/* Prints the first cell of the row that contains the table of a row. */
static void print_link(const csv_writer *csv, const csv_row *row)
{
	const csv_row *outer = row;

	while (outer->parent != NONE && outer->table == row->table)
		outer = row_at(csv, outer->parent);
	if (outer->table != row->table && outer->first_cell != NONE)
		print_cell(text_at(csv, cell_at(csv, outer->first_cell)->text));
}

static void print_row(const csv_writer *csv, const csv_table *table, const csv_row *row, size_t *texts)
{
	const char *separator = "";

	if (csv->wanted == NULL) {
		fputs(table->name, stdout);
		separator = ",";
	}
	if (has_link(csv, table)) {
		fputs(separator, stdout);
		print_link(csv, row);
		separator = ",";
	}
	if (table->is_tree) {
		int is_root = row->parent == NONE || row_at(csv, row->parent)->table != row->table;

		printf("%s%zu,", separator, row->number);
		if (!is_root)
			printf("%zu", row_at(csv, row->parent)->number);
		separator = ",";
	}
	for (size_t i = 0; i < table->column_count; i++)
		texts[i] = NONE;
	for (size_t i = row->first_cell; i != NONE; i = cell_at(csv, i)->next)
		texts[cell_at(csv, i)->column] = cell_at(csv, i)->text;
	for (size_t i = 0; i < table->column_count; i++) {
		fputs(separator, stdout);
		if (texts[i] != NONE)
			print_cell(text_at(csv, texts[i]));
		separator = ",";
	}
	fputs("\r\n", stdout);
}

static int is_wanted(const csv_writer *csv, const char *name)
{
	size_t length = csv->wanted != NULL ? strcspn(csv->wanted, " ") : 0;

	return csv->wanted == NULL || (strlen(name) == length && strncmp(csv->wanted, name, length) == 0);
}

static void print_table(csv_writer *csv, size_t index)
{
	const csv_table *table = table_at(csv, index);
	size_t *texts;

	if (table->row_count == 0 || !is_wanted(csv, table->name))
		return;
	texts = calloc(table->column_count + 1, sizeof(*texts));
	if (texts == NULL) {
		csv->has_failed = 1;
		output_out_of_memory();
		return;
	}
	if (csv->has_printed)
		fputs("\r\n", stdout);
	csv->has_printed = 1;
	print_columns(csv, table);
	for (size_t i = 0; i < csv->rows.count; i++) {
		if (row_at(csv, i)->table == index)
			print_row(csv, table, row_at(csv, i), texts);
	}
	free(texts);
}

static void free_table(csv_table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		free(table->columns[i]);
	free(table->columns);
	free(table->name);
}

/* Prints the tables of a value of the document once it is complete. */
static void print_tables(csv_writer *csv)
{
	for (size_t i = 0; i < csv->tables.count && !csv->has_failed; i++)
		print_table(csv, i);
	for (size_t i = 0; i < csv->tables.count; i++)
		free_table(table_at(csv, i));
	csv->tables.count = 0;
	csv->rows.count = 0;
	csv->cells.count = 0;
	csv->texts.count = 0;
}

static void csv_end(void *user)
{
	csv_writer *csv = user;
	csv_level *level;

	if (csv->has_failed || csv->levels.count == 0)
		return;
	level = top_level(csv);
	if (level->values != NONE && level->column != NULL && level->row != NONE)
		add_cell(csv, level->row, level->column, level->values);
	free(level->name);
	free(level->column);
	csv->levels.count--;
	if (csv->levels.count == 1)
		print_tables(csv);
}

csv_writer *csv_create(const char *table)
{
	csv_writer *csv = calloc(1, sizeof(*csv));

	if (csv == NULL) {
		output_out_of_memory();
		return NULL;
	}
	csv->wanted = table;
	csv->cells.size = sizeof(csv_cell);
	csv->rows.size = sizeof(csv_row);
	csv->tables.size = sizeof(csv_table);
	csv->levels.size = sizeof(csv_level);
	csv->texts.size = 1;
	return csv;
}

void csv_init_json(csv_writer *csv, json_writer *json)
{
	static const json_sink sink = {csv_begin, csv_end, csv_value};

	json_init_sink(json, &sink, csv);
}

int csv_destroy(csv_writer *csv)
{
	int has_printed = csv->has_printed || csv->has_failed;

	while (csv->levels.count > 0) {
		free(top_level(csv)->name);
		free(top_level(csv)->column);
		csv->levels.count--;
	}
	print_tables(csv);
	free(csv->cells.items);
	free(csv->rows.items);
	free(csv->tables.items);
	free(csv->levels.items);
	free(csv->texts.items);
	free(csv);
	return has_printed;
}
