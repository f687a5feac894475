/* SPDX-License-Identifier: MIT */
/* Prints the durations of the calls of each method, and the slowest calls. */
#include "report/durations.h"

#include "common/output.h"
#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Number of callers that are printed as text. */
#define CALLER_ROWS 12

static int fetch_durations(const log_report *report, size_t index, void *row)
{
	mprof_call_durations *durations = row;

	durations->struct_size = sizeof(*durations);
	return mprof_profile_get_row(report->profile, MPROF_TABLE_DURATIONS, index, durations) == MPROF_OK &&
	       durations->calls > 0 && report_wants_method(report, durations->method);
}

static int compare_by_sum(const void *left, const void *right)
{
	const mprof_call_durations *a = left;
	const mprof_call_durations *b = right;
	int order = report_larger_first(a->sum_ns, b->sum_ns);

	order = order != 0 ? order : report_larger_first(a->calls, b->calls);
	return order != 0 ? order : report_larger_first(b->method, a->method);
}

static mprof_call_durations *collect_durations(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_DURATIONS),
			      sizeof(mprof_call_durations), fetch_durations, compare_by_sum, count);
}

static void print_duration(uint64_t duration_ns)
{
	char text[TEXT_NUMBER_SIZE];

	printf(" %10s", text_duration(text, duration_ns));
}

void report_durations_text(const log_report *report)
{
	size_t count = 0;
	size_t shown;
	mprof_call_durations *rows;
	char calls[TEXT_NUMBER_SIZE];

	if (!report->options.with_percentiles)
		return;
	rows = collect_durations(report, &count);
	shown = report_rows(report, count);
	if (count > 0) {
		report_title(report, "Durations of calls that ended", shown, count, TABLE_DURATIONS);
		printf("  %14s %10s %10s %10s %10s %10s %10s  %s\n", "calls", "shortest", "average", "p50", "p90",
		       "p99", "longest", "method");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %14s", text_count(calls, rows[i].calls));
		print_duration(rows[i].min_ns);
		print_duration(rows[i].average_ns);
		print_duration(rows[i].p50_ns);
		print_duration(rows[i].p90_ns);
		print_duration(rows[i].p99_ns);
		print_duration(rows[i].max_ns);
		fputs("  ", stdout);
		report_method(report, rows[i].method);
	}
	free(rows);
}

void report_durations_json(const log_report *report, json_writer *json)
{
	size_t count = 0;
	mprof_call_durations *rows = report->options.with_percentiles ? collect_durations(report, &count) : NULL;

	json_begin_array(json, "durations");
	for (size_t i = 0; i < report_rows(report, count); i++) {
		method_name name;

		names_method(report->input.reader, rows[i].method, &name);
		json_begin_object(json, NULL);
		json_unsigned(json, "id", rows[i].method);
		json_string(json, "class", name.class_name);
		json_string(json, "name", name.name);
		report_json_figures(json, MPROF_TABLE_DURATIONS, &rows[i],
				    "calls min_ns average_ns p50_ns p90_ns p99_ns max_ns",
				    "slow_calls left_out sum_ns");
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}

static int compare_slow_calls(const void *left, const void *right)
{
	const mprof_slow_call *a = left;
	const mprof_slow_call *b = right;
	int order = report_larger_first(a->duration_ns, b->duration_ns);

	if (order == 0)
		order = (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
	order = order != 0 ? order : report_larger_first(b->method, a->method);
	return order != 0 ? order : report_larger_first(b->thread, a->thread);
}

/* Adds the slowest calls of a method; returns 0 if out of memory. */
static int add_slow_calls(const log_report *report, const mprof_call_durations *durations, mprof_slow_call **calls,
			  size_t *count)
{
	mprof_slow_call *larger;

	if (durations->slow_calls == 0)
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
 * The slowest calls of all methods that pass the filters. The profile has at least the requested number of slow calls
 * of each method, so those of all methods are among them.
 */
static mprof_slow_call *collect_slow_calls(const log_report *report, size_t *count)
{
	size_t methods = 0;
	mprof_call_durations *rows;
	mprof_slow_call *calls = NULL;

	*count = 0;
	if (report->options.slow_calls == 0)
		return NULL;
	rows = collect_durations(report, &methods);
	for (size_t i = 0; i < methods; i++) {
		if (!add_slow_calls(report, &rows[i], &calls, count)) {
			output_out_of_memory();
			break;
		}
	}
	free(rows);
	if (*count > 0)
		qsort(calls, *count, sizeof(*calls), compare_slow_calls);
	if (*count > report->options.slow_calls)
		*count = report->options.slow_calls;
	return calls;
}

static mprof_call_stats get_call(const log_report *report, uint32_t node)
{
	mprof_call_stats call;

	memset(&call, 0, sizeof(call));
	call.struct_size = sizeof(call);
	mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, node, &call);
	return call;
}

/* Prints the methods that led to a call, the direct caller first. */
static void print_callers(const log_report *report, uint32_t node)
{
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

void report_slow_calls_text(const log_report *report)
{
	size_t count;
	mprof_slow_call *calls = collect_slow_calls(report, &count);

	if (count > 0) {
		report_title(report, "Slowest calls, with their callers", 0, 0, TABLE_SLOW_CALLS);
		printf("  %10s %12s %18s  %s\n", "duration", "start", "thread", "method");
	}
	for (size_t i = 0; i < count; i++) {
		char text[TEXT_NUMBER_SIZE];

		printf("  %10s %10.6f s %#18" PRIx64 "  ", text_duration(text, calls[i].duration_ns),
		       (double)calls[i].start_ns / 1e9, calls[i].thread);
		report_method(report, calls[i].method);
		print_callers(report, calls[i].call);
	}
	free(calls);
}

void report_slow_calls_json(const log_report *report, json_writer *json)
{
	size_t count;
	mprof_slow_call *calls = collect_slow_calls(report, &count);

	json_begin_array(json, "slow_calls");
	for (size_t i = 0; i < count; i++) {
		uint32_t node = calls[i].call;

		json_begin_object(json, NULL);
		json_string(json, "method", names_full_method(report->input.names, calls[i].method));
		json_unsigned(json, "id", calls[i].method);
		json_hexadecimal(json, "thread", calls[i].thread);
		json_signed(json, "start_ns", calls[i].start_ns);
		json_unsigned(json, "duration_ns", calls[i].duration_ns);
		json_begin_array(json, "stack");
		while (node != MPROF_CALL_ROOT) {
			mprof_call_stats call = get_call(report, node);

			json_string(json, NULL, names_full_method(report->input.names, call.method));
			node = call.parent;
		}
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
	free(calls);
}
