/* SPDX-License-Identifier: MIT */
/* Prints the call tree, and the slowest calls. */
#include "report/contents.h"

#include "common/output.h"
#include "report/filters.h"
#include "report/parts.h"
#include "report/tree.h"

#include <stddef.h>
#include <stdlib.h>

/* Number of callers that are printed as text. */
#define CALLER_ROWS 12

static mprof_call_stats get_call(const log_report *report, uint32_t node)
{
	mprof_call_stats call = {.struct_size = sizeof(call)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, node, &call);
	return call;
}

/*
 * The tree.
 */

static mprof_call_stats get_tree_call(const log_report *report, uint32_t node)
{
	const mprof_frame_tree *filtered = report->frames.filtered[REPORT_SOURCE_CALLS];
	mprof_frame_node frame = {.struct_size = sizeof(frame)};

	if (filtered == NULL)
		return get_call(report, node);
	mprof_frame_tree_get_node(filtered, node, &frame);
	return (mprof_call_stats){.struct_size = sizeof(mprof_call_stats),
				  .method = frame.kind == MPROF_SAMPLE_COLLAPSED ? NAMES_COLLAPSED : frame.id,
				  .parent = frame.parent,
				  .first_child = frame.first_child,
				  .next_sibling = frame.next_sibling,
				  .calls = frame.count,
				  .total_ns = frame.total,
				  .self_ns = frame.self};
}

static void get_call_node(const log_report *report, uint32_t node, tree_node *found)
{
	mprof_call_stats call = get_tree_call(report, node);

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
	return names_full_method(report->input.names, get_tree_call(report, node).method);
}

static void print_call_columns(const log_report *report, uint32_t node)
{
	mprof_call_stats call = get_tree_call(report, node);
	char self[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];

	printf(" %10s %14s", text_duration(self, call.self_ns), text_count(calls, call.calls));
}

static void print_call_name(const log_report *report, uint32_t node)
{
	report_method(report, get_tree_call(report, node).method);
}

static void print_call_fields(const log_report *report, json_writer *json, uint32_t node)
{
	mprof_call_stats call = get_tree_call(report, node);

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
	.table = REPORT_TABLE_CALL_TREE,
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

static void print_call_tree(const log_report *report)
{
	report_tree_text(report, &call_tree);
}

static void write_call_tree(log_report *report, json_writer *json)
{
	report_tree_json(report, &call_tree, json);
}

const report_view calls_tree = {.print_text = print_call_tree, .print_json = write_call_tree};

/*
 * The slowest calls.
 */

static const mprof_table_column slow_call_fields[] = {
	{"id", MPROF_TYPE_UINT32, MPROF_UNIT_METHOD, offsetof(mprof_slow_call, method), 1, 0, 0},
	{"thread", MPROF_TYPE_UINT64, MPROF_UNIT_THREAD, offsetof(mprof_slow_call, thread), 1, 0, 0},
	{"start_ns", MPROF_TYPE_INT64, MPROF_UNIT_TIME, offsetof(mprof_slow_call, start_ns), 1, 0, 0},
	{"duration_ns", MPROF_TYPE_UINT64, MPROF_UNIT_NANOSECONDS, offsetof(mprof_slow_call, duration_ns), 1, 0, 0},
	{"call", MPROF_TYPE_UINT32, MPROF_UNIT_CALL, offsetof(mprof_slow_call, call), 1, 0, 0},
	{.name = NULL},
};

/* Adds the slowest calls of a method; returns 0 if out of memory. */
static int add_slow_calls(const log_report *report, const mprof_call_durations *durations, mprof_slow_call **calls,
			  size_t *count)
{
	mprof_slow_call *larger;

	if (durations->slow_calls == 0 || durations->calls == 0 || !report_wants_method(report, durations->method))
		return 1;
	larger = realloc(*calls, (*count + durations->slow_calls) * sizeof(*larger));
	if (larger == NULL)
		return 0;
	*calls = larger;
	for (size_t i = 0; i < durations->slow_calls; i++) {
		mprof_slow_call *call = &larger[*count];

		call->struct_size = sizeof(*call);
		*count += mprof_profile_get_slow_call(report->profile, durations->method, i, call) == MPROF_OK;
	}
	return 1;
}

/*
 * The slow calls of all methods that pass the filters. The profile has at least the requested number of slow calls of
 * each method, so those of all methods are among them.
 */
static void *read_slow_calls(const log_report *report, size_t *count)
{
	const size_t all = mprof_profile_get_row_count(report->profile, MPROF_TABLE_DURATIONS);
	mprof_slow_call *calls = NULL;

	*count = 0;
	for (size_t i = 0; i < all && report->options.slow_calls > 0; i++) {
		mprof_call_durations durations = {.struct_size = sizeof(durations)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_DURATIONS, i, &durations) == MPROF_OK &&
		    !add_slow_calls(report, &durations, &calls, count)) {
			output_out_of_memory();
			break;
		}
	}
	return calls;
}

