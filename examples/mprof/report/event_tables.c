/* SPDX-License-Identifier: MIT */
/*
 * Tables of events in time. Those that the program describes: single spans, types of events, types that have a meaning,
 * metrics and histograms. Pauses, and what threads did in each part of the log.
 */
#include "report/contents.h"

#include "common/name_cut.h"
#include "report/filters.h"
#include "report/findings.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/stacks.h"
#include "report/view.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_span(const log_report *report, const void *row)
{
	const uint32_t form = ((const mprof_event_type_stats *)row)->form;

	(void)report;
	return MPROF_TYPE_FORM_IS_SPAN(form);
}

/* The ends of spans are events of their own; as text they matter only if a begin is missing. */
static int is_other_event(const log_report *report, const void *row)
{
	return !is_span(report, row);
}

static int is_printed_event(const log_report *report, const void *row)
{
	const mprof_event_type_stats *stats = row;

	(void)report;
	return (stats->form != MPROF_TYPE_END && stats->form != MPROF_TYPE_ASYNC_END) || stats->unmatched > 0;
}

static void print_with_category(const char *category, const char *name)
{
	fputs("  ", stdout);
	if (category != NULL && category[0] != '\0') {
		name_print_text(category);
		fputs(": ", stdout);
	}
	name_print_text(name);
	putchar('\n');
}

static void print_event_name(const log_report *report, const void *row)
{
	const mprof_event_type_stats *stats = row;

	(void)report;
	print_with_category(stats->category, stats->name != NULL ? stats->name : "(type not defined)");
}

static void print_span_name(const log_report *report, const void *row)
{
	const mprof_span *span = row;

	(void)report;
	print_with_category(span->category, span->name);
}

/* What spans contain is not known of all. */
static void print_self(const log_report *report, json_writer *json, const void *row, uint64_t self)
{
	const mprof_event_type_stats *stats = row;

	(void)report;
	if (stats->without_self > 0 || stats->spans == 0)
		json_null(json, "self_ns");
	else
		json_unsigned(json, "self_ns", self);
}

/* Columns of what no row has are left out. */
static int has_any(const view_rows *rows, size_t offset)
{
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t number;

		memcpy(&number, rows->rows + i * rows->size + offset, sizeof(number));
		if (number > 0)
			return 1;
	}
	return 0;
}

static int has_open_spans(const log_report *report, const view_rows *rows)
{
	(void)report;
	return has_any(rows, offsetof(mprof_event_type_stats, unfinished));
}

static int has_failures(const log_report *report, const view_rows *rows)
{
	(void)report;
	return has_any(rows, offsetof(mprof_event_type_stats, errors));
}

static int has_damaged_spans(const log_report *report, const view_rows *rows)
{
	(void)report;
	return has_any(rows, offsetof(mprof_event_type_stats, unmatched));
}

#define SPAN_TIME(name)                                                                                                \
	{                                                                                                              \
		.width = 9, .heading = #name, .field = #name "_ns", .needs = "spans"                                   \
	}

const report_view tables_spans = {
	.table = REPORT_TABLE_SPANS,
	.source = MPROF_TABLE_EVENT_TYPES,
	.keep = is_span,
	.order = "total_ns count <type",
	.sorts = {{"time", "total_ns", NULL},
		  {"times", "count", NULL},
		  {"max", "max_ns", NULL},
		  {"p99", "p99_ns", NULL}},
	.title = "Spans",
	.columns = {VIEW_COLUMN(8, "spans", "count"), SPAN_TIME(total), SPAN_TIME(p50), SPAN_TIME(p99), SPAN_TIME(max),
		    VIEW_COLUMN_BY(6, "open", .field = "unfinished", .when = has_open_spans),
		    VIEW_COLUMN_BY(8, "no begin", .field = "unmatched", .when = has_damaged_spans),
		    VIEW_COLUMN_BY(7, "errors", .field = "errors", .when = has_failures),
		    VIEW_COLUMN_BY(0, "span", .print = print_event_name)},
	.json = {VIEW_FIELD(name), VIEW_FIELD(category), VIEW_KIND(form, "form", kind_of_form), VIEW_FIELD(count),
		 VIEW_FIELD(unfinished), VIEW_FIELD(errors), VIEW_FIELD_NEEDS(total_ns, spans),
		 VIEW_JOIN(self_ns, print_self), VIEW_FIELD_NEEDS(min_ns, spans), VIEW_FIELD_NEEDS(p50_ns, spans),
		 VIEW_FIELD_NEEDS(p90_ns, spans), VIEW_FIELD_NEEDS(p99_ns, spans), VIEW_FIELD_NEEDS(max_ns, spans),
		 VIEW_ALL_OTHERS, VIEW_WITHOUT(type), VIEW_WITHOUT(without_self)},
	.has_all_rows = 1,
};

