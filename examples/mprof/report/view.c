/* SPDX-License-Identifier: MIT */
/* Collects, sorts and prints the rows of tables as their views describe it. */
#include "report/findings.h"
#include "report/view.h"

#include "common/output.h"
#include "common/table_view.h"
#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/stacks.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *report_view_allocate(size_t count, size_t size)
{
	void *rows = calloc(count + 1, size);

	if (rows == NULL)
		output_out_of_memory();
	return rows;
}

void *report_view_copy(const void *rows, size_t size, size_t *count)
{
	void *copy = report_view_allocate(*count, size);

	if (copy == NULL)
		*count = 0;
	else if (*count > 0)
		memcpy(copy, rows, *count * size);
	return copy;
}

/*
 * Fields.
 */

/* The next word of a list of words with blanks between them; its length is 0 after the last one. */
static size_t next_word(const char **list)
{
	*list += strspn(*list, " ");
	return strcspn(*list, " ");
}

static const mprof_table_column *find_column(const report_view *view, const char *name, size_t length)
{
	const mprof_table_column *column = table_column_find(mprof_table_get_column, view->source, name, length);

	if (column != NULL)
		return column;
	for (column = view->fields; column != NULL && column->name != NULL; column++) {
		if (strlen(column->name) == length && strncmp(column->name, name, length) == 0)
			return column;
	}
	return NULL;
}

static const mprof_table_column *find_field(const report_view *view, const char *name)
{
	return name != NULL ? find_column(view, name, strlen(name)) : NULL;
}

uint64_t report_view_number(const report_view *view, const void *row, const char *field)
{
	return table_column_number(find_field(view, field), row);
}

static int is_figure(const mprof_table_column *column)
{
	return column->length == 1 && (column->unit == MPROF_UNIT_COUNT || column->unit == MPROF_UNIT_BYTES ||
				       column->unit == MPROF_UNIT_NANOSECONDS || column->unit == MPROF_UNIT_TIME);
}

/*
 * Collecting.
 */

static size_t row_size_of(const report_view *view)
{
	return view->row_size != 0 ? view->row_size : mprof_table_get_info(view->source)->row_size;
}

static void *read_source(const log_report *report, const report_view *view, size_t *count)
{
	const size_t size = row_size_of(view);
	unsigned char *rows;

	*count = mprof_profile_get_row_count(report->profile, view->source);
	rows = report_view_allocate(*count, size);
	if (rows == NULL ||
	    mprof_profile_get_rows(report->profile, view->source, 0, rows, size, *count, count) != MPROF_OK)
		*count = 0;
	return rows;
}

#define MAX_LIST 16

/* The fields of a list. */
typedef struct field_list {
	struct {
		const mprof_table_column *column;
		char mark; /* What precedes the name; 0 for nothing. */
	} fields[MAX_LIST];
	size_t count;
} field_list;

static field_list parse_fields(const report_view *view, const char *list)
{
	field_list found = {.count = 0};
	size_t length;

	for (const char *word = list; word != NULL && found.count < MAX_LIST && (length = next_word(&word)) > 0;
	     word += length) {
		const size_t marked = *word == '<' || *word == '?';

		found.fields[found.count].mark = (char)(marked ? *word : 0);
		found.fields[found.count].column = find_column(view, word + marked, length - marked);
		found.count += found.fields[found.count].column != NULL;
	}
	return found;
}

static int passes_filter(const log_report *report, const mprof_table_column *column, uint64_t value)
{
	switch (column->unit) {
	case MPROF_UNIT_CLASS:
		return report_wants_class(report, (uint32_t)value);
	case MPROF_UNIT_METHOD:
		return report_wants_method(report, (uint32_t)value);
	case MPROF_UNIT_STACK:
		return report_frames_keep_stack(report, (uint32_t)value);
	case MPROF_UNIT_THREAD:
		return report_wants_thread(report, value);
	default:
		return 1;
	}
}

/* Whether a row has any figure of a list, or the list is empty. */
static int has_any(const field_list *list, const void *row)
{
	int has = list->count == 0;

	for (size_t i = 0; i < list->count && !has; i++)
		has = table_column_number(list->fields[i].column, row) != 0;
	return has;
}

