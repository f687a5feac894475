/* SPDX-License-Identifier: MIT */
/**
 * \file report/report.h
 * \brief The profile of a log, filtered and sorted, ready to be printed.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "common/input.h"
#include "common/names.h"
#include "common/arguments.h"
#include "common/summary.h"
#include "common/terminal.h"
#include "common/time_window.h"
#include "report/thread_choice.h"
#include "report/sample_view.h"
#include "report/sections.h"
#include "symbolize/native_lines.h"

#include <mprof/profile.h>

/** Shares are in units of a millionth of a percent, so that a share given in decimal digits is exact. */
#define REPORT_PERCENT UINT64_C(1000000)
#define REPORT_WHOLE (100 * REPORT_PERCENT)

typedef struct report_options {
	uint64_t top;       /**< Maximum rows of a table; 0 for all. */
	uint32_t max_spans; /**< Single spans to keep; 0: as many as the report shows. */
	int has_top;
	const char *orders;         /**< Orders of tables; NULL if none was chosen. */
	const char *method_pattern; /**< NULL for no filter, as for the next two fields. */
	const char *class_pattern;
	const char *assembly_pattern;
	const char *focus_pattern; /**< For frames of call stacks; NULL if not given, like the next five. */
	const char *ignore_pattern;
	const char *hide_pattern;
	const char *collapse_pattern;
	const char *callers_pattern;
	const char *callees_pattern;
	int is_inverted;
	section_choice sections;
	terminal_options terminal;
	thread_choice threads; /**< Found by report_read(), unless that was done before. */
	int tree_only;
	int shows_all;       /**< Print all sections as text, not the first screen alone. */
	int compiler_names;  /**< Names of methods and functions are those that compilers generate. */
	int readable_names;  /**< Methods that a compiler made have names of the source: text without compiler_names. */
	int with_call_sites; /**< What has no call stack is attributed to the nodes of the call tree. */
	int without_lines;   /**< Do not read debug information of native code. */
	uint64_t min_share;  /**< Branches below this share of #REPORT_WHOLE are left out of the trees. */
	int has_min_share;
	int as_document; /**< JSON or CSV. */
	int as_csv;
	int is_quiet;         /**< Print no messages about the log and the filters. */
	int is_bounded;       /**< JSON: tables are truncated where the document would exceed the size of the log. */
	int bounds_trees;     /**< JSON: the trees are bounded in the same way, by min_share. */
	uint64_t depth;       /**< Maximum depth of the call tree; 0 for the default. */
	int folds_idle;       /**< Samples of threads that only wait are one row. */
	int with_percentiles; /**< Durations of calls are measured and printed. */
	uint64_t slow_calls;  /**< Number of slowest calls to print; 0 for none. */
	time_window window;   /**< The time that counts. */
	int with_ages;        /**< Objects are tracked, for the tables of ages. */
	time_window alive_at; /**< Up to the time whose live objects are printed; its text is a hyphen and the time. */
	char alive_at_text[256];
	int alive_at_peak; /**< The objects at the peak are printed instead. */
	int with_pauses;   /**< Pauses are listed: those of least_pause_ns or more. */
	uint64_t least_pause_ns;
	int has_timeline;
	const char *sample_kind;  /**< The kind of samples that is a value of call stacks; NULL: the first one. */
	uint64_t timeline_slices; /**< Maximum number of slices of the timeline; 0 for none. */
} report_options;

/** State of the filters while a log is read. */
typedef struct report_filters {
	int has_thread;       /**< The log has events of the requested thread. */
	uint64_t last_thread; /**< The thread that was skipped last. */
	nearest_name thread;
} report_filters;

/** Parts of a bounded document whose rows may be left out. */
typedef enum report_part {
	LEFT_OUT_ALLOCATION_STACKS,
	LEFT_OUT_MONITOR_STACKS,
	LEFT_OUT_EXCEPTION_STACKS,
	LEFT_OUT_EXCEPTION_CLAUSES,
	LEFT_OUT_CODE_METHODS,
	LEFT_OUT_CODE_RANGES,
	LEFT_OUT_HANDLE_STACKS,
	LEFT_OUT_HEAP_SHOT_CLASSES,
	LEFT_OUT_HEAP_SUMMARIES,
	LEFT_OUT_AGE_SITES,
	LEFT_OUT_MEMORY_PLACES,
	LEFT_OUT_MEMORY_SIZES,
	LEFT_OUT_PARTS
} report_part;

/** The sources of trees of frames. */
enum { REPORT_SOURCE_CALLS, REPORT_SOURCE_SAMPLES, REPORT_SOURCE_ALLOCATIONS, REPORT_SOURCE_MEMORY, REPORT_SOURCES };

/** Trees of frames by source; NULL if not requested or without data. */
typedef struct report_frames {
	mprof_frame_tree *filtered[REPORT_SOURCES];
	mprof_frame_tree *callers[REPORT_SOURCES];
	mprof_frame_tree *callees[REPORT_SOURCES];
	mprof_frame_tree *inverted[REPORT_SOURCES];
	size_t source; /**< While an inverted tree is printed: its source. */
	int has_focus; /**< A frame matched the pattern, like the fields below. */
	int has_ignored;
	int has_hidden;
	int has_collapsed;
	int has_callers;
	int has_callees;
} report_frames;

typedef struct log_report {
	report_options options;
	log_input input;
	mprof_profile *profile;
	mprof_profile_totals totals;
	log_summary summary;
	assembly_names assemblies;
	mprof_method_stats *methods; /**< Methods that pass the filters, in the requested order. */
	size_t method_count;
	mprof_class_stats *classes; /**< Classes that pass the filters, most bytes first. */
	size_t class_count;
	int has_filtered_classes; /**< Their allocations are those of the call stacks that the filters keep. */
	report_filters filters;
	report_frames frames;
	uint64_t left_out[LEFT_OUT_PARTS]; /**< Numbers of rows that a bounded document has no room for. */
	native_lines *lines;               /**< Lines of native code; NULL if they are not wanted or not supported. */
	sample_view samples;
	int has_own_choice;   /**< The processes that were chosen are released with the report. */
	int has_thread_times; /**< The log states when its threads were running. */
	int has_switches;     /**< Some thread was switched at least once. */
	void *join;           /**< While a table is printed: what its rows are joined with. */
} log_report;

/** Reads the log and fills in all fields. Returns an exit status; with #STATUS_NOTHING there is no data. */
int report_read(log_report *report, const char *path, const report_options *options);
void report_release(log_report *report);

/**
 * Whether there were calls: also in a window of time in which none began, because one that began before it lasted.
 */
int report_has_calls(const log_report *report);

/** The number of rows to print of a table with \p count rows. */
size_t report_rows(const log_report *report, size_t count);

/** Whether a section is to be printed. */
int report_wants(const log_report *report, report_section section);

/**
 * Checks a list of orders with commas between them: KEY for all tables that have it, or SECTION:KEY. Returns 0 after a
 * message if one does not exist.
 */
int report_check_orders(const char *list);

void report_print_text(log_report *report);
void report_print_json(log_report *report);

/** Prints tables as comma-separated values. Returns 0 if only one table was requested and it has no rows. */
int report_print_csv(log_report *report);

#endif
