/* SPDX-License-Identifier: MIT */
/**
 * \file report/report.h
 * \brief The profile of a log, filtered and sorted, ready to be printed.
 */
#ifndef REPORT_H
#define REPORT_H

#include "common/input.h"
#include "common/names.h"
#include "common/nearest.h"
#include "common/summary.h"

#include <mprof/profile.h>

typedef enum report_order { REPORT_BY_SELF, REPORT_BY_TOTAL, REPORT_BY_CALLS } report_order;

/** Shares are in units of a millionth of a percent, so that what is given in decimal digits is exact. */
#define REPORT_PERCENT UINT64_C(1000000)
#define REPORT_WHOLE (100 * REPORT_PERCENT)

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
	uint64_t min_share; /**< What is less is left out of the trees; of #REPORT_WHOLE. */
	int has_min_share;
	int is_bounded;   /**< Of JSON: tables end where they would be large beside the log. */
	int bounds_trees; /**< The same of trees, by their share. */
	uint64_t depth;   /**< Of the call tree; 0 for the default. */
} report_options;

/** What is known of the filters while a log is read. */
typedef struct report_filters {
	int has_thread;       /**< There is something of the thread that was asked for. */
	uint64_t last_thread; /**< The one that was passed over last. */
	nearest_name thread;
} report_filters;

/** Rows that a bounded document has no room for. */
typedef struct report_left_out {
	uint64_t allocation_stacks;
	uint64_t monitor_stacks;
	uint64_t handle_stacks;
	uint64_t heap_shot_classes;
	uint64_t heap_summaries;
	uint64_t memory_places;
	uint64_t memory_sizes;
} report_left_out;

typedef struct log_report {
	report_options options;
	log_input input;
	mprof_profile *profile;
	mprof_profile_totals totals;
	log_summary summary;
	assembly_names assemblies;
	mprof_method_stats *methods; /**< Those that pass the filters, in the order asked for. */
	size_t method_count;
	mprof_class_stats *classes; /**< The same, most bytes first. */
	size_t class_count;
	report_filters filters;
	report_left_out left_out;
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
