/* SPDX-License-Identifier: MIT */
/* Prints the times and context switches of threads as columns and as JSON fields. */
#include "report/thread_times.h"

#include "common/output.h"
#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mprof_thread_stats thread_at(const log_report *report, size_t index)
{
	mprof_thread_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, index, &stats);
	return stats;
}

/* The clocks of the system are read one after the other, so the sum of the parts may slightly exceed the wall time. */
static uint64_t blocked_ns(const mprof_thread_stats *stats)
{
	uint64_t busy = stats->cpu_ns + stats->ready_ns;

	return stats->wall_ns > busy ? stats->wall_ns - busy : 0;
}

thread_columns report_thread_columns(const log_report *report)
{
	thread_columns columns = {0, 0};

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		mprof_thread_stats stats = thread_at(report, i);

		columns.has_times |= stats.wall_ns > 0;
		columns.has_switches |= stats.voluntary_switches > 0 || stats.involuntary_switches > 0;
	}
	return columns;
}

mprof_thread_stats *report_collect_threads(const log_report *report, size_t *count)
{
	size_t all = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);
	mprof_thread_stats *rows = calloc(all + 1, sizeof(*rows));

	*count = 0;
	if (rows == NULL) {
		output_out_of_memory();
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		rows[*count] = thread_at(report, i);
		*count += report_wants_thread(report, rows[*count].id) != 0;
	}
	report_apply_order(report, ORDER_THREADS, rows, *count, sizeof(*rows));
	return rows;
}

void report_thread_times_title(thread_columns columns)
{
	if (columns.has_times)
		printf(" %10s %10s %10s", "running", "ready", "blocked");
	if (columns.has_switches)
		printf(" %10s %10s", "switches", "preempted");
}

void report_thread_times_text(thread_columns columns, const mprof_thread_stats *stats)
{
	const uint64_t times[] = {stats->cpu_ns, stats->ready_ns, blocked_ns(stats)};
	const uint64_t switches[] = {stats->voluntary_switches + stats->involuntary_switches,
				     stats->involuntary_switches};
	char text[TEXT_NUMBER_SIZE];

	for (size_t i = 0; columns.has_times && i < sizeof(times) / sizeof(times[0]); i++)
		printf(" %10s", stats->wall_ns > 0 ? text_duration(text, times[i]) : "-");
	for (size_t i = 0; columns.has_switches && i < sizeof(switches) / sizeof(switches[0]); i++)
		printf(" %10s", stats->wall_ns > 0 ? text_count(text, switches[i]) : "-");
}

static void print_number(json_writer *json, const char *key, int is_known, uint64_t number)
{
	if (is_known)
		json_unsigned(json, key, number);
	else
		json_null(json, key);
}

void report_thread_times_json(thread_columns columns, json_writer *json, const mprof_thread_stats *stats)
{
	int is_counted = stats->wall_ns > 0;

	print_number(json, "wall_ns", is_counted, stats->wall_ns);
	print_number(json, "cpu_ns", is_counted, stats->cpu_ns);
	print_number(json, "ready_ns", is_counted, stats->ready_ns);
	print_number(json, "blocked_ns", is_counted, blocked_ns(stats));
	is_counted &= columns.has_switches;
	print_number(json, "voluntary_switches", is_counted, stats->voluntary_switches);
	print_number(json, "involuntary_switches", is_counted, stats->involuntary_switches);
}

void report_thread_times_sum(const log_report *report, uint64_t *cpu, uint64_t *ready)
{
	*cpu = 0;
	*ready = 0;
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		mprof_thread_stats stats = thread_at(report, i);

		if (!report_wants_thread(report, stats.id))
			continue;
		*cpu += stats.cpu_ns;
		*ready += stats.ready_ns;
	}
}
