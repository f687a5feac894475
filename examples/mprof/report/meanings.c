/* SPDX-License-Identifier: MIT */
/* Prints messages, waits and generations. */
#include "report/meanings.h"

#include "common/name_cut.h"
#include "shared/kinds.h"

#include <inttypes.h>

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
