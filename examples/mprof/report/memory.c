/* SPDX-License-Identifier: MIT */
/*
 * Prints memory. The managed heap: the contents of snapshots and summaries, its history, and objects by class and by
 * call stack with their ages. Native memory: leaks, the peak, temporary allocations, and their call sites.
 */
#include "report/contents.h"

#include "common/table_view.h"
#include "report/filters.h"
#include "report/findings.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/stacks.h"
#include "report/view.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * The history.
 */

static mprof_age_stats totals_of_ages(const log_report *report)
{
	mprof_age_stats totals = {.struct_size = sizeof(totals)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_AGES, 0, &totals);
	return totals;
}

static uint64_t rest_of(uint64_t before, uint64_t collected)
{
	return before > collected ? before - collected : 0;
}

static const char *name_of_kind(uint32_t kind)
{
	switch (kind) {
	case MPROF_HEAP_CHANGE_START:
		return "start";
	case MPROF_HEAP_CHANGE_COLLECTION:
		return "collection";
	case MPROF_HEAP_CHANGE_RESIZE:
		return "resize";
	default:
		return "end";
	}
}

static void print_change(const mprof_heap_change_entry *entry, int has_deaths)
{
	const int is_collection = entry->kind == MPROF_HEAP_CHANGE_COLLECTION;
	char event[48];
	char objects[TEXT_NUMBER_SIZE];
	char bytes[TEXT_NUMBER_SIZE];
	char percent[TEXT_NUMBER_SIZE];
	char before[TEXT_NUMBER_SIZE];
	char after[TEXT_NUMBER_SIZE];

	snprintf(event, sizeof(event), "%s", name_of_kind(entry->kind));
	if (is_collection)
		snprintf(event, sizeof(event), "collection %" PRIu64 " of generation %" PRIu32, entry->number,
			 entry->generation);
	printf("  %12.6f s  %-32s", (double)entry->time_ns / 1e9, event);
	if (is_collection && has_deaths)
		printf(" %14s %8s", text_count(objects, entry->collected_objects),
		       text_percent(percent, entry->collected_objects, entry->objects_before));
	else
		printf(" %14s %8s", "", "");
	if (is_collection && has_deaths)
		printf(" %10s %8s", text_bytes(bytes, entry->collected_bytes),
		       text_percent(percent, entry->collected_bytes, entry->bytes_before));
	else
		printf(" %10s %8s", "", "");
	printf(" %10s %10s", text_bytes(before, entry->bytes_before),
	       text_bytes(after, rest_of(entry->bytes_before, entry->collected_bytes)));
	if (entry->heap_bytes != 0)
		printf(" %10s\n", text_bytes(bytes, entry->heap_bytes));
	else
		printf(" %10s\n", "-");
}

/* The end is always shown: it is the result. */
static void print_history(const log_report *report)
{
	const mprof_age_stats totals = totals_of_ages(report);
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_CHANGES);
	size_t shown = report_rows(report, count);

	if (count == 0 || totals.allocations + totals.deaths_read + totals.collections == 0)
		return;
	report_title(report, "History of the heap", shown, count, REPORT_TABLE_HISTORY);
	printf("  %14s  %-32s %14s %8s %10s %8s %10s %10s %10s\n", "time", "event", "objects freed", "", "bytes", "",
	       "before", "after", "heap size");
	for (size_t i = 0; i < count; i++) {
		mprof_heap_change_entry entry = {.struct_size = sizeof(entry)};

		if (i + 1 >= shown && i + 1 < count)
			continue;
		mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_CHANGES, i, &entry);
		print_change(&entry, totals.deaths_read > 0);
	}
}

static void print_after(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	const mprof_heap_change_entry *entry = row;

	(void)report;
	(void)value;
	json_unsigned(json, "objects_after", rest_of(entry->objects_before, entry->collected_objects));
	json_unsigned(json, "bytes_after", rest_of(entry->bytes_before, entry->collected_bytes));
}

const report_view ages_history = {
	.table = REPORT_TABLE_HISTORY,
	.source = MPROF_TABLE_HEAP_CHANGES,
	.json = {VIEW_KIND(kind, "event", name_of_kind), VIEW_FIELD(time_ns), VIEW_FIELD(number),
		 VIEW_FIELD(generation), VIEW_ALL_OTHERS, VIEW_COMPUTED(print_after), VIEW_FIELD(heap_bytes)},
	.print_text = print_history,
};

/*
 * Totals.
 */

#define LABEL_WIDTH 40

