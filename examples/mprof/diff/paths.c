/* SPDX-License-Identifier: MIT */
/* Prints the call paths of both logs as one tree. */
#include "diff/diff.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "diff/tables.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_MIN_PERCENT 1

/* Levels that are indented; below, the level is printed as a number, so that a deep path takes no quadratic space. */
#define INDENTED_LEVELS 40

/** A node of the tree with what decides about printing it. */
typedef struct path_row {
	mprof_diff_node node;
	uint32_t number;
	uint8_t is_wanted; /* It passes the filters, as do its callers and what it calls. */
	uint8_t is_below;  /* A node above it passes. */
	uint8_t is_above;  /* A node below it passes. */
	double growth;     /* Of the total: absolute, or of its share. */
	double change;     /* Largest growth or decrease of it or a node below it, in percent of the whole. */
} path_row;

/** The tree as rows: the root, then the children of each node together, the largest growth first. */
typedef struct path_list {
	path_row *rows;
	size_t *positions; /* Of nodes, in rows. */
	size_t *children;  /* Position of the first child of a node; 0 if it has none. */
	size_t count;
	uint64_t sums[DIFF_SIDES];
} path_list;

static const struct {
	const char *name;
	const char *title;
	uint32_t source;
	int is_time;
} sources[] = {
	{"calls", "Call paths by total time", MPROF_FRAME_SOURCE_CALLS, 1},
	{"samples", "Call paths by samples", MPROF_FRAME_SOURCE_SAMPLES, 0},
	{"allocations", "Call paths by bytes allocated", MPROF_FRAME_SOURCE_ALLOCATIONS, 0},
	{"memory", "Call paths by bytes of native memory allocated", MPROF_FRAME_SOURCE_MEMORY, 0},
	{"memory-live", "Call paths by bytes of native memory not freed", MPROF_FRAME_SOURCE_MEMORY_LIVE, 0},
	{"memory-peak", "Call paths by bytes of native memory at the peak", MPROF_FRAME_SOURCE_MEMORY_PEAK, 0},
	{"memory-temporary", "Call paths by temporary native allocations", MPROF_FRAME_SOURCE_MEMORY_TEMPORARY, 0},
};

#define SOURCE_COUNT (sizeof(sources) / sizeof(sources[0]))

int diff_paths_choose(diff_options *options, const char *option, const char *name)
{
	options->has_tree = 1;
	for (size_t i = 0; i < SOURCE_COUNT && name != NULL; i++) {
		if (strcmp(sources[i].name, name) == 0) {
			options->tree_source = sources[i].source;
			return 1;
		}
	}
	if (name == NULL)
		return 1;
	fprintf(stderr, "mprof: %s: '%s' is not one of", option, name);
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", sources[i].name);
	fputc('\n', stderr);
	return 0;
}

int diff_paths_parse_percent(diff_options *options, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (end != value && *end == '\0' && percent >= 0 && percent <= 100) {
		options->min_percent = percent;
		options->has_min_percent = 1;
		return 1;
	}
	fprintf(stderr, "mprof: --min-percent: '%s' is not a number from 0 to 100\n", value);
	return 0;
}

static int has_source(const log_diff *diff, int side, uint32_t source)
{
	const mprof_profile_totals *totals = &diff->sides[side].totals;

	switch (source) {
	case MPROF_FRAME_SOURCE_CALLS:
		return totals->calls > 0;
	case MPROF_FRAME_SOURCE_SAMPLES:
		return totals->samples > 0;
	case MPROF_FRAME_SOURCE_ALLOCATIONS:
		return totals->allocations > 0;
	default:
		return diff_memory_recorded(diff, side);
	}
}

int diff_paths_have_source(const log_diff *diff)
{
	const uint32_t source = diff->options.tree_source;
	size_t index = 0;

	if (source == 0 || has_source(diff, DIFF_BEFORE, source) || has_source(diff, DIFF_AFTER, source))
		return 1;
	while (sources[index].source != source)
		index++;
	fprintf(stderr, "mprof: diff: the logs have no such data: %s\n", sources[index].name);
	return 0;
}

/* The first source that both logs have; if there is none, the first that one of them has. */
static uint32_t choose_source(const log_diff *diff)
{
	for (int needed = DIFF_SIDES; needed > 0; needed--) {
		for (size_t i = 0; i < SOURCE_COUNT; i++) {
			int found = 0;

			for (int side = 0; side < DIFF_SIDES; side++)
				found += has_source(diff, side, sources[i].source);
			if (found >= needed)
				return sources[i].source;
		}
	}
	return sources[0].source;
}

