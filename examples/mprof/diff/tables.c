/* SPDX-License-Identifier: MIT */
/* Filters, sorts and prints the tables of the difference of two profiles: loops over their descriptions. */
#include "diff/tables.h"

#include "common/demangle.h"
#include "common/name_cut.h"
#include "common/output.h"
#include "common/table_view.h"
#include "shared/source_name.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows.
 */

const char *diff_side_name(int side)
{
	return side == DIFF_BEFORE ? "before" : "after";
}

int diff_wants_class(const log_diff *diff, const char *name)
{
	/* Objects belong to no method, and their rows add up all assemblies. */
	if (diff->options.method_pattern != NULL || diff->options.assembly_pattern != NULL)
		return 0;
	return diff->options.class_pattern == NULL || fnmatch(diff->options.class_pattern, name, 0) == 0;
}

size_t diff_rows(const log_diff *diff, size_t count)
{
	return diff->options.top != 0 && diff->options.top < count ? (size_t)diff->options.top : count;
}

int diff_compare_growth(const uint64_t left[DIFF_SIDES], const uint64_t right[DIFF_SIDES])
{
	int left_grew = left[DIFF_AFTER] >= left[DIFF_BEFORE];
	int right_grew = right[DIFF_AFTER] >= right[DIFF_BEFORE];
	uint64_t left_size = left_grew ? left[DIFF_AFTER] - left[DIFF_BEFORE] : left[DIFF_BEFORE] - left[DIFF_AFTER];
	uint64_t right_size =
		right_grew ? right[DIFF_AFTER] - right[DIFF_BEFORE] : right[DIFF_BEFORE] - right[DIFF_AFTER];

	if (left_grew != right_grew)
		return right_grew - left_grew;
	if (left_size == right_size)
		return 0;
	return (left_size > right_size) == left_grew ? -1 : 1;
}

void diff_print_shown(size_t shown, size_t all)
{
	char text[2][TEXT_NUMBER_SIZE];

	if (shown < all)
		printf(" (%s of %s)\n", text_count(text[0], shown), text_count(text[1], all));
	else
		putchar('\n');
}

char *diff_text_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES])
{
	char size[TEXT_NUMBER_SIZE];
	int is_less = values[DIFF_AFTER] < values[DIFF_BEFORE];

	text_count(size, is_less ? values[DIFF_BEFORE] - values[DIFF_AFTER] : values[DIFF_AFTER] - values[DIFF_BEFORE]);
	snprintf(text, TEXT_NUMBER_SIZE, "%s%.30s",
		 is_less                                    ? "-"
		 : values[DIFF_AFTER] > values[DIFF_BEFORE] ? "+"
							    : "",
		 size);
	return text;
}

char *diff_text_percent(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES])
{
	double growth = (double)values[DIFF_AFTER] - (double)values[DIFF_BEFORE];

	text[0] = '\0';
	if (values[DIFF_BEFORE] > 0)
		snprintf(text, TEXT_NUMBER_SIZE, "%+.1f %%", growth / (double)values[DIFF_BEFORE] * 100);
	return text;
}

void diff_print_counts(const uint64_t values[DIFF_SIDES])
{
	char text[4][TEXT_NUMBER_SIZE];

	printf("  %15s %15s %15s %10s", text_count(text[0], values[DIFF_BEFORE]),
	       text_count(text[1], values[DIFF_AFTER]), diff_text_growth(text[2], values),
	       diff_text_percent(text[3], values));
}

char *diff_text_time_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES])
{
	int is_less = values[DIFF_AFTER] < values[DIFF_BEFORE];
	uint64_t size = is_less ? values[DIFF_BEFORE] - values[DIFF_AFTER] : values[DIFF_AFTER] - values[DIFF_BEFORE];
	char duration[TEXT_NUMBER_SIZE];

	snprintf(text, TEXT_NUMBER_SIZE, "%s%.30s", is_less ? "-" : size > 0 ? "+" : "", text_duration(duration, size));
	return text;
}

