/* SPDX-License-Identifier: MIT */
/* Sampled items, and the sample tree. */
#include "common/name_cut.h"
#include "report/parts.h"
#include "report/tree.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree_output {
	const log_report *report;
	json_writer *json;
} tree_output;

static int fetch_sample(const log_report *report, size_t index, void *row)
{
	mprof_sample_stats *figures = row;

	figures->struct_size = sizeof(*figures);
	mprof_profile_get_sample(report->profile, index, figures);
	if (figures->total == 0)
		return 0;
	if (figures->kind == MPROF_SAMPLE_METHOD && figures->id != 0)
		return report_wants_method(report, figures->id);
	return report_wants_all(report);
}

static int compare_samples(const void *left, const void *right)
{
	const mprof_sample_stats *a = left;
	const mprof_sample_stats *b = right;
	int order = report_larger_first(a->self, b->self);

	order = order != 0 ? order : report_larger_first(a->total, b->total);
	order = order != 0 ? order : report_larger_first(b->kind, a->kind);
	return order != 0 ? order : report_larger_first(b->id, a->id);
}

static mprof_sample_stats *collect(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_sample_count(report->profile), sizeof(mprof_sample_stats),
			      fetch_sample, compare_samples, count);
}

/* The file of the module of a function; NULL if unknown, and for all other kinds. */
static const char *module_of(const log_report *report, uint32_t kind, uint32_t id)
{
	mprof_record record;

	if (kind == MPROF_SAMPLE_FUNCTION && mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_FUNCTION, id,
									&record, sizeof(record)) == MPROF_OK)
		id = record.as.function.module;
	else if (kind != MPROF_SAMPLE_MODULE)
		return NULL;
	return mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_MODULE, id, &record, sizeof(record)) ==
			       MPROF_OK
		       ? record.as.module.file
		       : NULL;
}

/* Prints the name of an item as the rest of a line. */
static void print_name(const log_report *report, uint32_t kind, uint32_t id)
{
	const char *name = names_sample(report->input.reader, kind, id);
	const char *module = kind == MPROF_SAMPLE_FUNCTION ? module_of(report, kind, id) : NULL;
	const char *slash = module != NULL ? strrchr(module, '/') : NULL;

	if (name == NULL)
		name = kind == MPROF_SAMPLE_METHOD ? "(unknown)" : "(native)";
	name_print(name);
	if (module != NULL) {
		fputs(" [", stdout);
		name_print(slash != NULL ? slash + 1 : module);
		putchar(']');
	}
	putchar('\n');
}

void report_samples_text(const log_report *report)
{
	size_t count;
	mprof_sample_stats *rows = collect(report, &count);
	size_t shown = report_rows(report, count);
	char self[TEXT_NUMBER_SIZE];
	char self_percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char total_percent[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Samples", shown, count, REPORT_IGNORES_NONE);
		printf("  %10s %8s %10s %8s  %s\n", "self", "", "total", "", "method or native function");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %8s %10s %8s  ", text_count(self, rows[i].self),
		       text_percent(self_percent, rows[i].self, report->totals.samples),
		       text_count(total, rows[i].total),
		       text_percent(total_percent, rows[i].total, report->totals.samples));
		print_name(report, rows[i].kind, rows[i].id);
	}
	free(rows);
}

static void print_place_json(const log_report *report, json_writer *json, uint32_t kind, uint32_t id)
{
	const char *module = module_of(report, kind, id);

	json_string(json, "kind", kind == MPROF_SAMPLE_METHOD ? "managed" : "native");
	json_string(json, "name", names_sample(report->input.reader, kind, id));
	json_string(json, "module", module);
}

void report_samples_json(const log_report *report, json_writer *json)
{
	size_t count;
	mprof_sample_stats *rows = collect(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "samples");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		print_place_json(report, json, rows[i].kind, rows[i].id);
		json_unsigned(json, "hits", rows[i].self);
		json_unsigned(json, "total_hits", rows[i].total);
		json_end_object(json);
	}
	json_end_array(json);
	json_unsigned(json, "samples_total", report->totals.samples);
	free(rows);
}

