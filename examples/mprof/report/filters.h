/* SPDX-License-Identifier: MIT */
/**
 * \file report/filters.h
 * \brief What of a log counts and how it is named: the options for it, which several commands have, and filters for
 * threads, methods, classes and frames.
 */
#ifndef REPORT_FILTERS_H
#define REPORT_FILTERS_H

#include "report/report.h"

#include <getopt.h>

/** Values of the options; far above those of the options of a single command. */
enum {
	FILTER_OPTION_METHOD = 2000,
	FILTER_OPTION_CLASS,
	FILTER_OPTION_ASSEMBLY,
	FILTER_OPTION_THREAD,
	FILTER_OPTION_PROCESS,
	FILTER_OPTION_TIME,
	FILTER_OPTION_LAST,
	FILTER_OPTION_FOCUS,
	FILTER_OPTION_IGNORE,
	FILTER_OPTION_HIDE,
	FILTER_OPTION_COMPILER_NAMES
};

/** Entries for a command's list of options. */
#define FILTER_OPTIONS_ROWS                                                                                            \
	{"method", required_argument, NULL, FILTER_OPTION_METHOD},                                                     \
		{"class", required_argument, NULL, FILTER_OPTION_CLASS},                                               \
		{"assembly", required_argument, NULL, FILTER_OPTION_ASSEMBLY}, FILTER_OPTIONS_STACKS

/** Entries for a command whose result consists of call stacks. */
#define FILTER_OPTIONS_STACKS                                                                                          \
	{"thread", required_argument, NULL, FILTER_OPTION_THREAD},                                                     \
		{"process", required_argument, NULL, FILTER_OPTION_PROCESS},                                           \
		{"time", required_argument, NULL, FILTER_OPTION_TIME},                                                 \
		{"last", required_argument, NULL, FILTER_OPTION_LAST},                                                 \
		{"focus", required_argument, NULL, FILTER_OPTION_FOCUS},                                               \
		{"ignore", required_argument, NULL, FILTER_OPTION_IGNORE},                                             \
		{"hide", required_argument, NULL, FILTER_OPTION_HIDE},                                                 \
	{                                                                                                              \
		"compiler-names", no_argument, NULL, FILTER_OPTION_COMPILER_NAMES                                      \
	}

/** Whether an option is one of these. */
int filter_options_have(int option);

/** Applies one of these options; returns 0 after a message if its value is invalid. */
int filter_options_apply(report_options *taken, int option, const char *value);

/** Returns 0 after a message if the options contradict each other. */
int filter_options_check(const report_options *taken);

/** Returns 1 if no filter selects methods or classes, so that rows with neither are wanted too. */
int report_wants_all(const log_report *report);

/** Returns 1 if call stacks are filtered by their frames. */
int report_filters_frames(const log_report *report);

/** Returns 1 if a method or native function matches a pattern. \p kind: an #mprof_sample_kind. */
int report_matches_frame(const log_report *report, const char *pattern, uint32_t kind, uint32_t id);
int report_matches_stack_frame(const log_report *report, const char *pattern, const mprof_stack_frame *frame);

/** Returns 1 if a method passes the filters. */
int report_wants_method(const log_report *report, uint32_t id);

/** Returns 1 if a class passes the filters; \p id 0 is an unknown class. */
int report_wants_class(const log_report *report, uint32_t id);

/** Returns 1 if options choose all threads. */
int filter_options_want_all_threads(const report_options *taken);

/** Returns 1 if options choose a thread. */
int filter_options_want_thread(const report_options *taken, uint64_t id);

/** Returns 1 if a thread passes the filter. */
int report_wants_thread(const log_report *report, uint64_t id);

/** Starts the thread filter: while the log is read, other threads are skipped. */
void report_filters_begin(log_report *report);

/** Offers a skipped thread as the nearest one, for the message if no thread matches. */
void report_filters_skip_thread(log_report *report, uint64_t thread);
void report_filters_release(log_report *report);

/** Reports on standard error which filters match nothing in the log, with the nearest names. */
void report_filters_check(const log_report *report);

#endif