static int has_unfinished_spans(const log_report *report, const view_rows *rows)
{
	const mprof_span *spans = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (spans[i].unfinished)
			return 1;
	}
	return 0;
}

static const char *format_unfinished(const log_report *report, const void *row, uint64_t number,
				     char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	(void)number;
	(void)text;
	return ((const mprof_span *)row)->unfinished ? "not ended" : "";
}

const report_view tables_longest_spans = {
	.table = REPORT_TABLE_LONGEST_SPANS,
	.source = MPROF_TABLE_SPANS,
	.order = "duration_ns <start_ns <thread",
	.title = "Longest spans",
	.columns = {VIEW_COLUMN(10, "duration", "duration_ns"),
		    VIEW_COLUMN_BY(12, "start", .field = "start_ns", .format = VIEW_SECONDS),
		    VIEW_COLUMN(19, "thread", "thread"),
		    VIEW_COLUMN_BY(10, "", .text = format_unfinished, .when = has_unfinished_spans),
		    VIEW_COLUMN_BY(0, "span", .print = print_span_name)},
	.json = {VIEW_FIELD(name), VIEW_FIELD(category), VIEW_KIND(form, "form", kind_of_form), VIEW_FIELD(start_ns),
		 VIEW_FIELD(duration_ns), VIEW_FIELD(unfinished), VIEW_FIELD(thread), VIEW_FIELD(stack_number),
		 VIEW_WITHOUT(type)},
};

const report_view tables_event_types = {
	.table = REPORT_TABLE_EVENT_TYPES,
	.source = MPROF_TABLE_EVENT_TYPES,
	.keep = is_other_event,
	.keep_text = is_printed_event,
	.order = "count <type",
	.title = "Events of the program",
	.columns = {VIEW_COLUMN(10, "events", "count"), VIEW_COLUMN(10, "no begin", "unmatched"),
		    VIEW_COLUMN(8, "errors", "errors"), VIEW_COLUMN_BY(0, "event", .print = print_event_name)},
	.json = {VIEW_FIELD(name), VIEW_FIELD(category), VIEW_KIND(form, "form", kind_of_form), VIEW_FIELD(count),
		 VIEW_FIELD(unmatched), VIEW_FIELD(errors), VIEW_WITHOUT(type)},
	.has_all_rows = 1,
};

/*
 * Events whose types have a meaning: messages, waits, generations and states.
 */

static const char *format_severity(const log_report *report, const void *row, uint64_t severity,
				   char text[TEXT_NUMBER_SIZE])
{
	const mprof_message_stats *message = row;

	(void)report;
	snprintf(text, TEXT_NUMBER_SIZE, "%s", message->is_rest ? "others" : kind_of_severity((uint32_t)severity));
	return text;
}

static void print_message(const log_report *report, const void *row)
{
	const mprof_message_stats *message = row;

	(void)report;
	fputs("  ", stdout);
	if (message->source != NULL && message->source[0] != '\0') {
		name_print_text(message->source);
		fputs(": ", stdout);
	}
	name_print_text(message->text != NULL ? message->text : "");
	putchar('\n');
}

