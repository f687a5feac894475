/* SPDX-License-Identifier: MIT */
/* Prints the tables of the difference of two profiles as text. */
#include "diff/table_text.h"

#include "common/name_cut.h"
#include "diff/rows.h"
#include "diff/tables.h"

#include <stdlib.h>

/* Frames of a call stack. */
#define SHOWN_FRAMES 6

/* What the rows of a table have in common. */
typedef struct table_view {
	const diff_table *table;
	diff_measure order;
	int is_normalized;
	uint64_t sums[DIFF_SIDES];
} table_view;

static int is_time(const table_view *view)
{
	return view->table->is_time && view->order != DIFF_BY_COUNT;
}

/* The growth of the count has a column of its own, unless it is what the table is sorted by. */
static int has_count_column(const table_view *view)
{
	return view->table->count != NULL && view->order != DIFF_BY_COUNT;
}

static void print_row(const table_view *view, const diff_row *row)
{
	const uint64_t counts[DIFF_SIDES] = {row->values.before.count, row->values.after.count};
	uint64_t values[DIFF_SIDES];
	char growth[TEXT_NUMBER_SIZE];
	char *name = diff_tables_name(&row->name);

	diff_tables_measure(&row->values, view->order, values);
	if (view->is_normalized)
		diff_print_shares(values, view->sums);
	else if (is_time(view))
		diff_print_times(values);
	else
		diff_print_counts(values);
	if (has_count_column(view))
		printf(" %15s", diff_text_growth(growth, counts));
	fputs("  ", stdout);
	name_print(name != NULL ? name : "");
	free(name);
	if (row->name.match & MPROF_DIFF_RENAMED)
		fputs("  (its number differs)", stdout);
	if (row->name.match & MPROF_DIFF_MERGED)
		fputs("  (several: their numbers do not match)", stdout);
	diff_print_match(row->values.match);
}

/* Prints the innermost frames of a call stack, one per line. */
static void print_stack(const log_diff *diff, uint32_t stack)
{
	uint32_t frames[SHOWN_FRAMES];
	size_t count = 0;

	mprof_profile_diff_get_stack(diff->profiles, stack, frames, SHOWN_FRAMES, &count);
	for (size_t i = 0; i < count && i < SHOWN_FRAMES; i++) {
		char *name = diff_tables_frame(diff, frames[i]);

		printf("  %58s    in ", "");
		name_print(name != NULL ? name : "");
		putchar('\n');
		free(name);
	}
	if (count > SHOWN_FRAMES)
		printf("  %58s    (%zu more)\n", "", count - SHOWN_FRAMES);
}

/* Removes the rows whose figures are equal, and returns the number of the others. Rows that were asked for stay. */
static size_t keep_changed(const log_diff *diff, diff_row *rows, size_t count)
{
	const diff_options *options = &diff->options;
	size_t kept = 0;

	if (options->class_pattern != NULL || options->method_pattern != NULL || options->assembly_pattern != NULL)
		return count;
	for (size_t i = 0; i < count; i++) {
		const mprof_diff_values *before = &rows[i].values.before;
		const mprof_diff_values *after = &rows[i].values.after;

		if (before->count != after->count || before->self != after->self || before->total != after->total)
			rows[kept++] = rows[i];
	}
	return kept;
}

static void print_heading(const table_view *view, size_t shown, size_t changed, size_t all)
{
	const diff_table *table = view->table;
	char number[TEXT_NUMBER_SIZE];

	printf("\n%s by %s%s", table->title,
	       view->order == DIFF_BY_COUNT   ? table->count_name
	       : view->order == DIFF_BY_TOTAL ? table->total_name
					      : table->self_name,
	       view->is_normalized ? ", share of all" : "");
	diff_print_shown(shown, changed);
	if (changed < all)
		printf("  Without a difference: %s\n", text_count(number, all - changed));
	if (changed > 0) {
		printf("  %15s %15s %15s %10s", "before", "after", "growth", "");
		if (has_count_column(view))
			printf(" %15s", table->count_name);
		printf("  %s\n", table->column);
	}
}

static int has_shrunk(const table_view *view, const diff_row *row)
{
	uint64_t values[DIFF_SIDES];

	diff_tables_measure(&row->values, view->order, values);
	if (view->is_normalized)
		return diff_share(values[DIFF_AFTER], view->sums[DIFF_AFTER]) <
		       diff_share(values[DIFF_BEFORE], view->sums[DIFF_BEFORE]);
	return values[DIFF_AFTER] < values[DIFF_BEFORE];
}

/* How many of the shown rows are the last ones, which shrank the most: up to a quarter if not all fit. */
static size_t count_last(const table_view *view, const diff_row *rows, size_t shown, size_t count)
{
	size_t last = 0;

	while (shown < count && last < shown / 4 && has_shrunk(view, &rows[count - 1 - last]))
		last++;
	return last;
}

static void print_table(const log_diff *diff, const diff_table *table)
{
	table_view view = {table, diff_tables_order(diff, table), diff->options.is_normalized, {0, 0}};
	size_t count;
	diff_row *rows = diff_tables_collect(diff, table, &count);
	size_t changed = keep_changed(diff, rows, count);
	size_t shown = diff_rows(diff, changed);
	size_t last;

	diff_tables_sums(diff, table, view.order, view.sums);
	if (count > 0)
		print_heading(&view, shown, changed, count);
	last = count_last(&view, rows, shown, changed);
	for (size_t i = 0; i < shown; i++) {
		const diff_row *row = &rows[i < shown - last ? i : changed - shown + i];

		if (last > 0 && i == shown - last)
			puts("  Shrank the most:");
		print_row(&view, row);
		if (table->has_stacks)
			print_stack(diff, row->values.stack);
	}
	free(rows);
}

void table_text_print(const log_diff *diff)
{
	for (size_t i = 0; diff->profiles != NULL && i < DIFF_TABLES; i++) {
		if (!diff_tables[i].has_stacks || diff->options.has_sites)
			print_table(diff, &diff_tables[i]);
	}
}