/* States what the log does not contain, so that no figure seems to be more than it is. */
static void note_gaps(const log_report *report, const mprof_age_stats *totals)
{
	const int frees = report->totals.event_counts[MPROF_EVENT_OBJECT_FREED] > 0;
	char text[TEXT_NUMBER_SIZE];

	if (totals->deaths_read == 0)
		puts("  The log has no deaths of objects: all objects seem to live. Record with --free.");
	if (totals->collections == 0)
		puts(frees ? "  The log has no collections: ages are 0."
			   : "  The log has no collections: ages are 0. Record with --gc.");
	if (totals->uncertain_moves > 0)
		puts(totals->collections == 0
			     ? "  The log does not contain which moves belong to one collection, so the "
			       "ages of some objects may be those of others. Record with --gc."
			     : "  Some moves could be of two objects, so the ages of some objects may "
			       "be those of others.");
	if (totals->without_address > 0)
		puts("  Objects without an address are neither alive nor dead here. Record with "
		     "--alloc=objects+stack.");
	if (totals->is_estimate)
		puts("  Events are missing or objects were not followed: these numbers and those below are estimates.");
	if (totals->sample_interval > 0)
		printf("  Call stacks are a sample, one for each %s allocated: numbers by call stack are estimates.\n",
		       text_bytes(text, totals->sample_interval));
}

static void print_age_totals(const log_report *report)
{
	static const view_total lines[] = {
		{"allocated", "allocations", NULL},
		{"bytes allocated", "bytes", NULL},
		{"found dead", "dead", NULL},
		{"bytes found dead", "dead_bytes", NULL},
		{"alive", "live", NULL},
		{"bytes alive", "live_bytes", NULL},
		{"peak", "peak_bytes", NULL},
		{"objects at the peak", "peak_live", NULL},
		{"time of the peak", "peak_ns", NULL},
		{"temporary", "temporaries", "collections"},
		{"bytes temporary", "temporary_bytes", "collections"},
		{"collections", "collections", NULL},
		{NULL, NULL, NULL},
	};
	static const view_total gaps[] = {
		{"deaths of unknown objects", "unmatched_deaths", "unmatched_deaths"},
		{"moves of unknown objects", "unmatched_moves", "unmatched_moves"},
		{"moves of uncertain objects", "uncertain_moves", "uncertain_moves"},
		{"deaths missing in the log", "missing_deaths", "missing_deaths"},
		{"objects without an address", "without_address", "without_address"},
		{"objects not followed", "untracked", "untracked"},
		{"objects without a class", "folded", "folded"},
		{NULL, NULL, NULL},
	};
	const mprof_age_stats totals = totals_of_ages(report);
	char average[32];

	if (totals.allocations + totals.deaths_read == 0)
		return;
	report_title(report, "Objects of the heap", 0, 0, REPORT_TABLE_AGE_TOTALS);
	report_view_totals(MPROF_TABLE_AGES, &totals, lines, LABEL_WIDTH);
	if (totals.dead + totals.live > 0) {
		snprintf(average, sizeof(average), "%.2f", (double)totals.ages / (double)(totals.dead + totals.live));
		report_view_total("average age in collections", average, LABEL_WIDTH);
	}
	report_view_totals(MPROF_TABLE_AGES, &totals, gaps, LABEL_WIDTH);
	note_gaps(report, &totals);
}

static const report_view age_totals = {
	.table = REPORT_TABLE_AGE_TOTALS,
	.source = MPROF_TABLE_AGES,
	.json = {VIEW_FIELD(allocations), VIEW_FIELD(bytes), VIEW_FIELD(dead), VIEW_FIELD(dead_bytes), VIEW_FIELD(live),
		 VIEW_FIELD(live_bytes), VIEW_FIELD(peak_live), VIEW_FIELD(peak_bytes), VIEW_FIELD(peak_ns),
		 VIEW_FIELD(temporaries), VIEW_FIELD(temporary_bytes), VIEW_FIELD(ages), VIEW_FIELD(collections),
		 VIEW_FIELD_AS(sample_interval, "sample_bytes"), VIEW_ALL_OTHERS,
		 VIEW_FIELD_AS(is_estimate, "estimate")},
};

static void write_age_totals(log_report *report, json_writer *json)
{
	const mprof_age_stats totals = totals_of_ages(report);

	json_begin_object(json, sections_table_key(REPORT_TABLE_AGE_TOTALS));
	report_view_fields(report, json, &age_totals, &totals);
	json_end_object(json);
}

const report_view ages_totals = {.print_text = print_age_totals, .print_json = write_age_totals};

/*
 * Classes and call sites.
 */

/* A row of all these tables: a class, a call site of the managed heap, or one of native memory. */
typedef struct age_row {
	mprof_age_site
		site; /**< The first, so that the fields of its table are fields of the row. Of a class: without a
	                          stack. */
	size_t index; /**< Of a call site of the managed heap. */
	uint32_t is_native;
	uint32_t is_folded;
	uint32_t sites;     /**< Of a class. */
	double average_age; /**< In collections; of native memory, the average lifetime in nanoseconds. */
} age_row;

