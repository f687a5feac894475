/* SPDX-License-Identifier: MIT */
/* Prints the contents of the heap: snapshots, freed objects and summaries. */
#include "report/heap.h"

#include "shared/kinds.h"
#include "report/filters.h"
#include "common/output.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static mprof_heap_shot snapshot_at(const log_report *report, size_t index)
{
	mprof_heap_shot snapshot;

	memset(&snapshot, 0, sizeof(snapshot));
	snapshot.struct_size = sizeof(snapshot);
	mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, index, &snapshot);
	return snapshot;
}

static int compare_classes(const void *left, const void *right)
{
	const mprof_heap_shot_class *a = left;
	const mprof_heap_shot_class *b = right;
	int order = report_larger_first(a->bytes, b->bytes);

	order = order != 0 ? order : report_larger_first(a->objects, b->objects);
	return order != 0 ? order : report_larger_first(b->class_id, a->class_id);
}

/* Classes of a snapshot that pass the filters, most bytes first. The caller frees the array; NULL after a message. */
static mprof_heap_shot_class *collect_classes(const log_report *report, size_t index, size_t *count)
{
	size_t all = (size_t)snapshot_at(report, index).classes;
	mprof_heap_shot_class *rows = calloc(all + 1, sizeof(*rows));

	*count = 0;
	if (rows == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		rows[*count].struct_size = sizeof(*rows);
		mprof_profile_get_heap_shot_class(report->profile, index, i, &rows[*count]);
		*count += report_wants_class(report, rows[*count].class_id) != 0;
	}
	qsort(rows, *count, sizeof(*rows), compare_classes);
	report_apply_order(report, ORDER_HEAP_CLASSES, rows, *count, sizeof(*rows));
	return rows;
}

static void print_latest_classes(const log_report *report, size_t index)
{
	mprof_heap_shot snapshot = snapshot_at(report, index);
	size_t count;
	mprof_heap_shot_class *rows = collect_classes(report, index, &count);
	size_t shown = report_rows(report, count);
	char title[64];
	char bytes[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char objects[TEXT_NUMBER_SIZE];

	if (count > 0) {
		snprintf(title, sizeof(title), "Objects alive in snapshot %" PRIu32, snapshot.number);
		report_title(report, title, shown, count, TABLE_HEAP_CLASSES);
		printf("  %10s %8s %14s  %s\n", "bytes", "", "objects", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %8s %14s  ", text_bytes(bytes, rows[i].bytes),
		       text_percent(percent, rows[i].bytes, snapshot.bytes), text_count(objects, rows[i].objects));
		report_class(report, rows[i].class_id);
	}
	free(rows);
}

void report_heap_shots_text(const log_report *report)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS);
	size_t shown = report_rows(report, count);
	char time[TEXT_NUMBER_SIZE];
	char objects[TEXT_NUMBER_SIZE];
	char bytes[TEXT_NUMBER_SIZE];
	char references[TEXT_NUMBER_SIZE];
	char roots[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	report_title(report, "Heap snapshots", shown, count, TABLE_HEAP_SNAPSHOTS);
	printf("  %10s %10s %14s %10s %14s %14s\n", "snapshot", "at", "objects", "bytes", "references", "roots");
	/* If not all snapshots are shown, the latest ones are. */
	for (size_t i = count - shown; i < count; i++) {
		mprof_heap_shot snapshot = snapshot_at(report, i);

		printf("  %10" PRIu32 " %10s %14s %10s %14s %14s%s\n", snapshot.number,
		       text_duration(time, snapshot.time_ns > 0 ? (uint64_t)snapshot.time_ns : 0),
		       text_count(objects, snapshot.objects), text_bytes(bytes, snapshot.bytes),
		       text_count(references, snapshot.references), text_count(roots, snapshot.roots),
		       snapshot.incomplete ? "  incomplete" : "");
	}
	print_latest_classes(report, count - 1);
}

static int fetch_freed(const log_report *report, size_t index, void *row)
{
	*(mprof_class_stats *)row = report->classes[index];
	return report->classes[index].freed > 0;
}

static int compare_freed(const void *left, const void *right)
{
	const mprof_class_stats *a = left;
	const mprof_class_stats *b = right;
	int order = report_larger_first(a->freed_bytes, b->freed_bytes);

	order = order != 0 ? order : report_larger_first(a->freed, b->freed);
	return order != 0 ? order : report_larger_first(b->id, a->id);
}

void report_freed_text(const log_report *report)
{
	size_t count;
	mprof_class_stats *rows = report_collect(report, report->class_count, sizeof(mprof_class_stats), fetch_freed,
						 compare_freed, &count);
	size_t shown = report_rows(report, count);
	char bytes[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char objects[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Objects freed by class", shown, count, TABLE_FREED);
		printf("  %10s %8s %14s  %s\n", "bytes", "", "objects", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %8s %14s  ", text_bytes(bytes, rows[i].freed_bytes),
		       text_percent(percent, rows[i].freed_bytes, report->totals.freed_bytes),
		       text_count(objects, rows[i].freed));
		report_class(report, rows[i].id);
	}
	free(rows);
}

static void print_roots_json(json_writer *json, const mprof_heap_shot *snapshot)
{
	json_begin_object(json, "roots_by_kind");
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (snapshot->roots_by_kind[kind] > 0)
			json_unsigned(json, kind_of_root(kind), snapshot->roots_by_kind[kind]);
	}
	json_end_object(json);
}

