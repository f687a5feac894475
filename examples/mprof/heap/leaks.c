/* SPDX-License-Identifier: MIT */
/* Compares all heap snapshots of a log, and prints what grew over all of them. */
#include "heap/leaks.h"

#include "common/arguments.h"
#include "common/growth_path.h"
#include "common/name_cut.h"
#include "common/table_view.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_ROWS 20

/* Between two snapshots, all that a program keeps grows. */
#define MIN_SNAPSHOTS 3

/* Only these blocks are needed. */
#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

static int fail(heap_leaks *leaks, mprof_status status)
{
	progress_hide(&leaks->input.progress);
	text_begin_message(leaks->input.name);
	fprintf(stderr, "%s for the comparison of heap snapshots\n", mprof_status_get_text(status));
	return STATUS_NOTHING;
}

/* Reads the next snapshots of the log up to the one with a number, counted from the latest that was read. */
static mprof_status read_graph(heap_leaks *leaks, uint32_t number, int list_only, mprof_heap_graph **graph)
{
	mprof_heap_graph_options options;
	mprof_status status;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = number;
	options.list_only = list_only != 0;
	options.max_memory = leaks->options.memory << 20;
	status = mprof_heap_graph_create(&options, graph);
	if (status == MPROF_OK)
		status = mprof_heap_graph_read(*graph, leaks->input.reader, input_damage, &leaks->input);
	/* Damage of the log was reported; everything before and after it is there. */
	return status == MPROF_ERR_MEMORY || status == MPROF_ERR_LIMIT ? status : input_failure(&leaks->input);
}

static void leave_out_incomplete(heap_leaks *leaks, uint64_t number)
{
	if (leaks->incomplete_count < HEAP_LEAKS_NAMED)
		leaks->incomplete[leaks->incomplete_count] = number;
	leaks->incomplete_count++;
}

/* Adds a snapshot to the comparison, unless it cannot be compared with others. */
static mprof_status add_snapshot(heap_leaks *leaks, const mprof_heap_graph *graph, uint64_t number)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};

	mprof_heap_graph_get_totals(graph, &totals);
	if (totals.snapshot == 0 || totals.incomplete) {
		leave_out_incomplete(leaks, number);
		return MPROF_OK;
	}
	if (!totals.has_roots) {
		leaks->rootless_count++;
		return MPROF_OK;
	}
	leaks->compared_count++;
	return mprof_heap_diff_add(leaks->diff, graph, leaks->input.reader, 0);
}

/*
 * Reads one snapshot after another. Each graph continues where the one before ended, so that the log is read only once.
 * A graph would search the whole log for the end of an incomplete snapshot, so these are skipped.
 */
static mprof_status read_snapshots(heap_leaks *leaks, const mprof_heap_graph *list)
{
	mprof_heap_snapshot snapshot = {.struct_size = sizeof(snapshot)};
	mprof_status status = MPROF_OK;
	uint32_t number = 0;

	for (size_t i = 0; status == MPROF_OK && mprof_heap_graph_get_snapshot(list, i, &snapshot) == MPROF_OK; i++) {
		mprof_heap_graph *graph = NULL;

		number++;
		if (snapshot.number > leaks->usual_count) {
			leaks->final_count++;
			continue;
		}
		if (snapshot.incomplete) {
			leave_out_incomplete(leaks, i + 1);
			continue;
		}
		status = read_graph(leaks, number, 0, &graph);
		if (status == MPROF_OK)
			status = add_snapshot(leaks, graph, i + 1);
		mprof_heap_graph_destroy(graph);
		number = 0;
	}
	return status;
}

/*
 * The last snapshot of a complete log may be that of the program's end, unless the log states which ones are. That of a
 * truncated log is not, and neither is the last one that is compared if the end's is left out.
 */
static int ends_with_program(const heap_leaks *leaks, const mprof_heap_graph *list)
{
	mprof_heap_snapshot last = {.struct_size = sizeof(last)};

	return leaks->usual_count == UINT64_MAX && leaks->snapshot_count > 0 &&
	       mprof_heap_graph_get_snapshot(list, (size_t)leaks->snapshot_count - 1, &last) == MPROF_OK &&
	       !last.incomplete;
}

static mprof_status create_diff(heap_leaks *leaks, const mprof_heap_graph *list)
{
	mprof_heap_diff_options options;

	mprof_heap_diff_options_init(&options, sizeof(options));
	options.max_memory = leaks->options.memory << 20;
	leaks->is_last_at_exit = ends_with_program(leaks, list);
	return mprof_heap_diff_create(&options, &leaks->diff);
}