/* What a row has in addition to the fields of its table. */
static const mprof_table_column row_fields[] = {
	{"is_native", MPROF_TYPE_UINT32, MPROF_UNIT_BOOLEAN, offsetof(age_row, is_native), 1, 0, 0},
	{"is_folded", MPROF_TYPE_UINT32, MPROF_UNIT_BOOLEAN, offsetof(age_row, is_folded), 1, 0, 0},
	{"backtraces", MPROF_TYPE_UINT32, MPROF_UNIT_COUNT, offsetof(age_row, sites), 1, 0, 0},
	{.name = NULL},
};

static double share(uint64_t sum, uint64_t count)
{
	return count > 0 ? (double)sum / (double)count : 0;
}

/* Copies the fields that the rows of another table have under the names of those of call sites. */
static void copy_fields(mprof_age_site *site, uint32_t table, const void *row)
{
	const mprof_table_column *column;

	for (size_t i = 0; (column = mprof_table_get_column(MPROF_TABLE_AGE_SITES, i)) != NULL; i++) {
		const mprof_table_column *same =
			table_column_find(mprof_table_get_column, table, column->name, strlen(column->name));
		const size_t size = column->type == MPROF_TYPE_UINT32 ? sizeof(uint32_t) : sizeof(uint64_t);

		if (same != NULL && same->type == column->type)
			memcpy((unsigned char *)site + column->offset, (const unsigned char *)row + same->offset, size);
	}
}

static void *read_age_classes(const log_report *report, size_t *count)
{
	const size_t all = mprof_profile_get_row_count(report->profile, MPROF_TABLE_AGE_CLASSES);
	age_row *rows = report_view_allocate(all, sizeof(*rows));

	for (*count = 0; rows != NULL && *count < all; ++*count) {
		mprof_age_class stats = {.struct_size = sizeof(stats)};
		age_row *row = &rows[*count];

		mprof_profile_get_row(report->profile, MPROF_TABLE_AGE_CLASSES, *count, &stats);
		copy_fields(&row->site, MPROF_TABLE_AGE_CLASSES, &stats);
		row->sites = stats.sites;
		row->average_age = share(stats.ages, stats.dead + stats.live);
	}
	return rows;
}

static void read_native(const log_report *report, size_t index, age_row *row)
{
	mprof_memory_site site = {.struct_size = sizeof(site)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY_SITES, index, &site);
	copy_fields(&row->site, MPROF_TABLE_MEMORY_SITES, &site);
	row->site.dead = site.frees;
	row->is_native = 1;
	row->is_folded = site.is_folded;
	row->average_age = share(site.lifetime_ns, site.frees);
}

static void read_managed(const log_report *report, size_t index, age_row *row)
{
	row->index = index;
	row->site.struct_size = sizeof(row->site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_AGE_SITES, index, &row->site);
	row->average_age =
		share(row->site.ages, row->site.samples > 0 ? row->site.samples : row->site.dead + row->site.live);
}

/* Call sites of the managed heap, then those of native memory. */
static void *read_sites(const log_report *report, size_t *count)
{
	const size_t managed = mprof_profile_get_row_count(report->profile, MPROF_TABLE_AGE_SITES);
	const size_t all = managed + mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SITES);
	age_row *rows = report_view_allocate(all, sizeof(*rows));

	*count = 0;
	if (rows == NULL || !report->options.with_ages)
		return rows;
	for (; *count < all; ++*count) {
		if (*count < managed)
			read_managed(report, *count, &rows[*count]);
		else
			read_native(report, *count - managed, &rows[*count]);
	}
	return rows;
}

static int keep_site(const log_report *report, const void *row)
{
	const age_row *of = row;

	if (of->is_native)
		return report_wants_all(report) && report_frames_keep_stack(report, of->site.stack);
	/* With a sample of call stacks, the estimates cover the objects without one as well. */
	return (of->site.samples > 0 || totals_of_ages(report).sample_interval == 0) &&
	       report_wants_class(report, of->site.class_id) &&
	       report_frames_keep_site(report, of->site.stack, of->site.caller);
}

static int compare_numbers(double left, double right)
{
	return (left < right) - (left > right);
}

/* The usual order, which rows that are equal in another order have as well. */
#define USUAL_ORDER "bytes allocations <class_id <stack <caller <flags"