/* Prints the methods that led to a call, the direct caller first. */
static void print_callers(const log_report *report, const void *row)
{
	uint32_t node = ((const mprof_slow_call *)row)->call;
	size_t count = 0;

	if (node == MPROF_CALL_ROOT)
		return;
	for (node = get_call(report, node).parent; node != MPROF_CALL_ROOT; count++) {
		mprof_call_stats call = get_call(report, node);

		if (count < CALLER_ROWS) {
			printf("  %44s", "");
			report_method(report, call.method);
		}
		node = call.parent;
	}
	if (count > CALLER_ROWS)
		printf("  %44s(%zu more)\n", "", count - CALLER_ROWS);
}

static void write_callers(const log_report *report, json_writer *json, const void *row, uint64_t node)
{
	(void)row;
	json_begin_array(json, "stack");
	while (node != MPROF_CALL_ROOT) {
		mprof_call_stats call = get_call(report, (uint32_t)node);

		json_string(json, NULL, names_full_method(report->input.names, call.method));
		node = call.parent;
	}
	json_end_array(json);
}

static const report_view slow_calls = {
	.table = REPORT_TABLE_SLOW_CALLS,
	.row_size = sizeof(mprof_slow_call),
	.fields = slow_call_fields,
	.read = read_slow_calls,
	.order = "duration_ns <start_ns <id <thread",
	.columns = {VIEW_COLUMN(10, "duration", "duration_ns"),
		    VIEW_COLUMN_BY(12, "start", .field = "start_ns", .format = VIEW_SECONDS),
		    VIEW_COLUMN(18, "thread", "thread"), VIEW_COLUMN(0, "method", "id")},
	.shows_all = 1,
	.below = print_callers,
	.json = {VIEW_NAME(id, "method"), VIEW_FIELD(id), VIEW_FIELD(thread), VIEW_FIELD(start_ns),
		 VIEW_FIELD(duration_ns), VIEW_JOIN(call, write_callers)},
	.has_all_rows = 1,
};

static view_rows collect_slow_calls(const log_report *report)
{
	view_rows rows = report_view_collect(report, &slow_calls);

	if (rows.count > report->options.slow_calls)
		rows.count = (size_t)report->options.slow_calls;
	return rows;
}

static void print_slow_calls(const log_report *report)
{
	view_rows rows = collect_slow_calls(report);

	report_view_rows_text(report, &slow_calls, "Slowest calls, with their callers", &rows, 0);
	free(rows.rows);
}

static void write_slow_calls(log_report *report, json_writer *json)
{
	view_rows rows = collect_slow_calls(report);

	report_view_rows_json(report, json, &slow_calls, &rows);
	free(rows.rows);
}

const report_view calls_slowest = {.print_text = print_slow_calls, .print_json = write_slow_calls};
