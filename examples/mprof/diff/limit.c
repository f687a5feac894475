/* SPDX-License-Identifier: MIT */
/* Checks growth against a limit. */
#include "diff/diff.h"

#include "common/arguments.h"
#include "common/output.h"
#include "diff/tables.h"

#include <stdlib.h>
#include <string.h>

/** A figure that can be limited; table 0 is that of the heap snapshots, or native memory. */
typedef struct limited_figure {
	const char *name;
	uint32_t table;
	diff_measure measure;
	const char *needed;        /* What both logs must have. */
	diff_memory_figure memory; /* Of native memory. */
} limited_figure;

static const limited_figure figures[] = {
	{"bytes", 0, DIFF_BY_SELF, "a heap snapshot", DIFF_MEMORY_NONE},
	{"objects", 0, DIFF_BY_COUNT, "a heap snapshot", DIFF_MEMORY_NONE},
	{"retained", 0, DIFF_BY_TOTAL, "the retained sizes of a heap snapshot", DIFF_MEMORY_NONE},
	{"allocated", MPROF_TABLE_CLASSES, DIFF_BY_SELF, "allocations", DIFF_MEMORY_NONE},
	{"allocations", MPROF_TABLE_CLASSES, DIFF_BY_COUNT, "allocations", DIFF_MEMORY_NONE},
	{"self", MPROF_TABLE_METHODS, DIFF_BY_SELF, "calls", DIFF_MEMORY_NONE},
	{"total", MPROF_TABLE_METHODS, DIFF_BY_TOTAL, "calls", DIFF_MEMORY_NONE},
	{"calls", MPROF_TABLE_METHODS, DIFF_BY_COUNT, "calls", DIFF_MEMORY_NONE},
	{"samples", MPROF_TABLE_SAMPLES, DIFF_BY_SELF, "samples", DIFF_MEMORY_NONE},
	{"waits", MPROF_TABLE_MONITORS, DIFF_BY_SELF, "waits for monitors", DIFF_MEMORY_NONE},
	{"memory", 0, DIFF_BY_SELF, "native memory", DIFF_MEMORY_ALLOCATED},
	{"memory-live", 0, DIFF_BY_SELF, "native memory", DIFF_MEMORY_LIVE},
	{"memory-peak", 0, DIFF_BY_SELF, "native memory", DIFF_MEMORY_PEAK},
	{"memory-temporary", 0, DIFF_BY_SELF, "native memory", DIFF_MEMORY_TEMPORARY},
	{"memory-unreachable", 0, DIFF_BY_SELF, "unreachable native memory (record --malloc --leaks)",
	 DIFF_MEMORY_UNREACHABLE},
};

#define FIGURE_COUNT (sizeof(figures) / sizeof(figures[0]))

int diff_limit_parse(diff_options *options, const char *value)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = {{"", 1},   {"%", 1},       {"k", 1024.0}, {"m", 1048576.0}, {"g", 1073741824.0},
		     {"ns", 1}, {"us", 1000.0}, {"ms", 1e6},   {"s", 1e9}};
	char *end;
	double number = strtod(value, &end);

	if (*value >= '0' && *value <= '9') {
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (strcmp(end, units[i].suffix) != 0)
				continue;
			options->has_limit = 1;
			options->is_percent = *end == '%';
			options->limit = number * units[i].factor;
			return 1;
		}
	}
	fprintf(stderr, "mprof: --fail-above: '%s' is not a number with %%, k, m, g, ns, us, ms, s or no unit\n",
		value);
	return 0;
}

const char *diff_limit_name(size_t index)
{
	return index < FIGURE_COUNT ? figures[index].name : NULL;
}

int diff_limit_choose(diff_options *options, const char *name)
{
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		if (strcmp(figures[i].name, name) == 0) {
			options->limited = figures[i].name;
			return 1;
		}
	}
	fprintf(stderr, "mprof: --of: '%s' is not one of", name);
	for (size_t i = 0; i < FIGURE_COUNT; i++)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", figures[i].name);
	fputc('\n', stderr);
	return 0;
}