const report_view meanings_messages = {
	.table = REPORT_TABLE_MESSAGES,
	.source = MPROF_TABLE_MESSAGES,
	.order = "severity count",
	.sorts = {{"count", "count", NULL}, {"severity", "severity", NULL}},
	.title = "Messages",
	.columns = {VIEW_COLUMN_BY(8, "severity", .field = "severity", .text = format_severity),
		    VIEW_COLUMN(10, "messages", "count"), VIEW_COLUMN(12, "first", "first_ns"),
		    VIEW_COLUMN(12, "last", "last_ns"),
		    VIEW_COLUMN_BY(0, "source and one of them", .print = print_message)},
	.json = {VIEW_KIND(severity, "severity", kind_of_severity), VIEW_FIELD(source), VIEW_FIELD(count),
		 VIEW_FIELD(first_ns), VIEW_FIELD(last_ns), VIEW_FIELD(text), VIEW_FIELD(thread), VIEW_FIELD(is_rest),
		 VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};

static void print_wait(const log_report *report, const void *row)
{
	const mprof_wait_stats *wait = row;

	(void)report;
	fputs("  ", stdout);
	if (wait->is_rest) {
		fputs("(others)", stdout);
	} else {
		name_print_text(wait->kind[0] != '\0' ? wait->kind : "(unknown)");
		if (wait->name[0] != '\0') {
			fputs(": ", stdout);
			name_print_text(wait->name);
		}
	}
	putchar('\n');
}

static int has_unfinished(const log_report *report, const view_rows *rows)
{
	const mprof_wait_stats *waits = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (waits[i].unfinished > 0)
			return 1;
	}
	return 0;
}

/* The first screen has room for few figures beside names. */
static int has_room(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return !report_is_first_screen(report);
}

static int has_room_for_unfinished(const log_report *report, const view_rows *rows)
{
	return has_room(report, rows) && has_unfinished(report, rows);
}

const report_view meanings_waits = {
	.table = REPORT_TABLE_WAITS,
	.source = MPROF_TABLE_WAITS,
	/* Other rows are of another time. */
	.present = "count unfinished",
	.filters = "stack",
	.order = "total_ns count",
	.sorts = {{"time", "total_ns", NULL}, {"times", "count", NULL}, {"longest", "max_ns", NULL}},
	.title = "Waits",
	.columns = {VIEW_COLUMN(10, "waited", "total_ns"), VIEW_COLUMN(12, "times", "count"),
		    VIEW_COLUMN(10, "median", "p50_ns"),
		    VIEW_COLUMN_BY(10, "99 %", .field = "p99_ns", .when = has_room),
		    VIEW_COLUMN(10, "longest", "max_ns"),
		    VIEW_COLUMN_BY(10, "not ended", .field = "unfinished", .when = has_room_for_unfinished),
		    VIEW_COLUMN_BY(0, "kind", .print = print_wait)},
	.json = {VIEW_FIELD(kind), VIEW_FIELD(name), VIEW_FIELD(count), VIEW_FIELD(total_ns),
		 VIEW_FIELD_NEEDS(min_ns, count), VIEW_FIELD_NEEDS(p50_ns, count), VIEW_FIELD_NEEDS(p90_ns, count),
		 VIEW_FIELD_NEEDS(p99_ns, count), VIEW_FIELD_NEEDS(max_ns, count), VIEW_FIELD(is_rest),
		 VIEW_WITHOUT(call), VIEW_ALL_OTHERS, VIEW_FRAMES},
	.has_all_rows = 1,
};

static void print_generation(const log_report *report, const void *row)
{
	const mprof_gc_generation *generation = row;

	(void)report;
	fputs("  ", stdout);
	name_print_text(generation->name != NULL ? generation->name : "(unknown)");
	putchar('\n');
}

