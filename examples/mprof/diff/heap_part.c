/* SPDX-License-Identifier: MIT */
/* Compares two heap snapshots by class. */
#include "diff/heap_part.h"

#include "common/arguments.h"
#include "common/growth_path.h"
#include "common/json.h"
#include "common/name_cut.h"
#include "common/output.h"
#include "common/table_view.h"
#include "diff/diff.h"
#include "diff/heap_identity.h"
#include "diff/tables.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Retained sizes before and after, and the paths that hold what was added.
 */

/* Only these blocks are needed. */
#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

typedef struct growth_side {
	log_diff *diff;
	int side;
} growth_side;

/* Adds the snapshot of one side, with what its objects retain if it has roots. */
static mprof_status add_graph(void *user, mprof_heap_graph *graph, const mprof_reader *reader)
{
	const growth_side *added = user;
	log_diff *diff = added->diff;
	mprof_status status = mprof_heap_graph_build_dominators(graph);

	diff->heap[added->side].has_retained = status == MPROF_OK;
	if (status == MPROF_OK || status == MPROF_ERR_UNSUPPORTED)
		status = mprof_heap_diff_add(diff->heap_growth, graph, reader,
					     diff_log_of(diff, added->side) != diff->sides);
	return status;
}

static int compare_row_names(const void *left, const void *right)
{
	return strcmp((*(heap_row *const *)left)->name, (*(heap_row *const *)right)->name);
}

/* Sets the retained sizes of the rows, which are in another order. */
static mprof_status take_retained(log_diff *diff)
{
	heap_row **sorted = calloc(diff->heap_row_count + 1, sizeof(*sorted));
	mprof_heap_diff_class stats = {.struct_size = sizeof(stats)};

	if (sorted == NULL)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < diff->heap_row_count; i++)
		sorted[i] = &diff->heap_rows[i];
	qsort(sorted, diff->heap_row_count, sizeof(*sorted), compare_row_names);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; mprof_heap_diff_get_class(diff->heap_growth, i, (size_t)side, &stats) == MPROF_OK;
		     i++) {
			heap_row wanted = {.name = stats.has_name ? stats.name : "(unknown)"};
			heap_row *key = &wanted;
			heap_row **found =
				bsearch(&key, sorted, diff->heap_row_count, sizeof(*sorted), compare_row_names);

			if (found != NULL)
				(*found)->retained[side] += stats.retained_bytes;
		}
	}
	free(sorted);
	return MPROF_OK;
}

static void heap_growth_release(log_diff *diff)
{
	mprof_heap_diff_destroy(diff->heap_growth);
	diff->heap_growth = NULL;
	for (int side = 0; side < DIFF_SIDES; side++)
		diff->heap[side].has_retained = 0;
}

/*
 * Reads both snapshots as graphs, and fills in heap_growth, the retained sizes of the rows, and has_retained. Returns
 * an exit status: STATUS_DAMAGED after a message if a figure is not known for lack of memory.
 */
static int heap_growth_read(log_diff *diff)
{
	mprof_status status = mprof_heap_diff_create(NULL, &diff->heap_growth);

	for (int side = 0; side < DIFF_SIDES && status == MPROF_OK; side++) {
		growth_side added = {diff, side};

		if (diff_path_of(diff, side) == NULL) {
			heap_growth_release(diff);
			return STATUS_OK;
		}
		status = diff_read_snapshot(diff, side, WANTED_BLOCKS, add_graph, &added);
	}
	if (status == MPROF_OK)
		status = take_retained(diff);
	if (status == MPROF_OK)
		return STATUS_OK;
	heap_growth_release(diff);
	text_begin_message(diff->sides[DIFF_BEFORE].input.name);
	fprintf(stderr, "%s for what the heap snapshots retain\n", mprof_status_get_text(status));
	return STATUS_DAMAGED;
}

/* The paths that hold more objects than before. The caller frees the array; NULL without paths. */
static mprof_heap_growth *find_growth(const log_diff *diff, size_t *count)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};
	mprof_status status = MPROF_ERR_MEMORY;
	mprof_heap_growth *rows;
	size_t kept = 0;

	*count = 0;
	if (diff->heap_growth == NULL)
		return NULL;
	mprof_heap_diff_get_totals(diff->heap_growth, &totals);
	rows = calloc((size_t)totals.shapes + 1, sizeof(*rows));
	if (rows != NULL)
		status = mprof_heap_diff_get_growth(diff->heap_growth, rows, sizeof(*rows), (size_t)totals.shapes,
						    count);
	if (status != MPROF_OK)
		*count = 0;
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_LIMIT)
		output_out_of_memory();
	for (size_t i = 0; i < *count; i++) {
		if (diff_wants_class(diff, growth_shape(diff->heap_growth, DIFF_AFTER, rows[i].shape).class_name))
			rows[kept++] = rows[i];
	}
	*count = kept;
	return rows;
}

