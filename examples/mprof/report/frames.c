/* SPDX-License-Identifier: MIT */
/* Makes trees of frames with the filters of the options, and prints callers, callees and inverted trees. */
#include "report/frames.h"

#include "common/name_cut.h"
#include "common/output.h"
#include "report/filters.h"
#include "report/parts.h"
#include "report/tree.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

/* What the trees of frames are made from. */
typedef struct source_text {
	uint32_t source;     /* An mprof_frame_source. */
	const char *name;    /* JSON. */
	const char *callers; /* Titles. */
	const char *callees;
	const char *inverted;
	const char *count; /* Heading of the counts, NULL if there are none. */
	char *(*format)(char *text, uint64_t value);
} source_text;

static const source_text sources[REPORT_SOURCES] = {
	[REPORT_SOURCE_CALLS] = {MPROF_FRAME_SOURCE_CALLS, "calls", "Callers", "Callees",
				 "Inverted call tree, by own time", "calls", text_duration},
	[REPORT_SOURCE_SAMPLES] = {MPROF_FRAME_SOURCE_SAMPLES, "samples", "Callers, in samples", "Callees, in samples",
				   "Inverted sample tree", NULL, text_count},
	[REPORT_SOURCE_ALLOCATIONS] = {MPROF_FRAME_SOURCE_ALLOCATIONS, "allocations", "Callers, by bytes allocated",
				       "Callees, by bytes allocated", "Inverted tree of allocations, by bytes",
				       "objects", text_bytes},
	[REPORT_SOURCE_MEMORY] = {MPROF_FRAME_SOURCE_MEMORY, "memory", "Callers, by native memory allocated",
				  "Callees, by native memory allocated", "Inverted tree of native memory, by bytes",
				  "blocks", text_bytes},
};

typedef struct choice_context {
	log_report *report;
	const char *selected; /* NULL: nothing is selected. */
	int *is_selected_found;
} choice_context;

static uint32_t choose_if(const log_report *report, const char *pattern, uint32_t kind, uint32_t id, uint32_t choice)
{
	return pattern != NULL && report_matches_frame(report, pattern, kind, id) ? choice : 0;
}

uint32_t report_frames_choose(const log_report *report, uint32_t kind, uint32_t id)
{
	const report_options *options = &report->options;

	return choose_if(report, options->focus_pattern, kind, id, MPROF_FRAME_FOCUS) |
	       choose_if(report, options->ignore_pattern, kind, id, MPROF_FRAME_IGNORE) |
	       choose_if(report, options->hide_pattern, kind, id, MPROF_FRAME_HIDE) |
	       choose_if(report, options->collapse_pattern, kind, id, MPROF_FRAME_COLLAPSE);
}

/* As report_frames_choose(), with the selected frames; notes which patterns match. */
static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	const choice_context *context = user;
	report_frames *frames = &context->report->frames;
	const uint32_t choice = report_frames_choose(context->report, kind, id);
	const uint32_t selected = choose_if(context->report, context->selected, kind, id, MPROF_FRAME_SELECT);

	frames->has_focus |= (choice & MPROF_FRAME_FOCUS) != 0;
	frames->has_ignored |= (choice & MPROF_FRAME_IGNORE) != 0;
	frames->has_hidden |= (choice & MPROF_FRAME_HIDE) != 0;
	frames->has_collapsed |= (choice & MPROF_FRAME_COLLAPSE) != 0;
	if (selected != 0)
		*context->is_selected_found = 1;
	return choice | selected;
}

mprof_frame_tree *report_frames_create(const log_report *report, mprof_frame_tree_options *options)
{
	mprof_frame_tree *tree = NULL;
	mprof_status status;

	options->has_focus = report->options.focus_pattern != NULL;
	status = mprof_frame_tree_create(report->profile, report->input.reader, options, &tree);
	if (status != MPROF_OK) {
		text_begin_message(report->input.name);
		fprintf(stderr, "%s for the trees of frames\n", mprof_status_get_text(status));
	}
	return tree;
}

/* Makes a tree of each source that has data. */
static int make_trees(log_report *report, mprof_frame_tree **trees, const char *selected, int *is_selected_found,
		      uint32_t is_inverted)
{
	const uint64_t amounts[REPORT_SOURCES] = {
		report->totals.calls, report->totals.samples, report->totals.allocated_bytes,
		mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SITES)};
	choice_context context = {report, selected, is_selected_found};

	for (size_t source = 0; source < REPORT_SOURCES; source++) {
		mprof_frame_tree_options options;

		if (amounts[source] == 0)
			continue;
		mprof_frame_tree_options_init(&options, sizeof(options));
		options.source = sources[source].source;
		options.inverted = is_inverted;
		options.max_depth = (uint32_t)report->options.depth;
		options.choose = choose_frame;
		options.user = &context;
		trees[source] = report_frames_create(report, &options);
		if (trees[source] == NULL)
			return 0;
	}
	return 1;
}