/* Estimated sizes of rows in JSON, with names of average length. */
#define CLASS_SIZE 100
#define SUMMARY_SIZE 200

/* The index of the first snapshot whose classes are printed: the latest ones that fit the document. */
static size_t first_with_room(const log_report *report)
{
	size_t index = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS);
	uint64_t room = report_room(report);

	while (index > 0 && report_takes_room(&room, snapshot_at(report, index - 1).classes * CLASS_SIZE))
		index--;
	return index;
}

static void print_classes_json(log_report *report, json_writer *json, size_t index, int has_room)
{
	size_t count;
	mprof_heap_shot_class *rows = collect_classes(report, index, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "classes");
	if (!has_room) {
		report->left_out.heap_shot_classes += shown;
		shown = 0;
	}
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		json_unsigned(json, "objects", rows[i].objects);
		json_unsigned(json, "bytes", rows[i].bytes);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}

void report_heap_shots_json(log_report *report, json_writer *json)
{
	size_t first = first_with_room(report);

	json_begin_array(json, "heap_shots");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS); i++) {
		mprof_heap_shot snapshot = snapshot_at(report, i);

		json_begin_object(json, NULL);
		json_unsigned(json, "number", snapshot.number);
		json_signed(json, "time_ns", snapshot.time_ns);
		json_unsigned(json, "objects", snapshot.objects);
		json_unsigned(json, "bytes", snapshot.bytes);
		json_unsigned(json, "references", snapshot.references);
		json_unsigned(json, "freed", snapshot.freed);
		json_unsigned(json, "freed_bytes", snapshot.freed_bytes);
		json_unsigned(json, "moved", snapshot.moved);
		json_unsigned(json, "roots", snapshot.roots);
		print_roots_json(json, &snapshot);
		json_boolean(json, "incomplete", snapshot.incomplete != 0);
		print_classes_json(report, json, i, i >= first);
		json_end_object(json);
	}
	json_end_array(json);
}

static int fetch_summary(const log_report *report, size_t index, void *row)
{
	mprof_heap_summary *summary = row;

	summary->struct_size = sizeof(*summary);
	mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SUMMARIES, index, summary);
	return report_wants_class(report, summary->class_id);
}

/* Sorts by collection, then by live bytes, largest first. */
static int compare_summaries(const void *left, const void *right)
{
	const mprof_heap_summary *a = left;
	const mprof_heap_summary *b = right;
	int order = report_larger_first(b->collection, a->collection);

	order = order != 0 ? order : report_larger_first(a->live_bytes, b->live_bytes);
	order = order != 0 ? order : report_larger_first(a->dead_bytes, b->dead_bytes);
	return order != 0 ? order : report_larger_first(b->class_id, a->class_id);
}

static mprof_heap_summary *collect_summaries(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SUMMARIES),
			      sizeof(mprof_heap_summary), fetch_summary, compare_summaries, count);
}

void report_heap_summaries_text(const log_report *report)
{
	size_t count;
	mprof_heap_summary *rows = collect_summaries(report, &count);
	size_t first = count;
	size_t shown;
	char live[TEXT_NUMBER_SIZE];
	char live_bytes[TEXT_NUMBER_SIZE];
	char dead[TEXT_NUMBER_SIZE];
	char dead_bytes[TEXT_NUMBER_SIZE];

	while (first > 0 && rows[first - 1].collection == rows[count - 1].collection)
		first--;
	shown = report_rows(report, count - first);
	if (count > 0) {
		report_title(report, "Objects at the last full collection", shown, count - first, TABLE_HEAP_SUMMARIES);
		printf("  %14s %10s %14s %10s  %s\n", "alive", "bytes", "dead", "bytes", "class");
	}
	for (size_t i = first; i < first + shown; i++) {
		printf("  %14s %10s %14s %10s  ", text_count(live, rows[i].live_objects),
		       text_bytes(live_bytes, rows[i].live_bytes), text_count(dead, rows[i].dead_objects),
		       text_bytes(dead_bytes, rows[i].dead_bytes));
		report_class(report, rows[i].class_id);
	}
	free(rows);
}

void report_heap_summaries_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_heap_summary *rows = collect_summaries(report, &count);
	uint64_t room = report_room(report) / SUMMARY_SIZE;
	size_t first = count > room ? count - (size_t)room : 0;

	report->left_out.heap_summaries = first;
	json_begin_array(json, "heap_summaries");
	for (size_t i = first; i < count; i++) {
		json_begin_object(json, NULL);
		json_unsigned(json, "collection", rows[i].collection);
		json_signed(json, "time_ns", rows[i].time_ns);
		report_json_class(report, json, rows[i].class_id);
		json_unsigned(json, "live_objects", rows[i].live_objects);
		json_unsigned(json, "live_bytes", rows[i].live_bytes);
		json_unsigned(json, "dead_objects", rows[i].dead_objects);
		json_unsigned(json, "dead_bytes", rows[i].dead_bytes);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}
