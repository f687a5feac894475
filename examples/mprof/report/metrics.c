/* SPDX-License-Identifier: MIT */
/* Prints metrics and histograms. */
#include "report/metrics.h"

#include "common/name_cut.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <string.h>

/* The room for two numbers and what is between them. */
#define RANGE_SIZE (2 * TEXT_NUMBER_SIZE + 8)

/* The times of threads that the format defines are in the list of threads. */
static int is_time_of_thread(uint32_t flags, const char *section)
{
	return (flags & MPROF_METRIC_FLAG_THREAD) != 0 && strcmp(section, "thread") == 0;
}

/* Metrics without a value in the window are left out. */
static int is_listed(const log_report *report, const void *row)
{
	const mprof_metric_stats *metric = row;

	(void)report;
	return !is_time_of_thread(metric->flags, metric->section) && metric->count > 0;
}

/* Formats a value by the unit of its metric; times are in nanoseconds. */
static const char *format_number(uint32_t flags, uint64_t value, char text[TEXT_NUMBER_SIZE])
{
	const uint32_t unit = flags & MPROF_METRIC_UNIT_MASK;

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

static const char *format_value(const log_report *report, const void *row, uint64_t value, char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	return format_number(((const mprof_metric_stats *)row)->flags, value, text);
}

/* Whether the numbers as text do not show the unit. */
static int has_other_unit(uint32_t flags)
{
	const uint32_t unit = flags & MPROF_METRIC_UNIT_MASK;
	const int is_double = (flags & MPROF_METRIC_FLAG_DOUBLE) != 0;

	return unit > MPROF_METRIC_UNIT_RATIO ||
	       (is_double && (unit == MPROF_METRIC_UNIT_BYTES || unit == MPROF_METRIC_UNIT_TIME));
}

static void print_name(uint32_t flags, const char *section, const char *name, const char *unit, uint64_t thread)
{
	fputs("  ", stdout);
	if (section[0] != '\0') {
		name_print(section);
		fputs(": ", stdout);
	}
	name_print(name);
	if (has_other_unit(flags)) {
		fputs(" in ", stdout);
		name_print(unit);
	}
	if ((flags & MPROF_METRIC_FLAG_THREAD) != 0)
		printf(", thread 0x%" PRIx64, thread);
	putchar('\n');
}

static void print_metric(const log_report *report, const void *row)
{
	const mprof_metric_stats *metric = row;

	(void)report;
	print_name(metric->flags, metric->section, metric->name, metric->unit, metric->thread);
}

static void print_thread(json_writer *json, uint32_t flags, uint64_t thread)
{
	if ((flags & MPROF_METRIC_FLAG_THREAD) == 0)
		json_null(json, "thread");
	else
		json_hexadecimal(json, "thread", thread);
}

static void print_metric_thread(const log_report *report, json_writer *json, const void *row, uint64_t thread)
{
	(void)report;
	print_thread(json, ((const mprof_metric_stats *)row)->flags, thread);
}

static void print_number(json_writer *json, const char *key, uint32_t flags, uint64_t value)
{
	if (flags & MPROF_METRIC_FLAG_DOUBLE)
		json_double(json, key, kind_double_value(value));
	else
		json_signed(json, key, (int64_t)value);
}

static void print_metric_values(const log_report *report, json_writer *json, const void *row, uint64_t flags)
{
	const mprof_metric_stats *metric = row;
	const uint64_t values[] = {metric->first, metric->last, metric->minimum, metric->maximum};
	static const char *const keys[] = {"first", "last", "minimum", "maximum"};

	(void)report;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (metric->count == 0)
			json_null(json, keys[i]);
		else
			print_number(json, keys[i], (uint32_t)flags, values[i]);
	}
}

/* A histogram is in a table of its own. */
static int is_no_histogram(const log_report *report, const void *row)
{
	(void)report;
	return (((const mprof_metric_stats *)row)->flags & MPROF_METRIC_FLAG_HISTOGRAM) == 0;
}

const report_view metrics_view = {
	.table = REPORT_TABLE_METRICS,
	.source = MPROF_TABLE_METRICS,
	.keep = is_no_histogram,
	.keep_text = is_listed,
	.title = "Metrics",
	.columns = {VIEW_COLUMN_BY(14, "last", .field = "last", .text = format_value),
		    VIEW_COLUMN_BY(14, "least", .field = "minimum", .text = format_value),
		    VIEW_COLUMN_BY(14, "most", .field = "maximum", .text = format_value),
		    VIEW_COLUMN_BY(0, "metric", .print = print_metric)},
	.json = {VIEW_FIELD(section), VIEW_FIELD(name), VIEW_JOIN(thread, print_metric_thread), VIEW_FIELD(unit),
		 VIEW_FIELD(count), VIEW_ALL_OTHERS, VIEW_JOIN(flags, print_metric_values),
		 VIEW_FIELD_NEEDS(last_ns, count)},
	.has_all_rows = 1,
};

