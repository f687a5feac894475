/* SPDX-License-Identifier: MIT */
/**
 * \file diff/diff.h
 * \brief Two logs, or two heap snapshots of one log, and what differs between them.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "common/input.h"
#include "common/json.h"
#include "common/summary.h"

#include <mprof/heap.h>
#include <mprof/profile.h>

/** The two sides of a difference. */
enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/** The measures of a row, as in #mprof_diff_values. */
typedef enum diff_measure { DIFF_BY_SELF, DIFF_BY_TOTAL, DIFF_BY_COUNT } diff_measure;

typedef struct diff_options {
	const char *files[DIFF_SIDES]; /**< The second one is NULL if two snapshots of one log are compared. */
	uint64_t shots[DIFF_SIDES];    /**< Numbers of heap snapshots in the log, from 1; 0 for the last. */
	uint64_t top;                  /**< Maximum rows of a table; 0 for all. */
	int has_top;
	const char *class_pattern; /**< NULL for no filter, as for the next two fields. */
	const char *method_pattern;
	const char *assembly_pattern;
	diff_measure order; /**< Rows are sorted by the growth of this measure. */
	int is_csv;
	const char *csv_table; /**< The only table as CSV; NULL for all. */
	int is_normalized;     /**< Rows are sorted by their shares, which are printed. */
	int has_sites;         /**< Tables by call site are wanted. */
	int has_tree;          /**< Call paths are compared. */
	uint32_t tree_source;  /**< An #mprof_frame_source; 0 for the default. */
	int has_min_percent;
	double min_percent; /**< Least change of a call path, in percent of the whole. */
	int has_limit;      /**< Growth is limited by the fields below. */
	int is_percent;     /**< The limit is in percent. */
	double limit;
	const char *limited; /**< Name of the figure that is limited; NULL for the default. */
} diff_options;

/** A log that is compared. */
typedef struct diff_side {
	log_input input;
	mprof_profile *profile;
	mprof_profile_totals totals;
	log_summary summary;
} diff_side;

/** The live objects of a class before and after; the names are borrowed from the inputs. */
typedef struct heap_row {
	const char *name;
	uint64_t objects[DIFF_SIDES];
	uint64_t bytes[DIFF_SIDES];
	uint64_t retained[DIFF_SIDES]; /**< Valid if heap_side::has_retained. */
} heap_row;

/** Growth beyond the limit. */
typedef struct diff_excess {
	const char *figure;
	char *name; /**< Of the row; NULL for the sum of all. */
	uint64_t values[DIFF_SIDES];
	double sums[DIFF_SIDES]; /**< What shares are computed of. */
} diff_excess;

/** Which snapshots are compared. */
typedef struct heap_side {
	uint64_t shot;     /**< Its number in the log, from 1; 0 if there is no snapshot. */
	int is_incomplete; /**< Objects are missing. */
	uint64_t objects;
	uint64_t bytes;
	uint64_t classes; /**< Classes with objects. */
	int has_retained; /**< Retained sizes are known. */
} heap_side;

/** Objects by identity (heap_part.c). */
typedef struct heap_identity heap_identity;

typedef struct log_diff {
	diff_options options;
	diff_side sides[DIFF_SIDES]; /**< Of one log, only the first is open. */
	heap_side heap[DIFF_SIDES];
	heap_row *
		heap_rows; /**< Classes in either snapshot, the largest growth first; none if a side has no snapshot. */
	size_t heap_row_count;
	mprof_profile_diff *profiles; /**< NULL if two snapshots of one log are compared. */
	uint32_t tree_source;         /**< What the call paths were made from. */
	diff_excess *excesses;
	size_t excess_count;
	mprof_heap_diff *heap_growth; /**< Both snapshots; NULL if one cannot be read a second time. */
	heap_identity *heap_identity; /**< NULL unless two snapshots of one log are compared. */
} log_diff;

/** The side whose log has the data of a side: both are in the first log if there is only one. */
static inline const diff_side *diff_log_of(const log_diff *diff, int side)
{
	return &diff->sides[diff->options.files[side] != NULL ? side : DIFF_BEFORE];
}

/** The path for another reading of a log, or NULL. Standard input can be read again only if it is a file. */
const char *diff_path_of(const log_diff *diff, int side);

/** Reads the logs and fills in all fields. Returns an exit status; with #STATUS_NOTHING there is no data. */
int diff_read(log_diff *diff, const diff_options *options);
void diff_release(log_diff *diff);

