/* SPDX-License-Identifier: MIT */
/* Prints what each thread did in slices of time: a character per slice as text, arrays of times as JSON. */
#include "report/timeline.h"

#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>

static mprof_timeline timeline_of(const log_report *report)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_TIMELINE, 0, &timeline);
	return timeline;
}

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
	if (slice->existing_ns == 0 && slice->samples == 0 && slice->cpu_ns == 0)
		return ' ';
	if (slice->stopped_ns > 0 && slice->stopped_ns >= slice->existing_ns / 2)
		return 'S';
	if (slice->waiting_ns > 0 && slice->waiting_ns >= slice->existing_ns / 2)
		return 'W';
	if (slice->stopped_ns > 0)
		return 's';
	if (slice->waiting_ns > 0)
		return 'w';
	if (slice->methods_ns > 0)
		return '#';
	if (!report_has_calls(report) && slice->samples > 0)
		return slice->waiting_samples * 2 > slice->samples ? 'W' : '#';
	return '.';
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

static void print_thread(const log_report *report, size_t index, size_t slices)
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

void report_timeline_text(const log_report *report)
{
	mprof_timeline timeline = timeline_of(report);
	size_t count = count_threads(report);
	size_t rows = report_rows(report, count);
	mprof_thread_stats thread;
	char text[TEXT_NUMBER_SIZE];
	char length[TEXT_NUMBER_SIZE];

	report_title(report, "What threads did", rows, count, TABLE_TIMELINE);
	printf("  %" PRIu64 " slices of %s, from %.6f s on\n", timeline.slice_count,
	       text_duration(length, timeline.slice_ns), (double)timeline.start_ns / 1e9);
	puts("  # in methods   W, w waited for a monitor   S, s stopped, as for a collection   . in no method");
	puts("  a capital letter is at least half of the slice; times in methods include waits and stops");
	if (timeline.left_out > 0)
		printf("  %s waits or parts of the timeline are missing: the memory limit was reached\n",
		       text_count(text, timeline.left_out));
	printf("  %18s %10s %10s %10s %10s  %-*s  %s\n", "thread", "in methods", "waited", "stopped", "processor",
	       (int)timeline.slice_count + 2, "", "name");
	for (size_t i = 0, printed = 0; printed < rows; i++) {
		if (!get_thread(report, i, &thread))
			continue;
		print_thread(report, i, (size_t)timeline.slice_count);
		printed++;
	}
}

typedef enum slice_field { EXISTING, METHODS, WAITING, STOPPED, CPU, SAMPLES, WAITING_SAMPLES, FIELDS } slice_field;

static uint64_t value_of(const mprof_timeline_slice *slice, slice_field field)
{
	const uint64_t values[FIELDS] = {[EXISTING] = slice->existing_ns,
					 [METHODS] = slice->methods_ns,
					 [WAITING] = slice->waiting_ns,
					 [STOPPED] = slice->stopped_ns,
					 [CPU] = slice->cpu_ns,
					 [SAMPLES] = slice->samples,
					 [WAITING_SAMPLES] = slice->waiting_samples};

	return values[field];
}

static void print_thread_json(const log_report *report, json_writer *json, size_t index, size_t slices)
{
	static const char *const keys[FIELDS] = {"existing_ns", "methods_ns", "waiting_ns",     "stopped_ns",
						 "cpu_ns",      "samples",    "waiting_samples"};
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

void report_timeline_json(const log_report *report, json_writer *json)
{
	mprof_timeline timeline = timeline_of(report);
	size_t rows = report_rows(report, report->options.timeline_slices > 0 ? count_threads(report) : 0);
	mprof_thread_stats thread;

	json_begin_object(json, "timeline");
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
