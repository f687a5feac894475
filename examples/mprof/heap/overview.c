/* SPDX-License-Identifier: MIT */
/* Prints what a heap snapshot contains: totals, classes and the largest objects; and the list of all snapshots. */
#include "heap/heap.h"

#include "common/output.h"
#include "common/table_view.h"
#include "heap/view.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The totals of the snapshot, and the list of all snapshots.
 */

static uint64_t positive(int64_t time_ns)
{
	return time_ns > 0 ? (uint64_t)time_ns : 0;
}

static void print_total_objects(const char *label, uint64_t objects, uint64_t bytes)
{
	char count[TEXT_NUMBER_SIZE];
	char size[TEXT_NUMBER_SIZE];

	printf("  %-24s %14s %10s\n", label, text_count(count, objects), text_bytes(size, bytes));
}

static void print_count(const char *label, uint64_t count)
{
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		printf("  %-24s %14s\n", label, text_count(text, count));
}

static void print_roots(const heap_view *view)
{
	print_count("roots", view->totals.roots);
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		char label[32];

		snprintf(label, sizeof(label), "  %s", kind_of_root(kind));
		print_count(label, view->totals.roots_by_kind[kind]);
	}
}

/* The objects that are memory of the program. */
static uint64_t memory_objects(const mprof_heap_graph_totals *totals)
{
	return totals->objects - totals->synthetic_objects;
}

/* States what is missing: figures that depend on it may be wrong. */
static void print_missing(const heap_view *view)
{
	const mprof_heap_graph_totals *totals = &view->totals;

	if (totals->limited)
		puts("\n  The snapshot needs more memory than the limit: its objects are not known. See --memory.");
	else if (totals->incomplete)
		puts("\n  The snapshot is incomplete: objects, references or roots are missing. Objects may be\n"
		     "  reachable that seem not to be, and retained sizes may be too small or too large.");
	print_count("damaged blocks", totals->damaged_blocks);
	print_count("references to no object", totals->missing_references);
	print_count("roots of no object", totals->missing_roots);
	print_count("references of no object", totals->orphan_references);
	print_count("objects left out", totals->repeated_objects);
	if (totals->has_roots && !view->has_retained)
		puts("\n  What keeps objects alive and what they retain could not be computed: see --memory.");
	if (!totals->limited && !totals->has_roots && totals->objects > 0)
		puts("\n  The log has no roots for this snapshot: what keeps objects alive and what they retain is\n"
		     "  not known.");
}

void heap_summary_text(const heap_view *view)
{
	const mprof_heap_graph_totals *totals = &view->totals;
	size_t count = mprof_heap_graph_get_snapshot_count(view->graph);
	char time[TEXT_NUMBER_SIZE];

	if (count == 0) {
		puts("The log has no heap snapshots; 'mprof record --heap' records them.");
		return;
	}
	printf("Heap snapshot %" PRIu32 " of %s%zu, at %s\n", totals->snapshot,
	       view->options.at != 0 ? "at least " : "", count, text_duration(time, positive(totals->time_ns)));
	print_total_objects("objects", memory_objects(totals), totals->bytes);
	if (view->has_retained) {
		print_total_objects("reachable", totals->reachable_objects, totals->reachable_bytes);
		print_total_objects("unreachable", memory_objects(totals) - totals->reachable_objects,
				    totals->bytes - totals->reachable_bytes);
	}
	print_count("classes", totals->classes);
	print_count("references", totals->references);
	print_count("weak references", totals->weak_references);
	print_roots(view);
	print_count("labels left out", totals->missing_notes);
	print_missing(view);
}

/*
 * Documents.
 */

static int is_there(const void *user)
{
	return ((const heap_view *)user)->totals.snapshot != 0;
}

static int has_objects(const void *user)
{
	return is_there(user) && !((const heap_view *)user)->totals.limited;
}

static void print_complete(const void *user, json_writer *json, const char *key, const void *row)
{
	json_boolean(json, key, has_objects(user) && !((const mprof_heap_graph_totals *)row)->incomplete);
}

static void print_memory_objects(const void *user, json_writer *json, const char *key, const void *row)
{
	(void)user;
	json_unsigned(json, key, memory_objects(row));
}

static void print_roots_json(const void *user, json_writer *json, const char *key, const void *row)
{
	const mprof_heap_graph_totals *totals = row;

	(void)user;
	json_begin_object(json, key);
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (totals->roots_by_kind[kind] > 0)
			json_unsigned(json, kind_of_root(kind), totals->roots_by_kind[kind]);
	}
	json_end_object(json);
}

static const table_view totals_view = {
	.table = MPROF_HEAP_TABLE_GRAPH,
	.fields =
		{
			{.field = "snapshot", .key = "shot", .is_known = is_there},
			{.field = "number", .is_known = is_there},
			{.field = "time_ns", .is_known = is_there},
			{TABLE_PRINT, .key = "complete", .print = print_complete},
			{.field = "limited"},
			{TABLE_PRINT, .key = "objects", .is_known = has_objects, .print = print_memory_objects},
			{.field = "bytes", .is_known = has_objects},
			{.field = "reachable_objects", .is_known = heap_view_has_retained},
			{.field = "reachable_bytes", .is_known = heap_view_has_retained},
			{.field = "references"},
			{.field = "weak_references"},
			{.field = "synthetic_objects"},
			{.field = "missing_notes"},
			{.field = "roots"},
			{TABLE_PRINT, .key = "roots_by_kind", .print = print_roots_json},
			{.field = "missing_references"},
			{.field = "missing_roots"},
			{.field = "orphan_references"},
			{.field = "repeated_objects"},
			{.field = "damaged_blocks"},
		},
};

