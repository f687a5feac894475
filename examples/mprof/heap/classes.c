/* SPDX-License-Identifier: MIT */
/* Prints the classes of a heap snapshot. */
#include "heap/classes.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "heap/selection.h"
#include "heap/view.h"
#include "shared/text.h"

#include <inttypes.h>
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

static void print_csv_name(const char *name)
{
	putchar('"');
	for (; *name != '\0'; name++) {
		if (*name == '"')
			putchar('"');
		putchar(*name);
	}
	puts("\"");
}

void heap_classes_csv(const heap_view *view)
{
	heap_class_table table;
	size_t shown;

	heap_classes_collect(view, &table, view->options.order);
	shown = heap_view_rows(view, table.count, 0);
	puts("id,objects,bytes,retained_bytes,name");
	for (size_t i = 0; i < shown; i++) {
		const mprof_heap_class *stats = &table.rows[i].stats;
		class_name name;

		printf("%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",", stats->class_id, stats->objects, stats->bytes);
		if (view->has_retained)
			printf("%" PRIu64, stats->retained_bytes);
		putchar(',');
		print_csv_name(label_class(view, table.rows[i].index, &name));
	}
	heap_classes_release(&table);
}

void heap_classes_text(const heap_view *view)
{
	int has_retained = view->has_retained && !view->options.is_unreachable;
	heap_class_table table;
	size_t shown;

	heap_classes_collect(view, &table, view->options.order);
	shown = heap_view_rows(view, table.count, USUAL_ROWS);
	if (table.count > 0) {
		printf("\n%s", view->options.is_unreachable ? "Unreachable objects by class" : "Classes");
		if (shown < table.count)
			printf(" (%zu of %zu)", shown, table.count);
		putchar('\n');
		if (has_retained)
			printf("  %10s %8s", "retained", "");
		printf("  %10s %14s  %s\n", "bytes", "objects", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		const mprof_heap_class *stats = &table.rows[i].stats;
		char retained[TEXT_NUMBER_SIZE];
		char percent[TEXT_NUMBER_SIZE];
		char bytes[TEXT_NUMBER_SIZE];
		char objects[TEXT_NUMBER_SIZE];
		class_name name;

		if (has_retained)
			printf("  %10s %8s", text_bytes(retained, stats->retained_bytes),
			       text_percent(percent, stats->retained_bytes, view->totals.reachable_bytes));
		printf("  %10s %14s  ", text_bytes(bytes, stats->bytes), text_count(objects, stats->objects));
		name_print(label_class(view, table.rows[i].index, &name));
		putchar('\n');
	}
	heap_classes_release(&table);
}

static void print_known(const heap_view *view, json_writer *json, const char *key, uint64_t number)
{
	if (view->has_retained)
		json_unsigned(json, key, number);
	else
		json_null(json, key);
}

void heap_classes_json(const heap_view *view, json_writer *json)
{
	heap_class_table table;
	size_t shown;

	heap_classes_collect(view, &table, view->options.order);
	shown = heap_view_rows(view, table.count, 0);
	json_begin_array(json, "classes");
	for (size_t i = 0; i < shown; i++) {
		const mprof_heap_class *stats = &table.rows[i].stats;
		class_name name;

		json_begin_object(json, NULL);
		json_unsigned(json, "id", stats->class_id);
		json_string(json, "name", label_class(view, table.rows[i].index, &name));
		json_unsigned(json, "objects", stats->objects);
		json_unsigned(json, "bytes", stats->bytes);
		print_known(view, json, "reachable_objects", stats->reachable_objects);
		print_known(view, json, "reachable_bytes", stats->reachable_bytes);
		print_known(view, json, "retained_bytes", stats->retained_bytes);
		json_end_object(json);
	}
	json_end_array(json);
	heap_classes_release(&table);
}
