/* SPDX-License-Identifier: MIT */
/* Counts the references to the objects of some classes, by the class and field that have them. */
#include "heap/referrers.h"

#include "common/output.h"
#include "heap/class_filter.h"
#include "heap/labels.h"
#include "shared/key_map.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <stdlib.h>

#define USUAL_ROWS 20
#define BATCH 256

/* References from one field of a class, or from roots of one kind, to objects of a class. */
typedef struct referrer_row {
	int is_root;
	uint32_t source; /**< Index of the class, or kind of the root. */
	uint32_t target; /**< Index of the class. */
	const char *field;
	uint64_t references;
} referrer_row;

/* A number for the address of a field name. */
typedef struct numbered {
	uint64_t key;
	uint64_t number;
} numbered;

typedef struct referrer_table {
	const heap_view *view;
	key_map fields; /**< Numbers of fields together with the class of the target. */
	key_map index;  /**< Rows by source and number, plus 1. */
	referrer_row *rows;
	size_t count;
	size_t capacity;
} referrer_table;

/* The sources of roots are apart from classes. */
#define ROOT_SOURCE (UINT32_C(1) << 31)

static numbered *find_entry(referrer_table *table, const referrer_row *row)
{
	numbered *field = key_map_put(&table->fields, (uintptr_t)row->field);
	numbered *pair;

	if (field == NULL)
		return NULL;
	if (field->number == 0)
		field->number = table->fields.count;
	/* The names of fields are at addresses below 2^63, so that the keys differ from those above. */
	pair = key_map_put(&table->fields, UINT64_C(1) << 63 | field->number << 32 | row->target);
	if (pair == NULL)
		return NULL;
	if (pair->number == 0)
		pair->number = table->fields.count;
	return key_map_put(&table->index, pair->number << 32 | row->source | (row->is_root ? ROOT_SOURCE : 0));
}

/* Counts one reference. Returns 0 if out of memory. */
static int count_reference(referrer_table *table, const referrer_row *row)
{
	numbered *entry = find_entry(table, row);

	if (entry == NULL)
		return 0;
	if (entry->number == 0) {
		if (table->count == table->capacity) {
			size_t capacity = table->capacity * 2 + 64;
			referrer_row *grown = realloc(table->rows, capacity * sizeof(*grown));

			if (grown == NULL)
				return 0;
			table->rows = grown;
			table->capacity = capacity;
		}
		table->rows[table->count] = *row;
		table->rows[table->count++].references = 0;
		entry->number = table->count;
	}
	table->rows[entry->number - 1].references++;
	return 1;
}

static int count_object(referrer_table *table, uint32_t object)
{
	mprof_heap_object stats = heap_view_object(table->view, object);
	mprof_heap_reference references[BATCH];
	uint32_t done = 0;
	size_t count;

	do {
		mprof_heap_graph_get_referrers(table->view->graph, object, done, references, sizeof(references[0]),
					       BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			mprof_heap_object source = heap_view_object(table->view, references[i].object);
			referrer_row row = {0, source.class_index, stats.class_index,
					    label_field(table->view, source.class_id, &references[i]), 0};

			if (!count_reference(table, &row))
				return 0;
		}
		done += (uint32_t)count;
	} while (count == BATCH);
	return 1;
}

static int count_roots(referrer_table *table, const class_filter *filter)
{
	for (size_t i = 0; i < table->view->totals.roots; i++) {
		mprof_heap_root root = {.struct_size = sizeof(root)};
		referrer_row row = {1, 0, 0, NULL, 0};

		mprof_heap_graph_get_root(table->view->graph, i, &root);
		row.source = root.kind;
		row.target = heap_view_object(table->view, root.object).class_index;
		row.field = label_root(table->view, root.area);
		if (class_filter_wants(filter, row.target) && !count_reference(table, &row))
			return 0;
	}
	return 1;
}

static int count_objects(referrer_table *table, const class_filter *filter)
{
	if (mprof_heap_graph_build_referrers(table->view->graph) != MPROF_OK)
		return 0;
	for (uint32_t i = 0; i < table->view->totals.objects; i++) {
		if (class_filter_wants(filter, heap_view_object(table->view, i).class_index) && !count_object(table, i))
			return 0;
	}
	return count_roots(table, filter);
}

static int compare_rows(const void *left, const void *right)
{
	const referrer_row *a = left;
	const referrer_row *b = right;

	if (a->references != b->references)
		return a->references < b->references ? 1 : -1;
	if (a->is_root != b->is_root)
		return a->is_root - b->is_root;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

/* If out of memory, prints a message, and the table is empty. */
static referrer_table collect(const heap_view *view)
{
	referrer_table table = {.view = view};
	class_filter filter;

	table.fields.value_size = sizeof(uint64_t);
	table.index.value_size = sizeof(uint64_t);
	if (view->totals.objects == 0)
		return table;
	if (!class_filter_init(&filter, view, NULL, view->options.referrers_pattern) ||
	    !count_objects(&table, &filter)) {
		output_out_of_memory();
		table.count = 0;
	}
	class_filter_release(&filter);
	key_map_clear(&table.fields);
	key_map_clear(&table.index);
	if (table.count > 0)
		qsort(table.rows, table.count, sizeof(*table.rows), compare_rows);
	return table;
}

static void print_source(const heap_view *view, const referrer_row *row)
{
	class_name name;

	if (row->is_root) {
		printf("(root) %s", kind_of_root(row->source));
		if (row->field[0] != '\0')
			putchar(' ');
		text_name(stdout, row->field);
		return;
	}
	text_name(stdout, label_class(view, row->source, &name));
	if (row->field != NULL) {
		putchar('.');
		text_name(stdout, row->field);
	}
}

void heap_referrers_text(const heap_view *view)
{
	referrer_table table = collect(view);
	size_t shown = heap_view_rows(view, table.count, USUAL_ROWS);

	if (table.count > 0) {
		printf("\nReferrers");
		if (shown < table.count)
			printf(" (%zu of %zu)", shown, table.count);
		printf("\n  %14s  %s\n", "references", "from -> to");
	}
	for (size_t i = 0; i < shown; i++) {
		char references[TEXT_NUMBER_SIZE];
		class_name name;

		printf("  %14s  ", text_count(references, table.rows[i].references));
		print_source(view, &table.rows[i]);
		fputs(" -> ", stdout);
		text_name(stdout, label_class(view, table.rows[i].target, &name));
		putchar('\n');
	}
	free(table.rows);
}

static void print_row_json(const heap_view *view, json_writer *json, const referrer_row *row)
{
	class_name name;

	json_begin_object(json, NULL);
	json_string(json, "class", row->is_root ? NULL : label_class(view, row->source, &name));
	json_string(json, "field", row->is_root ? NULL : row->field);
	if (row->is_root) {
		json_begin_object(json, "root");
		json_string(json, "kind", kind_of_root(row->source));
		json_string(json, "name", row->field);
		json_end_object(json);
	} else {
		json_null(json, "root");
	}
	json_string(json, "target", label_class(view, row->target, &name));
	json_unsigned(json, "references", row->references);
	json_end_object(json);
}

void heap_referrers_json(const heap_view *view, json_writer *json)
{
	referrer_table table = {.view = view};
	size_t shown;

	if (view->options.referrers_pattern != NULL)
		table = collect(view);
	shown = heap_view_rows(view, table.count, 0);
	json_begin_array(json, "referrers");
	for (size_t i = 0; i < shown; i++)
		print_row_json(view, json, &table.rows[i]);
	json_end_array(json);
	free(table.rows);
}