const report_view meanings_generations = {
	.table = REPORT_TABLE_GC_GENERATIONS,
	.source = MPROF_TABLE_GC_GENERATIONS,
	.title = "Generations at collections",
	.columns = {VIEW_COLUMN(10, "collection", "collection"),
		    VIEW_COLUMN_BY(12, "before", .field = "before", .needs = "has_before", .otherwise = "-"),
		    VIEW_COLUMN_BY(12, "after", .field = "after", .needs = "has_after", .otherwise = "-"),
		    VIEW_COLUMN_BY(12, "capacity", .field = "capacity", .needs = "has_capacity", .otherwise = "-"),
		    VIEW_COLUMN_BY(0, "generation", .print = print_generation)},
	.json = {VIEW_FIELD(collection), VIEW_FIELD(name), VIEW_FIELD_NEEDS(before, has_before),
		 VIEW_FIELD_NEEDS(after, has_after), VIEW_FIELD_NEEDS(capacity, has_capacity), VIEW_WITHOUT(has_before),
		 VIEW_WITHOUT(has_after), VIEW_WITHOUT(has_capacity), VIEW_ALL_OTHERS},
	.has_all_rows = 1,
	.shows_last = 1,
};

static void print_state(const log_report *report, const void *row)
{
	const mprof_thread_state_stats *stats = row;

	(void)report;
	fputs("  ", stdout);
	if (stats->is_rest)
		fputs("(others)", stdout);
	else
		name_print_text(stats->state[0] != '\0' ? stats->state : "(unknown)");
	putchar('\n');
}

static int has_priorities(const log_report *report, const view_rows *rows)
{
	const mprof_thread_state_stats *states = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (states[i].has_priority)
			return 1;
	}
	return 0;
}

const report_view meanings_states = {
	.table = REPORT_TABLE_THREAD_STATES,
	.source = MPROF_TABLE_THREAD_STATES,
	/* Other rows are of another time. */
	.present = "count total_ns",
	.filters = "thread",
	.order = "total_ns count <thread",
	.sorts = {{"time", "total_ns", NULL}, {"times", "count", NULL}},
	.title = "States of threads",
	.columns = {VIEW_COLUMN(10, "time", "total_ns"), VIEW_COLUMN(12, "times", "count"),
		    VIEW_COLUMN_BY(10, "priority", .field = "priority", .needs = "has_priority", .otherwise = "-",
				   .when = has_priorities),
		    VIEW_COLUMN(19, "thread", "thread"), VIEW_COLUMN_BY(0, "state", .print = print_state)},
	.json = {VIEW_FIELD(thread), VIEW_FIELD(state), VIEW_FIELD(count), VIEW_FIELD(total_ns),
		 VIEW_FIELD_NEEDS(priority, has_priority), VIEW_FIELD(is_rest), VIEW_WITHOUT(has_priority),
		 VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};

/*
 * Metrics, and those of them that are histograms.
 */

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

static mprof_timeline timeline_of(const log_report *report)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_TIMELINE, 0, &timeline);
	return timeline;
}

/* What there was no memory for is missing from all tables. */
static void print_left_out(const log_report *report)
{
	const mprof_timeline timeline = timeline_of(report);
	char text[TEXT_NUMBER_SIZE];

	if (timeline.left_out > 0)
		printf("  %s waits or parts of the timeline are missing: the memory limit was reached\n",
		       text_count(text, timeline.left_out));
}

/*
 * Pauses.
 */

#define KINDS 3

static const char *const kind_names[KINDS] = {"stopped world", "collection", "wait"};
static const char *const kind_keys[KINDS] = {"stopped_world", "collection", "wait"};

/* The histogram: each class ends at ten times the end of the one before it, the first at 1 us; the last has no end. */
#define CLASSES 8
#define FIRST_CLASS_NS 1000

typedef struct pause_sums {
	uint64_t count[KINDS];
	uint64_t total_ns[KINDS];
	uint64_t unfinished[KINDS];
	uint64_t classes[KINDS][CLASSES];
} pause_sums;

/* Stops of the world concern all classes, and waits those that match. */
static int keep_pause(const log_report *report, const void *row)
{
	const mprof_pause *pause = row;

	return pause->kind >= MPROF_PAUSE_STOPPED_WORLD && pause->kind <= MPROF_PAUSE_WAIT &&
	       pause->duration_ns >= report->options.least_pause_ns &&
	       (pause->kind != MPROF_PAUSE_WAIT ||
		(report_wants_class(report, pause->class_id) && report_frames_keep_stack(report, pause->stack)));
}