/* Whether a bound is known. An infinity and the least and the largest number stand for one that is not. */
static int is_bound(uint32_t flags, uint64_t value)
{
	const uint64_t sign = UINT64_C(1) << 63;

	if (flags & MPROF_METRIC_FLAG_DOUBLE)
		return (value & ~sign) < UINT64_C(0x7ff0000000000000);
	return value != sign && value != ~sign;
}

/* What is known about a value: "a to b", "over a", "up to b". */
static void print_range(uint32_t flags, uint64_t above, uint64_t value)
{
	char range[RANGE_SIZE];
	char low[TEXT_NUMBER_SIZE];
	char high[TEXT_NUMBER_SIZE];

	if (is_bound(flags, above) && is_bound(flags, value))
		snprintf(range, sizeof(range), "%s to %s", format_number(flags, above, low),
			 format_number(flags, value, high));
	else if (is_bound(flags, above))
		snprintf(range, sizeof(range), "over %s", format_number(flags, above, low));
	else if (is_bound(flags, value))
		snprintf(range, sizeof(range), "up to %s", format_number(flags, value, high));
	else
		snprintf(range, sizeof(range), "-");
	printf("  %20s", range);
}

static void print_histogram(const log_report *report, const void *row)
{
	const mprof_histogram_stats *stats = row;

	(void)report;
	print_range(stats->flags, stats->p50_above, stats->p50);
	print_range(stats->flags, stats->p90_above, stats->p90);
	print_range(stats->flags, stats->p99_above, stats->p99);
	print_range(stats->flags, stats->max_above, stats->max);
	print_name(stats->flags, stats->section, stats->name, stats->unit, stats->thread);
}

static void print_histogram_thread(const log_report *report, json_writer *json, const void *row, uint64_t thread)
{
	(void)report;
	print_thread(json, ((const mprof_histogram_stats *)row)->flags, thread);
}

static void print_bounds(const log_report *report, json_writer *json, const void *row, uint64_t flags)
{
	const mprof_histogram_stats *stats = row;
	const struct {
		const char *key;
		uint64_t value;
	} bounds[] = {{"min_above", stats->min_above}, {"min", stats->min},
		      {"p50_above", stats->p50_above}, {"p50", stats->p50},
		      {"p90_above", stats->p90_above}, {"p90", stats->p90},
		      {"p99_above", stats->p99_above}, {"p99", stats->p99},
		      {"max_above", stats->max_above}, {"max", stats->max}};

	(void)report;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		if (stats->count == 0 || !is_bound((uint32_t)flags, bounds[i].value))
			json_null(json, bounds[i].key);
		else
			print_number(json, bounds[i].key, (uint32_t)flags, bounds[i].value);
	}
}

/* The columns that are ranges are wider than those of single numbers: their line is printed as a whole. */
static void print_headings(const log_report *report, const view_rows *rows)
{
	(void)report;
	(void)rows;
	puts("  The values that 50, 90 and 99 percent do not exceed, and the largest one, as far as the buckets state "
	     "it.");
}

static int has_values(const log_report *report, const void *row)
{
	(void)report;
	return ((const mprof_histogram_stats *)row)->count > 0;
}

const report_view metrics_histograms = {
	.table = REPORT_TABLE_HISTOGRAMS,
	.source = MPROF_TABLE_HISTOGRAMS,
	.keep_text = has_values,
	.title = "Histograms",
	.note = print_headings,
	.columns = {VIEW_COLUMN(12, "values", "count"), VIEW_COLUMN_BY(0, "percentiles", .print = print_histogram)},
	.json = {VIEW_FIELD(section), VIEW_FIELD(name), VIEW_JOIN(thread, print_histogram_thread), VIEW_FIELD(unit),
		 VIEW_FIELD(count), VIEW_FIELD(buckets), VIEW_FIELD(id), VIEW_JOIN(flags, print_bounds),
		 VIEW_FIELD_NEEDS(last_ns, count), VIEW_WITHOUT(min_above), VIEW_WITHOUT(min), VIEW_WITHOUT(p50_above),
		 VIEW_WITHOUT(p50), VIEW_WITHOUT(p90_above), VIEW_WITHOUT(p90), VIEW_WITHOUT(p99_above),
		 VIEW_WITHOUT(p99), VIEW_WITHOUT(max_above), VIEW_WITHOUT(max)},
	.has_all_rows = 1,
};
