/* SPDX-License-Identifier: MIT */
/* Prints the totals of a heap snapshot, what is missing in it, and the list of all snapshots. */
#include "heap/summary.h"

#include "common/table_view.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t positive(int64_t time_ns)
{
	return time_ns > 0 ? (uint64_t)time_ns : 0;
}

static void print_objects(const char *label, uint64_t objects, uint64_t bytes)
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
	print_objects("objects", memory_objects(totals), totals->bytes);
	if (view->has_retained) {
		print_objects("reachable", totals->reachable_objects, totals->reachable_bytes);
		print_objects("unreachable", memory_objects(totals) - totals->reachable_objects,
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