mprof_status diff_paths_make_trees(log_diff *diff, mprof_frame_tree *trees[DIFF_SIDES])
{
	mprof_frame_tree_options options;
	mprof_status status = MPROF_OK;

	diff->tree_source = diff->options.tree_source != 0 ? diff->options.tree_source : choose_source(diff);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = diff->tree_source;
	for (int side = 0; side < DIFF_SIDES && status == MPROF_OK; side++)
		status = mprof_frame_tree_create(diff->sides[side].profile, diff->sides[side].input.reader, &options,
						 &trees[side]);
	return status;
}

static int compare_rows(const void *left, const void *right)
{
	const path_row *a = left;
	const path_row *b = right;

	/* The root has the number of its children's parent. */
	if ((a->number == 0) != (b->number == 0))
		return a->number == 0 ? -1 : 1;
	if (a->node.parent != b->node.parent)
		return a->node.parent < b->node.parent ? -1 : 1;
	if (a->growth > b->growth || a->growth < b->growth)
		return a->growth > b->growth ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void measure_row(const log_diff *diff, const path_list *list, path_row *row)
{
	double before = (double)row->node.before.total;
	double after = (double)row->node.after.total;
	double whole = (double)(list->sums[list->sums[DIFF_AFTER] > list->sums[DIFF_BEFORE]]);

	if (diff->options.is_normalized) {
		before = diff_share(row->node.before.total, list->sums[DIFF_BEFORE]);
		after = diff_share(row->node.after.total, list->sums[DIFF_AFTER]);
		whole = 1;
	}
	row->growth = after - before;
	row->change = whole > 0 ? 100 * (row->growth < 0 ? -row->growth : row->growth) / whole : 0;
}

/* A node has a larger number than its parent: callers are visited first in one direction, last in the other. */
static void spread(path_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		const path_row *parent = &list->rows[list->rows[i].node.parent];

		list->rows[i].is_below = parent->is_wanted || parent->is_below;
	}
	for (size_t i = list->count - 1; i > 0; i--) {
		path_row *parent = &list->rows[list->rows[i].node.parent];

		parent->is_above = parent->is_above || list->rows[i].is_wanted || list->rows[i].is_above;
		if (parent->change < list->rows[i].change)
			parent->change = list->rows[i].change;
	}
}

static void read_rows(const log_diff *diff, path_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		path_row *row = &list->rows[i];
		diff_name name;

		row->number = (uint32_t)i;
		row->node.struct_size = sizeof(row->node);
		mprof_profile_diff_get_node(diff->profiles, (uint32_t)i, &row->node);
		if (i == 0) {
			list->sums[DIFF_BEFORE] = row->node.before.total;
			list->sums[DIFF_AFTER] = row->node.after.total;
		}
		measure_row(diff, list, row);
		row->is_wanted =
			diff_tables_get_name(diff, row->node.name, &name) == MPROF_OK && diff_tables_wants(diff, &name);
	}
}

static void release(path_list *list)
{
	free(list->rows);
	free(list->positions);
	free(list->children);
}

/* Returns 0 after a message if out of memory. */
static int make_list(const log_diff *diff, path_list *list)
{
	memset(list, 0, sizeof(*list));
	list->count = mprof_profile_diff_get_node_count(diff->profiles);
	list->rows = calloc(list->count + 1, sizeof(*list->rows));
	list->positions = calloc(list->count + 1, sizeof(*list->positions));
	list->children = calloc(list->count + 1, sizeof(*list->children));
	if (list->rows == NULL || list->positions == NULL || list->children == NULL) {
		output_out_of_memory();
		release(list);
		return 0;
	}
	if (list->count == 0)
		return 1;
	read_rows(diff, list);
	spread(list);
	qsort(list->rows, list->count, sizeof(*list->rows), compare_rows);
	for (size_t i = list->count; i-- > 0;) {
		list->positions[list->rows[i].number] = i;
		if (i > 0)
			list->children[list->rows[i].node.parent] = i;
	}
	return 1;
}

static int is_shown(const log_diff *diff, const path_row *row, int as_document)
{
	double least = diff->options.has_min_percent ? diff->options.min_percent
		       : as_document                 ? 0
						     : DEFAULT_MIN_PERCENT;

	return row->change >= least && (row->is_wanted || row->is_below || row->is_above);
}

