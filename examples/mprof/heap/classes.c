/* SPDX-License-Identifier: MIT */
/* Prints the classes of a heap snapshot. */
#include "heap/classes.h"

#include "common/output.h"
#include "common/table_view.h"
#include "heap/selection.h"
#include "heap/view.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_ROWS 20

static int larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

static int compare_by_bytes(const void *left, const void *right)
{
	const heap_class_row *a = left;
	const heap_class_row *b = right;
	int order = larger_first(a->stats.bytes, b->stats.bytes);

	return order != 0 ? order : larger_first(b->index, a->index);
}

static int compare_by_retained(const void *left, const void *right)
{
	int order = larger_first(((const heap_class_row *)left)->stats.retained_bytes,
				 ((const heap_class_row *)right)->stats.retained_bytes);

	return order != 0 ? order : compare_by_bytes(left, right);
}

static int compare_by_objects(const void *left, const void *right)
{
	int order = larger_first(((const heap_class_row *)left)->stats.objects,
				 ((const heap_class_row *)right)->stats.objects);

	return order != 0 ? order : compare_by_bytes(left, right);
}

/* The snapshot whose classes are sorted by name. */
static const heap_view *sorted_view;

static int compare_by_name(const void *left, const void *right)
{
	class_name a;
	class_name b;
	int order = strcmp(label_class(sorted_view, ((const heap_class_row *)left)->index, &a),
			   label_class(sorted_view, ((const heap_class_row *)right)->index, &b));

	return order != 0 ? order : compare_by_bytes(left, right);
}

void heap_classes_collect(const heap_view *view, heap_class_table *table, heap_order order)
{
	static int (*const compare[])(const void *, const void *) = {compare_by_retained, compare_by_bytes,
								     compare_by_objects, compare_by_name};
	class_filter filter;

	table->count = 0;
	table->rows = calloc((size_t)view->totals.classes + 1, sizeof(*table->rows));
	if (table->rows == NULL || !class_filter_init(&filter, view, NULL, view->options.class_pattern)) {
		output_out_of_memory();
		return;
	}
	for (size_t i = 0; i < view->totals.classes; i++) {
		heap_class_row *row = &table->rows[table->count];

		*row = (heap_class_row){i, heap_view_class(view, i)};
		if (view->options.is_unreachable) {
			row->stats.objects -= row->stats.reachable_objects;
			row->stats.bytes -= row->stats.reachable_bytes;
		}
		table->count += class_filter_wants(&filter, i) && row->stats.objects > 0;
	}
	class_filter_release(&filter);
	sorted_view = view;
	qsort(table->rows, table->count, sizeof(*table->rows), compare[order]);
}

void heap_classes_release(heap_class_table *table)
{
	free(table->rows);
}

/*
 * Views.
 */

/* The classes that are printed, as rows of a view. */
typedef struct class_rows {
	const heap_view *view;
	heap_class_table table;
} class_rows;

static int has_retained(const void *user)
{
	return ((const class_rows *)user)->view->has_retained;
}

static int shows_retained(const void *user)
{
	return has_retained(user) && !((const class_rows *)user)->view->options.is_unreachable;
}

static void get_class(const void *user, size_t index, table_row *row)
{
	row->class_stats = ((const class_rows *)user)->table.rows[index].stats;
}

static const table_view classes_view = {
	.table = MPROF_HEAP_TABLE_CLASSES,
	.cells =
		{
			{.width = 10, .heading = "retained", .field = "retained_bytes", .is_shown = shows_retained},
			{.width = 8,
			 .heading = "",
			 .field = "retained_bytes",
			 .is_share = 1,
			 .is_shown = shows_retained},
			{.width = 10, .heading = "bytes", .field = "bytes", .is_apart = 1},
			{.width = 14, .heading = "objects", .field = "objects"},
			{.heading = "class", .field = "class_id"},
		},
	.fields =
		{
			{.key = "id", .field = "class_id"},
			{TABLE_NAME, .key = "name", .field = "class_id"},
			{.field = "objects"},
			{.field = "bytes"},
			{.field = "reachable_objects", .is_known = has_retained},
			{.field = "reachable_bytes", .is_known = has_retained},
			{.field = "retained_bytes", .is_known = has_retained},
		},
	.csv = "id objects bytes retained_bytes name",
};

static table_rows collect_rows(class_rows *classes, const heap_view *view)
{
	classes->view = view;
	heap_classes_collect(view, &classes->table, view->options.order);
	return (table_rows){classes->table.count, get_class, classes, view->input.reader, view->totals.reachable_bytes};
}

void heap_classes_csv(const heap_view *view)
{
	class_rows classes;
	const table_rows rows = collect_rows(&classes, view);

	table_view_csv(&classes_view, &rows, heap_view_rows(view, rows.count, 0));
	heap_classes_release(&classes.table);
}

void heap_classes_text(const heap_view *view)
{
	class_rows classes;
	const table_rows rows = collect_rows(&classes, view);
	const size_t shown = heap_view_rows(view, rows.count, USUAL_ROWS);

	if (rows.count > 0) {
		heap_view_title(view->options.is_unreachable ? "Unreachable objects by class" : "Classes", shown,
				rows.count);
		table_view_text(&classes_view, &rows, shown);
	}
	heap_classes_release(&classes.table);
}

void heap_classes_json(const heap_view *view, json_writer *json)
{
	class_rows classes;
	const table_rows rows = collect_rows(&classes, view);

	table_view_json(&classes_view, &rows, heap_view_rows(view, rows.count, 0), json, "classes");
	heap_classes_release(&classes.table);
}