static size_t class_of(uint64_t duration_ns)
{
	uint64_t end = FIRST_CLASS_NS;
	size_t found = 0;

	while (found + 1 < CLASSES && duration_ns >= end) {
		end *= 10;
		found++;
	}
	return found;
}

static uint64_t class_end(size_t number)
{
	uint64_t end = FIRST_CLASS_NS;

	while (number-- > 0)
		end *= 10;
	return end;
}

static pause_sums sum_pauses(const mprof_pause *rows, size_t count)
{
	pause_sums sums = {{0}, {0}, {0}, {{0}}};

	for (size_t i = 0; i < count; i++) {
		size_t kind = rows[i].kind - MPROF_PAUSE_STOPPED_WORLD;

		sums.count[kind]++;
		sums.total_ns[kind] += rows[i].duration_ns;
		sums.unfinished[kind] += rows[i].unfinished;
		sums.classes[kind][class_of(rows[i].duration_ns)]++;
	}
	return sums;
}

/* The duration that a share of the pauses of a kind do not exceed. The rows are sorted, the longest first. */
static uint64_t percentile(const mprof_pause *rows, size_t count, size_t kind, uint64_t of_kind, uint64_t percent)
{
	uint64_t longer = of_kind - (of_kind * percent + 99) / 100;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].kind - MPROF_PAUSE_STOPPED_WORLD == kind && longer-- == 0)
			return rows[i].duration_ns;
	}
	return 0;
}

static void print_summary(const log_report *report, const mprof_pause *rows, size_t count, const pause_sums *sums)
{
	static const uint64_t percents[] = {50, 90, 99, 100};
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Pauses", 0, 0, REPORT_TABLE_PAUSE_SUMMARY);
	printf("  %14s %10s %10s %10s %10s %10s  %s\n", "number", "total", "50 %", "90 %", "99 %", "longest", "pause");
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (sums->count[kind] == 0)
			continue;
		printf("  %14s", text_count(text, sums->count[kind]));
		printf(" %10s", text_duration(text, sums->total_ns[kind]));
		for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
			printf(" %10s",
			       text_duration(text, percentile(rows, count, kind, sums->count[kind], percents[i])));
		printf("  %s", kind_names[kind]);
		if (sums->unfinished[kind] > 0)
			printf(", %s not ended", text_count(text, sums->unfinished[kind]));
		putchar('\n');
	}
}

static void print_pause_histogram(const log_report *report, const pause_sums *sums)
{
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Pauses by duration", 0, 0, REPORT_TABLE_PAUSE_HISTOGRAM);
	printf("  %10s", "less than");
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (sums->count[kind] > 0)
			printf(" %14s", kind_names[kind]);
	}
	putchar('\n');
	for (size_t i = 0; i < CLASSES; i++) {
		if (sums->classes[0][i] + sums->classes[1][i] + sums->classes[2][i] == 0)
			continue;
		printf("  %10s", i + 1 < CLASSES ? text_duration(text, class_end(i)) : "more");
		for (size_t kind = 0; kind < KINDS; kind++) {
			if (sums->count[kind] > 0)
				printf(" %14s", text_count(text, sums->classes[kind][i]));
		}
		putchar('\n');
	}
}

static void print_cause(const log_report *report, const void *row)
{
	const mprof_pause *pause = row;
	class_name name;

	fputs("  ", stdout);
	if (pause->kind == MPROF_PAUSE_WAIT) {
		names_class(report->input.reader, pause->class_id, &name);
		fputs("wait for ", stdout);
		text_name(stdout, pause->class_id != 0 ? name.name : "(unknown)");
		if (pause->object != 0)
			printf(" at 0x%" PRIx64, pause->object);
		if (pause->holder != 0)
			printf(", held by 0x%" PRIx64, pause->holder);
	} else {
		fputs(kind_names[pause->kind - MPROF_PAUSE_STOPPED_WORLD], stdout);
		if (pause->has_collection)
			printf("%s %" PRIu64 ", generation %" PRIu32,
			       pause->kind == MPROF_PAUSE_COLLECTION ? "" : ", collection", pause->number,
			       pause->generation);
	}
	puts(pause->unfinished ? " (not ended)" : "");
}