/* As #USUAL_ORDER. */
static int compare_total(const void *left, const void *right)
{
	const age_row *a = left;
	const age_row *b = right;
	int order = report_larger_first(a->site.bytes, b->site.bytes);

	order = order != 0 ? order : report_larger_first(a->site.allocations, b->site.allocations);
	order = order != 0 ? order : report_larger_first(b->site.class_id, a->site.class_id);
	order = order != 0 ? order : report_larger_first(b->site.stack, a->site.stack);
	order = order != 0 ? order : report_larger_first(b->site.caller, a->site.caller);
	return order != 0 ? order : report_larger_first(b->site.flags, a->site.flags);
}

static int compare_average(const void *left, const void *right)
{
	const mprof_age_site *a = &((const age_row *)left)->site;
	const mprof_age_site *b = &((const age_row *)right)->site;
	int order = compare_numbers(share(a->bytes, a->allocations), share(b->bytes, b->allocations));

	return order != 0 ? order : compare_total(left, right);
}

static int compare_age(const void *left, const void *right)
{
	int order = compare_numbers(((const age_row *)left)->average_age, ((const age_row *)right)->average_age);

	return order != 0 ? order : compare_total(left, right);
}

static mprof_stack_frame caller_of(const age_row *row)
{
	return (mprof_stack_frame){.id = row->site.caller,
				   .is_compiling = (row->site.flags & MPROF_EVENT_FLAG_COMPILING) != 0};
}

/* The frames of a call site of the managed heap, which the caller frees; without a call stack, the caller alone. */
static mprof_stack_frame *managed_frames(const log_report *report, const age_row *row, size_t *count)
{
	mprof_stack_frame *frames;

	*count = 0;
	mprof_profile_get_age_site_frames(report->profile, row->index, NULL, sizeof(*frames), 0, count);
	frames = calloc(*count + 1, sizeof(*frames));
	if (frames == NULL) {
		*count = 0;
		return NULL;
	}
	if (*count > 0) {
		mprof_profile_get_age_site_frames(report->profile, row->index, frames, sizeof(*frames), *count, count);
	} else {
		frames[0] = caller_of(row);
		*count = 1;
	}
	return frames;
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	const age_row *of = row;

	if (of->is_native)
		return report_site_frames(report, of->site.stack, 0, 0, count, is_owned);
	*is_owned = 1;
	return managed_frames(report, of, count);
}

/* The number of objects or blocks that the average age of a row is that of. */
static double aged(const age_row *row)
{
	if (row->is_native)
		return (double)row->site.dead;
	return (double)(row->site.samples > 0 ? row->site.samples : row->site.dead + row->site.live);
}

static void add_site(void *sum, const void *before, const void *row)
{
	const age_row *old = before;
	const age_row *added = row;
	double all = aged(old) + aged(added);

	if (all > 0)
		((age_row *)sum)->average_age = (old->average_age * aged(old) + added->average_age * aged(added)) / all;
}

/* Prints where the objects of a row were allocated. */
static void print_origin(const log_report *report, const void *row)
{
	const age_row *of = row;
	mprof_stack_frame *frames;
	size_t count;

	if (of->is_native) {
		if (of->is_folded)
			printf("  %28s(other call sites: too little memory to distinguish them)\n", "");
		report_stack(report, of->site.stack);
		return;
	}
	frames = managed_frames(report, of, &count);
	report_frame_list(report, frames, count);
	free(frames);
}

static void print_subject(const log_report *report, const void *row)
{
	const age_row *of = row;

	fputs("  ", stdout);
	if (of->is_native)
		puts("(native memory)");
	else
		report_class(report, of->site.class_id);
}

static const char *format_age(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	const age_row *of = row;

	(void)report;
	(void)number;
	if (of->is_native)
		return of->site.dead > 0 ? text_duration(text, (uint64_t)of->average_age) : "-";
	snprintf(text, TEXT_NUMBER_SIZE, "%.2f", of->average_age);
	return text;
}

static const char *format_average(const log_report *report, const void *row, uint64_t number,
				  char text[TEXT_NUMBER_SIZE])
{
	const age_row *of = row;

	(void)report;
	(void)number;
	snprintf(text, TEXT_NUMBER_SIZE, "%.1f", share(of->site.bytes, of->site.allocations));
	return text;
}

static const char *format_temporary(const log_report *report, const void *row, uint64_t number,
				    char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	return ((const age_row *)row)->is_native ? "" : text_bytes(text, number);
}

static int has_estimates(const log_report *report, const view_rows *rows)
{
	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (((const age_row *)(const void *)(rows->rows + i * rows->size))->site.samples > 0)
			return 1;
	}
	return 0;
}

static void print_averages(const log_report *report, json_writer *json, const void *row, uint64_t is_native)
{
	const age_row *of = row;

	(void)report;
	json_double(json, "average_bytes", share(of->site.bytes, of->site.allocations));
	if (is_native)
		json_null(json, "average_age");
	else
		json_double(json, "average_age", of->average_age);
}

