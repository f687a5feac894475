/* SPDX-License-Identifier: MIT */
/* Prints the contents of the heap: snapshots and summaries. */
#include "report/contents.h"

#include "report/parts.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * The classes of a snapshot.
 */

/* What the rows of classes are those of. */
typedef struct snapshot_join {
	size_t index; /* Of the snapshot. */
	size_t first; /* The first snapshot whose classes fit a bounded document. */
	uint64_t *left_out;
} snapshot_join;

static const mprof_table_column class_fields[] = {
	{"class_id", MPROF_TYPE_UINT32, MPROF_UNIT_CLASS, offsetof(mprof_heap_shot_class, class_id), 1, 0, 0},
	{"objects", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(mprof_heap_shot_class, objects), 1, 0, 0},
	{"bytes", MPROF_TYPE_UINT64, MPROF_UNIT_BYTES, offsetof(mprof_heap_shot_class, bytes), 1, 0, 0},
	{.name = NULL},
};

static void *read_classes(const log_report *report, size_t *count)
{
	const snapshot_join *join = report->join;
	mprof_heap_shot snapshot = {.struct_size = sizeof(snapshot)};
	mprof_heap_shot_class *rows;

	mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, join->index, &snapshot);
	rows = report_view_allocate((size_t)snapshot.classes, sizeof(*rows));
	for (*count = 0; rows != NULL && *count < snapshot.classes; ++*count) {
		rows[*count].struct_size = sizeof(*rows);
		mprof_profile_get_heap_shot_class(report->profile, join->index, *count, &rows[*count]);
	}
	return rows;
}

static void print_snapshots(const log_report *report);
static void write_snapshots(log_report *report, json_writer *json);

const report_view heap_classes = {
	.table = REPORT_TABLE_HEAP_CLASSES,
	.row_size = sizeof(mprof_heap_shot_class),
	.fields = class_fields,
	.read = read_classes,
	.filters = "class_id",
	.order = "bytes objects <class_id",
	.sorts = {{"bytes", "bytes", NULL}, {"objects", "objects", NULL}},
	.columns = {VIEW_COLUMN(10, "bytes", "bytes"), VIEW_SHARE_COLUMN("bytes"),
		    VIEW_COLUMN(14, "objects", "objects"), VIEW_COLUMN(0, "class", "class_id")},
	.json = {VIEW_NAME(class_id, "class"), VIEW_FIELD(objects), VIEW_FIELD(bytes)},
	.print_text = print_snapshots,
	.print_json = write_snapshots,
};

static void print_classes(const log_report *report, size_t index, const mprof_heap_shot *snapshot)
{
	snapshot_join join = {.index = index};
	log_report joined = *report;
	view_rows rows;
	char title[64];

	joined.join = &join;
	rows = report_view_collect(&joined, &heap_classes);
	snprintf(title, sizeof(title), "Objects alive in snapshot %" PRIu32, snapshot->number);
	report_view_rows_text(report, &heap_classes, title, &rows, snapshot->bytes);
	free(rows.rows);
}

static void write_classes(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	snapshot_join *join = report->join;
	log_report joined = *report;
	view_rows rows = report_view_collect(report, &heap_classes);

	(void)row;
	(void)value;
	if (join->index++ < join->first) {
		*join->left_out += report_rows(report, rows.count);
		rows.count = 0;
	}
	report_view_rows_json(&joined, json, &heap_classes, &rows);
	free(rows.rows);
}

/*
 * Snapshots.
 */

static void print_incomplete(const log_report *report, const void *row)
{
	(void)report;
	puts(((const mprof_heap_shot *)row)->incomplete ? "  incomplete" : "");
}

static void write_roots(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	const mprof_heap_shot *snapshot = row;

	(void)report;
	(void)value;
	json_begin_object(json, "roots_by_kind");
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (snapshot->roots_by_kind[kind] > 0)
			json_unsigned(json, kind_of_root(kind), snapshot->roots_by_kind[kind]);
	}
	json_end_object(json);
}

/* Whether a snapshot has objects that are no memory. */
static int has_synthetic(const log_report *report, const view_rows *rows)
{
	const mprof_heap_shot *shots = (const mprof_heap_shot *)(const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (shots[i].synthetic_objects > 0)
			return 1;
	}
	return 0;
}

