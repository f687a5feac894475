/* SPDX-License-Identifier: MIT */
/* Compares two heap snapshots as graphs. */
#include "diff/heap_growth.h"

#include "common/arguments.h"
#include "common/growth_path.h"
#include "common/name_cut.h"
#include "common/output.h"
#include "diff/tables.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

/* Only these blocks are needed. */
#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

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

static int compare_names(const void *left, const void *right)
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
	qsort(sorted, diff->heap_row_count, sizeof(*sorted), compare_names);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; mprof_heap_diff_get_class(diff->heap_growth, i, (size_t)side, &stats) == MPROF_OK;
		     i++) {
			heap_row wanted = {.name = stats.has_name ? stats.name : "(unknown)"};
			heap_row *key = &wanted;
			heap_row **found = bsearch(&key, sorted, diff->heap_row_count, sizeof(*sorted), compare_names);

			if (found != NULL)
				(*found)->retained[side] += stats.retained_bytes;
		}
	}
	free(sorted);
	return MPROF_OK;
}

int heap_growth_read(log_diff *diff)
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

void heap_growth_release(log_diff *diff)
{
	mprof_heap_diff_destroy(diff->heap_growth);
	diff->heap_growth = NULL;
	for (int side = 0; side < DIFF_SIDES; side++)
		diff->heap[side].has_retained = 0;
}

/* The paths that hold more objects than before. The caller frees the array; NULL if there are none. */
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

void heap_growth_print_text(const log_diff *diff)
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
		growth_path_text(diff->heap_growth, DIFF_AFTER, rows[i].shape);
		putchar('\n');
	}
	free(rows);
}

void heap_growth_print_json(const log_diff *diff, json_writer *json)
{
	size_t count;
	mprof_heap_growth *rows = find_growth(diff, &count);
	size_t shown = diff_rows(diff, count);

	json_begin_array(json, "heap_growth");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		json_string(json, "class", growth_shape(diff->heap_growth, DIFF_AFTER, rows[i].shape).class_name);
		json_unsigned(json, "objects_before", rows[i].objects_first);
		json_unsigned(json, "objects_after", rows[i].objects_last);
		json_unsigned(json, "bytes_before", rows[i].bytes_first);
		json_unsigned(json, "bytes_after", rows[i].bytes_last);
		growth_path_json(diff->heap_growth, DIFF_AFTER, rows[i].shape, json);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}
