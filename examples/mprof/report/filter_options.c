/* SPDX-License-Identifier: MIT */
/* Parses the options that select what of a log counts. */
#include "report/filter_options.h"

#include "common/arguments.h"

#include <stdio.h>

int filter_options_have(int option)
{
	return option >= FILTER_OPTION_METHOD && option <= FILTER_OPTION_HIDE;
}

int filter_options_apply(report_options *taken, int option, const char *value)
{
	switch (option) {
	case FILTER_OPTION_METHOD:
		taken->method_pattern = value;
		return 1;
	case FILTER_OPTION_CLASS:
		taken->class_pattern = value;
		return 1;
	case FILTER_OPTION_ASSEMBLY:
		taken->assembly_pattern = value;
		return 1;
	case FILTER_OPTION_THREAD:
		taken->has_thread = 1;
		return arguments_number("--thread", value, 0, UINT64_MAX, &taken->thread);
	case FILTER_OPTION_TIME:
		return time_window_parse(&taken->window, value);
	case FILTER_OPTION_LAST:
		return time_window_parse_last(&taken->window, value);
	case FILTER_OPTION_FOCUS:
		taken->focus_pattern = value;
		return 1;
	case FILTER_OPTION_IGNORE:
		taken->ignore_pattern = value;
		return 1;
	default:
		taken->hide_pattern = value;
		return 1;
	}
}

int filter_options_check(const report_options *taken)
{
	if (taken->window.text == NULL || taken->window.last_ns == 0)
		return 1;
	fputs("mprof: --time and --last cannot be combined\n", stderr);
	return 0;
}
