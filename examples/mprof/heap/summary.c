/* SPDX-License-Identifier: MIT */
/* Prints the totals of a heap snapshot, what is missing in it, and the list of all snapshots. */
#include "heap/summary.h"

#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t positive(int64_t time_ns)
{
	return time_ns > 0 ? (uint64_t)time_ns : 0;
}

static mprof_heap_snapshot snapshot_at(const heap_view *view, size_t index)
{
	mprof_heap_snapshot snapshot = {.struct_size = sizeof(snapshot)};

	mprof_heap_graph_get_snapshot(view->graph, index, &snapshot);
	return snapshot;
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

static void print_if(json_writer *json, const char *key, int is_known, uint64_t number)
{
	if (is_known)
		json_unsigned(json, key, number);
	else
		json_null(json, key);
}

static void print_roots_json(const heap_view *view, json_writer *json)
{
	json_begin_object(json, "roots_by_kind");
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (view->totals.roots_by_kind[kind] > 0)
			json_unsigned(json, kind_of_root(kind), view->totals.roots_by_kind[kind]);
	}
	json_end_object(json);
}

void heap_summary_json(const heap_view *view, json_writer *json)
{
	const mprof_heap_graph_totals *totals = &view->totals;
	int is_there = totals->snapshot != 0;

	print_if(json, "shot", is_there, totals->snapshot);
	print_if(json, "number", is_there, totals->number);
	if (is_there)
		json_signed(json, "time_ns", totals->time_ns);
	else
		json_null(json, "time_ns");
	json_boolean(json, "complete", is_there && !totals->incomplete && !totals->limited);
	json_boolean(json, "limited", totals->limited != 0);
	print_if(json, "objects", is_there && !totals->limited, memory_objects(totals));
	print_if(json, "bytes", is_there && !totals->limited, totals->bytes);
	print_if(json, "reachable_objects", view->has_retained, totals->reachable_objects);
	print_if(json, "reachable_bytes", view->has_retained, totals->reachable_bytes);
	json_unsigned(json, "references", totals->references);
	json_unsigned(json, "weak_references", totals->weak_references);
	json_unsigned(json, "synthetic_objects", totals->synthetic_objects);
	json_unsigned(json, "missing_notes", totals->missing_notes);
	json_unsigned(json, "roots", totals->roots);
	print_roots_json(view, json);
	json_unsigned(json, "missing_references", totals->missing_references);
	json_unsigned(json, "missing_roots", totals->missing_roots);
	json_unsigned(json, "orphan_references", totals->orphan_references);
	json_unsigned(json, "repeated_objects", totals->repeated_objects);
	json_unsigned(json, "damaged_blocks", totals->damaged_blocks);
}

void heap_list_text(const heap_view *view)
{
	size_t count = mprof_heap_graph_get_snapshot_count(view->graph);

	if (count == 0) {
		puts("The log has no heap snapshots; 'mprof record --heap' records them.");
		return;
	}
	printf("Heap snapshots\n  %10s %10s %14s %10s %14s %14s\n", "snapshot", "at", "objects", "bytes", "references",
	       "roots");
	for (size_t i = 0; i < count; i++) {
		mprof_heap_snapshot snapshot = snapshot_at(view, i);
		char time[TEXT_NUMBER_SIZE];
		char objects[TEXT_NUMBER_SIZE];
		char bytes[TEXT_NUMBER_SIZE];
		char references[TEXT_NUMBER_SIZE];
		char roots[TEXT_NUMBER_SIZE];

		printf("  %10zu %10s %14s %10s %14s %14s%s\n", i + 1, text_duration(time, positive(snapshot.time_ns)),
		       text_count(objects, snapshot.objects), text_bytes(bytes, snapshot.bytes),
		       text_count(references, snapshot.references), text_count(roots, snapshot.roots),
		       snapshot.incomplete ? "  incomplete" : "");
	}
}

void heap_list_csv(const heap_view *view)
{
	puts("shot,number,time_ns,objects,bytes,references,roots,complete");
	for (size_t i = 0; i < mprof_heap_graph_get_snapshot_count(view->graph); i++) {
		mprof_heap_snapshot snapshot = snapshot_at(view, i);

		printf("%zu,%" PRIu32 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d\n", i + 1,
		       snapshot.number, snapshot.time_ns, snapshot.objects, snapshot.bytes, snapshot.references,
		       snapshot.roots, !snapshot.incomplete);
	}
}

void heap_list_json(const heap_view *view, json_writer *json)
{
	json_begin_array(json, "shots");
	for (size_t i = 0; i < mprof_heap_graph_get_snapshot_count(view->graph); i++) {
		mprof_heap_snapshot snapshot = snapshot_at(view, i);

		json_begin_object(json, NULL);
		json_unsigned(json, "shot", i + 1);
		json_unsigned(json, "number", snapshot.number);
		json_signed(json, "time_ns", snapshot.time_ns);
		json_boolean(json, "complete", !snapshot.incomplete);
		json_unsigned(json, "objects", snapshot.objects);
		json_unsigned(json, "bytes", snapshot.bytes);
		json_unsigned(json, "references", snapshot.references);
		json_unsigned(json, "roots", snapshot.roots);
		json_end_object(json);
	}
	json_end_array(json);
}
