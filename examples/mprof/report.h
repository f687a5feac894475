/* SPDX-License-Identifier: MIT */
/**
 * \file report.h
 * \brief The profile of a log, filtered and sorted, ready to be printed.
 */
#ifndef REPORT_H
#define REPORT_H

#include "input.h"
#include "names.h"
#include "summary.h"

#include <mprof/profile.h>

typedef enum report_order { REPORT_BY_SELF, REPORT_BY_TOTAL, REPORT_BY_CALLS } report_order;

typedef struct report_options {
	uint64_t top; /**< Rows of a table; 0 for all. */
	int has_top;
	report_order order;
	int has_order;
	const char *method_pattern; /**< NULL if there is none, as the next two. */
	const char *class_pattern;
	const char *assembly_pattern;
	uint64_t thread;
	int has_thread;
	int tree_only;
	double min_percent; /**< Calls below it are left out of the call tree. */
	int has_min_percent;
	uint64_t depth; /**< Of the call tree; 0 for the default. */
} report_options;

typedef struct log_report {
	report_options options;
	log_input input;
	mprof_profile *profile;
	mprof_profile_totals totals;
	log_summary summary;
	assembly_names assemblies;
	mprof_method_figures *methods; /**< Those that pass the filters, in the order asked for. */
	size_t method_count;
	mprof_class_figures *classes; /**< The same, most bytes first. */
	size_t class_count;
} log_report;

/** Reads the log and fills in all of it. Returns an exit status; only #STATUS_NOTHING means that there is nothing. */
int report_read(log_report *report, const char *path, const report_options *options);
void report_release(log_report *report);

/** Puts the methods in another order. */
void report_sort_methods(log_report *report, report_order order);

/** Rows of a table of \p count rows. */
size_t report_rows(const log_report *report, size_t count);

void report_print_text(log_report *report);
void report_print_json(log_report *report);

#endif