static int passes_filters(const log_report *report, const field_list *filters, const void *row)
{
	int passes = 1;

	for (size_t i = 0; i < filters->count && passes; i++)
		passes = passes_filter(report, filters->fields[i].column,
				       table_column_number(filters->fields[i].column, row));
	return passes;
}

static void keep_row(view_rows *rows, size_t *kept, size_t index)
{
	if (*kept < index)
		memcpy(rows->rows + *kept * rows->size, rows->rows + index * rows->size, rows->size);
	++*kept;
}

static void filter_rows(const log_report *report, const report_view *view, view_rows *rows)
{
	const field_list present = parse_fields(view, view->present);
	const field_list filters = parse_fields(view, view->filters);
	const mprof_table_column *stack = find_field(view, "stack");
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const unsigned char *row = rows->rows + i * rows->size;

		if (has_any(&present, row) && (!view->needs_stack || table_column_number(stack, row) != 0) &&
		    passes_filters(report, &filters, row) && (view->keep == NULL || view->keep(report, row)))
			keep_row(rows, &kept, i);
	}
	rows->count = kept;
}

static void keep_remaining(const report_view *view, view_rows *rows)
{
	const field_list remaining = parse_fields(view, view->remaining);
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (has_any(&remaining, rows->rows + i * rows->size))
			keep_row(rows, &kept, i);
	}
	rows->count = kept;
}

/* qsort() passes no argument: what the rows are compared by. */
static field_list sorted_by;

static int compare_texts(const char *left, const char *right)
{
	return strcmp(left != NULL ? left : "", right != NULL ? right : "");
}

static int compare_values(const mprof_table_column *column, const void *left, const void *right)
{
	if (column->type == MPROF_TYPE_TEXT)
		return -compare_texts(table_column_text(column, left), table_column_text(column, right));
	if (column->type == MPROF_TYPE_INT64) {
		const int64_t a = (int64_t)table_column_number(column, left);
		const int64_t b = (int64_t)table_column_number(column, right);

		return (a < b) - (a > b);
	}
	return report_larger_first(table_column_number(column, left), table_column_number(column, right));
}

static int compare_rows(const void *left, const void *right)
{
	int order = 0;

	for (size_t i = 0; i < sorted_by.count && order == 0; i++) {
		order = compare_values(sorted_by.fields[i].column, left, right);
		if (sorted_by.fields[i].mark == '<')
			order = -order;
	}
	return order;
}

static void sort_rows(const report_view *view, view_rows *rows)
{
	sorted_by = parse_fields(view, view->order);
	if (sorted_by.count > 0 && rows->count > 1)
		qsort(rows->rows, rows->count, rows->size, compare_rows);
}

/*
 * The order that was chosen.
 */

int report_view_is_key(const char *text, size_t length, const char *section, const char *name)
{
	const size_t prefix = strlen(section);

	if (length > prefix && strncmp(text, section, prefix) == 0 && text[prefix] == ':') {
		text += prefix + 1;
		length -= prefix + 1;
	}
	return strlen(name) == length && strncmp(text, name, length) == 0;
}

/* The first order of the list that the view has; NULL if none. */
static const view_sort *find_sort(const log_report *report, const report_view *view)
{
	const char *section = sections_name(sections_of_table(view->table));

	for (const char *text = report->options.orders; text != NULL;
	     text = strchr(text, ',') != NULL ? strchr(text, ',') + 1 : NULL) {
		for (size_t i = 0; i < VIEW_SORTS_MAX && view->sorts[i].name != NULL; i++) {
			if (report_view_is_key(text, strcspn(text, ","), section, view->sorts[i].name))
				return &view->sorts[i];
		}
	}
	return NULL;
}

int report_view_is_sorted(const log_report *report, const report_view *view)
{
	return find_sort(report, view) != NULL;
}

typedef struct ranked_row {
	uint64_t key;
	size_t index;
} ranked_row;