int report_frames_make(log_report *report)
{
	const report_options *options = &report->options;
	report_frames *frames = &report->frames;

	return (!report_filters_frames(report) || make_trees(report, frames->filtered, NULL, NULL, 0)) &&
	       (options->callers_pattern == NULL ||
		make_trees(report, frames->callers, options->callers_pattern, &frames->has_callers, 0)) &&
	       (options->callees_pattern == NULL ||
		make_trees(report, frames->callees, options->callees_pattern, &frames->has_callees, 0)) &&
	       (!options->is_inverted || make_trees(report, frames->inverted, NULL, NULL, 1));
}

void report_frames_release(log_report *report)
{
	for (size_t source = 0; source < REPORT_SOURCES; source++) {
		mprof_frame_tree_destroy(report->frames.filtered[source]);
		mprof_frame_tree_destroy(report->frames.callers[source]);
		mprof_frame_tree_destroy(report->frames.callees[source]);
		mprof_frame_tree_destroy(report->frames.inverted[source]);
	}
}

int report_frames_are_alone(const log_report *report)
{
	const report_options *options = &report->options;

	return options->callers_pattern != NULL || options->callees_pattern != NULL || options->is_inverted;
}

static int compare_by_id(const void *left, const void *right)
{
	return report_larger_first(((const mprof_frame_stats *)right)->id, ((const mprof_frame_stats *)left)->id);
}

/* The methods of a tree, sorted by ID; collapsed frames are the method NAMES_COLLAPSED. */
static mprof_frame_stats *collect_methods(const mprof_frame_tree *tree, size_t *count)
{
	size_t all = mprof_frame_tree_get_frame_count(tree);
	mprof_frame_stats *rows = calloc(all + 1, sizeof(*rows));

	*count = 0;
	for (size_t i = 0; rows != NULL && i < all; i++) {
		rows[*count].struct_size = sizeof(*rows);
		if (mprof_frame_tree_get_frame(tree, i, &rows[*count]) != MPROF_OK)
			continue;
		if (rows[*count].kind == MPROF_SAMPLE_COLLAPSED)
			rows[*count].id = NAMES_COLLAPSED;
		*count += rows[*count].kind == MPROF_SAMPLE_METHOD || rows[*count].kind == MPROF_SAMPLE_COLLAPSED;
	}
	if (rows == NULL)
		output_out_of_memory();
	else
		qsort(rows, *count, sizeof(*rows), compare_by_id);
	return rows;
}

static const mprof_frame_stats *find_method(const mprof_frame_stats *rows, size_t count, uint32_t id)
{
	const mprof_frame_stats wanted = {.struct_size = sizeof(wanted), .id = id};

	return rows != NULL ? bsearch(&wanted, rows, count, sizeof(*rows), compare_by_id) : NULL;
}

size_t report_frames_filter_methods(const log_report *report, mprof_method_stats *methods, size_t count)
{
	size_t called = 0;
	size_t sampled = 0;
	mprof_frame_stats *calls;
	mprof_frame_stats *samples;

	if (!report_filters_frames(report))
		return count;
	calls = collect_methods(report->frames.filtered[REPORT_SOURCE_CALLS], &called);
	samples = collect_methods(report->frames.filtered[REPORT_SOURCE_SAMPLES], &sampled);
	if (report->frames.has_collapsed)
		methods[count++] = (mprof_method_stats){.struct_size = sizeof(*methods), .id = NAMES_COLLAPSED};
	for (size_t i = 0; i < count; i++) {
		const mprof_frame_stats *call = find_method(calls, called, methods[i].id);
		const mprof_frame_stats *sample = find_method(samples, sampled, methods[i].id);

		methods[i].calls = call != NULL ? call->count : 0;
		methods[i].self_ns = call != NULL ? call->self : 0;
		methods[i].total_ns = call != NULL ? call->total : 0;
		methods[i].samples = sample != NULL ? sample->self : 0;
		methods[i].samples_total = sample != NULL ? sample->total : 0;
	}
	free(calls);
	free(samples);
	return count;
}

int report_frames_keep_stack(const log_report *report, uint32_t stack)
{
	const report_options *options = &report->options;
	const mprof_stack_frame *frames;
	int has_focus = options->focus_pattern == NULL;
	size_t count;

	if (options->focus_pattern == NULL && options->ignore_pattern == NULL)
		return 1;
	count = names_stack(report->input.names, stack, &frames);
	for (size_t i = 0; i < count; i++) {
		if (options->ignore_pattern != NULL &&
		    report_matches_stack_frame(report, options->ignore_pattern, &frames[i]))
			return 0;
		has_focus = has_focus || report_matches_stack_frame(report, options->focus_pattern, &frames[i]);
	}
	return has_focus;
}