/* The next shown row in depth-first order; 0 after the last one. Changes the level accordingly. */
static size_t next_row(const log_diff *diff, const path_list *list, size_t position, size_t *level, int as_document)
{
	size_t next = list->children[list->rows[position].number];

	++*level;
	for (;;) {
		/* The children of a node end where those of another begin. */
		while (next > 0 && next < list->count && list->rows[next].node.parent == list->rows[position].number) {
			if (is_shown(diff, &list->rows[next], as_document))
				return next;
			next++;
		}
		if (position == 0)
			return 0;
		next = position + 1;
		position = list->positions[list->rows[position].node.parent];
		--*level;
	}
}

static size_t source_index(const log_diff *diff)
{
	size_t index = 0;

	while (index < SOURCE_COUNT - 1 && sources[index].source != diff->tree_source)
		index++;
	return index;
}

static void print_self_growth(const path_row *row, int is_time)
{
	const uint64_t values[DIFF_SIDES] = {row->node.before.self, row->node.after.self};
	char text[TEXT_NUMBER_SIZE];

	printf(" %15s  ", is_time ? diff_text_time_growth(text, values) : diff_text_growth(text, values));
}

static void print_row(const log_diff *diff, const path_list *list, const path_row *row, size_t level)
{
	const uint64_t values[DIFF_SIDES] = {row->node.before.total, row->node.after.total};
	diff_name name;
	int is_time = sources[source_index(diff)].is_time;
	char *text;

	if (diff->options.is_normalized)
		diff_print_shares(values, list->sums);
	else if (is_time)
		diff_print_times(values);
	else
		diff_print_counts(values);
	print_self_growth(row, is_time);
	if (level > INDENTED_LEVELS)
		printf("(level %zu) ", level);
	printf("%*s", (int)(level < INDENTED_LEVELS ? level : INDENTED_LEVELS) * 2, "");
	diff_tables_get_name(diff, row->node.name, &name);
	text = row->number != 0 ? diff_tables_name(&name) : NULL;
	name_print(text != NULL ? text : "(all)");
	free(text);
	diff_print_match(row->node.match);
}

void diff_paths_print_text(const log_diff *diff)
{
	path_list list;
	size_t level = 0;
	size_t position = 0;

	if (diff->profiles == NULL || !diff->options.has_tree || !make_list(diff, &list))
		return;
	printf("\n%s%s\n", sources[source_index(diff)].title, diff->options.is_normalized ? ", share of all" : "");
	printf("  %15s %15s %15s %10s %15s  path\n", "before", "after", "growth", "", "own growth");
	if (list.count > 0) {
		do {
			print_row(diff, &list, &list.rows[position], level);
			position = next_row(diff, &list, position, &level, 0);
		} while (position != 0 && !output_is_broken());
	}
	release(&list);
}

static void print_json_row(const log_diff *diff, json_writer *json, const path_row *row)
{
	diff_name name;

	diff_tables_get_name(diff, row->node.name, &name);
	json_begin_object(json, NULL);
	json_unsigned(json, "node", row->number);
	if (row->number != 0)
		json_unsigned(json, "parent", row->node.parent);
	else
		json_null(json, "parent");
	json_string(json, "class", name.shown.class_name);
	json_string(json, "name", name.shown.name);
	json_string(json, "assembly",
		    name.shown.assembly != NULL && name.shown.assembly[0] != '\0' ? name.shown.assembly : NULL);
	json_string(json, "symbol", name.symbol);
	json_unsigned(json, "count_before", row->node.before.count);
	json_unsigned(json, "count_after", row->node.after.count);
	json_unsigned(json, "self_before", row->node.before.self);
	json_unsigned(json, "self_after", row->node.after.self);
	json_unsigned(json, "total_before", row->node.before.total);
	json_unsigned(json, "total_after", row->node.after.total);
	diff_tables_match_json(json, row->node.match, name.shown.match);
	json_end_object(json);
}

void diff_paths_print_json(const log_diff *diff, json_writer *json)
{
	int has_paths = diff->profiles != NULL && diff->options.has_tree;
	path_list list = {0};
	size_t level = 0;
	size_t position = 0;

	json_string(json, "call_paths_of", has_paths ? sources[source_index(diff)].name : NULL);
	json_begin_array(json, "call_paths");
	if (has_paths && make_list(diff, &list)) {
		do {
			if (list.count > 0)
				print_json_row(diff, json, &list.rows[position]);
			position = list.count > 0 ? next_row(diff, &list, position, &level, 1) : 0;
		} while (position != 0 && !output_is_broken());
		release(&list);
	}
	json_end_array(json);
}