/* The log is read for the list of snapshots first. */
static int read_all(heap_leaks *leaks, const char *path)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_heap_graph *list = NULL;
	mprof_status status = read_graph(leaks, 0, 1, &list);
	int list_status = leaks->input.status;

	leaks->snapshot_count = mprof_heap_graph_get_snapshot_count(list);
	(void)mprof_reader_get_session(leaks->input.reader, &session);
	leaks->usual_count = session.snapshots_before_shutdown;
	if (status == MPROF_OK)
		status = create_diff(leaks, list);
	if (status == MPROF_OK) {
		input_close(&leaks->input);
		if (input_open_again(&leaks->input, path, WANTED_BLOCKS) != STATUS_OK) {
			mprof_heap_graph_destroy(list);
			return STATUS_NOTHING;
		}
		/* The damage was reported, so it is not reported again. */
		leaks->input.is_quiet = 1;
		status = read_snapshots(leaks, list);
	}
	mprof_heap_graph_destroy(list);
	leaks->status = list_status;
	if (leaks->incomplete_count > 0)
		leaks->status = STATUS_DAMAGED;
	return status == MPROF_OK ? leaks->status : fail(leaks, status);
}

static int find_growth(heap_leaks *leaks)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};
	mprof_status status;

	if (leaks->compared_count < MIN_SNAPSHOTS)
		return leaks->status;
	mprof_heap_diff_get_totals(leaks->diff, &totals);
	leaks->rows = calloc((size_t)totals.shapes + 1, sizeof(*leaks->rows));
	if (leaks->rows == NULL)
		return fail(leaks, MPROF_ERR_MEMORY);
	status = mprof_heap_diff_get_growth(leaks->diff, leaks->rows, sizeof(*leaks->rows), (size_t)totals.shapes,
					    &leaks->count);
	for (size_t i = 0; i < totals.snapshots; i++) {
		mprof_heap_diff_snapshot snapshot = {.struct_size = sizeof(snapshot)};

		mprof_heap_diff_get_snapshot(leaks->diff, i, &snapshot);
		if (snapshot.inexact_objects > leaks->inexact_objects)
			leaks->inexact_objects = snapshot.inexact_objects;
	}
	return status == MPROF_OK ? leaks->status : fail(leaks, status);
}

int heap_leaks_read(heap_leaks *leaks, const char *path, const heap_options *options)
{
	int status;

	memset(leaks, 0, sizeof(*leaks));
	leaks->options = *options;
	if (input_open(&leaks->input, path, WANTED_BLOCKS) != STATUS_OK)
		return STATUS_NOTHING;
	status = read_all(leaks, path);
	return status != STATUS_NOTHING ? find_growth(leaks) : status;
}

void heap_leaks_release(heap_leaks *leaks)
{
	free(leaks->rows);
	mprof_heap_diff_destroy(leaks->diff);
	input_close(&leaks->input);
}

/* A shape in the last snapshot that was compared. */
static mprof_heap_shape shape_at(const heap_leaks *leaks, uint32_t index)
{
	return growth_shape(leaks->diff, (size_t)leaks->compared_count - 1, index);
}

static void print_leak(const heap_leaks *leaks, const mprof_heap_growth *row)
{
	char texts[4][TEXT_NUMBER_SIZE];

	fputs("  ", stdout);
	name_print(shape_at(leaks, row->shape).class_name);
	printf(" grew in %u of %u snapshots, %s -> %s", (unsigned)row->grown_snapshots, (unsigned)row->snapshots,
	       text_bytes(texts[0], row->bytes_first), text_bytes(texts[1], row->bytes_last));
	if (row->is_by_size)
		puts(" in the same number of objects");
	else
		printf(", %s -> %s objects\n", text_count(texts[2], row->objects_first),
		       text_count(texts[3], row->objects_last));
	fputs("    held by ", stdout);
	growth_path_text(leaks->diff, (size_t)leaks->compared_count - 1, row->shape);
	putchar('\n');
}

static void print_incomplete(const heap_leaks *leaks)
{
	if (leaks->incomplete_count == 0)
		return;
	printf("  Not compared: %" PRIu64 " incomplete heap snapshot%s: number", leaks->incomplete_count,
	       leaks->incomplete_count == 1 ? "" : "s");
	for (uint64_t i = 0; i < leaks->incomplete_count && i < HEAP_LEAKS_NAMED; i++)
		printf("%s %" PRIu64, i > 0 ? "," : "", leaks->incomplete[i]);
	puts(leaks->incomplete_count > HEAP_LEAKS_NAMED ? ", and more. 'mprof heap --list' lists them." : ".");
}