static void print_temporary_bytes(const log_report *report, json_writer *json, const void *row, uint64_t bytes)
{
	(void)report;
	if (((const age_row *)row)->is_native)
		json_null(json, "temporary_bytes");
	else
		json_unsigned(json, "temporary_bytes", bytes);
}

static void print_lifetime(const log_report *report, json_writer *json, const void *row, uint64_t is_native)
{
	const age_row *of = row;

	(void)report;
	if (is_native && of->site.dead > 0)
		json_unsigned(json, "average_lifetime_ns", (uint64_t)of->average_age);
	else
		json_null(json, "average_lifetime_ns");
}

static void write_frames(const log_report *report, json_writer *json, const void *row, uint64_t stack)
{
	const age_row *of = row;
	mprof_stack_frame *frames;
	size_t count;

	if (of->is_native) {
		report_json_stack(report, json, "stack", (uint32_t)stack);
		return;
	}
	frames = stack != 0 ? managed_frames(report, of, &count) : NULL;
	report_json_frame_list(report, json, "stack", frames, frames != NULL ? count : 0);
	free(frames);
}

/* Estimated size in JSON of a row without its frames, and of a frame, with names of average length. */
#define ROW_SIZE 520
#define FRAME_SIZE 60

static uint64_t size_of_row(const log_report *report, const void *row, uint64_t most)
{
	const age_row *of = row;
	size_t frames = 0;

	(void)most;
	if (of->is_native)
		return ROW_SIZE + report_json_stack_size(report, of->site.stack, UINT64_MAX - 1);
	mprof_profile_get_age_site_frames(report->profile, of->index, NULL, sizeof(mprof_stack_frame), 0, &frames);
	return ROW_SIZE + frames * FRAME_SIZE;
}

#define AGE_ROWS .source = MPROF_TABLE_AGE_SITES, .row_size = sizeof(age_row), .fields = row_fields
#define CLASS_ROWS AGE_ROWS, .read = read_age_classes, .filters = "class_id", .without_stacks = 1
/* Exact figures are not added to estimates. */
#define SITE_ROWS                                                                                                      \
	AGE_ROWS, .read = read_sites, .keep = keep_site, .merged = "is_native is_folded class_id ?samples",            \
		  .frames = frames_of, .add = add_site, .below = print_origin, .size = size_of_row,                    \
		  .row_bytes = ROW_SIZE, .left_out = LEFT_OUT_AGE_SITES
#define SITE_SORTS                                                                                                     \
	{"count", "allocations " USUAL_ORDER, NULL}, {"total", USUAL_ORDER, NULL}, {"average", NULL, compare_average}, \
	{                                                                                                              \
		"age", NULL, compare_age                                                                               \
	}
#define AMOUNTS                                                                                                        \
	VIEW_FIELD(allocations), VIEW_FIELD(bytes), VIEW_JOIN(is_native, print_averages), VIEW_FIELD(dead),            \
		VIEW_FIELD(live), VIEW_FIELD(live_bytes), VIEW_FIELD(peak_live), VIEW_FIELD(peak_bytes),               \
		VIEW_FIELD(temporaries), VIEW_JOIN(temporary_bytes, print_temporary_bytes), VIEW_WITHOUT(dead_bytes),  \
		VIEW_WITHOUT(ages), VIEW_WITHOUT(allocations_error), VIEW_WITHOUT(live_error)
#define SITE_FIELDS                                                                                                    \
	{                                                                                                              \
		VIEW_NAME(class_id, "class"), VIEW_FIELD_AS(is_native, "native"), AMOUNTS,                             \
			VIEW_JOIN(is_native, print_lifetime), VIEW_FIELD(samples), VIEW_ALL_OTHERS,                    \
			VIEW_NAME(caller, "caller"), VIEW_BITS(flags, "compiling", MPROF_EVENT_FLAG_COMPILING),        \
			VIEW_JOIN(stack, write_frames)                                                                 \
	}

const report_view ages_types = {
	CLASS_ROWS,
	.table = REPORT_TABLE_TYPES,
	.order = USUAL_ORDER,
	.sorts = {SITE_SORTS, {"backtraces", "backtraces " USUAL_ORDER, NULL}},
	.title = "Types",
	.columns = {VIEW_COLUMN(14, "count", "allocations"), VIEW_COLUMN(10, "total", "bytes"),
		    VIEW_COLUMN_BY(10, "average", .text = format_average),
		    VIEW_COLUMN_BY(10, "age", .text = format_age), VIEW_COLUMN(14, "call stacks", "backtraces"),
		    VIEW_COLUMN(0, "class", "class_id")},
	.json = {VIEW_NAME(class_id, "class"), VIEW_FIELD_AS(class_id, "id"), AMOUNTS, VIEW_FIELD(backtraces),
		 VIEW_WITHOUT(samples), VIEW_WITHOUT(bytes_error), VIEW_WITHOUT(live_bytes_error),
		 VIEW_WITHOUT(peak_bytes_error), VIEW_WITHOUT(temporary_bytes_error), VIEW_ALL_OTHERS},
};