int report_frames_keep_site(const log_report *report, uint32_t stack, uint32_t caller)
{
	const report_options *options = &report->options;
	const mprof_stack_frame frame = {.id = caller};

	if (stack != 0 || caller == 0)
		return report_frames_keep_stack(report, stack);
	return (options->focus_pattern == NULL || report_matches_stack_frame(report, options->focus_pattern, &frame)) &&
	       (options->ignore_pattern == NULL ||
		!report_matches_stack_frame(report, options->ignore_pattern, &frame));
}

static int compare_rows(const void *left, const void *right)
{
	const mprof_frame_stats *a = left;
	const mprof_frame_stats *b = right;
	int order = report_larger_first(a->total, b->total);

	order = order != 0 ? order : report_larger_first(a->count, b->count);
	order = order != 0 ? order : report_larger_first(b->kind, a->kind);
	return order != 0 ? order : report_larger_first(b->id, a->id);
}

/* The callers or callees, those with the largest totals first. */
static mprof_frame_stats *collect_rows(const mprof_frame_tree *tree, int of_callers, size_t *count)
{
	size_t all = of_callers ? mprof_frame_tree_get_caller_count(tree) : mprof_frame_tree_get_callee_count(tree);
	mprof_frame_stats *rows = calloc(all + 1, sizeof(*rows));

	*count = 0;
	if (rows == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		rows[i].struct_size = sizeof(rows[i]);
		if (of_callers)
			mprof_frame_tree_get_caller(tree, i, &rows[i]);
		else
			mprof_frame_tree_get_callee(tree, i, &rows[i]);
	}
	*count = all;
	qsort(rows, *count, sizeof(*rows), compare_rows);
	return rows;
}

static const char *name_of(const log_report *report, uint32_t kind, uint32_t id)
{
	return kind == 0 ? "(outermost)" : names_sample(report->input.names, kind, id);
}

static void print_row(const log_report *report, const source_text *source, const mprof_frame_stats *row,
		      const char *name)
{
	char total[TEXT_NUMBER_SIZE];
	char self[TEXT_NUMBER_SIZE];
	char count[TEXT_NUMBER_SIZE];

	printf("  %10s %10s", source->format(total, row->total), source->format(self, row->self));
	if (source->count != NULL)
		printf(" %14s", text_count(count, row->count));
	fputs("  ", stdout);
	report_name(name != NULL ? name : name_of(report, row->kind, row->id));
}

static void print_table(const log_report *report, size_t number, const mprof_frame_tree *tree, int of_callers)
{
	const source_text *source = &sources[number];
	mprof_frame_stats selection = {.struct_size = sizeof(selection)};
	mprof_frame_stats *rows;
	size_t count = 0;
	size_t shown;

	mprof_frame_tree_get_selection(tree, &selection);
	rows = collect_rows(tree, of_callers, &count);
	shown = report_rows(report, count);
	if (selection.total > 0 || selection.count > 0) {
		report_title(report, of_callers ? source->callers : source->callees, shown, count,
			     of_callers ? REPORT_TABLE_CALLERS : REPORT_TABLE_CALLEES);
		printf("  %10s %10s", "total", "self");
		if (source->count != NULL)
			printf(" %14s", source->count);
		puts(of_callers ? "  caller" : "  callee");
		for (size_t i = 0; i < shown; i++)
			print_row(report, source, &rows[i], NULL);
		print_row(report, source, &selection,
			  of_callers ? report->options.callers_pattern : report->options.callees_pattern);
	}
	free(rows);
}

static mprof_frame_node node_of(const log_report *report, uint32_t node)
{
	mprof_frame_node found;

	memset(&found, 0, sizeof(found));
	found.struct_size = sizeof(found);
	mprof_frame_tree_get_node(report->frames.inverted[report->frames.source], node, &found);
	return found;
}

static void get_node(const log_report *report, uint32_t node, tree_node *found)
{
	mprof_frame_node frame = node_of(report, node);

	found->node = node;
	found->first_child = frame.first_child;
	found->next_sibling = frame.next_sibling;
	found->name = frame.id;
	found->weight = frame.total;
	found->tiebreak = frame.count;
}

static int is_empty(const log_report *report)
{
	return node_of(report, 0).total == 0;
}

static uint64_t whole_of(const log_report *report)
{
	return node_of(report, 0).total;
}

