/* SPDX-License-Identifier: MIT */
/* Merges call sites whose call stacks are equal once frames are hidden and collapsed. */
#include "report/site_merge.h"

#include "common/output.h"
#include "report/stacks.h"

#include <stdlib.h>
#include <string.h>

/* A row with the frames of its call stack that are shown. */
typedef struct merged_row {
	const site_merge *merge;
	unsigned char *row;
	uint64_t *shape;
	size_t length;
	size_t index; /* Rows of one site stay in their order. */
} merged_row;

static int compare_shapes(const merged_row *a, const merged_row *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->length > 0 ? memcmp(a->shape, b->shape, a->length * sizeof(*a->shape)) : 0;
}

static int is_same_site(const merged_row *a, const merged_row *b)
{
	return a->merge->compare(a->row, b->row) == 0 && compare_shapes(a, b) == 0;
}

static int compare_merged(const void *left, const void *right)
{
	const merged_row *a = left;
	const merged_row *b = right;
	int order = a->merge->compare(a->row, b->row);

	order = order != 0 ? order : compare_shapes(a, b);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int get_shape(const log_report *report, merged_row *merged)
{
	int is_owned = 0;
	size_t count = 0;
	const mprof_stack_frame *frames = merged->merge->frames(report, merged->row, &count, &is_owned);

	merged->shape = calloc(count + 1, sizeof(*merged->shape));
	if (merged->shape != NULL)
		merged->length = report_stack_shape(report, frames, count, merged->shape);
	if (is_owned)
		free((void *)frames);
	return merged->shape != NULL;
}

/* Adds up the rows of each site. Returns their number. */
static size_t add_rows(const site_merge *merge, const merged_row *sorted, size_t count, unsigned char *sums)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0 && is_same_site(&sorted[i - 1], &sorted[i]))
			merge->add(sums + (kept - 1) * merge->size, sorted[i].row);
		else
			memcpy(sums + kept++ * merge->size, sorted[i].row, merge->size);
	}
	return kept;
}

static size_t merge_rows(const log_report *report, const site_merge *merge, unsigned char *rows, size_t count,
			 merged_row *sorted, unsigned char *sums)
{
	size_t kept;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = (merged_row){.merge = merge, .row = rows + i * merge->size, .index = i};
		if (!get_shape(report, &sorted[i])) {
			output_out_of_memory();
			return count;
		}
	}
	qsort(sorted, count, sizeof(*sorted), compare_merged);
	kept = add_rows(merge, sorted, count, sums);
	memcpy(rows, sums, kept * merge->size);
	return kept;
}

void report_merge_sites(const log_report *report, const site_merge *merge, void *rows, size_t *count,
			int (*order)(const void *, const void *))
{
	const report_options *options = &report->options;
	size_t all = *count;
	merged_row *sorted;
	unsigned char *sums;

	if (all < 2 || (options->hide_pattern == NULL && options->collapse_pattern == NULL))
		return;
	sorted = calloc(all, sizeof(*sorted));
	sums = calloc(all, merge->size);
	if (sorted != NULL && sums != NULL)
		*count = merge_rows(report, merge, rows, all, sorted, sums);
	else
		output_out_of_memory();
	for (size_t i = 0; sorted != NULL && i < all; i++)
		free(sorted[i].shape);
	free(sorted);
	free(sums);
	qsort(rows, *count, merge->size, order);
}

const mprof_stack_frame *site_merge_frames(const log_report *report, uint32_t stack, uint32_t caller,
					   uint32_t is_compiling, size_t *count, int *is_owned)
{
	const mprof_stack_frame *frames = NULL;
	mprof_stack_frame *frame;

	*is_owned = 0;
	*count = 0;
	if (stack != 0 || caller == 0) {
		*count = names_stack(report->input.names, stack, &frames);
		return frames;
	}
	frame = calloc(1, sizeof(*frame));
	if (frame == NULL)
		return NULL;
	*frame = (mprof_stack_frame){.id = caller, .is_compiling = is_compiling};
	*count = 1;
	*is_owned = 1;
	return frame;
}

/* The square root, rounded down. */
static uint64_t square_root(uint64_t number)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
		if ((root | bit) * (root | bit) <= number)
			root |= bit;
	}
	return root;
}

uint64_t site_merge_add_error(uint64_t left, uint64_t right)
{
	uint64_t larger = left > right ? left : right;

	/* The variances of independent samples add up. A sum of squares that overflows is approximated. */
	if (larger >= UINT64_C(1) << 31)
		return larger;
	return square_root(left * left + right * right);
}