static void print_pause_stack(const log_report *report, const void *row)
{
	const mprof_pause *pause = row;

	if (pause->stack != 0)
		report_stack(report, pause->stack);
}

static const char *key_of_kind(uint32_t kind)
{
	return kind_keys[kind - MPROF_PAUSE_STOPPED_WORLD];
}

static const report_view pauses = {
	.table = REPORT_TABLE_PAUSES,
	.source = MPROF_TABLE_PAUSES,
	.row_size = sizeof(mprof_pause),
	.keep = keep_pause,
	.order = "duration_ns <start_ns <thread",
	.title = "Longest pauses",
	.columns = {VIEW_COLUMN(10, "duration", "duration_ns"),
		    VIEW_COLUMN_BY(14, "start", .field = "start_ns", .format = VIEW_SECONDS),
		    VIEW_COLUMN(18, "thread", "thread"), VIEW_COLUMN_BY(0, "cause", .print = print_cause)},
	.below = print_pause_stack,
	.json = {VIEW_KIND(kind, "kind", key_of_kind),
		 VIEW_FIELD(start_ns),
		 VIEW_FIELD(duration_ns),
		 VIEW_OPPOSITE(unfinished, "finished"),
		 VIEW_FIELD(thread),
		 {.use = VIEW_VALUE, .field = "number", .key = "collection", .needs = "has_collection"},
		 VIEW_FIELD_NEEDS(generation, has_collection),
		 VIEW_NAME(class_id, "class"),
		 VIEW_FIELD_NEEDS(object, object),
		 VIEW_FIELD_NEEDS(holder, holder),
		 VIEW_ALL_OTHERS,
		 VIEW_FRAMES},
};

static void print_pauses(const log_report *report)
{
	view_rows rows = report_view_collect(report, &pauses);
	const mprof_pause *found = (const mprof_pause *)(const void *)rows.rows;
	pause_sums sums = sum_pauses(found, rows.count);

	if (rows.count > 0) {
		print_summary(report, found, rows.count, &sums);
		print_left_out(report);
		print_pause_histogram(report, &sums);
		report_view_rows_text(report, &pauses, pauses.title, &rows, 0);
	} else {
		report_title(report, "Pauses", 0, 0, REPORT_TABLE_PAUSE_SUMMARY);
		puts("  none in the log");
	}
	free(rows.rows);
}

static void print_summary_json(json_writer *json, const mprof_pause *rows, size_t count, const pause_sums *sums)
{
	json_begin_array(json, sections_table_key(REPORT_TABLE_PAUSE_SUMMARY));
	for (size_t kind = 0; kind < KINDS; kind++) {
		uint64_t of_kind = sums->count[kind];

		if (of_kind == 0)
			continue;
		json_begin_object(json, NULL);
		json_string(json, "kind", kind_keys[kind]);
		json_unsigned(json, "count", of_kind);
		json_unsigned(json, "unfinished", sums->unfinished[kind]);
		json_unsigned(json, "total_ns", sums->total_ns[kind]);
		json_unsigned(json, "p50_ns", percentile(rows, count, kind, of_kind, 50));
		json_unsigned(json, "p90_ns", percentile(rows, count, kind, of_kind, 90));
		json_unsigned(json, "p99_ns", percentile(rows, count, kind, of_kind, 99));
		json_unsigned(json, "max_ns", percentile(rows, count, kind, of_kind, 100));
		json_end_object(json);
	}
	json_end_array(json);
}

