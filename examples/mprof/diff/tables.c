/* SPDX-License-Identifier: MIT */
/* Filters, sorts and prints the tables of the difference of two profiles. */
#include "diff/tables.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "diff/rows.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const diff_table diff_tables[DIFF_TABLES] = {
	{MPROF_DIFF_METHODS, "Methods", "methods", "calls", "self_ns", "total_ns", "method", 1},
	{MPROF_DIFF_ALLOCATIONS, "Allocations by class", "allocations", "objects", "bytes", NULL, "class", 0},
	{MPROF_DIFF_SAMPLES, "Samples", "samples", NULL, "hits", "total", "method or function", 0},
	{MPROF_DIFF_MONITORS, "Waits for monitors by class", "monitors", "contentions", "contended_ns", NULL, "class",
	 1},
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

static int is_wanted(const log_diff *diff, const mprof_diff_name *name)
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
	return order != 0 ? order : strcmp(a->name.assembly, b->name.assembly);
}

/* The measure that a table is sorted by: the requested one, if it has it. */
static diff_measure order_of(const log_diff *diff, const diff_table *table)
{
	if (diff->options.order == DIFF_BY_COUNT && table->count != NULL)
		return DIFF_BY_COUNT;
	return diff->options.order == DIFF_BY_TOTAL ? DIFF_BY_TOTAL : DIFF_BY_SELF;
}

static void get_sums(const log_diff *diff, const diff_table *table, diff_measure measure, uint64_t sums[DIFF_SIDES])
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
			  is_wanted(diff, &row->name);
	}
	sorting.order = order_of(diff, table);
	sorting.is_normalized = diff->options.is_normalized;
	get_sums(diff, table, sorting.order, sorting.sums);
	qsort(rows, *count, sizeof(*rows), compare_rows);
	return rows;
}

static void print_row(const diff_row *row, diff_measure order, const uint64_t *sums, int is_normalized, int is_time)
{
	uint64_t values[DIFF_SIDES];
	char *name = diff_tables_name(&row->name);

	diff_tables_measure(&row->values, order, values);
	if (is_normalized)
		diff_print_shares(values, sums);
	else if (is_time)
		diff_print_times(values);
	else
		diff_print_counts(values);
	fputs("  ", stdout);
	name_print(name != NULL ? name : "");
	free(name);
	if (row->name.match & MPROF_DIFF_RENAMED)
		fputs("  (its number differs)", stdout);
	if (row->name.match & MPROF_DIFF_MERGED)
		fputs("  (several: their numbers do not match)", stdout);
	diff_print_match(row->values.match);
}

static void print_table(const log_diff *diff, const diff_table *table)
{
	size_t count;
	diff_row *rows = diff_tables_collect(diff, table, &count);
	size_t shown = diff_rows(diff, count);
	diff_measure order = order_of(diff, table);
	const char *measure = order == DIFF_BY_COUNT                           ? table->count
			      : order == DIFF_BY_TOTAL && table->total != NULL ? table->total
									       : table->self;
	uint64_t sums[DIFF_SIDES];

	get_sums(diff, table, order, sums);
	if (count > 0) {
		printf("\n%s by %s%s", table->title, measure, diff->options.is_normalized ? ", share of all" : "");
		diff_print_shown(shown, count);
		printf("  %15s %15s %15s %10s  %s\n", "before", "after", "growth", "", table->column);
	}
	for (size_t i = 0; i < shown; i++)
		print_row(&rows[i], order, sums, diff->options.is_normalized, table->is_time && order != DIFF_BY_COUNT);
	free(rows);
}

void diff_tables_print_text(const log_diff *diff)
{
	for (size_t i = 0; diff->profiles != NULL && i < DIFF_TABLES; i++)
		print_table(diff, &diff_tables[i]);
}

static void json_pair(json_writer *json, const char *name, uint64_t before, uint64_t after)
{
	char key[48];

	if (name == NULL)
		return;
	snprintf(key, sizeof(key), "%s_before", name);
	json_unsigned(json, key, before);
	snprintf(key, sizeof(key), "%s_after", name);
	json_unsigned(json, key, after);
}

static void json_name(json_writer *json, const diff_table *table, const mprof_diff_name *name)
{
	char *text;

	switch (table->table) {
	case MPROF_DIFF_METHODS:
		json_string(json, "class", name->class_name);
		json_string(json, "name", name->name);
		break;
	case MPROF_DIFF_MONITORS:
		json_string(json, "class", name->class_name[0] != '\0' ? name->class_name : NULL);
		break;
	default:
		if (table->table == MPROF_DIFF_SAMPLES)
			json_string(json, "kind", name->kind == MPROF_SAMPLE_METHOD ? "managed" : "native");
		text = diff_tables_name(name);
		json_string(json, "name", text);
		free(text);
	}
	json_string(json, "assembly", name->assembly[0] != '\0' ? name->assembly : NULL);
}

static void json_row(json_writer *json, const diff_table *table, const diff_row *row, const uint64_t *sums)
{
	const mprof_diff_values *before = &row->values.before;
	const mprof_diff_values *after = &row->values.after;

	json_begin_object(json, NULL);
	json_name(json, table, &row->name);
	json_pair(json, table->count, before->count, after->count);
	json_pair(json, table->self, before->self, after->self);
	json_pair(json, table->total, before->total, after->total);
	json_double(json, "percent_before", 100 * diff_share(before->self, sums[DIFF_BEFORE]));
	json_double(json, "percent_after", 100 * diff_share(after->self, sums[DIFF_AFTER]));
	json_string(json, "change",
		    row->values.match == MPROF_DIFF_BEFORE  ? "gone"
		    : row->values.match == MPROF_DIFF_AFTER ? "new"
							    : "both");
	json_string(json, "match",
		    row->name.match & MPROF_DIFF_MERGED    ? "merged"
		    : row->name.match & MPROF_DIFF_RENAMED ? "renamed"
							   : "name");
	json_end_object(json);
}

void diff_tables_print_json(const log_diff *diff, json_writer *json)
{
	for (size_t i = 0; i < DIFF_TABLES; i++) {
		uint64_t sums[DIFF_SIDES] = {0, 0};
		diff_row *rows = NULL;
		size_t count = 0;

		json_begin_array(json, diff_tables[i].key);
		if (diff->profiles != NULL) {
			get_sums(diff, &diff_tables[i], DIFF_BY_SELF, sums);
			rows = diff_tables_collect(diff, &diff_tables[i], &count);
		}
		for (size_t k = 0; k < diff_rows(diff, count); k++)
			json_row(json, &diff_tables[i], &rows[k], sums);
		json_end_array(json);
		free(rows);
	}
}
