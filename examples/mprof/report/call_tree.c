/* SPDX-License-Identifier: MIT */
/* Prints the call tree of a report. */
#include "report/call_tree.h"

#include "report/parts.h"
#include "report/tree.h"
#include "shared/text.h"

#include <string.h>

static mprof_call_stats get_call(const log_report *report, uint32_t node)
{
	mprof_call_stats call;

	const mprof_frame_tree *filtered = report->frames.filtered[REPORT_SOURCE_CALLS];
	mprof_frame_node frame;

	memset(&call, 0, sizeof(call));
	call.struct_size = sizeof(call);
	if (filtered != NULL) {
		memset(&frame, 0, sizeof(frame));
		frame.struct_size = sizeof(frame);
		mprof_frame_tree_get_node(filtered, node, &frame);
		call.method = frame.kind == MPROF_SAMPLE_COLLAPSED ? NAMES_COLLAPSED : frame.id;
		call.parent = frame.parent;
		call.first_child = frame.first_child;
		call.next_sibling = frame.next_sibling;
		call.calls = frame.count;
		call.total_ns = frame.total;
		call.self_ns = frame.self;
		return call;
	}
	mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, node, &call);
	return call;
}

static void get_call_node(const log_report *report, uint32_t node, tree_node *found)
{
	mprof_call_stats call = get_call(report, node);

	found->node = node;
	found->first_child = call.first_child;
	found->next_sibling = call.next_sibling;
	found->name = call.method;
	found->weight = call.total_ns;
	found->tiebreak = call.calls;
}

static int has_no_calls(const log_report *report)
{
	return !report_has_calls(report);
}

static uint64_t whole_time(const log_report *report)
{
	return report->totals.method_ns;
}

static const char *get_call_name(const log_report *report, uint32_t node)
{
	return names_full_method(report->input.names, get_call(report, node).method);
}

static void print_call_columns(const log_report *report, uint32_t node)
{
	mprof_call_stats call = get_call(report, node);
	char self[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];

	printf(" %10s %14s", text_duration(self, call.self_ns), text_count(calls, call.calls));
}

static void print_call_name(const log_report *report, uint32_t node)
{
	report_method(report, get_call(report, node).method);
}

static void print_call_fields(const log_report *report, json_writer *json, uint32_t node)
{
	mprof_call_stats call = get_call(report, node);

	json_string(json, "method", names_full_method(report->input.names, call.method));
	json_unsigned(json, "id", names_is_collapsed(report->input.names, call.method) ? 0 : call.method);
	json_unsigned(json, "calls", call.calls);
	json_unsigned(json, "total_ns", call.total_ns);
	json_unsigned(json, "self_ns", call.self_ns);
	/* Filters of frames apply to the time, not to the allocations of a node. */
	if (report->frames.filtered[REPORT_SOURCE_CALLS] != NULL) {
		json_null(json, "allocations");
		json_null(json, "bytes");
		return;
	}
	json_unsigned(json, "allocations", call.allocations);
	json_unsigned(json, "bytes", call.bytes);
}

static const report_tree call_tree = {
	.title = "Call tree",
	.table = TABLE_CALL_TREE,
	.columns = "       self          calls",
	.subject = "method",
	.key = "call_tree",
	.share_key = "call_tree_min_percent",
	.hidden_key = "hidden_ns",
	.get = get_call_node,
	.is_empty = has_no_calls,
	.whole = whole_time,
	.name = get_call_name,
	.format = text_duration,
	.print_columns = print_call_columns,
	.print_name = print_call_name,
	.print_fields = print_call_fields,
};

void report_call_tree_text(const log_report *report)
{
	report_tree_text(report, &call_tree);
}

void report_call_tree_json(const log_report *report, json_writer *json)
{
	report_tree_json(report, &call_tree, json);
}
