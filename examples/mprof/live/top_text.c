/* SPDX-License-Identifier: MIT */
/* Formats a live view. */
#include "live/top_text.h"

#include "common/name_cut.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HOTTEST 3

static const char *state_text(const live_profile *live)
{
	switch (live_profile_state(live)) {
	case LIVE_RECORDING:
		return live->is_behind ? "recording, catching up" : "recording";
	case LIVE_ENDED:
		return "ended";
	default:
		return "the program is gone, the log has no end";
	}
}

static uint64_t per_second(const live_profile *live, uint64_t number)
{
	const uint64_t length_us = live->recent.length_ns / 1000;

	return length_us > 0 ? (uint64_t)((double)number * 1e6 / (double)length_us + 0.5) : 0;
}

static void print_state(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char lost[TEXT_NUMBER_SIZE];
	char recent[TEXT_NUMBER_SIZE];
	char damage[64] = "";

	if (live->log.input.problem_count > 0)
		snprintf(damage, sizeof(damage), ", %zu problems in the log", live->log.input.problem_count);
	if (live->recent.left_out > 0 || live->totals.limited || live->is_failed)
		snprintf(damage, sizeof(damage), ", memory is short: figures are incomplete");
	snprintf(line, TOP_LINE_SIZE, "%s: %s, window %.1f s, lag %.1f s, lost events: %s in the window, %s in all%s",
		 live->log.input.name, state_text(live), (double)live->recent.length_ns / 1e9,
		 (double)live_profile_lag_ms(live) / 1e3, text_count(recent, live->recent.lost_events),
		 text_count(lost, live->totals.lost_events), damage);
}

static void print_rates(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char events[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];
	char samples[TEXT_NUMBER_SIZE];
	char exceptions[TEXT_NUMBER_SIZE];

	snprintf(line, TOP_LINE_SIZE, "per second: %s events, %s calls, %s samples, %s exceptions",
		 text_count(events, per_second(live, live->recent.events)),
		 text_count(calls, per_second(live, live->recent.calls)),
		 text_count(samples, per_second(live, live->recent.samples)),
		 text_count(exceptions, per_second(live, live->recent.exceptions)));
}

static void print_allocations(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char objects[TEXT_NUMBER_SIZE];
	char bytes[TEXT_NUMBER_SIZE];
	char waits[TEXT_NUMBER_SIZE];
	char waited[TEXT_NUMBER_SIZE];

	snprintf(line, TOP_LINE_SIZE, "allocated per second: %s objects, %s; waits for monitors: %s, %s",
		 text_count(objects, per_second(live, live->recent.allocations)),
		 text_bytes(bytes, per_second(live, live->recent.allocated_bytes)),
		 text_count(waits, live->recent.contentions), text_duration(waited, live->recent.contended_ns));
}

static void print_collections(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char time[TEXT_NUMBER_SIZE];
	char longest[TEXT_NUMBER_SIZE];
	char paused[TEXT_NUMBER_SIZE];
	top_collections found;

	top_rows_get_collections(live, &found);
	snprintf(line, TOP_LINE_SIZE, "collections: %zu, %s, the longest %s, world stopped for %s",
		 found.end - found.first, text_duration(time, found.time_ns), text_duration(longest, found.longest_ns),
		 text_duration(paused, found.pause_ns));
}

static void print_hottest(const live_profile *live, char line[TOP_LINE_SIZE])
{
	const uint32_t table = top_rows_hot_table(live);
	const uint64_t whole = top_rows_whole(live, table);
	top_row rows[HOTTEST];
	const size_t count = top_rows_collect(live, table, TOP_SORT_SELF, rows, HOTTEST);
	int length = snprintf(line, TOP_LINE_SIZE, "hottest:%s", count == 0 ? " nothing" : "");

	for (size_t i = 0; i < count && length < TOP_LINE_SIZE; i++) {
		char percent[TEXT_NUMBER_SIZE];

		length += snprintf(line + length, (size_t)(TOP_LINE_SIZE - length), "%s %s %.100s", i > 0 ? "," : "",
				   text_percent(percent, rows[i].values.self, whole),
				   top_rows_name(live, table, &rows[i]));
	}
}

void top_text_header(const live_profile *live, char lines[TOP_HEADER_LINES][TOP_LINE_SIZE])
{
	print_state(live, lines[0]);
	print_rates(live, lines[1]);
	print_allocations(live, lines[2]);
	print_collections(live, lines[3]);
	print_hottest(live, lines[4]);
}

