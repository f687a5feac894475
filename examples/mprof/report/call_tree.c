/* SPDX-License-Identifier: MIT */
/* The call tree of a report. */
#include "report/parts.h"
#include "report/tree.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

typedef struct tree_output {
	const log_report *report;
	json_writer *json;
} tree_output;

static mprof_call_stats figures_of(const log_report *report, uint32_t node)
{
	mprof_call_stats figures;

	memset(&figures, 0, sizeof(figures));
	figures.struct_size = sizeof(figures);
	mprof_profile_get_call(report->profile, node, &figures);
	return figures;
}

static void get_call(void *user, uint32_t node, tree_node *found)
{
	const tree_output *output = user;
	mprof_call_stats figures = figures_of(output->report, node);

	found->node = node;
	found->first_child = figures.first_child;
	found->next_sibling = figures.next_sibling;
	found->name = figures.method;
	found->weight = figures.total_ns;
	found->tiebreak = figures.calls;
}

static void walk(const log_report *report, const tree_visitor *visitor)
{
	if (mprof_profile_get_call_count(report->profile) > 0 &&
	    !tree_paths_walk(visitor, report_least(report->options.min_share, report->totals.method_ns),
			     (size_t)report->options.depth))
		report_out_of_memory();
}

static void enter_text(void *user, uint32_t node, size_t depth)
{
	const log_report *report = ((const tree_output *)user)->report;
	mprof_call_stats figures = figures_of(report, node);
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char self[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];

	printf("  %8s %10s %10s %14s  %*s", text_percent(percent, figures.total_ns, report->totals.method_ns),
	       text_duration(total, figures.total_ns), text_duration(self, figures.self_ns),
	       text_count(calls, figures.calls), (int)depth * 2, "");
	report_method(report, figures.method);
}

static void leave_text(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	const log_report *report = ((const tree_output *)user)->report;
	char percent[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];

	(void)node;
	/* Hidden small branches are expected; a note is printed only if the depth limit hides much. */
	if (hidden->weight == 0 || hidden->weight < report_least(report->options.min_share, report->totals.method_ns))
		return;
	printf("  %8s %10s %10s %14s  %*s(%" PRIu64 " more)\n",
	       text_percent(percent, hidden->weight, report->totals.method_ns), text_duration(total, hidden->weight),
	       "", "", (int)(depth + 1) * 2, "", hidden->count);
}

void report_call_tree_text(const log_report *report)
{
	tree_output output = {report, NULL};
	tree_visitor visitor = {get_call, enter_text, leave_text, &output, NULL};

	if (report->totals.calls == 0)
		return;
	report_title(report, "Call tree", 0, 0, REPORT_ALL_NAMES);
	printf("  %8s %10s %10s %14s  %s\n", "", "total", "self", "calls", "method");
	walk(report, &visitor);
}

static void enter_json(void *user, uint32_t node, size_t depth)
{
	const tree_output *output = user;
	mprof_call_stats figures = figures_of(output->report, node);
	json_writer *json = output->json;

	(void)depth;
	json_begin_object(json, NULL);
	json_string(json, "method", names_full_method(output->report->input.reader, figures.method));
	json_unsigned(json, "id", figures.method);
	json_unsigned(json, "calls", figures.calls);
	json_unsigned(json, "total_ns", figures.total_ns);
	json_unsigned(json, "self_ns", figures.self_ns);
	json_unsigned(json, "allocations", figures.allocations);
	json_unsigned(json, "bytes", figures.bytes);
	json_begin_array(json, "children");
}

static void leave_json(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	const tree_output *output = user;

	(void)node;
	(void)depth;
	json_end_array(output->json);
	json_unsigned(output->json, "hidden_children", hidden->count);
	json_unsigned(output->json, "hidden_ns", hidden->weight);
	json_end_object(output->json);
}

static const char *name_of(const log_report *report, uint32_t node)
{
	return names_full_method(report->input.reader, figures_of(report, node).method);
}

void report_call_tree_json(const log_report *report, json_writer *json)
{
	tree_output output = {report, json};
	tree_visitor visitor = {get_call, enter_json, leave_json, &output, NULL};
	uint64_t share = report->options.min_share;

	json_begin_array(json, "call_tree");
	if (mprof_profile_get_call_count(report->profile) > 0)
		share = report_tree_walk_json(report, &visitor, report->totals.method_ns, name_of);
	json_end_array(json);
	json_double(json, "call_tree_min_percent", (double)share / REPORT_PERCENT);
}