static mprof_sample_node figures_of(const log_report *report, uint32_t node)
{
	mprof_sample_node figures;

	memset(&figures, 0, sizeof(figures));
	figures.struct_size = sizeof(figures);
	mprof_profile_get_sample_node(report->profile, node, &figures);
	return figures;
}

static void get_node(void *user, uint32_t node, tree_node *found)
{
	const tree_output *output = user;
	mprof_sample_node figures = figures_of(output->report, node);

	found->node = node;
	found->first_child = figures.first_child;
	found->next_sibling = figures.next_sibling;
	found->name = figures.id;
	found->weight = figures.total;
	found->tiebreak = figures.self;
}

static void walk(const log_report *report, const tree_visitor *visitor)
{
	if (!tree_paths_walk(visitor, report_least(report->options.min_share, report->totals.samples),
			     (size_t)report->options.depth))
		report_out_of_memory();
}

static void enter_text(void *user, uint32_t node, size_t depth)
{
	const log_report *report = ((const tree_output *)user)->report;
	mprof_sample_node figures = figures_of(report, node);
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char self[TEXT_NUMBER_SIZE];

	printf("  %8s %10s %10s  %*s", text_percent(percent, figures.total, report->totals.samples),
	       text_count(total, figures.total), text_count(self, figures.self), (int)depth * 2, "");
	print_name(report, figures.kind, figures.id);
}

static void leave_text(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	const log_report *report = ((const tree_output *)user)->report;
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];

	(void)node;
	if (hidden->weight == 0 || hidden->weight < report_least(report->options.min_share, report->totals.samples))
		return;
	printf("  %8s %10s %10s  %*s(%" PRIu64 " more)\n",
	       text_percent(percent, hidden->weight, report->totals.samples), text_count(total, hidden->weight), "",
	       (int)(depth + 1) * 2, "", hidden->count);
}

void report_sample_tree_text(const log_report *report)
{
	tree_output output = {report, NULL};
	tree_visitor visitor = {get_node, enter_text, leave_text, &output, NULL};

	if (report->totals.samples == 0)
		return;
	report_title(report, "Sample tree", 0, 0, REPORT_ALL_NAMES);
	printf("  %8s %10s %10s  %s\n", "", "total", "self", "method or native function");
	walk(report, &visitor);
}

static void enter_json(void *user, uint32_t node, size_t depth)
{
	const tree_output *output = user;
	mprof_sample_node figures = figures_of(output->report, node);

	(void)depth;
	json_begin_object(output->json, NULL);
	print_place_json(output->report, output->json, figures.kind, figures.id);
	json_unsigned(output->json, "hits", figures.self);
	json_unsigned(output->json, "total_hits", figures.total);
	json_begin_array(output->json, "children");
}

static void leave_json(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	const tree_output *output = user;

	(void)node;
	(void)depth;
	json_end_array(output->json);
	json_unsigned(output->json, "hidden_children", hidden->count);
	json_unsigned(output->json, "hidden_hits", hidden->weight);
	json_end_object(output->json);
}

static const char *name_of(const log_report *report, uint32_t node)
{
	mprof_sample_node figures = figures_of(report, node);

	return names_sample(report->input.reader, figures.kind, figures.id);
}

void report_sample_tree_json(const log_report *report, json_writer *json)
{
	tree_output output = {report, json};
	tree_visitor visitor = {get_node, enter_json, leave_json, &output, NULL};
	uint64_t share = report->options.min_share;

	json_begin_array(json, "sample_tree");
	share = report_tree_walk_json(report, &visitor, report->totals.samples, name_of);
	json_end_array(json);
	json_double(json, "sample_tree_min_percent", (double)share / REPORT_PERCENT);
}
