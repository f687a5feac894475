/* SPDX-License-Identifier: MIT */
/* Compares two heap snapshots by class. */
#include "diff/heap_part.h"

#include "common/arguments.h"
#include "common/name_cut.h"
#include "diff/heap_growth.h"
#include "diff/heap_identity.h"
#include "diff/tables.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
