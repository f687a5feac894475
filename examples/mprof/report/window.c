/* SPDX-License-Identifier: MIT */
/* Prints the time window of a report. */
#include "report/window.h"

#include "shared/text.h"

void report_window_check(const log_report *report)
{
	const time_window *window = &report->options.window;
	char end[TEXT_NUMBER_SIZE];

	if (!window->is_bounded || window->start_ns <= window->log_end_ns)
		return;
	text_begin_message(report->input.name);
	fprintf(stderr, "nothing is inside the time window: the log ends after %s\n",
		text_duration(end, window->log_end_ns > 0 ? (uint64_t)window->log_end_ns : 0));
}

void report_window_text(const log_report *report)
{
	const time_window *window = &report->options.window;
	char start[TEXT_NUMBER_SIZE];
	char end[TEXT_NUMBER_SIZE];

	if (!window->is_bounded)
		return;
	printf("%-12s from %s to %s, of %s\n", "window:", text_duration(start, (uint64_t)window->start_ns),
	       window->end_ns != TIME_WINDOW_OPEN ? text_duration(end, (uint64_t)window->end_ns) : "the end",
	       report->input.name);
}

void report_window_json(const log_report *report, json_writer *json)
{
	const time_window *window = &report->options.window;

	if (!window->is_bounded) {
		json_null(json, "window");
		return;
	}
	json_begin_object(json, "window");
	json_signed(json, "start_ns", window->start_ns);
	if (window->end_ns != TIME_WINDOW_OPEN)
		json_signed(json, "end_ns", window->end_ns);
	else
		json_null(json, "end_ns");
	json_end_object(json);
}
