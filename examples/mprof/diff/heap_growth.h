/* SPDX-License-Identifier: MIT */
/**
 * \file diff/heap_growth.h
 * \brief Retained sizes before and after, and the paths that hold what was added between two heap snapshots.
 */
#ifndef DIFF_HEAP_GROWTH_H
#define DIFF_HEAP_GROWTH_H

#include "common/json.h"
#include "diff/diff.h"

/**
 * Reads the snapshots that log_diff::heap names as graphs, and fills in heap_growth, the retained sizes of the rows,
 * and has_retained. Returns an exit status: #STATUS_DAMAGED after a message if a figure is not known for lack of
 * memory.
 */
int heap_growth_read(log_diff *diff);
void heap_growth_release(log_diff *diff);

/** Prints the table of paths; what is not known is stated. */
void heap_growth_print_text(const log_diff *diff);

/** Prints the key "heap_growth". */
void heap_growth_print_json(const log_diff *diff, json_writer *json);

#endif
