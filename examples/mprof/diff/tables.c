/* SPDX-License-Identifier: MIT */
/* Filters and sorts the tables of the difference of two profiles. */
#include "diff/tables.h"

#include "common/output.h"
#include "diff/rows.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const diff_table diff_tables[DIFF_TABLES] = {
	{MPROF_TABLE_METHODS, "Methods", "methods", "calls", "self_ns", "total_ns", "calls", "own time", "total time",
	 "method", 1, 0},
	{MPROF_TABLE_CLASSES, "Allocations by class", "allocations", "objects", "bytes", NULL, "objects", "bytes",
	 "bytes", "class", 0, 0},
	{MPROF_TABLE_ALLOCATION_SITES, "Allocations by call site", "allocation_sites", "objects", "bytes", NULL,
	 "objects", "bytes", "bytes", "class", 0, 1},
	{MPROF_TABLE_SAMPLES, "Samples", "samples", NULL, "hits", "total", NULL, "samples", "samples with callees",
	 "method or function", 0, 0},
	{MPROF_TABLE_MONITORS, "Waits for monitors by class", "monitors", "contentions", "contended_ns", NULL, "waits",
	 "time", "time", "class", 1, 0},
	{MPROF_TABLE_MONITOR_SITES, "Waits for monitors by call site", "monitor_sites", "contentions", "contended_ns",
	 NULL, "waits", "time", "time", "class", 1, 1},
};

char *diff_tables_name(const mprof_diff_name *name)
{
	size_t size = strlen(name->class_name) + strlen(name->name) + 32;
	char *text = malloc(size);

	if (text == NULL) {
		output_out_of_memory();
		return NULL;
	}
	snprintf(text, size, "%s%s%s", name->class_name,
		 name->class_name[0] != '\0' && name->name[0] != '\0' ? "." : "", name->name);
	if (text[0] == '\0')
		strcpy(text, name->kind == MPROF_SAMPLE_TRUNCATED ? "[truncated]" : "(unknown)");
	return text;
}

/* A pattern is compared with the name with and without the class, and each with and without the arguments. */
static int matches_method(const char *pattern, const mprof_diff_name *name)
{
	char *text = diff_tables_name(name);
	size_t class_length = name->class_name[0] != '\0' ? strlen(name->class_name) + 1 : 0;
	int result;

	if (text == NULL)
		return 0;
	if (class_length > strlen(text))
		class_length = 0;
	result = fnmatch(pattern, text, 0) == 0 || fnmatch(pattern, text + class_length, 0) == 0;
	text[class_length + strcspn(text + class_length, " (")] = '\0';
	result = result || fnmatch(pattern, text, 0) == 0 || fnmatch(pattern, text + class_length, 0) == 0;
	free(text);
	return result;
}

int diff_tables_wants(const log_diff *diff, const mprof_diff_name *name)
{
	const diff_options *options = &diff->options;

	if (options->class_pattern != NULL && fnmatch(options->class_pattern, name->class_name, 0) != 0)
		return 0;
	if (options->assembly_pattern != NULL && fnmatch(options->assembly_pattern, name->assembly, 0) != 0)
		return 0;
	/* Classes have no method. */
	return options->method_pattern == NULL || (name->kind != 0 && matches_method(options->method_pattern, name));
}

void diff_tables_measure(const mprof_diff_row *row, diff_measure measure, uint64_t values[DIFF_SIDES])
{
	values[DIFF_BEFORE] = measure == DIFF_BY_COUNT   ? row->before.count
			      : measure == DIFF_BY_TOTAL ? row->before.total
							 : row->before.self;
	values[DIFF_AFTER] = measure == DIFF_BY_COUNT   ? row->after.count
			     : measure == DIFF_BY_TOTAL ? row->after.total
							: row->after.self;
}

/* qsort() passes no argument: what the rows are compared by. */
static struct {
	diff_measure order;
	int is_normalized;
	uint64_t sums[DIFF_SIDES];
} sorting;

static double share_growth(const uint64_t values[DIFF_SIDES], const uint64_t sums[DIFF_SIDES])
{
	return diff_share(values[DIFF_AFTER], sums[DIFF_AFTER]) - diff_share(values[DIFF_BEFORE], sums[DIFF_BEFORE]);
}

static int compare_measure(const mprof_diff_row *left, const mprof_diff_row *right, diff_measure measure)
{
	uint64_t a[DIFF_SIDES];
	uint64_t b[DIFF_SIDES];

	diff_tables_measure(left, measure, a);
	diff_tables_measure(right, measure, b);
	if (sorting.is_normalized && measure == sorting.order) {
		double difference = share_growth(b, sorting.sums) - share_growth(a, sorting.sums);

		return (difference > 0) - (difference < 0);
	}
	return diff_compare_growth(a, b);
}

static int compare_rows(const void *left, const void *right)
{
	const diff_row *a = left;
	const diff_row *b = right;
	int order = compare_measure(&a->values, &b->values, sorting.order);

	order = order != 0 ? order : compare_measure(&a->values, &b->values, DIFF_BY_TOTAL);
	order = order != 0 ? order : compare_measure(&a->values, &b->values, DIFF_BY_COUNT);
	order = order != 0 ? order : strcmp(a->name.class_name, b->name.class_name);
	order = order != 0 ? order : strcmp(a->name.name, b->name.name);
	order = order != 0 ? order : strcmp(a->name.assembly, b->name.assembly);
	return order != 0 ? order : (a->values.stack > b->values.stack) - (a->values.stack < b->values.stack);
}

diff_measure diff_tables_order(const log_diff *diff, const diff_table *table)
{
	if (diff->options.order == DIFF_BY_COUNT && table->count != NULL)
		return DIFF_BY_COUNT;
	return diff->options.order == DIFF_BY_TOTAL ? DIFF_BY_TOTAL : DIFF_BY_SELF;
}

void diff_tables_sums(const log_diff *diff, const diff_table *table, diff_measure measure, uint64_t sums[DIFF_SIDES])
{
	mprof_diff_row sum = {.struct_size = sizeof(sum)};

	mprof_profile_diff_get_sum(diff->profiles, table->table, &sum);
	diff_tables_measure(&sum, measure, sums);
}

diff_row *diff_tables_collect(const log_diff *diff, const diff_table *table, size_t *count)
{
	size_t all = mprof_profile_diff_get_row_count(diff->profiles, table->table);
	diff_row *rows = calloc(all + 1, sizeof(*rows));

	*count = 0;
	if (rows == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		diff_row *row = &rows[*count];

		row->values.struct_size = sizeof(row->values);
		row->name.struct_size = sizeof(row->name);
		*count += mprof_profile_diff_get_row(diff->profiles, table->table, i, &row->values) == MPROF_OK &&
			  mprof_profile_diff_get_name(diff->profiles, row->values.name, &row->name) == MPROF_OK &&
			  diff_tables_wants(diff, &row->name);
	}
	sorting.order = diff_tables_order(diff, table);
	sorting.is_normalized = diff->options.is_normalized;
	diff_tables_sums(diff, table, sorting.order, sorting.sums);
	qsort(rows, *count, sizeof(*rows), compare_rows);
	return rows;
}

char *diff_tables_frame(const log_diff *diff, uint32_t number)
{
	mprof_diff_name name = {.struct_size = sizeof(name)};

	return mprof_profile_diff_get_name(diff->profiles, number, &name) == MPROF_OK ? diff_tables_name(&name) : NULL;
}