void diff_print_times(const uint64_t values[DIFF_SIDES])
{
	char text[4][TEXT_NUMBER_SIZE];

	printf("  %15s %15s %15s %10s", text_duration(text[0], values[DIFF_BEFORE]),
	       text_duration(text[1], values[DIFF_AFTER]), diff_text_time_growth(text[2], values),
	       diff_text_percent(text[3], values));
}

double diff_share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

void diff_print_shares(const uint64_t values[DIFF_SIDES], const uint64_t sums[DIFF_SIDES])
{
	double before = 100 * diff_share(values[DIFF_BEFORE], sums[DIFF_BEFORE]);
	double after = 100 * diff_share(values[DIFF_AFTER], sums[DIFF_AFTER]);
	char percent[TEXT_NUMBER_SIZE] = "";

	if (before > 0)
		snprintf(percent, sizeof(percent), "%+.1f %%", (after - before) / before * 100);
	printf("  %13.3f %% %13.3f %% %+15.3f %10s", before, after, after - before, percent);
}

void diff_print_match(uint32_t match)
{
	const uint64_t values[DIFF_SIDES] = {match & MPROF_DIFF_BEFORE, match & MPROF_DIFF_AFTER};

	diff_print_presence(values);
}

void diff_print_presence(const uint64_t values[DIFF_SIDES])
{
	if (values[DIFF_BEFORE] == 0 && values[DIFF_AFTER] > 0)
		fputs("  (new)", stdout);
	else if (values[DIFF_BEFORE] > 0 && values[DIFF_AFTER] == 0)
		fputs("  (gone)", stdout);
	putchar('\n');
}

/*
 * What each log recorded.
 */

static int has_flag(const diff_side *log, uint32_t flag)
{
	return (log->summary.session.flags & flag) != 0;
}

int diff_tables_recorded(const log_diff *diff, int side, uint32_t table)
{
	const diff_side *log = &diff->sides[side];
	mprof_diff_row sum = {.struct_size = sizeof(sum)};

	switch (table) {
	case MPROF_TABLE_METHODS:
		return log->totals.calls > 0 || log->totals.method_ns > 0;
	case MPROF_TABLE_CLASSES:
		return log->totals.allocations > 0;
	case MPROF_TABLE_SAMPLES:
		return log->totals.samples > 0 || has_flag(log, MPROF_INTRO_FLAG_STATISTICAL);
	case MPROF_TABLE_MONITORS:
		return log->totals.contentions > 0 || has_flag(log, MPROF_INTRO_FLAG_MONITOR);
	default:
		mprof_profile_diff_get_sum(diff->profiles, table, &sum);
		return (sum.match & (side == DIFF_BEFORE ? MPROF_DIFF_BEFORE : MPROF_DIFF_AFTER)) != 0;
	}
}

/* Whether a log recorded events of this kind, even if there were none. */
static int was_asked_for(const diff_side *log, uint32_t table)
{
	switch (table) {
	case MPROF_TABLE_METHODS:
		return has_flag(log, MPROF_INTRO_FLAG_ENTER_LEAVE);
	case MPROF_TABLE_CLASSES:
		return has_flag(log, MPROF_INTRO_FLAG_ALLOCATION);
	default:
		return 0;
	}
}

int diff_tables_comparable(const log_diff *diff)
{
	static const uint32_t compared[] = {MPROF_TABLE_METHODS, MPROF_TABLE_CLASSES, MPROF_TABLE_SAMPLES,
					    MPROF_TABLE_MONITORS};

	if (diff->profiles == NULL || (diff->heap[DIFF_BEFORE].shot > 0 && diff->heap[DIFF_AFTER].shot > 0))
		return 1;
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		int sides = 0;

		for (int side = 0; side < DIFF_SIDES; side++)
			sides += diff_tables_recorded(diff, side, compared[i]) ||
				 was_asked_for(&diff->sides[side], compared[i]);
		if (sides == DIFF_SIDES)
			return 1;
	}
	return 0;
}