static void heap_growth_print_text(const log_diff *diff)
{
	size_t count;
	mprof_heap_growth *rows = find_growth(diff, &count);
	size_t shown = diff_rows(diff, count);

	if (diff->heap_growth == NULL && diff->heap_row_count > 0)
		puts("  What the objects retain is not known: see the messages, or give files instead of a pipe.");
	if (count > 0) {
		fputs("\nPaths that hold more objects than before", stdout);
		diff_print_shown(shown, count);
		printf("  %15s %15s %15s %10s %15s  class, path\n", "held before", "after", "growth", "", "objects");
	}
	for (size_t i = 0; i < shown; i++) {
		uint64_t bytes[DIFF_SIDES] = {rows[i].bytes_first, rows[i].bytes_last};
		uint64_t objects[DIFF_SIDES] = {rows[i].objects_first, rows[i].objects_last};
		char growth[TEXT_NUMBER_SIZE];

		diff_print_counts(bytes);
		printf(" %15s  ", diff_text_growth(growth, objects));
		name_print(growth_shape(diff->heap_growth, DIFF_AFTER, rows[i].shape).class_name);
		fputs(", ", stdout);
		growth_path_text(stdout, diff->heap_growth, DIFF_AFTER, rows[i].shape);
		putchar('\n');
	}
	free(rows);
}

/* The paths that are printed, as rows of a view. */
typedef struct growth_rows {
	const log_diff *diff;
	mprof_heap_growth *rows;
} growth_rows;

static void get_growth(const void *user, size_t index, table_row *row)
{
	row->growth = ((const growth_rows *)user)->rows[index];
}

static void print_class(const void *user, json_writer *json, const char *key, const void *row)
{
	const growth_rows *grown = user;

	json_string(
		json, key,
		growth_shape(grown->diff->heap_growth, DIFF_AFTER, ((const mprof_heap_growth *)row)->shape).class_name);
}

/* Fields of their own: the root and the steps. */
static void print_path(const void *user, json_writer *json, const char *key, const void *row)
{
	const growth_rows *grown = user;

	(void)key;
	growth_path_json(grown->diff->heap_growth, DIFF_AFTER, ((const mprof_heap_growth *)row)->shape, json);
}

static const table_view growth_view = {
	.table = MPROF_HEAP_TABLE_GROWTH,
	.fields =
		{
			{TABLE_PRINT, .key = "class", .print = print_class},
			{.key = "objects_before", .field = "objects_first"},
			{.key = "objects_after", .field = "objects_last"},
			{.key = "bytes_before", .field = "bytes_first"},
			{.key = "bytes_after", .field = "bytes_last"},
			{TABLE_PRINT, .field = "shape", .print = print_path},
		},
};

static void heap_growth_print_json(const log_diff *diff, json_writer *json)
{
	growth_rows grown = {.diff = diff};
	table_rows rows = {.get = get_growth, .user = &grown};

	grown.rows = find_growth(diff, &rows.count);
	table_view_json(&growth_view, &rows, diff_rows(diff, rows.count), json, "heap_growth");
	free(grown.rows);
}

/*
 * Classes.
 */

/* The index of the chosen snapshot plus 1; 0 if there is none. */
static size_t find_shot(const log_diff *diff, int side)
{
	size_t count = mprof_profile_get_row_count(diff_log_of(diff, side)->profile, MPROF_TABLE_HEAP_SHOTS);
	uint64_t wanted = diff->options.shots[side];

	if (wanted == 0)
		return count;
	return wanted <= count ? (size_t)wanted : 0;
}