static const report_view snapshots = {
	.table = REPORT_TABLE_HEAP_SNAPSHOTS,
	.source = MPROF_TABLE_HEAP_SHOTS,
	.row_size = sizeof(mprof_heap_shot),
	.title = "Heap snapshots",
	.shows_last = 1,
	.columns = {VIEW_COLUMN(8, "snapshot", "number"), VIEW_COLUMN(10, "at", "time_ns"),
		    VIEW_COLUMN(10, "objects", "objects"), VIEW_COLUMN(10, "bytes", "bytes"),
		    VIEW_COLUMN(11, "references", "references"), VIEW_COLUMN(9, "roots", "roots"),
		    VIEW_COLUMN_BY(10, "no memory", .field = "synthetic_objects", .when = has_synthetic),
		    VIEW_COLUMN_BY(0, NULL, .print = print_incomplete)},
	.json = {VIEW_FIELD(number), VIEW_ALL_OTHERS, VIEW_COMPUTED(write_roots), VIEW_FIELD(incomplete),
		 VIEW_JOIN(classes, write_classes)},
	.has_all_rows = 1,
};

static void print_snapshots(const log_report *report)
{
	view_rows rows = report_view_collect(report, &snapshots);
	const mprof_heap_shot *shots = (const mprof_heap_shot *)(const void *)rows.rows;

	report_view_rows_text(report, &snapshots, snapshots.title, &rows, 0);
	if (rows.count > 0)
		print_classes(report, rows.count - 1, &shots[rows.count - 1]);
	free(rows.rows);
}

/* Estimated size of a class in JSON, with a name of average length. */
#define CLASS_SIZE 100

/* The index of the first snapshot whose classes are printed: the latest ones that fit the document. */
static size_t first_with_room(const log_report *report, const view_rows *rows)
{
	const mprof_heap_shot *shots = (const mprof_heap_shot *)(const void *)rows->rows;
	uint64_t room = report_room(report);
	size_t index = rows->count;

	while (index > 0 && report_takes_room(&room, shots[index - 1].classes * CLASS_SIZE))
		index--;
	return index;
}

static void write_snapshots(log_report *report, json_writer *json)
{
	view_rows rows = report_view_collect(report, &snapshots);
	snapshot_join join = {.first = first_with_room(report, &rows),
			      .left_out = &report->left_out[LEFT_OUT_HEAP_SHOT_CLASSES]};
	log_report joined = *report;

	joined.join = &join;
	report_view_rows_json(&joined, json, &snapshots, &rows);
	free(rows.rows);
}

/*
 * Summaries.
 */

static void print_last_summaries(const log_report *report);

const report_view heap_summaries = {
	.table = REPORT_TABLE_HEAP_SUMMARIES,
	.source = MPROF_TABLE_HEAP_SUMMARIES,
	.filters = "class_id",
	.order = "<collection live_bytes dead_bytes <class_id",
	.title = "Objects at the last full collection",
	.columns = {VIEW_COLUMN(14, "alive", "live_objects"), VIEW_COLUMN(10, "bytes", "live_bytes"),
		    VIEW_COLUMN(14, "dead", "dead_objects"), VIEW_COLUMN(10, "bytes", "dead_bytes"),
		    VIEW_COLUMN(0, "class", "class_id")},
	.json = {VIEW_FIELD(collection), VIEW_FIELD(time_ns), VIEW_NAME(class_id, "class"), VIEW_ALL_OTHERS},
	.has_all_rows = 1,
	.has_last = 1,
	.row_bytes = 200,
	.left_out = LEFT_OUT_HEAP_SUMMARIES,
	.print_text = print_last_summaries,
};

/* Only the last collection is in the text. */
static void print_last_summaries(const log_report *report)
{
	view_rows rows = report_view_collect(report, &heap_summaries);
	view_rows last = rows;

	while (last.count > 0 &&
	       report_view_number(&heap_summaries, last.rows + (last.count - 1) * last.size, "collection") ==
		       report_view_number(&heap_summaries, rows.rows + (rows.count - 1) * rows.size, "collection"))
		last.count--;
	last.rows += last.count * last.size;
	last.count = rows.count - last.count;
	report_view_rows_text(report, &heap_summaries, heap_summaries.title, &last, 0);
	free(rows.rows);
}