static const char *get_name(const log_report *report, uint32_t node)
{
	mprof_frame_node frame = node_of(report, node);

	return names_sample(report->input.names, frame.kind, frame.id);
}

static void print_columns(const log_report *report, uint32_t node)
{
	char text[TEXT_NUMBER_SIZE];

	if (sources[report->frames.source].count != NULL)
		printf(" %14s", text_count(text, node_of(report, node).count));
}

static void print_name(const log_report *report, uint32_t node)
{
	report_name(get_name(report, node));
}

static void print_values(json_writer *json, uint64_t count, uint64_t self, uint64_t total)
{
	json_unsigned(json, "count", count);
	json_unsigned(json, "self", self);
	json_unsigned(json, "total", total);
}

static void print_fields(const log_report *report, json_writer *json, uint32_t node)
{
	mprof_frame_node frame = node_of(report, node);

	json_string(json, "name", get_name(report, node));
	json_string(json, "symbol", names_symbol(report->input.names, frame.kind, frame.id));
	json_unsigned(json, "id", frame.id);
	print_values(json, frame.count, frame.self, frame.total);
}

static const report_tree inverted_tree = {
	.table = REPORT_TABLE_INVERTED_TREES,
	.subject = "method or native function, below it its callers",
	.key = "tree",
	.share_key = "min_percent",
	.hidden_key = "hidden",
	.get = get_node,
	.is_empty = is_empty,
	.whole = whole_of,
	.name = get_name,
	.print_columns = print_columns,
	.print_name = print_name,
	.print_fields = print_fields,
};

/* The description of the inverted tree of a source. */
static report_tree describe_inverted(size_t source)
{
	static const char *const columns[REPORT_SOURCES] = {"          calls", "", "        objects",
							    "         blocks"};
	report_tree tree = inverted_tree;

	tree.title = sources[source].inverted;
	tree.columns = columns[source];
	tree.format = sources[source].format;
	return tree;
}

void report_frames_text(const log_report *report)
{
	char lost[TEXT_NUMBER_SIZE];

	if (report->totals.lost_events > 0)
		printf("%s events were lost: all numbers are estimates\n",
		       text_count(lost, report->totals.lost_events));
	for (size_t source = 0; source < REPORT_SOURCES; source++) {
		if (report->frames.callers[source] != NULL)
			print_table(report, source, report->frames.callers[source], 1);
		if (report->frames.callees[source] != NULL)
			print_table(report, source, report->frames.callees[source], 0);
	}
	for (size_t source = 0; source < REPORT_SOURCES; source++) {
		log_report shown = *report;
		report_tree tree = describe_inverted(source);

		shown.frames.source = source;
		if (report->frames.inverted[source] != NULL)
			report_tree_text(&shown, &tree);
	}
}

static void print_rows_json(const log_report *report, json_writer *json, const char *key,
			    mprof_frame_tree *const *trees, int of_callers)
{
	json_begin_array(json, key);
	for (size_t source = 0; source < REPORT_SOURCES; source++) {
		mprof_frame_stats selection = {.struct_size = sizeof(selection)};
		mprof_frame_stats *rows;
		size_t count;

		if (trees[source] == NULL)
			continue;
		mprof_frame_tree_get_selection(trees[source], &selection);
		json_begin_object(json, NULL);
		json_string(json, "source", sources[source].name);
		print_values(json, selection.count, selection.self, selection.total);
		rows = collect_rows(trees[source], of_callers, &count);
		json_begin_array(json, "rows");
		for (size_t i = 0; i < report_rows(report, count); i++) {
			json_begin_object(json, NULL);
			json_string(json, "name", rows[i].kind != 0 ? name_of(report, rows[i].kind, rows[i].id) : NULL);
			json_string(json, "symbol", names_symbol(report->input.names, rows[i].kind, rows[i].id));
			json_unsigned(json, "id", rows[i].id);
			print_values(json, rows[i].count, rows[i].self, rows[i].total);
			json_end_object(json);
		}
		json_end_array(json);
		json_end_object(json);
		free(rows);
	}
	json_end_array(json);
}

void report_frames_json(log_report *report, json_writer *json)
{
	print_rows_json(report, json, "callers", report->frames.callers, 1);
	print_rows_json(report, json, "callees", report->frames.callees, 0);
	json_begin_array(json, "inverted_trees");
	for (size_t source = 0; source < REPORT_SOURCES; source++) {
		log_report shown = *report;
		report_tree tree = describe_inverted(source);

		if (report->frames.inverted[source] == NULL)
			continue;
		shown.frames.source = source;
		json_begin_object(json, NULL);
		json_string(json, "source", sources[source].name);
		report_tree_json(&shown, &tree, json);
		json_end_object(json);
	}
	json_end_array(json);
}