const report_view ages_backtraces = {
	SITE_ROWS,
	.table = REPORT_TABLE_BACKTRACES,
	.order = USUAL_ORDER,
	.sorts = {SITE_SORTS},
	.title = "Types by call stack, without recursion",
	.columns = {VIEW_COLUMN(14, "count", "allocations"), VIEW_COLUMN(10, "total", "bytes"),
		    VIEW_COLUMN_BY(10, "+-", .field = "bytes_error", .format = VIEW_ERROR, .when = has_estimates),
		    VIEW_COLUMN_BY(10, "average", .text = format_average),
		    VIEW_COLUMN_BY(10, "age", .text = format_age),
		    VIEW_COLUMN_BY(0, "class, and what allocated it", .print = print_subject)},
	.json = SITE_FIELDS,
};

const report_view ages_temporaries = {
	SITE_ROWS,
	.table = REPORT_TABLE_TEMPORARIES,
	.remaining = "temporaries",
	.order = "temporary_bytes temporaries " USUAL_ORDER,
	.sorts = {SITE_SORTS},
	.title = "Temporary objects, by call stack",
	.columns = {VIEW_COLUMN(14, "temporary", "temporaries"),
		    VIEW_COLUMN_BY(10, "bytes", .field = "temporary_bytes", .text = format_temporary),
		    VIEW_COLUMN_BY(10, "+-", .field = "temporary_bytes_error", .format = VIEW_ERROR,
				   .when = has_estimates),
		    VIEW_COLUMN(14, "of allocated", "allocations"),
		    VIEW_COLUMN_BY(0, "class, and what allocated it", .print = print_subject)},
	.json = SITE_FIELDS,
};

/*
 * What was alive, at the end or a time, or at the peak.
 */

static void print_all_alive(const log_report *report);
static void write_alive(log_report *report, json_writer *json);

#define ALIVE_ROWS(objects, size) .remaining = objects, .order = size " " USUAL_ORDER, .sorts = {SITE_SORTS}
#define ALIVE_CLASSES(objects, size)                                                                                   \
	{                                                                                                              \
		CLASS_ROWS, ALIVE_ROWS(objects, size),                                                                 \
			.table = REPORT_TABLE_ALIVE_CLASSES,                                                           \
			.columns = {VIEW_COLUMN(14, "alive", objects), VIEW_COLUMN(10, "bytes", size),                 \
				    VIEW_COLUMN(14, "of allocated", "allocations"),                                    \
				    VIEW_COLUMN(0, "class", "class_id")},                                              \
	}
#define ALIVE_SITES(objects, size, error)                                                                              \
	{                                                                                                              \
		SITE_ROWS, ALIVE_ROWS(objects, size),                                                                  \
			.table = REPORT_TABLE_ALIVE,                                                                   \
			.columns = {VIEW_COLUMN(14, "alive", objects), VIEW_COLUMN(10, "bytes", size),                 \
				    VIEW_COLUMN_BY(10, "+-", .field = error, .format = VIEW_ERROR,                     \
						   .when = has_estimates),                                             \
				    VIEW_COLUMN(14, "of allocated", "allocations"),                                    \
				    VIEW_COLUMN_BY(0, "class, and what allocated it", .print = print_subject)},        \
			.json = SITE_FIELDS, .print_text = print_all_alive, .print_json = write_alive,                 \
	}

static const report_view live_classes = ALIVE_CLASSES("live", "live_bytes");
static const report_view peak_classes = ALIVE_CLASSES("peak_live", "peak_bytes");
const report_view ages_alive = ALIVE_SITES("live", "live_bytes", "live_bytes_error");
static const report_view peak_sites = ALIVE_SITES("peak_live", "peak_bytes", "peak_bytes_error");

static void print_alive(const log_report *report, const report_view *view, const char *by)
{
	const report_options *options = &report->options;
	view_rows rows = report_view_collect(report, view);
	char title[96];

	snprintf(title, sizeof(title), "Alive at %s%s, by %s",
		 options->alive_at_peak           ? "the peak"
		 : options->alive_at.text == NULL ? "the end"
						  : "",
		 options->alive_at.text != NULL ? options->alive_at.text + 1 : "", by);
	report_view_rows_text(report, view, title, &rows, 0);
	free(rows.rows);
}