/* Returns 0 after a message if a snapshot that was requested does not exist. */
static int find_shots(log_diff *diff)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		mprof_heap_shot shot = {.struct_size = sizeof(shot)};
		const diff_side *log = diff_log_of(diff, side);
		size_t number = find_shot(diff, side);

		if (number == 0 && diff->options.shots[side] != 0) {
			text_begin_message(log->input.name);
			fprintf(stderr, "no heap snapshot %" PRIu64 ": the log has %zu\n", diff->options.shots[side],
				mprof_profile_get_row_count(log->profile, MPROF_TABLE_HEAP_SHOTS));
			return 0;
		}
		if (number == 0 ||
		    mprof_profile_get_row(log->profile, MPROF_TABLE_HEAP_SHOTS, number - 1, &shot) != MPROF_OK)
			continue;
		diff->heap[side] = (heap_side){number, shot.incomplete != 0, shot.objects, shot.bytes, shot.classes, 0};
	}
	return 1;
}

/* Adds a row for each class of a snapshot. */
static void add_classes(log_diff *diff, int side)
{
	const diff_side *log = diff_log_of(diff, side);

	for (size_t i = 0; i < diff->heap[side].classes; i++) {
		mprof_heap_shot_class class = {.struct_size = sizeof(class)};
		heap_row *row = &diff->heap_rows[diff->heap_row_count];
		mprof_mapping mapping;

		if (mprof_profile_get_heap_shot_class(log->profile, diff->heap[side].shot - 1, i, &class) != MPROF_OK)
			continue;
		row->name = "(unknown)";
		if (mprof_reader_lookup_class(log->input.reader, class.class_id, &mapping, sizeof(mapping)) == MPROF_OK)
			row->name = mapping.name;
		if (!diff_wants_class(diff, row->name))
			continue;
		row->objects[side] = class.objects;
		row->bytes[side] = class.bytes;
		diff->heap_row_count++;
	}
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(((const heap_row *)left)->name, ((const heap_row *)right)->name);
}