void heap_summary_json(const heap_view *view, json_writer *json)
{
	const table_rows rows = {.user = view};

	table_view_fields(&totals_view, &rows, json, &view->totals, 0);
}

/*
 * The list of snapshots.
 */

static void get_snapshot(const void *user, size_t index, table_row *row)
{
	row->snapshot.struct_size = sizeof(row->snapshot);
	mprof_heap_graph_get_snapshot(((const heap_view *)user)->graph, index, &row->snapshot);
}

static void print_incomplete(const void *user, const void *row)
{
	(void)user;
	if (((const mprof_heap_snapshot *)row)->incomplete)
		fputs("  incomplete", stdout);
}

static const table_view list_view = {
	.table = MPROF_HEAP_TABLE_SNAPSHOTS,
	.cells =
		{
			{.width = 10, .heading = "snapshot"},
			{.width = 10, .heading = "at", .field = "time_ns"},
			{.width = 14, .heading = "objects", .field = "objects"},
			{.width = 10, .heading = "bytes", .field = "bytes"},
			{.width = 14, .heading = "references", .field = "references"},
			{.width = 14, .heading = "roots", .field = "roots"},
			{.heading = "", .print = print_incomplete},
		},
	.fields =
		{
			{TABLE_NUMBER, .key = "shot"},
			{.field = "number"},
			{.field = "time_ns"},
			{TABLE_NOT, .key = "complete", .field = "incomplete"},
			{.field = "objects"},
			{.field = "bytes"},
			{.field = "references"},
			{.field = "roots"},
		},
	.csv = "shot number time_ns objects bytes references roots complete",
};

static table_rows list_rows(const heap_view *view)
{
	return (table_rows){mprof_heap_graph_get_snapshot_count(view->graph), get_snapshot, view, NULL, 0};
}

void heap_list_text(const heap_view *view)
{
	const table_rows rows = list_rows(view);

	if (rows.count == 0) {
		puts("The log has no heap snapshots; 'mprof record --heap' records them.");
		return;
	}
	puts("Heap snapshots");
	table_view_text(&list_view, &rows, rows.count);
}

void heap_list_csv(const heap_view *view)
{
	const table_rows rows = list_rows(view);

	table_view_csv(&list_view, &rows, rows.count);
}

void heap_list_json(const heap_view *view, json_writer *json)
{
	const table_rows rows = list_rows(view);

	table_view_json(&list_view, &rows, rows.count, json, "shots");
}

/*
 * Classes.
 */

#define USUAL_CLASSES 20

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

static int knows_retained(const void *user)
{
	return ((const class_rows *)user)->view->has_retained;
}

static int shows_retained(const void *user)
{
	return knows_retained(user) && !((const class_rows *)user)->view->options.is_unreachable;
}

static void get_class_row(const void *user, size_t index, table_row *row)
{
	row->class_stats = ((const class_rows *)user)->table.rows[index].stats;
}

static const table_view classes_view = {
	.table = MPROF_HEAP_TABLE_CLASSES,
	.cells =
		{
			{.width = 10, .heading = "retained", .field = "@total", .is_shown = shows_retained},
			{.width = 8, .heading = "", .field = "@total", .is_share = 1, .is_shown = shows_retained},
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
			{.field = "reachable_objects", .is_known = knows_retained},
			{.field = "reachable_bytes", .is_known = knows_retained},
			{.field = "@total", .is_known = knows_retained},
		},
	.csv = "id objects bytes @total name",
};

static table_rows collect_class_rows(class_rows *classes, const heap_view *view)
{
	classes->view = view;
	heap_classes_collect(view, &classes->table, view->options.order);
	return (table_rows){classes->table.count, get_class_row, classes, view->input.reader,
			    view->totals.reachable_bytes};
}

void heap_classes_csv(const heap_view *view)
{
	class_rows classes;
	const table_rows rows = collect_class_rows(&classes, view);

	table_view_csv(&classes_view, &rows, heap_view_rows(view, rows.count, 0));
	heap_classes_release(&classes.table);
}

void heap_classes_text(const heap_view *view)
{
	class_rows classes;
	const table_rows rows = collect_class_rows(&classes, view);
	const size_t shown = heap_view_rows(view, rows.count, USUAL_CLASSES);

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
	const table_rows rows = collect_class_rows(&classes, view);

	table_view_json(&classes_view, &rows, heap_view_rows(view, rows.count, 0), json, "classes");
	heap_classes_release(&classes.table);
}

/*
 * The objects that retain the most, and which object dominates each of them.
 */

#define USUAL_LARGEST 10
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
static void collect_largest(const heap_view *view, largest_table *table, size_t usual)
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
			{.width = 10, .heading = "retained", .field = "@total"},
			{.width = 8, .heading = "", .field = "@total", .is_share = 1},
			{.width = 10, .heading = "bytes", .field = "bytes"},
			{.heading = "object", .print = print_object},
		},
	.fields =
		{
			{.key = "object", .field = "address"},
			{TABLE_NAME, .key = "class", .field = "class_id"},
			{.field = "label"},
			{.field = "bytes"},
			{.field = "@total"},
			{TABLE_PRINT, .key = "dominator", .print = print_dominator},
			{.field = "referrers", .is_known = has_referrers},
		},
};

static table_rows largest_rows(const largest_table *table)
{
	return (table_rows){table->count, get_object, table, table->view->input.reader,
			    table->view->totals.reachable_bytes};
}

void heap_largest_text(const heap_view *view)
{
	largest_table table;
	table_rows rows;

	collect_largest(view, &table, USUAL_LARGEST);
	rows = largest_rows(&table);
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

	collect_largest(view, &table, USUAL_JSON_ROWS);
	rows = largest_rows(&table);
	table_view_json(&largest_view, &rows, rows.count, json, "dominators");
	free(table.rows);
}
