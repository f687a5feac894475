/* SPDX-License-Identifier: MIT */
/* Prints the objects that retain the most, and which object dominates each of them. */
#include "heap/largest.h"

#include "common/output.h"
#include "common/table_view.h"
#include "heap/selection.h"
#include "heap/view.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

#define USUAL_ROWS 10
#define USUAL_JSON_ROWS 100

typedef struct largest_row {
	uint64_t retained;
	uint32_t object;
} largest_row;

/* The rows are a heap in an array while objects are added; the first one is the smallest. */
typedef struct largest_table {
	const heap_view *view;
	largest_row *rows;
	size_t count;
	size_t capacity;
	int has_referrers; /**< The numbers of references to objects are known. */
	uint64_t wanted;   /**< All objects that were added. */
} largest_table;

static int is_smaller(const largest_row *a, const largest_row *b)
{
	return a->retained != b->retained ? a->retained < b->retained : a->object > b->object;
}

static int compare_rows(const void *left, const void *right)
{
	return is_smaller(left, right) ? 1 : is_smaller(right, left) ? -1 : 0;
}

static void sift_down(largest_table *table, size_t i)
{
	for (;;) {
		size_t least = 2 * i + 1;
		largest_row row = table->rows[i];

		if (least + 1 < table->count && is_smaller(&table->rows[least + 1], &table->rows[least]))
			least++;
		if (least >= table->count || !is_smaller(&table->rows[least], &row))
			return;
		table->rows[i] = table->rows[least];
		table->rows[least] = row;
		i = least;
	}
}

static void add_row(largest_table *table, uint32_t object, uint64_t retained)
{
	largest_row row = {retained, object};

	table->wanted++;
	if (table->count < table->capacity) {
		table->rows[table->count++] = row;
		/* The array is a heap once it is full. */
		for (size_t i = table->count / 2; table->count == table->capacity && i > 0; i--)
			sift_down(table, i - 1);
	} else if (table->count > 0 && is_smaller(&table->rows[0], &row)) {
		table->rows[0] = row;
		sift_down(table, 0);
	}
}

/* In a list, each object dominates the next one: only the first one of its class is of interest. */
static int is_outermost(const heap_view *view, const mprof_heap_object *object)
{
	return object->dominator == MPROF_HEAP_NO_OBJECT ||
	       heap_view_object(view, object->dominator).class_index != object->class_index;
}

/* Collects the largest objects. If out of memory, prints a message, and the table or a column is empty. */
static void collect(const heap_view *view, largest_table *table, size_t usual)
{
	class_filter filter;
	mprof_status status;

	*table = (largest_table){.view = view};
	if (!view->has_retained)
		return;
	table->capacity = heap_view_rows(view, (size_t)view->totals.objects, usual);
	table->rows = calloc(table->capacity + 1, sizeof(*table->rows));
	if (table->rows == NULL || !class_filter_init(&filter, view, NULL, view->options.class_pattern)) {
		output_out_of_memory();
		return;
	}
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		mprof_heap_object object = heap_view_object(view, i);

		if (object.is_reachable && class_filter_wants(&filter, object.class_index) &&
		    is_outermost(view, &object))
			add_row(table, i, object.retained_bytes);
	}
	class_filter_release(&filter);
	/* If they would exceed the limit of memory, the numbers of references to objects are not printed. */
	status = mprof_heap_graph_build_referrers(view->graph);
	table->has_referrers = status == MPROF_OK;
	if (status == MPROF_ERR_MEMORY)
		output_out_of_memory();
	qsort(table->rows, table->count, sizeof(*table->rows), compare_rows);
}

/* Prints what holds an object: its dominator, or how many references if these have no common one. */
static void print_holder(const heap_view *view, const mprof_heap_object *object)
{
	char text[TEXT_NUMBER_SIZE];
	mprof_heap_object dominator;

	if (object->dominator != MPROF_HEAP_NO_OBJECT) {
		dominator = heap_view_object(view, object->dominator);
		fputs(", dominated by ", stdout);
		label_print_object(view, &dominator);
	} else if (!object->is_root && object->referrers > 0) {
		printf(", shared: held by %s references", text_count(text, object->referrers));
	}
}

static void get_object(const void *user, size_t index, table_row *row)
{
	const largest_table *table = user;

	row->object = heap_view_object(table->view, table->rows[index].object);
}

static int has_referrers(const void *user)
{
	return ((const largest_table *)user)->has_referrers;
}

static void print_object(const void *user, const void *row)
{
	const largest_table *table = user;

	fputs("  ", stdout);
	label_print_object(table->view, row);
	print_holder(table->view, row);
}

static void print_dominator(const void *user, json_writer *json, const char *key, const void *row)
{
	heap_view_dominator_json(((const largest_table *)user)->view, json, key, row);
}

static const table_view largest_view = {
	.table = MPROF_HEAP_TABLE_OBJECTS,
	.cells =
		{
			{.width = 10, .heading = "retained", .field = "retained_bytes"},
			{.width = 8, .heading = "", .field = "retained_bytes", .is_share = 1},
			{.width = 10, .heading = "bytes", .field = "bytes"},
			{.heading = "object", .print = print_object},
		},
	.fields =
		{
			{.key = "object", .field = "address"},
			{TABLE_NAME, .key = "class", .field = "class_id"},
			{.field = "label"},
			{.field = "bytes"},
			{.field = "retained_bytes"},
			{TABLE_PRINT, .key = "dominator", .print = print_dominator},
			{.field = "referrers", .is_known = has_referrers},
		},
};

static table_rows rows_of(const largest_table *table)
{
	return (table_rows){table->count, get_object, table, table->view->input.reader,
			    table->view->totals.reachable_bytes};
}

void heap_largest_text(const heap_view *view)
{
	largest_table table;
	table_rows rows;

	collect(view, &table, USUAL_ROWS);
	rows = rows_of(&table);
	if (table.count > 0) {
		heap_view_title("Objects that retain the most", table.count, (size_t)table.wanted);
		table_view_text(&largest_view, &rows, rows.count);
	}
	free(table.rows);
}

void heap_largest_json(const heap_view *view, json_writer *json)
{
	largest_table table;
	table_rows rows;

	collect(view, &table, USUAL_JSON_ROWS);
	rows = rows_of(&table);
	table_view_json(&largest_view, &rows, rows.count, json, "dominators");
	free(table.rows);
}