static void print_all_alive(const log_report *report)
{
	const int at_peak = report->options.alive_at_peak;

	print_alive(report, at_peak ? &peak_classes : &live_classes, "class");
	print_alive(report, at_peak ? &peak_sites : &ages_alive, "call stack");
}

static void write_alive(log_report *report, json_writer *json)
{
	report_view_json(report, json, report->options.alive_at_peak ? &peak_sites : &ages_alive);
}

/*
 * Native memory.
 */

static mprof_memory_stats totals_of(const log_report *report)
{
	mprof_memory_stats totals = {.struct_size = sizeof(totals)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY, 0, &totals);
	return totals;
}

/* Native code has no classes, so with a filter of methods or classes the section is left out. */
static int is_there(const log_report *report, const mprof_memory_stats *totals)
{
	return report_wants_all(report) && totals->allocations + totals->unmatched_frees > 0;
}

/* Lifetimes of sites that are merged: the shortest and the longest are not added. */
static void add_memory_site(void *sum, const void *before, const void *row)
{
	mprof_memory_site *into = sum;
	const mprof_memory_site *old = before;
	const mprof_memory_site *site = row;

	into->shortest_ns = old->shortest_ns;
	if (site->frees > 0 && (old->frees == 0 || site->shortest_ns < old->shortest_ns))
		into->shortest_ns = site->shortest_ns;
	into->longest_ns = site->longest_ns > old->longest_ns ? site->longest_ns : old->longest_ns;
}

static void print_folded(const log_report *report, const void *row)
{
	(void)report;
	putchar('\n');
	if (((const mprof_memory_site *)row)->is_folded)
		printf("  %28s%s\n", "", "(other call sites: too little memory to distinguish them)");
}

#define MEMORY_SITE_ROWS                                                                                               \
	.table = REPORT_TABLE_MEMORY_PLACES, .source = MPROF_TABLE_MEMORY_SITES, .filters = "stack",                   \
	.merged = "is_folded", .add = add_memory_site
#define MEMORY_SITE_COLUMNS(bytes, count)                                                                              \
	{                                                                                                              \
		VIEW_COLUMN(10, "bytes", bytes), VIEW_COLUMN(14, "blocks", count),                                     \
			VIEW_COLUMN(14, "of allocated", "allocations"),                                                \
			VIEW_COLUMN_BY(0, "call site", .print = print_folded)                                          \
	}

/* Not known unless the memory was searched when the program ended. */
#define REACHABILITY_FIELDS                                                                                            \
	VIEW_FIELD_NEEDS(unreachable, is_searched), VIEW_FIELD_NEEDS(unreachable_bytes, is_searched),                  \
		VIEW_FIELD_NEEDS(indirect, is_searched), VIEW_FIELD_NEEDS(indirect_bytes, is_searched),                \
		VIEW_FIELD_NEEDS(interior, is_searched), VIEW_FIELD_NEEDS(interior_bytes, is_searched),                \
		VIEW_FIELD(unsearched), VIEW_FIELD(unsearched_bytes), VIEW_WITHOUT(is_searched)

/* Documents have all sites, in the order of this one. */
static const report_view live_sites = {
	MEMORY_SITE_ROWS,
	.order = "live_bytes live bytes allocations <stack",
	.json = {VIEW_ALL_OTHERS, REACHABILITY_FIELDS, VIEW_FIELD_AS(is_folded, "folded"), VIEW_FRAMES},
	.row_bytes = 450,
	.left_out = LEFT_OUT_MEMORY_PLACES,
};

/* On the first screen, unless there is none. */
static const report_view unreachable_sites = {
	MEMORY_SITE_ROWS,
	.title = "Native memory that was unreachable, by call site",
	.remaining = "unreachable",
	.order = "unreachable_bytes unreachable bytes allocations <stack",
	.columns = MEMORY_SITE_COLUMNS("unreachable_bytes", "unreachable"),
};

static const report_view text_sites[] = {
	{
		MEMORY_SITE_ROWS,
		.title = "Native memory not freed, by call site",
		.remaining = "live",
		.order = "live_bytes live bytes allocations <stack",
		.columns = MEMORY_SITE_COLUMNS("live_bytes", "live"),
	},
	{
		MEMORY_SITE_ROWS,
		.title = "Native memory at the peak, by call site",
		.remaining = "peak_live",
		.order = "peak_bytes bytes allocations <stack",
		.columns = MEMORY_SITE_COLUMNS("peak_bytes", "peak_live"),
	},
	{
		MEMORY_SITE_ROWS,
		.title = "Temporary native memory, by call site",
		.remaining = "temporaries",
		.order = "temporaries bytes allocations <stack",
		.columns = MEMORY_SITE_COLUMNS("bytes", "temporaries"),
	},
};

