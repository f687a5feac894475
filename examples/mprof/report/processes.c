/* SPDX-License-Identifier: MIT */
/* Views of processes, timelines and clocks. */
#include "report/processes.h"

#include "common/terminal.h"
#include "report/contents.h"
#include "report/parts.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *format_start(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	const mprof_process_stats *stats = row;

	(void)report;
	(void)number;
	snprintf(text, TEXT_NUMBER_SIZE, "%.3f s", (double)stats->start_ns / 1e9);
	return stats->has_start ? text : "-";
}

static const char *format_end(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	const mprof_process_stats *stats = row;

	(void)report;
	(void)number;
	snprintf(text, TEXT_NUMBER_SIZE, "%.3f s", (double)stats->end_ns / 1e9);
	return stats->has_end ? text : "-";
}

/* Why the events of a process are not all in a merged log; NULL if the log does not state that. */
static const char *reason_incomplete(const log_report *report, uint64_t number)
{
	char key[48];

	snprintf(key, sizeof(key), "%" PRIu64 "/incomplete", number);
	return report_property(report, key);
}

static void print_incomplete(const log_report *report, json_writer *json, const void *row, uint64_t number)
{
	(void)row;
	json_string(json, "incomplete", reason_incomplete(report, number));
}

static void print_process(const log_report *report, const void *row)
{
	const mprof_process_stats *stats = row;
	const char *reason = reason_incomplete(report, stats->number);

	fputs("  ", stdout);
	text_name(stdout, stats->name);
	if (stats->command != NULL && stats->command[0] != '\0') {
		fputs(": ", stdout);
		text_name(stdout, stats->command);
	}
	if (reason != NULL) {
		fputs(" (incomplete: ", stdout);
		text_name(stdout, reason);
		putchar(')');
	}
	putchar('\n');
}

void processes_print_of(const log_report *report, uint64_t number)
{
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROCESSES);

	for (size_t i = 0; i < count && count > 1; i++) {
		mprof_process_stats stats = {.struct_size = sizeof(stats)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROCESSES, i, &stats) != MPROF_OK ||
		    stats.number != number)
			continue;
		fputs(" of ", stdout);
		text_name(stdout, stats.name);
		printf(" (%" PRIu64 ")", stats.system_id != 0 ? stats.system_id : number);
		return;
	}
}

static int has_samples(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->totals.samples > 0;
}

static int has_losses(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return report->totals.lost_events > 0;
}

