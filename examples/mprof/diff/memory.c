/* SPDX-License-Identifier: MIT */
/* Compares the totals of native memory. */
#include "diff/diff.h"

#include "common/table_view.h"
#include "diff/tables.h"

#include <stdio.h>
#include <string.h>

/* A figure of mprof_memory_stats. */
typedef struct memory_figure {
	const char *title;
	uint32_t measure;          /* Its column; #MPROF_MEASURE_NONE: the one with the next name. */
	const char *column;        /* NULL if it has a measure. */
	diff_memory_figure figure; /* #DIFF_MEMORY_NONE: it cannot be limited. */
	int is_of_search;          /* Known only if the log states which memory was reachable at its end. */
} memory_figure;

static const memory_figure figures[] = {
	{"allocations", MPROF_MEASURE_COUNT, NULL, DIFF_MEMORY_NONE, 0},
	{"bytes allocated", MPROF_MEASURE_SELF, NULL, DIFF_MEMORY_ALLOCATED, 0},
	{"freed", MPROF_MEASURE_NONE, "frees", DIFF_MEMORY_NONE, 0},
	{"not freed", MPROF_MEASURE_LIVE_COUNT, NULL, DIFF_MEMORY_NONE, 0},
	{"bytes not freed", MPROF_MEASURE_LIVE, NULL, DIFF_MEMORY_LIVE, 0},
	{"unreachable", MPROF_MEASURE_NONE, "unreachable", DIFF_MEMORY_NONE, 1},
	{"bytes unreachable", MPROF_MEASURE_NONE, "unreachable_bytes", DIFF_MEMORY_UNREACHABLE, 1},
	{"bytes at the peak", MPROF_MEASURE_PEAK, NULL, DIFF_MEMORY_PEAK, 0},
	{"temporary", MPROF_MEASURE_TEMPORARY_COUNT, NULL, DIFF_MEMORY_TEMPORARY, 0},
};

#define FIGURE_COUNT (sizeof(figures) / sizeof(figures[0]))

static mprof_memory_stats stats_of(const log_diff *diff, int side)
{
	mprof_memory_stats stats = {.struct_size = sizeof(stats)};

	if (diff->sides[side].profile != NULL)
		(void)mprof_profile_get_row(diff->sides[side].profile, MPROF_TABLE_MEMORY, 0, &stats);
	return stats;
}

int diff_memory_recorded(const log_diff *diff, int side)
{
	return stats_of(diff, side).allocations > 0;
}

int diff_memory_searched(const log_diff *diff, int side)
{
	return stats_of(diff, side).is_searched != 0;
}

int diff_memory_has(const log_diff *diff, int side, diff_memory_figure figure)
{
	return figure == DIFF_MEMORY_UNREACHABLE ? diff_memory_searched(diff, side) : diff_memory_recorded(diff, side);
}

int diff_memory_is_all(const log_diff *diff)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const mprof_profile_totals *totals = &diff->sides[side].totals;

		if (!diff_memory_recorded(diff, side) || totals->calls > 0 || totals->samples > 0 ||
		    totals->allocations > 0 || totals->contentions > 0 || diff->heap[side].shot > 0)
			return 0;
	}
	return 1;
}

static const mprof_table_column *column_of(const memory_figure *figure)
{
	return figure->measure != MPROF_MEASURE_NONE ? mprof_table_get_measure(MPROF_TABLE_MEMORY, figure->measure)
						     : table_column_find(mprof_table_get_column, MPROF_TABLE_MEMORY,
									 figure->column, strlen(figure->column));
}

/* Whether a log has the figure. */
static int has_figure(const log_diff *diff, const memory_figure *figure, int side)
{
	return !figure->is_of_search || diff_memory_searched(diff, side);
}

static void get_values(const log_diff *diff, const memory_figure *figure, uint64_t values[DIFF_SIDES])
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const mprof_memory_stats stats = stats_of(diff, side);

		values[side] = table_column_number(column_of(figure), &stats);
	}
}

void diff_memory_sums(const log_diff *diff, diff_memory_figure figure, uint64_t sums[DIFF_SIDES])
{
	for (size_t i = 0; i < FIGURE_COUNT; i++)
		if (figures[i].figure == figure)
			get_values(diff, &figures[i], sums);
}

int diff_memory_comparable(const log_diff *diff)
{
	return diff->profiles != NULL && diff_memory_recorded(diff, DIFF_BEFORE) &&
	       diff_memory_recorded(diff, DIFF_AFTER);
}

void diff_memory_print_text(const log_diff *diff)
{
	if (!diff_memory_comparable(diff))
		return;
	printf("\nNative memory\n  %15s %15s %15s\n", "before", "after", "growth");
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		uint64_t values[DIFF_SIDES];

		if (!has_figure(diff, &figures[i], DIFF_BEFORE) || !has_figure(diff, &figures[i], DIFF_AFTER))
			continue;
		get_values(diff, &figures[i], values);
		diff_print_counts(values);
		printf("  %s\n", figures[i].title);
	}
}

void diff_memory_print_json(const log_diff *diff, json_writer *json)
{
	if (!diff_memory_comparable(diff)) {
		json_null(json, "memory");
		return;
	}
	json_begin_object(json, "memory");
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		uint64_t values[DIFF_SIDES];

		get_values(diff, &figures[i], values);
		for (int side = 0; side < DIFF_SIDES; side++) {
			char key[48];

			snprintf(key, sizeof(key), "%s_%s", column_of(&figures[i])->name, diff_side_name(side));
			if (has_figure(diff, &figures[i], side))
				json_unsigned(json, key, values[side]);
			else
				json_null(json, key);
		}
	}
	json_end_object(json);
}