static void print_histogram_json(json_writer *json, const pause_sums *sums, int has_rows)
{
	json_begin_array(json, sections_table_key(REPORT_TABLE_PAUSE_HISTOGRAM));
	for (size_t i = 0; has_rows && i < CLASSES; i++) {
		json_begin_object(json, NULL);
		if (i + 1 < CLASSES)
			json_unsigned(json, "below_ns", class_end(i));
		else
			json_null(json, "below_ns");
		for (size_t kind = 0; kind < KINDS; kind++)
			json_unsigned(json, kind_keys[kind], sums->classes[kind][i]);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_pauses(log_report *report, json_writer *json)
{
	view_rows rows = report_view_collect(report, &pauses);
	const mprof_pause *found = (const mprof_pause *)(const void *)rows.rows;
	pause_sums sums = sum_pauses(found, rows.count);

	report_view_rows_json(report, json, &pauses, &rows);
	print_summary_json(json, found, rows.count, &sums);
	print_histogram_json(json, &sums, rows.count > 0);
	free(rows.rows);
}

const report_view timeline_pauses = {.print_text = print_pauses, .print_json = write_pauses};

/*
 * The timeline.
 */

static mprof_timeline_slice slice_at(const log_report *report, size_t thread, size_t index)
{
	mprof_timeline_slice slice = {.struct_size = sizeof(slice)};

	mprof_profile_get_timeline_slice(report->profile, thread, index, &slice);
	return slice;
}

static mprof_timeline_slice sum_slices(const log_report *report, size_t thread, size_t count)
{
	mprof_timeline_slice sum = {.struct_size = sizeof(sum)};

	for (size_t i = 0; i < count; i++) {
		mprof_timeline_slice slice = slice_at(report, thread, i);

		sum.methods_ns += slice.methods_ns;
		sum.waiting_ns += slice.waiting_ns;
		sum.stopped_ns += slice.stopped_ns;
		sum.cpu_ns += slice.cpu_ns;
		sum.samples += slice.samples;
	}
	return sum;
}

/*
 * Stops and waits are what a reader looks for, so short ones are shown, too: a capital letter if they take half of the
 * slice. Without calls, samples show what the thread did.
 */
static char character_of(const log_report *report, const mprof_timeline_slice *slice)
{
	if (slice->existing_ns == 0 && slice->samples == 0 && slice->cpu_ns == 0 && slice->state_ns == 0)
		return ' ';
	if (slice->stopped_ns > 0 && slice->stopped_ns >= slice->existing_ns / 2)
		return 'S';
	if (slice->waiting_ns > 0 && slice->waiting_ns >= slice->existing_ns / 2)
		return 'W';
	if (slice->stopped_ns > 0)
		return 's';
	if (slice->waiting_ns > 0)
		return 'w';
	if (slice->methods_ns > 0 && slice->state_ns == 0)
		return '#';
	if (slice->state_ns > 0)
		return slice->running_ns * 2 < slice->state_ns ? 'W' : '#';
	if (!report_has_calls(report) && slice->samples > 0)
		return slice->waiting_samples * 2 > slice->samples ? 'W' : '#';
	return '.';
}

static int states_are_known(const log_report *report)
{
	return mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREAD_STATES) > 0;
}

/* The ID of the thread with an index, and whether it passes the filter. */
static int get_thread(const log_report *report, size_t index, mprof_thread_stats *thread)
{
	thread->struct_size = sizeof(*thread);
	mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, index, thread);
	return report_wants_thread(report, thread->id);
}

static size_t count_threads(const log_report *report)
{
	mprof_thread_stats thread;
	size_t count = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++)
		count += get_thread(report, i, &thread) != 0;
	return count;
}

static void print_timeline_thread(const log_report *report, size_t index, size_t slices)
{
	mprof_thread_stats thread;
	mprof_timeline_slice sum = sum_slices(report, index, slices);
	char text[TEXT_NUMBER_SIZE];

	get_thread(report, index, &thread);
	printf("  %#18" PRIx64 " %10s", thread.id, text_duration(text, sum.methods_ns));
	printf(" %10s", text_duration(text, sum.waiting_ns));
	printf(" %10s", text_duration(text, sum.stopped_ns));
	printf(" %10s  |", thread.cpu_ns > 0 ? text_duration(text, sum.cpu_ns) : "-");
	for (size_t i = 0; i < slices; i++) {
		mprof_timeline_slice slice = slice_at(report, index, i);

		putchar(character_of(report, &slice));
	}
	fputs("|  ", stdout);
	text_name(stdout, thread.name != NULL ? thread.name : "");
	putchar('\n');
}