static void get_sums(const log_diff *diff, const limited_figure *figure, uint64_t sums[DIFF_SIDES])
{
	mprof_diff_row sum = {.struct_size = sizeof(sum)};

	if (figure->memory != DIFF_MEMORY_NONE) {
		diff_memory_sums(diff, figure->memory, sums);
		return;
	}
	if (figure->table != 0) {
		mprof_profile_diff_get_sum(diff->profiles, figure->table, &sum);
		diff_tables_measure(&sum, figure->measure, sums);
		return;
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		sums[side] = figure->measure == DIFF_BY_COUNT ? diff->heap[side].objects : diff->heap[side].bytes;
}

/* Whether both logs have the figure. */
static int is_comparable(const log_diff *diff, const limited_figure *figure)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const heap_side *heap = &diff->heap[side];

		if (figure->memory != DIFF_MEMORY_NONE
			    ? diff->profiles == NULL || !diff_memory_has(diff, side, figure->memory)
		    : figure->table != 0 ? diff->profiles == NULL || !diff_tables_recorded(diff, side, figure->table)
					 : heap->shot == 0 || (figure->measure == DIFF_BY_TOTAL && !heap->has_retained))
			return 0;
	}
	return 1;
}

/* The requested figure. Without a request, the first that both logs have: memory before time, a pattern considered. */
static const limited_figure *find_figure(const log_diff *diff)
{
	static const char *const defaults[] = {"bytes", "allocated", "self", "samples", "memory-live"};
	const size_t count = sizeof(defaults) / sizeof(defaults[0]);

	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		if (diff->options.limited != NULL && strcmp(figures[i].name, diff->options.limited) == 0)
			return &figures[i];
	}
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		for (size_t k = diff->options.method_pattern != NULL ? 2 : 0; k < count; k++) {
			if (strcmp(figures[i].name, defaults[k]) == 0 && is_comparable(diff, &figures[i]))
				return &figures[i];
		}
	}
	return NULL;
}

static int is_exceeded(const diff_options *options, const uint64_t values[DIFF_SIDES], const double sums[DIFF_SIDES])
{
	double before = (double)values[DIFF_BEFORE];
	double after = (double)values[DIFF_AFTER];

	if (options->is_normalized) {
		before = sums[DIFF_BEFORE] > 0 ? before / sums[DIFF_BEFORE] : 0;
		after = sums[DIFF_AFTER] > 0 ? after / sums[DIFF_AFTER] : 0;
	}
	return after - before > (options->is_percent ? before * options->limit / 100 : options->limit);
}

static void print_excess(const log_diff *diff, const diff_excess *excess)
{
	char text[4][TEXT_NUMBER_SIZE];

	fprintf(stderr, "mprof: diff: limit exceeded: %s of ", excess->figure);
	text_name(stderr, excess->name != NULL ? excess->name : "all");
	fprintf(stderr, ": %s before, %s after, %s", text_count(text[0], excess->values[DIFF_BEFORE]),
		text_count(text[1], excess->values[DIFF_AFTER]), diff_text_growth(text[2], excess->values));
	if (excess->values[DIFF_BEFORE] > 0)
		fprintf(stderr, " (%s)", diff_text_percent(text[3], excess->values));
	if (diff->options.is_normalized)
		fprintf(stderr, ", %.3f %% before, %.3f %% after",
			100 * (double)excess->values[DIFF_BEFORE] / excess->sums[DIFF_BEFORE],
			100 * (double)excess->values[DIFF_AFTER] / excess->sums[DIFF_AFTER]);
	fputc('\n', stderr);
}