static int compare_ranks(const void *left, const void *right)
{
	const ranked_row *a = left;
	const ranked_row *b = right;

	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Sorts by one field, the largest first; equal rows keep their order. */
static void rank_rows(const mprof_table_column *column, view_rows *rows)
{
	unsigned char *sorted = report_view_allocate(rows->count, rows->size);
	ranked_row *ranks = report_view_allocate(rows->count, sizeof(*ranks));

	if (sorted != NULL && ranks != NULL) {
		for (size_t i = 0; i < rows->count; i++)
			ranks[i] = (ranked_row){table_column_number(column, rows->rows + i * rows->size), i};
		qsort(ranks, rows->count, sizeof(*ranks), compare_ranks);
		for (size_t i = 0; i < rows->count; i++)
			memcpy(sorted + i * rows->size, rows->rows + ranks[i].index * rows->size, rows->size);
		memcpy(rows->rows, sorted, rows->count * rows->size);
	}
	free(sorted);
	free(ranks);
}

static void apply_order(const log_report *report, const report_view *view, view_rows *rows)
{
	const view_sort *sort = find_sort(report, view);

	if (sort == NULL || rows->count == 0)
		return;
	sorted_by = parse_fields(view, sort->field);
	if (sort->compare != NULL)
		qsort(rows->rows, rows->count, rows->size, sort->compare);
	else if (sorted_by.count > 1)
		qsort(rows->rows, rows->count, rows->size, compare_rows);
	else
		rank_rows(sorted_by.fields[0].column, rows);
}

/*
 * Merging call sites.
 */

static int compare_merged(const void *user, const void *left, const void *right)
{
	const field_list *fields = user;
	int order = 0;

	for (size_t i = 0; i < fields->count && order == 0; i++) {
		uint64_t a = table_column_number(fields->fields[i].column, left);
		uint64_t b = table_column_number(fields->fields[i].column, right);

		if (fields->fields[i].mark == '?') {
			a = a != 0;
			b = b != 0;
		}
		order = report_larger_first(b, a);
	}
	return order;
}

static int is_error(const char *name)
{
	static const char suffix[] = "_error";
	const size_t length = strlen(name);

	return length >= sizeof(suffix) && strcmp(name + length - sizeof(suffix) + 1, suffix) == 0;
}

/* Sums stop at the largest number. */
static uint64_t add_numbers(uint64_t left, uint64_t right)
{
	return right <= UINT64_MAX - left ? left + right : UINT64_MAX;
}

static void add_rows(const void *user, void *sum, const void *row)
{
	const report_view *view = user;
	const mprof_table_column *column;
	/* Rows are smaller. */
	_Alignas(max_align_t) unsigned char before[1024];

	memcpy(before, sum, row_size_of(view) < sizeof(before) ? row_size_of(view) : sizeof(before));
	for (size_t i = 0; (column = mprof_table_get_column(view->source, i)) != NULL; i++) {
		uint64_t left = table_column_number(column, sum);
		uint64_t right = table_column_number(column, row);

		if (!is_figure(column) || column->type != MPROF_TYPE_UINT64)
			continue;
		left = is_error(column->name) ? report_add_error(left, right) : add_numbers(left, right);
		memcpy((unsigned char *)sum + column->offset, &left, sizeof(left));
	}
	if (view->add != NULL)
		view->add(sum, before, row);
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *user, const void *row, size_t *count,
					  int *is_owned)
{
	const report_view *view = user;

	if (view->frames != NULL)
		return view->frames(report, row, count, is_owned);
	return report_site_frames(report, (uint32_t)report_view_number(view, row, "stack"), 0, 0, count, is_owned);
}

static void merge_rows(const log_report *report, const report_view *view, view_rows *rows)
{
	const field_list fields = parse_fields(view, view->merged);
	const site_merge merge = {.size = rows->size,
				  .user = view,
				  .fields = &fields,
				  .frames = frames_of,
				  .compare = compare_merged,
				  .add = add_rows};

	if (view->merged == NULL)
		return;
	/* The first row of a site has the values that all are shown with. */
	sort_rows(view, rows);
	report_merge_sites(report, &merge, rows->rows, &rows->count);
}

void report_view_arrange(const log_report *report, const report_view *view, view_rows *rows)
{
	filter_rows(report, view, rows);
	merge_rows(report, view, rows);
	keep_remaining(view, rows);
	sort_rows(view, rows);
	apply_order(report, view, rows);
}

view_rows report_view_collect(const log_report *report, const report_view *view)
{
	view_rows rows = {.size = row_size_of(view)};

	rows.rows = view->read != NULL ? view->read(report, &rows.count) : read_source(report, view, &rows.count);
	report_view_arrange(report, view, &rows);
	return rows;
}

/*
 * Text.
 */

/* A column of a table that is printed. */
typedef struct shown_column {
	const view_column *of;
	const mprof_table_column *field;
	const mprof_table_column *needs;
} shown_column;

typedef struct shown_columns {
	shown_column columns[VIEW_COLUMNS_MAX];
	size_t count;
	const mprof_table_column *samples;
	uint64_t whole;
} shown_columns;

static shown_columns choose_columns(const log_report *report, const report_view *view, const view_rows *rows,
				    uint64_t whole)
{
	shown_columns shown = {.samples = find_field(view, "samples"), .whole = whole};

	for (size_t i = 0; i < VIEW_COLUMNS_MAX; i++) {
		const view_column *column = &view->columns[i];

		if (column->width == 0 && column->field == NULL && column->print == NULL)
			break;
		if (column->when == NULL || column->when(report, rows))
			shown.columns[shown.count++] = (shown_column){column, find_field(view, column->field),
								      find_field(view, column->needs)};
	}
	return shown;
}

/* Nothing if no column has a heading. */
static void print_heading(const log_report *report, const shown_columns *shown)
{
	int has_any = 0;

	for (size_t i = 0; i < shown->count; i++)
		has_any |= shown->columns[i].of->heading != NULL;
	for (size_t i = 0; has_any && i < shown->count; i++) {
		const view_column *column = shown->columns[i].of;

		if (column->width != 0) {
			table_column_cell(column->width, column->heading != NULL ? column->heading : "", i == 0);
		} else if (column->heading != NULL) {
			fputs("  ", stdout);
			report_own_words(report, column->heading);
		}
	}
	if (has_any)
		putchar('\n');
}

static const char *format_cell(const log_report *report, const shown_columns *shown, const shown_column *column,
			       const void *row, char text[TEXT_NUMBER_SIZE])
{
	const view_column *of = column->of;
	const uint64_t number = table_column_number(column->field, row);

	if (column->needs != NULL && table_column_number(column->needs, row) == 0)
		return of->otherwise != NULL ? of->otherwise : "";
	if (of->text != NULL)
		return of->text(report, row, number, text);
	if (of->kind != NULL)
		return of->kind((uint32_t)number);
	if (of->format == VIEW_SHARE)
		return text_percent(text, number, shown->whole);
	if (of->format == VIEW_SECONDS) {
		snprintf(text, TEXT_NUMBER_SIZE, "%.6f s", (double)(int64_t)number / 1e9);
		return text;
	}
	if (of->format == VIEW_ERROR && table_column_number(shown->samples, row) == 0)
		return "exact";
	return table_column_format(column->field, number, text);
}

static void print_rest(const log_report *report, const shown_column *column, const void *row)
{
	const uint64_t number = table_column_number(column->field, row);

	if (column->of->print != NULL) {
		column->of->print(report, row);
		return;
	}
	fputs("  ", stdout);
	if (column->of->kind != NULL)
		puts(column->of->kind((uint32_t)number));
	else if (column->field->unit == MPROF_UNIT_CLASS)
		report_class(report, (uint32_t)number);
	else if (column->field->unit == MPROF_UNIT_METHOD)
		report_method(report, (uint32_t)number);
	else
		report_name(table_column_text(column->field, row));
}

static void print_row(const log_report *report, const report_view *view, const shown_columns *shown, const void *row)
{
	char text[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < shown->count; i++) {
		const shown_column *column = &shown->columns[i];

		if (column->of->width != 0)
			table_column_cell(column->of->width, format_cell(report, shown, column, row, text), i == 0);
		else
			print_rest(report, column, row);
	}
	if (view->without_stacks)
		return;
	if (view->below != NULL)
		view->below(report, row);
	else if (find_field(view, "stack") != NULL)
		report_stack(report, (uint32_t)report_view_number(view, row, "stack"));
}

/* The number of rows that are printed as text. */
static size_t shown_rows(const log_report *report, const report_view *view, const view_rows *rows)
{
	const size_t most = view->merged != NULL && !report->options.has_top ? FIRST_SCREEN_SITES : SIZE_MAX;
	const size_t count = report_rows(report, rows->count);

	if (report_is_first_screen(report))
		return count < most ? count : most;
	return view->shows_all ? rows->count : count;
}

void report_view_rows_text(const log_report *report, const report_view *view, const char *title, const view_rows *rows,
			   uint64_t whole)
{
	const size_t count = shown_rows(report, view, rows);
	shown_columns shown;

	if (rows->count == 0)
		return;
	shown = choose_columns(report, view, rows, whole);
	report_title(report, title, count, rows->count, view->table);
	if (view->note != NULL)
		view->note(report, rows);
	print_heading(report, &shown);
	for (size_t i = 0; i < count; i++) {
		const size_t index = view->shows_last ? rows->count - count + i : i;

		print_row(report, view, &shown, rows->rows + index * rows->size);
	}
}

void report_view_text(const log_report *report, const report_view *view)
{
	view_rows rows = report_view_collect(report, view);
	uint64_t whole;
	size_t kept = 0;

	for (size_t i = 0; view->keep_text != NULL && i < rows.count; i++) {
		if (view->keep_text(report, rows.rows + i * rows.size))
			keep_row(&rows, &kept, i);
	}
	rows.count = view->keep_text != NULL ? kept : rows.count;
	memcpy(&whole, (const unsigned char *)&report->totals + view->whole, sizeof(whole));
	report_view_rows_text(report, view, view->title, &rows, whole);
	free(rows.rows);
}

void report_view_total(const char *label, const char *value, int width)
{
	printf("  %-*s %14s\n", width, label, value);
}

void report_view_totals(uint32_t table, const void *row, const view_total *totals, int width)
{
	const report_view view = {.source = table};
	char text[TEXT_NUMBER_SIZE];

	for (; totals->label != NULL; totals++) {
		const mprof_table_column *field = find_field(&view, totals->field);

		if (totals->needs == NULL || report_view_number(&view, row, totals->needs) > 0)
			report_view_total(totals->label,
					  table_column_format(field, table_column_number(field, row), text), width);
	}
}

/*
 * Documents.
 */

static void print_name(const log_report *report, json_writer *json, const char *key, const view_field *field,
		       const mprof_table_column *column, uint64_t number)
{
	class_name name;

	if (field->kind != NULL)
		json_string(json, key, field->kind((uint32_t)number));
	else if (column->unit == MPROF_UNIT_CLASS)
		json_string(json, key, names_class_or_none(report->input.reader, (uint32_t)number, &name));
	else
		json_string(json, key, number != 0 ? names_full_method(report->input.names, (uint32_t)number) : NULL);
}

/* A field of a document, found in the description of its table. */
typedef struct found_field {
	const view_field *of;
	const mprof_table_column *column;
	const mprof_table_column *needs;
	const char *key;
} found_field;

typedef struct found_fields {
	found_field fields[2 * VIEW_FIELDS_MAX];
	size_t count;
} found_fields;

static int is_named(const report_view *view, const mprof_table_column *column)
{
	for (size_t i = 0; i < VIEW_FIELDS_MAX && view->json[i].use != VIEW_END; i++) {
		if (find_field(view, view->json[i].field) == column)
			return 1;
	}
	return 0;
}

static void find_others(const report_view *view, found_fields *found)
{
	static const view_field other = {.use = VIEW_VALUE};
	const size_t most = sizeof(found->fields) / sizeof(found->fields[0]);
	const mprof_table_column *column;

	for (size_t i = 0; (column = mprof_table_get_column(view->source, i)) != NULL && found->count < most; i++) {
		if (is_figure(column) && !is_named(view, column))
			found->fields[found->count++] = (found_field){&other, column, NULL, column->name};
	}
}

/* The key of a field in documents: if a view names it by its measure, that is the name of the column. */
static const char *key_of(const view_field *field, const mprof_table_column *column)
{
	if (field->key != NULL)
		return field->key;
	return field->field != NULL && field->field[0] == '@' && column != NULL ? column->name : field->field;
}

static found_fields find_fields(const report_view *view)
{
	found_fields found = {.count = 0};

	for (size_t i = 0; i < VIEW_FIELDS_MAX && view->json[i].use != VIEW_END; i++) {
		const view_field *field = &view->json[i];
		const mprof_table_column *column = find_field(view, field->field);

		if (field->use == VIEW_REST)
			find_others(view, &found);
		else if (field->use != VIEW_HIDDEN)
			found.fields[found.count++] =
				(found_field){field, column, find_field(view, field->needs), key_of(field, column)};
	}
	return found;
}

static void print_field(const log_report *report, json_writer *json, const found_field *field, const void *row)
{
	const uint64_t number = table_column_number(field->column, row);

	if (field->needs != NULL && table_column_number(field->needs, row) == 0) {
		json_null(json, field->key);
		return;
	}
	switch (field->of->use) {
	case VIEW_NOT:
		json_boolean(json, field->key, number == 0);
		break;
	case VIEW_ANY:
		json_boolean(json, field->key, (number & field->of->bits) != 0);
		break;
	case VIEW_NAMED:
		print_name(report, json, field->key, field->of, field->column, number);
		break;
	case VIEW_STACK:
		report_json_stack(report, json, field->key, (uint32_t)number);
		break;
	case VIEW_PRINT:
		field->of->print(report, json, row, number);
		break;
	default:
		table_column_json(json, field->key, field->column, row);
		break;
	}
}

static void print_fields(const log_report *report, json_writer *json, const found_fields *found, const void *row)
{
	for (size_t i = 0; i < found->count; i++)
		print_field(report, json, &found->fields[i], row);
}

void report_view_fields(const log_report *report, json_writer *json, const report_view *view, const void *row)
{
	const found_fields found = find_fields(view);

	print_fields(report, json, &found, row);
}

static uint64_t size_of_row(const log_report *report, const report_view *view, const void *row, uint64_t most)
{
	if (view->size != NULL)
		return view->size(report, row, most);
	if (find_field(view, "stack") == NULL)
		return view->row_bytes;
	return view->row_bytes + report_json_stack_size(report, (uint32_t)report_view_number(view, row, "stack"), most);
}

/* The rows of a document: as many as --top allows and as there is room for. */
static void choose_rows(log_report *report, const report_view *view, const view_rows *rows, size_t *first, size_t *end)
{
	const size_t count = view->has_all_rows ? rows->count : report_rows(report, rows->count);
	uint64_t room = report_room(report);
	size_t fitting = 0;

	while (fitting < count && view->row_bytes > 0) {
		const size_t index = view->has_last ? count - 1 - fitting : fitting;

		if (!report_takes_room(&room, size_of_row(report, view, rows->rows + index * rows->size, room)))
			break;
		fitting++;
	}
	if (view->row_bytes == 0)
		fitting = count;
	else
		report->left_out[view->left_out] += count - fitting;
	*first = view->has_last ? count - fitting : 0;
	*end = *first + fitting;
}

void report_view_rows_json(log_report *report, json_writer *json, const report_view *view, const view_rows *rows)
{
	const found_fields found = find_fields(view);
	size_t first;
	size_t end;

	choose_rows(report, view, rows, &first, &end);
	json_begin_array(json, sections_table_key(view->table));
	for (size_t i = first; i < end; i++) {
		json_begin_object(json, NULL);
		print_fields(report, json, &found, rows->rows + i * rows->size);
		json_end_object(json);
	}
	json_end_array(json);
}

void report_view_json(log_report *report, json_writer *json, const report_view *view)
{
	view_rows rows = report_view_collect(report, view);

	report_view_rows_json(report, json, view, &rows);
	free(rows.rows);
}
