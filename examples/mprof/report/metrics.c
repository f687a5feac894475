/* SPDX-License-Identifier: MIT */
/* Prints metrics of the runtime, and markers of the user. */
#include "report/metrics.h"

#include "shared/kinds.h"
#include "common/name_cut.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

static mprof_metric_stats metric_at(const log_report *report, size_t index)
{
	mprof_metric_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	mprof_profile_get_row(report->profile, MPROF_TABLE_METRICS, index, &stats);
	return stats;
}

/* Formats a value by the unit of its metric; times are in nanoseconds. */
static const char *value_text(char text[TEXT_NUMBER_SIZE], uint32_t flags, uint64_t value)
{
	uint32_t unit = flags & MPROF_METRIC_UNIT_MASK;

	if (flags & MPROF_METRIC_FLAG_DOUBLE)
		snprintf(text, TEXT_NUMBER_SIZE, "%.6g", kind_double_value(value));
	else if ((int64_t)value >= 0 && unit == MPROF_METRIC_UNIT_BYTES)
		text_bytes(text, value);
	else if ((int64_t)value >= 0 && unit == MPROF_METRIC_UNIT_TIME)
		text_duration(text, value);
	else if ((int64_t)value >= 0)
		text_count(text, value);
	else
		snprintf(text, TEXT_NUMBER_SIZE, "%" PRId64, (int64_t)value);
	return text;
}

/* In text, metrics of threads are in the list of threads, and those without a value in the window are left out. */
static int is_listed(const mprof_metric_stats *metric)
{
	return (metric->flags & MPROF_METRIC_FLAG_THREAD) == 0 && metric->count > 0;
}

static size_t count_listed(const log_report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_METRICS); i++) {
		mprof_metric_stats metric = metric_at(report, i);

		count += is_listed(&metric);
	}
	return count;
}

void report_metrics_text(const log_report *report)
{
	size_t count = count_listed(report);
	size_t shown = report_rows(report, count);
	size_t printed = 0;
	char last[TEXT_NUMBER_SIZE];
	char least[TEXT_NUMBER_SIZE];
	char most[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	report_title(report, "Metrics", shown, count, TABLE_METRICS);
	printf("  %14s %14s %14s  %s\n", "last", "least", "most", "metric");
	for (size_t i = 0; printed < shown; i++) {
		mprof_metric_stats metric = metric_at(report, i);

		if (!is_listed(&metric))
			continue;
		printed++;
		printf("  %14s %14s %14s  ", value_text(last, metric.flags, metric.last),
		       value_text(least, metric.flags, metric.minimum), value_text(most, metric.flags, metric.maximum));
		name_print(metric.section);
		fputs(": ", stdout);
		report_name(metric.name);
	}
}

static void print_value_json(json_writer *json, const char *key, const mprof_metric_stats *metric, uint64_t value)
{
	if (metric->count == 0)
		json_null(json, key);
	else if (metric->flags & MPROF_METRIC_FLAG_DOUBLE)
		json_double(json, key, kind_double_value(value));
	else
		json_signed(json, key, (int64_t)value);
}

void report_metrics_json(const log_report *report, json_writer *json)
{
	json_begin_array(json, "metrics");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_METRICS); i++) {
		mprof_metric_stats metric = metric_at(report, i);

		json_begin_object(json, NULL);
		json_string(json, "section", metric.section);
		json_string(json, "name", metric.name);
		if (is_listed(&metric))
			json_null(json, "thread");
		else
			json_hexadecimal(json, "thread", metric.thread);
		json_string(json, "unit", kind_of_unit(metric.flags));
		json_unsigned(json, "count", metric.count);
		print_value_json(json, "first", &metric, metric.first);
		print_value_json(json, "last", &metric, metric.last);
		print_value_json(json, "minimum", &metric, metric.minimum);
		print_value_json(json, "maximum", &metric, metric.maximum);
		if (metric.count > 0)
			json_signed(json, "last_ns", metric.last_ns);
		else
			json_null(json, "last_ns");
		json_end_object(json);
	}
	json_end_array(json);
}

static mprof_mark mark_at(const log_report *report, size_t index)
{
	mprof_mark mark;

	memset(&mark, 0, sizeof(mark));
	mark.struct_size = sizeof(mark);
	mprof_profile_get_row(report->profile, MPROF_TABLE_MARKS, index, &mark);
	return mark;
}

void report_marks_text(const log_report *report)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_MARKS);
	size_t shown = report_rows(report, count);
	char time[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	report_title(report, "Markers", shown, count, TABLE_MARKS);
	for (size_t i = 0; i < shown; i++) {
		mprof_mark mark = mark_at(report, i);

		printf("  %10s  %#18" PRIx64 "  ", text_duration(time, mark.time_ns > 0 ? (uint64_t)mark.time_ns : 0),
		       mark.thread);
		name_print_text(mark.text);
		putchar('\n');
	}
}

void report_marks_json(const log_report *report, json_writer *json)
{
	json_begin_array(json, "marks");
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_MARKS); i++) {
		mprof_mark mark = mark_at(report, i);

		json_begin_object(json, NULL);
		json_signed(json, "time_ns", mark.time_ns);
		json_hexadecimal(json, "thread", mark.thread);
		json_string(json, "text", mark.text);
		json_end_object(json);
	}
	json_end_array(json);
}