const report_view processes_described = {
	.table = REPORT_TABLE_PROCESSES,
	.source = MPROF_TABLE_PROCESSES,
	.title = "Processes",
	.columns = {VIEW_COLUMN(9, "process", "number"),
		    VIEW_COLUMN_BY(10, "system ID", .field = "system_id", .needs = "system_id", .otherwise = "-"),
		    VIEW_COLUMN_BY(8, "parent", .field = "parent", .needs = "parent", .otherwise = "-"),
		    VIEW_COLUMN(8, "threads", "threads"), VIEW_COLUMN_BY(12, "start", .text = format_start),
		    VIEW_COLUMN_BY(12, "end", .text = format_end),
		    VIEW_COLUMN_BY(10, "running", .field = "cpu_ns", .needs = "cpu_ns", .otherwise = "-"),
		    VIEW_COLUMN(10, "events", "events"),
		    VIEW_COLUMN_BY(9, "samples", .field = "samples", .when = has_samples),
		    VIEW_COLUMN_BY(9, "lost", .field = "lost", .when = has_losses),
		    VIEW_COLUMN_BY(0, "name", .print = print_process)},
	.json = {VIEW_FIELD(number), VIEW_JOIN(number, print_incomplete), VIEW_FIELD(name), VIEW_FIELD(command),
		 VIEW_FIELD_NEEDS(system_id, system_id), VIEW_FIELD_NEEDS(parent, parent), VIEW_FIELD(threads),
		 VIEW_FIELD_NEEDS(start_ns, has_start), VIEW_FIELD_NEEDS(end_ns, has_end), VIEW_WITHOUT(has_start),
		 VIEW_WITHOUT(has_end), VIEW_FIELD(events), VIEW_FIELD(samples), VIEW_FIELD_AS(lost, "lost_events"),
		 VIEW_FIELD_NEEDS(cpu_ns, cpu_ns), VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};

static void print_timeline(const log_report *report, const void *row)
{
	const mprof_timeline_stats *stats = row;

	(void)report;
	fputs("  ", stdout);
	text_name(stdout, stats->name);
	if (stats->parent != 0)
		printf(" (part of 0x%" PRIx64 ")", stats->parent);
	putchar('\n');
}

const report_view processes_timelines = {
	.table = REPORT_TABLE_TIMELINES,
	.source = MPROF_TABLE_TIMELINES,
	.filters = "thread",
	.sorts = {{"events", "events", NULL}},
	.title = "Timelines",
	.columns = {VIEW_COLUMN(18, "thread", "thread"),
		    VIEW_COLUMN_BY(10, "kind", .field = "kind", .kind = kind_of_timeline),
		    VIEW_COLUMN_BY(9, "process", .field = "process", .needs = "process", .otherwise = "-"),
		    VIEW_COLUMN_BY(10, "system ID", .field = "system_thread", .needs = "system_thread",
				   .otherwise = "-"),
		    VIEW_COLUMN(6, "clock", "clock"), VIEW_COLUMN(10, "events", "events"),
		    VIEW_COLUMN_BY(0, "name", .print = print_timeline)},
	.json = {VIEW_FIELD(thread), VIEW_FIELD(name), VIEW_KIND(kind, "kind", kind_of_timeline),
		 VIEW_FIELD_NEEDS(process, process), VIEW_FIELD_NEEDS(system_thread, system_thread),
		 VIEW_FIELD_NEEDS(parent, parent), VIEW_FIELD(clock), VIEW_FIELD(rank),
		 VIEW_FIELD_AS(is_ended, "ended"), VIEW_FIELD(events), VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};

/* A rate in thousandths of a tick per second. */
static const char *format_rate(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	const double rate = (double)number / 1e3;

	(void)report;
	(void)row;
	if (rate >= 1e6)
		snprintf(text, TEXT_NUMBER_SIZE, "%.6f MHz", rate / 1e6);
	else
		snprintf(text, TEXT_NUMBER_SIZE, "%.3f Hz", rate);
	return text;
}

static const char *format_drift(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	(void)number;
	snprintf(text, TEXT_NUMBER_SIZE, "%+.1f ppm", (double)((const mprof_clock_stats *)row)->drift_ppb / 1e3);
	return text;
}

static int has_backward_pairs(const log_report *report, const view_rows *rows)
{
	const mprof_clock_stats *stats = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (stats[i].backward > 0)
			return 1;
	}
	return 0;
}

static void print_clock(const log_report *report, const void *row)
{
	const mprof_clock_stats *stats = row;

	(void)report;
	printf("  %" PRIu32 " ", stats->id);
	text_name(stdout, stats->name != NULL ? stats->name : "(not defined)");
	printf(" (%s)\n", kind_of_clock(stats->kind));
}

const report_view processes_clocks = {
	.table = REPORT_TABLE_CLOCKS,
	.source = MPROF_TABLE_CLOCKS,
	.order = "<id",
	.title = "Clocks",
	.columns = {VIEW_COLUMN_BY(14, "stated", .field = "stated_millihertz", .text = format_rate,
				   .needs = "stated_millihertz", .otherwise = "-"),
		    VIEW_COLUMN_BY(14, "measured", .field = "measured_millihertz", .text = format_rate,
				   .needs = "measured_millihertz", .otherwise = "-"),
		    VIEW_COLUMN_BY(11, "drift", .text = format_drift, .needs = "has_drift", .otherwise = "-"),
		    VIEW_COLUMN(6, "pairs", "pairs"),
		    VIEW_COLUMN_BY(9, "backward", .field = "backward", .when = has_backward_pairs),
		    VIEW_COLUMN_BY(9, "off by", .field = "residual_ns", .needs = "has_residual", .otherwise = "-"),
		    VIEW_COLUMN_BY(9, "+-", .field = "uncertainty_ns", .needs = "pairs", .otherwise = "-"),
		    VIEW_COLUMN_BY(0, "clock", .print = print_clock)},
	.json = {VIEW_FIELD(id), VIEW_FIELD(name), VIEW_KIND(kind, "kind", kind_of_clock),
		 VIEW_FIELD_NEEDS(stated_millihertz, stated_millihertz),
		 VIEW_FIELD_NEEDS(measured_millihertz, measured_millihertz), VIEW_FIELD_NEEDS(drift_ppb, has_drift),
		 VIEW_FIELD(pairs), VIEW_FIELD(backward), VIEW_FIELD_NEEDS(residual_ns, has_residual),
		 VIEW_FIELD_NEEDS(uncertainty_ns, pairs), VIEW_WITHOUT(has_drift), VIEW_WITHOUT(has_residual),
		 VIEW_ALL_OTHERS},
	.has_all_rows = 1,
};
