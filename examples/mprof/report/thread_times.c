/* SPDX-License-Identifier: MIT */
/* Prints the times of threads as columns and as JSON fields. */
#include "report/thread_times.h"

#include "shared/text.h"

#include <stdio.h>
#include <string.h>

static mprof_thread_stats thread_at(const log_report *report, size_t index)
{
	mprof_thread_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	mprof_profile_get_thread(report->profile, index, &stats);
	return stats;
}

/* The clocks of the system are read one after the other, so the sum of the parts may slightly exceed the wall time. */
static uint64_t blocked_ns(const mprof_thread_stats *stats)
{
	uint64_t busy = stats->cpu_ns + stats->ready_ns;

	return stats->wall_ns > busy ? stats->wall_ns - busy : 0;
}

int report_has_thread_times(const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_thread_count(report->profile); i++) {
		if (thread_at(report, i).wall_ns > 0)
			return 1;
	}
	return 0;
}

void report_thread_times_title(void)
{
	printf(" %10s %10s %10s", "running", "ready", "blocked");
}

void report_thread_times_text(const mprof_thread_stats *stats)
{
	const uint64_t times[] = {stats->cpu_ns, stats->ready_ns, blocked_ns(stats)};
	char text[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		printf(" %10s", stats->wall_ns > 0 ? text_duration(text, times[i]) : "-");
}

void report_thread_times_json(json_writer *json, const mprof_thread_stats *stats)
{
	static const char *const keys[] = {"wall_ns", "cpu_ns", "ready_ns", "blocked_ns"};
	const uint64_t times[] = {stats->wall_ns, stats->cpu_ns, stats->ready_ns, blocked_ns(stats)};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (stats->wall_ns > 0)
			json_unsigned(json, keys[i], times[i]);
		else
			json_null(json, keys[i]);
	}
}

void report_thread_times_sum(const log_report *report, uint64_t *cpu, uint64_t *ready)
{
	*cpu = 0;
	*ready = 0;
	for (size_t i = 0; i < mprof_profile_get_thread_count(report->profile); i++) {
		mprof_thread_stats stats = thread_at(report, i);

		*cpu += stats.cpu_ns;
		*ready += stats.ready_ns;
	}
}