/*
 * The tables.
 */

typedef struct diff_table {
	uint32_t table; /* An #mprof_profile_table. */
	const char *title;
	const char *key;      /* In documents. */
	const char *column;   /* Heading of the names. */
	const char *names[3]; /* Of the measures in text, by #diff_measure. */
	int has_stacks;       /* Rows have call stacks. */
	const char *keys[3];  /* Of the measures in documents; NULL: the names of the columns. */
} diff_table;

/* What a table without a column of its own for the total is sorted by. */
#define ALLOCATED                                                                                                      \
	{                                                                                                              \
		"bytes", "bytes", "objects"                                                                            \
	}
#define OBJECTS                                                                                                        \
	{                                                                                                              \
		[DIFF_BY_COUNT] = "objects"                                                                            \
	}
#define WAITED                                                                                                         \
	{                                                                                                              \
		"time", "time", "waits"                                                                                \
	}

static const diff_table tables[] = {
	{MPROF_TABLE_METHODS, "Methods", "methods", "method", {"own time", "total time", "calls"}, 0, {NULL}},
	{MPROF_TABLE_CLASSES, "Allocations by class", "allocations", "class", ALLOCATED, 0, OBJECTS},
	{MPROF_TABLE_ALLOCATION_SITES, "Allocations by call site", "allocation_sites", "class", ALLOCATED, 1, OBJECTS},
	{MPROF_TABLE_SAMPLES,
	 "Samples",
	 "samples",
	 "method or function",
	 {"samples", "samples with callees", NULL},
	 0,
	 {KEY_SAMPLES_SELF, KEY_SAMPLES_TOTAL, NULL}},
	{MPROF_TABLE_MONITORS, "Waits for monitors by class", "monitors", "class", WAITED, 0, {NULL}},
	{MPROF_TABLE_MONITOR_SITES, "Waits for monitors by call site", "monitor_sites", "class", WAITED, 1, {NULL}},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* The column of the profile that a measure is of; NULL if the table has none. */
static const mprof_table_column *column_of(uint32_t table, diff_measure measure)
{
	static const uint32_t measures[] = {[DIFF_BY_SELF] = MPROF_MEASURE_SELF,
					    [DIFF_BY_TOTAL] = MPROF_MEASURE_TOTAL,
					    [DIFF_BY_COUNT] = MPROF_MEASURE_COUNT};

	return mprof_table_get_measure(table, measures[measure]);
}

static int is_duration(const diff_table *table, diff_measure measure)
{
	const mprof_table_column *column = column_of(table->table, measure);

	if (column == NULL)
		column = column_of(table->table, DIFF_BY_SELF);
	return column != NULL && column->unit == MPROF_UNIT_NANOSECONDS;
}

mprof_status diff_tables_get_name(const log_diff *diff, uint32_t number, diff_name *name)
{
	mprof_status status;

	memset(name, 0, sizeof(*name));
	name->shown.struct_size = sizeof(name->shown);
	status = mprof_profile_diff_get_name(diff->profiles, number, &name->shown);
	if (status != MPROF_OK)
		return status;
	name->symbol = demangle_symbol(name->shown.name);
	if (name->symbol != NULL)
		name->shown.name = demangle_shown(name->symbol);
	return MPROF_OK;
}

char *diff_tables_name(const diff_name *shown)
{
	const mprof_diff_name *name = &shown->shown;
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
static int matches_method(const char *pattern, const diff_name *name)
{
	char *text = diff_tables_name(name);
	size_t class_length = name->shown.class_name[0] != '\0' ? strlen(name->shown.class_name) + 1 : 0;
	int result;

	if (text == NULL)
		return 0;
	if (class_length > strlen(text))
		class_length = 0;
	result = fnmatch(pattern, text, 0) == 0 || fnmatch(pattern, text + class_length, 0) == 0 ||
		 (name->symbol != NULL &&
		  (fnmatch(pattern, name->symbol, 0) == 0 || source_name_matches(pattern, name->shown.name)));
	text[class_length + strcspn(text + class_length, " (")] = '\0';
	result = result || fnmatch(pattern, text, 0) == 0 || fnmatch(pattern, text + class_length, 0) == 0;
	free(text);
	return result;
}

int diff_tables_wants(const log_diff *diff, const diff_name *wanted)
{
	const mprof_diff_name *name = &wanted->shown;
	const diff_options *options = &diff->options;

	if (options->class_pattern != NULL && fnmatch(options->class_pattern, name->class_name, 0) != 0)
		return 0;
	if (options->assembly_pattern != NULL && fnmatch(options->assembly_pattern, name->assembly, 0) != 0)
		return 0;
	/* Classes have no method. */
	return options->method_pattern == NULL || (name->kind != 0 && matches_method(options->method_pattern, wanted));
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
	order = order != 0 ? order : strcmp(a->name.shown.class_name, b->name.shown.class_name);
	order = order != 0 ? order : strcmp(a->name.shown.name, b->name.shown.name);
	order = order != 0 ? order : strcmp(a->name.shown.assembly, b->name.shown.assembly);
	return order != 0 ? order : (a->values.stack > b->values.stack) - (a->values.stack < b->values.stack);
}

/* The measure that a table is sorted by: the requested one, if it has it. */
static diff_measure order_of(const log_diff *diff, uint32_t table)
{
	if (diff->options.order == DIFF_BY_COUNT && column_of(table, DIFF_BY_COUNT) == NULL)
		return DIFF_BY_SELF;
	return diff->options.order;
}

/* Stores what shares of a measure are computed of. */
static void get_sums(const log_diff *diff, uint32_t table, diff_measure measure, uint64_t sums[DIFF_SIDES])
{
	mprof_diff_row sum = {.struct_size = sizeof(sum)};

	mprof_profile_diff_get_sum(diff->profiles, table, &sum);
	diff_tables_measure(&sum, measure, sums);
}

diff_row *diff_tables_collect(const log_diff *diff, uint32_t table, size_t *count)
{
	size_t all = mprof_profile_diff_get_row_count(diff->profiles, table);
	diff_row *rows = calloc(all + 1, sizeof(*rows));

	*count = 0;
	if (rows == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		diff_row *row = &rows[*count];

		row->values.struct_size = sizeof(row->values);
		*count += mprof_profile_diff_get_row(diff->profiles, table, i, &row->values) == MPROF_OK &&
			  diff_tables_get_name(diff, row->values.name, &row->name) == MPROF_OK &&
			  diff_tables_wants(diff, &row->name);
	}
	sorting.order = order_of(diff, table);
	sorting.is_normalized = diff->options.is_normalized;
	get_sums(diff, table, sorting.order, sorting.sums);
	qsort(rows, *count, sizeof(*rows), compare_rows);
	return rows;
}

char *diff_tables_frame(const log_diff *diff, uint32_t number)
{
	diff_name name;

	return diff_tables_get_name(diff, number, &name) == MPROF_OK ? diff_tables_name(&name) : NULL;
}

/*
 * Text.
 */

/* Frames of a call stack. */
#define SHOWN_FRAMES 6

/* What the rows of a table have in common. */
typedef struct printed_table {
	const diff_table *table;
	diff_measure order;
	int is_normalized;
	uint64_t sums[DIFF_SIDES];
} printed_table;

/* The growth of the count has a column of its own, unless it is what the table is sorted by. */
static int has_count_column(const printed_table *view)
{
	return column_of(view->table->table, DIFF_BY_COUNT) != NULL && view->order != DIFF_BY_COUNT;
}

static void print_row(const printed_table *view, const diff_row *row)
{
	const uint64_t counts[DIFF_SIDES] = {row->values.before.count, row->values.after.count};
	uint64_t values[DIFF_SIDES];
	char growth[TEXT_NUMBER_SIZE];
	char *name = diff_tables_name(&row->name);

	diff_tables_measure(&row->values, view->order, values);
	if (view->is_normalized)
		diff_print_shares(values, view->sums);
	else if (is_duration(view->table, view->order))
		diff_print_times(values);
	else
		diff_print_counts(values);
	if (has_count_column(view))
		printf(" %15s", diff_text_growth(growth, counts));
	fputs("  ", stdout);
	name_print(name != NULL ? name : "");
	free(name);
	if (row->name.shown.match & MPROF_DIFF_RENAMED)
		fputs("  (its number differs)", stdout);
	if (row->name.shown.match & MPROF_DIFF_MERGED)
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

/* Removes rows whose figures are equal, unless the options name them, and returns the number of the others. */
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

static void print_title(const printed_table *view, size_t shown, size_t changed, size_t all)
{
	const diff_table *table = view->table;
	char number[TEXT_NUMBER_SIZE];

	printf("\n%s by %s%s", table->title, table->names[view->order], view->is_normalized ? ", share of all" : "");
	diff_print_shown(shown, changed);
	if (changed < all)
		printf("  Without a difference: %s\n", text_count(number, all - changed));
	if (changed > 0) {
		printf("  %15s %15s %15s %10s", "before", "after", "growth", "");
		if (has_count_column(view))
			printf(" %15s", table->names[DIFF_BY_COUNT]);
		printf("  %s\n", table->column);
	}
}

static int has_shrunk(const printed_table *view, const diff_row *row)
{
	uint64_t values[DIFF_SIDES];

	diff_tables_measure(&row->values, view->order, values);
	if (view->is_normalized)
		return diff_share(values[DIFF_AFTER], view->sums[DIFF_AFTER]) <
		       diff_share(values[DIFF_BEFORE], view->sums[DIFF_BEFORE]);
	return values[DIFF_AFTER] < values[DIFF_BEFORE];
}

/* How many of the shown rows are the last ones, which shrank the most: up to a quarter if not all fit. */
static size_t count_last(const printed_table *view, const diff_row *rows, size_t shown, size_t count)
{
	size_t last = 0;

	while (shown < count && last < shown / 4 && has_shrunk(view, &rows[count - 1 - last]))
		last++;
	return last;
}

static void print_table(const log_diff *diff, const diff_table *table)
{
	printed_table view = {table, order_of(diff, table->table), diff->options.is_normalized, {0, 0}};
	size_t count;
	diff_row *rows = diff_tables_collect(diff, table->table, &count);
	size_t changed = keep_changed(diff, rows, count);
	size_t shown = diff_rows(diff, changed);
	size_t last;

	get_sums(diff, table->table, view.order, view.sums);
	if (count > 0)
		print_title(&view, shown, changed, count);
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

void diff_tables_print_text(const log_diff *diff)
{
	for (size_t i = 0; diff->profiles != NULL && i < TABLES; i++) {
		if (!tables[i].has_stacks || diff->options.has_sites)
			print_table(diff, &tables[i]);
	}
}

/*
 * JSON.
 */

static void json_figure(json_writer *json, const diff_table *table, diff_measure measure, const diff_row *row)
{
	const mprof_table_column *column = column_of(table->table, measure);
	uint64_t values[DIFF_SIDES];

	if (column == NULL)
		return;
	diff_tables_measure(&row->values, measure, values);
	for (int side = 0; side < DIFF_SIDES; side++) {
		char key[48];

		snprintf(key, sizeof(key), "%s_%s", table->keys[measure] != NULL ? table->keys[measure] : column->name,
			 diff_side_name(side));
		json_unsigned(json, key, values[side]);
	}
}

static void json_name(json_writer *json, const diff_table *table, const diff_name *shown)
{
	const mprof_diff_name *name = &shown->shown;
	char *text;

	switch (table->table) {
	case MPROF_TABLE_METHODS:
		json_string(json, "class", name->class_name);
		json_string(json, "name", name->name);
		break;
	case MPROF_TABLE_MONITORS:
	case MPROF_TABLE_MONITOR_SITES:
		json_string(json, "class", name->class_name[0] != '\0' ? name->class_name : NULL);
		break;
	default:
		if (table->table == MPROF_TABLE_SAMPLES)
			json_string(json, "kind", name->kind == MPROF_SAMPLE_METHOD ? "managed" : "native");
		text = diff_tables_name(shown);
		json_string(json, "name", text);
		free(text);
	}
	json_string(json, "assembly", name->assembly[0] != '\0' ? name->assembly : NULL);
	if (table->table == MPROF_TABLE_METHODS || table->table == MPROF_TABLE_SAMPLES)
		json_string(json, "symbol", shown->symbol);
}

void diff_tables_match_json(json_writer *json, uint32_t sides, uint32_t name)
{
	json_string(json, "change", sides == MPROF_DIFF_BEFORE ? "gone" : sides == MPROF_DIFF_AFTER ? "new" : "both");
	json_string(json, "match",
		    name & MPROF_DIFF_MERGED    ? "merged"
		    : name & MPROF_DIFF_RENAMED ? "renamed"
						: "name");
}

static void json_stack(const log_diff *diff, json_writer *json, uint32_t stack)
{
	size_t capacity = 0;
	size_t count = 0;
	uint32_t *frames;

	mprof_profile_diff_get_stack(diff->profiles, stack, NULL, 0, &capacity);
	frames = calloc(capacity + 1, sizeof(*frames));
	if (frames == NULL)
		output_out_of_memory();
	else
		mprof_profile_diff_get_stack(diff->profiles, stack, frames, capacity, &count);
	json_begin_array(json, "stack");
	for (size_t i = 0; i < count; i++) {
		char *name = diff_tables_frame(diff, frames[i]);

		json_string(json, NULL, name);
		free(name);
	}
	json_end_array(json);
	free(frames);
}

static void json_row(const log_diff *diff, json_writer *json, const diff_table *table, const diff_row *row,
		     const uint64_t *sums)
{
	const mprof_diff_values *before = &row->values.before;
	const mprof_diff_values *after = &row->values.after;

	json_begin_object(json, NULL);
	json_name(json, table, &row->name);
	json_figure(json, table, DIFF_BY_COUNT, row);
	json_figure(json, table, DIFF_BY_SELF, row);
	json_figure(json, table, DIFF_BY_TOTAL, row);
	json_double(json, "percent_before", 100 * diff_share(before->self, sums[DIFF_BEFORE]));
	json_double(json, "percent_after", 100 * diff_share(after->self, sums[DIFF_AFTER]));
	diff_tables_match_json(json, row->values.match, row->name.shown.match);
	if (table->has_stacks)
		json_stack(diff, json, row->values.stack);
	json_end_object(json);
}

void diff_tables_print_json(const log_diff *diff, json_writer *json)
{
	for (size_t i = 0; i < TABLES; i++) {
		uint64_t sums[DIFF_SIDES] = {0, 0};
		diff_row *rows = NULL;
		size_t count = 0;

		json_begin_array(json, tables[i].key);
		if (diff->profiles != NULL && (!tables[i].has_stacks || diff->options.has_sites)) {
			get_sums(diff, tables[i].table, DIFF_BY_SELF, sums);
			rows = diff_tables_collect(diff, tables[i].table, &count);
		}
		for (size_t k = 0; k < diff_rows(diff, count); k++)
			json_row(diff, json, &tables[i], &rows[k], sums);
		json_end_array(json);
		free(rows);
	}
}