static int compare_growth(const void *left, const void *right)
{
	const heap_row *a = left;
	const heap_row *b = right;
	int order = diff_compare_growth(a->bytes, b->bytes);

	order = order != 0 ? order : diff_compare_growth(a->objects, b->objects);
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Adds up rows of the same name. */
static void merge_names(log_diff *diff)
{
	size_t kept = 0;

	qsort(diff->heap_rows, diff->heap_row_count, sizeof(*diff->heap_rows), compare_names);
	for (size_t i = 1; i < diff->heap_row_count; i++) {
		heap_row *last = &diff->heap_rows[kept];
		const heap_row *row = &diff->heap_rows[i];

		if (strcmp(last->name, row->name) != 0) {
			diff->heap_rows[++kept] = *row;
			continue;
		}
		for (int side = 0; side < DIFF_SIDES; side++) {
			last->objects[side] += row->objects[side];
			last->bytes[side] += row->bytes[side];
		}
	}
	if (diff->heap_row_count > 0)
		diff->heap_row_count = kept + 1;
	qsort(diff->heap_rows, diff->heap_row_count, sizeof(*diff->heap_rows), compare_growth);
}

int heap_part_read(log_diff *diff)
{
	int status;

	if (!find_shots(diff))
		return STATUS_NOTHING;
	if (diff->heap[DIFF_BEFORE].shot == 0 || diff->heap[DIFF_AFTER].shot == 0)
		return STATUS_OK;
	diff->heap_rows = calloc((size_t)(diff->heap[DIFF_BEFORE].classes + diff->heap[DIFF_AFTER].classes + 1),
				 sizeof(*diff->heap_rows));
	if (diff->heap_rows == NULL) {
		text_begin_message(diff->sides[DIFF_BEFORE].input.name);
		fprintf(stderr, "%s for the heap snapshots\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		return STATUS_NOTHING;
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		add_classes(diff, side);
	merge_names(diff);
	status = heap_growth_read(diff);
	return heap_identity_read(diff) == STATUS_OK ? status : STATUS_DAMAGED;
}

void heap_part_release(log_diff *diff)
{
	heap_growth_release(diff);
	heap_identity_release(diff);
	free(diff->heap_rows);
	diff->heap_rows = NULL;
	diff->heap_row_count = 0;
}

/* Whether the retained sizes of both snapshots are known. */
static int has_retained(const log_diff *diff)
{
	return diff->heap[DIFF_BEFORE].has_retained && diff->heap[DIFF_AFTER].has_retained;
}

static void print_retained_json(const log_diff *diff, json_writer *json, int side, const char *key, uint64_t retained)
{
	if (diff->heap[side].has_retained)
		json_unsigned(json, key, retained);
	else
		json_null(json, key);
}

/* Whether a class differs; a change of what its objects retain is one, too. */
static int has_changed(const log_diff *diff, const heap_row *row)
{
	return row->objects[DIFF_BEFORE] != row->objects[DIFF_AFTER] ||
	       row->bytes[DIFF_BEFORE] != row->bytes[DIFF_AFTER] ||
	       (has_retained(diff) && row->retained[DIFF_BEFORE] != row->retained[DIFF_AFTER]);
}

/* The number of classes that differ between the snapshots; of all classes if the options name some. */
static size_t count_changed(const log_diff *diff)
{
	size_t changed = 0;

	if (diff->options.class_pattern != NULL)
		return diff->heap_row_count;
	for (size_t i = 0; i < diff->heap_row_count; i++)
		changed += has_changed(diff, &diff->heap_rows[i]) != 0;
	return changed;
}

static void print_row(const log_diff *diff, const heap_row *row)
{
	char growth[TEXT_NUMBER_SIZE];

	diff_print_counts(row->bytes);
	printf(" %15s", diff_text_growth(growth, row->objects));
	printf(" %15s  ", has_retained(diff) ? diff_text_growth(growth, row->retained) : "");
	name_print(row->name);
	diff_print_presence(row->objects);
}

static void print_rows(const log_diff *diff, size_t shown)
{
	if (shown > 0)
		printf("  %15s %15s %15s %10s %15s %15s  class\n", "bytes before", "after", "growth", "", "objects",
		       has_retained(diff) ? "retained" : "");
	for (size_t i = 0, printed = 0; printed < shown; i++) {
		if (diff->options.class_pattern == NULL && !has_changed(diff, &diff->heap_rows[i]))
			continue;
		print_row(diff, &diff->heap_rows[i]);
		printed++;
	}
}

void heap_part_print_text(const log_diff *diff)
{
	size_t changed = count_changed(diff);
	size_t shown = diff_rows(diff, changed);
	char number[TEXT_NUMBER_SIZE];

	if (diff->heap_row_count == 0)
		return;
	printf("\nLive objects by class, heap snapshot %" PRIu64 " and %" PRIu64, diff->heap[DIFF_BEFORE].shot,
	       diff->heap[DIFF_AFTER].shot);
	diff_print_shown(shown, changed);
	if (changed < diff->heap_row_count)
		printf("  Without a difference: %s\n", text_count(number, diff->heap_row_count - changed));
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (diff->heap[side].is_incomplete)
			printf("  Objects are missing in the snapshot %s: figures are too small, and what objects\n"
			       "  retain may be too small or too large.\n",
			       diff_side_name(side));
	}
	print_rows(diff, shown);
	heap_growth_print_text(diff);
	heap_identity_print_text(diff);
}

void heap_part_print_json(const log_diff *diff, json_writer *json)
{
	size_t shown = diff_rows(diff, diff->heap_row_count);

	json_begin_array(json, "heap_shots");
	for (int side = 0; side < DIFF_SIDES; side++) {
		const heap_side *shot = &diff->heap[side];

		if (shot->shot == 0)
			continue;
		json_begin_object(json, NULL);
		json_string(json, "side", diff_side_name(side));
		json_unsigned(json, "shot", shot->shot);
		json_boolean(json, "complete", !shot->is_incomplete);
		json_unsigned(json, "objects", shot->objects);
		json_unsigned(json, "bytes", shot->bytes);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "classes");
	for (size_t i = 0; i < shown; i++) {
		const heap_row *row = &diff->heap_rows[i];

		json_begin_object(json, NULL);
		json_string(json, "name", row->name);
		json_unsigned(json, "objects_before", row->objects[DIFF_BEFORE]);
		json_unsigned(json, "objects_after", row->objects[DIFF_AFTER]);
		json_unsigned(json, "bytes_before", row->bytes[DIFF_BEFORE]);
		json_unsigned(json, "bytes_after", row->bytes[DIFF_AFTER]);
		print_retained_json(diff, json, DIFF_BEFORE, "retained_before", row->retained[DIFF_BEFORE]);
		print_retained_json(diff, json, DIFF_AFTER, "retained_after", row->retained[DIFF_AFTER]);
		json_end_object(json);
	}
	json_end_array(json);
	heap_growth_print_json(diff, json);
	heap_identity_print_json(diff, json);
}
