/* SPDX-License-Identifier: MIT */
/* Tables of events that the program describes: single spans, types of events, and types that have a meaning. */
#include "report/event_tables.h"

#include "common/name_cut.h"
#include "report/parts.h"
#include "shared/kinds.h"

#include <inttypes.h>
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
		    VIEW_COLUMN(10, "median", "p50_ns"), VIEW_COLUMN(10, "99 %", "p99_ns"),
		    VIEW_COLUMN(10, "longest", "max_ns"),
		    VIEW_COLUMN_BY(10, "not ended", .field = "unfinished", .when = has_unfinished),
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
