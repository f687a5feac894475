/* SPDX-License-Identifier: MIT */
/* Tables of events that the program describes, and single spans. */
#include "report/tables.h"

#include "common/name_cut.h"
#include "report/parts.h"
#include "shared/kinds.h"

#include <stdio.h>

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
static int has_open_spans(const log_report *report, const view_rows *rows)
{
	const mprof_event_type_stats *stats = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (stats[i].unfinished > 0)
			return 1;
	}
	return 0;
}

static int has_failures(const log_report *report, const view_rows *rows)
{
	const mprof_event_type_stats *stats = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (stats[i].errors > 0)
			return 1;
	}
	return 0;
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
		    VIEW_COLUMN_BY(7, "errors", .field = "errors", .when = has_failures),
		    VIEW_COLUMN_BY(0, "span", .print = print_event_name)},
	.json = {VIEW_FIELD(name), VIEW_FIELD(category), VIEW_KIND(form, "form", kind_of_form), VIEW_FIELD(count),
		 VIEW_FIELD(unfinished), VIEW_FIELD(errors), VIEW_FIELD_NEEDS(total_ns, spans),
		 VIEW_JOIN(self_ns, print_self), VIEW_FIELD_NEEDS(min_ns, spans), VIEW_FIELD_NEEDS(p50_ns, spans),
		 VIEW_FIELD_NEEDS(p90_ns, spans), VIEW_FIELD_NEEDS(p99_ns, spans), VIEW_FIELD_NEEDS(max_ns, spans),
		 VIEW_ALL_OTHERS, VIEW_WITHOUT(type), VIEW_WITHOUT(unmatched), VIEW_WITHOUT(without_self)},
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