static void print_size_range(const log_report *report, const void *row)
{
	const mprof_memory_size *size = row;

	(void)report;
	printf("  %" PRIu64, size->smallest);
	if (size->largest > size->smallest)
		printf(" to %" PRIu64, size->largest);
	putchar('\n');
}

static const report_view text_sizes = {
	.table = REPORT_TABLE_MEMORY,
	.source = MPROF_TABLE_MEMORY_SIZES,
	.present = "allocations",
	.title = "Native memory by size",
	.shows_all = 1,
	.columns = {VIEW_COLUMN(14, "allocations", "allocations"), VIEW_COLUMN(10, "bytes", "bytes"),
		    VIEW_COLUMN_BY(0, "size", .print = print_size_range)},
};

static const report_view sizes = {
	.table = REPORT_TABLE_MEMORY_SIZES,
	.source = MPROF_TABLE_MEMORY_SIZES,
	.present = "allocations",
	.json = {VIEW_ALL_OTHERS},
	.has_all_rows = 1,
	.row_bytes = 100,
	.left_out = LEFT_OUT_MEMORY_SIZES,
};

static const report_view memory_totals = {
	.table = REPORT_TABLE_MEMORY,
	.source = MPROF_TABLE_MEMORY,
	.json = {VIEW_ALL_OTHERS, REACHABILITY_FIELDS, VIEW_FIELD_AS(is_estimate, "estimate"),
		 VIEW_FIELD_AS(is_peak_estimate, "peak_estimate"), VIEW_FIELD(folded_sites), VIEW_FIELD(untracked)},
};

static void print_totals(const log_report *report, const mprof_memory_stats *totals)
{
	static const view_total lines[] = {
		{"allocations", "allocations", NULL},
		{"bytes allocated", "bytes", NULL},
		{"by resizing", "resizes", "resizes"},
		{"freed", "frees", NULL},
		{"not freed", "live", NULL},
		{"bytes not freed", "live_bytes", NULL},
		{"unreachable", "unreachable", "is_searched"},
		{"bytes unreachable", "unreachable_bytes", "is_searched"},
		{"by unreachable blocks", "indirect_bytes", "indirect"},
		{"by interior pointers", "interior_bytes", "interior"},
		{"peak", "peak_bytes", NULL},
		{"allocations at the peak", "peak_live", NULL},
		{"time of the peak", "peak_ns", NULL},
		{"temporary", "temporaries", NULL},
		{"frees of unknown memory", "unmatched_frees", "unmatched_frees"},
		{"frees missing", "missing_frees", "missing_frees"},
		{"events out of order", "late_events", "late_events"},
		{"without a call site", "folded_sites", "folded_sites"},
		{"not followed", "untracked", "untracked"},
		{NULL, NULL, NULL},
	};

	report_title(report, "Native memory", 0, 0, REPORT_TABLE_MEMORY);
	report_view_totals(MPROF_TABLE_MEMORY, totals, lines, 24);
	if (totals->is_estimate)
		puts("  events are missing, out of order or not followed: these numbers and those below are estimates");
	else if (totals->is_peak_estimate)
		puts("  events are out of order: the peak and the temporary allocations are estimates, all others are "
		     "exact");
	if (totals->is_searched && totals->unsearched > 0)
		printf("  %" PRIu64 " of the blocks not freed are of processes whose memory was not searched\n",
		       totals->unsearched);
	if (!totals->is_searched && totals->live > 0)
		puts("  record --malloc --leaks shows which of the memory not freed was unreachable");
	puts("  without memory that the program maps itself, as by mmap()");
}

static void print_memory(const log_report *report)
{
	const mprof_memory_stats totals = totals_of(report);

	if (!is_there(report, &totals))
		return;
	print_totals(report, &totals);
	if (totals.unreachable > 0)
		report_view_text(report, &unreachable_sites);
	if (report_is_first_screen(report)) {
		if (totals.unreachable == 0)
			report_view_text(report, &text_sites[0]);
		return;
	}
	for (size_t i = 0; i < sizeof(text_sites) / sizeof(text_sites[0]); i++)
		report_view_text(report, &text_sites[i]);
	report_view_text(report, &text_sizes);
}

static void write_memory(log_report *report, json_writer *json)
{
	const mprof_memory_stats totals = totals_of(report);

	json_begin_object(json, sections_table_key(REPORT_TABLE_MEMORY));
	report_view_fields(report, json, &memory_totals, &totals);
	report_view_json(report, json, &live_sites);
	report_view_json(report, json, &sizes);
	json_end_object(json);
}

const report_view memory_view = {.print_text = print_memory, .print_json = write_memory};