/** Uses a heap snapshot that was read. */
typedef mprof_status diff_snapshot_function(void *user, mprof_heap_graph *graph, const mprof_reader *reader);

/**
 * Reads the heap snapshot of a side in another reading of its log, and passes it to a function, also if the log is
 * damaged, which was reported before. \p blocks: the kinds of blocks that are needed, as of MPROF_BLOCK_BIT(). Returns
 * the status of the function, or what the machine refused.
 */
mprof_status diff_read_snapshot(const log_diff *diff, int side, uint64_t blocks, diff_snapshot_function *function,
				void *user);

void diff_print_text(const log_diff *diff);
void diff_print_json(const log_diff *diff);

/** Prints the tables of the JSON document as CSV. Returns #STATUS_OK, or #STATUS_DAMAGED after a message. */
int diff_print_csv(const log_diff *diff);

/*
 * diff/limit.c: growth that exceeds a limit, for tests that fail if a program grew.
 */

/** Parses "5%", "1m" or "20ms" into the limit. Returns 0 after a message if it is invalid. */
int diff_limit_parse(diff_options *options, const char *value);

/** The names of the figures that can be limited, from 0 on; NULL after the last one. */
const char *diff_limit_name(size_t index);

/** Sets the limited figure by its name. Returns 0 after a message if there is no such figure. */
int diff_limit_choose(diff_options *options, const char *name);

/**
 * Finds what exceeds the limit, and prints a message for each. Returns #STATUS_OK; #STATUS_DAMAGED if the limit is
 * exceeded or cannot be checked.
 */
int diff_limit_check(log_diff *diff);
void diff_limit_release(log_diff *diff);

/** Prints the array "exceeded". */
void diff_limit_print_json(const log_diff *diff, json_writer *json);

/*
 * diff/memory.c: the native memory of both logs: its totals, which call paths show in detail.
 */

/** Whether the log of a side has native memory. */
int diff_memory_recorded(const log_diff *diff, int side);

/** Whether the log of a side states which of its native memory was reachable at its end. */
int diff_memory_searched(const log_diff *diff, int side);

/** Figures of native memory that can be limited. */
typedef enum diff_memory_figure {
	DIFF_MEMORY_NONE,
	DIFF_MEMORY_ALLOCATED,
	DIFF_MEMORY_LIVE,
	DIFF_MEMORY_PEAK,
	DIFF_MEMORY_TEMPORARY,
	DIFF_MEMORY_UNREACHABLE
} diff_memory_figure;

/** Whether the log of a side has a figure. */
int diff_memory_has(const log_diff *diff, int side, diff_memory_figure figure);

/** Whether both logs have native memory. */
int diff_memory_comparable(const log_diff *diff);

/** Whether native memory is all that can be compared: both logs have it, and nothing else that differences show. */
int diff_memory_is_all(const log_diff *diff);

/** A figure of both sides. */
void diff_memory_sums(const log_diff *diff, diff_memory_figure figure, uint64_t sums[DIFF_SIDES]);

void diff_memory_print_text(const log_diff *diff);
void diff_memory_print_json(const log_diff *diff, json_writer *json);

/*
 * diff/paths.c: the call paths of both logs in one tree: what grew on which path.
 */

/** What the trees can be made from, for the help of the command. */
#define DIFF_PATHS_SOURCES "calls, samples, allocations, memory, memory-live, memory-peak or memory-temporary"

/**
 * Sets the source of the trees by its name; NULL chooses it later. Returns 0 after a message, which names the option,
 * if it is invalid.
 */
int diff_paths_choose(diff_options *options, const char *option, const char *name);

/** Whether a log has what the trees are to be made from, if that was chosen. Prints a message if not. */
int diff_paths_have_source(const log_diff *diff);

/** Parses the least change of a path. Returns 0 after a message if it is invalid. */
int diff_paths_parse_percent(diff_options *options, const char *value);

/**
 * Makes the trees of both logs, from the chosen source or the first that both have; stores it in log_diff::tree_source.
 * The caller frees the trees, also after an error.
 */
mprof_status diff_paths_make_trees(log_diff *diff, mprof_frame_tree *trees[DIFF_SIDES]);

void diff_paths_print_text(const log_diff *diff);

/** Prints the keys "call_paths_of" and "call_paths". */
void diff_paths_print_json(const log_diff *diff, json_writer *json);

#endif