const char *top_text_titles(uint32_t table)
{
	switch (table) {
	case MPROF_TABLE_METHODS:
		return "   self         self        total         calls  method";
	case MPROF_TABLE_SAMPLES:
		return "   self      samples  with callees  method or function";
	case MPROF_TABLE_CLASSES:
		return "     bytes/s     objects/s    exceptions  class";
	case MPROF_TABLE_THREADS:
		return "        self        events       samples  thread";
	default:
		return "      waited         waits      failures    not ended  class";
	}
}

static void format_hot_row(const live_profile *live, uint32_t table, const top_row *row, char line[TOP_LINE_SIZE])
{
	char percent[TEXT_NUMBER_SIZE];
	char self[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char count[TEXT_NUMBER_SIZE];

	text_percent(percent, row->values.self, top_rows_whole(live, table));
	if (table == MPROF_TABLE_SAMPLES)
		snprintf(line, TOP_LINE_SIZE, "%7s %12s  %12s  ", percent, text_count(self, row->values.self),
			 text_count(total, row->values.total));
	else
		snprintf(line, TOP_LINE_SIZE, "%7s %12s %12s %13s  ", percent, text_duration(self, row->values.self),
			 text_duration(total, row->values.total), text_count(count, row->values.count));
}

static void format_monitor_row(const live_profile *live, const top_row *row, char line[TOP_LINE_SIZE])
{
	char waited[TEXT_NUMBER_SIZE];
	char waits[TEXT_NUMBER_SIZE];
	char failures[TEXT_NUMBER_SIZE];
	char unfinished[TEXT_NUMBER_SIZE];

	snprintf(line, TOP_LINE_SIZE, "%12s %13s %13s %12s  ", text_duration(waited, row->values.self),
		 text_count(waits, row->values.count), text_count(failures, row->values.total),
		 text_count(unfinished, top_rows_unfinished_waits(live, row)));
}

void top_text_row(const live_profile *live, uint32_t table, const top_row *row, char line[TOP_LINE_SIZE])
{
	char first[TEXT_NUMBER_SIZE];
	char second[TEXT_NUMBER_SIZE];
	char third[TEXT_NUMBER_SIZE];

	switch (table) {
	case MPROF_TABLE_METHODS:
	case MPROF_TABLE_SAMPLES:
		format_hot_row(live, table, row, line);
		return;
	case MPROF_TABLE_CLASSES:
		text_bytes(first, per_second(live, row->values.self));
		text_count(second, per_second(live, row->values.count));
		break;
	case MPROF_TABLE_MONITORS:
		format_monitor_row(live, row, line);
		return;
	default:
		text_duration(first, row->values.self);
		text_count(second, row->values.count);
		break;
	}
	snprintf(line, TOP_LINE_SIZE, "%12s %13s %13s  ", first, second, text_count(third, row->values.total));
}

static void print_table(const live_profile *live, uint32_t table, top_sort sort, size_t count)
{
	static top_row rows[TOP_ROWS_MAX];
	char line[TOP_LINE_SIZE];

	count = top_rows_collect(live, table, sort, rows, count < TOP_ROWS_MAX ? count : TOP_ROWS_MAX);
	if (count == 0)
		return;
	printf("\n%s\n", top_text_titles(table));
	for (size_t i = 0; i < count; i++) {
		top_text_row(live, table, &rows[i], line);
		fputs(line, stdout);
		name_print(top_rows_name(live, table, &rows[i]));
		putchar('\n');
	}
}

void top_text_print(const live_profile *live, top_sort sort, size_t count)
{
	char lines[TOP_HEADER_LINES][TOP_LINE_SIZE];

	top_text_header(live, lines);
	for (int i = 0; i < TOP_HEADER_LINES; i++) {
		text_name(stdout, lines[i]);
		putchar('\n');
	}
	print_table(live, top_rows_hot_table(live), sort, count);
	if (top_rows_hot_table(live) == MPROF_TABLE_METHODS)
		print_table(live, MPROF_TABLE_SAMPLES, TOP_SORT_SELF, count);
	print_table(live, MPROF_TABLE_CLASSES, TOP_SORT_SELF, count);
	print_table(live, MPROF_TABLE_THREADS, TOP_SORT_SELF, count);
	print_table(live, MPROF_TABLE_MONITORS, TOP_SORT_SELF, count);
}