/* Adds a row if it exceeds the limit. Takes over the name. */
static void check_row(log_diff *diff, const limited_figure *figure, char *name, const uint64_t values[DIFF_SIDES],
		      const uint64_t sums[DIFF_SIDES])
{
	diff_excess excess = {figure->name,
			      name,
			      {values[DIFF_BEFORE], values[DIFF_AFTER]},
			      {(double)sums[DIFF_BEFORE], (double)sums[DIFF_AFTER]}};
	diff_excess *larger;

	if (!is_exceeded(&diff->options, values, excess.sums)) {
		free(name);
		return;
	}
	print_excess(diff, &excess);
	larger = realloc(diff->excesses, (diff->excess_count + 1) * sizeof(*larger));
	if (larger == NULL) {
		output_out_of_memory();
		free(name);
		return;
	}
	diff->excesses = larger;
	diff->excesses[diff->excess_count++] = excess;
}

/* Checks the rows that pass the filters. Returns their number. */
static size_t check_table(log_diff *diff, const limited_figure *figure, const uint64_t sums[DIFF_SIDES])
{
	size_t count;
	diff_row *rows = diff_tables_collect(diff, figure->table, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t values[DIFF_SIDES];

		diff_tables_measure(&rows[i].values, figure->measure, values);
		check_row(diff, figure, diff_tables_name(&rows[i].name), values, sums);
	}
	free(rows);
	return count;
}

static size_t check_heap(log_diff *diff, const limited_figure *figure, const uint64_t sums[DIFF_SIDES])
{
	for (size_t i = 0; i < diff->heap_row_count; i++) {
		const heap_row *row = &diff->heap_rows[i];
		const uint64_t *values = figure->measure == DIFF_BY_COUNT   ? row->objects
					 : figure->measure == DIFF_BY_TOTAL ? row->retained
									    : row->bytes;

		check_row(diff, figure, strdup(row->name), values, sums);
	}
	return diff->heap_row_count;
}

static int refuse(const char *why, const char *what)
{
	fprintf(stderr, "mprof: diff: --fail-above cannot be checked: %s%s\n", why, what);
	return STATUS_DAMAGED;
}

int diff_limit_check(log_diff *diff)
{
	const diff_options *options = &diff->options;
	const limited_figure *figure = find_figure(diff);
	uint64_t sums[DIFF_SIDES];
	size_t count = 1;

	if (figure == NULL)
		return refuse("the logs have nothing that could be compared", "");
	if (!is_comparable(diff, figure))
		return refuse("not both logs have ", figure->needed);
	if (figure->memory != DIFF_MEMORY_NONE &&
	    (options->class_pattern != NULL || options->method_pattern != NULL || options->assembly_pattern != NULL))
		return refuse("native memory is limited as a whole, without --method, --class and --assembly", "");
	get_sums(diff, figure, sums);
	if (options->class_pattern == NULL && options->method_pattern == NULL && options->assembly_pattern == NULL)
		check_row(diff, figure, NULL, sums, sums);
	else
		count = figure->table == 0 ? check_heap(diff, figure, sums) : check_table(diff, figure, sums);
	if (count == 0)
		return refuse("nothing matches", "");
	return diff->excess_count > 0 ? STATUS_DAMAGED : STATUS_OK;
}

void diff_limit_release(log_diff *diff)
{
	for (size_t i = 0; i < diff->excess_count; i++)
		free(diff->excesses[i].name);
	free(diff->excesses);
	diff->excesses = NULL;
	diff->excess_count = 0;
}

void diff_limit_print_json(const log_diff *diff, json_writer *json)
{
	json_begin_array(json, "exceeded");
	for (size_t i = 0; i < diff->excess_count; i++) {
		const diff_excess *excess = &diff->excesses[i];

		json_begin_object(json, NULL);
		json_string(json, "of", excess->figure);
		json_string(json, "name", excess->name);
		json_unsigned(json, "before", excess->values[DIFF_BEFORE]);
		json_unsigned(json, "after", excess->values[DIFF_AFTER]);
		json_end_object(json);
	}
	json_end_array(json);
}