static void print_timeline(const log_report *report)
{
	mprof_timeline timeline = timeline_of(report);
	size_t count = count_threads(report);
	size_t rows = report_rows(report, count);
	mprof_thread_stats thread;
	char length[TEXT_NUMBER_SIZE];

	report_title(report, "What threads did", rows, count, REPORT_TABLE_TIMELINE);
	printf("  %" PRIu64 " slices of %s, from %.6f s on\n", timeline.slice_count,
	       text_duration(length, timeline.slice_ns), (double)timeline.start_ns / 1e9);
	puts("  # in methods   W, w waited for a monitor   S, s stopped, as for a collection   . in no method");
	if (states_are_known(report))
		puts("  Where the log has states of threads, # is running and W any other state.");
	puts("  a capital letter is at least half of the slice; times in methods include waits and stops");
	print_left_out(report);
	printf("  %18s %10s %10s %10s %10s  %-*s  %s\n", "thread", "in methods", "waited", "stopped", "processor",
	       (int)timeline.slice_count + 2, "", "name");
	for (size_t i = 0, printed = 0; printed < rows; i++) {
		if (!get_thread(report, i, &thread))
			continue;
		print_timeline_thread(report, i, (size_t)timeline.slice_count);
		printed++;
	}
}

typedef enum slice_field {
	EXISTING,
	METHODS,
	WAITING,
	STOPPED,
	CPU,
	SAMPLES,
	WAITING_SAMPLES,
	IN_STATE,
	RUNNING,
	FIELDS
} slice_field;

static uint64_t value_of(const mprof_timeline_slice *slice, slice_field field)
{
	const uint64_t values[FIELDS] = {[EXISTING] = slice->existing_ns,
					 [METHODS] = slice->methods_ns,
					 [WAITING] = slice->waiting_ns,
					 [STOPPED] = slice->stopped_ns,
					 [CPU] = slice->cpu_ns,
					 [SAMPLES] = slice->samples,
					 [WAITING_SAMPLES] = slice->waiting_samples,
					 [IN_STATE] = slice->state_ns,
					 [RUNNING] = slice->running_ns};

	return values[field];
}

static void print_thread_json(const log_report *report, json_writer *json, size_t index, size_t slices)
{
	static const char *const keys[FIELDS] = {"existing_ns", "methods_ns",      "waiting_ns", "stopped_ns", "cpu_ns",
						 "samples",     "waiting_samples", "state_ns",   "running_ns"};
	mprof_thread_stats thread;

	get_thread(report, index, &thread);
	json_begin_object(json, NULL);
	json_hexadecimal(json, "id", thread.id);
	json_string(json, "name", thread.name);
	for (size_t field = 0; field < FIELDS; field++) {
		json_begin_array(json, keys[field]);
		for (size_t i = 0; i < slices; i++) {
			mprof_timeline_slice slice = slice_at(report, index, i);

			json_unsigned(json, NULL, value_of(&slice, (slice_field)field));
		}
		json_end_array(json);
	}
	json_end_object(json);
}

static void write_timeline(log_report *report, json_writer *json)
{
	mprof_timeline timeline = timeline_of(report);
	size_t rows = report_rows(report, report->options.timeline_slices > 0 ? count_threads(report) : 0);
	mprof_thread_stats thread;

	json_begin_object(json, sections_table_key(REPORT_TABLE_TIMELINE));
	json_signed(json, "start_ns", timeline.start_ns);
	json_unsigned(json, "slice_ns", timeline.slice_ns);
	json_unsigned(json, "slices", timeline.slice_count);
	json_unsigned(json, "left_out", timeline.left_out);
	json_begin_array(json, "threads");
	for (size_t i = 0, printed = 0; printed < rows; i++) {
		if (!get_thread(report, i, &thread))
			continue;
		print_thread_json(report, json, i, (size_t)timeline.slice_count);
		printed++;
	}
	json_end_array(json);
	json_end_object(json);
}

const report_view timeline_threads = {.print_text = print_timeline, .print_json = write_timeline};
