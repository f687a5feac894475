/* SPDX-License-Identifier: MIT */
/**
 * \file report/filter_options.h
 * \brief The options that select what of a log counts. Several commands have them.
 */
#ifndef REPORT_FILTER_OPTIONS_H
#define REPORT_FILTER_OPTIONS_H

#include "report/report.h"

#include <getopt.h>

/** Values of the options; far above those of the options of a single command. */
enum {
	FILTER_OPTION_METHOD = 2000,
	FILTER_OPTION_CLASS,
	FILTER_OPTION_ASSEMBLY,
	FILTER_OPTION_THREAD,
	FILTER_OPTION_TIME,
	FILTER_OPTION_LAST,
	FILTER_OPTION_FOCUS,
	FILTER_OPTION_IGNORE,
	FILTER_OPTION_HIDE
};

/** Entries for a command's list of options. */
#define FILTER_OPTIONS_ROWS                                                                                            \
	{"method", required_argument, NULL, FILTER_OPTION_METHOD},                                                     \
		{"class", required_argument, NULL, FILTER_OPTION_CLASS},                                               \
		{"assembly", required_argument, NULL, FILTER_OPTION_ASSEMBLY}, FILTER_OPTIONS_STACKS

/** Entries for a command whose result consists of call stacks. */
#define FILTER_OPTIONS_STACKS                                                                                          \
	{"thread", required_argument, NULL, FILTER_OPTION_THREAD},                                                     \
		{"time", required_argument, NULL, FILTER_OPTION_TIME},                                                 \
		{"last", required_argument, NULL, FILTER_OPTION_LAST},                                                 \
		{"focus", required_argument, NULL, FILTER_OPTION_FOCUS},                                               \
		{"ignore", required_argument, NULL, FILTER_OPTION_IGNORE},                                             \
	{                                                                                                              \
		"hide", required_argument, NULL, FILTER_OPTION_HIDE                                                    \
	}

/** Whether an option is one of these. */
int filter_options_have(int option);

/** Applies one of these options; returns 0 after a message if its value is invalid. */
int filter_options_apply(report_options *taken, int option, const char *value);

/** Returns 0 after a message if the options contradict each other. */
int filter_options_check(const report_options *taken);

#endif