static int is_in_each(const heap_leaks *leaks)
{
	for (size_t i = 0; i < leaks->count; i++) {
		if (leaks->rows[i].grown_snapshots < leaks->rows[i].snapshots)
			return 0;
	}
	return 1;
}

/* States which snapshots were not compared. */
static void print_left_out(const heap_leaks *leaks)
{
	print_incomplete(leaks);
	if (leaks->final_count > 0)
		printf("  Not compared: %" PRIu64 " heap snapshot%s of the runtime shutting down.\n",
		       leaks->final_count, leaks->final_count == 1 ? "" : "s");
	if (leaks->rootless_count > 0)
		printf("  Not compared: %" PRIu64
		       " heap snapshot%s without roots: what holds an object is not known.\n",
		       leaks->rootless_count, leaks->rootless_count == 1 ? "" : "s");
	if (!is_in_each(leaks) && leaks->is_last_at_exit)
		puts("  The last heap snapshot may be that of the program's end, so growth is not expected in it.");
	if (leaks->inexact_objects > 0)
		printf("  The paths of up to %" PRIu64
		       " objects are too long or too different: growth among them may be\n"
		       "  reported for the objects that hold them, or not at all.\n",
		       leaks->inexact_objects);
}

static void print_title(const heap_leaks *leaks)
{
	printf("%s %" PRIu64 " heap snapshots, with all that the objects hold",
	       is_in_each(leaks) ? "Growth in each of" : "Growth over", leaks->compared_count);
}

void heap_leaks_text(const heap_leaks *leaks)
{
	uint64_t shown = leaks->options.has_top ? leaks->options.top : USUAL_ROWS;

	if (shown == 0 || shown > leaks->count)
		shown = leaks->count;
	if (leaks->compared_count < MIN_SNAPSHOTS) {
		printf("Growth is only visible in three or more complete heap snapshots with roots; the log has "
		       "%" PRIu64 ".\n",
		       leaks->compared_count);
	} else if (leaks->count == 0) {
		printf("No class grew from snapshot to snapshot: %" PRIu64 " were compared.\n", leaks->compared_count);
	} else {
		print_title(leaks);
		if (shown < leaks->count)
			printf(" (%" PRIu64 " of %zu)", shown, leaks->count);
		putchar('\n');
	}
	for (size_t i = 0; i < shown; i++)
		print_leak(leaks, &leaks->rows[i]);
	print_left_out(leaks);
}

static void get_growth(const void *user, size_t index, table_row *row)
{
	row->growth = ((const heap_leaks *)user)->rows[index];
}

static void print_class(const void *user, json_writer *json, const char *key, const void *row)
{
	json_string(json, key, shape_at(user, ((const mprof_heap_growth *)row)->shape).class_name);
}

/* Fields of their own: the root and the steps. */
static void print_path(const void *user, json_writer *json, const char *key, const void *row)
{
	const heap_leaks *leaks = user;

	(void)key;
	growth_path_json(leaks->diff, (size_t)leaks->compared_count - 1, ((const mprof_heap_growth *)row)->shape, json);
}

static const table_view leaks_view = {
	.table = MPROF_HEAP_TABLE_GROWTH,
	.fields =
		{
			{TABLE_PRINT, .key = "class", .print = print_class},
			{.field = "bytes_first"},
			{.field = "bytes_last"},
			{.field = "objects_first"},
			{.field = "objects_last"},
			{.key = "shots", .field = "grown_snapshots"},
			{TABLE_PRINT, .field = "shape", .print = print_path},
		},
};

void heap_leaks_json(const heap_leaks *leaks, json_writer *json)
{
	const table_rows rows = {leaks->count, get_growth, leaks, leaks->input.reader, 0};
	const uint64_t top = leaks->options.top;

	json_begin_object(json, "leak_shots");
	json_unsigned(json, "compared", leaks->compared_count);
	json_unsigned(json, "incomplete", leaks->incomplete_count);
	json_unsigned(json, "without_roots", leaks->rootless_count);
	json_unsigned(json, "at_shutdown", leaks->final_count);
	json_unsigned(json, "inexact_objects", leaks->inexact_objects);
	json_end_object(json);
	table_view_json(&leaks_view, &rows, top != 0 && top < rows.count ? (size_t)top : rows.count, json, "leaks");
}
